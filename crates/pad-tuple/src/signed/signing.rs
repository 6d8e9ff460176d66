//! The interface of signature schemes for authors and servers: signing and aggregating.

use pad_core::Digest;

use super::{Ed25519, SignatureBytes, SignatureScheme};
use crate::design::SharedSigner;

/// A signature scheme with which authors sign tuples.
pub trait TupleSignature: SignatureScheme {
    /// The secret key with which authors sign; `()` if the author's signing key for heads is used.
    type Secret: Send + Sync;

    /// Returns the public key that belongs to a secret key.
    fn key(secret: &Self::Secret) -> Self::Key;

    /// Signs a message with `secret`, or with `signer` if the scheme has no secret key of its own.
    ///
    /// # Errors
    /// The error of `signer`.
    fn sign(
        secret: &Self::Secret,
        signer: SharedSigner<'_>,
        message: &[u8],
    ) -> Result<Self::Signature, signature::Error>;

    /// Aggregates at least one signature, without verifying it. If some bytes are not a signature,
    /// [`SignatureScheme::verify_all`] rejects the aggregate.
    fn aggregate(signatures: Vec<Self::Signature>) -> Self::Aggregate;
}

impl TupleSignature for Ed25519 {
    type Secret = ();

    fn key((): &()) {}

    fn sign(
        (): &(),
        signer: SharedSigner<'_>,
        message: &[u8],
    ) -> Result<SignatureBytes, signature::Error> {
        Ok(SignatureBytes(Digest(signer.try_sign(message)?.to_bytes())))
    }

    fn aggregate(signatures: Vec<SignatureBytes>) -> Vec<SignatureBytes> {
        signatures
    }
}
