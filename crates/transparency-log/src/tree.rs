//! The Merkle tree of RFC 6962, section 2.1, with SHA-256.
//!
//! The hash of an entry is `SHA-256(00 ‖ entry)`, that of two subtrees `SHA-256(01 ‖ left ‖ right)`. A tree of `n > 1`
//! entries is split at the largest power of two below `n`.
//!
//! * [`verify_inclusion`] and [`verify_consistency`]: the checks of RFC 9162, sections 2.1.3.2 and 2.1.4.2.
//! * [`prove_inclusion`], [`prove_consistency`] and [`root`]: from whatever knows the complete [`Subtrees`].
//! * [`Edge`]: what it takes to append, and to compute the root: a logarithm of the entries.

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

/// A hash of an entry or a subtree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; HASH_LENGTH]);

/// The bytes of a hash.
pub const HASH_LENGTH: usize = 32;

/// The same in base 64.
const HASH_DIGITS: usize = 44;

/// The most hashes of a proof: one for each level of a tree with fewer than 2^64 entries, and one more for
/// consistency. A request to a witness has at most 63.
pub const MOST_HASHES: usize = 65;

impl Hash {
    /// The hash with these bytes.
    pub const fn from_bytes(bytes: [u8; HASH_LENGTH]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; HASH_LENGTH] {
        &self.0
    }

    /// The hash with these bytes in base 64.
    pub(crate) fn from_base64(text: &str) -> Option<Self> {
        // Longer texts need not be decoded.
        if text.len() != HASH_DIGITS {
            return None;
        }
        Some(Self(bytes(text)?.try_into().ok()?))
    }

    /// The root of the tree without entries: the hash of nothing.
    pub fn of_nothing() -> Self {
        Self(Sha256::digest([]).into())
    }

    /// The hash of an entry.
    pub fn of_leaf(entry: &[u8]) -> Self {
        Self(
            Sha256::new()
                .chain_update([0])
                .chain_update(entry)
                .finalize()
                .into(),
        )
    }

    /// The hash of two subtrees.
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

/// In base 64, as checkpoints and proofs have it.
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

/// How large a log is, and its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeHead {
    /// The number of entries.
    pub size: u64,
    /// The root of the tree over them.
    pub root: Hash,
}

impl TreeHead {
    /// The head of the log without entries.
    pub fn empty() -> Self {
        Self {
            size: 0,
            root: Hash::of_nothing(),
        }
    }
}
