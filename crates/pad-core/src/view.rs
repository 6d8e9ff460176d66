//! A client's state, stored from one answer to the next: the newest verified head.

use serde::{Deserialize, Serialize};

use crate::{
    codec::Message,
    contradiction::{Contradiction, ForkEvidence, Past, Testimony},
    equivocation::Equivocation,
    error::VerifyError,
    head::{Authority, EmptyDictionary, SignedHead, SnapshotHead},
    history::ConsistencyProof,
    proof::{Proof, Untrusted, Verified},
    suite::Suite,
    version::Version,
};

/// A client's view of one dictionary: the newest head that it verified.
///
/// The view only moves forward:
///
/// * An older head offered as the latest is a [`VerifyError::Rollback`].
/// * A different head for the same version is a [`VerifyError::Fork`] with transferable evidence.
/// * A newer head is accepted only with proof that it continues the newest verified head. A newer
///   head that does not continue it convicts the author, together with a proof from its history
///   ([`TrustedView::accuse`]).
///
/// The view cannot tell whether the newest head seen is the newest that exists. To learn this, the
/// client needs a channel that the server does not control.
///
/// ```
/// # use ed25519_dalek::SigningKey;
/// # use pad_core::{AuthorKey, DictionaryId, SchemeId, Sha256Ed25519, SnapshotHead};
/// # use pad_core::Authority;
/// # let signer = SigningKey::from_bytes(&[7; 32]);
/// # let author = AuthorKey::from_bytes(signer.verifying_key().as_bytes())?;
/// # let dictionary = DictionaryId::from_name("example");
/// # let authority = Authority { author, dictionary, scheme: SchemeId(1) };
/// # let empty = SnapshotHead::<Sha256Ed25519>::empty(authority.scheme, dictionary);
/// use pad_core::{HistoryLog, TrustedView, Untrusted, VerifyError, Version};
///
/// let mut log = HistoryLog::default();
/// let first = SnapshotHead { version: Version::new(1), ..empty }.sign(&signer)?;
/// log.append(&first.head.root);
/// let history = log.root(1).ok_or("one entry")?;
/// let second = SnapshotHead { version: Version::new(2), history, ..empty }.sign(&signer)?;
///
/// let mut view = TrustedView::new(authority);
/// view.advance(Untrusted::new(first), None)?;
/// let proof = log.prove_consistency(Version::new(1), Version::new(2)).map(Untrusted::new);
/// view.advance(Untrusted::new(second), proof)?;
///
/// let refused = view.advance(Untrusted::new(first), None).map_err(|refused| refused.error);
/// let (seen, offered) = (Version::new(2), Version::new(1));
/// assert_eq!(refused, Err(VerifyError::Rollback { seen, offered }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TrustedView<S: Suite> {
    authority: Authority,
    newest: Option<SignedHead<S>>,
}

/// Error returned when a [`TrustedView`] rejects a head.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct Refused<S: Suite> {
    /// The reason for the rejection.
    pub error: VerifyError,
    /// The evidence against the author's key, if `error` is [`VerifyError::Fork`].
    pub evidence: Option<ForkEvidence<S>>,
}

impl<S: Suite> From<VerifyError> for Refused<S> {
    fn from(error: VerifyError) -> Self {
        Self {
            error,
            evidence: None,
        }
    }
}

/// A stored view is only as trustworthy as its storage. [`TrustedView::newest`] detects damage. It
/// does not detect an outdated view. It does not detect the view of another author, dictionary or
/// scheme either: compare [`TrustedView::authority`].
impl<S: Suite> Message for TrustedView<S> {
    const KIND: u8 = 6;
    const SUITE: u16 = S::ID.0;
}

impl<S: Suite> TrustedView<S> {
    /// Creates the view of a client that has seen no head yet.
    pub const fn new(authority: Authority) -> Self {
        Self {
            authority,
            newest: None,
        }
    }

    /// The author, dictionary and scheme whose heads this view accepts.
    pub const fn authority(&self) -> &Authority {
        &self.authority
    }

    /// The newest version seen; version 0 before the first head.
    pub fn version(&self) -> Version {
        self.newest
            .map_or(Version::EMPTY, |signed| signed.head.version)
    }

    /// The newest head seen with its signature, as stored; `None` before the first head.
    pub const fn newest_signed(&self) -> Option<SignedHead<S>> {
        self.newest
    }

    /// The newest head seen, ready to verify proofs against.
    ///
    /// # Errors
    /// [`VerifyError`] if the view was loaded from tampered storage.
    pub fn newest(&self) -> Result<Verified<SnapshotHead<S>>, VerifyError> {
        match self.newest {
            Some(signed) => Untrusted::new(signed).verify(&self.authority, &signed.head.version),
            None => Untrusted::new(EmptyDictionary::new()).verify(&self.authority, &()),
        }
    }

    /// Accepts a head that is not older than the newest one seen.
    ///
    /// `consistency` proves that the head continues the newest one seen. It is required unless the
    /// view is still empty or the head is the newest one seen. A first head is trusted because of
    /// its signature only.
    ///
    /// # Errors
    /// [`Refused`] if the author did not sign the head, or if the head is of version 0, another
    /// dictionary or another scheme. Also for a rollback, a fork, or a missing or failing
    /// `consistency`. The view is then unchanged. If the view was loaded from tampered storage,
    /// also the errors of [`TrustedView::newest`].
    ///
    /// A newer head that does not continue the history is a [`VerifyError::Fork`] with evidence if
    /// the failing proof proves that the author signed another history. Any other refusal of a
    /// genuine head (a rollback, or a missing or failing proof) may be a fork or the server's
    /// fault. [`TrustedView::accuse`] distinguishes the two.
    #[expect(clippy::result_large_err, reason = "evidence is made once, if ever")]
    pub fn advance(
        &mut self,
        head: Untrusted<SignedHead<S>>,
        consistency: Option<Untrusted<ConsistencyProof<S>>>,
    ) -> Result<Verified<SnapshotHead<S>>, Refused<S>> {
        let signed = head.into_unverified();
        let (offered, version) = (signed.head, signed.head.version);
        let verified = Untrusted::new(signed).verify(&self.authority, &version)?;
        if self.newest.is_some_and(|seen| seen.head == offered) {
            self.newest = Some(signed);
            return Ok(verified);
        }
        // Verified again: evidence against the author must not rely on a damaged store.
        let newest = self.newest()?;
        let seen = newest.get().version;
        if version < seen {
            let offered = version;
            return Err(VerifyError::Rollback { seen, offered }.into());
        }
        if version == seen {
            let second = signed;
            let evidence = self.newest.map(|first| Equivocation { first, second });
            return Err(Refused {
                error: VerifyError::Fork(version),
                evidence: evidence.map(ForkEvidence::SameVersion),
            });
        }
        match (consistency, self.newest) {
            (Some(proof), Some(_)) => {
                let past = Past::History(proof.as_unverified().prefix(newest.get()));
                if let Err(error) = proof.verify(&newest, &verified) {
                    return Err(self.refusal(error, signed, past));
                }
            }
            (Some(proof), None) => drop(proof.verify(&newest, &verified)?),
            (None, None) => {}
            (None, Some(_)) => return Err(VerifyError::MalformedHistoryProof.into()),
        }
        self.newest = Some(signed);
        Ok(verified)
    }

    /// Builds evidence against the author from the newest head seen and a refused head.
    ///
    /// `past` proves the root or the history to which the newer of the two heads commits for the
    /// version of the older one. The caller gets it from a server that stores the newer head:
    ///
    /// 1. Ask for an inclusion proof of the older version ([`Past::Root`]).
    /// 2. If the result is [`VerifyError::NoContradiction`], ask for a prefix proof
    ///    ([`Past::History`]).
    /// 3. If neither proof contradicts the older head, the author did not fork: the server withheld
    ///    the right consistency proof.
    ///
    /// For two heads of one version `past` is [`Past::Own`]. The returned evidence is already
    /// checked. Any holder of the author's public key can verify it.
    ///
    /// # Errors
    /// [`VerifyError::NoContradiction`] if the heads agree on the root or history in `past`, or no
    /// head was seen. Other errors: the author did not sign the head, or the proof does not belong
    /// to the head.
    pub fn accuse(
        &self,
        offered: Untrusted<SignedHead<S>>,
        past: Past<S>,
    ) -> Result<ForkEvidence<S>, VerifyError> {
        let offered = offered.into_unverified();
        let seen = self.newest.ok_or(VerifyError::NoContradiction)?;
        let evidence = if offered.head.version == seen.head.version && past == Past::Own {
            let (first, second) = (seen, offered);
            ForkEvidence::SameVersion(Equivocation { first, second })
        } else {
            let (older, newer) = if offered.head.version < seen.head.version {
                (offered, seen)
            } else {
                (seen, offered)
            };
            let first = Testimony {
                head: older,
                past: Past::Own,
            };
            ForkEvidence::AcrossVersions(Contradiction {
                version: older.head.version,
                first,
                second: Testimony { head: newer, past },
            })
        };
        evidence.clone().check(&self.authority, &())?;
        Ok(evidence)
    }

    /// Returns the refusal of a newer head whose consistency proof failed with `error`. If `past`
    /// proves that the head contradicts the newest head seen, the refusal is a fork with evidence.
    fn refusal(&self, error: VerifyError, offered: SignedHead<S>, past: Past<S>) -> Refused<S> {
        match self.accuse(Untrusted::new(offered), past) {
            Ok(evidence) => Refused {
                error: VerifyError::Fork(self.version()),
                evidence: Some(evidence),
            },
            Err(_) => error.into(),
        }
    }

    /// Verifies, by its signature, a head of exactly `version`. The view does not change.
    ///
    /// # Errors
    /// [`VerifyError`] if the author did not sign the head, or if the head is of version 0, or of
    /// another dictionary, scheme or version.
    pub fn snapshot(
        &self,
        version: Version,
        head: Untrusted<SignedHead<S>>,
    ) -> Result<Verified<SnapshotHead<S>>, VerifyError> {
        head.verify(&self.authority, &version)
    }
}
