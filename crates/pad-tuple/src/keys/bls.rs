//! The keys of BLS signatures.

use zeroize::Zeroizing;

use super::{
    KeyBytes, PublicBytes,
    secret::{SEED_LENGTH, SecretBytes, random_bytes},
};
use crate::{
    bls::{BlsPublicKey, BlsSecretKey, PUBLIC_KEY_LENGTH},
    design::AuthorError,
};

/// The seed of the key.
impl KeyBytes for BlsSecretKey {
    const LENGTH: Option<usize> = Some(SEED_LENGTH);

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self::from_seed)
    }
}

impl SecretBytes for BlsSecretKey {
    fn generate_bytes() -> Result<Zeroizing<Vec<u8>>, AuthorError> {
        random_bytes(SEED_LENGTH)
    }
}

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
