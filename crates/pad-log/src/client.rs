//! Clients of a log. A client accepts a newer version only with a proof that the version contains
//! the previous one.

#![deny(clippy::arithmetic_side_effects)]

use alloc::boxed::Box;
use core::fmt;

use pad_accumulators::wire::{self, Wire};
use pad_core::{
    AuthorKey, ConsistencyProof, DecodeError, ForkEvidence, InclusionProof as PastProof, Proof,
    Sha256Ed25519, SignedHead, SnapshotHead, TrustedView, Untrusted, Verified, VerifyError,
    Version, internals::Refused,
};
use thiserror::Error;

use crate::{
    log::{Log, LogRoot},
    proof::{AppendOnlyProof, Growth, LONGEST_GROWTH},
    scheme::Scheme,
};

type Head = SignedHead<Sha256Ed25519>;

/// A client of one log. The author's key identifies the author of a version, but a signature does
/// not make the contents true. The client rejects a version that does not contain the newest one
/// seen, even with a valid signature.
///
/// Skipping versions costs nothing: one pair of proofs covers the step from any version to any
/// later version.
#[derive(Clone)]
pub struct LogClient<S: Scheme> {
    log: Log<S>,
    view: TrustedView<Sha256Ed25519>,
    newest: Option<Verified<SnapshotHead<Sha256Ed25519>>>,
    longest_growth: usize,
}

/// Encoded proofs with which a client moves from the newest version that it has seen to a later
/// version.
#[derive(Clone, Copy, Debug)]
pub struct Continuation<'a> {
    /// The encoded [`ConsistencyProof`] that the history in the later head contains the older head.
    pub consistency: &'a [u8],
    /// The encoded [`AppendOnlyProof`] that the entries of the later version contain those of the
    /// older version.
    pub append_only: &'a [u8],
}

/// Encoded proofs that an older version belongs to the log, for a client that has seen a newer
/// version.
#[derive(Clone, Copy, Debug)]
pub struct PastProofs<'a> {
    /// The encoded [`InclusionProof`](PastProof), which proves that the history in the newest head
    /// contains the root of the older version.
    pub inclusion: &'a [u8],
    /// The encoded [`AppendOnlyProof`] that the entries of the newest version contain those of the
    /// older version.
    pub append_only: &'a [u8],
}

/// Error returned when a client rejects a message. The client's state is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LogRefusal {
    /// The bytes do not decode to the expected message.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The head does not verify: for example, its signature is wrong, or the consistency proof for
    /// a newer head is missing.
    #[error(transparent)]
    Head(VerifyError),
    /// The author signed two heads whose histories contradict each other. The evidence convinces
    /// every holder of the author's public key.
    #[error("the author signed two different histories")]
    Fork(Box<ForkEvidence<Sha256Ed25519>>),
    /// The proof that the later version contains the older one does not verify. If no server can
    /// prove it, the log has changed its past: keep both heads.
    #[error(
        "the proof that version {} contains version {} does not verify: {reason}",
        .newer.head.version, .older.head.version
    )]
    NotGrown {
        /// The reason why the append-only proof does not verify.
        reason: VerifyError,
        /// The newest head that the client had accepted.
        older: Box<Head>,
        /// The head that was offered.
        newer: Box<Head>,
    },
    /// The history of the newest head names an older version, but the proof that the newest version
    /// contains that version does not verify. If no server can prove it, the log has changed its
    /// past. Keep the newest head and the proof that its history names the older version.
    #[error(
        "the proof that the newest version contains version {version} does not verify: {reason}"
    )]
    PastNotContained {
        /// The number of the older version.
        version: Version,
        /// The reason why the append-only proof does not verify.
        reason: VerifyError,
    },
    /// The proof that answers a query does not verify against a root that the author signed.
    #[error(transparent)]
    Proof(VerifyError),
    /// The client has seen no head yet, so there is no newest version to query.
    #[error("no head was seen yet")]
    NoHeadSeen,
}

/// Maximum length in bytes of an encoded head, and of an encoded proof about the history, that a
/// client decodes.
const LONGEST_HISTORY: usize = 1 << 13;

impl<S: Scheme> LogClient<S> {
    /// Creates a client that has seen no head yet. It accepts its first head without an append-only
    /// proof, because every log contains the empty log.
    pub fn new(log: Log<S>, author: AuthorKey) -> Self {
        Self {
            view: TrustedView::new(log.authority(author)),
            log,
            newest: None,
            longest_growth: LONGEST_GROWTH,
        }
    }

    /// Creates a client that continues from a view that [`LogClient::view`] returned and the caller
    /// stored.
    ///
    /// # Errors
    /// - [`VerifyError::WrongDictionary`] if the view belongs to another author, dictionary or
    ///   scheme.
    /// - [`VerifyError::SignatureInvalid`] if the author did not sign the view's head.
    /// - Other [`VerifyError`]s if the view's head belongs to another dictionary or scheme.
    pub fn resume(
        log: Log<S>,
        author: AuthorKey,
        view: TrustedView<Sha256Ed25519>,
    ) -> Result<Self, VerifyError> {
        let client = Self::new(log, author);
        if view.authority() != client.view.authority() {
            return Err(VerifyError::WrongDictionary);
        }
        let verified = view.newest()?;
        let newest = view.newest_signed().map(|_| verified);
        Ok(Self {
            view,
            newest,
            ..client
        })
    }

    /// Sets the maximum length in bytes of an append-only proof that the client decodes. The
    /// default is [`LONGEST_GROWTH`].
    pub const fn set_longest_growth(&mut self, bytes: usize) {
        self.longest_growth = bytes;
    }

    /// The client's state: the author, and the newest head seen. Store it where no other party can
    /// write.
    pub const fn view(&self) -> &TrustedView<Sha256Ed25519> {
        &self.view
    }

    /// The identity and setup of the log that this client follows.
    pub const fn log(&self) -> &Log<S> {
        &self.log
    }

    /// The newest version seen; version 0 before the first head.
    pub fn version(&self) -> Version {
        self.view.version()
    }

    /// Decodes and verifies `head`, and accepts it if it is not older than the newest head seen.
    /// Returns the version of the head.
    ///
    /// `continuation` is required for a head that is newer than the newest one seen. It is ignored
    /// for the first head and for a head of the same version.
    ///
    /// # Errors
    /// [`LogRefusal`] if the head is not accepted. [`LogRefusal::Fork`] if the author signed this
    /// head and a different newest head for the same version, whatever `continuation` is.
    pub fn advance(
        &mut self,
        head: &[u8],
        continuation: Option<Continuation<'_>>,
    ) -> Result<Version, LogRefusal> {
        let head = Untrusted::<Head>::decode(head, LONGEST_HISTORY)?;
        let offered = *head.as_unverified();
        let is_newer = self.newest.is_some() && offered.head.version > self.version();
        let continuation = continuation.filter(|_| is_newer);
        let consistency = continuation.map(|proofs| {
            Untrusted::<ConsistencyProof<_>>::decode(proofs.consistency, LONGEST_HISTORY)
        });
        let mut view = self.view;
        let newer = view.advance(head, consistency.transpose()?)?;
        if let (Some(older), Some(seen)) = (self.newest, self.view.newest_signed())
            && seen.head != offered.head
        {
            let proofs =
                continuation.ok_or(LogRefusal::Head(VerifyError::MalformedHistoryProof))?;
            let (old, new) = (self.log.at(&older), self.log.at(&newer));
            let old = old.map_err(LogRefusal::Head)?;
            let new = new.map_err(LogRefusal::Head)?;
            let grown = self.check_growth(old, new, proofs.append_only);
            grown.map_err(|reason| {
                unless_unread(reason, |reason| LogRefusal::NotGrown {
                    reason,
                    older: Box::new(seen),
                    newer: Box::new(offered),
                })
            })?;
        }
        self.view = view;
        self.newest = Some(newer);
        Ok(newer.get().version)
    }

    /// Returns the log at the newest version seen, the commitment against which proofs are
    /// verified.
    ///
    /// # Errors
    /// [`LogRefusal::NoHeadSeen`] before the first head. The empty version 0 would prove every key
    /// absent.
    pub fn newest(&self) -> Result<LogRoot<S>, LogRefusal> {
        let newest = self.newest.as_ref().ok_or(LogRefusal::NoHeadSeen)?;
        self.log.at(newest).map_err(LogRefusal::Head)
    }

    /// Returns the log at an older version, the commitment against which proofs about that version
    /// are verified.
    ///
    /// `proofs` prove that the newest head's history names the root of that version, and that the
    /// newest version contains that version. A history by itself may name versions that were never
    /// part of the log.
    ///
    /// Two verified older versions need not contain each other. To check that, verify an
    /// append-only proof between them ([`Growth`]).
    ///
    /// # Errors
    /// [`LogRefusal`] if a proof does not decode or verify, or no head was seen.
    pub fn past(&self, version: Version, proofs: PastProofs<'_>) -> Result<LogRoot<S>, LogRefusal> {
        let newest = self.newest.as_ref().ok_or(LogRefusal::NoHeadSeen)?;
        let inclusion = Untrusted::<PastProof<_>>::decode(proofs.inclusion, LONGEST_HISTORY)?;
        let past = inclusion.verify(newest, &version);
        let past = self.log.at_past(&past.map_err(LogRefusal::Proof)?);
        self.check_growth(past.clone(), self.newest()?, proofs.append_only)
            .map_err(|reason| {
                unless_unread(reason, |reason| LogRefusal::PastNotContained {
                    version,
                    reason,
                })
            })?;
        Ok(past)
    }

    /// Decodes a proof, verifies it against the log at one version, and returns the proven
    /// statement.
    ///
    /// `limit` is the maximum length in bytes of the encoded proof:
    /// [`LONGEST_LOOKUP`](crate::proof::LONGEST_LOOKUP) or
    /// [`LONGEST_PROOF`](crate::proof::LONGEST_PROOF), or less.
    ///
    /// # Errors
    /// [`LogRefusal::Decode`] if the message is not well-formed or too long. [`LogRefusal::Proof`]
    /// if the proof does not verify.
    pub fn check<P>(
        &self,
        proof: &[u8],
        limit: usize,
        at: &LogRoot<S>,
        query: &P::Query,
    ) -> Result<Verified<P::Statement>, LogRefusal>
    where
        P: Proof<Commitment = LogRoot<S>, Error = VerifyError> + Wire<Context = ()>,
    {
        let proof: Untrusted<P> = wire::decode(&(), proof, limit)?;
        proof.verify(at, query).map_err(LogRefusal::Proof)
    }

    fn check_growth(
        &self,
        older: LogRoot<S>,
        newer: LogRoot<S>,
        proof: &[u8],
    ) -> Result<(), VerifyError> {
        let growth = Growth::new(older, newer)?;
        let proof: Untrusted<AppendOnlyProof<S>> = wire::decode(&(), proof, self.longest_growth)?;
        proof.verify(&growth, &()).map(drop)
    }
}

/// Converts a verification error to a refusal by `refusal`. A proof that is longer than the
/// client's limit was not read. It becomes [`LogRefusal::Decode`], since it is not evidence against
/// the log.
fn unless_unread(
    reason: VerifyError,
    refusal: impl FnOnce(VerifyError) -> LogRefusal,
) -> LogRefusal {
    match reason {
        VerifyError::Undecodable(error @ DecodeError::TooLarge { .. }) => LogRefusal::Decode(error),
        reason => refusal(reason),
    }
}

impl<S: Scheme> fmt::Debug for LogClient<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LogClient")
            .field("log", &self.log)
            .field("version", &self.version())
            .finish_non_exhaustive()
    }
}

impl From<Refused<Sha256Ed25519>> for LogRefusal {
    fn from(refused: Refused<Sha256Ed25519>) -> Self {
        match refused.evidence {
            Some(evidence) => Self::Fork(Box::new(evidence)),
            None => Self::Head(refused.error),
        }
    }
}
