//! Bulk load of all entries: fills and hashes the blocks one after the other, and passes each to a
//! function.

use pad_core::Suite;

use super::{Blocks, frame::Frame, grid::Grid};
use crate::{entry::root_digest, strategy::Place};

/// Fills blocks from an ordered stream of entries. `done` gets the place of each finished block,
/// the block, and the number of its slots in use. The blocks of a level come in order.
///
/// Memory: one block for each level.
#[derive(Debug)]
pub(crate) struct Loader<S: Suite, F> {
    grid: Grid,
    open: Vec<OpenBlock<S>>,
    done: F,
}

#[derive(Debug)]
struct OpenBlock<S: Suite> {
    block: u64,
    slots: usize,
    frame: Frame<S>,
}

impl<S: Suite, E, F: FnMut(Place, Frame<S>, usize) -> Result<(), E>> Loader<S, F> {
    pub(crate) const fn new(step: u32, done: F) -> Self {
        let registered = 0;
        Self {
            grid: Grid { step, registered },
            open: Vec::new(),
            done,
        }
    }

    /// Returns the number of entries added so far.
    pub(crate) const fn registered(&self) -> u64 {
        self.grid.registered
    }

    /// Adds the next entry, with the digest of its object.
    pub(crate) fn push(&mut self, object: S::Digest) -> Result<(), E> {
        self.push_slot(0, object)?;
        self.grid.registered += 1;
        Ok(())
    }

    /// Passes the remaining blocks to `done`. Returns the layout of all blocks, and the root of the
    /// directory.
    pub(crate) fn finish(mut self) -> Result<(Grid, S::Digest), E> {
        let mut top = S::Digest::default();
        let mut level = 0;
        while usize::from(level) < self.open.len() {
            top = self.close(level)?;
            level += 1;
            if usize::from(level) < self.open.len() {
                self.push_slot(level, top)?;
            }
        }
        Ok((self.grid, root_digest::<S>(self.grid.registered, &top)))
    }

    fn push_slot(&mut self, level: u8, content: S::Digest) -> Result<(), E> {
        let capacity = self.grid.capacity();
        let at = usize::from(level);
        if self.open.get(at).is_some_and(|open| open.slots == capacity) {
            let top = self.close(level)?;
            self.push_slot(level + 1, top)?;
        }
        if self.open.len() == at {
            let (block, slots) = (0, 0);
            let frame = Frame::empty(capacity);
            self.open.push(OpenBlock {
                block,
                slots,
                frame,
            });
        }
        if let Some(open) = self.open.get_mut(at) {
            open.frame.set_slot(open.slots, content);
            open.slots += 1;
        }
        Ok(())
    }

    /// Hashes the open block of a level, passes it to `done`, and begins the next one. Returns the
    /// digest of the block.
    fn close(&mut self, level: u8) -> Result<S::Digest, E> {
        let Some(open) = self.open.get_mut(usize::from(level)) else {
            return Ok(S::Digest::default());
        };
        let (block, slots) = (open.block, open.slots);
        let mut frame = core::mem::replace(&mut open.frame, Frame::empty(self.grid.capacity()));
        (open.block, open.slots) = (block + 1, 0);
        let place = Place { level, block };
        frame.fill(place, slots);
        let top = frame.top();
        (self.done)(place, frame, slots)?;
        Ok(top)
    }
}

impl<S: Suite> Blocks<S> {
    /// Creates blocks with these entries, all in memory. `objects` are the digests of the entries'
    /// objects, in the order of ids.
    pub(crate) fn load<E>(
        step: u32,
        objects: impl IntoIterator<Item = Result<S::Digest, E>>,
    ) -> Result<Self, E> {
        let mut levels: Vec<Vec<Frame<S>>> = Vec::new();
        let mut loader = Loader::new(step, |place: Place, frame, _| {
            let level = usize::from(place.level);
            if levels.len() == level {
                levels.push(Vec::new());
            }
            if let Some(level) = levels.get_mut(level) {
                level.push(frame);
            }
            Ok::<_, E>(())
        });
        for object in objects {
            loader.push(object?)?;
        }
        let (grid, root) = loader.finish()?;
        Ok(Self {
            grid,
            root,
            levels,
            pinned_from: 0,
            backing: None,
        })
    }
}
