//! Hashes of nodes, and the digest of a log.
//!
//! Below the blocks' level the forest is a Merkle tree. From that level upwards a node is *sealed*:
//! its hash also covers its level and its accumulator. A proof can therefore contain no other
//! accumulator for the node.

use alloc::vec::Vec;

use bls12::point::G1_BYTES;
use pad_accumulators::AccumulatorId;
use pad_core::{Digest, Domain, Sha256Ed25519, Suite};

/// The hash of the element at a position.
pub fn leaf(position: u64, element: &[u8]) -> Digest<32> {
    Sha256Ed25519::hash(Domain::AadLeaf, &[&position.to_be_bytes(), element])
}

/// The hash of two neighbours. Below the blocks' level it is the hash of their parent. From the
/// blocks' level upwards, the parent's hash is [`sealed`] over it.
pub fn pair(left: &Digest<32>, right: &Digest<32>) -> Digest<32> {
    Sha256Ed25519::node(Domain::AadPair, left, right)
}

/// The hash of a node with an accumulator, whose children have the hash `inner`.
pub fn sealed(level: u8, accumulator: &[u8; G1_BYTES], inner: &Digest<32>) -> Digest<32> {
    Sha256Ed25519::hash(Domain::AadNode, &[&[level], accumulator, &inner.0])
}

/// The hash of a perfect tree of plain nodes over these elements, the first of them at position
/// `start`. For a block this is the inner hash. Zero if there are no elements.
pub fn of_elements<'a>(start: u64, elements: impl Iterator<Item = &'a [u8]>) -> Digest<32> {
    let positions = (0..).map(|offset: u64| start.saturating_add(offset));
    let mut row: Vec<Digest<32>> = positions
        .zip(elements)
        .map(|(position, element)| leaf(position, element))
        .collect();
    while row.len() > 1 {
        let pairs = row.as_chunks().0.iter();
        row = pairs.map(|[left, right]| pair(left, right)).collect();
    }
    row.first().copied().unwrap_or_default()
}

/// Combines the hashes of several roots, from left to right, into one digest. `None` if there are
/// none.
pub fn bag(roots: &[Digest<32>]) -> Option<Digest<32>> {
    join(roots, None)
}

/// Combines the hashes of several roots, followed by roots with the bag `rest`, into one digest.
pub fn join(roots: &[Digest<32>], rest: Option<Digest<32>>) -> Option<Digest<32>> {
    roots.iter().rev().fold(rest, |rest, root| {
        Some(rest.map_or(*root, |rest| {
            Sha256Ed25519::node(Domain::AadBag, root, &rest)
        }))
    })
}

/// The digest of the log `id` with `size` elements, whose roots have this bag.
///
/// The empty log has the digest of every empty dictionary, which does not depend on the log.
pub fn digest(id: AccumulatorId, size: u64, bag: Option<Digest<32>>) -> Digest<32> {
    match bag {
        Some(bag) => Sha256Ed25519::hash(
            Domain::AadRoot,
            &[&id.to_bytes(), &size.to_be_bytes(), &bag.0],
        ),
        None => Sha256Ed25519::empty_tree(),
    }
}
