//! The Merkle tree of RFC 9162, section 2.1, for any hash of nodes ([`TreeHash`]).
//!
//! A tree over `n > 1` leaves is split at the largest power of two below `n`. The history log, C2SP
//! logs and directories have this shape. Each of these formats hashes leaves and nodes under its
//! own tags.
//!
//! * Verifiers: [`included`], [`consistent`] and [`continued`] return the roots that a path hashes
//!   to.
//! * Provers: [`inclusion`] and [`consistency`] list the ranges of leaves whose digests form a
//!   proof. [`root`] computes such a digest.
//! * Authors: [`append`] and [`join`] work on the digests of complete subtrees.

use alloc::vec::Vec;
use core::ops::Range;

/// The hash of an inner node from the digests of its two children, as a format defines it. Each
/// format hashes its own leaves.
pub trait TreeHash<D>: Fn(&D, &D) -> D + Copy {}

impl<D, H: Fn(&D, &D) -> D + Copy> TreeHash<D> for H {}

/// Error returned when the number of digests in a path does not match the tree's sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The path has fewer digests than the tree's sizes require.
    #[error("a path has too few digests")]
    TooShort,
    /// The path has more digests than the tree's sizes require.
    #[error("a path has too many digests")]
    TooLong,
}

/// Computes the root of a tree of `size` leaves from the leaf with index `index` and its path of
/// sibling digests, from the leaf up (RFC 9162, section 2.1.3.2).
///
/// `index` is below `size`.
///
/// # Errors
/// [`PathError`] if the path has the wrong length.
pub fn included<'p, D: Copy + 'p>(
    hash: impl TreeHash<D>,
    (index, size): (u64, u64),
    leaf: D,
    path: impl IntoIterator<Item = &'p D>,
) -> Result<D, PathError> {
    let [whole] = climb(hash, (index, size.saturating_sub(1)), [leaf], path)?;
    Ok(whole)
}

/// Computes two roots from a consistency proof: over the first `old` leaves, and over all `new`
/// leaves. The caller compares them with the known roots.
///
/// `old` is at least 1 and below `new`. Source: RFC 9162, section 2.1.4.2.
///
/// # Errors
/// [`PathError`] if the path has the wrong length.
pub fn consistent<D: Copy>(
    hash: impl TreeHash<D>,
    (old, new): (u64, u64),
    old_root: D,
    proof: &[D],
) -> Result<[D; 2], PathError> {
    if old.is_power_of_two() {
        return continued(hash, (old, new), old_root, proof);
    }
    let (start, path) = proof.split_first().ok_or(PathError::TooShort)?;
    continued(hash, (old, new), *start, path)
}

/// Like [`consistent`], but the digest `start` is given and not part of the path.
///
/// `start` is the digest of the largest complete subtree whose last leaf is leaf `old - 1`.
///
/// # Errors
/// [`PathError`] if the path has the wrong length.
pub fn continued<D: Copy>(
    hash: impl TreeHash<D>,
    (old, new): (u64, u64),
    start: D,
    path: &[D],
) -> Result<[D; 2], PathError> {
    let (position, last) = (old.saturating_sub(1), new.saturating_sub(1));
    let level = position.trailing_ones();
    let place = (position.unbounded_shr(level), last.unbounded_shr(level));
    climb(hash, place, [start; 2], path)
}

/// Hashes a node's digest with the sibling digests in `path`, up to the root.
///
/// `digests` are copies of the node's digest. The last one becomes the digest of the whole tree.
/// The others become the digest of the tree that ends with this node. `position` and `last` are the
/// indices of this node and of the last node on their level.
fn climb<'p, D: Copy + 'p, const N: usize>(
    hash: impl TreeHash<D>,
    (mut position, mut last): (u64, u64),
    mut digests: [D; N],
    path: impl IntoIterator<Item = &'p D>,
) -> Result<[D; N], PathError> {
    for sibling in path {
        if last == 0 {
            return Err(PathError::TooLong);
        }
        if position & 1 == 1 || position == last {
            digests = digests.map(|digest| hash(sibling, &digest));
            // The rightmost node is its own parent on levels where it has no sibling.
            let unpaired = position.trailing_zeros();
            position = position.unbounded_shr(unpaired);
            last = last.unbounded_shr(unpaired);
        } else if let Some(whole) = digests.last_mut() {
            *whole = hash(whole, sibling);
        }
        position >>= 1;
        last >>= 1;
    }
    (last == 0).then_some(digests).ok_or(PathError::TooShort)
}

/// Returns the ranges of leaves whose digests prove that leaf `index` belongs to a tree of `size`
/// leaves, in order from the leaf up.
///
/// `index` is below `size`. Source: RFC 9162, section 2.1.3.1.
pub fn inclusion(index: u64, size: u64) -> Vec<Range<u64>> {
    let (mut path, _) = descend(size, index, |_| false);
    path.reverse();
    path
}

/// Returns the ranges of leaves whose digests prove that a tree of `new` leaves extends the tree of
/// its first `old` leaves.
///
/// `old` is at most `new`. The list is empty if `old` is 0 or `new`. Source: RFC 9162, section
/// 2.1.4.1.
pub fn consistency(old: u64, new: u64) -> Vec<Range<u64>> {
    let Some(index) = old.checked_sub(1) else {
        return Vec::new();
    };
    let (mut path, reached) = descend(new, index, |range| range.end == old);
    // The verifier knows the root of the older tree.
    if reached.start > 0 {
        path.push(reached);
    }
    path.reverse();
    path
}

/// Descends from the root of a tree of `size` leaves towards leaf `index`, until `arrived` holds or
/// the leaf is reached. Returns the leaf ranges of the siblings passed, top first, and the range
/// reached.
fn descend(
    size: u64,
    index: u64,
    arrived: impl Fn(&Range<u64>) -> bool,
) -> (Vec<Range<u64>>, Range<u64>) {
    let (mut path, mut range) = (Vec::new(), 0..size);
    while !arrived(&range)
        && let Some([left, right]) = split(&range)
    {
        let (next, sibling) = if index < left.end {
            (left, right)
        } else {
            (right, left)
        };
        path.push(sibling);
        range = next;
    }
    (path, range)
}

/// Splits the leaves of a subtree into those of its left and right child. The number of leaves on
/// the left is the largest power of two below the length of `range`. `None` for fewer than two
/// leaves.
pub fn split(range: &Range<u64>) -> Option<[Range<u64>; 2]> {
    let last = range.end.checked_sub(range.start)?.checked_sub(1)?;
    let left = 1_u64.checked_shl(last.checked_ilog2()?)?;
    let middle = range.start.checked_add(left)?;
    Some([range.start..middle, middle..range.end])
}

/// Splits a range of leaves into complete subtrees. Returns the height and index of each, the
/// largest first.
///
/// The index counts subtrees of this height from the start of the tree. The start of `range` must
/// be a multiple of the size of the largest subtree.
pub fn complete(range: Range<u64>) -> impl DoubleEndedIterator<Item = (u32, u64)> {
    let size = range.end.saturating_sub(range.start);
    let heights = (0..u64::BITS).rev();
    let heights = heights.filter(move |height| size.unbounded_shr(*height) & 1 == 1);
    heights.map(move |height| {
        let before = size & u64::MAX.unbounded_shl(height).unbounded_shl(1);
        let start = range.start.saturating_add(before);
        (height, start.unbounded_shr(height))
    })
}

/// The digest of a range of leaves, computed from the digests of its complete subtrees. `None` for
/// no leaves.
///
/// `subtree` returns the digest of a complete subtree with the given height and index.
///
/// # Errors
/// The error of `subtree`.
pub fn root<D: Copy, E>(
    hash: impl TreeHash<D>,
    range: Range<u64>,
    subtree: impl FnMut((u32, u64)) -> Result<D, E>,
) -> Result<Option<D>, E> {
    let digests: Result<Vec<D>, E> = complete(range).map(subtree).collect();
    Ok(join(hash, &digests?))
}

/// Computes the root of a tree from `peaks`, the digests of its complete subtrees, the largest
/// first. `None` if `peaks` is empty.
pub fn join<D: Copy>(hash: impl TreeHash<D>, peaks: &[D]) -> Option<D> {
    let peaks = peaks.iter().rev().copied();
    peaks.reduce(|right, left| hash(&left, &right))
}

/// Appends a leaf, given by its digest, to a tree of `size` leaves.
///
/// `peaks` contains the digests of the tree's complete subtrees, the largest first.
///
/// Time: one hash for each trailing one bit of `size`.
pub fn append<D>(hash: impl TreeHash<D>, peaks: &mut Vec<D>, size: u64, leaf: D) {
    let mut digest = leaf;
    for _ in 0..size.trailing_ones() {
        if let Some(left) = peaks.pop() {
            digest = hash(&left, &digest);
        }
    }
    peaks.push(digest);
}
