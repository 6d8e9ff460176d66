//! Trees inside blocks of any capacity: with stored nodes, and as the baseline that scans.

use std::marker::PhantomData;

use block_directory::{
    EntryId,
    entry::{entry_digest, root_digest},
    strategy::Place,
};
use pad_core::{Digest, Domain, Sha256Ed25519, Suite as _};
use sha2::{Digest as _, Sha384};

use super::{
    contender::{Contender, PLACE_BYTES, Visit},
    primitives::Primitives,
};
use crate::Outcome;

/// How pairs are hashed.
pub(super) trait PairHash {
    type Digest: Copy + Default + AsRef<[u8]> + AsMut<[u8]>;

    fn object(number: u64) -> Self::Digest;
    fn entry(id: u64, object: &Self::Digest) -> Self::Digest;
    fn node(left: &Self::Digest, right: &Self::Digest) -> Self::Digest;
    fn root(entries: u64, top: &Self::Digest) -> Vec<u8>;

    /// Nanoseconds of a node that waits for the one before, and of one that does not.
    fn node_ns(primitives: &Primitives) -> (f64, f64);
}

/// The nodes of the first suite: with capacities that are powers of two, the roots are those of directories.
pub(super) struct Sha256Pairs;

/// `SHA-384(01 ‖ left ‖ right)`: what the paper's time used for all hashing.
pub(super) struct Sha384Pairs;

/// A digest as bytes that can be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Bytes<const N: usize>(Digest<N>);

impl<const N: usize> Default for Bytes<N> {
    fn default() -> Self {
        Self(Digest::default())
    }
}

impl<const N: usize> AsRef<[u8]> for Bytes<N> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl<const N: usize> AsMut<[u8]> for Bytes<N> {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0.0
    }
}

impl PairHash for Sha256Pairs {
    type Digest = Bytes<32>;

    fn object(number: u64) -> Bytes<32> {
        Bytes(Sha256Ed25519::value(format!("object-{number}").as_bytes()))
    }

    fn entry(id: u64, object: &Bytes<32>) -> Bytes<32> {
        Bytes(entry_digest::<Sha256Ed25519>(
            EntryId::new(id),
            Some(&object.0),
        ))
    }

    fn node(left: &Bytes<32>, right: &Bytes<32>) -> Bytes<32> {
        Bytes(Sha256Ed25519::node(
            Domain::DirectoryNode,
            &left.0,
            &right.0,
        ))
    }

    fn root(entries: u64, top: &Bytes<32>) -> Vec<u8> {
        root_digest::<Sha256Ed25519>(entries, &top.0)
            .as_ref()
            .to_vec()
    }

    fn node_ns(primitives: &Primitives) -> (f64, f64) {
        (primitives.node_chained_ns, primitives.node_independent_ns)
    }
}

impl PairHash for Sha384Pairs {
    type Digest = Bytes<48>;

    fn object(number: u64) -> Bytes<48> {
        sha384(&[format!("object-{number}").as_bytes()])
    }

    fn entry(id: u64, object: &Bytes<48>) -> Bytes<48> {
        sha384(&[&[0], &id.to_be_bytes(), object.as_ref()])
    }

    fn node(left: &Bytes<48>, right: &Bytes<48>) -> Bytes<48> {
        sha384(&[&[1], left.as_ref(), right.as_ref()])
    }

    fn root(entries: u64, top: &Bytes<48>) -> Vec<u8> {
        let root = sha384(&[&[2], &entries.to_be_bytes(), top.as_ref()]);
        root.as_ref().to_vec()
    }

    fn node_ns(primitives: &Primitives) -> (f64, f64) {
        (primitives.sha384_block_ns, primitives.sha384_block_ns)
    }
}

fn sha384(parts: &[&[u8]]) -> Bytes<48> {
    let mut hasher = Sha384::new();
    for part in parts {
        hasher.update(part);
    }
    Bytes(Digest(hasher.finalize().into()))
}

/// Stored nodes: a change hashes those on its path.
pub(super) struct Path<H> {
    capacity: u64,
    hash: PhantomData<fn() -> H>,
}

impl<H> Path<H> {
    pub(super) const fn new(capacity: u64) -> Self {
        let hash = PhantomData;
        Self { capacity, hash }
    }
}

/// The digests of all complete subtrees, those of one height after the other; each height has room for as many as fit.
pub(super) struct Nodes<D> {
    digests: Vec<D>,
    slots: usize,
}

impl<H: PairHash> Contender for Path<H> {
    type Object = H::Digest;
    type Content = H::Digest;
    type Block = Nodes<H::Digest>;

    fn object(number: u64) -> H::Digest {
        H::object(number)
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn widest(&self) -> usize {
        H::Digest::default().as_ref().len()
    }

    fn entry(&self, id: u64, object: &H::Digest) -> H::Digest {
        H::entry(id, object)
    }

    fn open(&self, _: Place) -> Outcome<Self::Block> {
        Ok(Nodes {
            digests: vec![H::Digest::default(); 2 * self.capacity as usize],
            slots: 0,
        })
    }

    fn write(
        &self,
        block: &mut Self::Block,
        place: Place,
        position: u64,
        content: &H::Digest,
    ) -> Outcome<()> {
        let capacity = self.capacity as usize;
        let slot = (position - place.block * self.capacity) as usize;
        block.slots = block.slots.max(slot + 1);
        let (mut start, mut room, mut number, mut count) = (0, capacity, slot, block.slots);
        let mut digest = *content;
        loop {
            block.digests[start + number] = digest;
            (number, count) = (number / 2, count / 2);
            if number >= count {
                return Ok(());
            }
            let pair = start + 2 * number;
            digest = H::node(&block.digests[pair], &block.digests[pair + 1]);
            (start, room) = (start + room, room / 2);
        }
    }

    /// Folds the complete subtrees, from the right.
    fn summary(&self, block: &mut Self::Block, _: Place) -> H::Digest {
        let (mut start, mut room) = (0, self.capacity as usize);
        let mut folded: Option<H::Digest> = None;
        let mut count = block.slots;
        while count > 0 {
            if count % 2 == 1 {
                let peak = &block.digests[start + count - 1];
                folded = Some(folded.map_or(*peak, |right| H::node(peak, &right)));
            }
            (start, room, count) = (start + room, room / 2, count / 2);
        }
        folded.unwrap_or_default()
    }

    fn root(&self, entries: u64, summary: &H::Digest) -> Vec<u8> {
        H::root(entries, summary)
    }

    /// The nodes above the last slot.
    fn limit_ns(&self, visit: Visit, primitives: &Primitives) -> f64 {
        let nodes = visit.slots.trailing_zeros() + visit.slots.count_ones() - 1;
        let entry = u32::from(visit.level == 0);
        f64::from(nodes + entry) * H::node_ns(primitives).0
    }
}

/// Nothing is stored but the slots: a change reads all of them from their places, and hashes the whole tree.
pub(super) struct Scanning<H>(Path<H>);

impl<H> Scanning<H> {
    pub(super) const fn new(capacity: u64) -> Self {
        Self(Path::new(capacity))
    }
}

/// The image of a block.
pub(super) struct Image<D> {
    bytes: Vec<u8>,
    slots: usize,
    read: Vec<D>,
}

impl<H: PairHash> Contender for Scanning<H> {
    type Object = H::Digest;
    type Content = H::Digest;
    type Block = Image<H::Digest>;

    fn object(number: u64) -> H::Digest {
        H::object(number)
    }

    fn capacity(&self) -> u64 {
        self.0.capacity
    }

    fn widest(&self) -> usize {
        H::Digest::default().as_ref().len()
    }

    fn entry(&self, id: u64, object: &H::Digest) -> H::Digest {
        H::entry(id, object)
    }

    fn open(&self, _: Place) -> Outcome<Self::Block> {
        let capacity = self.0.capacity as usize;
        Ok(Image {
            bytes: vec![0; capacity * PLACE_BYTES],
            slots: 0,
            read: Vec::with_capacity(capacity),
        })
    }

    fn write(
        &self,
        block: &mut Self::Block,
        place: Place,
        position: u64,
        content: &H::Digest,
    ) -> Outcome<()> {
        let slot = (position - place.block * self.0.capacity) as usize;
        block.slots = block.slots.max(slot + 1);
        let bytes = content.as_ref();
        block.bytes[slot * PLACE_BYTES..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// Pairs neighbours level by level; one without a neighbour goes up as it is: the same tree.
    fn summary(&self, block: &mut Self::Block, _: Place) -> H::Digest {
        let Image { bytes, slots, read } = block;
        read.clear();
        for place in bytes.chunks_exact(PLACE_BYTES).take(*slots) {
            let mut digest = H::Digest::default();
            let length = digest.as_ref().len();
            digest.as_mut().copy_from_slice(&place[..length]);
            read.push(digest);
        }
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

    fn root(&self, entries: u64, summary: &H::Digest) -> Vec<u8> {
        H::root(entries, summary)
    }

    /// All nodes.
    fn limit_ns(&self, visit: Visit, primitives: &Primitives) -> f64 {
        let entry = u64::from(visit.level == 0);
        (visit.slots - 1 + entry) as f64 * H::node_ns(primitives).1
    }
}
