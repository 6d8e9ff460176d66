//! Why an owner's operation does not succeed, by who has to act on it.

use core::{fmt, ops::Range};
use std::io;

use flexlist::{
    audit,
    challenge::ChallengeError,
    edit::EditError,
    error::{AuditError, ProofError, UpdateError},
    tag::TagError,
};

use super::{state::StateError, transport::TransportError};
use crate::message::{Refusal, Standing};

/// Why an owner's operation does not succeed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// No answer. Try again: an operation that is under way goes on where it was.
    Transport(TransportError),
    /// The server refuses, as it may: something exceeds its limits, or it cannot for now.
    Refused(Refusal),
    /// The server refuses what it must do, or has no ground to refuse. Distrust the server.
    Breach(Refusal),
    /// An update that was under way is dropped: the server has refused it for good. Said once; the next
    /// operation goes on with the version before the update.
    Dropped(Refusal),
    /// The server's answer is none to the question. Distrust the server.
    Unexpected,
    /// The server's evidence about the list does not hold. Distrust the server.
    Proof(ProofError),
    /// A block is not the one that the list commits. Distrust the server.
    Blocks(AuditError),
    /// An audit found damage, or the server refused to answer a challenge. Distrust the server.
    Audit(AuditFailure),
    /// A challenge got no answer: nothing is said about the file. Try again.
    Unanswered(Unanswered),
    /// The server claims an older version than the owner has seen, or not to have the file. Distrust the server, or this state
    /// file, if it is of another server.
    Rollback {
        /// The owner's version.
        known: u64,
        /// The version that the server claims; 0 for a file that it does not have, or not wholly.
        claimed: u64,
    },
    /// The server claims that another writer made a newer version, and has this one no longer. Get the
    /// state file of that writer; nothing that this client has is of use to verify the new version.
    Outdated {
        /// The owner's version.
        known: u64,
        /// The version that the server claims.
        current: u64,
    },
    /// The server claims other contents for a version than the owner's. Distrust the server, or look for
    /// another writer.
    Forked {
        /// The version.
        version: u64,
    },
    /// The server has parts of an upload that the source does not: it was begun with another source.
    SourceChanged,
    /// The file is not uploaded yet.
    NotUploaded,
    /// The file is uploaded already.
    AlreadyUploaded,
    /// There is no such byte in the file.
    OutOfRange {
        /// One past the last byte asked for.
        end: u64,
        /// The length of the file in bytes.
        total: u64,
    },
    /// The edits do not fit the file.
    Edit(EditError),
    /// The list cannot hold the blocks.
    List(UpdateError),
    /// A challenge that the file does not allow.
    Challenge(ChallengeError),
    /// A block cannot be tagged.
    Tag(TagError),
    /// The state file cannot be used.
    State(StateError),
    /// The source of an upload, or the sink of a read, failed.
    Io(io::Error),
    /// The signer failed, in words.
    Signer(String),
    /// The operating system gives no random bytes.
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
    Standing(Box<Standing>),
    /// The answer is none to the question.
    Unexpected,
}

impl fmt::Display for ClientError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(error) => error.fmt(formatter),
            Self::Refused(refusal) => write!(formatter, "the server refuses: {refusal}"),
            Self::Breach(Refusal::StoreFailed(words)) => write!(
                formatter,
                "the server has lost something, or cannot read it: {}",
                words.escape_debug()
            ),
            Self::Breach(refusal) => {
                write!(formatter, "the server refuses what it must do: {refusal}")
            }
            Self::Dropped(refusal) => write!(
                formatter,
                "the update that was under way is dropped, the server refused it: {refusal}"
            ),
            Self::Unexpected => formatter.write_str("the answer is none to the question"),
            Self::Proof(error) => error.fmt(formatter),
            Self::Blocks(error) => error.fmt(formatter),
            Self::Audit(failure) => failure.fmt(formatter),
            Self::Unanswered(unanswered) => unanswered.fmt(formatter),
            Self::Rollback { known, claimed } => write!(
                formatter,
                "the server went back to version {claimed}, after version {known}"
            ),
            Self::Outdated { known, current } => write!(
                formatter,
                "this state is of version {known}, the server says that it has version {current}"
            ),
            Self::Forked { version } => write!(
                formatter,
                "the server has other contents for version {version}"
            ),
            Self::SourceChanged => formatter.write_str("the upload was begun with another source"),
            Self::NotUploaded => formatter.write_str("the file is not uploaded yet"),
            Self::AlreadyUploaded => formatter.write_str("the file is uploaded already"),
            Self::OutOfRange { end, total } => write!(
                formatter,
                "byte {end} is out of range, the file has {total} bytes"
            ),
            Self::Edit(error) => error.fmt(formatter),
            Self::List(error) => error.fmt(formatter),
            Self::Challenge(error) => error.fmt(formatter),
            Self::Tag(error) => error.fmt(formatter),
            Self::State(error) => error.fmt(formatter),
            Self::Io(error) => error.fmt(formatter),
            Self::Signer(reason) => write!(formatter, "the signer failed: {reason}"),
            Self::RandomnessUnavailable => {
                formatter.write_str("the operating system gives no random bytes")
            }
        }
    }
}

impl core::error::Error for ClientError {}

impl fmt::Display for AuditFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            version,
            asked,
            reason,
            ..
        } = self;
        write!(
            formatter,
            "the audit of version {version} failed at {asked}: {reason}; "
        )?;
        match (self.damaged.len(), reason) {
            (0, _) => formatter.write_str("asked again, every block was there")?,
            (_, AuditFault::Refused(_)) => {
                formatter.write_str("no answer for ")?;
                ranges(formatter, &self.damaged)?;
            }
            _ => {
                formatter.write_str("damaged or without an answer: ")?;
                ranges(formatter, &self.damaged)?;
            }
        }
        match self.search {
            SearchEnd::Complete => Ok(()),
            SearchEnd::GivenUp => formatter.write_str(" (the search was given up)"),
        }
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            version,
            asked,
            reason,
        } = self;
        write!(
            formatter,
            "no verdict on version {version}: no answer for {asked}: {reason}"
        )
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Samples(bytes) => {
                write!(formatter, "{} sampled bytes (", bytes.len())?;
                listed(formatter, bytes, |formatter, byte| {
                    write!(formatter, "{byte}")
                })?;
                formatter.write_str(")")
            }
            Self::Range(Range { start, end }) => write!(formatter, "bytes {start}..{end}"),
            Self::Version => formatter.write_str("the version of a file of no bytes"),
        }
    }
}

impl fmt::Display for Silence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(error) => error.fmt(formatter),
            Self::Refused(refusal) => write!(formatter, "the server refuses: {refusal}"),
        }
    }
}

fn ranges(formatter: &mut fmt::Formatter<'_>, ranges: &[Range<u64>]) -> fmt::Result {
    if ranges.len() > 1 {
        write!(formatter, "{} places: ", ranges.len())?;
    }
    formatter.write_str("bytes ")?;
    listed(formatter, ranges, |formatter, Range { start, end }| {
        write!(formatter, "{start}..{end}")
    })
}

/// The first of some items, with commas between them.
fn listed<T>(
    formatter: &mut fmt::Formatter<'_>,
    items: &[T],
    show: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (position, item) in items.iter().take(MOST_LISTED).enumerate() {
        if position > 0 {
            formatter.write_str(", ")?;
        }
        show(formatter, item)?;
    }
    if items.len() > MOST_LISTED {
        formatter.write_str(", ..")?;
    }
    Ok(())
}

/// How many items of a list are shown.
const MOST_LISTED: usize = 20;

impl fmt::Display for AuditFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(failure) => failure.fmt(formatter),
            Self::Refused(refusal) => {
                write!(formatter, "the server refuses to answer: {refusal}")
            }
            Self::Standing(standing) => write!(
                formatter,
                "the server says that it has version {} with {} bytes and root {}",
                standing.version, standing.total, standing.root
            ),
            Self::Unexpected => formatter.write_str("the answer is none to the question"),
        }
    }
}

/// `From` for errors that become a variant unchanged.
macro_rules! wrap {
    ($($error:ty => $variant:ident,)*) => {
        $(impl From<$error> for ClientError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        })*
    };
}

wrap! {
    TransportError => Transport,
    ProofError => Proof,
    AuditError => Blocks,
    EditError => Edit,
    UpdateError => List,
    ChallengeError => Challenge,
    TagError => Tag,
    StateError => State,
}

impl From<getrandom::Error> for ClientError {
    fn from(_: getrandom::Error) -> Self {
        Self::RandomnessUnavailable
    }
}
