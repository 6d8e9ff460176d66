//! Generates, encodes and decodes the secrets of authors.

use zeroize::Zeroizing;

use super::KeyBytes;
use crate::{chain::ChainSecret, design::AuthorError};
#[cfg(feature = "bls")]
use bls12::signatures::BlsSecretKey;

/// The default number of entries for which a secret is generated, if the secret limits the number
/// of entries ([`SecretBytes::IS_BOUNDED`]).
pub const DEFAULT_ENTRIES: usize = 4095;

/// A secret that a design needs for authors, with an encoding.
pub trait SecretBytes: KeyBytes {
    /// Whether the secret limits the number of entries of a dictionary. A larger limit makes the
    /// public half longer and its check slower.
    const IS_BOUNDED: bool = false;

    /// Generates a secret from the system's randomness, for a dictionary of up to `entries`
    /// entries, and returns its encoding. Secrets without a limit on entries ignore `entries`.
    ///
    /// # Errors
    /// [`AuthorError::NoRandomness`] if the system provides no randomness.
    fn generate_bytes(entries: usize) -> Result<Zeroizing<Vec<u8>>, AuthorError>;

    /// Generates a secret like [`SecretBytes::generate_bytes`], and decodes it.
    ///
    /// # Errors
    /// [`AuthorError::NoRandomness`] if the system provides no randomness.
    /// [`AuthorError::WrongKey`] if the encoding cannot be decoded.
    fn generate(entries: usize) -> Result<Self, AuthorError> {
        Self::from_slice(&Self::generate_bytes(entries)?).ok_or(AuthorError::WrongKey)
    }
}

/// Returns `length` random bytes.
fn random_bytes(length: usize) -> Result<Zeroizing<Vec<u8>>, AuthorError> {
    let mut bytes = Zeroizing::new(vec![0; length]);
    getrandom::fill(&mut bytes).map_err(|_| AuthorError::NoRandomness)?;
    Ok(bytes)
}

impl SecretBytes for () {
    fn generate_bytes(_: usize) -> Result<Zeroizing<Vec<u8>>, AuthorError> {
        Ok(Zeroizing::default())
    }
}

/// Encoded as 32 random bytes, independent of the key that signs heads. The signing key may
/// therefore be in a device that does not export it. The links of a chain reveal nothing about the
/// signing key.
impl KeyBytes for ChainSecret {
    const LENGTH: Option<usize> = Some(SEED_LENGTH);

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self::from_bytes)
    }
}

impl SecretBytes for ChainSecret {
    fn generate_bytes(_: usize) -> Result<Zeroizing<Vec<u8>>, AuthorError> {
        random_bytes(SEED_LENGTH)
    }
}

/// The length in bytes of an encoded secret that consists of random bytes.
const SEED_LENGTH: usize = 32;

/// The encoding of `A`, followed by the encoding of `B`. All encodings of `A` must have the same
/// length, `A::LENGTH`.
impl<A: KeyBytes, B: KeyBytes> KeyBytes for (A, B) {
    const LENGTH: Option<usize> = match (A::LENGTH, B::LENGTH) {
        (Some(first), Some(second)) => Some(first + second),
        _ => None,
    };

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        let (first, second) = bytes.split_at_checked(A::LENGTH?)?;
        Some((A::from_slice(first)?, B::from_slice(second)?))
    }
}

impl<A: SecretBytes, B: SecretBytes> SecretBytes for (A, B) {
    const IS_BOUNDED: bool = A::IS_BOUNDED || B::IS_BOUNDED;

    fn generate_bytes(entries: usize) -> Result<Zeroizing<Vec<u8>>, AuthorError> {
        let (first, second) = (A::generate_bytes(entries)?, B::generate_bytes(entries)?);
        let mut both = Zeroizing::new(Vec::with_capacity(first.len() + second.len()));
        both.extend_from_slice(&first);
        both.extend_from_slice(&second);
        Ok(both)
    }
}

/// Encoded as the 32-byte seed from which the key is derived.
#[cfg(feature = "bls")]
impl KeyBytes for BlsSecretKey {
    const LENGTH: Option<usize> = Some(SEED_LENGTH);

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self::from_seed)
    }
}

#[cfg(feature = "bls")]
impl SecretBytes for BlsSecretKey {
    fn generate_bytes(_: usize) -> Result<Zeroizing<Vec<u8>>, AuthorError> {
        random_bytes(SEED_LENGTH)
    }
}
