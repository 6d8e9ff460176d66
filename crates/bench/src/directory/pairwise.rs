//! Contenders that hash a Merkle tree inside each block of any capacity. One stores the tree's
//! nodes. The other one is the baseline, and scans all slots.

use std::marker::PhantomData;

use block_directory::{
    EntryId,
    internals::{entry_digest, root_digest, strategy::Place},
};
use pad_core::{Digest, Suite as _, internals::Domain};
use sha2::{Digest as _, Sha384};

use super::{
    contender::{Contender, PLACE_BYTES, SlotUpdate},
    digests::{S, object},
    primitives::Primitives,
};
use crate::Outcome;

/// Hash function of the trees inside blocks: hashes of objects, of entries, and of pairs of nodes.
pub(super) trait PairHash {
    type Digest: Copy + Default + AsRef<[u8]> + Stored;

    fn object(number: u64) -> Self::Digest;
    fn entry(id: u64, object: &Self::Digest) -> Self::Digest;
    fn node(left: &Self::Digest, right: &Self::Digest) -> Self::Digest;
    fn root(entries: u64, top: &Self::Digest) -> Vec<u8>;

    /// Returns the nanoseconds of hashing a node: first, if its input is the digest computed just
    /// before; second, if its input is known in advance.
    fn node_ns(primitives: &Primitives) -> (f64, f64);
}

/// Digest that is read from the bytes of a slot.
pub(super) trait Stored {
    fn read(bytes: &[u8]) -> Self;
}

impl<const N: usize> Stored for Digest<N> {
    fn read(bytes: &[u8]) -> Self {
        Self(*bytes.first_chunk().expect("bench: a place holds a digest"))
    }
}

/// Node hashes of the default suite, with SHA-256. If capacities are powers of two, the roots equal
/// those of real directories.
pub(super) struct Sha256Pairs;

/// Node hashes `SHA-384(01 ‖ left ‖ right)`, with the hash function of the paper's figures.
pub(super) struct Sha384Pairs;

impl PairHash for Sha256Pairs {
    type Digest = Digest<32>;

    fn object(number: u64) -> Digest<32> {
        object(number)
    }

    fn entry(id: u64, object: &Digest<32>) -> Digest<32> {
        entry_digest::<S>(EntryId::new(id), Some(object))
    }

    fn node(left: &Digest<32>, right: &Digest<32>) -> Digest<32> {
        S::node(Domain::DirectoryNode, left, right)
    }

    fn root(entries: u64, top: &Digest<32>) -> Vec<u8> {
        root_digest::<S>(entries, top).0.to_vec()
    }

    fn node_ns(primitives: &Primitives) -> (f64, f64) {
        (primitives.node_chained_ns, primitives.node_independent_ns)
    }
}

impl PairHash for Sha384Pairs {
    type Digest = Digest<48>;

    fn object(number: u64) -> Digest<48> {
        sha384(&[format!("object-{number}").as_bytes()])
    }

    fn entry(id: u64, object: &Digest<48>) -> Digest<48> {
        sha384(&[&[0], &id.to_be_bytes(), object.as_ref()])
    }

    fn node(left: &Digest<48>, right: &Digest<48>) -> Digest<48> {
        sha384(&[&[1], left.as_ref(), right.as_ref()])
    }

    fn root(entries: u64, top: &Digest<48>) -> Vec<u8> {
        sha384(&[&[2], &entries.to_be_bytes(), top.as_ref()])
            .0
            .to_vec()
    }

    fn node_ns(primitives: &Primitives) -> (f64, f64) {
        (primitives.sha384_block_ns, primitives.sha384_block_ns)
    }
}

fn sha384(parts: &[&[u8]]) -> Digest<48> {
    let mut hasher = Sha384::new();
    for part in parts {
        hasher.update(part);
    }
    Digest(hasher.finalize().into())
}

/// Contender that hashes a Merkle tree inside each block. `B` stores a block.
pub(super) struct Pairs<H, B>(PhantomData<fn() -> (H, B)>);

/// Contender that stores the tree nodes of each block. A change hashes only the nodes on its path.
pub(super) type Path<H> = Pairs<H, Nodes<<H as PairHash>::Digest>>;

/// Contender that stores only the slots of each block. A change reads all slots, and hashes the
/// whole tree.
pub(super) type SlotScan<H> = Pairs<H, Image<<H as PairHash>::Digest>>;

/// Block of a contender [`Pairs`].
pub(super) trait PairBlock<H: PairHash> {
    /// Creates an empty block with room for `capacity` slots.
    fn new(capacity: usize) -> Self;
    fn write(&mut self, slot: usize, content: &H::Digest);
    fn summary(&mut self) -> H::Digest;
    fn limit_ns(update: SlotUpdate, primitives: &Primitives) -> f64;
}

impl<H: PairHash, B: PairBlock<H>> Contender for Pairs<H, B> {
    type Object = H::Digest;
    type Content = H::Digest;
    /// Position of the first slot in the level, and the block.
    type Block = (u64, B);

    fn object(number: u64) -> H::Digest {
        H::object(number)
    }

    fn widest() -> usize {
        H::Digest::default().as_ref().len()
    }

    fn entry(id: u64, object: &H::Digest) -> H::Digest {
        H::entry(id, object)
    }

    fn open(place: Place, capacity: u64) -> Outcome<Self::Block> {
        Ok((place.block * capacity, B::new(capacity as usize)))
    }

    fn write((first, block): &mut Self::Block, position: u64, new: &H::Digest) -> Outcome<()> {
        block.write((position - *first) as usize, new);
        Ok(())
    }

    fn summary((_, block): &mut Self::Block) -> H::Digest {
        block.summary()
    }

    fn root(entries: u64, _: u64, summary: &H::Digest) -> Vec<u8> {
        H::root(entries, summary)
    }

    fn limit_ns(update: SlotUpdate, primitives: &Primitives) -> f64 {
        B::limit_ns(update, primitives)
    }
}

/// Block of the contender [`Path`]: the digests of all complete subtrees, ordered by height. Each
/// height has room for as many subtrees as fit the capacity.
pub(super) struct Nodes<D> {
    digests: Vec<D>,
    slots: usize,
}

impl<H: PairHash> PairBlock<H> for Nodes<H::Digest> {
    fn new(capacity: usize) -> Self {
        Self {
            digests: vec![H::Digest::default(); 2 * capacity],
            slots: 0,
        }
    }

    fn write(&mut self, slot: usize, content: &H::Digest) {
        self.slots = self.slots.max(slot + 1);
        let (mut start, mut room) = (0, self.digests.len() / 2);
        let (mut number, mut count) = (slot, self.slots);
        let mut digest = *content;
        loop {
            self.digests[start + number] = digest;
            (number, count) = (number / 2, count / 2);
            if number >= count {
                return;
            }
            let pair = start + 2 * number;
            digest = H::node(&self.digests[pair], &self.digests[pair + 1]);
            (start, room) = (start + room, room / 2);
        }
    }

    /// Hashes the roots of the largest complete subtrees together, from right to left.
    fn summary(&mut self) -> H::Digest {
        let (mut start, mut room) = (0, self.digests.len() / 2);
        let mut folded: Option<H::Digest> = None;
        let mut count = self.slots;
        while count > 0 {
            if count % 2 == 1 {
                let peak = &self.digests[start + count - 1];
                folded = Some(folded.map_or(*peak, |right| H::node(peak, &right)));
            }
            (start, room, count) = (start + room, room / 2, count / 2);
        }
        folded.unwrap_or_default()
    }

    /// Counts the nodes above the last slot, whose hashes depend on each other.
    fn limit_ns(update: SlotUpdate, primitives: &Primitives) -> f64 {
        let nodes = update.slots.trailing_zeros() + update.slots.count_ones() - 1;
        let entry = u32::from(update.level == 0);
        f64::from(nodes + entry) * H::node_ns(primitives).0
    }
}

/// Block of the contender [`SlotScan`]: its bytes as stored.
pub(super) struct Image<D> {
    bytes: Vec<u8>,
    slots: usize,
    read: Vec<D>,
}

impl<H: PairHash> PairBlock<H> for Image<H::Digest> {
    fn new(capacity: usize) -> Self {
        Self {
            bytes: vec![0; capacity * PLACE_BYTES],
            slots: 0,
            read: Vec::with_capacity(capacity),
        }
    }

    fn write(&mut self, slot: usize, content: &H::Digest) {
        self.slots = self.slots.max(slot + 1);
        let bytes = content.as_ref();
        self.bytes[slot * PLACE_BYTES..][..bytes.len()].copy_from_slice(bytes);
    }

    /// Hashes neighbours in pairs, level by level. A digest without a neighbour moves up unchanged.
    /// The resulting tree is that of [`Path`].
    fn summary(&mut self) -> H::Digest {
        let Self { bytes, slots, read } = self;
        read.clear();
        let places = bytes.chunks_exact(PLACE_BYTES).take(*slots);
        read.extend(places.map(H::Digest::read));
        while read.len() > 1 {
            let pairs = read.len() / 2;
            for pair in 0..pairs {
                read[pair] = H::node(&read[2 * pair], &read[2 * pair + 1]);
            }
            if read.len() % 2 == 1 {
                read[pairs] = read[2 * pairs];
            }
            read.truncate(read.len().div_ceil(2));
        }
        read.first().copied().unwrap_or_default()
    }

    /// Counts all nodes of the block, whose hashes at one level do not depend on each other.
    fn limit_ns(update: SlotUpdate, primitives: &Primitives) -> f64 {
        let entry = u64::from(update.level == 0);
        (update.slots - 1 + entry) as f64 * H::node_ns(primitives).1
    }
}
