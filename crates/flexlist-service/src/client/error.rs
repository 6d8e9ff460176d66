//! Why an owner's operation does not succeed, and what to do about it.

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

/// Why an owner's operation does not succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// No answer. Try again: an operation that is under way goes on where it was.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The server refuses, as it may: something exceeds its limits, or it cannot for now.
    #[error("the server refuses: {0}")]
    Refused(Refusal),
    /// The server refuses what it must do, or has no ground to refuse. Distrust the server.
    #[error("{}", words::breach(.0))]
    Breach(Refusal),
    /// An update that was under way is dropped: the server has refused it for good. Said once; the next
    /// operation goes on with the version before the update.
    #[error("the update that was under way is dropped, the server refused it: {0}")]
    Dropped(Refusal),
    /// The server's answer is none to the question. Distrust the server.
    #[error("the answer is none to the question")]
    Unexpected,
    /// The server's evidence about the list does not hold. Distrust the server.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// A block is not the one that the list commits. Distrust the server.
    #[error(transparent)]
    Blocks(#[from] AuditError),
    /// An audit found damage, or the server refused to answer a challenge. Distrust the server.
    #[error("{0}")]
    Audit(AuditFailure),
    /// A challenge got no answer: nothing is said about the file. Try again.
    #[error("{0}")]
    Unanswered(Unanswered),
    /// The server claims an older version than the owner has seen, or not to have the file. Distrust the server, or this state
    /// file, if it is of another server.
    #[error("the server went back to version {claimed}, after version {known}")]
    Rollback {
        /// The owner's version.
        known: u64,
        /// The version that the server claims; 0 for a file that it does not have, or not wholly.
        claimed: u64,
    },
    /// The server has a newer version, and this owner's signature on it: this state is an older copy.
    /// Use the newer one, or [`adopt`](super::FileClient::adopt) what the server has.
    #[error(
        "this state is of version {known}, and an older copy: the server has version {} of {} bytes, \
         signed by this owner", newer.version, newer.list.total
    )]
    Superseded {
        /// The owner's version, as this state has it.
        known: u64,
        /// The version that the owner signed.
        newer: FileState,
    },
    /// The server claims a newer version, for which it shows no statement of this owner. If there is no
    /// other copy of this state, which may have been used, distrust the server.
    #[error(
        "this state is of version {known}, the server claims version {current} and shows no signature \
         of this owner for it"
    )]
    Outdated {
        /// The owner's version.
        known: u64,
        /// The version that the server claims.
        current: u64,
    },
    /// The server claims other contents for a version than the owner's. Distrust the server, or look for
    /// another writer.
    #[error("the server has other contents for version {version}")]
    Forked {
        /// The version.
        version: u64,
    },
    /// The source is not the one that the upload was begun with. Go on with that one, or
    /// [`restart`](super::FileClient::restart).
    #[error("{}", words::source_changed(*bytes, *finished))]
    SourceChanged {
        /// How many bytes were sent, of which some are others now.
        bytes: u64,
        /// Whether the upload is finished with what was sent: then it is this client's version, which can
        /// be changed.
        finished: bool,
    },
    /// The server claims more parts of the upload than were sent with this state, or fewer than it had:
    /// another copy of the state was used, or the server was restored from one. Go on with that copy, or
    /// [`restart`](super::FileClient::restart).
    #[error(
        "the server says that it has {claimed} parts of the upload, and {sent} were sent with this \
         state: another copy of the state was used, or the server was restored from one"
    )]
    MoreParts {
        /// How many parts were sent.
        sent: u64,
        /// How many parts the server claims.
        claimed: u64,
    },
    /// The server does not offer the version that is to be adopted.
    #[error(
        "the server does not offer version {wanted}; it shows version {offered} with the owner's \
         signature"
    )]
    NotOffered {
        /// The version that was asked for.
        wanted: u64,
        /// The version about which the server shows the owner's statement.
        offered: u64,
    },
    /// What the server shows as the owner's signature is none. Distrust the server.
    #[error("what the server shows as the owner's word: {0}")]
    Statement(#[from] OpenError),
    /// The server has no contents of the root that was published: the owner has changed the file since, or
    /// the server has other contents than those.
    #[error(
        "the server does not have what was published: it says that it has version {version}, which has \
         another root"
    )]
    OtherRoot {
        /// The version that the server claims.
        version: u64,
    },
    /// The tags of the file are checked with a secret key: nobody but the owner can audit it.
    #[error(
        "the tags of this file are checked with the owner's secret key: nobody else can audit it, though \
         everybody can read it with every byte verified"
    )]
    OwnerAudits,
    /// The server has the file, so that its state is not to be forgotten.
    #[error("the server still has the file")]
    StillThere,
    /// The source of what is sent changes while it is read. Try again.
    #[error("the source changes while it is read: try again when it stays as it is")]
    SourceMoves,
    /// The file is not uploaded yet.
    #[error("the file is not uploaded yet")]
    NotUploaded,
    /// The file is uploaded already.
    #[error("the file is uploaded already")]
    AlreadyUploaded,
    /// There is no such byte in the file.
    #[error("byte {end} is out of range, the file has {total} bytes")]
    OutOfRange {
        /// One past the last byte asked for.
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
    /// A challenge that the file does not allow.
    #[error(transparent)]
    Challenge(#[from] ChallengeError),
    /// A block cannot be tagged.
    #[error(transparent)]
    Tag(#[from] TagError),
    /// The state file cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// The source of an upload, or the sink of a read, failed.
    #[error(transparent)]
    Io(io::Error),
    /// The signer failed, in words.
    #[error("the signer failed: {0}")]
    Signer(String),
    /// The operating system gives no random bytes.
    #[error("the operating system gives no random bytes")]
    RandomnessUnavailable,
}

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFailure {
    /// The version that was audited.
    pub version: u64,
    /// What the first question that failed asked for.
    pub asked: Asked,
    /// The bytes of the damaged blocks, and of those that the server did not answer for, rising and apart
    /// from each other. Blocks as a whole; longer ranges, which the server may have, where the search was
    /// given up. Empty if the audit failed, but each part of it that was asked for again was in order.
    pub damaged: Vec<Range<u64>>,
    /// Whether the search came to its end.
    pub search: SearchEnd,
    /// How the first question failed.
    pub reason: AuditFault,
}

/// A challenge that got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unanswered {
    /// The version that was audited.
    pub version: u64,
    /// What was asked for.
    pub asked: Asked,
    /// Why there is no answer.
    pub reason: Silence,
}

/// What a question of an audit asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The blocks of these bytes, which were drawn at random: rising, each once.
    Samples(Vec<u64>),
    /// Every block of these bytes.
    Range(Range<u64>),
    /// Nothing but which version the server has: the file has no bytes.
    Version,
}

/// Why a challenge got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Silence {
    /// None came.
    Transport(TransportError),
    /// The server cannot for now.
    Refused(Refusal),
}

/// How the search for damaged blocks ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// Everything was asked for.
    Complete,
    /// The damage is too widespread, or the server ceased to answer: what was not asked for any more
    /// counts as damaged.
    GivenUp,
}

/// How an answer to a challenge fails.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuditFault {
    /// What it says does not prove what was asked.
    Answer(audit::AuditFailure),
    /// The server refuses to answer for what it took: it must.
    Refused(Refusal),
    /// The server claims to stand elsewhere: at another version, or at other contents.
    State(Box<FileStatus>),
    /// The answer is none to the question.
    Unexpected,
}

impl From<getrandom::Error> for ClientError {
    fn from(_: getrandom::Error) -> Self {
        Self::RandomnessUnavailable
    }
}
