//! The shape of the tree over all entries, and the walk over it.
//!
//! The tree has the shape of [`pad_core::internals::merkle`], which follows from the number of
//! entries only. The paths in that module lead to one leaf or one prefix. The walk of this module
//! leads to any set of ids.
//!
//! Prover, verifier and light author share the walk ([`walk`]). Each implements its own
//! [`Visitor`].

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;
use core::ops::Range;

use pad_core::internals::merkle;

/// The requested ids in a subtree, all of them registered.
#[derive(Clone, Debug)]
pub(crate) enum RequestedIds<'a> {
    /// Single ids, in strictly ascending order.
    Ids(&'a [u64]),
    /// All ids of a half-open range.
    Range(Range<u64>),
}

impl RequestedIds<'_> {
    fn is_empty(&self) -> bool {
        match self {
            Self::Ids(ids) => ids.is_empty(),
            Self::Range(range) => range.is_empty(),
        }
    }

    /// Returns the number of requested ids.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Ids(ids) => u64::try_from(ids.len()).unwrap_or(u64::MAX),
            Self::Range(range) => range.end.saturating_sub(range.start),
        }
    }

    /// Splits the ids into those below `middle`, and the others.
    fn split(self, middle: u64) -> (Self, Self) {
        match self {
            Self::Ids(ids) => {
                let below = ids.partition_point(|id| *id < middle);
                let (left, right) = ids.split_at_checked(below).unwrap_or((ids, &[]));
                (Self::Ids(left), Self::Ids(right))
            }
            Self::Range(Range { start, end }) => {
                let cut = middle.clamp(start, end.max(start));
                (Self::Range(start..cut), Self::Range(cut..end))
            }
        }
    }
}

/// Callbacks of the [`walk`] over the tree. A subtree is given by the ids of its entries, at least
/// one.
pub(crate) trait Visitor {
    /// The result of visiting a subtree: a digest, or nothing.
    type Digest;
    /// The reason to end the walk early.
    type Error;

    /// Visits a subtree that contains no requested ids.
    fn elided(&mut self, span: &Range<u64>) -> Result<Self::Digest, Self::Error>;

    /// Visits a requested entry, a leaf of the tree.
    fn entry(&mut self, id: u64) -> Result<Self::Digest, Self::Error>;

    /// Visits a subtree after its halves. `left` and `right` are their results.
    fn joined(
        &mut self,
        span: &Range<u64>,
        left: Self::Digest,
        right: Self::Digest,
    ) -> Self::Digest;
}

/// A node on the path above the present node, with the state of its other half.
enum Above<'a, D> {
    /// The walk is in the left half. The right half, given here, contains requested ids and is
    /// walked later.
    Waits(Range<u64>, RequestedIds<'a>),
    /// The walk is in the right half. The result of the left half is known.
    Left(D),
    /// The walk is in the left half. The result of the right half is known.
    Right(D),
}

/// Walks the tree over `entries` entries, at least one, from the top. Descends only into subtrees
/// that contain requested ids, and calls `visitor` for each subtree and entry. Returns the result
/// of the top.
///
/// Subtrees without requested ids are visited in pre-order of their parents: such a right half is
/// visited before the walk into the left half. A whole tree without requested ids is visited as one
/// such subtree.
///
/// Memory: one frame for each level. The number of levels is the number of bits of `entries`.
pub(crate) fn walk<V: Visitor>(
    entries: u64,
    asked: RequestedIds<'_>,
    visitor: &mut V,
) -> Result<V::Digest, V::Error> {
    let mut above: Vec<(Range<u64>, Above<'_, V::Digest>)> = Vec::new();
    let (mut span, mut asked) = (0..entries, asked);
    loop {
        let mut digest = descend(span, asked, visitor, &mut above)?;
        loop {
            match above.pop() {
                None => return Ok(digest),
                Some((whole, Above::Left(left))) => digest = visitor.joined(&whole, left, digest),
                Some((whole, Above::Right(right))) => {
                    digest = visitor.joined(&whole, digest, right);
                }
                Some((whole, Above::Waits(right, ids))) => {
                    above.push((whole, Above::Left(digest)));
                    (span, asked) = (right, ids);
                    break;
                }
            }
        }
    }
}

/// Descends from the subtree `span` to its leftmost requested entry. Visits the subtrees without
/// requested ids on the way.
fn descend<'a, V: Visitor>(
    mut span: Range<u64>,
    mut asked: RequestedIds<'a>,
    visitor: &mut V,
    above: &mut Vec<(Range<u64>, Above<'a, V::Digest>)>,
) -> Result<V::Digest, V::Error> {
    loop {
        if asked.is_empty() {
            return visitor.elided(&span);
        }
        let Some([left, right]) = merkle::split(&span) else {
            return visitor.entry(span.start);
        };
        let (on_the_left, on_the_right) = asked.split(right.start);
        if on_the_left.is_empty() {
            above.push((span, Above::Left(visitor.elided(&left)?)));
            (span, asked) = (right, on_the_right);
        } else {
            let other = if on_the_right.is_empty() {
                Above::Right(visitor.elided(&right)?)
            } else {
                Above::Waits(right, on_the_right)
            };
            above.push((span, other));
            (span, asked) = (left, on_the_left);
        }
    }
}

/// Returns whether the subtree of this `height` around the entry `id` is complete in a tree of
/// `entries` entries. Its digest then changes only with its entries.
pub(crate) fn is_closed(id: u64, height: u32, entries: u64) -> bool {
    let next = id
        .checked_shr(height)
        .and_then(|index| index.checked_add(1));
    let end = next.and_then(|next| 1_u64.checked_shl(height)?.checked_mul(next));
    end.is_some_and(|end| end <= entries)
}
