//! Hashes of nodes, and the digest of a log.
//!
//! Below the blocks' level the forest is a Merkle tree. From that level upwards a node is *sealed*:
//! its hash also covers its level and its accumulator. A proof can therefore contain no other
//! accumulator for the node.

use alloc::vec::Vec;

use bls12::point::G1_BYTES;
use pad_accumulators::AccumulatorId;
use pad_core::{Digest, Sha256Ed25519, Suite, internals::Domain};

/// Hashes an element together with its position in the log.
pub fn leaf(position: u64, element: &[u8]) -> Digest<32> {
    Sha256Ed25519::hash(Domain::AadLeaf, &[&position.to_be_bytes(), element])
}

/// Hashes the hashes of two sibling nodes. Below the blocks' level the result is the hash of their
/// parent. From the blocks' level upwards, it is the parent's inner hash, which [`sealed`] takes.
pub fn pair(left: &Digest<32>, right: &Digest<32>) -> Digest<32> {
    Sha256Ed25519::node(Domain::AadPair, left, right)
}

/// The hash of a node with an accumulator. `inner` is the hash of its children or, for a block, of
/// its elements.
pub fn sealed(level: u8, accumulator: &[u8; G1_BYTES], inner: &Digest<32>) -> Digest<32> {
    Sha256Ed25519::hash(Domain::AadNode, &[&[level], accumulator, &inner.0])
}

/// The hash of a perfect Merkle tree over these elements, without accumulators. `start` is the
/// position of the first element. For a block this is the inner hash. Returns zero if there are no
/// elements.
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

/// Combines the hashes of several roots, from left to right, into one digest, their *bag*. Returns
/// `None` if there are no roots.
pub fn bag(roots: &[Digest<32>]) -> Option<Digest<32>> {
    join(roots, None)
}

/// Combines the hashes of several roots into one digest, as [`bag`] does. `rest` is the bag of the
/// roots that follow, if there are any.
pub fn join(roots: &[Digest<32>], rest: Option<Digest<32>>) -> Option<Digest<32>> {
    roots.iter().rev().fold(rest, |rest, root| {
        Some(rest.map_or(*root, |rest| {
            Sha256Ed25519::node(Domain::AadBag, root, &rest)
        }))
    })
}

/// The digest of the log `id` with `size` elements. `bag` combines the hashes of the roots of its
/// trees: see [`bag`].
///
/// All empty logs have one digest, that of an empty dictionary. It does not depend on `id`.
pub fn digest(id: AccumulatorId, size: u64, bag: Option<Digest<32>>) -> Digest<32> {
    match bag {
        Some(bag) => Sha256Ed25519::hash(
            Domain::AadRoot,
            &[&id.to_bytes(), &size.to_be_bytes(), &bag.0],
        ),
        None => Sha256Ed25519::empty_tree(),
    }
}
