//! Assignment of challenged bytes (samples) to the blocks (leaves) that contain them.

use alloc::{vec, vec::Vec};
use core::ops::Range;

use super::{AssignError, BlockQuestions, MAX_COUNT, Sample};
use crate::tag::{Challenged, Hit};

/// The position of a block in the file. Each block is a leaf of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The index in the file of the block's first byte.
    pub start: u64,
    /// The length of the block in bytes.
    pub length: u64,
}

impl Leaf {
    /// The range of the file that the block covers.
    fn range(&self) -> Result<Range<u64>, AssignError> {
        let start = self.start;
        if self.length == 0 {
            return Err(AssignError::EmptyLeaf { start });
        }
        let end = start
            .checked_add(self.length)
            .ok_or(AssignError::LeafTooLong { start })?;
        Ok(start..end)
    }
}

/// Returns the challenged blocks: each of the `leaves` with the samples inside it.
///
/// `samples` are in the order of the challenge, `leaves` in file order. Each leaf must contain a
/// sample and occur once, and each sample must be in a leaf. The hits of a block are its samples,
/// sorted by index; hits of the same byte keep the order of the challenge.
///
/// The leaves may come from an attacker. Every result contains each sample exactly once, in the
/// block that contains the sampled byte.
///
/// # Errors
/// [`AssignError`] if the leaves do not answer the challenge:
/// [`EmptyLeaf`](AssignError::EmptyLeaf), [`LeafTooLong`](AssignError::LeafTooLong),
/// [`LeavesOverlap`](AssignError::LeavesOverlap), [`Uncovered`](AssignError::Uncovered) (a sample
/// in no leaf) or [`Unasked`](AssignError::Unasked) (a leaf without a sample). Leaves are checked
/// in order, and the first error is returned.
pub fn assign(samples: &[Sample], leaves: &[Leaf]) -> Result<Vec<Challenged>, AssignError> {
    let mut sorted = samples.to_vec();
    // Stable: equal indices keep the order of the challenge.
    sorted.sort_by_key(|sample| sample.index);
    let mut waiting = sorted.into_iter().peekable();
    let mut blocks: Vec<Challenged> = Vec::new();
    let mut reached = 0;
    for leaf in leaves {
        let range = leaf.range()?;
        if range.start < reached {
            return Err(AssignError::LeavesOverlap { start: leaf.start });
        }
        reached = range.end;
        let mut hits = Vec::new();
        while let Some(sample) = waiting.next_if(|sample| sample.index < range.end) {
            let offset = sample
                .index
                .checked_sub(range.start)
                .ok_or(AssignError::Uncovered {
                    index: sample.index,
                })?;
            hits.push(Hit {
                offset,
                coefficient: sample.coefficient,
            });
        }
        if hits.is_empty() {
            return Err(AssignError::Unasked { start: leaf.start });
        }
        blocks.push(Challenged {
            start: leaf.start,
            length: leaf.length,
            hits,
        });
    }
    match waiting.next() {
        None => Ok(blocks),
        Some(Sample { index, .. }) => Err(AssignError::Uncovered { index }),
    }
}

impl BlockQuestions {
    /// The challenged range of bytes, which is not empty.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Returns the challenged blocks, one for each of the `leaves`. These must be all leaves that
    /// overlap the range, in file order.
    ///
    /// Leaf number q, counted from 0, gets one hit. The hit has the coefficient `a(q)` and the
    /// offset `place(q, length of the leaf)`, as defined in [`crate::challenge`]. Schemes that open
    /// single positions thus open unpredictable positions.
    ///
    /// # Errors
    /// [`AssignError`] if the leaves do not answer the challenge:
    /// [`TooManyLeaves`](AssignError::TooManyLeaves), then [`EmptyLeaf`](AssignError::EmptyLeaf),
    /// [`LeafTooLong`](AssignError::LeafTooLong), [`LeavesOverlap`](AssignError::LeavesOverlap),
    /// [`Uncovered`](AssignError::Uncovered) (a part of the range without a leaf) and
    /// [`Unasked`](AssignError::Unasked) (a leaf outside the range). Leaves are checked in order,
    /// and the first error is returned.
    pub fn assign(&self, leaves: &[Leaf]) -> Result<Vec<Challenged>, AssignError> {
        let (count, limit) = (leaves.len(), MAX_COUNT);
        if !u32::try_from(count).is_ok_and(|count| count <= limit) {
            return Err(AssignError::TooManyLeaves { count, limit });
        }
        let mut blocks = Vec::with_capacity(leaves.len());
        let mut reached = None;
        for (number, leaf) in (0_u64..).zip(leaves) {
            reached = Some(self.follow(leaf, reached)?);
            blocks.push(Challenged {
                start: leaf.start,
                length: leaf.length,
                hits: vec![Hit {
                    offset: self.derivation.place(number, leaf.length),
                    coefficient: self.derivation.coefficient(number),
                }],
            });
        }
        match reached.unwrap_or(self.range.start) {
            index if index < self.range.end => Err(AssignError::Uncovered { index }),
            _ => Ok(blocks),
        }
    }

    /// Checks that `leaf` directly follows leaves that end at `reached`, and overlaps the range.
    /// Without earlier leaves, it must contain the first byte of the range. Returns the end of
    /// `leaf`.
    fn follow(&self, leaf: &Leaf, reached: Option<u64>) -> Result<u64, AssignError> {
        let range = leaf.range()?;
        let start = leaf.start;
        if reached.is_some_and(|reached| start < reached) {
            return Err(AssignError::LeavesOverlap { start });
        }
        // The first leaf may begin before the range.
        let index = reached.unwrap_or(self.range.start);
        if index < self.range.end && start > index {
            return Err(AssignError::Uncovered { index });
        }
        if range.end <= self.range.start || start >= self.range.end {
            return Err(AssignError::Unasked { start });
        }
        Ok(range.end)
    }
}

#[cfg(test)]
mod tests;
