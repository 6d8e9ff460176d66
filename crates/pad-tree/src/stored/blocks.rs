//! A cache of the recently used blocks of a log.

use core::fmt;
use std::sync::Arc;

use quick_cache::{
    Weighter,
    sync::{Cache, DefaultLifecycle},
};
use rustc_hash::FxBuildHasher;

/// The size of a block, the unit of reading and caching, in bytes.
pub(super) const BLOCK: usize = 4096;
pub(super) const BLOCK_BYTES: u64 = 4096;

/// A cache of the recently used blocks of a log, by block number.
pub(super) struct RecentBlocks {
    pub(super) cache: Cache<u64, Arc<[u8]>, Bytes, FxBuildHasher>,
}

/// Weighs a cached block by its number of bytes. The last block of a log may be partial.
#[derive(Clone, Debug)]
pub(super) struct Bytes;

impl Weighter<u64, Arc<[u8]>> for Bytes {
    fn weight(&self, _: &u64, block: &Arc<[u8]>) -> u64 {
        u64::try_from(block.len()).unwrap_or(u64::MAX).max(1)
    }
}

impl RecentBlocks {
    /// Creates a cache for blocks of about `bytes` bytes in total.
    pub(super) fn new(bytes: usize) -> Self {
        let blocks = (bytes / BLOCK).max(LEAST_BLOCKS);
        let capacity = u64::try_from(blocks)
            .unwrap_or(u64::MAX)
            .saturating_mul(BLOCK_BYTES);
        let lifecycle = DefaultLifecycle::default();
        Self {
            cache: Cache::with(blocks, capacity, Bytes, FxBuildHasher, lifecycle),
        }
    }
}

impl fmt::Debug for RecentBlocks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "RecentBlocks({} bytes)", self.cache.weight())
    }
}

/// The least capacity of a cache, in blocks: enough for a few paths from the root to a leaf.
const LEAST_BLOCKS: usize = 16;
