//! Verification of inclusion and consistency proofs.

use pad_core::internals::merkle::{self, PathError};

use super::{Hash, TreeHead};

/// Error returned when a proof is invalid or cannot exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The tree has no entry at this index.
    #[error("entry {index} is out of range, the tree has {size} entries")]
    NoSuchEntry {
        /// The requested index, from 0.
        index: u64,
        /// The number of entries in the tree.
        size: u64,
    },
    /// The tree that should continue the older one is smaller.
    #[error("a tree of {new} entries is smaller than the older tree of {old}")]
    Shrunk {
        /// The size of the older tree.
        old: u64,
        /// The size of the tree that should continue it.
        new: u64,
    },
    /// The proof has fewer hashes than the sizes of the trees require.
    #[error("a proof has too few hashes")]
    TooShort,
    /// The proof has more hashes than the sizes of the trees require.
    #[error("a proof has too many hashes")]
    TooLong,
    /// The proof does not hash to the root of the tree.
    #[error("the proof does not match the root")]
    WrongRoot,
    /// The proof does not hash to the root of the older tree. The same error is returned if two
    /// trees of one size have different roots, or the root of an empty older tree is wrong.
    #[error("the proof does not match the root of the older tree")]
    WrongOldRoot,
}

impl From<PathError> for TreeError {
    fn from(error: PathError) -> Self {
        match error {
            PathError::TooShort => Self::TooShort,
            PathError::TooLong => Self::TooLong,
        }
    }
}

/// Verifies that the entry with hash `leaf` is at `index` in `tree` (RFC 9162, section 2.1.3.2).
///
/// # Errors
/// [`TreeError::NoSuchEntry`] if `index` is not below the size of `tree`. [`TreeError::TooShort`],
/// [`TreeError::TooLong`] or [`TreeError::WrongRoot`] if the proof is invalid.
pub fn verify_inclusion(
    index: u64,
    leaf: Hash,
    tree: &TreeHead,
    proof: &[Hash],
) -> Result<(), TreeError> {
    let size = tree.size;
    if index >= size {
        return Err(TreeError::NoSuchEntry { index, size });
    }
    if merkle::included(Hash::of_node, (index, size), leaf, proof)? != tree.root {
        return Err(TreeError::WrongRoot);
    }
    Ok(())
}

/// Verifies that `new` begins with all entries of `old` (RFC 9162, section 2.1.4.2).
///
/// The proof is empty if `old` is the empty tree or equals `new`.
///
/// # Errors
/// [`TreeError::Shrunk`] if `new` is smaller than `old`. [`TreeError::TooShort`],
/// [`TreeError::TooLong`], [`TreeError::WrongRoot`] or [`TreeError::WrongOldRoot`] if the proof is
/// invalid.
pub fn verify_consistency(old: &TreeHead, new: &TreeHead, proof: &[Hash]) -> Result<(), TreeError> {
    if old.size > new.size {
        let (old, new) = (old.size, new.size);
        return Err(TreeError::Shrunk { old, new });
    }
    if old.size == 0 && old.root != Hash::of_nothing() {
        return Err(TreeError::WrongOldRoot);
    }
    if old.size == 0 || old.size == new.size {
        return match proof {
            [] if old.size == new.size && old.root != new.root => Err(TreeError::WrongOldRoot),
            [] => Ok(()),
            _ => Err(TreeError::TooLong),
        };
    }
    let sizes = (old.size, new.size);
    let [older, newer] = merkle::consistent(Hash::of_node, sizes, old.root, proof)?;
    if older != old.root {
        return Err(TreeError::WrongOldRoot);
    }
    if newer != new.root {
        return Err(TreeError::WrongRoot);
    }
    Ok(())
}
