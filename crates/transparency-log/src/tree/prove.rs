//! Proofs, from the complete subtrees of a tree.

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
    range_root(subtrees, 0, size)
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
    let (mut start, mut end) = (0, size);
    let mut path = Vec::new();
    while let Some(middle) = split(start, end) {
        if index < middle {
            path.push(range_root(subtrees, middle, end)?);
            end = middle;
        } else {
            path.push(range_root(subtrees, start, middle)?);
            start = middle;
        }
    }
    path.reverse();
    Ok(path)
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
    if old == 0 {
        return Ok(Vec::new());
    }
    let (mut start, mut end) = (0, new);
    let mut path = Vec::new();
    while end != old {
        let Some(middle) = split(start, end) else {
            break;
        };
        if old <= middle {
            path.push(range_root(subtrees, middle, end)?);
            end = middle;
        } else {
            path.push(range_root(subtrees, start, middle)?);
            start = middle;
        }
    }
    // Whoever verifies has the root of the older tree already.
    if start != 0 {
        path.push(range_root(subtrees, start, end)?);
    }
    path.reverse();
    Ok(path)
}

/// Where a tree over a range is split: at the largest power of two below its size. `None` for one entry.
fn split(start: u64, end: u64) -> Option<u64> {
    let last = end.checked_sub(start)?.checked_sub(1)?;
    start.checked_add(1_u64.checked_shl(last.checked_ilog2()?)?)
}

/// The root over a range that begins where a subtree of its height does.
fn range_root<S: Subtrees>(
    subtrees: &mut S,
    mut start: u64,
    end: u64,
) -> Result<Hash, ProveError<S::Error>> {
    let mut complete = Vec::new();
    while let Some(height) = end.saturating_sub(start).checked_ilog2() {
        let index = start.checked_shr(height).unwrap_or_default();
        let height = u8::try_from(height).unwrap_or(u8::MAX);
        complete.push(
            subtrees
                .subtree(height, index)
                .map_err(ProveError::Subtree)?,
        );
        start = start.saturating_add(1_u64.checked_shl(height.into()).unwrap_or(u64::MAX));
    }
    let folded = complete
        .into_iter()
        .rev()
        .reduce(|right, left| Hash::of_node(&left, &right));
    Ok(folded.unwrap_or_else(Hash::of_nothing))
}
