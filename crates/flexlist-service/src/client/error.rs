//! Errors of the owner's operations, with their remedies.

use core::ops::Range;
use std::io;

use flexlist::{
    FileState, audit,
    challenge::ChallengeError,
    edit::EditError,
    error::{AuditError, ProofError, UpdateError},
    tag::TagError,
};

mod words;

use super::{state::StateError, transport::TransportError};
use crate::{
    message::{FileStatus, Refusal},
    signed::OpenError,
};

/// Error returned by the operations of a client. Each variant documents the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// No valid response arrived. Try again: an operation in progress continues. Trying again does
    /// not help if the request is too large or the configuration is invalid.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The server legitimately refuses. For example, the request exceeds its limits, or the server
    /// cannot answer for now.
    #[error("the server refuses: {0}")]
    Refused(Refusal),
    /// The server refuses something that it must do, or without a valid reason. Distrust the
    /// server.
    #[error("{}", words::breach(.0))]
    Breach(Refusal),
    /// An update in progress is dropped, because the server has refused it for good. Reported once.
    /// The next operation continues with the version before the update.
    #[error("the update in progress is dropped, because the server refused it: {0}")]
    Dropped(Refusal),
    /// The response does not match the request. Distrust the server.
    #[error("the answer does not match the request")]
    Unexpected,
    /// The server's evidence about the list is invalid. Distrust the server.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// A block does not match the list. Distrust the server.
    #[error(transparent)]
    Blocks(#[from] AuditError),
    /// An audit found damage, or the server refused to answer a challenge. Distrust the server.
    #[error("{0}")]
    Audit(AuditFailure),
    /// A challenge got no answer, which is not a verdict on the file. Try again.
    #[error("{0}")]
    Unanswered(UnansweredAudit),
    /// The server claims an older version than the owner has seen, or claims that it does not have
    /// the file. Distrust the server, or this state file, if it is of another server.
    #[error("the server rolled back to version {claimed}, but version {known} is known")]
    Rollback {
        /// The version that the owner knows.
        known: u64,
        /// The version that the server claims; 0 if it does not have the file, or only an
        /// unfinished upload.
        claimed: u64,
    },
    /// The server has a newer version with this owner's signature: this state is an older copy. Use
    /// the newer state, or [`adopt`](super::FileClient::adopt) the server's version.
    #[error(
        "this state is an older copy: it is of version {known}, but the server has version {} of \
         {} bytes, signed by this owner",
        newer.version, newer.list.total
    )]
    Superseded {
        /// The version that the owner knows from this state.
        known: u64,
        /// The version that the owner signed.
        newer: FileState,
    },
    /// The server claims a newer version, without this owner's signature. Distrust the server,
    /// unless another copy of this state may have been used.
    #[error(
        "the server claims version {current} without a signature of this owner, but this state is \
         of version {known}"
    )]
    Outdated {
        /// The version that the owner knows.
        known: u64,
        /// The version that the server claims.
        current: u64,
    },
    /// The server claims other contents for a version than the owner knows. Distrust the server, or
    /// look for another writer.
    #[error("the server has other contents for version {version}")]
    Forked {
        /// The version.
        version: u64,
    },
    /// The source differs from the source with which the upload began. Continue with the original
    /// source, or [`restart`](super::FileClient::restart).
    #[error("{}", words::source_changed(*bytes, *finished))]
    SourceChanged {
        /// Number of bytes that were sent, some of which have changed since.
        bytes: u64,
        /// Whether the upload is finished with the bytes sent. They are then this client's version,
        /// which can be changed.
        finished: bool,
    },
    /// The server claims more parts of the upload than were sent with this state, or fewer than it
    /// had before.
    ///
    /// Another copy of the state was used, or the server was restored from a backup. Continue with
    /// that copy, or [`restart`](super::FileClient::restart).
    #[error(
        "the server claims {claimed} parts of the upload, but {sent} were sent with this state: \
         another copy of the state was used, or the server was restored from a backup"
    )]
    MoreParts {
        /// Number of parts sent.
        sent: u64,
        /// Number of parts that the server claims.
        claimed: u64,
    },
    /// The server does not offer the version to adopt.
    #[error(
        "the server does not show version {wanted}: it shows version {offered} with the owner's \
         signature"
    )]
    NotOffered {
        /// The requested version.
        wanted: u64,
        /// The version of the owner's statement that the server presents.
        offered: u64,
    },
    /// The server presents an invalid statement of the owner. Distrust the server.
    #[error("the owner's statement from the server is invalid: {0}")]
    Statement(#[from] OpenError),
    /// The server has no contents with the published root. Either the owner has changed the file
    /// since, or the server has other contents.
    #[error(
        "the server does not have the published root: it claims version {version}, which has \
         another root"
    )]
    OtherRoot {
        /// The version that the server claims.
        version: u64,
    },
    /// The tags of the file are verified with a secret key, so that only the owner can audit it.
    #[error(
        "only the owner can audit this file: its tags are checked with the owner's secret key; \
         reading still verifies every byte"
    )]
    OwnerAudits,
    /// The server still has the file, so the state file must not be removed.
    #[error("the server still has the file")]
    StillThere,
    /// The source changed while it was read. Try again.
    #[error("the source changed while it was read: try again when it no longer changes")]
    SourceMoves,
    /// The file is not uploaded yet.
    #[error("the file is not uploaded yet")]
    NotUploaded,
    /// The file is uploaded already.
    #[error("the file is uploaded already")]
    AlreadyUploaded,
    /// The range exceeds the file.
    #[error("byte {end} is out of range, the file has {total} bytes")]
    OutOfRange {
        /// Index one past the last requested byte.
        end: u64,
        /// The length of the file in bytes.
        total: u64,
    },
    /// The edits do not fit the file.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The list cannot hold the blocks.
    #[error(transparent)]
    List(#[from] UpdateError),
    /// The challenge is invalid for the file.
    #[error(transparent)]
    Challenge(#[from] ChallengeError),
    /// A block cannot be tagged.
    #[error(transparent)]
    Tag(#[from] TagError),
    /// The state file cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// The source of an upload or synchronisation, or the sink of a read, failed.
    #[error(transparent)]
    Io(io::Error),
    /// The signer failed, with its message.
    #[error("the signer failed: {0}")]
    Signer(String),
    /// The operating system provides no random bytes.
    #[error("the operating system gives no random bytes")]
    RandomnessUnavailable,
}

/// The result of a failed audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFailure {
    /// The version that was audited.
    pub version: u64,
    /// The request that failed first.
    pub asked: AuditSubject,
    /// The bytes of damaged blocks and of blocks that the server did not prove, ascending and
    /// disjoint.
    ///
    /// Ranges may include sound blocks between damaged ones. Where the search was given up, they
    /// may include further undamaged bytes. Empty if the audit failed, but each part was valid when
    /// requested again; also for an empty file.
    pub damaged: Vec<Range<u64>>,
    /// Whether the search was completed.
    pub search: SearchEnd,
    /// The fault of the answer to `asked`.
    pub reason: AuditFault,
}

/// A challenge without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnansweredAudit {
    /// The version that was audited.
    pub version: u64,
    /// The request.
    pub asked: AuditSubject,
    /// The reason.
    pub reason: Silence,
}

/// The subject of an audit request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditSubject {
    /// The blocks of these bytes, which were drawn at random. Ascending and without duplicates.
    Samples(Vec<u64>),
    /// Every block that overlaps these bytes.
    Range(Range<u64>),
    /// Only the server's version: the file is empty.
    Version,
}

/// The reason for which a challenge got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The transport failed.
    Transport(TransportError),
    /// The server cannot answer for now.
    Refused(Refusal),
}

/// How the search for damaged blocks ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// The search ran to its end.
    Complete,
    /// The limit of requests or time was reached, or the server ceased to answer. Parts that were
    /// not requested count as damaged.
    GivenUp,
}

/// The fault of an answer to a challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuditFault {
    /// The answer does not prove possession of the challenged blocks.
    Answer(audit::AuditFailure),
    /// The server refuses to answer for blocks that it accepted, which it must.
    Refused(Refusal),
    /// The server claims another version or other contents.
    State(Box<FileStatus>),
    /// The answer does not match the request.
    Unexpected,
}

impl From<getrandom::Error> for ClientError {
    fn from(_: getrandom::Error) -> Self {
        Self::RandomnessUnavailable
    }
}
