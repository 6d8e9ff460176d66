//! Secret keys and signing.
//!
//! See the [crate's policy](crate) for side channels of signing, faults and wiping. The factor that
//! blinds a signing operation is derived from the secret and the message.

use ark_bls12_381::{G1Affine, G2Affine};
use ark_ec::AffineRepr;

use super::{public_key::BlsPublicKey, signature::BlsSignature, suite::hash_of};
use crate::SecretScalar;

/// A secret key for BLS signatures, with its public key. It cannot be printed, and is wiped on
/// drop.
#[expect(
    missing_debug_implementations,
    reason = "a secret has no business in a log"
)]
pub struct BlsSecretKey {
    scalar: SecretScalar,
    public_key: BlsPublicKey,
}

impl BlsSecretKey {
    /// Derives a key from a seed, which must be 32 secret random bytes.
    ///
    /// Cost: about 1.2 milliseconds, for the public key.
    ///
    /// Source: draft-irtf-cfrg-bls-signature-05, sections 2.3 (`KeyGen`) and 2.4 (`SkToPk`).
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let scalar = SecretScalar::from_seed(seed);
        let point = scalar.times(&G2Affine::generator(), b"");
        Self {
            scalar,
            public_key: BlsPublicKey::from_point(&point),
        }
    }

    /// Returns the public key that belongs to this secret key.
    pub const fn public_key(&self) -> &BlsPublicKey {
        &self.public_key
    }

    /// Signs a message deterministically.
    ///
    /// Cost: about 0.4 milliseconds.
    ///
    /// Source: draft-irtf-cfrg-bls-signature-05, section 2.6 (`CoreSign`).
    pub fn sign(&self, message: &[u8]) -> BlsSignature {
        // No message with the identity as its hash is known. For such a message the result would be
        // invalid.
        let hashed: G1Affine = hash_of(message);
        BlsSignature::from_point(&self.scalar.times(&hashed, message))
    }
}
