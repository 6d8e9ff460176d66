//! Proofs, from the complete subtrees of a tree.

use core::ops::Range;

use pad_core::merkle;

use super::{Hash, TreeError};

/// Whatever knows the complete subtrees of a tree, at least up to some size.
pub trait Subtrees {
    /// Why a hash cannot be had.
    type Error: core::error::Error;

    /// The hash of the complete subtree of this height over the entries from `index << height` on. Only subtrees
    /// within the tree are asked for.
    ///
    /// # Errors
    /// The implementation's.
    fn subtree(&mut self, height: u8, index: u64) -> Result<Hash, Self::Error>;
}

impl<S: Subtrees> Subtrees for &mut S {
    type Error = S::Error;

    fn subtree(&mut self, height: u8, index: u64) -> Result<Hash, S::Error> {
        (**self).subtree(height, index)
    }
}

/// A proof cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError<E: core::error::Error> {
    /// There is no such proof: the entry is not in the tree, or the older tree is larger.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A hash cannot be had.
    #[error("a hash of the tree cannot be had")]
    Subtree(#[source] E),
}

/// The root of the tree over the first entries.
///
/// # Errors
/// [`ProveError::Subtree`].
pub fn root<S: Subtrees>(subtrees: &mut S, size: u64) -> Result<Hash, ProveError<S::Error>> {
    range_root(subtrees, 0..size)
}

/// The path from an entry to the root of the tree over the first `size` entries (RFC 6962, section 2.1.1), in
/// `O(log size)` hashes.
///
/// # Errors
/// [`ProveError::Tree`] with [`TreeError::NoSuchEntry`]; [`ProveError::Subtree`].
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

/// That the tree over the first `new` entries continues the one over the first `old` (RFC 6962, section 2.1.2), in
/// `O(log new)` hashes. None are needed if the older tree has no entries or is the same.
///
/// # Errors
/// [`ProveError::Tree`] with [`TreeError::Shrunk`]; [`ProveError::Subtree`].
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
