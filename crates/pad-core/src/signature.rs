//! The author's public key and the signatures on heads: Ed25519 (RFC 8032), verified strictly.
//!
//! Signing goes through the `signature` crate's [`signature::Signer`], so any Ed25519 signer will
//! do: a key in memory, another library's implementation, a hardware module.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use alloc::{boxed::Box, vec, vec::Vec};
use core::{fmt, str::FromStr};

use ::signature::{Keypair, Signer};
use ed25519_dalek::VerifyingKey;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{
    digest::{Digest, deserialize_array, parse_hexadecimal, serialize_array},
    error::VerifyError,
};

/// Ed25519 signatures as signers return them.
pub type HeadSignature = ed25519_dalek::Signature;

/// The length of a signature in bytes.
pub const SIGNATURE_LENGTH: usize = ed25519_dalek::SIGNATURE_LENGTH;

/// From this number of signatures on a batch takes less time than one check after the other.
const BATCH_MINIMUM: usize = 2;

/// An author's public key: a checked point of the curve that is not of small order, in the one
/// encoding that RFC 8032 allows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AuthorKey(VerifyingKey);

impl AuthorKey {
    /// The key with this RFC 8032 encoding.
    ///
    /// # Errors
    /// [`VerifyError::AuthorKeyInvalid`] if the bytes are not a point, or one of small order, or
    /// not the canonical encoding (the library's decoder takes coordinates above the modulus).
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, VerifyError> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| VerifyError::AuthorKeyInvalid)?;
        if key.is_weak() || key.to_edwards().compress().as_bytes() != bytes {
            return Err(VerifyError::AuthorKeyInvalid);
        }
        Ok(Self(key))
    }

    /// The public half of a signer that knows it.
    ///
    /// # Errors
    /// [`VerifyError::AuthorKeyInvalid`] as [`AuthorKey::from_bytes`], or if it is of another length.
    pub fn of(signer: &impl Keypair<VerifyingKey: AsRef<[u8]>>) -> Result<Self, VerifyError> {
        let key = signer.verifying_key();
        let bytes = key.as_ref().try_into();
        Self::from_bytes(bytes.map_err(|_| VerifyError::AuthorKeyInvalid)?)
    }

    /// The RFC 8032 encoding.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// Checks a signature on a message, refusing malleable encodings.
    ///
    /// # Errors
    /// [`VerifyError::SignatureInvalid`].
    pub fn verify(&self, message: &[u8], signature: &HeadSignature) -> Result<(), VerifyError> {
        self.0
            .verify_strict(message, signature)
            .map_err(|_| VerifyError::SignatureInvalid)
    }

    /// Checks signatures on messages, one for each, in less time than one by one.
    ///
    /// Measured on one core against as many calls of [`AuthorKey::verify`]: 2 signatures take 0.7
    /// times as long, 8 take 0.45, 100 take 0.37, 1000 take 0.3. One is checked by
    /// [`AuthorKey::verify`]; none are good.
    ///
    /// What it promises: if every signature passes [`AuthorKey::verify`], so does the batch. If one
    /// does not satisfy the equation `8 s B = 8 R + 8 k A` of RFC 8032, section 5.1.7, the batch
    /// fails, but for a chance of about 2^-128: the equations are added with factors of 128 bits,
    /// derived by hashing from everything that is checked. Both refuse `s` that is not reduced,
    /// and this type has refused keys of small order and other encodings of keys.
    ///
    /// What it does not promise: [`AuthorKey::verify`] also refuses `R` of small order, `R` in
    /// another encoding than the canonical one, and signatures that satisfy the equation only with
    /// the factor 8. A batch takes the first two, and the third by chance, which depends on the
    /// other signatures in it. To make one of these takes the secret key (or to forge a signature
    /// outright), and one with `R` of small order gives the key away to everybody who sees it. So
    /// a batch shows, as one check does, that the author signed every message; but an author can
    /// make clients disagree who check in different batches. What clients pass on as evidence
    /// against the author must be checked by [`AuthorKey::verify`].
    ///
    /// # Errors
    /// [`VerifyError::SignatureInvalid`] if any of them is not valid; it does not say which one.
    ///
    /// Source: Bernstein, Duif, Lange, Schwabe & Yang 2011, section 5; on the differences,
    /// Chalkias, Garillot & Nikolaenko 2020.
    pub fn verify_batch(&self, signed: &[(&[u8], &HeadSignature)]) -> Result<(), VerifyError> {
        if signed.len() < BATCH_MINIMUM {
            return signed
                .iter()
                .try_for_each(|(message, signature)| self.verify(message, signature));
        }
        let (messages, signatures): (Vec<&[u8]>, Vec<HeadSignature>) = signed
            .iter()
            .map(|(message, signature)| (*message, **signature))
            .unzip();
        let keys = vec![self.0; signed.len()];
        ed25519_dalek::verify_batch(&messages, &signatures, &keys)
            .map_err(|_| VerifyError::SignatureInvalid)
    }
}

impl fmt::Display for AuthorKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Digest(self.to_bytes()).fmt(formatter)
    }
}

impl fmt::Debug for AuthorKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "AuthorKey({self})")
    }
}

impl FromStr for AuthorKey {
    type Err = VerifyError;

    fn from_str(text: &str) -> Result<Self, VerifyError> {
        let bytes = parse_hexadecimal(text).ok_or(VerifyError::AuthorKeyInvalid)?;
        Self::from_bytes(&bytes)
    }
}

impl Serialize for AuthorKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_array(&self.to_bytes(), serializer)
    }
}

impl<'de> Deserialize<'de> for AuthorKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_bytes(&deserialize_array(deserializer)?).map_err(D::Error::custom)
    }
}

/// Any Ed25519 signer that several threads may use, whatever its type.
pub struct HeadSigner(Box<dyn Signer<HeadSignature> + Send + Sync>);

impl HeadSigner {
    /// The signer without its type.
    pub fn new(signer: impl Signer<HeadSignature> + Send + Sync + 'static) -> Self {
        Self(Box::new(signer))
    }
}

impl Signer<HeadSignature> for HeadSigner {
    fn try_sign(&self, message: &[u8]) -> Result<HeadSignature, ::signature::Error> {
        self.0.try_sign(message)
    }
}

impl fmt::Debug for HeadSigner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HeadSigner(..)")
    }
}

/// Serde for [`HeadSignature`]: its 64 bytes, without a length.
pub(crate) mod as_bytes {
    use super::{
        Deserializer, HeadSignature, SIGNATURE_LENGTH, Serializer, deserialize_array,
        serialize_array,
    };

    pub(crate) fn serialize<S: Serializer>(
        signature: &HeadSignature,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serialize_array::<SIGNATURE_LENGTH, S>(&signature.to_bytes(), serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<HeadSignature, D::Error> {
        deserialize_array(deserializer).map(|bytes| HeadSignature::from_bytes(&bytes))
    }
}

#[cfg(test)]
mod tests;
