//! The statements about tuples that an author signs.

use alloc::vec::Vec;

use pad_core::{Authority, DictionaryId, SchemeId, Suite, internals::Domain};

use crate::tuple::GenerationIndex;

/// The design and dictionary for which a signed statement is valid. A signature for one context
/// does not verify in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// The scheme id, which determines the design and its number of generations.
    pub scheme: SchemeId,
    /// The dictionary that the statement is about.
    pub dictionary: DictionaryId,
}

impl Context {
    /// Returns the context of the statements of this author, dictionary and design.
    pub const fn of(authority: &Authority) -> Self {
        Self {
            scheme: authority.scheme,
            dictionary: authority.dictionary,
        }
    }

    /// Encodes the context as suite (2) ‖ scheme (2) ‖ dictionary (16), big-endian.
    pub fn to_bytes<S: Suite>(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(20);
        bytes.extend_from_slice(&S::ID.0.to_be_bytes());
        bytes.extend_from_slice(&self.scheme.0.to_be_bytes());
        bytes.extend_from_slice(&self.dictionary.to_bytes());
        bytes
    }
}

/// Statement that a tuple was in a generation from the instant `since` to the instant `until` of
/// the generation's clock.
///
/// The clock of the youngest generation counts versions. The clock of an older generation counts
/// its epochs. The author can extend a statement with an `anchor` to `until + i`, by revealing the
/// hash chain's link `i` steps before the anchor.
///
/// Source: Crosby & Wallach 2010, sections 4.1 (version), 4.2 (superseding, lightweight
/// signatures).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TupleStatement<S: Suite> {
    /// The generation of the tuple, 0 for the youngest.
    pub generation: GenerationIndex,
    /// The first instant that the statement covers: the tuple's creation, or, with
    /// [`Plain`](crate::signed::Plain) signatures, `until`.
    pub since: u64,
    /// The last instant that the statement covers, at which it was signed.
    pub until: u64,
    /// The digest of the tuple.
    pub tuple: S::Digest,
    /// The end of the tuple's hash chain; `None` unless the signature is lightweight.
    pub anchor: Option<S::Digest>,
}

impl<S: Suite> TupleStatement<S> {
    /// Returns the bytes that the author signs, with integers in big-endian order.
    ///
    /// They are tag (32) ‖ suite (2) ‖ scheme (2) ‖ dictionary (16) ‖ generation (1) ‖ since (8) ‖
    /// until (8) ‖ tuple digest ‖ anchor. Only lightweight signatures have an anchor.
    pub fn signed_bytes(&self, context: Context) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(LONGEST_SIGNED);
        bytes.extend_from_slice(&Domain::TupleStatement.block::<32>());
        bytes.extend_from_slice(&context.to_bytes::<S>());
        bytes.push(self.generation);
        bytes.extend_from_slice(&self.since.to_be_bytes());
        bytes.extend_from_slice(&self.until.to_be_bytes());
        bytes.extend_from_slice(self.tuple.as_ref());
        if let Some(anchor) = &self.anchor {
            bytes.extend_from_slice(anchor.as_ref());
        }
        bytes
    }
}

/// The length in bytes of the longest signed message: with an anchor, and with digests of 32 bytes.
const LONGEST_SIGNED: usize = 69 + 2 * 32;

#[cfg(test)]
mod tests;
