//! The signature scheme [`Bls`] for tuples.

use alloc::vec::Vec;

#[cfg(feature = "std")]
use bls12::signatures::BlsSecretKey;
use bls12::signatures::{BlsPublicKey, BlsSignature};
use pad_core::{VerifyError, Workers};

use super::SignatureScheme;
#[cfg(feature = "std")]
use super::TupleSignature;
#[cfg(feature = "std")]
use crate::design::SharedSigner;
use crate::scheme::Expectation;

/// BLS signatures over the curve BLS12-381. Many signatures can be aggregated into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bls;

impl SignatureScheme for Bls {
    const CODE: u16 = 1;
    type Key = BlsPublicKey;
    type Signature = BlsSignature;
    /// The sum of all signatures, which is one curve point.
    type Aggregate = BlsSignature;

    fn verify_each(
        expectation: &Expectation<BlsPublicKey>,
        signed: &[(Vec<u8>, BlsSignature)],
    ) -> Result<(), VerifyError> {
        signed
            .iter()
            .try_for_each(|(message, signature)| expectation.key.verify(message, signature))
    }

    fn verify_all(
        expectation: &Expectation<BlsPublicKey>,
        messages: Vec<Vec<u8>>,
        aggregate: BlsSignature,
    ) -> Result<(), VerifyError> {
        expectation
            .key
            .verify_aggregate(&messages, &aggregate, &Workers::sequential())
    }
}

#[cfg(feature = "std")]
impl TupleSignature for Bls {
    type Secret = BlsSecretKey;

    fn key(secret: &BlsSecretKey) -> BlsPublicKey {
        secret.public_key().clone()
    }

    fn sign(
        secret: &BlsSecretKey,
        _: SharedSigner<'_>,
        message: &[u8],
    ) -> Result<BlsSignature, signature::Error> {
        Ok(secret.sign(message))
    }

    /// Returns the sum of the signatures. The author may have sent bytes that are not a signature.
    /// In this case, returns the first signature instead, and clients reject the proof.
    fn aggregate(signatures: Vec<BlsSignature>) -> BlsSignature {
        BlsSignature::aggregate(&signatures).unwrap_or_else(|_| {
            *signatures
                .first()
                .expect("signed: a proof contains at least one tuple")
        })
    }
}
