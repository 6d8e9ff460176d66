//! A changed file, uploaded as an update.

use core::hash::Hash;

use crate::{
    chunk::Chunker,
    edit::{BlockEdit, Exchange, OldBlock, cut, length},
};

/// The operations that make the `old` blocks of a file those of a file with the bytes `new`.
///
/// `content` says of a block what [`OldBlock::content`] says of the old ones. What the old blocks contain
/// has to be verified, for instance by the digests in their leaves: a block that passes for equal stays.
///
/// Old blocks with which the new file begins or ends stay, however they were cut. What lies in between is
/// cut as [`edit`](crate::edit) cuts contents in place of blocks, and by the chunker alone; of the two the
/// one that sends fewer bytes is taken. Blocks that come out with the contents of an old one stay there.
///
/// Costs up to three evaluations of `content` per byte of the new file.
///
/// The operations go through the file from the start to the end; none if nothing changed.
pub fn diff<C: Clone + Eq + Hash>(
    old: &[OldBlock<C>],
    new: &[u8],
    chunker: &Chunker,
    content: impl Fn(&[u8]) -> C,
) -> Vec<BlockEdit> {
    let (mut old, mut new) = (old, new);
    let mut front = 0;
    while let [first, others @ ..] = old
        && let Some((block, rest)) = part(first).and_then(|length| new.split_at_checked(length))
        && first.content == content(block)
    {
        front += length(block);
        (old, new) = (others, rest);
    }
    while let [others @ .., last] = old
        && let Some(from) = part(last).and_then(|length| new.len().checked_sub(length))
        && let Some((rest, block)) = new.split_at_checked(from)
        && last.content == content(block)
    {
        (old, new) = (others, rest);
    }
    let exchange = |blocks: Vec<&[u8]>| {
        let blocks: Vec<(C, &[u8])> = blocks
            .into_iter()
            .map(|block| (content(block), block))
            .collect();
        let mut exchange = Exchange::new();
        exchange.skip(front);
        exchange.replace(old, &blocks);
        exchange.into_operations()
    };
    let in_place = exchange(cut::cut(new, old, chunker));
    let anew = exchange(cut::anew(new, chunker));
    if sent(&anew) < sent(&in_place) {
        anew
    } else {
        in_place
    }
}

/// The length of an old block, if memory could hold it; a block of no bytes is none.
fn part<C>(block: &OldBlock<C>) -> Option<usize> {
    usize::try_from(block.length)
        .ok()
        .filter(|length| *length > 0)
}

/// How many bytes of blocks these operations send.
fn sent(operations: &[BlockEdit]) -> usize {
    operations
        .iter()
        .filter_map(BlockEdit::bytes)
        .map(<[u8]>::len)
        .sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sha2::{Digest as _, Sha256};

    use super::*;
    use crate::edit::model::{self, noise};

    fn digest(block: &[u8]) -> [u8; 32] {
        Sha256::digest(block).into()
    }

    fn old_blocks(blocks: &[Vec<u8>]) -> Vec<OldBlock<[u8; 32]>> {
        blocks
            .iter()
            .map(|block| OldBlock {
                length: length(block),
                content: digest(block),
            })
            .collect()
    }

    fn cut_file(bytes: &[u8], chunker: &Chunker) -> Vec<Vec<u8>> {
        chunker.split(bytes).map(<[u8]>::to_vec).collect()
    }

    proptest! {
        #[test]
        fn old_blocks_become_the_new_file(
            chunker in model::chunkers(),
            blocks in model::files(),
            edits in prop::collection::vec(model::drafts(), 0..6),
        ) {
            let mut new = blocks.concat();
            for draft in &edits {
                if let Some(edit) = draft.fit(new.len()) {
                    model::apply_to_bytes(&mut new, &edit);
                }
            }
            let operations = diff(&old_blocks(&blocks), &new, &chunker, digest);
            let after = model::apply_to_blocks(&blocks, &operations);
            prop_assert!(after.concat() == new);
            prop_assert!(after.iter().all(|block| !block.is_empty()));
            if new == blocks.concat() {
                prop_assert!(operations.is_empty());
            }
        }

        #[test]
        fn unrelated_files_and_false_lengths_end_in_operations(
            lengths in prop::collection::vec(any::<u64>(), 0..6),
            new in prop::collection::vec(any::<u8>(), 0..5_000),
            chunker in model::chunkers(),
        ) {
            let old: Vec<OldBlock<[u8; 32]>> = lengths
                .iter()
                .map(|length| OldBlock { length: *length, content: digest(&[]) })
                .collect();
            let operations = diff(&old, &new, &chunker, digest);
            prop_assert_eq!(sent(&operations), new.len());
        }
    }

    #[test]
    fn a_moved_part_costs_few_blocks() {
        let chunker = Chunker::default();
        let old = noise(3, 2 << 20);
        let mut new = old.clone();
        new.drain(500_000..500_010);
        new.splice(1_500_000..1_500_000, noise(4, 10));
        assert_eq!(new.len(), old.len());
        let blocks = cut_file(&old, &chunker);
        let operations = diff(&old_blocks(&blocks), &new, &chunker, digest);
        assert!(
            (2..=8).contains(&operations.len()),
            "{} of {} blocks",
            operations.len(),
            blocks.len()
        );
        assert!(model::apply_to_blocks(&blocks, &operations).concat() == new);
    }

    #[test]
    fn overwritten_bytes_cost_their_blocks() {
        let chunker = Chunker::content_defined(256, 1_024, 4_096).unwrap();
        let old = noise(5, 100_000);
        let mut new = old.clone();
        for place in [20_000, 50_000, 80_000] {
            new[place] ^= 1;
        }
        // Blocks that this chunker would not cut.
        let blocks: Vec<Vec<u8>> = old.chunks(3_000).map(<[u8]>::to_vec).collect();
        let operations = diff(&old_blocks(&blocks), &new, &chunker, digest);
        assert_eq!(operations.len(), 3);
        assert!(operations.iter().all(
            |operation| matches!(operation, BlockEdit::Modify { block, .. } if block.len() == 3_000)
        ));
    }

    #[test]
    fn files_from_and_to_nothing() {
        let chunker = Chunker::fixed(4).unwrap();
        let inserted = diff::<[u8; 32]>(&[], b"abcdefgh", &chunker, digest);
        assert_eq!(
            inserted,
            [
                BlockEdit::Insert {
                    index: 0,
                    block: b"abcd".to_vec()
                },
                BlockEdit::Insert {
                    index: 4,
                    block: b"efgh".to_vec()
                }
            ]
        );
        let blocks = cut_file(b"abcdefgh", &chunker);
        let removed = diff(&old_blocks(&blocks), b"", &chunker, digest);
        assert_eq!(removed, vec![BlockEdit::Remove { index: 0 }; 2]);
        assert!(diff::<[u8; 32]>(&[], b"", &chunker, digest).is_empty());
    }
}
