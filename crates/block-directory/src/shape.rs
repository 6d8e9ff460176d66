//! The shape of the tree over all entries, and the walk over it.
//!
//! The tree has the shape of [`pad_core::merkle`], which follows from the number of entries only.
//! Paths there follow one leaf or one prefix; this walk follows any set of ids.
//!
//! Prover, verifier and light author share the walk ([`walk`]). Each implements its own
//! [`Visitor`].

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;
use core::ops::Range;

use pad_core::merkle;

/// A subtree: `size` entries from `start` on, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u64,
    pub(crate) size: u64,
}

impl Span {
    /// The halves; `None` for a single entry.
    fn halves(self) -> Option<[Self; 2]> {
        let halves = merkle::split(&(self.start..self.start.checked_add(self.size)?))?;
        Some(halves.map(|Range { start, end }| Self {
            start,
            size: end.saturating_sub(start),
        }))
    }
}

/// The requested ids in a subtree, all of them registered.
#[derive(Clone, Debug)]
pub(crate) enum RequestedIds<'a> {
    /// In strictly ascending order.
    Ids(&'a [u64]),
    /// A half-open range.
    Range(Range<u64>),
}

impl RequestedIds<'_> {
    fn is_empty(&self) -> bool {
        match self {
            Self::Ids(ids) => ids.is_empty(),
            Self::Range(range) => range.is_empty(),
        }
    }

    /// The number of ids.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Ids(ids) => u64::try_from(ids.len()).unwrap_or(u64::MAX),
            Self::Range(range) => range.end.saturating_sub(range.start),
        }
    }

    /// Splits into the ids below `middle`, and the others.
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

/// Callbacks of the walk.
pub(crate) trait Visitor {
    /// Result for a subtree: a digest, or nothing.
    type Digest;
    /// Reason to end the walk early.
    type Error;

    /// Visits a subtree without requested ids.
    fn elided(&mut self, span: Span) -> Result<Self::Digest, Self::Error>;

    /// Visits a requested entry.
    fn entry(&mut self, id: u64) -> Result<Self::Digest, Self::Error>;

    /// Visits a subtree whose halves are known.
    fn joined(&mut self, span: Span, left: Self::Digest, right: Self::Digest) -> Self::Digest;
}

/// A node above the present one, with the state of its other half.
enum Above<'a, D> {
    /// Both halves have ids. The left one is being walked; this is the right one.
    Waits(Span, RequestedIds<'a>),
    /// The left half is known.
    Left(D),
    /// The right half is known.
    Right(D),
}

/// Walks the tree over `entries` entries, at least one, from the top into the halves that have ids.
///
/// Elided subtrees are visited in pre-order of their parents: a right one before the walk into the
/// left half. A whole tree without ids is one elided subtree.
///
/// Memory: one frame for each level. The number of levels is the number of bits of `entries`.
pub(crate) fn walk<V: Visitor>(
    entries: u64,
    asked: RequestedIds<'_>,
    visitor: &mut V,
) -> Result<V::Digest, V::Error> {
    let mut above: Vec<(Span, Above<'_, V::Digest>)> = Vec::new();
    let (mut span, mut asked) = (
        Span {
            start: 0,
            size: entries,
        },
        asked,
    );
    loop {
        let mut digest = descend(span, asked, visitor, &mut above)?;
        loop {
            match above.pop() {
                None => return Ok(digest),
                Some((whole, Above::Left(left))) => digest = visitor.joined(whole, left, digest),
                Some((whole, Above::Right(right))) => {
                    digest = visitor.joined(whole, digest, right);
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

/// Descends to the leftmost requested entry.
fn descend<'a, V: Visitor>(
    mut span: Span,
    mut asked: RequestedIds<'a>,
    visitor: &mut V,
    above: &mut Vec<(Span, Above<'a, V::Digest>)>,
) -> Result<V::Digest, V::Error> {
    loop {
        if asked.is_empty() {
            return visitor.elided(span);
        }
        let Some([left, right]) = span.halves() else {
            return visitor.entry(span.start);
        };
        let (on_the_left, on_the_right) = asked.split(right.start);
        if on_the_left.is_empty() {
            above.push((span, Above::Left(visitor.elided(left)?)));
            (span, asked) = (right, on_the_right);
        } else {
            let other = if on_the_right.is_empty() {
                Above::Right(visitor.elided(right)?)
            } else {
                Above::Waits(right, on_the_right)
            };
            above.push((span, other));
            (span, asked) = (left, on_the_left);
        }
    }
}

/// Whether the subtree of height `height` around entry `id` is complete in a tree of `entries`
/// entries. It then changes only with its entries.
pub(crate) fn is_closed(id: u64, height: u32, entries: u64) -> bool {
    let next = id
        .checked_shr(height)
        .and_then(|index| index.checked_add(1));
    let end = next.and_then(|next| 1_u64.checked_shl(height)?.checked_mul(next));
    end.is_some_and(|end| end <= entries)
}
