//! Pages of messages about several versions.

use authdict::{LookupError, Version, internals::exchange::encode_list};

use crate::refusal::Refusal;

/// Refuses a proof between two versions if `older` is version 0 or not before `newer`.
pub(crate) fn check_order(older: Version, newer: Version) -> Result<(), Refusal> {
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
pub(crate) fn heads(
    head: impl Fn(Version) -> Result<Vec<u8>, LookupError>,
    (first, last): (Version, Version),
    most: usize,
) -> Result<Vec<u8>, Refusal> {
    require_versions((first, last))?;
    // Refuses an unknown last version. The next statement refuses an unknown first version.
    head(last)?;
    let (mut page, mut bytes) = (vec![head(first)?], 0_usize);
    for version in (first.number().saturating_add(1)..=last.number()).map(Version::new) {
        let message = head(version)?;
        bytes = bytes.saturating_add(message.len()).saturating_add(LENGTH);
        if bytes > most.min(HEADS_BYTES) {
            break;
        }
        page.push(message);
    }
    list(page.iter().map(Vec::as_slice))
}

pub(crate) fn list<'m>(messages: impl Iterator<Item = &'m [u8]>) -> Result<Vec<u8>, Refusal> {
    let too_long = || Refusal::unprocessable("too_long", "a message is too long");
    encode_list(messages).ok_or_else(too_long)
}

/// Maximum bytes of a page of heads, in addition to its first head.
const HEADS_BYTES: usize = 1 << 20;
/// Number of length bytes before each message of a list.
const LENGTH: usize = 4;
