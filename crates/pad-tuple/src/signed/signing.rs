//! The author's half of signature schemes.

use pad_core::Digest;

use super::{Ed25519, SignatureBytes, SignatureScheme};
use crate::design::SharedSigner;

/// A signature scheme for tuples, with which authors sign them.
pub trait TupleSignature: SignatureScheme {
    /// The secret key, or nothing if it is the author's own signer.
    type Secret: Send + Sync;

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

    /// The signatures, at least one, together. Nothing is verified: bytes that are no signature give
    /// an aggregate that [`SignatureScheme::verify_all`] refuses.
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
