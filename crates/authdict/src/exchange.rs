//! Auxiliary messages between servers and clients: lists of messages, and the versions in which a
//! key changed.
//!
//! These messages contain no proof of their own. The receiver verifies each listed message, or
//! requests proofs about the listed versions.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use pad_core::{
    DecodeError, Untrusted, Version,
    codec::{self, Fields, Message},
};
use pad_tree::KeyHistory;
use serde::{Deserialize, Serialize};

/// The number that identifies a list of messages in the envelope of a message.
const LIST_KIND: u8 = 12;

/// Encodes a list of messages, or bodies of messages, each preceded by its length (4 bytes,
/// big-endian).
///
/// Returns `None` if an item is 4 GiB or longer. No message of this project is that long.
pub fn encode_list<'m>(messages: impl IntoIterator<Item = &'m [u8]>) -> Option<Vec<u8>> {
    let mut bytes = codec::envelope(LIST_KIND, 0);
    for message in messages {
        let length = u32::try_from(message.len()).ok()?;
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(message);
    }
    Some(bytes)
}

/// Splits a list of at most `limit` bytes into its messages.
///
/// # Errors
/// [`DecodeError`].
pub fn decode_list(bytes: &[u8], limit: usize) -> Result<Vec<&[u8]>, DecodeError> {
    let body = codec::open(bytes, LIST_KIND, 0, limit)?;
    let (mut fields, mut left) = (Fields::new(body), body.len());
    let mut messages = Vec::new();
    while left > 0 {
        let length = u32::from_be_bytes(*fields.array()?);
        let length = usize::try_from(length).map_err(|_| DecodeError::Malformed)?;
        messages.push(fields.take(length)?);
        left = left.saturating_sub(length.saturating_add(LENGTH_BYTES));
    }
    fields.finish()?;
    Ok(messages)
}

/// The number of bytes before each message of a list that encode the message's length.
const LENGTH_BYTES: usize = 4;

#[derive(Serialize, Deserialize)]
struct Changes {
    since: Version,
    changes: Vec<Version>,
}

impl Message for Changes {
    const KIND: u8 = 11;
    const SUITE: u16 = 0;
}

/// Encodes the versions in which a key changed as a message.
pub fn encode_history(history: Untrusted<KeyHistory>) -> Vec<u8> {
    let KeyHistory { since, changes } = history.into_unverified();
    codec::encode(&Changes { since, changes })
}

/// Decodes the versions in which a key changed, from a message of at most `limit` bytes.
///
/// # Errors
/// [`DecodeError`]; [`DecodeError::NonCanonical`] unless the versions ascend strictly and all are
/// later than `since`, the first version covered.
pub fn decode_history(bytes: &[u8], limit: usize) -> Result<Untrusted<KeyHistory>, DecodeError> {
    let Changes { since, changes } = codec::decode(bytes, limit)?;
    let ascend = changes.is_sorted_by(|before, after| before < after);
    if !ascend || changes.first().is_some_and(|first| *first <= since) {
        return Err(DecodeError::NonCanonical);
    }
    Ok(Untrusted::new(KeyHistory { since, changes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_what_it_was_made_of() {
        for list in [vec![], vec![&b""[..]], vec![&b"one"[..], b"", b"three"]] {
            let bytes = encode_list(list.iter().copied()).unwrap();
            assert_eq!(decode_list(&bytes, bytes.len()), Ok(list.clone()));
            for end in 0..bytes.len() {
                let cut = decode_list(bytes.get(..end).unwrap(), bytes.len());
                assert!(cut.is_err() || cut.is_ok_and(|read| read.len() < list.len()));
            }
            let longer = [&bytes[..], &[0]].concat();
            assert!(decode_list(&longer, longer.len()).is_err());
            assert!(decode_list(&bytes, bytes.len() - 1).is_err());
        }
        let huge = [codec::envelope(LIST_KIND, 0), vec![0xff; 4]].concat();
        assert_eq!(decode_list(&huge, 100), Err(DecodeError::Malformed));
    }

    #[test]
    fn histories_ascend() {
        let history = |since, changes: &[u64]| KeyHistory {
            since: Version::new(since),
            changes: changes.iter().copied().map(Version::new).collect(),
        };
        let good = history(3, &[4, 9]);
        let bytes = encode_history(Untrusted::new(good.clone()));
        let read = decode_history(&bytes, bytes.len()).unwrap();
        assert_eq!(read.into_unverified(), good);
        for bad in [history(3, &[3]), history(0, &[2, 2]), history(0, &[2, 1])] {
            let bytes = encode_history(Untrusted::new(bad));
            let refused = decode_history(&bytes, bytes.len()).map(Untrusted::into_unverified);
            assert_eq!(refused, Err(DecodeError::NonCanonical));
        }
    }
}
