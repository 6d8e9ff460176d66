//! Combines any tag scheme with verified reads: adds the root of a hash tree over each block to the
//! block's tag.
//!
//! The scheme proves possession; the root verifies reads. A client checks a block that it reads by
//! hashing it, without the computations of the scheme.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;
use core::marker::PhantomData;

use super::{
    BlockTag, Challenged, TagError, WriteId,
    hash_only::{HashOnly, chunk_tree},
    scheme::{OpenedBlock, StoredBlock, TagScheme},
};
use crate::error::AuditError;

/// The length in bytes of a hash tree's root.
const ROOT: usize = 32;

/// Tag scheme `S` with verified reads. The committed part of a tag is the root of [`HashOnly`] (32
/// bytes), then the committed part of `S`. The held part is the held part of `S`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WithReads<S>(PhantomData<S>);

impl<S: TagScheme> TagScheme for WithReads<S> {
    type OwnerKey = S::OwnerKey;
    type ServerParameters = S::ServerParameters;
    type Prover = S::Prover;
    type VerifierKey = S::VerifierKey;

    const MAX_LENGTH: u64 = S::MAX_LENGTH;

    fn server_parameters(owner: &S::OwnerKey) -> S::ServerParameters {
        S::server_parameters(owner)
    }

    fn verifier_key(owner: &S::OwnerKey) -> S::VerifierKey {
        S::verifier_key(owner)
    }

    fn tag(owner: &S::OwnerKey, write: WriteId, block: &[u8]) -> Result<BlockTag, TagError> {
        let BlockTag { committed, held } = S::tag(owner, write, block)?;
        let root = chunk_tree::root(block);
        Ok(BlockTag {
            committed: [root.as_slice(), committed.as_ref()].concat().into(),
            held,
        })
    }

    fn prover(parameters: &S::ServerParameters) -> S::Prover {
        S::prover(parameters)
    }

    fn absorb(
        prover: &mut S::Prover,
        challenged: &Challenged,
        tag: &BlockTag,
        block: &[u8],
    ) -> Result<(), TagError> {
        S::absorb(prover, challenged, &inner(tag)?, block)
    }

    fn finish(prover: S::Prover) -> Vec<u8> {
        S::finish(prover)
    }

    fn verify(
        key: &S::VerifierKey,
        blocks: &[OpenedBlock<'_>],
        proof: &[u8],
    ) -> Result<(), AuditError> {
        S::verify(key, &inner_blocks(blocks)?, proof)
    }

    fn verify_as_owner(
        owner: &S::OwnerKey,
        blocks: &[OpenedBlock<'_>],
        proof: &[u8],
    ) -> Result<(), AuditError> {
        S::verify_as_owner(owner, &inner_blocks(blocks)?, proof)
    }

    fn check_tags(
        parameters: &S::ServerParameters,
        blocks: &[StoredBlock<'_>],
    ) -> Result<(), TagError> {
        let mut tags = Vec::with_capacity(blocks.len());
        for block in blocks {
            check_block(0, block.tag.committed.as_ref(), block.data).map_err(
                |error| match error {
                    AuditError::MalformedTag { .. } => TagError::TagMalformed,
                    _ => TagError::BlockMismatch,
                },
            )?;
            tags.push(inner(block.tag)?);
        }
        let blocks: Vec<StoredBlock<'_>> = tags
            .iter()
            .zip(blocks)
            .map(|(tag, block)| StoredBlock { tag, ..*block })
            .collect();
        S::check_tags(parameters, &blocks)
    }
}

/// Checks `block`, the block that starts at byte `start`, against the root in `committed`, the
/// committed part of its tag. Independent of the scheme.
pub(super) fn check_block(start: u64, committed: &[u8], block: &[u8]) -> Result<(), AuditError> {
    let (root, _) = committed
        .split_at_checked(ROOT)
        .ok_or(AuditError::MalformedTag { start })?;
    HashOnly::check_block(start, root, block)
}

/// Extracts the tag of the scheme `S` from a tag of [`WithReads<S>`](WithReads): removes the root.
fn inner(tag: &BlockTag) -> Result<BlockTag, TagError> {
    let committed = tag.committed.as_ref().get(ROOT..);
    Ok(BlockTag {
        committed: committed.ok_or(TagError::TagMalformed)?.to_vec().into(),
        held: tag.held.clone(),
    })
}

/// Converts challenged blocks of [`WithReads<S>`](WithReads) to those of `S`: removes the roots
/// from the committed parts.
fn inner_blocks<'a>(blocks: &[OpenedBlock<'a>]) -> Result<Vec<OpenedBlock<'a>>, AuditError> {
    let inner = |block: &OpenedBlock<'a>| {
        let start = block.challenged.start;
        let committed = block.committed.get(ROOT..);
        Ok(OpenedBlock {
            committed: committed.ok_or(AuditError::MalformedTag { start })?,
            challenged: block.challenged,
        })
    };
    blocks.iter().map(inner).collect()
}
