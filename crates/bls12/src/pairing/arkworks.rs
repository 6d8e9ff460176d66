//! Pairings of the library arkworks.

use ark_bls12_381::{Bls12_381, Config, G1Affine, G2Affine};
use ark_ec::{bls12::G2Prepared, pairing::Pairing};
use ark_ff::Zero as _;

pub(super) type Second = G2Prepared<Config>;

pub(super) fn second(point: &G2Affine) -> Second {
    point.into()
}

pub(super) fn pairs_to_one<const N: usize>(left: [G1Affine; N], right: [Second; N]) -> bool {
    let product = Bls12_381::multi_miller_loop(left, right);
    // The library writes this group additively: its zero is 1.
    Bls12_381::final_exponentiation(product).is_some_and(|product| product.is_zero())
}
