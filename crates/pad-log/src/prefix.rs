//! Prefixes of elements as scalars: the roots of polynomials.

use ark_bls12_381::Fr;
use ark_ff::AdditiveGroup;
use bls12::scalar;
use pad_core::{Domain, Sha256Ed25519, Suite};

use crate::{
    element::{HALF, HALF_BITS},
    scheme::Scheme,
};

/// The scalar of the first `length` bits of an element that is at least as long. The scalar is a
/// digest with its two highest bits cleared: below `2^254`, and so below the order of the groups.
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

/// The scalar of a key half, or of an element of a set, over all its bits.
pub fn scalar_of_half(half: &[u8; HALF]) -> Fr {
    scalar_of_prefix(half, HALF_BITS)
}

/// The roots of an element's polynomial.
pub(crate) fn roots_of<S: Scheme>(element: &[u8]) -> impl Iterator<Item = Fr> {
    S::root_lengths().map(|length| scalar_of_prefix(element, length))
}
