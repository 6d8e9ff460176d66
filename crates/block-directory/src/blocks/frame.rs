//! A block in memory: its slots, and the inner nodes of the hash tree over them.

use pad_core::{Suite, internals::DigestBytes};

use super::grid::to_u64;
use crate::{
    entry::{self, EntryId, EntryState, entry_digest, is_reserved},
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
    pairs: Vec<Pair<S::Digest>>,
}

/// Two sibling nodes, which are hashed together, in one cache line of the processor.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Pair<D>([D; 2]);

impl<S: Suite> Frame<S> {
    /// Creates a block of `capacity` unused slots.
    pub(crate) fn empty(capacity: usize) -> Self {
        Self {
            pairs: vec![Pair::default(); capacity],
        }
    }

    /// Replaces the contents of the first slots by `bytes`, as encoded in files. Does not compute
    /// the nodes above the slots.
    pub(crate) fn set_slots(&mut self, bytes: &[u8]) {
        self.pairs.fill(Pair::default());
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
        self.pairs.len()
    }

    /// Returns the node or the slot at an index of the heap.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> S::Digest {
        let pair = self.pairs.get(index >> 1);
        // An index in the array, because the processor cannot predict a branch on it.
        let node = pair.and_then(|Pair(nodes)| nodes.get(index & 1));
        node.copied().unwrap_or_default()
    }

    /// Sets the node or the slot at an index of the heap.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, digest: S::Digest) {
        if let Some(Pair([left, right])) = self.pairs.get_mut(index >> 1) {
            *(if index & 1 == 0 { left } else { right }) = digest;
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

    /// Returns the digest of the block: the node over all slots.
    pub(crate) fn top(&self) -> S::Digest {
        self.get(1)
    }

    /// Returns the leaf digest of a slot with this content, by its number in the level. On level 0
    /// this is the hash of the entry; on higher levels it is the content itself.
    pub(crate) fn leaf(level: u8, slot: u64, content: S::Digest) -> S::Digest {
        if level > 0 {
            return content;
        }
        entry_digest::<S>(EntryId::new(slot), shown::<S>(content).as_ref())
    }

    /// Computes all nodes above the first `slots` slots.
    ///
    /// Time: hashes of `slots - 1` nodes, and on level 0 also of `slots` entries.
    pub(crate) fn fill(&mut self, place: Place, slots: usize) {
        let capacity = self.capacity();
        let mut first = capacity / 2;
        let before = place.block.saturating_mul(to_u64(capacity));
        let leaf = |frame: &Self, slot| {
            let number = before.saturating_add(to_u64(slot));
            Self::leaf(place.level, number, frame.slot(slot))
        };
        for slot in (0..slots).step_by(2) {
            let left = leaf(self, slot);
            let right = (slot + 1 < slots).then(|| leaf(self, slot + 1));
            self.set(first + slot / 2, joined::<S>(left, right));
        }
        let mut nodes = slots.div_ceil(2);
        while first > 1 {
            for node in (0..nodes).step_by(2) {
                let left = self.get(first + node);
                let right = (node + 1 < nodes).then(|| self.get(first + node + 1));
                self.set((first | node) >> 1, joined::<S>(left, right));
            }
            first /= 2;
            nodes = nodes.div_ceil(2);
        }
    }
}

/// Returns the digest of the node over two halves. Without a right half, this is the digest of the
/// left half.
pub(crate) fn joined<S: Suite>(left: S::Digest, right: Option<S::Digest>) -> S::Digest {
    right.map_or(left, |right| entry::node::<S>(&left, &right))
}

/// Converts the content of a slot of level 0 into the state of a registered entry. Zeros stand for
/// a deleted entry.
pub(crate) fn shown<S: Suite>(content: S::Digest) -> EntryState<S> {
    (!is_reserved(&content)).then_some(content)
}
