//! The backing store of a directory's blocks that are not all in memory: the files, the cache, and
//! the last error.

use core::sync::atomic::{AtomicBool, Ordering};
use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use pad_core::{StoreFault, Suite};

use super::{cache::Cache, error::StoreError, files::LevelFiles};
use crate::{
    blocks::{frame::Frame, grid::Grid},
    strategy::Place,
};

/// The files of a directory's blocks, a cache of blocks, and the last error.
#[derive(Debug)]
pub(crate) struct BackingStore<S: Suite> {
    pub(crate) files: LevelFiles,
    cache: Mutex<Cache<S>>,
    /// Places of blocks that stay in memory and differ from their files.
    pub(crate) changed: BTreeSet<Place>,
    is_closed: AtomicBool,
    last_error: Mutex<Option<StoreError>>,
}

impl<S: Suite> BackingStore<S> {
    pub(crate) fn new(files: LevelFiles, frames: usize) -> Self {
        Self {
            files,
            cache: Mutex::new(Cache::new(frames)),
            changed: BTreeSet::new(),
            is_closed: AtomicBool::new(false),
            last_error: Mutex::new(None),
        }
    }

    pub(crate) fn cache(&self) -> MutexGuard<'_, Cache<S>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an error if a failed write has closed the directory.
    pub(crate) fn require_open(&self) -> Result<(), StoreFault> {
        if self.is_closed.load(Ordering::Acquire) {
            Err(StoreFault::Closed)
        } else {
            Ok(())
        }
    }

    /// Closes the directory after `error`, and returns the error's class. The directory then gives
    /// no more answers and accepts no writes, because the contents of the medium are unknown.
    pub(crate) fn close(&self, error: StoreError) -> StoreFault {
        self.is_closed.store(true, Ordering::Release);
        self.note(error)
    }

    /// Stores an error for [`BackingStore::take_error`], and returns the class of the error.
    pub(crate) fn note(&self, error: StoreError) -> StoreFault {
        let fault = error.fault();
        if matches!(error, StoreError::Fault(_)) {
            // The error behind this fault was stored before.
            return fault;
        }
        let mut last = self
            .last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *last = Some(error);
        fault
    }

    /// Returns the last stored error, and removes it from the store.
    pub(crate) fn take_error(&self) -> Option<StoreError> {
        let mut last = self
            .last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        last.take()
    }

    /// Adds a new block to the cache, to be written to its file later. `grid` is the layout that
    /// includes the block.
    pub(crate) fn insert_changed(
        &self,
        grid: Grid,
        place: Place,
        frame: Frame<S>,
    ) -> Result<(), StoreFault> {
        let mut cache = self.cache();
        cache.insert_changed(place, frame, grid.slots_of(place));
        self.evict(&mut cache)
    }

    /// Evicts blocks from the cache if there are too many. Changed blocks are written to their
    /// files first.
    pub(crate) fn evict(&self, cache: &mut Cache<S>) -> Result<(), StoreFault> {
        let written = cache.evict(|place, frame, slots| self.files.write(place, frame, slots));
        written.map_err(|error| self.close(error))
    }
}
