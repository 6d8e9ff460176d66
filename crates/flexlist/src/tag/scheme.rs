//! The interface of tag schemes. A tag scheme lets a server prove that it possesses a file's
//! blocks.

use alloc::vec::Vec;
use core::fmt;

use pad_core::DecodeError;
use zeroize::Zeroizing;

use super::{BlockTag, Challenged, TagError, WriteId};
use crate::error::AuditError;

/// The maximum block length in bytes of all schemes. A scheme may allow less.
pub(crate) const MAX_BLOCK_LENGTH: u64 = 1 << 24;

/// A challenged block as a verifier sees it.
///
/// The caller of the verifier must have checked that the block's leaf in the list stores SHA-256(5
/// || `committed`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenedBlock<'a> {
    /// The block's position and its hits (challenged bytes), from the list's proof.
    pub challenged: &'a Challenged,
    /// The part of the block's tag that the block's leaf commits to.
    pub committed: &'a [u8],
}

/// A block and its tag as a server stores them.
#[derive(Clone, Copy, Debug)]
pub struct StoredBlock<'a> {
    /// The block's tag.
    pub tag: &'a BlockTag,
    /// The block's bytes.
    pub data: &'a [u8],
}

/// A key or parameter set that has an encoding.
pub(crate) trait KeyBytes: Sized {
    /// Encodes the value. The bytes may be secret, and are overwritten when dropped.
    fn to_bytes(&self) -> Zeroizing<Vec<u8>>;

    /// Decodes a value from the encoding of [`KeyBytes::to_bytes`]. The input is untrusted.
    ///
    /// # Errors
    /// [`TagError::Malformed`] if the bytes are not an encoding. Other errors come from the
    /// scheme's own construction of the value.
    fn from_bytes(bytes: &[u8]) -> Result<Self, TagError>;
}

/// The empty encoding, for schemes without a key or parameters.
impl KeyBytes for () {
    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(Vec::new())
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, TagError> {
        if bytes.is_empty() {
            Ok(())
        } else {
            Err(DecodeError::TrailingBytes.into())
        }
    }
}

/// A tag scheme: the computations of owner, server and verifier.
///
/// Laws:
/// 1. Proofs of an honest server verify against tags of an honest owner. This holds for blocks of 1
///    to [`TagScheme::MAX_LENGTH`] bytes, and for any hits (challenged bytes) inside them.
/// 2. A proof is a function of challenge, blocks and tags. Its length is a function of the blocks'
///    lengths and hits.
/// 3. The coefficient of a block is the sum of its hits' coefficients as integers.
/// 4. If no block is challenged, the proof is empty.
pub(crate) trait TagScheme: fmt::Debug + 'static {
    /// The owner's secret key.
    type OwnerKey: KeyBytes + fmt::Debug + Send + Sync;
    /// The parameters with which a server creates proofs.
    type ServerParameters: KeyBytes + fmt::Debug + Send + Sync;
    /// A proof of possession in progress.
    type Prover: fmt::Debug + Send;
    /// The key that verifies proofs of possession.
    type VerifierKey: KeyBytes + fmt::Debug + Send + Sync;

    /// The maximum block length in bytes, at most [`MAX_BLOCK_LENGTH`].
    const MAX_LENGTH: u64;

    /// Derives the server's parameters from the owner's key.
    fn server_parameters(owner: &Self::OwnerKey) -> Self::ServerParameters;

    /// Derives the verifier's key from the owner's key. The result is secret if the scheme is not
    /// publicly verifiable.
    fn verifier_key(owner: &Self::OwnerKey) -> Self::VerifierKey;

    /// Computes the tag of a block. `write` identifies this write of the block.
    ///
    /// # Errors
    /// [`TagError::BlockEmpty`] for a block without bytes; [`TagError::BlockTooLong`] for a block
    /// longer than the scheme allows; [`TagError::FaultDetected`] if a computation with secret
    /// factors fails its check.
    fn tag(owner: &Self::OwnerKey, write: WriteId, block: &[u8]) -> Result<BlockTag, TagError>;

    /// Starts a proof that contains no blocks yet.
    fn prover(parameters: &Self::ServerParameters) -> Self::Prover;

    /// Adds a challenged block to the proof. Blocks are added in file order.
    ///
    /// # Errors
    /// * [`TagError::BlockMismatch`] if the block does not have the challenged length. Some schemes
    ///   also compare the block with its tag.
    /// * [`TagError::TagMalformed`] for a tag without the form of the scheme.
    /// * [`TagError::BlockEmpty`] for a block without bytes; [`TagError::BlockTooLong`] for a block
    ///   longer than the scheme allows.
    fn absorb(
        prover: &mut Self::Prover,
        challenged: &Challenged,
        tag: &BlockTag,
        block: &[u8],
    ) -> Result<(), TagError>;

    /// Completes the proof and returns its encoding.
    fn finish(prover: Self::Prover) -> Vec<u8>;

    /// Verifies a proof for the challenged blocks.
    fn verify(
        key: &Self::VerifierKey,
        blocks: &[OpenedBlock<'_>],
        proof: &[u8],
    ) -> Result<(), AuditError>;

    /// Verifies a proof with the owner's key, which may be faster than [`TagScheme::verify`].
    fn verify_as_owner(
        owner: &Self::OwnerKey,
        blocks: &[OpenedBlock<'_>],
        proof: &[u8],
    ) -> Result<(), AuditError> {
        Self::verify(&Self::verifier_key(owner), blocks, proof)
    }

    /// Checks that tags match their blocks, as far as the server can tell. The server calls this
    /// before it accepts blocks.
    ///
    /// # Errors
    /// * [`TagError::BlockEmpty`] for a block without bytes; [`TagError::BlockTooLong`] for a block
    ///   longer than the scheme allows.
    /// * [`TagError::TagMalformed`] for a tag without the form of the scheme;
    ///   [`TagError::BlockMismatch`] for a tag that does not match its block.
    /// * [`TagError::RandomnessUnavailable`] if the operating system provides no random bytes.
    ///
    /// Source: Erway et al. 2009 for checking a batch of tags by random coefficients.
    fn check_tags(
        parameters: &Self::ServerParameters,
        blocks: &[StoredBlock<'_>],
    ) -> Result<(), TagError>;
}

/// Returns the length of a block after checking it against the scheme's limits.
pub(super) fn block_length<S: TagScheme>(block: &[u8]) -> Result<u64, TagError> {
    let length = u64::try_from(block.len()).unwrap_or(u64::MAX);
    let limit = S::MAX_LENGTH;
    if length == 0 {
        Err(TagError::BlockEmpty)
    } else if length > limit {
        Err(TagError::BlockTooLong { length, limit })
    } else {
        Ok(length)
    }
}

/// Returns what the secret mask of a tag is derived from: the write id, then the block's `length`.
pub(super) fn hashed_message(write: &[u8; 16], length: u64) -> [u8; 24] {
    let mut message = [0; 24];
    let (head, tail) = message.split_at_mut(write.len());
    head.copy_from_slice(write);
    tail.copy_from_slice(&length.to_be_bytes());
    message
}

/// Pads a sector, or the shorter end of a block, with zeros to `N` bytes.
pub(super) fn padded<const N: usize>(sector: &[u8]) -> [u8; N] {
    let mut padded = [0; N];
    for (byte, value) in padded.iter_mut().zip(sector) {
        *byte = *value;
    }
    padded
}

/// Checks, for a prover, that a block's length is allowed and equals the challenged length.
pub(super) fn require_block<S: TagScheme>(
    challenged: &Challenged,
    block: &[u8],
) -> Result<(), TagError> {
    if block_length::<S>(block)? == challenged.length {
        Ok(())
    } else {
        Err(TagError::BlockMismatch)
    }
}

/// Checks, for a verifier, that a challenged block has an allowed length and contains its hits.
pub(super) fn require_challenged<S: TagScheme>(challenged: &Challenged) -> Result<(), AuditError> {
    let start = challenged.start;
    if challenged.length == 0 || challenged.length > S::MAX_LENGTH {
        return Err(AuditError::LengthUnsupported { start });
    }
    let inside = |hit: &super::Hit| hit.offset < challenged.length;
    if challenged.hits.iter().all(inside) {
        Ok(())
    } else {
        Err(AuditError::HitOutsideBlock { start })
    }
}

/// Checks the tags of a publicly verifiable scheme in one batch. Creates and verifies a proof with
/// random coefficients for all blocks.
#[cfg(any(feature = "rsa", feature = "bls"))]
pub(super) fn check_at_random<S: TagScheme>(
    parameters: &S::ServerParameters,
    key: &S::VerifierKey,
    blocks: &[StoredBlock<'_>],
) -> Result<(), TagError> {
    let mut prover = S::prover(parameters);
    let mut challenges = Vec::with_capacity(blocks.len());
    for block in blocks {
        let mut coefficient = [0; 16];
        getrandom::fill(&mut coefficient).map_err(|_| TagError::RandomnessUnavailable)?;
        let challenged = Challenged {
            start: 0,
            length: block_length::<S>(block.data)?,
            hits: alloc::vec![super::Hit {
                offset: 0,
                coefficient: u128::from_be_bytes(coefficient),
            }],
        };
        S::absorb(&mut prover, &challenged, block.tag, block.data)?;
        challenges.push(challenged);
    }
    let opened: Vec<OpenedBlock<'_>> = challenges
        .iter()
        .zip(blocks)
        .map(|(challenged, block)| OpenedBlock {
            challenged,
            committed: block.tag.committed.as_ref(),
        })
        .collect();
    S::verify(key, &opened, &S::finish(prover)).map_err(|error| match error {
        AuditError::MalformedTag { .. } | AuditError::TagOutOfRange { .. } => {
            TagError::TagMalformed
        }
        _ => TagError::BlockMismatch,
    })
}
