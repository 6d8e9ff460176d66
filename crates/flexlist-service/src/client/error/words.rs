//! Parts of error messages, in which text from the server is escaped.

use core::{fmt, ops::Range};

use super::{AuditFailure, AuditFault, AuditSubject, SearchEnd};
use crate::message::Refusal;

/// Returns the message for a server that refuses a request although it must answer.
pub(super) fn breach(refusal: &Refusal) -> String {
    match refusal {
        Refusal::StoreFailed(words) => format!(
            "the server has lost data, or cannot read it: {}",
            words.escape_debug()
        ),
        refusal => format!("the server refuses without a valid reason: {refusal}"),
    }
}

/// Returns the message for an upload whose source differs from the source with which it began.
pub(super) fn source_changed(bytes: u64, finished: bool) -> String {
    if finished {
        "the source has changed since the upload finished: version 1 is the earlier source".into()
    } else {
        format!(
            "the source has changed since the upload began: its first {bytes} bytes differ from \
             those sent"
        )
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
            (_, _, AuditSubject::Version) => {}
            (0, _, _) => formatter.write_str("; no block was missing when asked again")?,
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
            SearchEnd::GivenUp => formatter.write_str(" (the search was abandoned)"),
        }
    }
}

impl fmt::Display for AuditSubject {
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

fn ranges(formatter: &mut fmt::Formatter<'_>, ranges: &[Range<u64>]) -> fmt::Result {
    if ranges.len() > 1 {
        write!(formatter, "{} places: ", ranges.len())?;
    }
    formatter.write_str("bytes ")?;
    listed(formatter, ranges, |formatter, Range { start, end }| {
        write!(formatter, "{start}..{end}")
    })
}

/// Writes the first [`MOST_LISTED`] items, separated by commas, each by `show`. Adds `..` if there
/// are more.
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

/// Maximum number of items that a message lists.
const MOST_LISTED: usize = 20;
