//! Finds the operations that replace some old blocks of a file by new blocks.

use core::hash::Hash;
use std::collections::HashMap;

use super::{BlockEdit, length};

/// A block of the file before a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldBlock<C> {
    /// The length of the block in bytes.
    pub length: u64,
    /// Identifies the contents of the block: the bytes, or a collision-resistant digest of them.
    pub content: C,
}

/// A block of the new file: its bytes, or a reference to them.
pub(crate) trait NewBlock: Clone {
    /// The length of the block in bytes.
    fn length(&self) -> u64;
}

impl NewBlock for &[u8] {
    fn length(&self) -> u64 {
        length(self)
    }
}

/// Collects operations on the blocks of a file, from its start to its end.
#[derive(Debug)]
pub(crate) struct Exchange<B> {
    operations: Vec<BlockEdit<B>>,
    /// The index up to which the file is processed, in the file as the collected operations change
    /// it.
    position: u64,
}

impl<B: NewBlock> Exchange<B> {
    pub(crate) fn new() -> Self {
        Self {
            operations: Vec::new(),
            position: 0,
        }
    }

    pub(crate) fn into_operations(self) -> Vec<BlockEdit<B>> {
        self.operations
    }

    /// Leaves the next `bytes` bytes of the file unchanged.
    pub(crate) fn skip(&mut self, bytes: u64) {
        self.position = self.position.saturating_add(bytes);
    }

    /// Replaces the next blocks of the file, which are `old`, by the blocks `new`. Each entry of
    /// `new` contains the identifier of the contents (as in [`OldBlock::content`]), and the block.
    ///
    /// Blocks to keep are found as in a patience diff. First, the longest common subsequence of the
    /// contents that occur exactly once in `old` and in `new` is matched. Between the matched
    /// blocks, equal blocks at the front and at the back are matched, and the others are paired one
    /// by one. Equal pairs are kept, unequal pairs become modifications, and the rest become
    /// insertions or removals.
    pub(crate) fn replace<C: Clone + Eq + Hash>(&mut self, old: &[OldBlock<C>], new: &[(C, B)]) {
        let mut old_from = 0;
        let mut new_from = 0;
        for (old_to, new_to) in anchors(old, new) {
            self.pair(old, new, old_from..old_to, new_from..new_to);
            self.skip(old.get(old_to).map_or(0, |block| block.length));
            old_from = old_to + 1;
            new_from = new_to + 1;
        }
        self.pair(old, new, old_from..old.len(), new_from..new.len());
    }

    /// Replaces the blocks `old[old_run]` by the blocks `new[new_run]`. Keeps equal blocks at the
    /// front and at the back, and pairs the others one by one.
    fn pair<C: Eq>(
        &mut self,
        old: &[OldBlock<C>],
        new: &[(C, B)],
        old_run: core::ops::Range<usize>,
        new_run: core::ops::Range<usize>,
    ) {
        let mut old = old.get(old_run).unwrap_or_default();
        let mut new = new.get(new_run).unwrap_or_default();
        let mut front = 0;
        let mut back = 0;
        while let ([first, old_rest @ ..], [(content, _), new_rest @ ..]) = (old, new)
            && first.content == *content
        {
            front += first.length;
            (old, new) = (old_rest, new_rest);
        }
        while let ([old_rest @ .., last], [new_rest @ .., (content, _)]) = (old, new)
            && last.content == *content
        {
            back += last.length;
            (old, new) = (old_rest, new_rest);
        }
        self.skip(front);
        for (old, (content, block)) in old.iter().zip(new) {
            if old.content != *content {
                self.operations.push(BlockEdit::Modify {
                    index: self.position,
                    block: block.clone(),
                });
            }
            self.skip(block.length());
        }
        for (_, block) in new.iter().skip(old.len()) {
            self.operations.push(BlockEdit::Insert {
                index: self.position,
                block: block.clone(),
            });
            self.skip(block.length());
        }
        for _ in old.iter().skip(new.len()) {
            self.operations.push(BlockEdit::Remove {
                index: self.position,
            });
        }
        self.skip(back);
    }
}

/// Returns pairs of equal blocks, each as an index in `old` and an index in `new`. Both indices
/// rise from pair to pair. Only contents that occur exactly once in `old` and in `new` are paired,
/// as many as possible.
fn anchors<C: Clone + Eq + Hash, B>(old: &[OldBlock<C>], new: &[(C, B)]) -> Vec<(usize, usize)> {
    let single_old = once(old.iter().map(|block| block.content.clone()));
    let single_new = once(new.iter().map(|(content, _)| content.clone()));
    let mut pairs: Vec<(usize, usize)> = single_old
        .into_iter()
        .filter_map(|(content, old)| single_new.get(&content).map(|new| (old, *new)))
        .collect();
    pairs.sort_unstable();
    longest_rising(&pairs)
}

/// Maps every content that occurs exactly once to its index.
fn once<C: Eq + Hash>(contents: impl Iterator<Item = C>) -> HashMap<C, usize> {
    let mut places: HashMap<C, Option<usize>> = HashMap::new();
    for (place, content) in contents.enumerate() {
        places
            .entry(content)
            .and_modify(|place| *place = None)
            .or_insert(Some(place));
    }
    places
        .into_iter()
        .filter_map(|(content, place)| Some((content, place?)))
        .collect()
}

/// Returns the longest subsequence of `pairs` in which the second number rises. `pairs` are sorted
/// by the first number.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends[k]` is the index of the last pair of a chain of `k + 1` pairs: of the chain whose last
    // second number is smallest.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let second = |number: usize| pairs.get(number).map_or(0, |(_, second)| *second);
    for (number, (_, new)) in pairs.iter().enumerate() {
        let shorter = ends.partition_point(|end| second(*end) < *new);
        previous.push(
            shorter
                .checked_sub(1)
                .and_then(|end| ends.get(end))
                .copied(),
        );
        match ends.get_mut(shorter) {
            Some(end) => *end = number,
            None => ends.push(number),
        }
    }
    let mut chain: Vec<(usize, usize)> = core::iter::successors(ends.last().copied(), |number| {
        previous.get(*number).copied().flatten()
    })
    .filter_map(|number| pairs.get(number).copied())
    .collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::edit::model;

    /// Letters as blocks: each with its own length and bytes.
    fn block(letter: u8) -> Vec<u8> {
        vec![letter; usize::from(letter) + 1]
    }

    fn old(letters: &[u8]) -> Vec<OldBlock<u8>> {
        letters
            .iter()
            .map(|letter| OldBlock {
                length: length(&block(*letter)),
                content: *letter,
            })
            .collect()
    }

    proptest! {
        /// Several exchanges, with kept blocks in between.
        #[test]
        fn old_sequences_become_new_ones(
            runs in prop::collection::vec(
                (
                    prop::collection::vec(0_u8..8, 0..8),
                    prop::collection::vec(0_u8..8, 0..8),
                    0_u8..8,
                ),
                1..4,
            ),
        ) {
            let all: Vec<Vec<Vec<u8>>> = runs
                .iter()
                .map(|(_, new_run, _)| new_run.iter().map(|letter| block(*letter)).collect())
                .collect();
            let mut exchange = Exchange::new();
            let mut before = Vec::new();
            let mut after = Vec::new();
            for ((old_run, new_run, stays), blocks) in runs.iter().zip(&all) {
                let new: Vec<(u8, &[u8])> =
                    new_run.iter().copied().zip(blocks.iter().map(Vec::as_slice)).collect();
                exchange.replace(&old(old_run), &new);
                exchange.skip(length(&block(*stays)));
                before.extend(old_run.iter().chain([stays]).map(|letter| block(*letter)));
                after.extend(new_run.iter().chain([stays]).map(|letter| block(*letter)));
            }
            let operations: Vec<BlockEdit> = exchange
                .into_operations()
                .into_iter()
                .map(|operation| operation.map(<[u8]>::to_vec))
                .collect();
            let bound: usize =
                runs.iter().map(|(old, new, _)| old.len() + new.len()).sum();
            prop_assert!(operations.len() <= bound);
            prop_assert_eq!(model::apply_to_blocks(&before, &operations), after);
        }
    }

    #[test]
    fn the_longest_chain_of_single_blocks_stays() {
        let anchored = |old_letters: &[u8], new_letters: &[u8]| {
            let new: Vec<(u8, &[u8])> = new_letters
                .iter()
                .map(|letter| (*letter, [].as_slice()))
                .collect();
            anchors(&old(old_letters), &new)
        };
        let anchors = anchored(&[1, 2, 3, 4, 5, 6], &[3, 1, 2, 6, 4, 5]);
        assert_eq!(anchors, [(0, 1), (1, 2), (3, 4), (4, 5)]);
        assert_eq!(anchored(&[1, 1], &[2, 1]), []);
        assert_eq!(anchored(&[2, 1], &[1, 1]), []);
    }
}
