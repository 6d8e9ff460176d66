//! What stands behind blocks that are not all in memory: the files, the cache of those that come and go, and what became of both.

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

/// The files of blocks and a cache.
#[derive(Debug)]
pub(crate) struct Backing<S: Suite> {
    pub(crate) files: LevelFiles,
    cache: Mutex<Cache<S>>,
    /// Blocks that stay in memory and differ from what was written.
    pub(crate) changed: BTreeSet<Place>,
    is_closed: AtomicBool,
    last_error: Mutex<Option<StoreError>>,
}

impl<S: Suite> Backing<S> {
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

    /// Refuses everything once something could not be written.
    pub(crate) fn require_open(&self) -> Result<(), StoreFault> {
        if self.is_closed.load(Ordering::Acquire) {
            Err(StoreFault::Closed)
        } else {
            Ok(())
        }
    }

    /// Nothing is answered or written any more: what the medium has is not known.
    pub(crate) fn close(&self, error: StoreError) -> StoreFault {
        self.is_closed.store(true, Ordering::Release);
        self.note(error)
    }

    /// Remembers an error for whoever asks what it was.
    pub(crate) fn note(&self, error: StoreError) -> StoreFault {
        let fault = error.fault();
        let mut last = self
            .last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *last = Some(error);
        fault
    }

    /// The last error, which is forgotten.
    pub(crate) fn take_error(&self) -> Option<StoreError> {
        let mut last = self
            .last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        last.take()
    }

    /// Keeps a new block.
    pub(crate) fn insert_changed(
        &self,
        grid: Grid,
        place: Place,
        frame: Frame<S>,
    ) -> Result<(), StoreFault> {
        let mut cache = self.cache();
        cache.insert_changed(place, frame);
        self.evict(&mut cache, grid)
    }

    /// Lets blocks go if there are too many, after those that were changed have been written.
    pub(crate) fn evict(&self, cache: &mut Cache<S>, grid: Grid) -> Result<(), StoreFault> {
        let written = cache.evict(|place, frame| self.write(place, frame, grid));
        written.map_err(|error| self.close(error))
    }

    /// Writes the slots of a block that there are.
    pub(crate) fn write(
        &self,
        place: Place,
        frame: &Frame<S>,
        grid: Grid,
    ) -> Result<(), StoreError> {
        self.files.write(place, frame, grid.slots_of(place))
    }
}
