//! Contenders of figures 3 and 4: methods that summarize the slots of a block of any capacity for
//! its parent block.

use std::ops::Range;

use block_directory::internals::strategy::Place;

use super::primitives::Primitives;
use crate::Outcome;

/// Bytes from one slot of a block to the next. In the paper's layout this is an element of 230
/// bytes, and its share of the block's header.
pub(super) const PLACE_BYTES: usize = 240;

/// Method that computes summaries of blocks. All blocks of a contender have the same capacity.
pub(super) trait Contender {
    /// Digest of an object that an author registers as an entry.
    type Object: Clone;
    /// Content of a slot: an entry at level 0, the summary of a child block above.
    type Content: Clone + AsRef<[u8]>;
    /// State of a block, from which its summary is computed.
    type Block;

    /// Returns the digest of the test object `object-{number}`.
    fn object(number: u64) -> Self::Object;

    /// Returns the bytes of the widest content that a slot may have.
    fn widest() -> usize;

    /// Returns the content of the slot for entry `id`, which registers `object`.
    fn entry(id: u64, object: &Self::Object) -> Self::Content;

    /// Creates a block of `capacity` slots at `place` (level and number), with no slots in use.
    fn open(place: Place, capacity: u64) -> Outcome<Self::Block>;

    /// Writes a slot: either the first unused slot of the block, or a slot in use. `position`
    /// counts the slots of the whole level, from 0.
    fn write(block: &mut Self::Block, position: u64, content: &Self::Content) -> Outcome<()>;

    /// Returns the block's summary, as its parent stores it.
    fn summary(block: &mut Self::Block) -> Self::Content;

    /// Returns data that must be stored in addition to the slots of a block; `None` if the slots
    /// suffice.
    fn side_state(_: &Self::Block) -> Option<Vec<u8>> {
        None
    }

    /// Returns the root of a directory of `entries` entries in blocks of `capacity` slots.
    /// `summary` is the summary of the topmost block.
    fn root(entries: u64, capacity: u64, summary: &Self::Content) -> Vec<u8>;

    /// Returns the lower bound, in nanoseconds, for changing one slot and computing the summary
    /// after it.
    fn limit_ns(update: SlotUpdate, primitives: &Primitives) -> f64;
}

/// Change of one slot when entries are inserted in order. The slot is the last one in use in its
/// block.
#[derive(Clone, Copy, Debug)]
pub struct SlotUpdate {
    /// Level of the slot's block; 0 has the entries.
    pub level: u32,
    /// Number of slots in use in the block, including the changed slot.
    pub slots: u64,
    /// Whether the slot was unused before.
    pub is_new: bool,
}

/// Lists the slots that change if the entries `ids` are inserted, each slot once, from level 0 up.
pub fn slot_updates(ids: &Range<u64>, capacity: u64) -> Vec<SlotUpdate> {
    let mut slot_updates = Vec::new();
    let Range { start, end } = *ids;
    for level in 0.. {
        // A level above 0 exists once the level below has more than one block.
        let below = capacity.pow(level);
        if level > 0 && end <= below {
            break;
        }
        let was_there = level == 0 || start > below;
        let (first, last) = (start / below, (end - 1) / below);
        // A new level also gets the slot of the block that was the only one of the level below.
        let first = if was_there { first } else { 0 };
        slot_updates.extend((first..=last).map(|slot| SlotUpdate {
            level,
            slots: slot % capacity + 1,
            is_new: !was_there || slot * below >= start,
        }));
    }
    slot_updates
}
