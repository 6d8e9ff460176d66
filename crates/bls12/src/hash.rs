//! Hashing to G1: the suite `BLS12381G1_XMD:SHA-256_SSWU_RO_` of RFC 9380, section 8.8.1.
//!
//! The curve library provides the map to the curve and the clearing of the cofactor. The expansion
//! of the message is implemented here, since the library needs another version of the hash
//! function's traits.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

use ark_bls12_381::{Fq, G1Affine, G1Projective, g1};
use ark_ec::{
    AffineRepr, CurveGroup,
    hashing::{curve_maps::wb::WBMap, map_to_curve_hasher::MapToCurve},
};
use ark_ff::PrimeField;
use pad_core::Workers;
use sha2::{Digest, Sha256};

/// Block length of SHA-256 in bytes.
pub(crate) const BLOCK: usize = 64;

/// Number of messages that one parallel task hashes and adds up in [`sum_of_hashes`].
const CHUNK: usize = 16;

/// Hashes a message to a point of the subgroup, under a domain separation tag of at most 255 bytes.
///
/// Source: RFC 9380, section 3 (`hash_to_curve`).
pub fn hash_to_g1(message: &[u8], tag: &[u8]) -> G1Affine {
    map(message, tag).into_affine().clear_cofactor()
}

/// Computes the sum of the points that [`hash_to_g1`] returns for the messages, in parallel.
///
/// Cost: two maps to the curve for each message, and one clearing of the cofactor for the sum,
/// since clearing is linear.
pub fn sum_of_hashes<M: AsRef<[u8]> + Sync>(
    messages: &[M],
    tag: &[u8],
    workers: &Workers,
) -> G1Affine {
    let chunks: Vec<&[M]> = messages.chunks(CHUNK).collect();
    let sums = workers.map(&chunks, |chunk| -> G1Projective {
        let mapped = chunk.iter().map(|message| map(message.as_ref(), tag));
        mapped.sum()
    });
    let sum: G1Projective = sums.into_iter().sum();
    sum.into_affine().clear_cofactor()
}

/// Hashes the concatenated parts, under a domain separation tag, to one element of the base field
/// (RFC 9380, section 5.2, count 1).
#[cfg(feature = "std")]
pub(crate) fn hash_to_field(parts: &[&[u8]], tag: &[u8]) -> Fq {
    Fq::from_be_bytes_mod_order(expand::<2>(parts, tag).as_flattened())
}

/// Hashes a message to a point of the curve without clearing the cofactor (`Q0 + Q1` in RFC 9380).
/// The point is in general outside of the subgroup.
///
/// Clearing is linear, so sums of multiples of hashes need only one clearing.
pub fn map(message: &[u8], tag: &[u8]) -> G1Projective {
    let uniform = expand::<4>(&[message], tag);
    let (halves, _) = uniform.as_flattened().as_chunks::<64>();
    let elements = halves.iter().map(|half| Fq::from_be_bytes_mod_order(half));
    elements.map(map_to_curve).sum()
}

/// Applies the simplified SWU map to an isogenous curve, and then the isogeny (RFC 9380, sections
/// 6.6.3, E.2).
fn map_to_curve(element: Fq) -> G1Affine {
    #[expect(
        clippy::expect_used,
        reason = "the map is defined for every field element; the library has an error for curves \
                  with wrong parameters"
    )]
    WBMap::<g1::Config>::map_to_curve(element).expect("hash: the curve's parameters are right")
}

/// Hashes the concatenated parts to `N` blocks of 32 bytes, by `expand_message_xmd` with SHA-256.
/// `N` is at most 255.
///
/// `tag`, the domain separation tag, has at most 255 bytes.
///
/// Source: RFC 9380, section 5.3.1.
pub(crate) fn expand<const N: usize>(parts: &[&[u8]], tag: &[u8]) -> [[u8; 32]; N] {
    const { assert!(N <= 255, "the counter is one byte") };
    debug_assert!(tag.len() <= 255, "longer tags must be hashed first");
    let [tag_length, ..] = tag.len().to_le_bytes();
    let [.., high, low] = N.saturating_mul(32).to_be_bytes();

    let mut hasher = Sha256::new_with_prefix([0; BLOCK]);
    for part in parts {
        hasher.update(part);
    }
    hasher.update([high, low, 0]);
    hasher.update(tag);
    hasher.update([tag_length]);
    let first: [u8; 32] = hasher.finalize().into();

    let mut blocks = [[0; 32]; N];
    let mut previous = [0; 32];
    for (counter, block) in (1_u8..=255).zip(&mut blocks) {
        let mut input = first;
        for (byte, other) in input.iter_mut().zip(previous) {
            *byte ^= other;
        }
        let hasher = Sha256::new_with_prefix(input).chain_update([counter]);
        let hasher = hasher.chain_update(tag).chain_update([tag_length]);
        *block = hasher.finalize().into();
        previous = *block;
    }
    blocks
}

#[cfg(test)]
mod tests;
