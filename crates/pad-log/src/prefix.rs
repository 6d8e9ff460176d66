//! Scalars of elements and of their prefixes, which are the roots of the accumulated polynomials.

use ark_bls12_381::Fr;
use ark_ff::AdditiveGroup;
use bls12::scalar;
use pad_core::{Sha256Ed25519, Suite, internals::Domain};

use crate::{
    element::{HALF, HALF_BITS},
    scheme::Scheme,
};

/// Hashes the first `length` bits of an element, which has at least that length, to a scalar. The
/// scalar is a digest with its two highest bits cleared. It is below `2^254`, and so below the
/// order of G1.
///
/// Cost: one hash.
pub fn scalar_of_prefix(element: &[u8], length: u16) -> Fr {
    let (whole, rest) = (usize::from(length / 8), length % 8);
    let (bytes, after) = element.split_at_checked(whole).unwrap_or((element, &[]));
    let mask = !(u8::MAX >> rest);
    let last = after.first().map_or(0, |byte| byte & mask);
    let last: &[u8] = if rest == 0 { &[] } else { &[last] };
    let digest = Sha256Ed25519::hash(Domain::AadPrefix, &[&length.to_be_bytes(), bytes, last]);
    let mut number = digest.0;
    let [first, ..] = &mut number;
    *first &= 0x3f;
    scalar::decode(&number).unwrap_or(Fr::ZERO)
}

/// Hashes all bits of a key half, or of an element of a set, to a scalar.
pub fn scalar_of_half(half: &[u8; HALF]) -> Fr {
    scalar_of_prefix(half, HALF_BITS)
}

/// The scalars of an element: one in counted schemes, one for each prefix in frontier schemes. They
/// are roots of the polynomial of every tree with the element.
pub(crate) fn roots_of<S: Scheme>(element: &[u8]) -> impl Iterator<Item = Fr> {
    S::root_lengths().map(|length| scalar_of_prefix(element, length))
}
