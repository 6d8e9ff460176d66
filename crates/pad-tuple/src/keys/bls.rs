//! Encoding of the public keys of BLS signatures.

use alloc::vec::Vec;

use super::{KeyBytes, PublicBytes};
use bls12::signatures::{BlsPublicKey, PUBLIC_KEY_LENGTH};

impl KeyBytes for BlsPublicKey {
    const LENGTH: Option<usize> = Some(PUBLIC_KEY_LENGTH);

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        Self::from_bytes(bytes.try_into().ok()?).ok()
    }
}

impl PublicBytes for BlsPublicKey {
    fn to_vec(&self) -> Vec<u8> {
        self.to_bytes().to_vec()
    }
}
