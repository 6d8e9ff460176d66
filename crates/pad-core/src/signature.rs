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

use core::{fmt, str::FromStr};

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
