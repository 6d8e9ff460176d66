//! The blocks of a directory with the tree of RFC 9162 (strategy 1): all in memory, or partly in
//! files.

pub(crate) mod frame;
pub(crate) mod grid;
mod load;
mod plan;
mod read;
mod stored;

use pad_core::{StoreFault, Suite};

pub(crate) use load::Loader;
pub(crate) use plan::Plan;
use read::FrameRef;

use self::{
    frame::Frame,
    grid::{Grid, in_block},
};

use crate::{
    entry::{EntryState, is_reserved, root_digest},
    store::backing::BackingStore,
    strategy::Place,
};

/// The blocks of a directory's latest version, with their layout and root.
#[derive(Debug)]
pub(crate) struct Blocks<S: Suite> {
    grid: Grid,
    root: S::Digest,
    /// The blocks of the levels that stay in memory, from `pinned_from` up.
    levels: Vec<Vec<Frame<S>>>,
    /// The lowest level that stays in memory.
    pinned_from: u8,
    /// Files and cache of the levels below `pinned_from`; `None` for a directory in memory.
    backing: Option<BackingStore<S>>,
}

impl<S: Suite> Blocks<S> {
    /// Creates the blocks of a directory without entries. Blocks will have `2^step` slots.
    pub(crate) fn new(step: u32) -> Self {
        let registered = 0;
        Self {
            grid: Grid { step, registered },
            root: root_digest::<S>(0, &S::Digest::default()),
            levels: Vec::new(),
            pinned_from: 0,
            backing: None,
        }
    }

    /// Returns an error if a failed write has closed the directory.
    pub(crate) fn require_open(&self) -> Result<(), StoreFault> {
        match &self.backing {
            Some(backing) => backing.require_open(),
            None => Ok(()),
        }
    }

    /// Returns the files and cache of the blocks that do not stay in memory; `None` for a directory
    /// in memory.
    pub(crate) const fn backing(&self) -> Option<&BackingStore<S>> {
        self.backing.as_ref()
    }

    pub(crate) const fn grid(&self) -> Grid {
        self.grid
    }

    /// Returns the height of a block, which has `2^step` slots.
    pub(crate) const fn step(&self) -> u32 {
        self.grid.step
    }

    /// Returns the number of entries, deleted ones included.
    pub(crate) const fn registered(&self) -> u64 {
        self.grid.registered
    }

    /// Returns the root of the directory.
    pub(crate) const fn root(&self) -> S::Digest {
        self.root
    }

    /// Returns the state of an entry. `None` for a deleted entry and for an id that is not
    /// registered.
    pub(crate) fn shown(&self, id: u64) -> Result<EntryState<S>, StoreFault> {
        if id >= self.registered() {
            return Ok(None);
        }
        self.reader().shown(id)
    }

    /// Returns whether an entry is registered and live. Reads the entry only if its block has
    /// deleted entries.
    pub(crate) fn is_live(&self, id: u64) -> Result<bool, StoreFault> {
        if id >= self.registered() {
            return Ok(false);
        }
        let (level, block) = (0, id >> self.grid.step);
        let frame = self.frame(Place { level, block })?;
        let slot = in_block(id, self.grid.step);
        Ok(!frame.has_deleted() || !is_reserved(&frame.slot(slot)))
    }

    fn frame(&self, place: Place) -> Result<FrameRef<'_, S>, StoreFault> {
        let Some(pinned) = place.level.checked_sub(self.pinned_from) else {
            let backing = self.backing.as_ref().ok_or(StoreFault::Damaged)?;
            return self.cached(backing, place);
        };
        let level = self.levels.get(usize::from(pinned));
        let block = usize::try_from(place.block).ok();
        let frame = level.zip(block).and_then(|(level, block)| level.get(block));
        frame.map(FrameRef::Pinned).ok_or(StoreFault::Damaged)
    }

    /// Applies `change` to an existing block, or to a new block at the end of its level. `grid` is
    /// the layout after the change.
    fn change(
        &mut self,
        grid: Grid,
        place: Place,
        change: impl FnOnce(&mut Frame<S>),
    ) -> Result<(), StoreFault> {
        let Some(pinned) = place.level.checked_sub(self.pinned_from) else {
            let backing = self.backing.as_ref().ok_or(StoreFault::Damaged)?;
            return self.change_cached(backing, grid, place, change);
        };
        if let Some(backing) = &mut self.backing {
            backing.changed.insert(place);
        }
        let pinned = usize::from(pinned);
        if self.levels.len() == pinned {
            self.levels.push(Vec::new());
        }
        let level = self.levels.get_mut(pinned).ok_or(StoreFault::Damaged)?;
        let block = usize::try_from(place.block).map_err(|_| StoreFault::Damaged)?;
        if level.len() == block {
            level.push(Frame::empty(grid.capacity()));
        }
        change(level.get_mut(block).ok_or(StoreFault::Damaged)?);
        Ok(())
    }

    /// Adds `frame` as the next block of its level. `grid` is the layout after the change.
    fn push(&mut self, grid: Grid, place: Place, frame: Frame<S>) -> Result<(), StoreFault> {
        if place.level < self.pinned_from {
            let backing = self.backing.as_ref().ok_or(StoreFault::Damaged)?;
            return backing.insert_changed(grid, place, frame);
        }
        self.change(grid, place, |new| *new = frame)
    }
}
