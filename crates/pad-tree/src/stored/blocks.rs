//! The blocks of a log that were used last, in memory.

use core::fmt;
use std::sync::Arc;

use quick_cache::{
    Weighter,
    sync::{Cache, DefaultLifecycle},
};
use rustc_hash::FxBuildHasher;

/// The bytes that are read and kept at a time.
pub(super) const BLOCK: usize = 4096;
pub(super) const BLOCK_BYTES: u64 = 4096;

/// The blocks that were used last, by their numbers.
pub(super) struct RecentBlocks(Cache<u64, Arc<[u8]>, Bytes, FxBuildHasher>);

/// Blocks count by their bytes: the last one of the log is a part of one.
#[derive(Clone, Debug)]
struct Bytes;

impl Weighter<u64, Arc<[u8]>> for Bytes {
    fn weight(&self, _: &u64, block: &Arc<[u8]>) -> u64 {
        u64::try_from(block.len()).unwrap_or(u64::MAX).max(1)
    }
}

impl RecentBlocks {
    /// Room for blocks of about so many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let blocks = (bytes / BLOCK).max(LEAST_BLOCKS);
        let capacity = u64::try_from(blocks)
            .unwrap_or(u64::MAX)
            .saturating_mul(BLOCK_BYTES);
        Self(Cache::with(
            blocks,
            capacity,
            Bytes,
            FxBuildHasher,
            DefaultLifecycle::default(),
        ))
    }

    pub(super) fn get(&self, number: u64) -> Option<Arc<[u8]>> {
        self.0.get(&number)
    }

    pub(super) fn insert(&self, number: u64, block: Arc<[u8]>) {
        self.0.insert(number, block);
    }

    /// Whether it was there.
    pub(super) fn remove(&self, number: u64) -> bool {
        self.0.remove(&number).is_some()
    }

    /// The bytes of the blocks that are here.
    pub(super) fn weight(&self) -> u64 {
        self.0.weight()
    }
}

impl fmt::Debug for RecentBlocks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "RecentBlocks({} bytes)", self.weight())
    }
}

/// A few paths.
const LEAST_BLOCKS: usize = 16;
