//! Lengths, domain separation tag and hash function of the ciphersuite of BLS signatures.

use ark_bls12_381::G1Affine;

use crate::{
    hash,
    point::{G1_BYTES, G2_BYTES},
};

/// Length of a signature in bytes.
pub const SIGNATURE_LENGTH: usize = G1_BYTES;

/// Length of a public key in bytes.
pub const PUBLIC_KEY_LENGTH: usize = G2_BYTES;

/// Name of the ciphersuite, which is also the domain separation tag of the hash to G1.
pub(super) const CIPHERSUITE: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";

/// Hashes a message to G1: `H(message)`.
pub(super) fn hash_of(message: &[u8]) -> G1Affine {
    hash::hash_to_g1(message, CIPHERSUITE)
}
