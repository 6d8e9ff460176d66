//! A cache of the recently used blocks of a log.

use core::fmt;
use std::sync::Arc;

use quick_cache::{
    Weighter,
    sync::{Cache, DefaultLifecycle},
};
use rustc_hash::FxBuildHasher;

/// The unit of reading and caching, in bytes.
pub(super) const BLOCK: usize = 4096;
pub(super) const BLOCK_BYTES: u64 = 4096;

/// The recently used blocks, by their numbers.
pub(super) struct RecentBlocks(Cache<u64, Arc<[u8]>, Bytes, FxBuildHasher>);

/// Weighs blocks by their bytes: the last block of a log is partial.
#[derive(Clone, Debug)]
struct Bytes;

impl Weighter<u64, Arc<[u8]>> for Bytes {
    fn weight(&self, _: &u64, block: &Arc<[u8]>) -> u64 {
        u64::try_from(block.len()).unwrap_or(u64::MAX).max(1)
    }
}

impl RecentBlocks {
    /// A cache for blocks of about `bytes` bytes.
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

    /// Removes a block. Returns whether it was present.
    pub(super) fn remove(&self, number: u64) -> bool {
        self.0.remove(&number).is_some()
    }

    /// The bytes of the cached blocks.
    pub(super) fn weight(&self) -> u64 {
        self.0.weight()
    }
}

impl fmt::Debug for RecentBlocks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "RecentBlocks({} bytes)", self.weight())
    }
}

/// The least number of blocks: enough for a few paths.
const LEAST_BLOCKS: usize = 16;
