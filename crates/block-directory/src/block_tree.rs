//! In-memory directories for the paper's digests of blocks (strategies 2 to 6 of
//! [`crate::strategy`]). They have roots and proofs, but no author or server.

use core::{marker::PhantomData, ops::Range};
use std::collections::BTreeMap;

use pad_core::{ApplyError, InputError, Suite, VerifyError};

use crate::{
    entry::{EntryId, EntryState, MOST_ENTRIES, is_reserved},
    opened::{self, OpenedProof},
    strategy::{
        BlockDigest, Contents, MOST_CAPACITY, Place, SlotChange, block_root, entry_content,
        slot_width,
    },
};

/// A tree of blocks of slots, with the entries in the blocks of level 0. A slot of a higher level
/// contains the summary of the block below it. Every change updates all summaries on its path, one
/// by one, as the paper's `FastAD` does.
///
/// Time of a change: one block update by the strategy on each level.
#[derive(Clone, Debug)]
pub struct BlockTree<S: Suite, B: BlockDigest<S>> {
    capacity: u32,
    registered: u64,
    blocks: BTreeMap<Place, Block<S, B>>,
}

/// The bytes of a block's slots, and the strategy's state for the block.
#[derive(Clone, Debug)]
struct Block<S: Suite, B: BlockDigest<S>> {
    bytes: Vec<u8>,
    state: B::State,
}

/// Error returned when a [`BlockTree`] did not make a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockError {
    /// The change breaks the rules of directories; the tree is unchanged.
    #[error(transparent)]
    Rule(#[from] ApplyError),
    /// No group element was found for a slot; the tree is no longer usable. The probability is
    /// negligible.
    #[error(transparent)]
    Element(#[from] VerifyError),
}

impl From<InputError> for BlockError {
    fn from(error: InputError) -> Self {
        Self::Rule(error.into())
    }
}

impl<S: Suite, B: BlockDigest<S>> BlockTree<S, B> {
    /// Creates a tree without entries, in blocks of `capacity` slots.
    ///
    /// # Errors
    /// [`VerifyError::SizeOutOfRange`] for a capacity outside `2..=1024`.
    pub fn new(capacity: u32) -> Result<Self, VerifyError> {
        if !(2..=MOST_CAPACITY).contains(&capacity) {
            return Err(VerifyError::SizeOutOfRange);
        }
        Ok(Self {
            capacity,
            registered: 0,
            blocks: BTreeMap::new(),
        })
    }

    /// Returns the number of entries, deleted ones included.
    pub const fn registered(&self) -> u64 {
        self.registered
    }

    /// Registers an object by its digest. Returns the id of its entry.
    ///
    /// # Errors
    /// - [`BlockError::Rule`] with [`InputError::ReservedDigest`] if the object has the digest of
    ///   zeros, or with [`InputError::CapacityExceeded`] if the tree is full.
    /// - [`BlockError::Element`] if a slot has no group element.
    pub fn append(&mut self, object: S::Digest) -> Result<EntryId, BlockError> {
        if is_reserved(&object) {
            return Err(InputError::ReservedDigest.into());
        }
        if self.registered == MOST_ENTRIES {
            return Err(InputError::CapacityExceeded.into());
        }
        let id = self.registered;
        self.write(id, Some(object))?;
        self.registered += 1;
        Ok(EntryId::new(id))
    }

    /// Replaces the object of the entry `id` by another object, given by its digest.
    ///
    /// # Errors
    /// - [`BlockError::Rule`] with [`ApplyError::UnknownId`] if the id is not assigned, with
    ///   [`ApplyError::DeletedForGood`] if the entry was deleted, or with
    ///   [`InputError::ReservedDigest`] if the object has the digest of zeros.
    /// - [`BlockError::Element`] if a slot has no group element.
    pub fn update(&mut self, id: EntryId, object: S::Digest) -> Result<(), BlockError> {
        if is_reserved(&object) {
            return Err(InputError::ReservedDigest.into());
        }
        self.replace(id.number(), Some(object))
    }

    /// Deletes an entry permanently.
    ///
    /// # Errors
    /// - [`BlockError::Rule`] with [`ApplyError::UnknownId`] if the id is not assigned, or with
    ///   [`ApplyError::DeletedForGood`] if the entry was deleted.
    /// - [`BlockError::Element`] if a slot has no group element.
    pub fn delete(&mut self, id: EntryId) -> Result<(), BlockError> {
        self.replace(id.number(), None)
    }

    fn replace(&mut self, id: u64, shown: EntryState<S>) -> Result<(), BlockError> {
        if id >= self.registered {
            return Err(ApplyError::UnknownId(id).into());
        }
        if self.is_deleted(id) {
            return Err(ApplyError::DeletedForGood(id).into());
        }
        self.write(id, shown)
    }

    /// Returns the root of the tree.
    pub fn root(&self) -> S::Digest {
        block_root::<S, B>(self.registered, self.capacity, &self.top())
    }

    /// Returns the summary of the topmost block; empty without entries.
    pub fn top(&self) -> Vec<u8> {
        let top = self.blocks.last_key_value();
        top.map(|(place, block)| self.summary(*place, block))
            .unwrap_or_default()
    }

    /// Proves the state of an entry, or that the id is not assigned. The proof of a registered
    /// entry contains every slot of the blocks on its path.
    pub fn prove(&self, id: EntryId) -> OpenedProof<S, B> {
        let mut contents = Vec::new();
        if id.number() < self.registered {
            for step in opened::path::<S, B>(self.registered, self.capacity, id.number()) {
                if let Some(block) = self.blocks.get(&step.place) {
                    contents.extend_from_slice(&block.bytes);
                }
            }
        } else {
            contents = self.top();
        }
        OpenedProof {
            registered: self.registered,
            capacity: self.capacity,
            contents,
            strategy: PhantomData,
        }
    }

    /// Writes the state of an entry, and updates the summaries above it.
    ///
    /// If a level outgrows its first block, a level is added above it. The first slot of the new
    /// level contains the summary of that block.
    fn write(&mut self, id: u64, shown: EntryState<S>) -> Result<(), BlockError> {
        let mut position = id;
        let mut content = entry_content::<S>(shown);
        for level in 0.. {
            let block = position / u64::from(self.capacity);
            let place = Place { level, block };
            self.write_slot(place, position, &content)?;
            let above = Place {
                level: level + 1,
                block: 0,
            };
            if block == 0 && !self.blocks.contains_key(&above) {
                break;
            }
            if !self.blocks.contains_key(&above) {
                let first = self.summary_at(Place { level, block: 0 });
                self.write_slot(above, 0, &first)?;
            }
            content = self.summary_at(place);
            position = block;
        }
        Ok(())
    }

    /// Writes the content `new` to one slot: appends a new slot to its block, or replaces an
    /// existing one. `position` counts slots from the start of the level.
    fn write_slot(&mut self, place: Place, position: u64, new: &[u8]) -> Result<(), BlockError> {
        let at = self.range(place, position);
        if !self.blocks.contains_key(&place) {
            let state = B::of(self.contents(place, &[]))?;
            let bytes = Vec::new();
            self.blocks.insert(place, Block { bytes, state });
        }
        let Some(Block { bytes, state }) = self.blocks.get_mut(&place) else {
            return Ok(());
        };
        let old = bytes.get(at.clone());
        B::write(state, place, SlotChange { position, old, new })?;
        match bytes.get_mut(at) {
            Some(slot) => slot.copy_from_slice(new),
            None => bytes.extend_from_slice(new),
        }
        Ok(())
    }

    /// Returns the range of a slot's bytes in its block. `position` counts slots from the start of
    /// the level.
    fn range(&self, place: Place, position: u64) -> Range<usize> {
        let width = slot_width::<S, B>(place.level);
        let slot = position % u64::from(self.capacity);
        let start = usize::try_from(slot).unwrap_or(usize::MAX) * width;
        start..start + width
    }

    fn contents<'a>(&self, place: Place, bytes: &'a [u8]) -> Contents<'a> {
        Contents {
            place,
            first: place.block * u64::from(self.capacity),
            bytes,
            width: slot_width::<S, B>(place.level),
        }
    }

    fn summary(&self, place: Place, block: &Block<S, B>) -> Vec<u8> {
        B::summary(&block.state, self.contents(place, &block.bytes))
    }

    fn summary_at(&self, place: Place) -> Vec<u8> {
        let block = self.blocks.get(&place);
        block.map_or_else(Vec::new, |block| self.summary(place, block))
    }

    /// Returns whether a registered entry is deleted.
    fn is_deleted(&self, id: u64) -> bool {
        let (level, block) = (0, id / u64::from(self.capacity));
        let place = Place { level, block };
        let block = self.blocks.get(&place);
        let content = block.and_then(|block| block.bytes.get(self.range(place, id)));
        content == Some(&entry_content::<S>(None))
    }
}
