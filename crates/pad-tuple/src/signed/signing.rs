//! Signing: the interface of signature schemes for authors.

use pad_core::Digest;

use super::{Ed25519, SignatureBytes, SignatureScheme};
use crate::design::SharedSigner;

/// A signature scheme with which authors sign tuples.
pub trait TupleSignature: SignatureScheme {
    /// The secret key, or `()` if the author's signer signs.
    type Secret: Send + Sync;

    /// Returns the public half of a secret.
    fn key(secret: &Self::Secret) -> Self::Key;

    /// Signs a message.
    ///
    /// # Errors
    /// The errors of the signer.
    fn sign(
        secret: &Self::Secret,
        signer: SharedSigner<'_>,
        message: &[u8],
    ) -> Result<Self::Signature, signature::Error>;

    /// Aggregates at least one signature. Does not verify. Bytes that are not a signature give an
    /// aggregate that [`SignatureScheme::verify_all`] refuses.
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
