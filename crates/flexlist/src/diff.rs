//! Compares a changed file with the blocks that the server stores, and finds the operations on
//! blocks that update them.
//!
//! The comparison needs only the lengths and digests of the old blocks. It keeps only a few blocks
//! of the new file in memory, so files of any size can be compared.

use core::{hash::Hash, ops::Range};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use crate::{
    chunk::{Chunker, MAX_BLOCK_BYTES},
    edit::{self, BlockEdit, Exchange, OldBlock, cut},
};

/// A block of the new file: its position and its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBlock<C> {
    /// The range of the block's bytes in the new file.
    pub range: Range<u64>,
    /// Identifies the contents of the block: the bytes or a digest, as in [`OldBlock::content`].
    pub content: C,
}

impl<C: Clone> edit::NewBlock for NewBlock<C> {
    fn length(&self) -> u64 {
        self.range.end.saturating_sub(self.range.start)
    }
}

/// Returns the operations that turn the `old` blocks of a file into the blocks of `new`.
///
/// `content` computes [`OldBlock::content`] of a new block. The caller must have verified the
/// contents of the old blocks, for instance by the digests in their leaves. A block that compares
/// equal is kept.
///
/// Old blocks that form the beginning or the end of the new file are kept, regardless of where they
/// were cut. The part in between is cut in two ways: by the rules of `edit`, and by the chunker
/// only. The operations that send fewer bytes are returned. In that part, an old block is also kept
/// if a patience diff matches it with a new block of equal contents.
///
/// The operations run from the start of the file to its end. Each applies to the file left by the
/// operations before it. The list is empty if nothing changed. Every prefix of the list yields a
/// valid file, so the operations may be sent in parts.
///
/// Reads the new file at most twice, and a few of its blocks again. Keeps a few of its blocks, and
/// about a hundred bytes for each block, in memory. If the file changes meanwhile, the operations
/// may describe no version of it. A caller that later reads the bytes of a [`NewBlock`] must
/// compare them with its `content`.
///
/// # Errors
/// The errors of `new`; [`ErrorKind::UnexpectedEof`] if the file becomes shorter meanwhile.
pub fn changes<C: Clone + Eq + Hash>(
    old: &[OldBlock<C>],
    new: &mut (impl Read + Seek),
    chunker: &Chunker,
    content: impl Fn(&[u8]) -> C,
) -> io::Result<Vec<BlockEdit<NewBlock<C>>>> {
    let end = new.seek(SeekFrom::End(0))?;
    let mut source = Source { new, content };
    let (old, middle) = source.trim(old, 0..end)?;
    let exchange = |blocks: Vec<NewBlock<C>>| {
        let blocks: Vec<(C, NewBlock<C>)> = blocks
            .into_iter()
            .map(|block| (block.content.clone(), block))
            .collect();
        let mut exchange = Exchange::new();
        exchange.skip(middle.start);
        exchange.replace(old, &blocks);
        exchange.into_operations()
    };
    let anew = source.anew(middle.clone(), chunker)?;
    let in_place = source.in_place(old, middle.clone(), anew.len(), chunker)?;
    let anew = exchange(anew);
    Ok(match in_place.map(exchange) {
        Some(in_place) if sent(&in_place) <= sent(&anew) => in_place,
        _ => anew,
    })
}

/// The total length in bytes of the blocks that the operations send.
fn sent<C: Clone>(operations: &[BlockEdit<NewBlock<C>>]) -> u64 {
    operations
        .iter()
        .filter_map(BlockEdit::block)
        .map(edit::NewBlock::length)
        .fold(0, u64::saturating_add)
}

/// The new file, with functions to read and identify its blocks.
struct Source<'a, R, F> {
    new: &'a mut R,
    content: F,
}

impl<R: Read + Seek, C: Eq, F: Fn(&[u8]) -> C> Source<'_, R, F> {
    /// Compares `old` blocks with a range of the new file. Removes the blocks that form the
    /// beginning or the end of the range, and shortens the range by them.
    fn trim<'o>(
        &mut self,
        old: &'o [OldBlock<C>],
        range: Range<u64>,
    ) -> io::Result<(&'o [OldBlock<C>], Range<u64>)> {
        let (mut old, Range { mut start, mut end }) = (old, range);
        while let [first, others @ ..] = old
            && let Some(next) = start.checked_add(first.length)
            && next <= end
            && is_block(first.length)
            && self.block(start..next)?.content == first.content
        {
            (old, start) = (others, next);
        }
        while let [others @ .., last] = old
            && let Some(next) = end.checked_sub(last.length)
            && next >= start
            && is_block(last.length)
            && self.block(next..end)?.content == last.content
        {
            (old, end) = (others, next);
        }
        Ok((old, start..end))
    }

    /// Cuts a range of the new file into blocks by the chunker. Joins a tiny last block with the
    /// previous one if the result is not too long.
    fn anew(&mut self, range: Range<u64>, chunker: &Chunker) -> io::Result<Vec<NewBlock<C>>> {
        self.new.seek(SeekFrom::Start(range.start))?;
        let mut blocks: Vec<NewBlock<C>> = Vec::new();
        let mut start = range.start;
        let mut lengths = (0, 0);
        let length = range.end.saturating_sub(range.start);
        for block in chunker.blocks(Read::by_ref(self.new).take(length)) {
            let block = block?;
            let end = start.saturating_add(edit::length(&block));
            lengths = (lengths.1, block.len());
            blocks.push(NewBlock {
                range: start..end,
                content: (self.content)(&block),
            });
            start = end;
        }
        if start != range.end {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if let [.., before, last] = blocks.as_slice()
            && cut::joins(lengths.0, lengths.1, chunker)
        {
            let joined = self.block(before.range.start..last.range.end)?;
            blocks.truncate(blocks.len().saturating_sub(2));
            blocks.push(joined);
        }
        Ok(blocks)
    }

    /// Cuts a range of the new file at the boundaries of `old`, if the lengths match. Otherwise, if
    /// `anew` (the number of blocks that the chunker cuts) exceeds `old.len()`, cuts it into at
    /// most `old.len()` equal shares. Returns `None` if neither is possible, for example because
    /// the shares would be too long.
    fn in_place(
        &mut self,
        old: &[OldBlock<C>],
        range: Range<u64>,
        anew: usize,
        chunker: &Chunker,
    ) -> io::Result<Option<Vec<NewBlock<C>>>> {
        let total = range.end.saturating_sub(range.start);
        let lengths = old.iter().map(|block| block.length);
        let sum = lengths.clone().try_fold(0, u64::checked_add);
        if sum == Some(total) && lengths.clone().all(is_block) {
            return self.cut(range.start, lengths).map(Some);
        }
        let Some(share) = cut::share(total, old.len(), anew, chunker) else {
            return Ok(None);
        };
        let share = u64::try_from(share).unwrap_or(u64::MAX).max(1);
        let starts = (0..total.div_ceil(share)).map(|number| number.saturating_mul(share));
        let lengths = starts.map(|start| share.min(total.saturating_sub(start)));
        self.cut(range.start, lengths).map(Some)
    }

    /// Cuts the new file into consecutive blocks of these `lengths`, beginning at the byte `start`.
    fn cut(
        &mut self,
        start: u64,
        lengths: impl Iterator<Item = u64>,
    ) -> io::Result<Vec<NewBlock<C>>> {
        let mut start = start;
        lengths
            .map(|length| {
                let end = start.saturating_add(length);
                let block = self.block(start..end)?;
                start = end;
                Ok(block)
            })
            .collect()
    }

    /// Reads the bytes of the new file in `range` as one block, which must fit into memory.
    fn block(&mut self, range: Range<u64>) -> io::Result<NewBlock<C>> {
        let bytes = read(self.new, &range)?;
        let content = (self.content)(&bytes);
        Ok(NewBlock { range, content })
    }
}

/// Reads `range` of `file`, for example the bytes of a [`NewBlock`].
///
/// # Errors
/// The errors of `file`; [`ErrorKind::UnexpectedEof`] if the file is shorter;
/// [`ErrorKind::OutOfMemory`] if the length exceeds `usize`.
pub fn read(file: &mut (impl Read + Seek), range: &Range<u64>) -> io::Result<Vec<u8>> {
    let length = range.end.saturating_sub(range.start);
    let mut bytes = vec![0; usize::try_from(length).map_err(|_| ErrorKind::OutOfMemory)?];
    file.seek(SeekFrom::Start(range.start))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Whether a block may have this `length` in bytes: from 1 to the maximum.
fn is_block(length: u64) -> bool {
    (1..=MAX_BLOCK_BYTES).contains(&usize::try_from(length).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;
    use sha2::{Digest as _, Sha256};

    use super::*;
    use crate::edit::{
        length,
        model::{self, noise},
    };

    fn digest(block: &[u8]) -> [u8; 32] {
        Sha256::digest(block).into()
    }

    /// The operations, with their bytes.
    fn diff(old: &[OldBlock<[u8; 32]>], new: &[u8], chunker: &Chunker) -> Vec<BlockEdit> {
        let mut file = Cursor::new(new);
        let operations = changes(old, &mut file, chunker, digest)
            .unwrap()
            .into_iter();
        let bytes = |block: NewBlock<[u8; 32]>| {
            let bytes = read(&mut Cursor::new(new), &block.range).unwrap();
            assert_eq!(digest(&bytes), block.content);
            bytes
        };
        operations.map(|operation| operation.map(bytes)).collect()
    }

    fn bytes_sent(operations: &[BlockEdit]) -> usize {
        let bytes = operations.iter().filter_map(BlockEdit::bytes);
        bytes.map(<[u8]>::len).sum()
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
            let operations = diff(&old_blocks(&blocks), &new, &chunker);
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
            let operations = diff(&old, &new, &chunker);
            prop_assert_eq!(bytes_sent(&operations), new.len());
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
        let operations = diff(&old_blocks(&blocks), &new, &chunker);
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
        let operations = diff(&old_blocks(&blocks), &new, &chunker);
        assert_eq!(operations.len(), 3);
        assert!(operations.iter().all(
            |operation| matches!(operation, BlockEdit::Modify { block, .. } if block.len() == 3_000)
        ));
    }

    #[test]
    fn files_from_and_to_nothing() {
        let chunker = Chunker::fixed(4).unwrap();
        let insert = |index, bytes: &[u8]| {
            let block = bytes.to_vec();
            BlockEdit::Insert { index, block }
        };
        let inserted = diff(&[], b"abcdefgh", &chunker);
        assert_eq!(inserted, [insert(0, b"abcd"), insert(4, b"efgh")]);
        let blocks = cut_file(b"abcdefgh", &chunker);
        let removed = diff(&old_blocks(&blocks), b"", &chunker);
        assert_eq!(removed, vec![BlockEdit::Remove { index: 0 }; 2]);
        assert!(diff(&[], b"", &chunker).is_empty());
    }

    /// A file that ends before its reported length.
    struct ShrinkingReader(Cursor<Vec<u8>>);

    impl Read for ShrinkingReader {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }

    impl Seek for ShrinkingReader {
        fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
            match place {
                SeekFrom::End(_) => Ok(5_000),
                place => self.0.seek(place),
            }
        }
    }

    #[test]
    fn a_file_that_becomes_shorter_is_an_error() {
        let chunker = Chunker::fixed(64).unwrap();
        let file = noise(6, 4_000);
        for old in [cut_file(&file, &chunker), Vec::new()] {
            let mut shrinking = ShrinkingReader(Cursor::new(file.clone()));
            let error = changes(&old_blocks(&old), &mut shrinking, &chunker, digest).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
        }
    }
}
