//! Tags that are the root of a hash tree over the block's chunks, without a key.
//!
//! A proof opens the chunk that contains each hit (a challenged byte). It consists of these chunks
//! and their paths, and does not hide their bytes. The scheme's security rests on SHA-256 only, and
//! withstands quantum computers as far as is known. A proof says nothing about other chunks: a
//! challenge of every block covers only one chunk of each block.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

use pad_core::codec::Fields;

use super::{
    BlockTag, Challenged, TagError, WriteId,
    scheme::{
        MAX_BLOCK_LENGTH, OpenedBlock, StoredBlock, TagScheme, block_length, require_block,
        require_challenged,
    },
};
use crate::error::AuditError;

pub(crate) mod chunk_tree;
#[cfg(test)]
#[expect(clippy::arithmetic_side_effects, reason = "tests")]
mod tests;

use chunk_tree::{CHUNK_LENGTH, ChunkTree, Digest};

/// The tag scheme by hash trees. The committed part of a tag is the root of the [`chunk_tree`] (32
/// bytes). The part that only the server stores is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HashOnly;

impl TagScheme for HashOnly {
    type OwnerKey = ();
    type ServerParameters = ();
    /// The encoded chunks and paths of the blocks added so far.
    type Prover = Vec<u8>;
    type VerifierKey = ();

    const MAX_LENGTH: u64 = MAX_BLOCK_LENGTH;

    fn server_parameters((): &()) {}

    fn verifier_key((): &()) {}

    fn tag((): &(), _: WriteId, block: &[u8]) -> Result<BlockTag, TagError> {
        block_length::<Self>(block)?;
        Ok(BlockTag {
            committed: chunk_tree::root(block).to_vec().into(),
            held: Vec::new().into(),
        })
    }

    fn prover((): &()) -> Vec<u8> {
        Vec::new()
    }

    /// Appends the challenged chunks of the block and their paths to the proof. Cost: hashes the
    /// whole block.
    fn absorb(
        prover: &mut Vec<u8>,
        challenged: &Challenged,
        tag: &BlockTag,
        block: &[u8],
    ) -> Result<(), TagError> {
        require_block::<Self>(challenged, block)?;
        if tag.committed.as_ref().len() != size_of::<Digest>() || !tag.held.as_ref().is_empty() {
            return Err(TagError::TagMalformed);
        }
        let tree = ChunkTree::new(block);
        if tree.root() != tag.committed.as_ref() {
            return Err(TagError::BlockMismatch);
        }
        for index in chunks(challenged) {
            tree.open(index, prover);
        }
        Ok(())
    }

    fn finish(prover: Vec<u8>) -> Vec<u8> {
        prover
    }

    fn verify((): &(), blocks: &[OpenedBlock<'_>], proof: &[u8]) -> Result<(), AuditError> {
        for block in blocks {
            require_challenged::<Self>(block.challenged)?;
            if block.committed.len() != size_of::<Digest>() {
                let start = block.challenged.start;
                return Err(AuditError::MalformedTag { start });
            }
        }
        if proof_length(blocks) != Some(proof.len()) {
            return Err(AuditError::MalformedTagProof);
        }
        let mut reader = Fields::new(proof);
        for block in blocks {
            let Challenged { start, length, .. } = *block.challenged;
            for index in chunks(block.challenged) {
                let opening = reader
                    .take(chunk_tree::opening_length(length, index))
                    .map_err(|_| AuditError::MalformedTagProof)?;
                if chunk_tree::opened_root(length, index, opening).as_ref()
                    != block.committed.first_chunk()
                {
                    return Err(AuditError::BlockMismatch { start });
                }
            }
        }
        reader.finish().map_err(|_| AuditError::MalformedTagProof)
    }

    fn check_tags((): &(), blocks: &[StoredBlock<'_>]) -> Result<(), TagError> {
        for block in blocks {
            block_length::<Self>(block.data)?;
            if !block.tag.held.as_ref().is_empty() {
                return Err(TagError::TagMalformed);
            }
            let checked = Self::check_block(0, block.tag.committed.as_ref(), block.data);
            checked.map_err(stored)?;
        }
        Ok(())
    }
}

impl HashOnly {
    /// Checks the chunk-tree root of `block` against `committed`, the committed part of its tag.
    ///
    /// `start` only identifies the block in errors.
    ///
    /// # Errors
    /// [`AuditError::MalformedTag`] if `committed` has the wrong length;
    /// [`AuditError::BlockMismatch`] if the root differs, or `block` is empty or too long.
    pub(crate) fn check_block(
        start: u64,
        committed: &[u8],
        block: &[u8],
    ) -> Result<(), AuditError> {
        let committed: &Digest = committed
            .try_into()
            .map_err(|_| AuditError::MalformedTag { start })?;
        if block_length::<Self>(block).is_ok() && chunk_tree::root(block) == *committed {
            Ok(())
        } else {
            Err(AuditError::BlockMismatch { start })
        }
    }
}

/// Converts the error of [`HashOnly::check_block`] for a stored block.
pub(super) const fn stored(error: AuditError) -> TagError {
    match error {
        AuditError::MalformedTag { .. } => TagError::TagMalformed,
        _ => TagError::BlockMismatch,
    }
}

/// Returns the indices of the chunks that contain the hits, ascending and without duplicates.
fn chunks(challenged: &Challenged) -> Vec<u64> {
    let hits = challenged.hits.iter();
    let mut chunks: Vec<u64> = hits
        .map(|hit| hit.offset.checked_div(CHUNK_LENGTH).unwrap_or(0))
        .collect();
    chunks.sort_unstable();
    chunks.dedup();
    chunks
}

/// Returns the length in bytes of a proof for these challenged blocks, or `None` on overflow.
fn proof_length(blocks: &[OpenedBlock<'_>]) -> Option<usize> {
    let mut total: usize = 0;
    for block in blocks {
        for index in chunks(block.challenged) {
            let opening = chunk_tree::opening_length(block.challenged.length, index);
            total = total.checked_add(opening)?;
        }
    }
    Some(total)
}
