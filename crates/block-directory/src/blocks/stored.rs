//! Blocks of a directory in files, which are partly read on demand.

use std::sync::Arc;

use pad_core::{StoreFault, Suite};

use super::{Blocks, frame::Frame, grid::Grid, read::FrameRef};
use crate::{
    entry::root_digest,
    store::{backing::BackingStore, error::StoreError},
    strategy::Place,
};

impl<S: Suite> Blocks<S> {
    /// Opens the blocks of a directory in files. `root` is the root of its latest version, which
    /// the author has signed.
    ///
    /// Reads the blocks of the levels from `pinned_from` up, and keeps them in memory. Compares the
    /// digest of every block above level 0 with the slot above it, and that of the topmost block
    /// with the root.
    pub(crate) fn of_files(
        grid: Grid,
        root: S::Digest,
        backing: BackingStore<S>,
        pinned_from: u8,
    ) -> Result<Self, StoreError> {
        let mut blocks = Self {
            grid,
            root,
            levels: (pinned_from..grid.levels()).map(|_| Vec::new()).collect(),
            pinned_from,
            backing: Some(backing),
        };
        for level in (pinned_from..grid.levels()).rev() {
            let frames = blocks.read_level(level)?;
            let pinned = usize::from(level - pinned_from);
            if let Some(level) = blocks.levels.get_mut(pinned) {
                *level = frames;
            }
        }
        let mut frame = Frame::empty(grid.capacity());
        if grid.registered == 0 && root != S::empty_tree() {
            return Err(StoreError::DamagedLog(
                "its number of entries is 0, but its root is not that of an empty directory",
            ));
        }
        if grid.registered > 0 && grid.levels() == 1 {
            let (level, block) = (0, 0);
            blocks.read(Place { level, block }, &mut frame)?;
        }
        for level in 1..pinned_from.min(grid.levels()) {
            for block in 0..grid.blocks(level) {
                blocks.read(Place { level, block }, &mut frame)?;
            }
        }
        Ok(blocks)
    }

    fn read_level(&self, level: u8) -> Result<Vec<Frame<S>>, StoreError> {
        (0..self.grid.blocks(level))
            .map(|block| {
                let mut frame = Frame::empty(self.grid.capacity());
                self.read(Place { level, block }, &mut frame)?;
                Ok(frame)
            })
            .collect()
    }

    /// Reads a block from its file into `frame`. Compares its digest with the slot in the block
    /// above, or with the root.
    pub(crate) fn read(&self, place: Place, frame: &mut Frame<S>) -> Result<(), StoreError> {
        let Some(backing) = &self.backing else {
            return Err(StoreFault::Damaged.into());
        };
        let slots = self.grid.slots_of(place);
        backing.files.read(place, slots, frame)?;
        frame.fill(place, slots);
        let is_topmost = place.level + 1 >= self.grid.levels();
        let is_right = if is_topmost {
            root_digest::<S>(self.grid.registered, &frame.top()) == self.root
        } else {
            let (above, index) = self.above(place);
            self.frame(above)?.get(index) == frame.top()
        };
        if is_right {
            Ok(())
        } else {
            Err(backing.files.damaged(place))
        }
    }

    /// Returns the block and the index of the slot that contains the digest of the block at
    /// `place`.
    fn above(&self, place: Place) -> (Place, usize) {
        let height = self.grid.step * (u32::from(place.level) + 1);
        self.grid.locate(height, place.block)
    }

    /// Returns a block from the cache, or reads it into the cache. Evicts other blocks if the cache
    /// is too large.
    pub(super) fn cached(
        &self,
        backing: &BackingStore<S>,
        place: Place,
    ) -> Result<FrameRef<'_, S>, StoreFault> {
        let held = self.fetched(backing, place)?;
        backing.evict(&mut backing.cache())?;
        Ok(held)
    }

    /// Like [`Blocks::cached`], but evicts no blocks.
    fn fetched(
        &self,
        backing: &BackingStore<S>,
        place: Place,
    ) -> Result<FrameRef<'_, S>, StoreFault> {
        backing.require_open()?;
        let mut frame = {
            let mut cache = backing.cache();
            if let Some(frame) = cache.get(place) {
                return Ok(FrameRef::Cached(frame));
            }
            cache.spare(self.grid.capacity())
        };
        let read = self.read(place, &mut frame);
        read.map_err(|error| backing.note(error))?;
        let frame = Arc::new(frame);
        let mut cache = backing.cache();
        // Another thread may have cached the block meanwhile. Then use that copy.
        if let Some(frame) = cache.get(place) {
            return Ok(FrameRef::Cached(frame));
        }
        cache.insert(place, Arc::clone(&frame));
        Ok(FrameRef::Cached(frame))
    }

    /// Applies `change`, in the cache, to an existing block, or to a new block at the end of its
    /// level. `grid` is the layout after the change.
    pub(super) fn change_cached(
        &self,
        backing: &BackingStore<S>,
        grid: Grid,
        place: Place,
        change: impl FnOnce(&mut Frame<S>),
    ) -> Result<(), StoreFault> {
        let is_new = place.block >= self.grid.blocks(place.level);
        if !is_new {
            // Evict nothing yet: if all other blocks were used recently, this one would be evicted
            // first.
            drop(self.fetched(backing, place)?);
        }
        let mut cache = backing.cache();
        if is_new {
            cache.insert(place, Arc::new(Frame::empty(self.grid.capacity())));
        }
        let changed = cache.get_mut(place, grid.slots_of(place));
        change(changed.ok_or(StoreFault::Damaged)?);
        backing.evict(&mut cache)
    }

    /// Writes all changed blocks to their files, in ascending order of places, and makes them
    /// durable.
    pub(crate) fn write_changed(&mut self) -> Result<(), StoreFault> {
        let grid = self.grid;
        let Some(backing) = &self.backing else {
            return Ok(());
        };
        let write = || {
            for (place, frame, slots) in backing.cache().changed_blocks() {
                backing.files.write(place, &frame, slots)?;
            }
            for place in &backing.changed {
                let frame = self.frame(*place)?;
                backing.files.write(*place, &frame, grid.slots_of(*place))?;
            }
            backing.files.synchronise()
        };
        write().map_err(|error| backing.close(error))?;
        backing.cache().set_written();
        if let Some(backing) = &mut self.backing {
            backing.changed.clear();
        }
        Ok(())
    }
}
