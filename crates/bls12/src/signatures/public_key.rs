//! Public keys and verification of signatures.

#![deny(clippy::arithmetic_side_effects)]

use alloc::{boxed::Box, sync::Arc};
use core::{fmt, ops::Neg as _, str::FromStr};

use ark_bls12_381::{G1Affine, G2Affine, g2};
use ark_ec::AffineRepr;
use once_cell::race::OnceBox;
use pad_core::{DecodeError, Digest, VerifyError, Workers};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Error as _, IntoDeserializer},
};

use super::{
    signature::BlsSignature,
    suite::{CIPHERSUITE, PUBLIC_KEY_LENGTH, hash_of},
};
use crate::{
    hash,
    pairing::{PairingPoint, pairs_to_one},
    point,
};

/// A public key of BLS signatures: a point of G2 of prime order, 96 bytes compressed.
///
/// Serde: the bytes, without a length; hexadecimal text in human-readable formats. Clones share the
/// form of the point that pairings read.
#[derive(Clone)]
pub struct BlsPublicKey {
    bytes: Digest<PUBLIC_KEY_LENGTH>,
    prepared: Arc<PairingPoint>,
}

impl BlsPublicKey {
    /// Decodes a public key.
    ///
    /// Cost: about 0.3 milliseconds. Decode a key once.
    ///
    /// # Errors
    /// [`DecodeError::PointInvalid`] unless the bytes are the canonical encoding of a point of the
    /// curve; [`DecodeError::PointIsIdentity`] for the identity;
    /// [`DecodeError::PointOutsideSubgroup`] for a point outside the subgroup.
    ///
    /// Source: draft-irtf-cfrg-bls-signature-05, section 2.5 (`KeyValidate`).
    pub fn from_bytes(bytes: &[u8; PUBLIC_KEY_LENGTH]) -> Result<Self, DecodeError> {
        point::decode::<g2::Config, PUBLIC_KEY_LENGTH>(bytes).map(|point| Self::from_point(&point))
    }

    /// Encodes the key.
    pub const fn to_bytes(&self) -> [u8; PUBLIC_KEY_LENGTH] {
        self.bytes.0
    }

    /// Creates a key from a point of the subgroup, which must not be the identity.
    pub(super) fn from_point(point: &G2Affine) -> Self {
        Self {
            bytes: Digest(point::encode::<g2::Config, PUBLIC_KEY_LENGTH>(point)),
            prepared: Arc::new(PairingPoint::from(*point)),
        }
    }

    /// Verifies `signature` on `message`.
    ///
    /// Cost: mainly two pairings, on the calling thread: about 0.8 milliseconds with blst.
    ///
    /// # Errors
    /// [`VerifyError::SignatureInvalid`] if the signature is malformed or does not verify.
    ///
    /// Source: draft-irtf-cfrg-bls-signature-05, section 2.7 (`CoreVerify`).
    pub fn verify(&self, message: &[u8], signature: &BlsSignature) -> Result<(), VerifyError> {
        let point = decode(signature)?;
        self.require_signed(hash_of(message), point)
    }

    /// Verifies `signature`, the sum of signatures by this key: one for each message, in any order.
    ///
    /// A message that is listed `k` times needs `k` signatures in the sum. See the [module](super)
    /// for the guarantees.
    ///
    /// Cost: two pairings, and a tenth of a millisecond for each message, spread over the workers.
    ///
    /// # Errors
    /// [`VerifyError::SignatureInvalid`] if the aggregate is malformed or does not verify. Also for
    /// an empty list of messages, whose sum would be the identity.
    ///
    /// Source: Boneh, Gentry, Lynn & Shacham 2003, section 3.1, for equal keys.
    pub fn verify_aggregate(
        &self,
        messages: &[impl AsRef<[u8]> + Sync],
        signature: &BlsSignature,
        workers: &Workers,
    ) -> Result<(), VerifyError> {
        if messages.is_empty() {
            return Err(VerifyError::SignatureInvalid);
        }
        let point = decode(signature)?;
        let sum = hash::sum_of_hashes(messages, CIPHERSUITE, workers);
        workers.run(|| self.require_signed(sum, point))
    }

    /// Checks the signature equation `e(hashed, key) e(signature, -g) = 1`. `hashed` is the hash of
    /// the message, or a sum of hashes. `g` is the generator of G2.
    fn require_signed(&self, hashed: G1Affine, signature: G1Affine) -> Result<(), VerifyError> {
        static NEGATED_GENERATOR: OnceBox<PairingPoint> = OnceBox::new();
        let negated_generator = NEGATED_GENERATOR
            .get_or_init(|| Box::new(PairingPoint::from(G2Affine::generator().neg())));
        let keys = [
            PairingPoint::clone(&self.prepared),
            negated_generator.clone(),
        ];
        if pairs_to_one([hashed, signature], keys) {
            Ok(())
        } else {
            Err(VerifyError::SignatureInvalid)
        }
    }
}

/// Decodes the signature's point, and converts the error to a [`VerifyError`].
fn decode(signature: &BlsSignature) -> Result<G1Affine, VerifyError> {
    signature.point().map_err(|_| VerifyError::SignatureInvalid)
}

impl PartialEq for BlsPublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for BlsPublicKey {}

impl fmt::Display for BlsPublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes.fmt(formatter)
    }
}

impl fmt::Debug for BlsPublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "BlsPublicKey({self})")
    }
}

impl FromStr for BlsPublicKey {
    type Err = DecodeError;

    /// Decodes a key from lower-case hexadecimal digits.
    ///
    /// # Errors
    /// [`DecodeError::Malformed`] if the text is not 192 lower-case hexadecimal digits; the errors
    /// of [`BlsPublicKey::from_bytes`].
    fn from_str(text: &str) -> Result<Self, DecodeError> {
        let text: de::value::StrDeserializer<'_, de::value::Error> = text.into_deserializer();
        let bytes = Digest::deserialize(text).map_err(|_| DecodeError::Malformed)?;
        Self::from_bytes(&bytes.0)
    }
}

impl Serialize for BlsPublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.bytes.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for BlsPublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = Digest::deserialize(deserializer)?;
        Self::from_bytes(&bytes.0).map_err(D::Error::custom)
    }
}
