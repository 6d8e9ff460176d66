//! Cache of blocks, for the levels whose blocks do not all stay in memory.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use pad_core::Suite;

use crate::{blocks::frame::Frame, strategy::Place};

/// A cache of at most `most` blocks with `CLOCK` eviction. A hand visits the blocks in turn. A
/// block that was used since the last visit stays for another round.
///
/// While `holds_changed` is set, changed blocks stay and may exceed `most`.
#[derive(Debug)]
pub(crate) struct Cache<S: Suite> {
    blocks: HashMap<Place, CachedBlock<S>>,
    /// The blocks in the order in which the hand visits them.
    round: VecDeque<Place>,
    most: usize,
    /// Whether changed blocks stay in the cache, because their changes are not in the log yet.
    pub(crate) holds_changed: bool,
    changed: usize,
    /// Evicted frames, to be reused for other blocks. Repeated allocation would fragment the
    /// memory.
    spare: Vec<Frame<S>>,
}

#[derive(Debug)]
struct CachedBlock<S: Suite> {
    frame: Arc<Frame<S>>,
    /// Number of slots of the block to write to its file.
    slots: usize,
    is_used: bool,
    is_changed: bool,
}

impl<S: Suite> Cache<S> {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            blocks: HashMap::new(),
            round: VecDeque::new(),
            most: most.max(LEAST),
            holds_changed: false,
            changed: 0,
            spare: Vec::new(),
        }
    }

    /// Returns the block at `place` if it is cached, and marks it as used.
    pub(crate) fn get(&mut self, place: Place) -> Option<Arc<Frame<S>>> {
        let cached = self.blocks.get_mut(&place)?;
        cached.is_used = true;
        Some(Arc::clone(&cached.frame))
    }

    /// Returns the block at `place`, if it is cached, for a change. The block has `slots` slots
    /// after the change.
    pub(crate) fn get_mut(&mut self, place: Place, slots: usize) -> Option<&mut Frame<S>> {
        let cached = self.blocks.get_mut(&place)?;
        cached.is_used = true;
        cached.slots = slots;
        if !cached.is_changed {
            cached.is_changed = true;
            self.changed += 1;
        }
        Some(Arc::make_mut(&mut cached.frame))
    }

    /// Returns a frame to read a block into. Its contents are arbitrary.
    pub(crate) fn spare(&mut self, capacity: usize) -> Frame<S> {
        let spare = self.spare.pop();
        spare.unwrap_or_else(|| Frame::empty(capacity))
    }

    /// Caches a block that equals its file, or that is new.
    pub(crate) fn insert(&mut self, place: Place, frame: Arc<Frame<S>>) {
        let cached = CachedBlock {
            frame,
            slots: 0,
            is_used: false,
            is_changed: false,
        };
        if self.blocks.insert(place, cached).is_none() {
            self.round.push_back(place);
        }
    }

    /// Caches a new block of `slots` slots, which must be written to its file before eviction.
    pub(crate) fn insert_changed(&mut self, place: Place, frame: Frame<S>, slots: usize) {
        self.insert(place, Arc::new(frame));
        self.get_mut(place, slots);
    }

    /// Evicts blocks until the cache is within its limit. Calls `write` for each changed block
    /// before its eviction.
    pub(crate) fn evict<E>(
        &mut self,
        mut write: impl FnMut(Place, &Frame<S>, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut passed = 0;
        let held = if self.holds_changed { self.changed } else { 0 };
        while self.blocks.len() > self.most.max(held) && passed <= 2 * self.round.len() {
            let Some(place) = self.round.pop_front() else {
                break;
            };
            passed += 1;
            let Some(cached) = self.blocks.get_mut(&place) else {
                continue;
            };
            let stays = cached.is_used || (cached.is_changed && self.holds_changed);
            cached.is_used = false;
            if stays {
                self.round.push_back(place);
                continue;
            }
            if cached.is_changed {
                // Evict it only after its write has returned.
                if let Err(error) = write(place, &cached.frame, cached.slots) {
                    self.round.push_back(place);
                    return Err(error);
                }
                self.changed -= 1;
            }
            let gone = self.blocks.remove(&place);
            if self.spare.len() < MOST_SPARE {
                self.spare
                    .extend(gone.and_then(|gone| Arc::into_inner(gone.frame)));
            }
        }
        Ok(())
    }

    /// Returns the number of cached blocks that differ from their files.
    pub(crate) const fn changed(&self) -> usize {
        self.changed
    }

    /// Returns the cached blocks that differ from their files, in ascending order of places. Each
    /// comes with its place and its number of slots.
    pub(crate) fn changed_blocks(&self) -> Vec<(Place, Arc<Frame<S>>, usize)> {
        let changed = self.blocks.iter().filter(|(_, cached)| cached.is_changed);
        let mut blocks: Vec<_> = changed
            .map(|(place, cached)| (*place, Arc::clone(&cached.frame), cached.slots))
            .collect();
        blocks.sort_unstable_by_key(|(place, _, _)| *place);
        blocks
    }

    /// Marks all cached blocks as equal to their files.
    pub(crate) fn set_written(&mut self) {
        self.changed = 0;
        for cached in self.blocks.values_mut() {
            cached.is_changed = false;
        }
    }
}

/// Minimum size of a cache in blocks: enough for the blocks on a path and a few more.
const LEAST: usize = 16;

/// Maximum number of spare frames. A read takes one for the block, and may take one for the block
/// above, which verifies it.
const MOST_SPARE: usize = 8;
