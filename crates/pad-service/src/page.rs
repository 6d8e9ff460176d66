//! Pages of messages about several versions.

use authdict::{Heads, LookupError, Version, internals::exchange::encode_list};
use pad_client::internals::Resource;

use crate::refusal::Refusal;

/// Returns the body of a resource about heads of at most `most` bytes; `None` for other resources.
/// `check` refuses versions whose heads this server does not keep.
pub(crate) fn about_heads<H: Heads<Error = LookupError> + ?Sized>(
    source: &H,
    resource: &Resource,
    check: impl Fn(Version) -> Result<(), Refusal>,
    most: usize,
) -> Result<Option<Vec<u8>>, Refusal> {
    Ok(Some(match *resource {
        Resource::HeadOf(version) => {
            check(version)?;
            source.head_message(version)?
        }
        Resource::Heads(first, last) => {
            check(last)?;
            heads(source, (first, last), most)?
        }
        Resource::Consistency(older, newer) => {
            check_order(older, newer)?;
            check(newer)?;
            source.consistency_message(older, newer)?
        }
        Resource::Past(older, newer) => {
            check_order(older, newer)?;
            check(newer)?;
            list(&source.past_messages(older, newer)?)?
        }
        _ => return Ok(None),
    }))
}

/// Refuses a proof between two versions if `older` is version 0 or not before `newer`.
fn check_order(older: Version, newer: Version) -> Result<(), Refusal> {
    if Version::EMPTY < older && older < newer {
        return Ok(());
    }
    let text = "a proof leads from version 1 or a later one to one that is later still";
    Err(Refusal::not_found("unknown_version", text))
}

/// Refuses an empty interval of versions.
pub(crate) fn require_versions((first, last): (Version, Version)) -> Result<(), Refusal> {
    if first <= last {
        return Ok(());
    }
    let text = "the first version is later than the last";
    Err(Refusal::not_found("unknown_version", text))
}

/// Returns an encoded list of the heads of versions `first` to `last`. The list ends early if the
/// page is full. A page contains at least one head.
fn heads<H: Heads<Error = LookupError> + ?Sized>(
    source: &H,
    (first, last): (Version, Version),
    most: usize,
) -> Result<Vec<u8>, Refusal> {
    require_versions((first, last))?;
    // Refuses an unknown last version. The next statement refuses an unknown first version.
    source.head_message(last)?;
    let (mut page, mut bytes) = (vec![source.head_message(first)?], 0_usize);
    for version in (first.number().saturating_add(1)..=last.number()).map(Version::new) {
        let message = source.head_message(version)?;
        bytes = bytes.saturating_add(message.len()).saturating_add(LENGTH);
        if bytes > most.min(HEADS_BYTES) {
            break;
        }
        page.push(message);
    }
    list(&page)
}

pub(crate) fn list(messages: &[Vec<u8>]) -> Result<Vec<u8>, Refusal> {
    let too_long = || Refusal::unprocessable("too_long", "a message is too long");
    encode_list(messages.iter().map(Vec::as_slice)).ok_or_else(too_long)
}

/// Maximum bytes of a page of heads, in addition to its first head.
const HEADS_BYTES: usize = 1 << 20;
/// Number of length bytes before each message of a list.
const LENGTH: usize = 4;
