//! Blocks of which some are read when they are needed.

use std::sync::Arc;

use pad_core::{StoreFault, Suite};

use super::{Blocks, frame::Frame, grid::Grid, read::Held};
use crate::{
    entry::root_digest,
    store::{backing::Backing, error::StoreError},
    strategy::Place,
};

impl<S: Suite> Blocks<S> {
    /// The blocks of a directory in files, whose latest root was signed. Those of the levels from `pinned_from` on are read, and
    /// stay; all above level 0 are compared with the blocks above them, and the topmost one with the root.
    pub(crate) fn of_files(
        grid: Grid,
        root: S::Digest,
        backing: Backing<S>,
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

    /// Reads a block into a frame, and compares it with what the block above it says, or the root.
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

    /// The slot that stands for a block.
    fn above(&self, place: Place) -> (Place, usize) {
        let height = self.grid.step * (u32::from(place.level) + 1);
        self.grid.locate(height, place.block)
    }

    /// A block that comes and goes.
    pub(super) fn cached(
        &self,
        backing: &Backing<S>,
        place: Place,
    ) -> Result<Held<'_, S>, StoreFault> {
        backing.require_open()?;
        let mut frame = {
            let mut cache = backing.cache();
            if let Some(frame) = cache.get(place) {
                return Ok(Held::Cached(frame));
            }
            cache.spare(self.grid.capacity())
        };
        let read = self.read(place, &mut frame);
        read.map_err(|error| backing.note(error))?;
        let frame = Arc::new(frame);
        let mut cache = backing.cache();
        // If another thread has read it meanwhile, it may have been changed since.
        if let Some(frame) = cache.get(place) {
            return Ok(Held::Cached(frame));
        }
        cache.insert(place, Arc::clone(&frame));
        backing.evict(&mut cache, self.grid)?;
        Ok(Held::Cached(frame))
    }

    /// Changes a block that comes and goes, or makes the next one of its level. `grid` is that of after the change.
    pub(super) fn change_cached(
        &self,
        backing: &Backing<S>,
        grid: Grid,
        place: Place,
        change: impl FnOnce(&mut Frame<S>),
    ) -> Result<(), StoreFault> {
        let is_new = place.block >= self.grid.blocks(place.level);
        if !is_new {
            self.cached(backing, place)?;
        }
        let mut cache = backing.cache();
        if is_new {
            cache.insert(place, Arc::new(Frame::empty(self.grid.capacity())));
        }
        change(cache.get_mut(place).ok_or(StoreFault::Damaged)?);
        backing.evict(&mut cache, grid)
    }

    /// Writes all blocks that differ from what was written, in ascending order, and makes them durable.
    pub(crate) fn write_changed(&mut self) -> Result<(), StoreFault> {
        let grid = self.grid;
        let Some(backing) = &self.backing else {
            return Ok(());
        };
        let write = || {
            for (place, frame) in backing.cache().changed_blocks() {
                backing.write(place, &frame, grid)?;
            }
            for place in &backing.changed {
                backing.write(*place, &*self.frame(*place)?, grid)?;
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
