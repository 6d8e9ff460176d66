//! Reading nodes from a log, through a cache of its blocks.

use core::{
    iter,
    ops::Deref,
    sync::atomic::{AtomicU64, Ordering},
};
use std::sync::Arc;

use pad_core::{DigestBytes, StoreFault, Version};

use super::{
    blocks::{BLOCK, BLOCK_BYTES, RecentBlocks},
    cache::NodeCache,
    held::Held,
    link::Link,
    log::NodeLog,
    record::{self, longest_header},
};

/// A log and the blocks of it that were used last.
#[derive(Debug)]
pub(super) struct Nodes<L> {
    log: L,
    blocks: Arc<RecentBlocks>,
    cache: NodeCache,
    /// Blocks that stay, if any do.
    held: Option<Stay>,
    /// The bytes of published versions: what is appended for another one is not read, and may be overwritten.
    visible: u64,
    reads: AtomicU64,
}

/// The blocks that stay.
#[derive(Debug)]
struct Stay {
    held: Held,
    /// They may have so many bytes.
    most: u64,
    /// The root of the tree of which all is here and was checked, if no version came since.
    root: Option<u64>,
    /// What was warmed ends here; `None` while nothing is.
    end: Option<u64>,
    /// The bytes when a whole version was read last.
    whole_bytes: u64,
}

/// The copy begins with no blocks, but those that every opening of the log shares.
impl<L: NodeLog + Clone> Clone for Nodes<L> {
    fn clone(&self) -> Self {
        Self::new(self.log.clone(), self.cache.clone())
    }
}

impl<L: NodeLog> Nodes<L> {
    /// The nodes of a log, of which so much is kept in memory.
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

    pub(super) const fn log(&self) -> &L {
        &self.log
    }

    pub(super) const fn log_mut(&mut self) -> &mut L {
        &mut self.log
    }

    /// Appends the nodes of the next version.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), StoreFault> {
        self.keep_apart();
        self.log.append(bytes)
    }

    /// Shares blocks with no other opening: what is published here may never be in the store.
    fn keep_apart(&mut self) {
        if Arc::strong_count(&self.blocks) > 1 {
            self.blocks = self.cache.new_blocks();
        }
    }

    /// Makes the next version durable, and its nodes visible.
    pub(super) fn publish(&mut self, version: Version, record: &[u8]) -> Result<(), StoreFault> {
        self.keep_apart();
        self.log.publish(version, record)?;
        self.visible = self.log.end();
        self.forget_last();
        Ok(())
    }

    /// Has the latest version have this record, and what was appended.
    pub(super) fn replace(&mut self, record: &[u8]) -> Result<(), StoreFault> {
        self.keep_apart();
        self.log.replace(record)?;
        self.visible = self.log.end();
        self.forget_last();
        Ok(())
    }

    /// The last block that stays may have grown.
    fn forget_last(&mut self) {
        if let Some(stay) = &mut self.held {
            stay.held = stay.held.clone().with_last(None);
            stay.root = None;
        }
    }

    /// Forgets what is in memory, and goes on with this memory.
    pub(super) fn use_cache(&mut self, cache: NodeCache) {
        self.blocks = recent_blocks(&self.log, &cache);
        self.held = None;
        self.cache = cache;
    }

    pub(super) const fn cache(&self) -> &NodeCache {
        &self.cache
    }

    /// The blocks that stay.
    pub(super) fn held(&self) -> Option<&Held> {
        self.held.as_ref().map(|stay| &stay.held)
    }

    /// Where the version ends that was warmed.
    pub(super) fn warmed_end(&self) -> Option<u64> {
        self.held.as_ref()?.end
    }

    /// The bytes in memory when a whole version was read last.
    pub(super) fn whole_bytes(&self) -> Option<u64> {
        self.held.as_ref().map(|stay| stay.whole_bytes)
    }

    /// Where the nodes of the latest version end.
    pub(super) const fn visible(&self) -> u64 {
        self.visible
    }

    /// What is held, with places for all blocks.
    pub(super) fn with_places(&self, held: Held) -> Result<Held, StoreFault> {
        let whole = self.visible / BLOCK_BYTES;
        let last = if self.visible.is_multiple_of(BLOCK_BYTES) {
            None
        } else {
            Some((whole, self.fetched(whole)?))
        };
        Ok(held.with_places(whole).with_last(last))
    }

    /// Has blocks stay from now on, of at most so many bytes.
    pub(super) fn hold(&mut self, held: Held, most: u64) {
        self.held = Some(Stay {
            held,
            most,
            root: None,
            end: None,
            whole_bytes: 0,
        });
    }

    /// Lets go of all blocks.
    pub(super) fn hold_nothing(&mut self) {
        self.held = None;
    }

    /// All nodes of the tree with a root there are in the blocks that stay, as far as they may be.
    pub(super) fn warmed(&mut self, (held, whole_bytes): (Held, u64), root: Option<u64>) {
        let most = self.held.as_ref().map_or(0, |stay| stay.most);
        self.held = Some(Stay {
            held,
            most,
            root,
            end: Some(self.visible),
            whole_bytes,
        });
    }

    /// The blocks that stay, if all nodes of the tree with a root there were checked when they came into memory.
    #[inline]
    pub(super) fn checked(&self, root: u64) -> Option<&Held> {
        let stay = self.held.as_ref()?;
        (stay.root == Some(root)).then_some(&stay.held)
    }

    /// Has the blocks of a node stay, if they may.
    pub(super) fn stay<D: DigestBytes>(&self, address: u64) -> Result<(), StoreFault> {
        let Some(stay) = &self.held else {
            return Ok(());
        };
        let number = address / BLOCK_BYTES;
        self.stay_block(stay, number)?;
        let start = usize::try_from(address % BLOCK_BYTES).map_err(|_| StoreFault::Damaged)?;
        let block = self.block(number, start, Passing::Often)?;
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

    /// Has the block stay that a position is in: it may have been the last one, and have grown.
    pub(super) fn stay_at(&self, position: u64) -> Result<(), StoreFault> {
        match &self.held {
            Some(stay) if position > 0 => self.stay_block(stay, position / BLOCK_BYTES),
            _ => Ok(()),
        }
    }

    fn stay_block(&self, stay: &Stay, number: u64) -> Result<(), StoreFault> {
        // The last one has a place of its own as long as it grows.
        if number >= self.visible / BLOCK_BYTES {
            return Ok(());
        }
        if !stay.held.wants(number, BLOCK_BYTES) || stay.held.wanted_bytes() > stay.most {
            return Ok(());
        }
        stay.held.put(number, self.fetched(number)?);
        Ok(())
    }

    /// A block from the log.
    fn fetched(&self, number: u64) -> Result<Arc<[u8]>, StoreFault> {
        let start = number.checked_mul(BLOCK_BYTES).ok_or(StoreFault::Damaged)?;
        let length = self.visible.saturating_sub(start).min(BLOCK_BYTES);
        let length = usize::try_from(length).map_err(|_| StoreFault::Damaged)?;
        // Read where it stays.
        let mut block: Arc<[u8]> = iter::repeat_n(0, length).collect();
        let bytes = Arc::get_mut(&mut block).ok_or(StoreFault::Damaged)?;
        self.log.read(start, bytes)?;
        self.reads.fetch_add(1, Ordering::Relaxed);
        Ok(block)
    }

    /// Makes all published versions durable.
    pub(super) fn synchronise(&mut self) -> Result<(), StoreFault> {
        self.log.synchronise()
    }

    /// Drops what was appended since the last version.
    pub(super) fn discard(&mut self) {
        self.log.discard();
    }

    /// Has what was appended be read before it is published: only what makes the next version reaches it.
    pub(super) fn show_appended(&mut self) {
        self.visible = self.log.end();
        self.forget_last();
    }

    /// Drops what was appended since the last version, although it may have been read.
    pub(super) fn withdraw(&mut self) {
        self.discard();
        if self.visible != self.log.end() {
            self.visible = self.log.end();
            // Blocks in memory may be of what is not there any more.
            self.use_cache(self.cache.clone());
        }
    }

    /// The bytes of the blocks in memory.
    pub(super) fn cached_bytes(&self) -> usize {
        let held = self.held().map_or(0, Held::bytes);
        let bytes = self.blocks.weight().saturating_add(held);
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    /// How many blocks were read from the log.
    pub(super) fn reads(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }

    /// Forgets what is at hand of a node that is not what was written, but for blocks that stay; whether there was anything, so that what is
    /// read next may be something else.
    pub(super) fn doubt<D: DigestBytes>(&self, link: &Link<D>) -> bool {
        let first = link.address / BLOCK_BYTES;
        let mut was_there = false;
        for number in (first..).take(LONGEST_KEPT / BLOCK + 1) {
            was_there |= self.blocks.remove(number);
        }
        was_there
    }

    /// The record of a node, of the kind that it should be. Its digest is not made again.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`], [`StoreFault::Medium`].
    pub(super) fn open<D: DigestBytes>(&self, link: &Link<D>) -> Result<Record, StoreFault> {
        self.open_near(link, &mut Recent::default(), Passing::Often)
    }

    /// The same for who has read the node above it from the recent block, which is often its own.
    ///
    /// # Errors
    /// As [`Nodes::open`].
    pub(super) fn open_near<D: DigestBytes>(
        &self,
        link: &Link<D>,
        recent: &mut Recent,
        passing: Passing,
    ) -> Result<Record, StoreFault> {
        let start = usize::try_from(link.address % BLOCK_BYTES).map_err(|_| StoreFault::Damaged)?;
        let number = link.address / BLOCK_BYTES;
        let block = match &recent.0 {
            // Only a whole block does not grow.
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

    /// A record that is in several blocks.
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

    /// The length of a record that begins in one block and says it in the next.
    fn length_across<D: DigestBytes>(&self, address: u64) -> Result<usize, StoreFault> {
        let header = self.bytes(address, longest_header::<D>())?;
        record::length::<D>(&header)?.ok_or(StoreFault::Damaged)
    }

    /// The bytes from an address on, as many as there are up to `length`.
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
            let block = self.block(next / BLOCK_BYTES, start + wanted - 1, Passing::Often)?;
            let piece = block.get(start..start + wanted);
            bytes.extend_from_slice(piece.ok_or(StoreFault::Damaged)?);
            next += u64::try_from(wanted).map_err(|_| StoreFault::Damaged)?;
        }
        Ok(bytes)
    }

    /// A block that has at least this byte.
    fn block(&self, number: u64, place: usize, passing: Passing) -> Result<Arc<[u8]>, StoreFault> {
        if let Some(block) = self.held().and_then(|held| held.get(number))
            && block.len() > place
        {
            return Ok(Arc::clone(block));
        }
        if let Some(block) = self.blocks.get(number) {
            // The last block may have grown since.
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
        if passing == Passing::Often {
            self.blocks.insert(number, Arc::clone(&block));
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

/// The blocks that all openings of a log have, if it has anything yet.
fn recent_blocks<L: NodeLog>(log: &L, cache: &NodeCache) -> Arc<RecentBlocks> {
    let has_versions = log.latest() > Version::EMPTY;
    cache.blocks_of(log.identity().filter(|_| has_versions))
}

/// The node at an address in blocks that stay, if it is of the kind that it should be and in one block. Nothing of it is checked.
#[inline]
pub(super) fn in_place<'h, D: DigestBytes>(held: &'h Held, link: &Link<D>) -> Option<&'h [u8]> {
    let start = usize::try_from(link.address % BLOCK_BYTES).ok()?;
    let there = held.get(link.address / BLOCK_BYTES)?.get(start..)?;
    let found = there.get(..record::length::<D>(there).ok()??)?;
    (record::is_leaf(found) == link.is_leaf).then_some(found)
}

/// A longer record is not worth the room of many nodes.
const LONGEST_KEPT: usize = 4 * BLOCK;

/// Whether a block is likely to be read again soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    /// It stays in memory while there is room.
    Often,
    /// It takes the room of no other.
    Once,
}

/// The block that was read from last, and its number: nodes above each other often stand in one.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent(Option<(u64, Arc<[u8]>)>);

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
