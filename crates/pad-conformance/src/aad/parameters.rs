//! Public parameters of logs made from a published secret, for tests and test vectors only.

use std::sync::Arc;

use ark_bls12_381::{Fr, G1Projective, G2Affine, G2Projective, g1, g2};
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup, ScalarMul as _};
use ark_ff::{Field as _, PrimeField as _};
use bls12::point::{self, G1_BYTES, G2_BYTES};
use pad_accumulators::{
    bilinear::Parameters,
    wire::{self, Wire},
};
use pad_core::{Workers, codec};

/// The secret number from which the parameters in the test vectors are made, in hexadecimal digits.
pub const SECRET: &str = "1929bd011785da780c6d74fa5c4bd94452d80892bb50f8f64a11855eb18401d3";

/// Returns [`SECRET`] as an element of the scalar field.
pub fn secret() -> Fr {
    let digits = SECRET.as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(core::str::from_utf8(pair).unwrap(), 16).unwrap();
    let bytes: Vec<u8> = digits.map(byte).collect();
    Fr::from_be_bytes_mod_order(&bytes)
}

/// Returns public parameters with `capacity` powers of [`SECRET`] in addition to the generator.
/// They are decoded from their [`message`].
pub fn parameters(capacity: usize) -> Arc<Parameters> {
    let bytes = message(capacity);
    let read = wire::decode::<Parameters>(&Workers::sequential(), &bytes, bytes.len());
    Arc::new(read.unwrap().into_unverified())
}

/// Returns public parameters as a message, with `capacity` powers of [`SECRET`] in addition to the
/// generator.
pub fn message(capacity: usize) -> Vec<u8> {
    let powers = core::iter::successors(Some(Fr::ONE), |power| Some(*power * secret()));
    let powers: Vec<Fr> = powers.take(capacity + 1).collect();
    let powers = G1Projective::generator().batch_mul(&powers);
    let mut bytes = codec::envelope(Parameters::KIND, Parameters::SCHEME);
    bytes.push(11);
    bytes.extend_from_slice(b"accumulator");
    bytes.extend_from_slice(&u32::try_from(powers.len()).unwrap().to_be_bytes());
    for power in powers {
        bytes.extend_from_slice(&point::encode::<g1::Config, G1_BYTES>(&power));
    }
    bytes.extend_from_slice(&2_u32.to_be_bytes());
    let s_g2 = (G2Projective::generator() * secret()).into_affine();
    for power in [G2Affine::generator(), s_g2] {
        bytes.extend_from_slice(&point::encode::<g2::Config, G2_BYTES>(&power));
    }
    bytes
}
