//! Which question goes to which leaf.

use alloc::{vec, vec::Vec};
use core::ops::Range;

use super::{AssignError, BlockQuestions, MAX_COUNT, Sample};
use crate::tag::{Challenged, Hit};

/// The place of a data leaf in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The index of its first byte in the file.
    pub start: u64,
    /// Its length in bytes.
    pub length: u64,
}

impl Leaf {
    /// The bytes of this leaf.
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

/// The challenged blocks: each of the `leaves` with the samples inside it.
///
/// `samples` come in the order of the challenge, `leaves` in the order of the file; the leaves are
/// exactly those that hold a sample, each once. The hits of a block rise by index, and hits of the same
/// byte keep the order of the challenge.
///
/// Safe on leaves that a server made up: whatever they are, the result holds each sample once, in the
/// block around it.
///
/// # Errors
/// [`AssignError`]: [`EmptyLeaf`](AssignError::EmptyLeaf), [`LeafTooLong`](AssignError::LeafTooLong),
/// [`LeavesOverlap`](AssignError::LeavesOverlap), [`Uncovered`](AssignError::Uncovered) and
/// [`Unasked`](AssignError::Unasked), whichever comes first in the file.
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
    /// The bytes whose blocks are asked for, at least one.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// The challenged blocks: every one of the `leaves`, which are all that overlap the range, in the
    /// order of the file.
    ///
    /// Leaf number q, from 0, gets one hit: its coefficient is a(q), its offset place(q, its length), so
    /// that schemes which look at single places do not look at a foreseeable one.
    ///
    /// # Errors
    /// [`AssignError`]: [`TooManyLeaves`](AssignError::TooManyLeaves), then
    /// [`EmptyLeaf`](AssignError::EmptyLeaf), [`LeafTooLong`](AssignError::LeafTooLong),
    /// [`LeavesOverlap`](AssignError::LeavesOverlap), [`Uncovered`](AssignError::Uncovered) (a gap
    /// between the leaves) and [`Unasked`](AssignError::Unasked) (a leaf outside the range), whichever
    /// comes first in the file.
    pub fn assign(&self, leaves: &[Leaf]) -> Result<Vec<Challenged>, AssignError> {
        if !u32::try_from(leaves.len()).is_ok_and(|count| count <= MAX_COUNT) {
            return Err(AssignError::TooManyLeaves {
                count: leaves.len(),
                limit: MAX_COUNT,
            });
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

    /// Where `leaf` ends, if it follows leaves that reach up to `reached`.
    fn follow(&self, leaf: &Leaf, reached: Option<u64>) -> Result<u64, AssignError> {
        let range = leaf.range()?;
        let start = leaf.start;
        if reached.is_some_and(|reached| start < reached) {
            return Err(AssignError::LeavesOverlap { start });
        }
        // The first leaf may begin in front of the range.
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
