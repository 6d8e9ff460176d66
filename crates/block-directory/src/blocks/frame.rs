//! A block in memory: its slots, and the inner nodes of the hash tree over them.

use core::marker::PhantomData;

use pad_core::{Suite, internals::DigestBytes};

use super::grid::to_u64;
use crate::{
    entry::{self, EntryState, is_reserved, slot_digest},
    strategy::Place,
};

/// The slots of a block and the nodes above them, as a binary heap in an array. The node over all
/// slots has index 1, and the nodes over the halves have indices 2 and 3. Slots begin at the index
/// that equals the block's capacity.
///
/// Slots of level 0 contain the digests of objects, and zeros for deleted entries; their hash is
/// [`entry_digest`]. Slots of other levels contain the digests of the blocks below. Unused slots
/// are zero.
///
/// Space: two digests for each slot.
#[derive(Clone, Debug)]
pub(crate) struct Frame<S: Suite> {
    /// The heap, [`UNITS`] for each node, from `start` on. Sibling nodes, which are hashed
    /// together, are in one cache line of the processor.
    ///
    /// The type of the elements does not have the alignment of a line. With it, an allocator
    /// leaves a hole next to each block, and scatters small allocations over all of these holes.
    units: Vec<[u8; UNIT]>,
    /// The place of the heap in `units`. A clone keeps it, and may then be aligned less well.
    start: u8,
    /// Whether a block of level 0 has deleted entries.
    has_deleted: bool,
    suite: PhantomData<S>,
}

/// The number of bytes by which allocators align memory on common platforms.
const UNIT: usize = 16;
/// The number of units for a node.
const UNITS: usize = 2;
/// The number of units in a cache line of the processor.
const LINE: usize = 4;

impl<S: Suite> Frame<S> {
    /// Creates a block of `capacity` unused slots.
    pub(crate) fn empty(capacity: usize) -> Self {
        const { assert!(S::Digest::LENGTH <= UNIT * UNITS) };
        let units = vec![[0; UNIT]; Self::units(capacity)];
        let start = units.as_ptr().addr().wrapping_neg() / UNIT % LINE;
        let start = u8::try_from(start).unwrap_or(0);
        Self {
            units,
            start,
            has_deleted: false,
            suite: PhantomData,
        }
    }

    /// Returns the memory of a block of `capacity` slots in bytes.
    pub(crate) const fn bytes(capacity: usize) -> usize {
        Self::units(capacity).saturating_mul(UNIT)
    }

    const fn units(capacity: usize) -> usize {
        capacity.saturating_mul(2 * UNITS).saturating_add(LINE - 1)
    }

    /// Returns whether a block of level 0 has deleted entries.
    pub(crate) const fn has_deleted(&self) -> bool {
        self.has_deleted
    }

    /// Replaces the contents of the first slots by `bytes`, as encoded in files. Does not compute
    /// the nodes above the slots.
    pub(crate) fn set_slots(&mut self, bytes: &[u8]) {
        self.units.fill([0; UNIT]);
        for (slot, content) in bytes.chunks_exact(S::Digest::LENGTH).enumerate() {
            self.set_slot(slot, S::Digest::from_slice(content).unwrap_or_default());
        }
    }

    /// Returns the contents of the first `slots` slots, as encoded in files.
    pub(crate) fn slot_bytes(&self, slots: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(slots.saturating_mul(S::Digest::LENGTH));
        for slot in 0..slots {
            bytes.extend_from_slice(self.slot(slot).as_ref());
        }
        bytes
    }

    /// Returns the maximum number of slots of the block.
    pub(crate) fn capacity(&self) -> usize {
        self.units.len() / (2 * UNITS)
    }

    /// Returns the place in `units` of the node or the slot at an index of the heap.
    #[inline]
    fn place(&self, index: usize) -> usize {
        usize::from(self.start).wrapping_add(index.wrapping_mul(UNITS))
    }

    /// Returns the node or the slot at an index of the heap.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> S::Digest {
        let place = self.place(index);
        let units = self.units.get(place..place.wrapping_add(UNITS));
        let bytes = units.unwrap_or_default().as_flattened();
        let digest = bytes
            .get(..S::Digest::LENGTH)
            .and_then(S::Digest::from_slice);
        digest.unwrap_or_default()
    }

    /// Sets the node or the slot at an index of the heap.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, digest: S::Digest) {
        let place = self.place(index);
        let units = self.units.get_mut(place..);
        let node = units.and_then(|units| units.first_chunk_mut::<UNITS>());
        let bytes = node.and_then(|node| node.as_flattened_mut().get_mut(..S::Digest::LENGTH));
        if let Some(bytes) = bytes {
            bytes.copy_from_slice(digest.as_ref());
        }
    }

    /// Returns the content of a slot, counted from 0.
    pub(crate) fn slot(&self, slot: usize) -> S::Digest {
        self.get(self.capacity() + slot)
    }

    /// Sets the content of a slot, counted from 0. Does not update the nodes above it.
    pub(crate) fn set_slot(&mut self, slot: usize, digest: S::Digest) {
        self.set(self.capacity() + slot, digest);
    }

    /// Sets the content of a slot of level 0 of a complete block, counted from 0. Does not update
    /// the nodes above it.
    pub(crate) fn set_entry(&mut self, slot: usize, content: S::Digest) {
        self.has_deleted |= is_reserved(&content);
        self.set_slot(slot, content);
    }

    /// Sets the contents of the first slots.
    pub(crate) fn set_first(&mut self, contents: &[S::Digest]) {
        for (slot, content) in contents.iter().enumerate() {
            self.set_slot(slot, *content);
        }
    }

    /// Reads a byte of each node on the path from a slot to the top of the block, up to the path
    /// from slot `before`. A caller that is going to hash the path loads it into the processor's
    /// caches by this: the reads depend on nothing, so the processor overlaps them.
    #[inline]
    pub(crate) fn touch(&self, slot: usize, before: Option<usize>) -> u8 {
        let capacity = self.capacity();
        let mut index = capacity | slot;
        let mut before = before.map_or(0, |before| capacity | before);
        let mut read = 0;
        while index > 1 && index != before {
            let unit = self.units.get(self.place(index));
            read ^= unit.map_or(0, |[byte, ..]| *byte);
            index >>= 1;
            before >>= 1;
        }
        read
    }

    /// Returns the digest of the block: the node over all slots.
    pub(crate) fn top(&self) -> S::Digest {
        self.get(1)
    }

    /// Computes all nodes above the first `slots` slots.
    ///
    /// Time: hashes of `slots - 1` nodes, and on level 0 also of `slots` entries.
    pub(crate) fn fill(&mut self, place: Place, slots: usize) {
        let (mut first, mut nodes) = (self.capacity(), slots);
        if place.level == 0 {
            self.join_entries(place.block, slots);
            (first, nodes) = (first / 2, nodes.div_ceil(2));
        }
        while first > 1 {
            for node in (0..nodes).step_by(2) {
                let above = (first + node) >> 1;
                let left = self.get(first + node);
                let digest = if node + 1 < nodes {
                    entry::node::<S>(&left, &self.get(first + node + 1))
                } else {
                    left
                };
                self.set(above, digest);
            }
            (first, nodes) = (first / 2, nodes.div_ceil(2));
        }
    }

    /// Computes the nodes over pairs of entries of a block of level 0.
    ///
    /// Hashes a group of entries before the nodes over them. The processor then overlaps these
    /// hashes, because none depends on the one before it.
    fn join_entries(&mut self, block: u64, slots: usize) {
        let capacity = self.capacity();
        let before = block.saturating_mul(to_u64(capacity));
        let mut leaves = [S::Digest::default(); GROUP];
        self.has_deleted = false;
        for start in (0..slots).step_by(GROUP) {
            let group = GROUP.min(slots - start);
            let ids = before.saturating_add(to_u64(start))..;
            for ((slot, id), leaf) in (start..start + group).zip(ids).zip(&mut leaves) {
                let content = self.slot(slot);
                self.has_deleted |= is_reserved(&content);
                *leaf = slot_digest::<S>(id, &content);
            }
            let nodes = (capacity + start) >> 1..;
            let leaves = leaves.get(..group).unwrap_or_default();
            for (node, pair) in nodes.zip(leaves.chunks(2)) {
                if let [left, rest @ ..] = pair {
                    let right = rest.first();
                    let digest = right.map_or(*left, |right| entry::node::<S>(left, right));
                    self.set(node, digest);
                }
            }
        }
    }
}

/// The number of entries that are hashed before the nodes over them.
const GROUP: usize = 16;

/// Converts the content of a slot of level 0 into the state of a registered entry. Zeros stand for
/// a deleted entry.
pub(crate) fn shown<S: Suite>(content: S::Digest) -> EntryState<S> {
    (!is_reserved(&content)).then_some(content)
}
