//! Signature schemes for tuples, and the numbers and names of the signed designs.

use core::fmt::Debug;

use pad_core::{Digest, HeadSignature, SchemeId, VerifyError};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    bls::{BlsPublicKey, BlsSecretKey, BlsSignature},
    design::{Expectation, SharedSigner},
};

/// A signature scheme for tuples.
pub trait TupleSignature: Clone + Debug + Eq + Send + Sync + 'static {
    /// The number of this scheme in scheme ids.
    const CODE: u16;
    /// The public key, or nothing if it is the author's own.
    type Key: Clone + Debug + Send + Sync;
    /// The secret key, or nothing if it is the author's own signer.
    type Secret: Send + Sync;
    /// A signature.
    type Signature: Copy + Debug + Eq + Send + Sync + Serialize + DeserializeOwned + AsRef<[u8]>;

    /// The public half.
    fn key(secret: &Self::Secret) -> Self::Key;

    /// Signs a message.
    ///
    /// # Errors
    /// The signer's.
    fn sign(
        secret: &Self::Secret,
        signer: SharedSigner<'_>,
        message: &[u8],
    ) -> Result<Self::Signature, signature::Error>;

    /// Checks a signature for each message.
    ///
    /// # Errors
    /// [`VerifyError::SignatureInvalid`].
    fn verify_each(
        expectation: &Expectation<Self::Key>,
        signed: &[(Vec<u8>, Self::Signature)],
    ) -> Result<(), VerifyError>;
}

/// Ed25519 by the author's signer: the signatures of the paper's designs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ed25519;

impl TupleSignature for Ed25519 {
    const CODE: u16 = 0;
    type Key = ();
    type Secret = ();
    type Signature = SignatureBytes;

    fn key((): &()) {}

    fn sign(
        (): &(),
        signer: SharedSigner<'_>,
        message: &[u8],
    ) -> Result<SignatureBytes, signature::Error> {
        Ok(SignatureBytes(Digest(signer.try_sign(message)?.to_bytes())))
    }

    fn verify_each(
        expectation: &Expectation<()>,
        signed: &[(Vec<u8>, SignatureBytes)],
    ) -> Result<(), VerifyError> {
        signed.iter().try_for_each(|(message, signature)| {
            let signature = HeadSignature::from_bytes(&signature.0.0);
            expectation.authority.author.verify(message, &signature)
        })
    }
}

/// The 64 bytes of an Ed25519 signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureBytes(Digest<64>);

impl AsRef<[u8]> for SignatureBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0.0
    }
}

/// BLS signatures over BLS12-381, many of which aggregate into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bls;

/// The secret key of [`Bls`].
pub type BlsSecret = BlsSecretKey;

impl TupleSignature for Bls {
    const CODE: u16 = 1;
    type Key = BlsPublicKey;
    type Secret = BlsSecretKey;
    type Signature = BlsSignature;

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

    fn verify_each(
        expectation: &Expectation<BlsPublicKey>,
        signed: &[(Vec<u8>, BlsSignature)],
    ) -> Result<(), VerifyError> {
        signed
            .iter()
            .try_for_each(|(message, signature)| expectation.key.verify(message, signature))
    }
}

/// `0x0200 | signature (0, 1) << 6 | refresh (0, 1, 2) << 4 | generations`.
pub(super) const fn id(signature: u16, refresh: u16, generations: usize) -> SchemeId {
    crate::scheme_id(signature << 2 | refresh, generations)
}

/// The name of a signed design: `base` or `spec`, then the refresh, then the signature.
pub(super) const fn name(signature: u16, refresh: u16, generations: usize) -> &'static str {
    match (signature, refresh, generations) {
        (0, 0, 1) => "base",
        (0, 1, 1) => "base-superseding",
        (0, 2, 1) => "base-lightweight",
        (0, 0, _) => "spec",
        (0, 1, _) => "spec-superseding",
        (0, 2, _) => "spec-lightweight",
        (1, 0, 1) => "base-bls",
        (1, 1, 1) => "base-superseding-bls",
        (1, 2, 1) => "base-lightweight-bls",
        (1, 0, _) => "spec-bls",
        (1, 1, _) => "spec-superseding-bls",
        (1, _, _) => "spec-lightweight-bls",
        _ => "unknown",
    }
}
