//! Encoding of the keys of bilinear-map accumulators.

use std::sync::Arc;

use pad_accumulators::{
    SecretKey as _,
    bilinear::{BilinearPublicKey, BilinearSecretKey, Parameters},
    wire,
};
use pad_core::Workers;
use zeroize::Zeroizing;

use super::{KeyBytes, LABEL, PublicBytes, SecretBytes};
use crate::design::AuthorError;

/// The length of an encoded secret key in bytes, without its parameters.
const SECRET_LENGTH: usize = 40;

impl KeyBytes for BilinearPublicKey {
    const LENGTH: Option<usize> = None;

    /// Decodes a public key.
    ///
    /// Time: pairings, which check that the parameters are powers of one secret.
    fn from_slice(bytes: &[u8]) -> Option<Self> {
        let workers = Workers::sequential();
        let parameters = wire::decode::<Parameters>(&workers, bytes, bytes.len()).ok()?;
        let parameters = Arc::new(parameters.into_unverified());
        Some(Self::new(parameters, LABEL))
    }
}

impl PublicBytes for BilinearPublicKey {
    fn to_vec(&self) -> Vec<u8> {
        wire::encode(self.parameters())
    }
}

impl KeyBytes for BilinearSecretKey {
    const LENGTH: Option<usize> = None;

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        let (secret, parameters) = bytes.split_at_checked(SECRET_LENGTH)?;
        let key = BilinearPublicKey::from_slice(parameters)?;
        let secret = wire::decode::<Self>(&key, secret, secret.len()).ok()?;
        Some(secret.into_unverified())
    }
}

impl SecretBytes for BilinearSecretKey {
    const IS_BOUNDED: bool = true;

    fn generate_bytes(entries: usize) -> Result<Zeroizing<Vec<u8>>, AuthorError> {
        let secret = <Self as SecretBytes>::generate(entries)?;
        let parameters = secret.public_key().to_vec();
        // Allocate first: a vector that grows leaves a copy behind.
        let length = SECRET_LENGTH + parameters.len();
        let mut bytes = Zeroizing::new(Vec::with_capacity(length));
        bytes.extend_from_slice(&secret.to_bytes());
        bytes.extend_from_slice(&parameters);
        Ok(bytes)
    }

    /// Generates a secret key for a dictionary of up to `entries` entries.
    ///
    /// A generation contains one tuple for each entry, and one for the keys below the first key.
    fn generate(entries: usize) -> Result<Self, AuthorError> {
        let capacity = entries.saturating_add(1);
        Self::generate(capacity, 1, LABEL, &Workers::sequential())
            .map_err(|_| AuthorError::NoRandomness)
    }
}
