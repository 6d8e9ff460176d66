//! The blocks of the old file that the caller of [`plan`](super::plan) knows.

use core::ops::Range;

use super::{EditError, KnownBlock, length};

/// Known blocks in file order, disjoint and inside the file.
#[derive(Debug)]
pub(super) struct KnownBlocks<'a> {
    blocks: Vec<&'a KnownBlock>,
    total: u64,
}

impl KnownBlock {
    /// The index in the file one past the last byte of the block.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(length(&self.bytes))
    }

    /// Returns the bytes of the block that lie in a `range` of the file.
    pub fn part(&self, range: Range<u64>) -> &[u8] {
        let place = |index: u64| {
            let offset = index.saturating_sub(self.start);
            usize::try_from(offset).map_or(self.bytes.len(), |offset| offset.min(self.bytes.len()))
        };
        self.bytes
            .get(place(range.start)..place(range.end))
            .unwrap_or_default()
    }
}

impl<'a> KnownBlocks<'a> {
    pub(super) fn new(blocks: &'a [KnownBlock], total: u64) -> Result<Self, EditError> {
        let mut blocks: Vec<&KnownBlock> = blocks.iter().collect();
        blocks.sort_by_key(|block| block.start);
        let mut reached = 0;
        for block in &blocks {
            let start = block.start;
            if block.bytes.is_empty() {
                return Err(EditError::EmptyBlock { start });
            }
            if start < reached {
                return Err(EditError::BlocksOverlap { start });
            }
            match start.checked_add(length(&block.bytes)) {
                Some(end) if end <= total => reached = end,
                _ => return Err(EditError::BlockOutsideFile { start, total }),
            }
        }
        Ok(Self { blocks, total })
    }

    /// The length of the old file in bytes.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// The known block that contains the byte at `index`, if there is one.
    pub(super) fn around(&self, index: u64) -> Option<&'a KnownBlock> {
        let count = self.blocks.partition_point(|block| block.start <= index);
        let block = self.blocks.get(count.checked_sub(1)?)?;
        (index < block.end()).then_some(block)
    }

    /// The known block that ends directly before the byte at `index`, if there is one.
    pub(super) fn before(&self, index: u64) -> Option<&'a KnownBlock> {
        self.around(index.checked_sub(1)?)
            .filter(|block| block.end() == index)
    }

    /// The known block that begins at `index`, if there is one.
    pub(super) fn behind(&self, index: u64) -> Option<&'a KnownBlock> {
        self.around(index).filter(|block| block.start == index)
    }

    /// Whether `index` is the start or the end of the file, or a known block ends there. `index`
    /// must not be inside a known block.
    pub(super) fn is_boundary(&self, index: u64) -> bool {
        index == 0 || index == self.total || self.before(index).is_some()
    }

    /// Returns the known blocks that together cover exactly `range`. Both ends of `range` must be
    /// boundaries of blocks.
    pub(super) fn covering(&self, range: Range<u64>) -> Result<Vec<&'a KnownBlock>, EditError> {
        let mut blocks = Vec::new();
        let mut index = range.start;
        while index < range.end {
            let block = self
                .behind(index)
                .ok_or(EditError::BlockUnknown { index })?;
            index = block.end();
            blocks.push(block);
        }
        Ok(blocks)
    }
}
