//! Secret keys, and signing.
//!
//! What is constant time here: the sequence of operations in multiplications by the secret
//! (see `ladder`). Field arithmetic is but for its inversions and the last subtraction of the
//! modulus, and works on coordinates blinded by a factor that depends on the secret and on the
//! message. It depends on nothing else: who can have one message signed many times sees the same
//! blinding each time.
//!
//! What a fault does: a signature is not checked before it is released. A faulty scalar or
//! intermediate point gives a signature that does not verify; who can inject faults into the
//! arithmetic at will may learn about the secret from many of them. Verify what was signed if the
//! machine is not trusted.
//!
//! What is wiped: the secret, its digits, what it is derived from. What is not: the states of the
//! hash function, copies in registers and on the stack, the points of the ladder.

use ark_bls12_381::{Fq, Fr, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use ark_ff::{BigInteger, PrimeField};
use zeroize::Zeroizing;

use super::{BlsPublicKey, BlsSignature, hash, key_derivation, ladder};

/// The domain separation tag of the blinding factors, which nobody sees.
const BLINDING: &[u8] = b"PAD_BLINDING_BLS12381_XMD:SHA-256";

/// A secret key with its public key. Not printable, wiped when dropped.
#[expect(
    missing_debug_implementations,
    reason = "a secret has no business in a log"
)]
pub struct BlsSecretKey {
    scalar: Box<Zeroizing<Fr>>,
    public_key: BlsPublicKey,
}

impl BlsSecretKey {
    /// The key of a seed, which must be 32 secret random bytes.
    ///
    /// Cost: about 1.2 milliseconds, for the public key.
    ///
    /// Source: draft-irtf-cfrg-bls-signature-05, sections 2.3 (`KeyGen`) and 2.4 (`SkToPk`).
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let scalar = Box::new(key_derivation::scalar_from_seed(seed));
        let blinding = blinding(&scalar, b"");
        let point = ladder::multiply(&G2Affine::generator(), &scalar, blinding);
        Self {
            scalar,
            public_key: BlsPublicKey::from_point(&point),
        }
    }

    /// The public key.
    pub const fn public_key(&self) -> &BlsPublicKey {
        &self.public_key
    }

    /// The signature on a message: always the same one.
    ///
    /// Cost: about 0.4 milliseconds.
    ///
    /// Source: draft-irtf-cfrg-bls-signature-05, section 2.6 (`CoreSign`).
    pub fn sign(&self, message: &[u8]) -> BlsSignature {
        // Nobody knows a message whose hash is the identity, for which this would be no signature.
        let hashed: G1Affine = hash::hash_to_g1(message);
        let blinding = blinding(&self.scalar, message);
        BlsSignature::from_point(&ladder::multiply(&hashed, &self.scalar, blinding))
    }
}

/// A factor for coordinates that depends on the secret and the message.
fn blinding(scalar: &Fr, message: &[u8]) -> Fq {
    let secret = Zeroizing::new(scalar.into_bigint().to_bytes_be());
    hash::hash_to_field(&[&secret, message], BLINDING)
}
