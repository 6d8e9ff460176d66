//! A table of pinned blocks: blocks of a log that stay in memory, and are read without a lock.

use core::{
    fmt, iter,
    sync::atomic::{AtomicU64, Ordering},
};
use std::sync::{Arc, OnceLock};

/// The number of blocks in one [`Part`] of the table.
const PART: u64 = 256;
const BITS: u64 = 64;

/// The pinned blocks of a log (blocks that stay in memory), by block number.
///
/// A clone shares the existing parts of the table, and all blocks that are added to these parts
/// later.
#[derive(Clone, Default)]
pub(super) struct PinnedBlocks {
    parts: Vec<Arc<Part>>,
    /// The number and contents of the last block of the log, which is partial.
    last: Option<(u64, Arc<[u8]>)>,
    /// The number of bytes in blocks that were requested for pinning, including blocks beyond the
    /// limit.
    wanted: Arc<AtomicU64>,
    /// The number of bytes in blocks that are in memory.
    here: Arc<AtomicU64>,
}

/// A part of the table: [`PART`] consecutive blocks.
struct Part {
    blocks: Vec<OnceLock<Arc<[u8]>>>,
    /// One bit for each block: whether it was requested for pinning.
    wanted: Vec<AtomicU64>,
}

impl Part {
    fn new() -> Self {
        let blocks = iter::repeat_with(OnceLock::new);
        let bits = iter::repeat_with(AtomicU64::default);
        Self {
            blocks: blocks.take(index(PART)).collect(),
            wanted: bits.take(index(PART / BITS)).collect(),
        }
    }
}

/// Converts a number up to [`PART`] to a `usize`.
fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl PinnedBlocks {
    /// Extends the table so that it has room for the blocks with numbers below `blocks`.
    pub(super) fn with_places(mut self, blocks: u64) -> Self {
        let parts = usize::try_from(blocks.div_ceil(PART)).unwrap_or(usize::MAX);
        while self.parts.len() < parts {
            self.parts.push(Arc::new(Part::new()));
        }
        self
    }

    /// Replaces the last block of the log, which is partial, and its number.
    pub(super) fn with_last(mut self, last: Option<(u64, Arc<[u8]>)>) -> Self {
        self.last = last;
        self
    }

    fn part(&self, number: u64) -> Option<(&Part, u64)> {
        let part = self.parts.get(usize::try_from(number / PART).ok()?)?;
        Some((part, number % PART))
    }

    /// The block with this number; `None` if it is not in memory.
    #[inline]
    pub(super) fn get(&self, number: u64) -> Option<&Arc<[u8]>> {
        if let Some((last, block)) = &self.last
            && *last == number
        {
            return Some(block);
        }
        let (part, place) = self.part(number)?;
        part.blocks.get(index(place))?.get()
    }

    /// Marks a block of `bytes` bytes as requested for pinning. Returns whether the mark is new.
    pub(super) fn wants(&self, number: u64, bytes: u64) -> bool {
        let Some((part, place)) = self.part(number) else {
            return false;
        };
        let bit = 1 << (place % BITS);
        let Some(bits) = part.wanted.get(index(place / BITS)) else {
            return false;
        };
        let is_new = bits.fetch_or(bit, Ordering::Relaxed) & bit == 0;
        if is_new {
            self.wanted.fetch_add(bytes, Ordering::Relaxed);
        }
        is_new
    }

    /// Stores a block in the table, where it stays as long as the table.
    pub(super) fn put(&self, number: u64, block: Arc<[u8]>) {
        let bytes = u64::try_from(block.len()).unwrap_or(u64::MAX);
        if let Some((part, place)) = self.part(number)
            && let Some(here) = part.blocks.get(index(place))
            && here.set(block).is_ok()
        {
            self.here.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// The number of bytes in blocks that were requested for pinning, whether the blocks are in
    /// memory or not.
    pub(super) fn wanted_bytes(&self) -> u64 {
        self.wanted
            .load(Ordering::Relaxed)
            .saturating_add(self.last_bytes())
    }

    /// The number of bytes in blocks that are in memory.
    pub(super) fn bytes(&self) -> u64 {
        self.here
            .load(Ordering::Relaxed)
            .saturating_add(self.last_bytes())
    }

    fn last_bytes(&self) -> u64 {
        let last = self.last.as_ref().map_or(0, |(_, block)| block.len());
        u64::try_from(last).unwrap_or(u64::MAX)
    }
}

impl fmt::Debug for PinnedBlocks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PinnedBlocks({} bytes)", self.bytes())
    }
}
