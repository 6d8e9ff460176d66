//! Blocks in memory, of the levels that do not stay there as a whole.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use pad_core::Suite;

use crate::{blocks::frame::Frame, strategy::Place};

/// At most so many blocks. Which one goes is decided by `CLOCK`: whoever was used since the hand passed stays for another round.
#[derive(Debug)]
pub(crate) struct Cache<S: Suite> {
    blocks: HashMap<Place, Cached<S>>,
    /// In the order in which the hand comes to them.
    round: VecDeque<Place>,
    most: usize,
    /// Blocks that were changed stay: what changed them is not in the log yet.
    pub(crate) holds_changed: bool,
    changed: usize,
    /// Some that went, to be used again: memory for blocks that come and go all the time falls to pieces.
    spare: Vec<Frame<S>>,
}

#[derive(Debug)]
struct Cached<S: Suite> {
    frame: Arc<Frame<S>>,
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

    /// A block, if it is there.
    pub(crate) fn get(&mut self, place: Place) -> Option<Arc<Frame<S>>> {
        let cached = self.blocks.get_mut(&place)?;
        cached.is_used = true;
        Some(Arc::clone(&cached.frame))
    }

    /// A block to be changed, if it is there.
    pub(crate) fn get_mut(&mut self, place: Place) -> Option<&mut Frame<S>> {
        let cached = self.blocks.get_mut(&place)?;
        cached.is_used = true;
        if !cached.is_changed {
            cached.is_changed = true;
            self.changed += 1;
        }
        Some(Arc::make_mut(&mut cached.frame))
    }

    /// A frame to read into, with whatever was there.
    pub(crate) fn spare(&mut self, capacity: usize) -> Frame<S> {
        let spare = self.spare.pop();
        spare.unwrap_or_else(|| Frame::empty(capacity))
    }

    /// Keeps a block that was read, or that is new.
    pub(crate) fn insert(&mut self, place: Place, frame: Arc<Frame<S>>) {
        let cached = Cached {
            frame,
            is_used: false,
            is_changed: false,
        };
        if self.blocks.insert(place, cached).is_none() {
            self.round.push_back(place);
        }
    }

    /// Keeps a new block, which has to be written before it goes.
    pub(crate) fn insert_changed(&mut self, place: Place, frame: Frame<S>) {
        self.insert(place, Arc::new(frame));
        self.get_mut(place);
    }

    /// Lets blocks go until there are not too many; `write` is asked to write those that were changed.
    pub(crate) fn evict<E>(
        &mut self,
        mut write: impl FnMut(Place, &Frame<S>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut passed = 0;
        while self.blocks.len() > self.most && passed <= 2 * self.round.len() {
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
                // It leaves only after its write has returned.
                if let Err(error) = write(place, &cached.frame) {
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

    /// How many blocks differ from what was written.
    pub(crate) const fn changed(&self) -> usize {
        self.changed
    }

    /// The blocks that differ from what was written, in ascending order.
    pub(crate) fn changed_blocks(&self) -> Vec<(Place, Arc<Frame<S>>)> {
        let changed = self.blocks.iter().filter(|(_, cached)| cached.is_changed);
        let mut blocks: Vec<_> = changed
            .map(|(place, cached)| (*place, Arc::clone(&cached.frame)))
            .collect();
        blocks.sort_unstable_by_key(|(place, _)| *place);
        blocks
    }

    /// All of them were written.
    pub(crate) fn set_written(&mut self) {
        self.changed = 0;
        for cached in self.blocks.values_mut() {
            cached.is_changed = false;
        }
    }
}

/// A path and a little more.
const LEAST: usize = 16;

/// As many as a block that is read has blocks above it that are read for it.
const MOST_SPARE: usize = 8;
