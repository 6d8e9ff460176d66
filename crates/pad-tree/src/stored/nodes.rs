//! Reads the nodes of a log, through a cache of the log's blocks.

use core::{
    iter,
    ops::Deref,
    sync::atomic::{AtomicU64, Ordering},
};
use std::sync::Arc;

use pad_core::{StoreFault, Version, internals::DigestBytes};

use super::{
    blocks::{BLOCK, BLOCK_BYTES, RecentBlocks},
    cache::{NodeCache, WarmState},
    held::PinnedBlocks,
    link::Link,
    log::NodeLog,
    record::{self, inner_header},
};

/// A log of nodes, with a cache of its recently used blocks and, optionally, pinned blocks.
#[derive(Debug)]
pub(super) struct Nodes<L> {
    pub(super) log: L,
    blocks: Arc<RecentBlocks>,
    pub(super) cache: NodeCache,
    /// The pinned blocks, which stay in memory; `None` if blocks are not pinned.
    held: Option<PinState>,
    /// The number of bytes of published versions. Bytes appended for the next version are not read,
    /// and may be overwritten.
    visible: u64,
    reads: AtomicU64,
}

/// The pinned blocks of a log, which stay in memory, and the version that they contain.
#[derive(Debug)]
struct PinState {
    held: PinnedBlocks,
    /// The maximum number of pinned bytes.
    most: u64,
    /// The address of the root of the tree whose nodes were all checked, and pinned up to the
    /// limit. `None` before the first warming, and after each later publication or compaction.
    root: Option<u64>,
    /// The end, in the log, of the nodes that were considered for pinning. Then the bytes in memory
    /// directly after the last warming (reading of a whole version). `None` before the first
    /// warming.
    warmed: Option<(u64, u64)>,
}

/// The clone has no pinned blocks. It shares the recently used blocks only if the log has an
/// identity and at least one version.
impl<L: NodeLog + Clone> Clone for Nodes<L> {
    fn clone(&self) -> Self {
        Self::new(self.log.clone(), self.cache.clone())
    }
}

impl<L: NodeLog> Nodes<L> {
    /// Creates a reader of the nodes of a log, cached as `cache` configures.
    pub(super) fn new(log: L, cache: NodeCache) -> Self {
        Self {
            visible: log.end(),
            blocks: recent_blocks(&log, &cache),
            log,
            cache,
            held: None,
            reads: AtomicU64::new(0),
        }
    }

    /// Appends bytes with nodes of the next version to the log.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), StoreFault> {
        self.keep_apart();
        self.log.append(bytes)
    }

    /// Stops sharing cached blocks with other openings of the log, because bytes that are written
    /// here may never be published.
    fn keep_apart(&mut self) {
        if Arc::strong_count(&self.blocks) > 1 {
            self.blocks = self.cache.new_blocks();
        }
    }

    /// Publishes the next version with its record, and makes its nodes visible.
    pub(super) fn publish(&mut self, version: Version, record: &[u8]) -> Result<(), StoreFault> {
        self.keep_apart();
        self.log.publish(version, record)?;
        self.show_appended();
        Ok(())
    }

    /// Replaces the record of the latest version, and makes the nodes appended since then visible.
    pub(super) fn replace(&mut self, record: &[u8]) -> Result<(), StoreFault> {
        self.keep_apart();
        self.log.replace(record)?;
        self.show_appended();
        Ok(())
    }

    /// Makes appended nodes readable, which [`Nodes::publish`] does too. Unpins the partial last
    /// block, which may have grown in the log. The latest version then no longer counts as
    /// completely pinned.
    pub(super) fn show_appended(&mut self) {
        self.visible = self.log.end();
        if let Some(stay) = &mut self.held {
            stay.held = stay.held.clone().with_last(None);
            stay.root = None;
        }
    }

    /// Unpins all blocks, and replaces the cache of recently used blocks by `cache`.
    pub(super) fn use_cache(&mut self, cache: NodeCache) {
        self.blocks = recent_blocks(&self.log, &cache);
        self.held = None;
        self.cache = cache;
    }

    /// The pinned blocks; `None` if blocks are not pinned.
    pub(super) fn held(&self) -> Option<&PinnedBlocks> {
        self.held.as_ref().map(|stay| &stay.held)
    }

    /// The state of the last warming; `None` before the first one, or if blocks are not pinned.
    pub(super) fn last_warmed(&self) -> Option<WarmState> {
        let stay = self.held.as_ref()?;
        let (end, whole_bytes) = stay.warmed?;
        Some(WarmState {
            held: stay.held.clone(),
            end,
            whole_bytes,
        })
    }

    /// The number of bytes in the log that may be read: those of published versions.
    pub(super) const fn visible(&self) -> u64 {
        self.visible
    }

    /// Extends the table `held` so that all visible blocks can be pinned. Reads and pins the
    /// partial last block.
    pub(super) fn with_places(&self, held: PinnedBlocks) -> Result<PinnedBlocks, StoreFault> {
        let whole = self.visible / BLOCK_BYTES;
        let last = if self.visible.is_multiple_of(BLOCK_BYTES) {
            None
        } else {
            Some((whole, self.fetched(whole)?))
        };
        Ok(held.with_places(whole).with_last(last))
    }

    /// Starts to pin blocks in the table `held`, up to `most` bytes.
    pub(super) fn hold(&mut self, held: PinnedBlocks, most: u64) {
        self.held = Some(PinState {
            held,
            most,
            root: None,
            warmed: None,
        });
    }

    /// Unpins all blocks, and stops pinning.
    pub(super) fn hold_nothing(&mut self) {
        self.held = None;
    }

    /// Records that all nodes of the tree with its root at address `root` were checked and pinned,
    /// up to the limit. `state` contains the pinned blocks.
    pub(super) fn warmed(&mut self, state: &WarmState, root: Option<u64>) {
        let most = self.held.as_ref().map_or(0, |stay| stay.most);
        self.held = Some(PinState {
            held: state.held.clone(),
            most,
            root,
            warmed: Some((state.end, state.whole_bytes)),
        });
    }

    /// The pinned blocks; `None` unless all nodes of the tree with its root at address `root` were
    /// checked when they were pinned.
    #[inline]
    pub(super) fn checked(&self, root: u64) -> Option<&PinnedBlocks> {
        let stay = self.held.as_ref()?;
        (stay.root == Some(root)).then_some(&stay.held)
    }

    /// Pins the blocks that contain the node at `address`, up to the limit. Of a record longer than
    /// [`LONGEST_KEPT`], pins only the blocks with its header.
    pub(super) fn stay<D: DigestBytes>(&self, address: u64) -> Result<(), StoreFault> {
        let Some(stay) = &self.held else {
            return Ok(());
        };
        let number = address / BLOCK_BYTES;
        self.stay_block(stay, number)?;
        let start = usize::try_from(address % BLOCK_BYTES).map_err(|_| StoreFault::Damaged)?;
        let block = self.block(number, start, Reuse::Often)?;
        let there = block.get(start..).ok_or(StoreFault::Damaged)?;
        let length = if let Some(length) = record::length::<D>(there)? {
            length
        } else {
            self.stay_block(stay, number.saturating_add(1))?;
            self.length_across::<D>(address)?
        };
        if length > there.len() && length <= LONGEST_KEPT {
            let length = u64::try_from(length).map_err(|_| StoreFault::Damaged)?;
            let last = address.saturating_add(length).saturating_sub(1) / BLOCK_BYTES;
            for further in number + 1..=last {
                self.stay_block(stay, further)?;
            }
        }
        Ok(())
    }

    /// Pins the block that contains `position`, where the previous warming ended. At that time, it
    /// may have been the partial last block. Does nothing at position 0.
    pub(super) fn stay_at(&self, position: u64) -> Result<(), StoreFault> {
        match &self.held {
            Some(stay) if position > 0 => self.stay_block(stay, position / BLOCK_BYTES),
            _ => Ok(()),
        }
    }

    fn stay_block(&self, stay: &PinState, number: u64) -> Result<(), StoreFault> {
        // The last block is kept separately while it grows.
        if number >= self.visible / BLOCK_BYTES {
            return Ok(());
        }
        if !stay.held.wants(number, BLOCK_BYTES) || stay.held.wanted_bytes() > stay.most {
            return Ok(());
        }
        stay.held.put(number, self.fetched(number)?);
        Ok(())
    }

    /// Reads the block with this number from the log.
    fn fetched(&self, number: u64) -> Result<Arc<[u8]>, StoreFault> {
        let start = number.checked_mul(BLOCK_BYTES).ok_or(StoreFault::Damaged)?;
        let length = self.visible.saturating_sub(start).min(BLOCK_BYTES);
        let length = usize::try_from(length).map_err(|_| StoreFault::Damaged)?;
        // Read in place, without a copy.
        let mut block: Arc<[u8]> = iter::repeat_n(0, length).collect();
        let bytes = Arc::get_mut(&mut block).ok_or(StoreFault::Damaged)?;
        self.log.read(start, bytes)?;
        self.reads.fetch_add(1, Ordering::Relaxed);
        Ok(block)
    }

    /// Drops the bytes appended since the last version was published, and all cached blocks that
    /// may contain them.
    pub(super) fn withdraw(&mut self) {
        self.log.discard();
        if self.visible != self.log.end() {
            self.visible = self.log.end();
            // Cached blocks may contain bytes that are no longer in the log.
            self.use_cache(self.cache.clone());
        }
    }

    /// The number of bytes in cached and pinned blocks.
    pub(super) fn cached_bytes(&self) -> usize {
        let held = self.held().map_or(0, PinnedBlocks::bytes);
        let bytes = self.blocks.cache.weight().saturating_add(held);
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    /// The number of blocks read from the log, without the blocks of long records.
    pub(super) fn reads(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }

    /// Removes the blocks of a damaged node from the cache of recently used blocks. Returns whether
    /// there were any: then another read may return other bytes.
    pub(super) fn doubt<D: DigestBytes>(&self, link: &Link<D>) -> bool {
        let first = link.address / BLOCK_BYTES;
        let mut was_there = false;
        for number in (first..).take(LONGEST_KEPT / BLOCK + 1) {
            was_there |= self.blocks.cache.remove(&number).is_some();
        }
        was_there
    }

    /// Reads the record of a node and checks its kind. The digest is not recomputed.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if there is no valid record of this kind; [`StoreFault::Medium`] if
    /// the medium failed.
    pub(super) fn open<D: DigestBytes>(&self, link: &Link<D>) -> Result<Record, StoreFault> {
        self.open_near(link, &mut Recent::default(), Reuse::Often)
    }

    /// Like [`Nodes::open`], but first looks into the block `recent`, which contains the node's
    /// parent and often the node too. `passing` tells whether to cache a block that is read.
    ///
    /// # Errors
    /// The errors of [`Nodes::open`].
    pub(super) fn open_near<D: DigestBytes>(
        &self,
        link: &Link<D>,
        recent: &mut Recent,
        passing: Reuse,
    ) -> Result<Record, StoreFault> {
        let start = usize::try_from(link.address % BLOCK_BYTES).map_err(|_| StoreFault::Damaged)?;
        let number = link.address / BLOCK_BYTES;
        let block = match &recent.0 {
            // Only a full block does not grow.
            Some((last, block)) if *last == number && block.len() == BLOCK => Arc::clone(block),
            _ => {
                let block = self.block(number, start, passing)?;
                recent.0 = Some((number, Arc::clone(&block)));
                block
            }
        };
        let there = block.get(start..).ok_or(StoreFault::Damaged)?;
        let found = match record::length::<D>(there)? {
            Some(length) if length <= there.len() => Record {
                bytes: block,
                start,
                length,
            },
            length => self.assembled::<D>(link.address, length)?,
        };
        if record::is_leaf(&found) == link.is_leaf && record::is_intact(&found) {
            Ok(found)
        } else {
            Err(StoreFault::Damaged)
        }
    }

    /// Reads a record that spans several blocks, at `address`. `length` is its length, if known.
    fn assembled<D: DigestBytes>(
        &self,
        address: u64,
        length: Option<usize>,
    ) -> Result<Record, StoreFault> {
        let length = match length {
            Some(length) => length,
            None => self.length_across::<D>(address)?,
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

    /// Reads the length of the record at `address`, whose header spans two blocks.
    fn length_across<D: DigestBytes>(&self, address: u64) -> Result<usize, StoreFault> {
        let header = self.bytes(address, inner_header::<D>())?;
        record::length::<D>(&header)?.ok_or(StoreFault::Damaged)
    }

    /// Reads `length` bytes from `address` on, or fewer at the end of the log.
    fn bytes(&self, address: u64, length: usize) -> Result<Vec<u8>, StoreFault> {
        let rest = self.visible.saturating_sub(address);
        let length = length.min(usize::try_from(rest).unwrap_or(usize::MAX));
        let mut bytes = Vec::with_capacity(length);
        if length > LONGEST_KEPT {
            bytes.resize(length, 0);
            self.log.read(address, &mut bytes)?;
            return Ok(bytes);
        }
        let mut next = address;
        while bytes.len() < length {
            let start = usize::try_from(next % BLOCK_BYTES).map_err(|_| StoreFault::Damaged)?;
            let wanted = (length - bytes.len()).min(BLOCK - start);
            let block = self.block(next / BLOCK_BYTES, start + wanted - 1, Reuse::Often)?;
            let piece = block.get(start..start + wanted);
            bytes.extend_from_slice(piece.ok_or(StoreFault::Damaged)?);
            next += u64::try_from(wanted).map_err(|_| StoreFault::Damaged)?;
        }
        Ok(bytes)
    }

    /// The block with this number, from memory or from the log. It contains at least the byte at
    /// offset `place`. `passing` tells whether to cache a block that is read.
    fn block(&self, number: u64, place: usize, passing: Reuse) -> Result<Arc<[u8]>, StoreFault> {
        if let Some(block) = self.held().and_then(|held| held.get(number))
            && block.len() > place
        {
            return Ok(Arc::clone(block));
        }
        if let Some(block) = self.blocks.cache.get(&number) {
            // The last block may have grown since it was cached. Then it is read again.
            if block.len() > place && (block.len() == BLOCK || !self.has_grown(number, &block)) {
                return Ok(block);
            }
        }
        let start = number.saturating_mul(BLOCK_BYTES);
        let there = self.visible.saturating_sub(start);
        if there <= u64::try_from(place).unwrap_or(u64::MAX) {
            return Err(StoreFault::Damaged);
        }
        let block = self.fetched(number)?;
        if passing == Reuse::Often {
            self.blocks.cache.insert(number, Arc::clone(&block));
        }
        Ok(block)
    }

    fn has_grown(&self, number: u64, block: &[u8]) -> bool {
        let there = self
            .visible
            .saturating_sub(number.saturating_mul(BLOCK_BYTES));
        there.min(BLOCK_BYTES) > u64::try_from(block.len()).unwrap_or(u64::MAX)
    }
}

/// The recently used blocks for a log: shared by all openings if the log has an identity and a
/// version, else new.
fn recent_blocks<L: NodeLog>(log: &L, cache: &NodeCache) -> Arc<RecentBlocks> {
    let has_versions = log.latest() > Version::EMPTY;
    cache.blocks_of(log.identity().filter(|_| has_versions))
}

/// The record of a node, without a copy. `None` unless one pinned block contains it as a whole, and
/// it has the expected kind. Its digest is not checked.
#[inline]
pub(super) fn in_place<'h, D: DigestBytes>(
    held: &'h PinnedBlocks,
    link: &Link<D>,
) -> Option<&'h [u8]> {
    let start = usize::try_from(link.address % BLOCK_BYTES).ok()?;
    let there = held.get(link.address / BLOCK_BYTES)?.get(start..)?;
    let found = there.get(..record::length::<D>(there).ok()??)?;
    (record::is_leaf(found) == link.is_leaf).then_some(found)
}

/// The length in bytes of the longest record that is cached. Longer records would displace many
/// nodes.
const LONGEST_KEPT: usize = 4 * BLOCK;

/// Whether a block that is read is likely to be read again soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reuse {
    /// Read again soon: the block is cached.
    Often,
    /// Not read again soon: the block is not cached, so it displaces no other block.
    Once,
}

/// The number and contents of the block that was read last. A node and its parent are often in one
/// block.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent(Option<(u64, Arc<[u8]>)>);

/// The encoded record of a node, as a part of a shared buffer.
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
