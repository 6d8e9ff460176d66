//! Log clients, which accept a newer version only with an append-only proof.

#![deny(clippy::arithmetic_side_effects)]

use alloc::boxed::Box;
use core::fmt;

use pad_accumulators::wire::{self, Wire};
use pad_core::{
    AuthorKey, DecodeError, Proof, Sha256Ed25519, SignedHead, SnapshotHead, TrustedView, Untrusted,
    Verified, VerifyError, Version,
    contradiction::ForkEvidence,
    head::Authority,
    history::{ConsistencyProof, InclusionProof as PastProof},
    view::Refused,
};
use thiserror::Error;

use crate::{
    log::{Log, LogRoot},
    proof::{AppendOnlyProof, Growth, LONGEST_GROWTH},
    scheme::Scheme,
};

type Head = SignedHead<Sha256Ed25519>;

/// A client of one log. The author's key identifies the author; it does not make the contents true.
/// The client rejects a version that does not contain the newest one seen, even with a valid
/// signature.
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

/// Proof messages from the newest version that a client has seen to a later one.
#[derive(Clone, Copy, Debug)]
pub struct Continuation<'a> {
    /// The [`ConsistencyProof`]: the later head's history contains the older head.
    pub consistency: &'a [u8],
    /// The [`AppendOnlyProof`]: the later contents contain the older contents.
    pub append_only: &'a [u8],
}

/// Proof messages from an older version to the newest one that a client has seen.
#[derive(Clone, Copy, Debug)]
pub struct PastProofs<'a> {
    /// The history's [`InclusionProof`](PastProof): the newest head's history contains the older
    /// root.
    pub inclusion: &'a [u8],
    /// The [`AppendOnlyProof`]: the newest contents contain the older contents.
    pub append_only: &'a [u8],
}

/// Error returned when a client rejects a message. The client's state is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LogRefusal {
    /// The bytes do not decode to the expected message.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The head is not valid for this client.
    #[error(transparent)]
    Head(VerifyError),
    /// The author signed two different histories. The evidence convinces every holder of the
    /// author's public key.
    #[error("the author signed two different histories")]
    Fork(Box<ForkEvidence<Sha256Ed25519>>),
    /// The proof that the later version contains the older one does not verify. If no server can
    /// prove it, the log has changed its past: keep both heads.
    #[error(
        "the proof that version {} contains version {} does not verify: {reason}",
        .newer.head.version, .older.head.version
    )]
    NotGrown {
        /// The error of the append-only proof.
        reason: VerifyError,
        /// The newest head that the client had accepted.
        older: Box<Head>,
        /// The head that was offered.
        newer: Box<Head>,
    },
    /// The proof that the newest version contains an older one, named in its history, does not
    /// verify. If no server can prove it, the log has changed its past. Keep the newest head and
    /// the proof of inclusion in its history.
    #[error(
        "the proof that the newest version contains version {version} does not verify: {reason}"
    )]
    PastNotContained {
        /// The older version.
        version: Version,
        /// The error of the append-only proof.
        reason: VerifyError,
    },
    /// The proof does not verify against a root that the author signed.
    #[error(transparent)]
    Proof(VerifyError),
    /// The client has seen no head yet, so there is no newest version to query.
    #[error("no head was seen yet")]
    NoHeadSeen,
}

/// The longest head or history proof that is accepted, in bytes.
const LONGEST_HISTORY: usize = 1 << 13;

impl<S: Scheme> LogClient<S> {
    /// Creates a client that has seen no head yet. It accepts its first head without an append-only
    /// proof, because every log contains the empty log.
    pub fn new(log: Log<S>, author: AuthorKey) -> Self {
        let authority = Authority {
            author,
            dictionary: log.dictionary(),
            scheme: S::ID,
        };
        Self {
            log,
            view: TrustedView::new(authority),
            newest: None,
            longest_growth: LONGEST_GROWTH,
        }
    }

    /// Creates a client of this author that continues from a stored view.
    ///
    /// # Errors
    /// - [`VerifyError::WrongDictionary`] if the view belongs to another author, dictionary or
    ///   scheme.
    /// - [`VerifyError::SignatureInvalid`] if the author did not sign the view's head.
    /// - Other [`VerifyError`]s if that head belongs to another dictionary or scheme.
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

    /// Sets the longest append-only proof that is accepted, in bytes, instead of
    /// [`LONGEST_GROWTH`].
    pub const fn set_longest_growth(&mut self, bytes: usize) {
        self.longest_growth = bytes;
    }

    /// The client's state. Store it where no other party can write.
    pub const fn view(&self) -> &TrustedView<Sha256Ed25519> {
        &self.view
    }

    /// The log.
    pub const fn log(&self) -> &Log<S> {
        &self.log
    }

    /// The newest version seen; version 0 before the first head.
    pub fn version(&self) -> Version {
        self.view.version()
    }

    /// Accepts the message of a head that is not older than the newest one seen. Returns its
    /// version.
    ///
    /// `continuation` is required for a head that is newer than one already seen, and ignored for
    /// other heads.
    ///
    /// # Errors
    /// [`LogRefusal`]. [`LogRefusal::Fork`] for two heads of one version, with any `continuation`.
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
            let (old, new) = (
                old.map_err(LogRefusal::Head)?,
                new.map_err(LogRefusal::Head)?,
            );
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

    /// Returns the log at the newest version seen, for verifying proofs.
    ///
    /// # Errors
    /// [`LogRefusal::NoHeadSeen`] before the first head, because everything is absent from version
    /// 0.
    pub fn newest(&self) -> Result<LogRoot<S>, LogRefusal> {
        let newest = self.newest.as_ref().ok_or(LogRefusal::NoHeadSeen)?;
        self.log.at(newest).map_err(LogRefusal::Head)
    }

    /// Returns the log at an older version, for verifying proofs.
    ///
    /// `proofs` prove that the newest head's history names the root of that version, and that the
    /// newest version contains that version. A history by itself may name versions that were never
    /// part of the log.
    ///
    /// Two verified older versions need not contain each other. To check that, verify an
    /// append-only proof between them ([`Growth`]).
    ///
    /// # Errors
    /// [`LogRefusal`].
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

    /// Verifies the message of a proof against the log at one version, and returns its statement.
    ///
    /// `limit` is the longest message to decode: [`LONGEST_LOOKUP`](crate::proof::LONGEST_LOOKUP)
    /// or [`LONGEST_PROOF`](crate::proof::LONGEST_PROOF), or less.
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
        let proof: Untrusted<AppendOnlyProof<S>> =
            wire::decode(&(), proof, self.longest_growth).map_err(VerifyError::Undecodable)?;
        proof.verify(&growth, &()).map(drop)
    }
}

/// Converts a verification error to a refusal. A proof that is longer than the client's limit is
/// not evidence against the log.
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
