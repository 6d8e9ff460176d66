//! Contenders of figures 3 and 4: methods to summarize a block's slots for its parent, with blocks
//! of any capacity.

use std::ops::Range;

use block_directory::strategy::Place;

use super::primitives::Primitives;
use crate::Outcome;

/// Bytes between the slots of a block: an element takes 230 in the paper, and has a share of the
/// header.
pub(super) const PLACE_BYTES: usize = 240;

/// Method of digesting blocks of one capacity.
pub(super) trait Contender {
    /// Object that an author registers.
    type Object: Clone;
    /// Content of a slot.
    type Content: Clone + AsRef<[u8]>;
    /// State of a block, from which its summary is computed.
    type Block;

    /// Returns the digest of the object with this number, `object-i`.
    fn object(number: u64) -> Self::Object;

    /// Returns the number of slots of a block.
    fn capacity(&self) -> u64;

    /// Returns the bytes of the widest content of a slot.
    fn widest(&self) -> usize;

    /// Returns the content of the slot of an entry.
    fn entry(&self, id: u64, object: &Self::Object) -> Self::Content;

    /// Creates a block without slots.
    fn open(&self, place: Place) -> Outcome<Self::Block>;

    /// Writes a slot: the next one, or an existing one with another content. Positions count the
    /// slots of the level.
    fn write(
        &self,
        block: &mut Self::Block,
        place: Place,
        position: u64,
        content: &Self::Content,
    ) -> Outcome<()>;

    /// Returns the block's summary, as its parent stores it.
    fn summary(&self, block: &mut Self::Block, place: Place) -> Self::Content;

    /// Returns the data to store in addition to the slots of a block.
    fn side_state(&self, _: &Self::Block) -> Option<Vec<u8>> {
        None
    }

    /// Returns the root over `entries` entries, the topmost block of which has this summary.
    fn root(&self, entries: u64, summary: &Self::Content) -> Vec<u8>;

    /// Returns the lower bound, in nanoseconds, for a slot's change and the summary after it.
    fn limit_ns(&self, update: SlotUpdate, primitives: &Primitives) -> f64;
}

/// A slot that changes when entries are inserted in order: the last one of its block.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotUpdate {
    /// The level of the block.
    pub(super) level: u32,
    /// Number of slots of the block, including this one.
    pub(super) slots: u64,
    /// Whether the slot is new.
    pub(super) is_new: bool,
}

/// Lists the slots that the insertion of these entries changes, each once, from level 0 up.
pub(super) fn slot_updates(ids: &Range<u64>, capacity: u64) -> Vec<SlotUpdate> {
    let mut slot_updates = Vec::new();
    let Range { start, end } = *ids;
    for level in 0.. {
        // A level exists once the one below it has more than one block.
        let below = capacity.pow(level);
        if level > 0 && end <= below {
            break;
        }
        let was_there = level == 0 || start > below;
        let (first, last) = (start / below, (end - 1) / below);
        // A new level also has the slot of the only block that was below it.
        let first = if was_there { first } else { 0 };
        slot_updates.extend((first..=last).map(|slot| SlotUpdate {
            level,
            slots: slot % capacity + 1,
            is_new: !was_there || slot * below >= start,
        }));
    }
    slot_updates
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Level, slots of the block, whether new.
    fn of(ids: Range<u64>) -> Vec<(u32, u64, bool)> {
        let slot_updates = slot_updates(&ids, 3).into_iter();
        slot_updates
            .map(|it| (it.level, it.slots, it.is_new))
            .collect()
    }

    #[test]
    fn levels_grow_with_their_first_slot() {
        assert_eq!(of(0..1), [(0, 1, true)]);
        assert_eq!(of(2..3), [(0, 3, true)]);
        assert_eq!(of(3..4), [(0, 1, true), (1, 1, true), (1, 2, true)]);
        assert_eq!(of(4..5), [(0, 2, true), (1, 2, false)]);
        assert_eq!(of(8..9), [(0, 3, true), (1, 3, false)]);
        let grown = [(0, 1, true), (1, 1, true), (2, 1, true), (2, 2, true)];
        assert_eq!(of(9..10), grown);
        assert_eq!(of(4..7)[3..], [(1, 2, false), (1, 3, true)]);
    }
}
