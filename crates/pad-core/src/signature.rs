//! The author's public key and the signatures on heads: Ed25519 (RFC 8032), verified strictly.
//!
//! Signing uses the `signature` crate's [`signature::Signer`]. Any Ed25519 signer works, such as a
//! key in memory, another library or a hardware module. A signer may block. The source of its error
//! ([`signature::Error::from_source`]) is the reason of the refusal.

use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec,
    vec::Vec,
};
use core::{error::Error as _, fmt, str::FromStr};

use ::signature::{Keypair, Signer};
use ed25519_dalek::VerifyingKey;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{
    digest::{Digest, deserialize_array, parse_hexadecimal, serialize_array},
    error::VerifyError,
};

/// An Ed25519 signature as returned by signers: on a head, or on another statement of an author.
pub type HeadSignature = ed25519_dalek::Signature;

/// The length of a signature in bytes.
pub const SIGNATURE_LENGTH: usize = ed25519_dalek::SIGNATURE_LENGTH;

/// The smallest batch of signatures that is verified as a batch. A single signature is verified
/// faster on its own.
const BATCH_MINIMUM: usize = 2;

/// An author's public key: a curve point of non-small order in the canonical encoding of RFC 8032.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AuthorKey(VerifyingKey);

impl AuthorKey {
    /// Decodes a key from its RFC 8032 encoding.
    ///
    /// # Errors
    /// [`VerifyError::AuthorKeyInvalid`] if the bytes are not a point, encode a point of small
    /// order, or are not canonical. The last check is explicit, because the library's decoder
    /// accepts coordinates above the modulus.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, VerifyError> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| VerifyError::AuthorKeyInvalid)?;
        if key.is_weak() || key.to_edwards().compress().as_bytes() != bytes {
            return Err(VerifyError::AuthorKeyInvalid);
        }
        Ok(Self(key))
    }

    /// Returns the public key of a signer.
    ///
    /// # Errors
    /// [`VerifyError::AuthorKeyInvalid`] as for [`AuthorKey::from_bytes`], or if the length is not
    /// 32 bytes.
    pub fn of(signer: &impl Keypair<VerifyingKey: AsRef<[u8]>>) -> Result<Self, VerifyError> {
        let key = signer.verifying_key();
        let bytes = key.as_ref().try_into();
        Self::from_bytes(bytes.map_err(|_| VerifyError::AuthorKeyInvalid)?)
    }

    /// The RFC 8032 encoding of the key.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// Verifies a signature of `message` by this key. Rejects malleable encodings, which would
    /// allow a second valid signature.
    ///
    /// # Errors
    /// [`VerifyError::SignatureInvalid`] if the signature does not verify.
    pub fn verify(&self, message: &[u8], signature: &HeadSignature) -> Result<(), VerifyError> {
        self.0
            .verify_strict(message, signature)
            .map_err(|_| VerifyError::SignatureInvalid)
    }

    /// Verifies a batch of signatures, one for each message, faster than separate checks.
    ///
    /// Measured on one core against separate calls of [`AuthorKey::verify`]: 2 signatures take 0.7
    /// times as long, 8 take 0.45, 100 take 0.37, 1000 take 0.3. A single signature is checked by
    /// [`AuthorKey::verify`]. An empty batch is valid.
    ///
    /// Guarantees:
    ///
    /// * If every signature passes [`AuthorKey::verify`], so does the batch.
    /// * If one signature violates the equation `8 s B = 8 R + 8 k A` (RFC 8032, section 5.1.7),
    ///   the batch passes with a probability of about 2^-128. The equations are added with 128-bit
    ///   factors, derived by hashing all checked data.
    /// * Both methods reject unreduced `s`. This type rejects keys of small order and non-canonical
    ///   encodings of keys.
    ///
    /// Differences: [`AuthorKey::verify`] also rejects `R` of small order, non-canonical encodings
    /// of `R`, and signatures that satisfy the equation only with the factor 8. A batch accepts the
    /// first two. It accepts the third by chance, which depends on the other signatures in the
    /// batch.
    ///
    /// Making a signature of one of these three kinds requires the secret key, or an outright
    /// forgery. A signature with `R` of small order reveals the secret key. So a batch proves, like
    /// a single check, that the author signed every message. But an author can make clients
    /// disagree about a signature that they check in different batches. Check evidence against the
    /// author with [`AuthorKey::verify`] before passing it on.
    ///
    /// # Errors
    /// [`VerifyError::SignatureInvalid`] if any signature is invalid, without telling which one.
    ///
    /// Source: Bernstein, Duif, Lange, Schwabe & Yang 2011, section 5. On the differences:
    /// Chalkias, Garillot & Nikolaenko 2020.
    #[doc(hidden)]
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

/// A type-erased Ed25519 signer, usable from several threads. Clones share the signer.
#[derive(Clone)]
pub struct HeadSigner(Arc<dyn Signer<HeadSignature> + Send + Sync>);

impl HeadSigner {
    /// Wraps a signer of any type.
    pub fn new(signer: impl Signer<HeadSignature> + Send + Sync + 'static) -> Self {
        Self(Arc::new(signer))
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

/// Returns a signer's reason for an error: the error's source or, without a source, the error
/// itself.
pub fn refusal_reason(error: &::signature::Error) -> String {
    let source = error.source().map(ToString::to_string);
    source.unwrap_or_else(|| error.to_string())
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
