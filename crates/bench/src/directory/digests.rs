//! Strategies 2 to 6 of [`block_directory::internals::strategy`] as contenders. They use the code
//! that makes and verifies real proofs.

use std::marker::PhantomData;

use block_directory::internals::strategy::{
    AdHash1600, BlockDigest, Contents, Flat, LtHash, MuHash1024, MuHash3072, Place, SlotChange,
    block_root,
};
use pad_core::{Digest, SchemeId, Sha256Ed25519, SnapshotHead, Suite, Version};

use super::{
    contender::{Contender, SlotUpdate},
    primitives::Primitives,
};
use crate::prelude::*;

/// Suite (hash function and signature scheme) of all directories in this benchmark.
pub(super) type S = Sha256Ed25519;

/// Returns the slot content of a live entry: the kind byte 1, and the object's digest.
pub(super) fn entry_content(object: &Digest<32>) -> Vec<u8> {
    [&[1], object.as_ref()].concat()
}

/// Returns the digest of the test object `object-{number}`.
pub(super) fn object(number: u64) -> Digest<32> {
    S::value(format!("object-{number}").as_bytes())
}

/// Makes an unsigned head of version 1 with the given root.
pub(super) fn first_head(scheme: SchemeId, root: Digest<32>) -> SnapshotHead<S> {
    SnapshotHead {
        version: Version::new(1),
        root,
        ..SnapshotHead::empty(scheme, "bench".into())
    }
}

/// Returns the bytes of a slot of a block at `level`.
pub(super) fn width<B: BlockDigest<S>>(level: u8) -> usize {
    match level {
        0 => 33,
        _ => B::summary_bytes(),
    }
}

/// Contender whose blocks are digested by the strategy `B`.
pub(super) struct Digests<B>(PhantomData<fn() -> B>);

/// Block of a [`Digests`] contender: the contents of its slots, and the strategy's state for them.
pub(super) struct Slots<State> {
    place: Place,
    /// Position of the first slot in the level.
    first: u64,
    bytes: Vec<u8>,
    state: State,
}

impl<B: MeasuredDigest> Contender for Digests<B> {
    type Object = Digest<32>;
    type Content = Vec<u8>;
    type Block = Slots<B::State>;

    fn object(number: u64) -> Digest<32> {
        object(number)
    }

    fn widest() -> usize {
        width::<B>(0).max(width::<B>(1))
    }

    fn entry(_: u64, object: &Digest<32>) -> Vec<u8> {
        entry_content(object)
    }

    fn open(place: Place, capacity: u64) -> Outcome<Self::Block> {
        let (first, width) = (place.block * capacity, width::<B>(place.level));
        let empty = Contents {
            place,
            first,
            bytes: &[],
            width,
        };
        Ok(Slots {
            place,
            first,
            bytes: Vec::with_capacity(capacity as usize * width),
            state: B::of(empty)?,
        })
    }

    fn write(block: &mut Self::Block, position: u64, new: &Vec<u8>) -> Outcome<()> {
        let start = (position - block.first) as usize * new.len();
        let slot = start..start + new.len();
        let old = block.bytes.get(slot.clone());
        let change = SlotChange { position, old, new };
        B::write(&mut block.state, block.place, change)?;
        match block.bytes.get_mut(slot) {
            Some(slot) => slot.copy_from_slice(new),
            None => block.bytes.extend_from_slice(new),
        }
        Ok(())
    }

    fn summary(block: &mut Self::Block) -> Vec<u8> {
        let contents = Contents {
            place: block.place,
            first: block.first,
            bytes: &block.bytes,
            width: width::<B>(block.place.level),
        };
        B::summary(&block.state, contents)
    }

    fn side_state(block: &Self::Block) -> Option<Vec<u8>> {
        B::side_state(&block.state)
    }

    fn root(entries: u64, capacity: u64, summary: &Vec<u8>) -> Vec<u8> {
        let root = block_root::<S, B>(entries, capacity as u32, summary);
        root.as_ref().to_vec()
    }

    fn limit_ns(update: SlotUpdate, primitives: &Primitives) -> f64 {
        B::limit_ns(update, primitives)
    }
}

/// Block digest strategy, with its costs for the benchmark.
pub(super) trait MeasuredDigest: BlockDigest<S> {
    /// Returns the name of the strategy in result lines.
    fn name() -> &'static str {
        Self::NAME.trim_start_matches("directory-")
    }

    /// Returns the part of a block's state that must be stored in addition to its slots.
    fn side_state(_: &Self::State) -> Option<Vec<u8>> {
        None
    }

    /// Returns the lower bound, in nanoseconds, for changing one slot and computing the summary
    /// after it.
    fn limit_ns(update: SlotUpdate, primitives: &Primitives) -> f64;
}

impl MeasuredDigest for Flat {
    fn limit_ns(update: SlotUpdate, primitives: &Primitives) -> f64 {
        // Tag, padding and length take nearly two blocks of 64 bytes.
        let bytes = update.slots as usize * width::<Self>(update.level as u8) + 128;
        bytes as f64 * primitives.sha256_byte_ns
    }
}

impl MeasuredDigest for AdHash1600 {
    fn limit_ns(update: SlotUpdate, primitives: &Primitives) -> f64 {
        let element = hashes_ns(update, 5.0, primitives.sha384_two_blocks_ns, primitives);
        combined_ns(update, element, [primitives.sum_1600_ns, 0.0])
    }
}

impl MeasuredDigest for MuHash1024 {
    fn limit_ns(update: SlotUpdate, primitives: &Primitives) -> f64 {
        let element = hashes_ns(update, 3.0, primitives.sha384_two_blocks_ns, primitives);
        let product = [primitives.product_1024_ns, primitives.inverse_1024_ns];
        combined_ns(update, element, product)
    }
}

impl MeasuredDigest for MuHash3072 {
    fn limit_ns(update: SlotUpdate, primitives: &Primitives) -> f64 {
        let element = hashes_ns(update, 8.0, primitives.sha384_four_blocks_ns, primitives);
        let product = [primitives.product_3072_ns, primitives.inverse_3072_ns];
        combined_ns(update, element, product)
    }
}

impl MeasuredDigest for LtHash {
    fn side_state(lanes: &Self::State) -> Option<Vec<u8>> {
        Some(lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect())
    }

    fn limit_ns(update: SlotUpdate, primitives: &Primitives) -> f64 {
        let summary = 2_048.0 * primitives.sha256_byte_ns;
        let sum = [primitives.lanes_ns, 0.0];
        combined_ns(update, primitives.blake3_output_ns, sum) + summary
    }
}

/// Returns the nanoseconds of the `hashes` hashes that make one element. At level 0 a hash is one
/// block of SHA-384. At higher levels it takes `upper_ns`.
fn hashes_ns(update: SlotUpdate, hashes: f64, upper_ns: f64, primitives: &Primitives) -> f64 {
    match update.level {
        0 => hashes * primitives.sha384_block_ns,
        _ => hashes * upper_ns,
    }
}

/// Returns the nanoseconds of the group operations of `update`: hashing a slot to an `element`,
/// and `combining` and `inverting` elements. A slot in use loses its old element, too.
fn combined_ns(update: SlotUpdate, element: f64, [combining, inverting]: [f64; 2]) -> f64 {
    let insertion = element + combining;
    if update.is_new {
        insertion
    } else {
        2.0 * insertion + inverting
    }
}
