//! Signature schemes for tuples, and the scheme ids and names of the signed designs.

use alloc::{vec, vec::Vec};
use core::fmt::Debug;

use pad_core::{Digest, HeadSignature, SchemeId, VerifyError};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::scheme::{Expectation, scheme_id};

/// A signature scheme for tuples. `TupleSignature` (feature `std`) adds signing.
pub trait SignatureScheme: Clone + Debug + Eq + Send + Sync + 'static {
    /// The code of this scheme in scheme ids.
    const CODE: u16;
    /// The public key, or `()` if the author's key is used.
    type Key: Clone + Debug + PartialEq + Send + Sync;
    /// A signature.
    type Signature: Copy + Debug + Eq + Send + Sync + Serialize + DeserializeOwned + AsRef<[u8]>;
    /// Signatures on several messages, in the scheme's smallest form.
    type Aggregate: Clone + Debug + Eq + Send + Sync + Serialize + DeserializeOwned;

    /// Verifies a signature for each message.
    ///
    /// # Errors
    /// [`VerifyError::SignatureInvalid`] if a signature is invalid.
    fn verify_each(
        expectation: &Expectation<Self::Key>,
        signed: &[(Vec<u8>, Self::Signature)],
    ) -> Result<(), VerifyError>;

    /// Splits the aggregate into pieces, in the order of messages. Each piece contains the number
    /// of its messages and their signatures. Pieces are as small as efficient verification allows,
    /// so that work on unsigned data ends early. The default is one piece, for schemes that cannot
    /// split aggregates.
    ///
    /// # Errors
    /// [`VerifyError::CountMismatch`] if the aggregate visibly contains another number of
    /// signatures.
    fn pieces(
        messages: usize,
        aggregate: Self::Aggregate,
    ) -> Result<Vec<(usize, Self::Aggregate)>, VerifyError> {
        Ok(vec![(messages, aggregate)])
    }

    /// Verifies an aggregate of one signature for each message. No message may be given twice.
    ///
    /// # Errors
    /// [`VerifyError::CountMismatch`] if the aggregate visibly contains another number of
    /// signatures. [`VerifyError::SignatureInvalid`] if it does not verify.
    fn verify_all(
        expectation: &Expectation<Self::Key>,
        messages: Vec<Vec<u8>>,
        aggregate: Self::Aggregate,
    ) -> Result<(), VerifyError>;
}

/// Ed25519 signatures by the author's signer, as in the paper's designs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ed25519;

impl SignatureScheme for Ed25519 {
    const CODE: u16 = 0;
    type Key = ();
    type Signature = SignatureBytes;
    /// One signature for each message, in their order.
    type Aggregate = Vec<SignatureBytes>;

    fn verify_each(
        expectation: &Expectation<()>,
        signed: &[(Vec<u8>, SignatureBytes)],
    ) -> Result<(), VerifyError> {
        let signatures: Vec<HeadSignature> = signed
            .iter()
            .map(|(_, signature)| HeadSignature::from_bytes(&signature.0.0))
            .collect();
        let batch: Vec<(&[u8], &HeadSignature)> = signed
            .iter()
            .map(|(message, _)| message.as_slice())
            .zip(&signatures)
            .collect();
        expectation.authority.author.verify_batch(&batch)
    }

    fn pieces(
        messages: usize,
        aggregate: Vec<SignatureBytes>,
    ) -> Result<Vec<(usize, Vec<SignatureBytes>)>, VerifyError> {
        if messages != aggregate.len() {
            return Err(VerifyError::CountMismatch);
        }
        let pieces = aggregate.chunks(PIECE);
        Ok(pieces.map(|piece| (piece.len(), piece.to_vec())).collect())
    }

    fn verify_all(
        expectation: &Expectation<()>,
        messages: Vec<Vec<u8>>,
        aggregate: Vec<SignatureBytes>,
    ) -> Result<(), VerifyError> {
        if messages.len() != aggregate.len() {
            return Err(VerifyError::CountMismatch);
        }
        let signed: Vec<_> = messages.into_iter().zip(aggregate).collect();
        Self::verify_each(expectation, &signed)
    }
}

/// Number of signatures in one batch. Larger batches would hardly cost less per signature.
const PIECE: usize = 64;

/// The 64 bytes of an Ed25519 signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureBytes(pub(super) Digest<64>);

impl AsRef<[u8]> for SignatureBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0.0
    }
}

/// Returns `0x0200 | signature (0, 1) << 6 | refresh (0, 1, 2) << 4 | generations`.
pub(super) const fn id(signature: u16, refresh: u16, generations: usize) -> SchemeId {
    scheme_id(signature << 2 | refresh, generations)
}

/// Returns the name of a signed design: `base`, `spec` or `spec3` for one, two or three
/// generations, then the refresh, then the signature. Other designs are `unknown`.
pub(super) const fn name(signature: u16, refresh: u16, generations: usize) -> &'static str {
    match (signature, refresh, generations) {
        (0, 0, 1) => "base",
        (0, 1, 1) => "base-superseding",
        (0, 2, 1) => "base-lightweight",
        (0, 0, 2) => "spec",
        (0, 1, 2) => "spec-superseding",
        (0, 2, 2) => "spec-lightweight",
        (0, 0, 3) => "spec3",
        (0, 1, 3) => "spec3-superseding",
        (0, 2, 3) => "spec3-lightweight",
        (1, 0, 1) => "base-bls",
        (1, 1, 1) => "base-superseding-bls",
        (1, 2, 1) => "base-lightweight-bls",
        (1, 0, 2) => "spec-bls",
        (1, 1, 2) => "spec-superseding-bls",
        (1, 2, 2) => "spec-lightweight-bls",
        (1, 0, 3) => "spec3-bls",
        (1, 1, 3) => "spec3-superseding-bls",
        (1, 2, 3) => "spec3-lightweight-bls",
        _ => "unknown",
    }
}
