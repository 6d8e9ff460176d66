//! Tests of the bilinear accumulator as a whole.

mod accumulation;
mod changes;
mod refusals;
mod setups;

use std::sync::LazyLock;

use ark_bls12_381::Fr;
use ark_ff::PrimeField as _;
use bls12::SecretScalar;
use pad_core::{Verified, Workers};
use rand::{Rng as _, rngs::ChaCha20Rng};
use zeroize::Zeroizing;

use super::{Bilinear, BilinearElement, BilinearPublicKey, BilinearSecretKey, BilinearValue};
use crate::{
    accumulator::{Accumulator, SecretKey},
    element::ElementDigest,
    scheme::Scheme,
    set::ElementSet,
    snapshot::Snapshot,
    testing::{self, workers},
};

/// The largest set of the tests' key.
const CAPACITY: usize = 101;
/// The largest subset.
const SUBSET_LIMIT: usize = 8;

/// A scalar like a random one, the same in every run.
fn scalar(number: u8) -> Fr {
    let digest = ElementDigest::from_bytes([number; 32]);
    BilinearElement::new(digest).unwrap().scalar()
}

/// One key for all tests.
static SECRET: LazyLock<BilinearSecretKey> = LazyLock::new(|| secret_with(scalar(1), b"tests"));

fn secret_with(secret: Fr, label: &[u8]) -> BilinearSecretKey {
    let secret = SecretScalar::new(Zeroizing::new(secret));
    let sizes = (CAPACITY, SUBSET_LIMIT);
    BilinearSecretKey::with_scalar(secret, sizes, label, &Workers::sequential())
}

fn key() -> BilinearPublicKey {
    SECRET.public_key().clone()
}

/// Draws `count` scalars.
pub(super) fn random_scalars(random: &mut ChaCha20Rng, count: usize) -> Vec<Fr> {
    let mut scalar = || {
        let mut bytes = [0; 48];
        random.fill_bytes(&mut bytes);
        Fr::from_le_bytes_mod_order(&bytes)
    };
    (0..count).map(|_| scalar()).collect()
}

/// Elements `0..count` as two bytes, so in ascending order.
fn names(count: u16) -> Vec<Vec<u8>> {
    let names = (0..count).map(|number| number.to_be_bytes().to_vec());
    names.collect()
}

fn set_of<B: AsRef<[u8]> + Sync>(elements: &[B]) -> ElementSet<Bilinear> {
    ElementSet::from_elements(&key(), elements, &Workers::sequential()).unwrap()
}

fn value_of(set: &ElementSet<Bilinear>) -> BilinearValue {
    Bilinear::accumulate(&*SECRET, set, &Workers::sequential()).unwrap()
}

/// Returns the value as a client obtains it: signed and verified.
fn verified(key: &BilinearPublicKey, value: BilinearValue) -> Verified<Snapshot<Bilinear>> {
    testing::verified(key, 5, &value)
}
