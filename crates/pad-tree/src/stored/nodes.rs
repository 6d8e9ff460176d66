//! Reading nodes from a log, through a cache of its blocks.

use core::{
    iter,
    ops::Deref,
    sync::atomic::{AtomicU64, Ordering},
};
use std::sync::Arc;

use pad_core::{DigestBytes, StoreFault, Version};
use quick_cache::{
    Weighter,
    sync::{Cache, DefaultLifecycle},
};
use rustc_hash::FxBuildHasher;

use super::{
    link::Link,
    log::NodeLog,
    record::{self, longest_header},
};

/// The bytes that are read and kept at a time.
pub(super) const BLOCK: usize = 4096;
const BLOCK_BYTES: u64 = 4096;

/// A log and the blocks of it that were used last.
#[derive(Debug)]
pub(super) struct Nodes<L> {
    log: L,
    blocks: Cache<u64, Arc<[u8]>, Bytes, FxBuildHasher>,
    cache_bytes: usize,
    /// The bytes of published versions: what is appended for another one is not read, and may be overwritten.
    visible: u64,
    reads: AtomicU64,
}

/// Blocks count by their bytes: the last one of the log is a part of one.
#[derive(Clone, Debug)]
struct Bytes;

impl Weighter<u64, Arc<[u8]>> for Bytes {
    fn weight(&self, _: &u64, block: &Arc<[u8]>) -> u64 {
        u64::try_from(block.len()).unwrap_or(u64::MAX).max(1)
    }
}

/// The copy begins with no blocks.
impl<L: NodeLog + Clone> Clone for Nodes<L> {
    fn clone(&self) -> Self {
        Self::new(self.log.clone(), self.cache_bytes)
    }
}

impl<L: NodeLog> Nodes<L> {
    /// The nodes of a log; blocks of about so many bytes are kept in memory.
    pub(super) fn new(log: L, cache_bytes: usize) -> Self {
        let blocks = (cache_bytes / BLOCK).max(LEAST_BLOCKS);
        let capacity = u64::try_from(blocks)
            .unwrap_or(u64::MAX)
            .saturating_mul(BLOCK_BYTES);
        let blocks = Cache::with(
            blocks,
            capacity,
            Bytes,
            FxBuildHasher,
            DefaultLifecycle::default(),
        );
        Self {
            visible: log.end(),
            log,
            cache_bytes,
            blocks,
            reads: AtomicU64::new(0),
        }
    }

    pub(super) const fn log(&self) -> &L {
        &self.log
    }

    pub(super) const fn log_mut(&mut self) -> &mut L {
        &mut self.log
    }

    /// Appends the nodes of the next version.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), StoreFault> {
        self.log.append(bytes)
    }

    /// Makes the next version durable, and its nodes visible.
    pub(super) fn publish(&mut self, version: Version, record: &[u8]) -> Result<(), StoreFault> {
        self.log.publish(version, record)?;
        self.visible = self.log.end();
        Ok(())
    }

    /// Makes all published versions durable.
    pub(super) fn synchronise(&mut self) -> Result<(), StoreFault> {
        self.log.synchronise()
    }

    /// Drops what was appended since the last version.
    pub(super) fn discard(&mut self) {
        self.log.discard();
    }

    /// The bytes of the blocks in memory.
    pub(super) fn cached_bytes(&self) -> usize {
        usize::try_from(self.blocks.weight()).unwrap_or(usize::MAX)
    }

    /// How many blocks were read from the log.
    pub(super) fn reads(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }

    /// The record of a node, of the kind that it should be. Its digest is not made again.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`], [`StoreFault::Medium`].
    pub(super) fn open<D: DigestBytes>(&self, link: &Link<D>) -> Result<Record, StoreFault> {
        let found = self.record::<D>(link.address)?;
        if record::is_leaf(&found) == link.is_leaf && record::is_intact(&found) {
            Ok(found)
        } else {
            Err(StoreFault::Damaged)
        }
    }

    fn record<D: DigestBytes>(&self, address: u64) -> Result<Record, StoreFault> {
        let start = usize::try_from(address % BLOCK_BYTES).map_err(|_| StoreFault::Damaged)?;
        let block = self.block(address / BLOCK_BYTES, start)?;
        let there = block.get(start..).ok_or(StoreFault::Damaged)?;
        match record::length::<D>(there)? {
            Some(length) if length <= there.len() => Ok(Record {
                bytes: block,
                start,
                length,
            }),
            length => self.assembled::<D>(address, length),
        }
    }

    /// A record that is in several blocks.
    fn assembled<D: DigestBytes>(
        &self,
        address: u64,
        length: Option<usize>,
    ) -> Result<Record, StoreFault> {
        let length = if let Some(length) = length {
            length
        } else {
            let header = self.bytes(address, longest_header::<D>())?;
            record::length::<D>(&header)?.ok_or(StoreFault::Damaged)?
        };
        let bytes: Arc<[u8]> = self.bytes(address, length)?.into();
        if bytes.len() < length {
            return Err(StoreFault::Damaged);
        }
        Ok(Record {
            bytes,
            start: 0,
            length,
        })
    }

    /// The bytes from an address on, as many as there are up to `length`.
    fn bytes(&self, address: u64, length: usize) -> Result<Vec<u8>, StoreFault> {
        let rest = self.visible.saturating_sub(address);
        let length = length.min(usize::try_from(rest).unwrap_or(usize::MAX));
        let mut bytes = Vec::with_capacity(length);
        if length > 4 * BLOCK {
            // A large value is not worth the room of many nodes.
            bytes.resize(length, 0);
            self.log.read(address, &mut bytes)?;
            return Ok(bytes);
        }
        let mut next = address;
        while bytes.len() < length {
            let start = usize::try_from(next % BLOCK_BYTES).map_err(|_| StoreFault::Damaged)?;
            let wanted = (length - bytes.len()).min(BLOCK - start);
            let block = self.block(next / BLOCK_BYTES, start + wanted - 1)?;
            let piece = block.get(start..start + wanted);
            bytes.extend_from_slice(piece.ok_or(StoreFault::Damaged)?);
            next += u64::try_from(wanted).map_err(|_| StoreFault::Damaged)?;
        }
        Ok(bytes)
    }

    /// A block that has at least this byte.
    fn block(&self, number: u64, place: usize) -> Result<Arc<[u8]>, StoreFault> {
        if let Some(block) = self.blocks.get(&number) {
            // The last block may have grown since.
            if block.len() > place && (block.len() == BLOCK || !self.has_grown(number, &block)) {
                return Ok(block);
            }
        }
        let start = number.checked_mul(BLOCK_BYTES).ok_or(StoreFault::Damaged)?;
        let length = self.visible.saturating_sub(start).min(BLOCK_BYTES);
        let length = usize::try_from(length).map_err(|_| StoreFault::Damaged)?;
        if length <= place {
            return Err(StoreFault::Damaged);
        }
        // Shared from the beginning: a vector would be copied.
        let mut block: Arc<[u8]> = iter::repeat_n(0, length).collect();
        let bytes = Arc::get_mut(&mut block).ok_or(StoreFault::Damaged)?;
        self.log.read(start, bytes)?;
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.blocks.insert(number, Arc::clone(&block));
        Ok(block)
    }

    fn has_grown(&self, number: u64, block: &[u8]) -> bool {
        let there = self
            .visible
            .saturating_sub(number.saturating_mul(BLOCK_BYTES));
        there.min(BLOCK_BYTES) > u64::try_from(block.len()).unwrap_or(u64::MAX)
    }
}

/// A few paths.
const LEAST_BLOCKS: usize = 16;

/// The bytes of a node's record.
#[derive(Clone, Debug)]
pub(super) struct Record {
    bytes: Arc<[u8]>,
    start: usize,
    length: usize,
}

impl Deref for Record {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let from = self.bytes.get(self.start..).unwrap_or_default();
        from.get(..self.length).unwrap_or_default()
    }
}
