//! Generation of proofs from the complete subtrees of a tree.

use core::ops::Range;

use pad_core::internals::merkle;

use super::{Hash, TreeError};

/// A source of the hashes of a tree's complete subtrees.
#[doc(hidden)]
pub trait Subtrees {
    /// The error of a failed lookup.
    type Error: core::error::Error;

    /// Returns the hash of the complete subtree over the `2^height` entries from `index << height`
    /// on. Callers request only subtrees within the tree.
    ///
    /// # Errors
    /// The errors of the implementation.
    fn subtree(&mut self, height: u8, index: u64) -> Result<Hash, Self::Error>;
}

/// Error returned when a proof cannot be generated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[doc(hidden)]
pub enum ProveError<E: core::error::Error> {
    /// No such proof exists: the entry is not in the tree, or the older tree is larger.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A subtree's hash cannot be read.
    #[error("a hash of the tree cannot be read")]
    Subtree(#[source] E),
}

/// Computes the root of the tree over the first `size` entries.
///
/// # Errors
/// [`ProveError::Subtree`] if a hash cannot be read.
pub fn root<S: Subtrees>(subtrees: &mut S, size: u64) -> Result<Hash, ProveError<S::Error>> {
    range_root(subtrees, 0..size)
}

/// Generates the path from an entry to the root of the tree over the first `size` entries (RFC
/// 6962, section 2.1.1).
///
/// Proof size: `O(log size)` hashes.
///
/// # Errors
/// [`ProveError::Tree`] with [`TreeError::NoSuchEntry`]; [`ProveError::Subtree`].
#[doc(hidden)]
pub fn prove_inclusion<S: Subtrees>(
    subtrees: &mut S,
    index: u64,
    size: u64,
) -> Result<Vec<Hash>, ProveError<S::Error>> {
    if index >= size {
        return Err(TreeError::NoSuchEntry { index, size }.into());
    }
    digests(subtrees, merkle::inclusion(index, size))
}

/// Generates a consistency proof from the first `old` to the first `new` entries (RFC 6962, section
/// 2.1.2).
///
/// Proof size: `O(log new)` hashes; no hashes if the older tree is empty or equal.
///
/// # Errors
/// [`ProveError::Tree`] with [`TreeError::Shrunk`]; [`ProveError::Subtree`].
#[doc(hidden)]
pub fn prove_consistency<S: Subtrees>(
    subtrees: &mut S,
    old: u64,
    new: u64,
) -> Result<Vec<Hash>, ProveError<S::Error>> {
    if old > new {
        return Err(TreeError::Shrunk { old, new }.into());
    }
    digests(subtrees, merkle::consistency(old, new))
}

fn digests<S: Subtrees>(
    subtrees: &mut S,
    ranges: Vec<Range<u64>>,
) -> Result<Vec<Hash>, ProveError<S::Error>> {
    let digests = ranges.into_iter().map(|range| range_root(subtrees, range));
    digests.collect()
}

fn range_root<S: Subtrees>(
    subtrees: &mut S,
    range: Range<u64>,
) -> Result<Hash, ProveError<S::Error>> {
    let root = merkle::root(Hash::of_node, range, |(height, index)| {
        let height = u8::try_from(height).unwrap_or(u8::MAX);
        subtrees.subtree(height, index).map_err(ProveError::Subtree)
    });
    Ok(root?.unwrap_or_else(Hash::of_nothing))
}
