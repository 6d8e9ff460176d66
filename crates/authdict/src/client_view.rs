//! A client's view as a file: the public key that the client trusts, and the newest head seen.

use block_directory::DirectoryClient;
use pad_core::{
    ConsistencyProof, Past, SignedHead, Suite, TrustedView, Untrusted, VerifyError, Version, codec,
    internals::Refused,
};
use sha2::{Digest, Sha256};

use crate::{
    family::{check_growth, load_view},
    keys::{KeyFileError, PublicKey},
    question::{Question, Refusal},
    selection::with_suite,
    witnessed::heads_of,
};

mod file;
mod follow;

pub use file::{ViewAccessError, ViewAccessFault, ViewFile};
pub use follow::NotFollowed;

/// A client's trusted public key, and the newest head that the client has seen.
///
/// A client that continues from a view keeps the key that the view was created with. The text of a
/// view file has these lines:
///
/// ```text
/// pad-view v1
/// key given                           (or: key taken from the store)
/// pad-public-key v1
/// suite sha256-ed25519
/// ..                                  (the rest of the public key file)
/// seen <hexadecimal digits>           (a TrustedView as a message)
/// digest <64 hexadecimal digits>      (SHA-256 of all lines above)
/// ```
///
/// The digest protects against accidents only: the file is as trustworthy as its storage location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredView {
    public: PublicKey,
    /// The newest head seen: a [`TrustedView`] as a message.
    seen: Vec<u8>,
    version: Version,
    /// Whether the user gave the public key explicitly. Otherwise it was read from the store.
    authenticated: bool,
}

/// Error returned when a view file is parsed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewFileError {
    /// The text is not a view file.
    #[error("not a view: line {line} is not \"{expected}\"")]
    Malformed {
        /// The number of the invalid line, counted from 1.
        line: usize,
        /// The expected content of the line.
        expected: &'static str,
    },
    /// The text is damaged: its digest does not match.
    #[error("the view is damaged: its digest does not match")]
    Damaged,
    /// The public key in the view cannot be used.
    #[error("the public key in the view cannot be used: {0}")]
    Key(#[from] KeyFileError),
    /// The head in the view is malformed, belongs to another dictionary, or is not signed with the
    /// public key in the view.
    #[error("the head in the view does not verify: {0}")]
    Head(#[from] Refusal),
}

/// Error returned for a refused head, with evidence if the author has signed two histories.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{refusal}")]
pub struct RefusedHead {
    /// The reason why the head is refused.
    pub refusal: Refusal,
    /// Evidence that the author's key has signed two histories, for [`crate::evidence::check`].
    pub evidence: Option<Vec<u8>>,
}

impl From<Refusal> for RefusedHead {
    fn from(refusal: Refusal) -> Self {
        Self {
            refusal,
            evidence: None,
        }
    }
}

impl StoredView {
    /// Creates a view with this public key and no head. The key counts as not authenticated.
    pub fn new(public: PublicKey) -> Self {
        let seen = with_suite!(public.suite, S => {
            codec::encode(&TrustedView::<S>::new(public.authority))
        });
        Self {
            public,
            seen,
            version: Version::EMPTY,
            authenticated: false,
        }
    }

    /// Returns this view, with its public key marked as obtained from a trusted source, not from
    /// the store.
    #[must_use]
    #[doc(hidden)]
    pub fn authenticated(self) -> Self {
        Self {
            authenticated: true,
            ..self
        }
    }

    /// Returns whether the key was given explicitly, and not read from the store for which the view
    /// was created.
    #[doc(hidden)]
    pub const fn is_authenticated(&self) -> bool {
        self.authenticated
    }

    /// Parses the text of a view file, and verifies the signature of its head.
    ///
    /// # Errors
    /// [`ViewFileError`].
    pub fn parse(text: &str) -> Result<Self, ViewFileError> {
        let malformed = |line, expected| ViewFileError::Malformed { line, expected };
        let rest = text
            .strip_prefix(TITLE)
            .ok_or(malformed(1, TITLE.trim_end()))?;
        let body = text.strip_suffix('\n').unwrap_or_default();
        let lines = body.lines().count();
        let (above, digest) = body
            .rsplit_once("\ndigest ")
            .ok_or(malformed(lines, "digest <64 digits>"))?;
        if digest != digest_of(above) {
            return Err(ViewFileError::Damaged);
        }
        let rest = rest
            .get(..above.len().saturating_sub(TITLE.len()))
            .unwrap_or_default();
        let (authenticated, rest) = match (rest.strip_prefix(GIVEN), rest.strip_prefix(TAKEN)) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(malformed(2, GIVEN.trim_end())),
        };
        let (key, seen) = rest
            .rsplit_once("\nseen ")
            .ok_or(malformed(lines.saturating_sub(1), "seen <digits>"))?;
        let public = PublicKey::from_text(&format!("{key}\n"))?;
        let seen =
            hex::decode(seen).map_err(|_| malformed(lines.saturating_sub(1), "seen <digits>"))?;
        let version = with_suite!(public.suite, S => load_view::<S>(&public, &seen)?.version());
        Ok(Self {
            public,
            seen,
            version,
            authenticated,
        })
    }

    /// Returns the text of the view file.
    pub fn to_text(&self) -> String {
        let (public, seen) = (self.public.to_text(), hex::encode(&self.seen));
        let origin = if self.authenticated { GIVEN } else { TAKEN };
        let above = format!("{TITLE}{origin}{public}seen {seen}");
        let digest = digest_of(&above);
        format!("{above}\ndigest {digest}\n")
    }

    /// Returns the public key that the view was created with.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Returns the newest version seen; version 0 before the first head.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Creates a client of a block directory for answers about `version`. For the newest version
    /// seen, the client has seen this view's head. For an older version, it has seen no head, so
    /// the author's signature decides.
    ///
    /// Hints need the height of the server's blocks, which this client does not know.
    ///
    /// # Errors
    /// [`Refusal`] if the view is of another suite, or damaged.
    #[doc(hidden)]
    pub fn directory_client<S: Suite>(
        &self,
        version: Version,
    ) -> Result<DirectoryClient<S>, Refusal> {
        let mut view = load_view::<S>(&self.public, &self.seen)?;
        if version != self.version {
            view = TrustedView::new(self.public.authority);
        }
        Ok(DirectoryClient::resume(view, 1))
    }

    /// Returns the newest head seen: a [`TrustedView`] as a message.
    pub(crate) fn seen(&self) -> &[u8] {
        &self.seen
    }

    /// Verifies the server's latest head, and returns the advanced view.
    ///
    /// `head` is the message of a [`SignedHead`], and `consistency` the message of a
    /// [`ConsistencyProof`]. The consistency proof is required if the view contains a head and
    /// `head` is newer. For logs, `append_only` is then required too: the message of the proof that
    /// the newer version contains the older version.
    ///
    /// # Errors
    /// [`RefusedHead`] in any of these cases:
    ///
    /// - a message does not decode, or a required proof is missing
    /// - the head is not signed by the author
    /// - the head is older than the newest head seen
    /// - the head differs from the head seen of the same version
    /// - the head does not continue the history of the newest head seen
    /// - in a log, the newer version does not contain the older version
    #[doc(hidden)]
    pub fn advance(
        &self,
        head: &[u8],
        consistency: Option<&[u8]>,
        append_only: Option<&[u8]>,
    ) -> Result<Self, RefusedHead> {
        let advanced =
            with_suite!(self.public.suite, S => self.advance_in::<S>(head, consistency))?;
        if self.public.scheme.family().is_append_only() {
            self.check_growth(&advanced, append_only)?;
        }
        Ok(advanced)
    }

    /// Returns evidence against the author if two heads of different versions contradict each
    /// other: the head `head`, and the view's newest head. Returns `None` otherwise.
    ///
    /// `head` is the message of a [`SignedHead`]. `past` is a statement of the newer head about the
    /// version of the older head, as returned by [`crate::Heads::past_messages`].
    pub fn accuse(&self, head: &[u8], past: &[u8]) -> Option<Vec<u8>> {
        with_suite!(self.public.suite, S => {
            let view = load_view::<S>(&self.public, &self.seen).ok()?;
            let head = Untrusted::<SignedHead<S>>::decode(head, head.len()).ok()?;
            let past: Past<S> = codec::decode_body(past).ok()?;
            Some(view.accuse(head, past).ok()?.encode())
        })
    }

    /// Returns evidence against the author from a refused answer, the message of a
    /// [`pad_core::Response`]. Returns `None` unless the answer contains a second signed head of
    /// the newest version seen.
    #[doc(hidden)]
    pub fn accuse_by_answer(&self, question: &Question, answer: &[u8]) -> Option<Vec<u8>> {
        let heads = heads_of(&self.public, question, answer).ok()?;
        let refused = |head: Vec<u8>| self.advance(&head, None, None).err()?.evidence;
        heads.into_iter().flatten().find_map(refused)
    }

    fn advance_in<S: Suite>(
        &self,
        head: &[u8],
        consistency: Option<&[u8]>,
    ) -> Result<Self, RefusedHead> {
        let mut view = load_view::<S>(&self.public, &self.seen)?;
        let head = Untrusted::<SignedHead<S>>::decode(head, head.len()).map_err(Refusal::from)?;
        let consistency = consistency
            .map(|proof| Untrusted::<ConsistencyProof<S>>::decode(proof, proof.len()))
            .transpose()
            .map_err(Refusal::from)?;
        let refused = |Refused { error, evidence }: Refused<S>| RefusedHead {
            refusal: error.into(),
            evidence: evidence.map(|evidence| evidence.encode()),
        };
        view.advance(head, consistency).map_err(refused)?;
        Ok(Self {
            public: self.public.clone(),
            seen: codec::encode(&view),
            version: view.version(),
            authenticated: self.authenticated,
        })
    }

    /// Checks that the newest version in the view `newer` of a log contains all entries of the
    /// newest version in this view. `append_only` is the message of the proof.
    fn check_growth(&self, newer: &Self, append_only: Option<&[u8]>) -> Result<(), Refusal> {
        if [Version::EMPTY, newer.version].contains(&self.version) {
            return Ok(());
        }
        let heads = [&self.seen, &newer.seen]
            .map(|seen| load_view::<pad_core::Sha256Ed25519>(&self.public, seen));
        let [older, newer] = heads;
        let (older, newer) = (older?.newest()?, newer?.newest()?);
        check_growth(&self.public, [&older, &newer], append_only)
    }

    /// Checks that the history of a log's newest head contains the root of the older head `head`.
    /// Also checks that the newest version contains all entries of the older version. `past` and
    /// `append_only` are the messages of the proofs.
    fn check_past_head(
        &self,
        head: &[u8],
        past: &[Vec<u8>],
        append_only: Option<&[u8]>,
    ) -> Result<(), RefusedHead> {
        type S = pad_core::Sha256Ed25519;
        let view = load_view::<S>(&self.public, &self.seen)?;
        let newest = view.newest().map_err(Refusal::from)?;
        let head = Untrusted::<SignedHead<S>>::decode(head, head.len()).map_err(Refusal::from)?;
        let (signed, version) = (*head.as_unverified(), head.as_unverified().head.version);
        let older = head.verify(&self.public.authority, &version);
        let older = older.map_err(Refusal::from)?;
        let mut past = past.iter().map(|past| codec::decode_body::<Past<S>>(past));
        let Some(Ok(Past::Root(inclusion))) = past.find(|past| matches!(past, Ok(Past::Root(_))))
        else {
            return Err(Refusal::from(VerifyError::MalformedHistoryProof).into());
        };
        let named = Untrusted::new(inclusion.clone()).verify(&newest, &version);
        if named.map_err(Refusal::from)?.get().root != older.get().root {
            let evidence = view.accuse(Untrusted::new(signed), Past::Root(inclusion));
            return Err(RefusedHead {
                refusal: VerifyError::Fork(version).into(),
                evidence: evidence.ok().map(|evidence| evidence.encode()),
            });
        }
        Ok(check_growth(&self.public, [&older, &newest], append_only)?)
    }
}

fn digest_of(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

const TITLE: &str = "pad-view v1\n";
const GIVEN: &str = "key given\n";
const TAKEN: &str = "key taken from the store\n";
