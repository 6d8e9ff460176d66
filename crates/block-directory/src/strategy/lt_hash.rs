//! Strategy 6: a block's summary is the hash of a sum of vectors with 1 024 lanes of 16 bits, one
//! for each slot.

use alloc::{boxed::Box, vec::Vec};

use pad_core::{
    Suite,
    internals::{DigestBytes, Domain},
};

use super::group::Combination;

/// The number of lanes of a vector.
const LANES: usize = 1024;

/// The group of vectors of 1 024 lanes, each added modulo `2^16`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LtLanes;

impl Combination for LtLanes {
    const STRATEGY: u8 = 6;
    const NAME: &'static str = "directory-lt-hash";
    type Value = Box<[u16; LANES]>;

    fn neutral() -> Self::Value {
        Box::new([0; LANES])
    }

    fn element(input: &[&[u8]]) -> Option<Self::Value> {
        let mut hasher = blake3::Hasher::new_keyed(&Domain::BlockLtHash.block());
        for part in input {
            hasher.update(part);
        }
        let mut bytes = [0; 2 * LANES];
        hasher.finalize_xof().fill(&mut bytes);
        let mut lanes = Self::neutral();
        for (lane, bytes) in lanes.iter_mut().zip(bytes.as_chunks().0) {
            *lane = u16::from_le_bytes(*bytes);
        }
        Some(lanes)
    }

    fn combine(value: &mut Self::Value, other: &Self::Value) {
        for (lane, other) in value.iter_mut().zip(other.iter()) {
            *lane = lane.wrapping_add(*other);
        }
    }

    fn remove(value: &mut Self::Value, other: &Self::Value) {
        for (lane, other) in value.iter_mut().zip(other.iter()) {
            *lane = lane.wrapping_sub(*other);
        }
    }

    fn summary_bytes<S: Suite>() -> usize {
        S::Digest::LENGTH
    }

    fn summary<S: Suite>(value: &Self::Value) -> Vec<u8> {
        let state: Vec<u8> = value.iter().flat_map(|lane| lane.to_le_bytes()).collect();
        S::hash(Domain::BlockLtState, &[&state]).as_ref().to_vec()
    }

    fn is_summary(_: &[u8]) -> bool {
        true
    }
}
