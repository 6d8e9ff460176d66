//! Hashing to G1: the suite `BLS12381G1_XMD:SHA-256_SSWU_RO_` of RFC 9380, section 8.8.1.
//!
//! The map to the curve and the clearing of the cofactor are the curve library's. The expansion of
//! the message is written here, as the library wants another version of the hash function's traits.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use ark_bls12_381::{Fq, G1Affine, G1Projective, g1};
use ark_ec::hashing::{curve_maps::wb::WBMap, map_to_curve_hasher::MapToCurve};
use ark_ff::PrimeField;
use sha2::{Digest, Sha256};

/// The domain separation tag.
const DOMAIN: &[u8] = b"FLEXLIST-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_";

/// The block length of SHA-256 in bytes.
const BLOCK: usize = 64;

/// The point of a write before the clearing of the cofactor, which is linear: sums are cleared once.
pub(super) fn uncleared(write: &[u8; 16], length: u64) -> G1Projective {
    let mut message = [0; 24];
    let (head, tail) = message.split_at_mut(16);
    head.copy_from_slice(write);
    tail.copy_from_slice(&length.to_be_bytes());
    map(&message, DOMAIN)
}

/// `Q0 + Q1`: a point of the curve from which the cofactor is not yet cleared.
fn map(message: &[u8], tag: &[u8]) -> G1Projective {
    let uniform = expand::<4>(message, tag);
    let (halves, _) = uniform.as_flattened().as_chunks::<64>();
    halves
        .iter()
        .map(|half| Fq::from_be_bytes_mod_order(half))
        .map(map_to_curve)
        .sum()
}

/// The simplified SWU map to an isogenous curve, and the isogeny (RFC 9380, sections 6.6.3, E.2).
fn map_to_curve(element: Fq) -> G1Affine {
    #[expect(
        clippy::expect_used,
        reason = "the map is defined for every field element; the library has an error for curves \
                  with wrong parameters"
    )]
    WBMap::<g1::Config>::map_to_curve(element).expect("hash: the curve's parameters are right")
}

/// `expand_message_xmd` of a message, with SHA-256, to `N` blocks of 32
/// bytes: at most 255.
///
/// The tag has at most 255 bytes.
///
/// Source: RFC 9380, section 5.3.1.
fn expand<const N: usize>(message: &[u8], tag: &[u8]) -> [[u8; 32]; N] {
    const { assert!(N <= 255, "the counter is one byte") };
    debug_assert!(tag.len() <= 255, "longer tags must be hashed first");
    let [tag_length, ..] = tag.len().to_le_bytes();
    let [.., high, low] = N.saturating_mul(32).to_be_bytes();

    let mut hasher = Sha256::new_with_prefix([0; BLOCK]);
    hasher.update(message);
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
        let hasher = Sha256::new_with_prefix(input)
            .chain_update([counter])
            .chain_update(tag)
            .chain_update([tag_length]);
        *block = hasher.finalize().into();
        previous = *block;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use ark_ec::{AffineRepr, CurveGroup};
    use ark_ff::BigInteger;

    use super::*;

    #[test]
    fn points_are_those_of_the_rfc() {
        // RFC 9380, appendix J.9.1: message, x, y.
        let tag = b"QUUX-V01-CS02-with-BLS12381G1_XMD:SHA-256_SSWU_RO_";
        let vectors: [(&[u8], &str, &str); 2] = [
            (
                b"",
                "052926add2207b76ca4fa57a8734416c8dc95e24501772c814278700eed6d1e4e8cf62d9c09db0fac349612b759e79a1",
                "08ba738453bfed09cb546dbb0783dbb3a5f1f566ed67bb6be0e8c67e2e81a4cc68ee29813bb7994998f3eae0c9c6a265",
            ),
            (
                b"abcdef0123456789",
                "11e0b079dea29a68f0383ee94fed1b940995272407e3bb916bbf268c263ddd57a6a27200a784cbc248e84f357ce82d98",
                "03a87ae2caf14e8ee52e51fa2ed8eefe80f02457004ba4d486d6aa1f517c0889501dc7413753f9599b099ebcbbd2d709",
            ),
        ];
        let hexadecimal = |element: Fq| hex::encode(element.into_bigint().to_bytes_be());
        for (message, x, y) in vectors {
            let point = map(message, tag).into_affine().clear_cofactor();
            assert_eq!(
                (hexadecimal(point.x), hexadecimal(point.y)),
                (x.into(), y.into())
            );
            assert!(point.is_in_correct_subgroup_assuming_on_curve());
        }
    }

    #[test]
    fn writes_and_lengths_give_different_points() {
        let points = [
            uncleared(&[1; 16], 5),
            uncleared(&[1; 16], 6),
            uncleared(&[2; 16], 5),
        ];
        assert!(points[0] != points[1] && points[0] != points[2] && points[1] != points[2]);
    }
}
