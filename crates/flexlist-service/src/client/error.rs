//! Errors of a client's operations, with their remedies.

use core::ops::Range;
use std::io;

use flexlist::{
    AuditError, EditError, FileState, ProofError, UpdateError, audit, challenge::ChallengeError,
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
    /// No valid response arrived. Try again: an operation in progress then continues. Trying again
    /// does not help if the request is too large or the configuration is invalid.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The server refuses for a legitimate reason. For example, the request exceeds its limits, or
    /// the server cannot answer for now.
    #[error("the server refuses: {0}")]
    Refused(Refusal),
    /// The server refuses a request that it must answer, or refuses without a valid reason.
    /// Distrust the server.
    #[error("{}", words::breach(.0))]
    Breach(Refusal),
    /// An update in progress was dropped, because the server refused it for good. This is reported
    /// once. The next operation continues with the version before the update.
    #[error("the update in progress is dropped, because the server refused it: {0}")]
    Dropped(Refusal),
    /// The response does not match the request. Distrust the server.
    #[error("the answer does not match the request")]
    Unexpected,
    /// The server's proof about the file's block list is invalid. Distrust the server.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// A block that the server sent does not match the file's block list. Distrust the server.
    #[error(transparent)]
    Blocks(#[from] AuditError),
    /// An audit found damage, or the server refused to answer a challenge. Distrust the server.
    #[error("{0}")]
    Audit(AuditFailure),
    /// A challenge got no answer, which is not a verdict on the file. Try again.
    #[error("{0}")]
    Unanswered(UnansweredAudit),
    /// The server claims an older version than the owner has seen, or claims that it does not have
    /// the file. Distrust the server, unless this state file belongs to a file on another server.
    #[error("the server rolled back to version {claimed}, but version {known} is known")]
    Rollback {
        /// The version that the owner knows.
        known: u64,
        /// The version that the server claims; 0 if it does not have the file, or only an
        /// unfinished upload.
        claimed: u64,
    },
    /// The server has a newer version with this owner's signature: the client's state file is an
    /// older copy. Use the newer state file, or [`adopt`](super::FileClient::adopt) the server's
    /// version.
    #[error(
        "this state is an older copy: it is of version {known}, but the server has version {} of \
         {} bytes, signed by this owner",
        newer.version, newer.list.total
    )]
    Superseded {
        /// The version that the owner knows from the state file.
        known: u64,
        /// The newer version, which the owner signed.
        newer: FileState,
    },
    /// The server claims a newer version, without this owner's signature. Distrust the server,
    /// unless another copy of the state file may have been used.
    #[error(
        "the server claims version {current} without a signature of this owner, but this state is \
         of version {known}"
    )]
    Outdated {
        /// The version that the owner knows.
        known: u64,
        /// The newer version that the server claims.
        current: u64,
    },
    /// For a version that the owner knows, the server claims other contents. Distrust the server,
    /// or look for another writer.
    #[error("the server has other contents for version {version}")]
    Forked {
        /// The version for which the contents differ.
        version: u64,
    },
    /// The source differs from the source with which the upload began. Continue with the original
    /// source, or [`restart`](super::FileClient::restart).
    #[error("{}", words::source_changed(*bytes, *finished))]
    SourceChanged {
        /// Number of bytes that were sent, some of which have changed since.
        bytes: u64,
        /// Whether the upload is finished with the bytes sent. These bytes are then version 1 of
        /// the file, which can be changed.
        finished: bool,
    },
    /// The server claims a number of uploaded parts that does not follow from this state file. An
    /// honest server has all parts sent, all but the last, or none.
    ///
    /// Another copy of the state file was used, or the server was restored from a backup. Continue
    /// with the other copy in the first case. Otherwise, call
    /// [`restart`](super::FileClient::restart).
    #[error(
        "the server claims {claimed} parts of the upload, but {sent} were sent with this state: \
         another copy of the state was used, or the server was restored from a backup"
    )]
    MoreParts {
        /// Number of parts sent with this state file.
        sent: u64,
        /// Number of parts that the server claims.
        claimed: u64,
    },
    /// The server does not present the owner's signature for the version to adopt.
    #[error(
        "the server does not show version {wanted}: it shows version {offered} with the owner's \
         signature"
    )]
    NotOffered {
        /// The version that the caller asked to adopt.
        wanted: u64,
        /// The version for which the server presents the owner's signature.
        offered: u64,
    },
    /// The server presents an invalid statement of the owner: another signature, another file, or
    /// no valid encoding. Distrust the server.
    #[error("the owner's statement from the server is invalid: {0}")]
    Statement(#[from] OpenError),
    /// The server claims no version with the root that the owner published. Either the owner has
    /// changed the file since, or the server has other contents.
    #[error(
        "the server does not have the published root: it claims version {version}, which has \
         another root"
    )]
    OtherRoot {
        /// The version that the server claims instead.
        version: u64,
    },
    /// The tags of the file are verified with a secret key, so that only the owner can audit it.
    #[error(
        "only the owner can audit this file: its tags are checked with the owner's secret key; \
         reading still verifies every byte"
    )]
    OwnerAudits,
    /// The server still has the file, so the client's state file must not be removed.
    #[error("the server still has the file")]
    StillThere,
    /// The source changed while the client read it. Try again.
    #[error("the source changed while it was read: try again when it no longer changes")]
    SourceMoves,
    /// The file is not uploaded yet. Upload it first.
    #[error("the file is not uploaded yet")]
    NotUploaded,
    /// The file is uploaded already.
    #[error("the file is uploaded already")]
    AlreadyUploaded,
    /// The requested range exceeds the file.
    #[error("byte {end} is out of range, the file has {total} bytes")]
    OutOfRange {
        /// Index of the byte after the last requested byte.
        end: u64,
        /// The length of the file in bytes.
        total: u64,
    },
    /// The edits do not fit the file. For example, a range exceeds it.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The block list cannot contain these blocks.
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
    /// Reading the source of an upload or synchronisation failed, or writing the output of a read.
    #[error(transparent)]
    Io(io::Error),
    /// The signer of the owner's requests failed, with this message.
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
    /// Ranges of bytes in damaged blocks and in blocks that the server did not prove, ascending and
    /// disjoint.
    ///
    /// Ranges may include sound blocks between damaged ones. Where the search was given up, they
    /// may include further undamaged bytes. The list is empty for an empty file. It is also empty
    /// if each part was valid when requested again.
    pub damaged: Vec<Range<u64>>,
    /// Whether the search for damaged blocks was completed.
    pub search: SearchEnd,
    /// The fault in the server's answer to the request `asked`.
    pub reason: AuditFault,
}

/// Details of an audit in which a challenge got no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no verdict on version {version}: no answer for {asked}: {reason}")]
pub struct UnansweredAudit {
    /// The version that was audited.
    pub version: u64,
    /// The request that got no answer.
    pub asked: AuditSubject,
    /// The reason for which there is no answer.
    pub reason: Silence,
}

/// The subject of an audit request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditSubject {
    /// The blocks that contain the bytes at these randomly drawn indices. Ascending and without
    /// duplicates.
    Samples(Vec<u64>),
    /// Every block that overlaps this range of bytes.
    Range(Range<u64>),
    /// Only the version that the server claims, since an empty file has no blocks.
    Version,
}

/// The reason for which a challenge got no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Silence {
    /// The transport failed to send the request or to receive an answer.
    #[error("{0}")]
    Transport(TransportError),
    /// The server cannot answer for now.
    #[error("the server refuses: {0}")]
    Refused(Refusal),
}

/// How the search for damaged blocks ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// The search ran to its end.
    Complete,
    /// The limit of requests or time was reached, or the server ceased to answer. Parts of the file
    /// that were not requested count as damaged.
    GivenUp,
}

/// The fault in a server's answer to a challenge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditFault {
    /// The answer does not prove possession of the challenged blocks.
    #[error("{0}")]
    Answer(audit::AuditFailure),
    /// The server refuses to answer for blocks that it has accepted. It must answer for them.
    #[error("the server refuses to answer: {0}")]
    Refused(Refusal),
    /// The server claims another version or other contents.
    #[error(
        "the server claims version {} with {} bytes and root {}",
        .0.version, .0.total, .0.root
    )]
    State(Box<FileStatus>),
    /// The answer does not match the request.
    #[error("the answer does not match the request")]
    Unexpected,
}

impl From<getrandom::Error> for ClientError {
    fn from(_: getrandom::Error) -> Self {
        Self::RandomnessUnavailable
    }
}
