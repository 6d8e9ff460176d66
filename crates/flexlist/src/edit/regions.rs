//! Regions of an edited file: consecutive old blocks, and the bytes that replace them.

use super::{
    BlockEdit, EditError, Exchange, KnownBlock, OldBlock,
    cut::cut,
    known::KnownBlocks,
    length,
    pieces::{Piece, Pieces},
};
use crate::chunk::Chunker;

/// Consecutive old blocks, and the bytes that replace them. There may be no blocks (an insertion)
/// or no bytes (a removal).
#[derive(Debug)]
struct Region<'a> {
    /// The index in the old file of the region's first byte.
    start: u64,
    /// The index in the old file one past the region's last byte.
    end: u64,
    /// The old blocks from `start` to `end`, in file order.
    blocks: Vec<&'a KnownBlock>,
    /// The bytes that replace the old blocks of the region.
    contents: Vec<u8>,
}

/// All regions, in file order. The old file between two regions is unchanged.
#[derive(Debug)]
pub(super) struct Regions<'a> {
    regions: Vec<Region<'a>>,
}

impl<'a> Regions<'a> {
    pub(super) fn of(
        pieces: &Pieces<'_>,
        known: &KnownBlocks<'a>,
        chunker: &Chunker,
    ) -> Result<Self, EditError> {
        let mut builder = Builder {
            known,
            regions: Vec::new(),
            start: 0,
            contents: Vec::new(),
        };
        for piece in pieces.iter() {
            match piece {
                Piece::New(bytes) => builder.contents.extend_from_slice(bytes),
                Piece::Old(range) => builder.keep(range.start, range.end)?,
            }
        }
        builder.close(known.total())?;
        let mut regions = merge_touching(builder.regions, chunker);
        merge_with_neighbours(&mut regions, known, chunker);
        Ok(Self { regions })
    }

    /// Returns the operations that replace the blocks of every region, from the start of the file
    /// to its end.
    pub(super) fn operations(&self, chunker: &Chunker) -> Vec<BlockEdit> {
        let mut exchange = Exchange::new();
        let mut reached = 0;
        for region in &self.regions {
            exchange.skip(region.start.saturating_sub(reached));
            reached = region.end;
            let old: Vec<OldBlock<&[u8]>> = region
                .blocks
                .iter()
                .map(|block| OldBlock {
                    length: length(&block.bytes),
                    content: block.bytes.as_slice(),
                })
                .collect();
            let new: Vec<(&[u8], &[u8])> = cut(&region.contents, &old, chunker)
                .into_iter()
                .map(|block| (block, block))
                .collect();
            exchange.replace(&old, &new);
        }
        let operations = exchange.into_operations().into_iter();
        operations
            .map(|operation| operation.map(<[u8]>::to_vec))
            .collect()
    }
}

/// Builds the regions from the pieces of an edited file. The region under construction began at the
/// byte `start` of the old file.
struct Builder<'a, 'k> {
    known: &'k KnownBlocks<'a>,
    regions: Vec<Region<'a>>,
    start: u64,
    contents: Vec<u8>,
}

impl Builder<'_, '_> {
    /// Appends the bytes `start..end` of the old file.
    ///
    /// Whole blocks among these bytes are kept: the open region ends at the first boundary of a
    /// block, and the next region begins at the last boundary. If there is only one boundary, it
    /// separates two changed blocks.
    fn keep(&mut self, start: u64, end: u64) -> Result<(), EditError> {
        // The block that begins before `index` and extends beyond it, if any.
        let crossing = |index| match self.known.around(index) {
            Some(block) => Ok(Some(block).filter(|block| block.start < index)),
            None if self.known.is_boundary(index) => Ok(None),
            None => Err(EditError::BlockUnknown { index }),
        };
        let (head, tail) = (crossing(start)?, crossing(end)?);
        let first = head.map_or(start, KnownBlock::end);
        let last = tail.map_or(end, |block| block.start);
        if let Some(block) = head {
            self.contents
                .extend_from_slice(block.part(start..first.min(end)));
        }
        if first <= last {
            self.close(first)?;
            self.start = last;
            if let Some(block) = tail {
                self.contents.extend_from_slice(block.part(last..end));
            }
        }
        Ok(())
    }

    /// Ends the open region at the block boundary `end` of the old file, and adds it to the
    /// regions.
    fn close(&mut self, end: u64) -> Result<(), EditError> {
        let blocks = self.known.covering(self.start..end)?;
        let mut region = Region {
            start: self.start,
            end,
            blocks,
            contents: core::mem::take(&mut self.contents),
        };
        region.trim();
        if !(region.blocks.is_empty() && region.contents.is_empty()) {
            self.regions.push(region);
        }
        Ok(())
    }
}

impl Region<'_> {
    /// Shrinks the region by the old blocks that also form the beginning or the end of its new
    /// contents.
    fn trim(&mut self) {
        let mut front = 0;
        let mut blocks = 0;
        for block in &self.blocks {
            let rest = self.contents.get(front..).unwrap_or_default();
            if !rest.starts_with(&block.bytes) {
                break;
            }
            front += block.bytes.len();
            blocks += 1;
            self.start = block.end();
        }
        self.contents.drain(..front);
        self.blocks.drain(..blocks);
        while let Some(block) = self.blocks.last()
            && self.contents.ends_with(&block.bytes)
        {
            self.end = block.start;
            self.contents
                .truncate(self.contents.len().saturating_sub(block.bytes.len()));
            self.blocks.pop();
        }
    }

    /// Joins this region with `next`, which begins where this region ends.
    fn join(&mut self, next: Self) {
        self.end = next.end;
        self.blocks.extend(next.blocks);
        self.contents.extend(next.contents);
    }

    fn is_tiny(&self, chunker: &Chunker) -> bool {
        !self.contents.is_empty() && self.contents.len() < chunker.tiny()
    }
}

/// Joins regions that touch, without a kept block in between, if both have contents and those of
/// one are tiny.
fn merge_touching<'a>(regions: Vec<Region<'a>>, chunker: &Chunker) -> Vec<Region<'a>> {
    let mut merged: Vec<Region<'a>> = Vec::new();
    for region in regions {
        match merged.last_mut() {
            Some(last)
                if last.end == region.start
                    && !last.contents.is_empty()
                    && !region.contents.is_empty()
                    && (last.is_tiny(chunker) || region.is_tiny(chunker)) =>
            {
                last.join(region);
            }
            _ => merged.push(region),
        }
    }
    merged
}

/// Merges tiny insertions between two blocks into one of these blocks, if it is known and does not
/// get too long. The merged block also takes one operation.
fn merge_with_neighbours<'a>(
    regions: &mut [Region<'a>],
    known: &KnownBlocks<'a>,
    chunker: &Chunker,
) {
    let mut taken = 0;
    let starts: Vec<u64> = regions.iter().skip(1).map(|region| region.start).collect();
    let next = starts.into_iter().chain([known.total()]);
    for (region, next) in regions.iter_mut().zip(next) {
        if region.blocks.is_empty() && region.is_tiny(chunker) {
            let fits = |block: &&KnownBlock| {
                block.bytes.len() + region.contents.len() <= chunker.tolerated()
            };
            let before = known
                .before(region.start)
                .filter(|block| block.start >= taken)
                .filter(fits);
            let behind = known
                .behind(region.start)
                .filter(|block| block.end() <= next)
                .filter(fits);
            if let Some(block) = before {
                region.start = block.start;
                region.contents.splice(..0, block.bytes.iter().copied());
                region.blocks.push(block);
            } else if let Some(block) = behind {
                region.end = block.end();
                region.contents.extend_from_slice(&block.bytes);
                region.blocks.push(block);
            }
        }
        taken = region.end;
    }
}
