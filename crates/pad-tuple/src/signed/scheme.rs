//! The interface of signature schemes for tuples, and the scheme ids and names of the signed
//! designs.

use alloc::{vec, vec::Vec};
use core::fmt::Debug;

use pad_core::{Digest, HeadSignature, SchemeId, VerifyError};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::scheme::{Expectation, scheme_id};

/// A signature scheme for tuples. `TupleSignature` (feature `std`) adds signing.
pub trait SignatureScheme: Clone + Debug + Eq + Send + Sync + 'static {
    /// The number of this signature scheme, from which scheme ids are computed.
    const CODE: u16;
    /// The public key that verifies signatures; `()` if the author's key does.
    type Key: Clone + Debug + PartialEq + Send + Sync;
    /// A signature on one message.
    type Signature: Copy + Debug + Eq + Send + Sync + Serialize + DeserializeOwned + AsRef<[u8]>;
    /// Signatures on several messages, aggregated as far as the scheme allows.
    type Aggregate: Clone + Debug + Eq + Send + Sync + Serialize + DeserializeOwned;

    /// Verifies each pair of a message and a signature.
    ///
    /// # Errors
    /// [`VerifyError::SignatureInvalid`] if a signature is invalid.
    fn verify_each(
        expectation: &Expectation<Self::Key>,
        signed: &[(Vec<u8>, Self::Signature)],
    ) -> Result<(), VerifyError>;

    /// Splits the aggregate of signatures on `messages` messages into pieces, in the order of
    /// messages. Each piece is a number of messages and the aggregate of their signatures. Pieces
    /// are as small as efficient verification allows, so that a client notices unsigned data early.
    /// The default is one piece, for schemes that cannot split aggregates.
    ///
    /// # Errors
    /// [`VerifyError::CountMismatch`] if the number of signatures in the aggregate is known and
    /// differs.
    fn pieces(
        messages: usize,
        aggregate: Self::Aggregate,
    ) -> Result<Vec<(usize, Self::Aggregate)>, VerifyError> {
        Ok(vec![(messages, aggregate)])
    }

    /// Verifies an aggregate of one signature for each message. No message may be given twice.
    ///
    /// # Errors
    /// [`VerifyError::CountMismatch`] if the number of signatures in the aggregate is known and
    /// differs. [`VerifyError::SignatureInvalid`] if it does not verify.
    fn verify_all(
        expectation: &Expectation<Self::Key>,
        messages: Vec<Vec<u8>>,
        aggregate: Self::Aggregate,
    ) -> Result<(), VerifyError>;
}

/// Ed25519 signatures with the author's signing key, as in the designs of Crosby & Wallach 2010.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ed25519;

impl SignatureScheme for Ed25519 {
    const CODE: u16 = 0;
    type Key = ();
    type Signature = SignatureBytes;
    /// One signature for each message, in the order of the messages.
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

/// The number of signatures that are verified in one batch. Larger batches would hardly cost less
/// per signature.
const PIECE: usize = 64;

/// The 64 bytes of an Ed25519 signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureBytes(pub(super) Digest<64>);

impl AsRef<[u8]> for SignatureBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0.0
    }
}

/// Returns the scheme id of a signed design: `0x0200 | signature (0, 1) << 6 | refresh (0, 1, 2) <<
/// 4 | generations`.
pub(super) const fn id(signature: u16, refresh: u16, generations: usize) -> SchemeId {
    scheme_id(signature << 2 | refresh, generations)
}

/// Returns the display name of a signed design. It is `base`, `spec` or `spec3` for one, two or
/// three generations, then the name of the refresh rule, then of the signature scheme. The rule
/// `Plain` and the scheme `Ed25519` add no name. Other designs are `unknown`.
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
