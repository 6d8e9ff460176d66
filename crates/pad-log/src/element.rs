//! Elements: fixed-length strings made from the entries of a log.
//!
//! An element of a dictionary has 64 bytes: a key half and a value half. An element of a set is the
//! hash of a member, 32 bytes.
//!
//! The value half covers the *occurrence*: the number of times that the pair of key and value was
//! appended so far, from 1. Equal pairs are therefore different elements.

use pad_core::{Digest, Sha256Ed25519, Suite, internals::Domain};

/// Length in bytes of half an element of a dictionary, and of an element of a set.
pub const HALF: usize = 32;
/// Length in bits of a key half, a value half, or an element of a set.
pub(crate) const HALF_BITS: u16 = 256;

/// Hashes a key to the key half: the first 32 bytes of all elements of this key.
pub fn key_half(key: &[u8]) -> Digest<32> {
    Sha256Ed25519::hash(Domain::AadKey, &[key])
}

/// Computes the value half: the last 32 bytes of an element. `value` is the digest of the value
/// ([`Suite::value`]). `occurrence` counts how often this pair of key and value was appended, from
/// 1.
pub fn value_half(value: &Digest<32>, occurrence: u64) -> Digest<32> {
    Sha256Ed25519::hash(Domain::AadValue, &[&value.0, &occurrence.to_be_bytes()])
}

/// Hashes a member of a set to its element.
pub fn of_member(member: &[u8]) -> Digest<32> {
    Sha256Ed25519::hash(Domain::AadElement, &[member])
}

/// The first [`HALF`] bytes of an element, zero-padded if the element is shorter.
pub(crate) fn first_half(element: &[u8]) -> [u8; HALF] {
    let mut half = [0; HALF];
    for (byte, from) in half.iter_mut().zip(element) {
        *byte = *from;
    }
    half
}
