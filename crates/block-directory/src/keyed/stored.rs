//! Keyed directories in a file.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use disk::layer::FileLayer;
use pad_core::{ApplyError, StoreFault, Suite, Update, Version, codec, head::Authority};

use super::{
    block::{Block, Capacity, Child},
    cache::Cache,
    check,
    directory::{KeyedDirectory, check_scheme},
    error::{BlockDamage, KeyedError},
    file::{BlockFile, Latest, Place},
    record::BlockRecord,
    storage::{Edited, Root, Storage, check_child},
};
use crate::store::StoreError;

/// The blocks of a keyed directory in one file, read when they are needed.
///
/// A block that is read has the digest that the block above it says, up to the signed root: the tree is the checksum. Separators are
/// not hashed, so a file that somebody else wrote may have false ones ([`crate::keyed`]): then proofs are refused by clients and
/// updates by this directory, until [`KeyedDirectory::check`] finds out.
///
/// Memory: a budget of bytes for blocks, the blocks that one update changes, and the heads of all versions.
#[derive(Debug)]
pub struct StoredBlocks<S: Suite> {
    file: BlockFile,
    root: Root<S>,
    cache: Mutex<Cache<S>>,
    /// Something could not be written. What the file has is not known until it is opened again.
    is_closed: AtomicBool,
    blocks_read: AtomicU64,
}

/// A keyed directory whose blocks are in a file.
pub type StoredKeyedDirectory<S> = KeyedDirectory<S, StoredBlocks<S>>;

impl<S: Suite> KeyedDirectory<S, StoredBlocks<S>> {
    /// A new directory in a new file, which only its user may read. The blocks in memory take about `cache_bytes`.
    ///
    /// # Errors
    /// [`StoreError::Log`] with [`EngineError::Exists`](disk::engine::EngineError::Exists) if there is something at the path;
    /// [`ApplyError::Head`] for an author of another scheme; [`StoreError`] of the medium.
    pub fn create(
        path: &Path,
        authority: &Authority,
        cache_bytes: usize,
    ) -> Result<Self, KeyedError> {
        Self::create_at(Place::Path(path), authority, cache_bytes)
    }

    /// The same in a layer of files, under this name.
    ///
    /// # Errors
    /// As [`KeyedDirectory::create`].
    pub fn create_in(
        layer: &Arc<dyn FileLayer>,
        name: &str,
        authority: &Authority,
        cache_bytes: usize,
    ) -> Result<Self, KeyedError> {
        Self::create_at(Place::Layer(layer, name), authority, cache_bytes)
    }

    /// The directory in this file, after a crash at its last durable version. Only the top block is read.
    ///
    /// # Errors
    /// [`KeyedError::Store`]; [`KeyedError::Damaged`] if the top block does not have the signed root.
    pub fn open(path: &Path, cache_bytes: usize) -> Result<Self, KeyedError> {
        Self::open_at(Place::Path(path), cache_bytes)
    }

    /// The same in a layer of files, under this name.
    ///
    /// # Errors
    /// As [`KeyedDirectory::open`].
    pub fn open_in(
        layer: &Arc<dyn FileLayer>,
        name: &str,
        cache_bytes: usize,
    ) -> Result<Self, KeyedError> {
        Self::open_at(Place::Layer(layer, name), cache_bytes)
    }

    fn create_at(
        place: Place<'_>,
        authority: &Authority,
        cache_bytes: usize,
    ) -> Result<Self, KeyedError> {
        check_scheme(authority).map_err(ApplyError::Head)?;
        BlockFile::create::<S>(place, authority)?;
        Self::open_at(place, cache_bytes)
    }

    fn open_at(place: Place<'_>, cache_bytes: usize) -> Result<Self, KeyedError> {
        let (file, Latest { heads, root }) = BlockFile::open::<S>(place)?;
        let blocks = StoredBlocks {
            file,
            root,
            cache: Mutex::new(Cache::new(cache_bytes)),
            is_closed: AtomicBool::new(false),
            blocks_read: AtomicU64::new(0),
        };
        if let Some((top, level)) = &root.top {
            blocks.read(top, *level)?;
        }
        Ok(Self::of_parts(blocks, heads))
    }

    /// Checks a directory that nobody has open: every page of the file, every block as one from somebody else, every update. Returns
    /// the number of entries.
    ///
    /// Time: everything is read, and hashed once. Memory: as for a directory that is opened with `cache_bytes`.
    ///
    /// # Errors
    /// [`KeyedError::Damaged`], [`KeyedError::Store`]: what is damaged.
    pub fn check(path: &Path, cache_bytes: usize) -> Result<u64, KeyedError> {
        BlockFile::check_pages(path)?;
        let directory = Self::open(path, cache_bytes)?;
        let blocks = &directory.blocks;
        let found = check::check(blocks)?;
        if found.blocks != blocks.file.count()? || found.entries != blocks.root.entries {
            return Err(BlockDamage::Count.into());
        }
        let damaged = StoreError::DamagedLog;
        for number in 1..=directory.heads().latest().number() {
            let version = Version::new(number);
            let message = directory.update(version)?;
            let message = message.ok_or(damaged("an update is missing"))?;
            let update: Result<Update<S>, _> = codec::decode(&message, message.len());
            let update = update.map_err(|_| damaged("an update cannot be decoded"))?;
            if Ok(update.head) != directory.heads().head(version) {
                return Err(damaged("an update has another head").into());
            }
        }
        Ok(found.entries)
    }

    /// The message of the update that led to a version: for replicas, and for who starts anew from all of them.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    pub fn update(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError> {
        self.blocks.file.update(version)
    }

    /// The same directory in memory, for an author who goes on from it: every block is checked as one from somebody else.
    ///
    /// # Errors
    /// As [`KeyedDirectory::restore`]; [`KeyedError::Store`].
    pub fn to_memory(&self) -> Result<KeyedDirectory<S>, KeyedError> {
        let blocks = &self.blocks;
        let numbers = blocks.file.numbers()?;
        let records = numbers.into_iter().map(|number| {
            let record = blocks.file.block(number)??;
            Ok((number, record))
        });
        let records: Vec<(u64, BlockRecord<S>)> = records.collect::<Result<_, KeyedError>>()?;
        let top = blocks.root.top.map(|(top, _)| top.number);
        KeyedDirectory::restore(self.heads().clone(), top, records)
    }

    /// The number of entries of the latest version. Nobody proves it.
    pub const fn len(&self) -> u64 {
        self.blocks.root.entries
    }

    /// Whether the latest version has no entries.
    pub const fn is_empty(&self) -> bool {
        self.blocks.root.top.is_none()
    }

    /// How many blocks were read from the file since the directory was opened.
    pub fn blocks_read(&self) -> u64 {
        self.blocks.blocks_read.load(Ordering::Relaxed)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    pub fn file_bytes(&self) -> Result<u64, StoreError> {
        self.blocks.file.bytes()
    }
}

impl<S: Suite> StoredBlocks<S> {
    fn cache(&self) -> MutexGuard<'_, Cache<S>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn require_open(&self) -> Result<(), StoreError> {
        if self.is_closed.load(Ordering::Acquire) {
            return Err(StoreFault::Closed.into());
        }
        Ok(())
    }
}

impl<S: Suite> Storage<S> for StoredBlocks<S> {
    fn read(&self, child: &Child<S>, level: u8) -> Result<Arc<Block<S>>, KeyedError> {
        self.require_open()?;
        let number = child.number;
        let cached = self.cache().get(number);
        if let Some(block) = cached {
            check_child(&block, child, level)?;
            return Ok(block);
        }
        let record: BlockRecord<S> = self.file.block(number)??;
        self.blocks_read.fetch_add(1, Ordering::Relaxed);
        let block = Arc::new(record.read(number, self.capacity())?);
        check_child(&block, child, level)?;
        self.cache().insert(number, Arc::clone(&block));
        Ok(block)
    }

    fn root(&self) -> &Root<S> {
        &self.root
    }

    fn capacity(&self) -> Capacity {
        Capacity::BLOCK_TREE
    }

    fn commit(&mut self, edited: Edited<S>, update: &Update<S>) -> Result<(), KeyedError> {
        self.require_open()?;
        if let Err(error) = self.file.commit(&edited, update) {
            self.is_closed.store(true, Ordering::Release);
            return Err(error.into());
        }
        let mut cache = self.cache();
        for number in &edited.gone {
            cache.remove(*number);
        }
        for (number, block) in edited.changed {
            cache.insert(number, block);
        }
        drop(cache);
        self.root = edited.root;
        Ok(())
    }
}
