//! The Merkle tree of RFC 6962, section 2.1, with SHA-256.
//!
//! The hash of an entry is `SHA-256(00 ‖ entry)`, the hash of a node `SHA-256(01 ‖ left ‖ right)`.
//! A tree of `n > 1` entries is split at the largest power of two below `n`.
//!
//! * [`verify_inclusion`] and [`verify_consistency`]: verification by RFC 9162, sections 2.1.3.2
//!   and 2.1.4.2.
//! * [`prove_inclusion`], [`prove_consistency`] and [`root`]: proofs and roots from any source of
//!   complete [`Subtrees`].
//! * [`Edge`]: the state for appending and for the root, logarithmic in the number of entries.

use core::fmt;

use sha2::{Digest, Sha256};

use crate::lines::{base64, bytes};

mod edge;
mod prove;
mod verify;

pub use edge::Edge;
pub(crate) use edge::{LEVELS, complete_at, root_of, width};
pub use prove::{ProveError, Subtrees, prove_consistency, prove_inclusion, root};
pub use verify::{TreeError, verify_consistency, verify_inclusion};

/// The hash of an entry or a subtree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; HASH_LENGTH]);

/// Length of a hash in bytes.
#[doc(hidden)]
pub const HASH_LENGTH: usize = 32;

/// Length of a hash in base64 digits.
const HASH_DIGITS: usize = 44;

/// Maximum number of hashes in a proof: one per level of a tree with fewer than 2^64 entries, and
/// one more for consistency. A request to a witness contains at most 63.
#[doc(hidden)]
pub const MOST_HASHES: usize = 65;

impl Hash {
    /// Creates a hash from its bytes.
    pub const fn from_bytes(bytes: [u8; HASH_LENGTH]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; HASH_LENGTH] {
        &self.0
    }

    /// Decodes a hash from base64.
    pub(crate) fn from_base64(text: &str) -> Option<Self> {
        // Rejects texts of other lengths without decoding them.
        if text.len() != HASH_DIGITS {
            return None;
        }
        Some(Self(bytes(text)?.try_into().ok()?))
    }

    /// Returns the root of the empty tree: the hash of the empty string.
    pub fn of_nothing() -> Self {
        Self(Sha256::digest([]).into())
    }

    /// Hashes an entry.
    pub fn of_leaf(entry: &[u8]) -> Self {
        Self(
            Sha256::new()
                .chain_update([0])
                .chain_update(entry)
                .finalize()
                .into(),
        )
    }

    /// Hashes a node from its two subtrees.
    #[must_use]
    pub fn of_node(left: &Self, right: &Self) -> Self {
        let hasher = Sha256::new().chain_update([1]);
        Self(
            hasher
                .chain_update(left.0)
                .chain_update(right.0)
                .finalize()
                .into(),
        )
    }
}

/// Base64, as in checkpoints and proofs.
impl fmt::Display for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&base64(&self.0))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Hash({self})")
    }
}

/// The size of a log and its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeHead {
    /// The number of entries.
    pub size: u64,
    /// The root of the tree over the entries.
    pub root: Hash,
}

impl TreeHead {
    /// Returns the head of the empty log.
    pub fn empty() -> Self {
        Self {
            size: 0,
            root: Hash::of_nothing(),
        }
    }
}
