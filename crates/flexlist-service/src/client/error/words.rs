//! Errors in words: clauses, in which what a server said is escaped.

use core::{fmt, ops::Range};

use super::{Asked, AuditFailure, AuditFault, ClientError, SearchEnd, Silence, Unanswered};
use crate::message::Refusal;

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
            Self::SourceChanged {
                bytes,
                finished: false,
            } => write!(
                formatter,
                "the source has changed since the upload began: its first {bytes} bytes were sent, and \
                 are others now"
            ),
            Self::SourceChanged { finished: true, .. } => formatter.write_str(
                "the upload was finished with the source as it was before, which is version 1; it has \
                 changed since",
            ),
            Self::MoreParts { sent, claimed } => write!(
                formatter,
                "the server says that it has {claimed} parts of the upload, and {sent} were sent with \
                 this state: another copy of the state was used, or the server was restored from one"
            ),
            Self::Rollback { .. }
            | Self::Superseded { .. }
            | Self::Outdated { .. }
            | Self::Forked { .. }
            | Self::NotOffered { .. } => self.words_of_versions(formatter),
            Self::Statement(error) => {
                write!(formatter, "what the server shows as the owner's word: {error}")
            }
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
            "the audit of version {version} failed at {asked}: {reason}"
        )?;
        match (self.damaged.len(), reason, asked) {
            (_, _, Asked::Version) => {}
            (0, _, _) => formatter.write_str("; asked again, every block was there")?,
            (_, AuditFault::Refused(_), _) => {
                formatter.write_str("; no answer for ")?;
                ranges(formatter, &self.damaged)?;
            }
            _ => {
                formatter.write_str("; damaged or without an answer: ")?;
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

impl ClientError {
    /// The words of an error about versions; none of another.
    fn words_of_versions(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rollback { known, claimed } => write!(
                formatter,
                "the server went back to version {claimed}, after version {known}"
            ),
            Self::Superseded { known, newer } => write!(
                formatter,
                "this state is of version {known}, and an older copy: the server has version {} of {} \
                 bytes, signed by this owner",
                newer.version, newer.list.total
            ),
            Self::Outdated { known, current } => write!(
                formatter,
                "this state is of version {known}, the server claims version {current} and shows no \
                 signature of this owner for it"
            ),
            Self::Forked { version } => write!(
                formatter,
                "the server has other contents for version {version}"
            ),
            Self::NotOffered { wanted, offered } => write!(
                formatter,
                "the server does not offer version {wanted}; it shows version {offered} with the owner's \
                 signature"
            ),
            _ => Ok(()),
        }
    }
}
