//! The layout of entries and the digests above them in blocks.
//!
//! Blocks have `2^step` slots. Slot `s` of level `k` represents the `2^(step k)` entries from
//! `s 2^(step k)` on. They form a complete subtree of height `step k`. In the tree over all
//! entries, the node of height `h` and number `q` covers the `2^h` entries from `q 2^h` on.
//!
//! A node with entries in its left half only *is* its left half. With this rule, the split of RFC
//! 9162 (at the largest power of two below the size) is the same for complete and incomplete
//! subtrees.

use core::ops::Range;

use crate::strategy::Place;

/// The layout of a number of entries in blocks of `2^step` slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) step: u32,
    pub(crate) registered: u64,
}

impl Grid {
    /// Returns the maximum number of slots of a block.
    pub(crate) fn capacity(self) -> usize {
        1_usize.unbounded_shl(self.step)
    }

    /// Returns the number of levels: the least number, at least 1, for which the topmost level has
    /// one block.
    pub(crate) fn levels(self) -> u8 {
        let bits = match self.registered {
            0 | 1 => 0,
            entries => u64::BITS.saturating_sub(entries.saturating_sub(1).leading_zeros()),
        };
        let levels = bits.div_ceil(self.step.max(1)).max(1);
        u8::try_from(levels).unwrap_or(u8::MAX)
    }

    /// Returns the height of the tree that the blocks of all levels form.
    pub(crate) fn height(self) -> u32 {
        self.step.saturating_mul(u32::from(self.levels()))
    }

    /// Returns the number of slots in use on a level.
    pub(crate) fn slots(self, level: u8) -> u64 {
        let height = self.step.saturating_mul(u32::from(level));
        self.numbers(height)
    }

    /// Returns the number of nodes of this height in the tree over all entries.
    pub(crate) fn numbers(self, height: u32) -> u64 {
        let last = self.registered.checked_sub(1);
        last.map_or(0, |last| last.unbounded_shr(height).saturating_add(1))
    }

    /// Returns the number of blocks of a level.
    pub(crate) fn blocks(self, level: u8) -> u64 {
        if level >= self.levels() {
            return 0;
        }
        self.numbers(self.step.saturating_mul(u32::from(level).saturating_add(1)))
    }

    /// Returns the number of slots in use in a block, at most its capacity.
    pub(crate) fn slots_of(self, place: Place) -> usize {
        let before = place.block.saturating_mul(to_u64(self.capacity()));
        let slots = self.slots(place.level).saturating_sub(before);
        usize::try_from(slots).map_or(self.capacity(), |slots| slots.min(self.capacity()))
    }

    /// Returns whether the node with this height and number has entries.
    pub(crate) fn has(self, height: u32, number: u64) -> bool {
        number < self.numbers(height)
    }

    /// Returns the block that contains the node with this height and number, and the node's index
    /// in the block. The block is a heap: its top has index 1, and slot 0 the index that equals the
    /// capacity.
    pub(crate) fn locate(self, height: u32, number: u64) -> (Place, usize) {
        let step = self.step.max(1);
        let topmost = u32::from(self.levels()).saturating_sub(1);
        let level = height.checked_div(step).unwrap_or(0).min(topmost);
        let above_slots = height.saturating_sub(level.saturating_mul(step));
        let depth = step.saturating_sub(above_slots);
        let first = 1_u64.unbounded_shl(depth);
        let index = first | (number & first.saturating_sub(1));
        let place = Place {
            level: u8::try_from(level).unwrap_or(u8::MAX),
            block: number.unbounded_shr(depth),
        };
        (place, usize::try_from(index).unwrap_or(usize::MAX))
    }

    /// Returns height and number of the node that covers the entries of `span`, a subtree of the
    /// tree over all entries.
    pub(crate) fn node_of(span: &Range<u64>) -> (u32, u64) {
        let height = match span.end.saturating_sub(span.start) {
            0 | 1 => 0,
            size => u64::BITS.saturating_sub(size.saturating_sub(1).leading_zeros()),
        };
        (height, span.start.unbounded_shr(height))
    }
}

pub(crate) fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Returns the lowest `bits` bits of a number: a slot's position in its block.
pub(crate) fn in_block(number: u64, bits: u32) -> usize {
    let place = number & 1_u64.unbounded_shl(bits).wrapping_sub(1);
    usize::try_from(place).unwrap_or(usize::MAX)
}
