//! Byte edits, translated into operations on blocks.
//!
//! A user writes, inserts and deletes bytes, but the list knows only blocks. [`plan`] finds the
//! operations:
//!
//! 1. The file becomes a sequence of pieces, each a range of the old file or new bytes (`pieces`).
//! 2. A boundary between two old blocks is kept if the old bytes on both sides of it remain.
//!    Between two kept boundaries, the file is either unchanged or a region. A region is a run of
//!    old blocks, all replaced by some contents (`regions`).
//! 3. The contents of each region are cut into blocks, and the old blocks exchanged for the new
//!    (`exchange`).
//!
//! Blocks that no edit touches, and blocks whose contents are unchanged, have no operation.
//!
//! Contents are cut by these rules:
//!
//! * Contents as long as the old blocks together (overwritten bytes) keep the old boundaries.
//! * All other contents are cut by the chunker. A tiny last block is joined with the previous one
//!   if both together are not too long.
//! * If that gives more blocks than before, the contents are cut into equal shares instead, at most
//!   as many as there were blocks. Shares that would be too long are not used. A single block thus
//!   stays a single block as long as possible.
//!
//! Too long means above the maximum of the chunker, or above twice a fixed size (at most 1 MiB).
//! Tiny means below the chunker's minimum, or below half a fixed size.
//!
//! Tiny contents are merged. A tiny insertion between two blocks is merged into the previous block,
//! or else into the next one. That block must be known and must not get too long. Two regions that
//! touch are merged if both have contents, and those of one are tiny. Neither merge increases the
//! number of operations. The rest of a single block after a deletion stays a block of its own,
//! however short.
//!
//! Source: Esiner et al. 2013, sections 2 and 5 (updates of consecutive bytes).

pub(crate) mod cut;
mod error;
mod exchange;
mod known;
mod pieces;
mod regions;

use core::{convert::Infallible, ops::Range};

use serde::{Deserialize, Serialize};

use crate::chunk::Chunker;
use pieces::Pieces;

pub use error::EditError;
pub use exchange::OldBlock;
pub(crate) use exchange::{Exchange, NewBlock};

/// The maximum length of a file: 2^63 - 1 bytes, the limit of the ranks (numbers of bytes) in the
/// list.
pub(crate) const MAX_FILE_BYTES: u64 = (1 << 63) - 1;

/// A change of a file's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ByteEdit {
    /// Overwrites the bytes from `offset` on. Bytes past the end of the file extend it.
    Write {
        /// The index of the first byte, at most the length of the file.
        offset: u64,
        /// The new bytes, at least one.
        bytes: Vec<u8>,
    },
    /// Inserts `bytes` before the byte at `offset`.
    Insert {
        /// The index that the first new byte will have, at most the length of the file.
        offset: u64,
        /// The new bytes, at least one.
        bytes: Vec<u8>,
    },
    /// Deletes the bytes `start..end`.
    Delete {
        /// The index of the first byte to delete.
        start: u64,
        /// The index one past the last byte to delete.
        end: u64,
    },
}

/// A block of the old file whose bytes the caller has verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownBlock {
    /// The index in the file of the block's first byte.
    pub start: u64,
    /// The bytes of the block, at least one.
    pub bytes: Vec<u8>,
}

/// A change of a file's block sequence. Each index refers to the file as the previous changes left
/// it.
///
/// The type parameters are the payloads of inserted and modified blocks: bytes in a [`plan`], tag
/// and bytes in a message to a server. The list itself stores no bytes, and is changed by an
/// [`Operation`](crate::list::Operation).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockEdit<Inserted = Vec<u8>, Modified = Inserted> {
    /// Inserts a block before the byte at `index`, which starts a block or is the end of the file.
    Insert {
        /// The index of the block's first byte after the insertion.
        index: u64,
        /// The inserted block, of at least one byte.
        block: Inserted,
    },
    /// Replaces the block that contains the byte at `index` by a block of any length.
    Modify {
        /// The index of any byte of the replaced block. [`plan`] uses its first byte.
        index: u64,
        /// The new block, of at least one byte.
        block: Modified,
    },
    /// Removes the block that contains the byte at `index`.
    Remove {
        /// The index of any byte of the removed block. [`plan`] uses its first byte.
        index: u64,
    },
}

impl<Inserted, Modified> BlockEdit<Inserted, Modified> {
    /// Converts the inserted block by `inserted`, or the modified block by `modified`. Either may
    /// fail.
    ///
    /// # Errors
    /// The errors of `inserted` and `modified`.
    pub fn try_map<I, M, E>(
        self,
        inserted: impl FnOnce(Inserted) -> Result<I, E>,
        modified: impl FnOnce(Modified) -> Result<M, E>,
    ) -> Result<BlockEdit<I, M>, E> {
        Ok(match self {
            Self::Insert { index, block } => BlockEdit::Insert {
                index,
                block: inserted(block)?,
            },
            Self::Modify { index, block } => BlockEdit::Modify {
                index,
                block: modified(block)?,
            },
            Self::Remove { index } => BlockEdit::Remove { index },
        })
    }
}

impl<Block> BlockEdit<Block> {
    /// Converts the inserted or modified block by `change`. A removal has no block and is returned
    /// as it is.
    #[must_use]
    pub fn map<Other>(self, change: impl Fn(Block) -> Other) -> BlockEdit<Other> {
        let change = |block| Ok::<_, Infallible>(change(block));
        let Ok(edit) = self.try_map(change, change);
        edit
    }

    /// The inserted or modified block, or `None` for a removal.
    pub const fn block(&self) -> Option<&Block> {
        match self {
            Self::Insert { block, .. } | Self::Modify { block, .. } => Some(block),
            Self::Remove { .. } => None,
        }
    }
}

impl BlockEdit {
    /// The bytes of the inserted or modified block, or `None` for a removal.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.block().map(Vec::as_slice)
    }
}

/// Returns the byte ranges of a file of `total` bytes that must lie in known blocks for [`plan`] to
/// translate `edits`.
///
/// The ranges refer to the file before the edits. They are non-empty and sorted, and do not touch
/// each other. An empty file needs none.
///
/// * Insertion: the bytes before and after it, since it may be merged into either block.
/// * Deletion: the deleted bytes.
/// * Write: the overwritten bytes, or the last byte of the file if the write only appends.
///
/// # Errors
/// [`EditError::FileTooLong`] if the file would exceed `MAX_FILE_BYTES`, [`EditError::EmptyEdit`]
/// for an edit of no bytes, [`EditError::RangeReversed`] and [`EditError::OffsetOutOfRange`] for an
/// invalid range. The first error in the batch is returned.
pub fn needed(edits: &[ByteEdit], total: u64) -> Result<Vec<Range<u64>>, EditError> {
    Ok(Pieces::after(edits, total)?.seams())
}

/// Returns the operations that turn the blocks of a file of `total` bytes into the blocks of the
/// file after `edits`.
///
/// Each edit applies to the file left by the edits before it. `known` contains the blocks around
/// every byte of [`needed`], in any order. Additional blocks are allowed. The operations run from
/// the start of the file to its end. Their blocks have 1 to
/// [`MAX_BLOCK_BYTES`](crate::chunk::MAX_BLOCK_BYTES) bytes.
///
/// Takes time linear in the bytes of the blocks and edits, and quadratic in the number of edits.
///
/// # Errors
/// * The errors of [`needed`].
/// * [`EditError::EmptyBlock`], [`EditError::BlockOutsideFile`] and [`EditError::BlocksOverlap`]
///   for `known` blocks that are not possible in a file of `total` bytes.
/// * [`EditError::BlockUnknown`] if `known` lacks a needed block.
pub fn plan(
    edits: &[ByteEdit],
    known: &[KnownBlock],
    total: u64,
    chunker: &Chunker,
) -> Result<Vec<BlockEdit>, EditError> {
    let pieces = Pieces::after(edits, total)?;
    let known = known::KnownBlocks::new(known, total)?;
    let regions = regions::Regions::of(&pieces, &known, chunker)?;
    Ok(regions.operations(chunker))
}

/// Returns `bytes.len()` as a `u64`.
pub(crate) fn length(bytes: &[u8]) -> u64 {
    // No slice has more than 2^63 - 1 bytes, on any machine.
    u64::try_from(bytes.len()).unwrap_or(MAX_FILE_BYTES)
}

#[cfg(test)]
pub(crate) mod model;
#[cfg(test)]
mod tests;
