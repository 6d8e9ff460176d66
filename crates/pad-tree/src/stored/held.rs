//! Blocks that stay in memory: found without a lock, because their places are a table.

use core::{
    fmt, iter,
    sync::atomic::{AtomicU64, Ordering},
};
use std::sync::{Arc, OnceLock};

/// The blocks of a part of the table.
const PART: u64 = 256;
const BITS: u64 = 64;

/// Blocks of a log by their numbers. A copy shares what is there, and what comes to parts that are there.
#[derive(Clone, Default)]
pub(super) struct Held {
    parts: Vec<Arc<Part>>,
    /// The last block of the log, which is not whole, and its number.
    last: Option<(u64, Arc<[u8]>)>,
    /// The bytes of the blocks that were wanted.
    wanted: Arc<AtomicU64>,
    /// The bytes of those that are here.
    here: Arc<AtomicU64>,
}

/// So many blocks in a row.
struct Part {
    blocks: Vec<OnceLock<Arc<[u8]>>>,
    /// A bit for each block that was wanted.
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

/// A number below [`PART`] as a place.
fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl Held {
    /// The same with places for so many blocks.
    pub(super) fn with_places(mut self, blocks: u64) -> Self {
        let parts = usize::try_from(blocks.div_ceil(PART)).unwrap_or(usize::MAX);
        while self.parts.len() < parts {
            self.parts.push(Arc::new(Part::new()));
        }
        self
    }

    /// The same with this last block, which is not whole.
    pub(super) fn with_last(mut self, last: Option<(u64, Arc<[u8]>)>) -> Self {
        self.last = last;
        self
    }

    fn part(&self, number: u64) -> Option<(&Part, u64)> {
        let part = self.parts.get(usize::try_from(number / PART).ok()?)?;
        Some((part, number % PART))
    }

    /// A block, if it is here.
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

    /// Whether a block is wanted that was not wanted before.
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

    /// Takes a block, which stays.
    pub(super) fn put(&self, number: u64, block: Arc<[u8]>) {
        let bytes = u64::try_from(block.len()).unwrap_or(u64::MAX);
        if let Some((part, place)) = self.part(number)
            && let Some(here) = part.blocks.get(index(place))
            && here.set(block).is_ok()
        {
            self.here.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// The bytes of the blocks that were wanted, whether they are here or not.
    pub(super) fn wanted_bytes(&self) -> u64 {
        self.wanted
            .load(Ordering::Relaxed)
            .saturating_add(self.last_bytes())
    }

    /// The bytes of the blocks that are here.
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

impl fmt::Debug for Held {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Held({} bytes)", self.bytes())
    }
}
