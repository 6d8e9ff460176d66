//! Edits of bytes, translated into operations on blocks.
//!
//! A user writes, inserts and deletes bytes; the list knows only blocks. [`plan`] finds the operations:
//!
//! 1. the file becomes a sequence of pieces, each a range of the old file or new bytes (`pieces`);
//! 2. every boundary between two old blocks that still has its neighbours stays one; between two of them
//!    lies either untouched file or a region: some old blocks, wholly replaced by some contents
//!    (`regions`);
//! 3. the contents of each region are cut into blocks, and the old blocks exchanged for the new
//!    (`exchange`).
//!
//! Blocks that no edit touches, and blocks whose contents come out as they were, have no operation.
//!
//! How contents are cut:
//!
//! * contents as long as the old blocks together (overwritten bytes) keep the old boundaries;
//! * all else is cut by the chunker. Its last block joins the one before it if it is tiny and both
//!   together are not too long;
//! * if that gives more blocks than there were, and as many equal shares as there were are not too long
//!   either, the shares are the blocks. One block thus stays one as long as it can.
//!
//! Too long is: above the longest block of the chunker, or twice a fixed size (at most 1 MiB).
//! Tiny is: below the chunker's minimum, or half a fixed size. A tiny insertion between two blocks goes
//! into the one before it, or else the one behind it, if that is known and does not get too long; a tiny
//! region merges with one that begins where it ends. Neither takes more operations than without. What a
//! deletion leaves of a single block stays a block of its own, however short.
//!
//! Source: Esiner et al. 2013, sections 2 and 5 (updates of consecutive bytes).

pub(crate) mod cut;
mod error;
mod exchange;
mod known;
mod pieces;
mod regions;

use core::ops::Range;

use serde::{Deserialize, Serialize};

use crate::chunk::Chunker;
use pieces::Pieces;

pub use error::EditError;
pub use exchange::OldBlock;
pub(crate) use exchange::{Exchange, NewBlock};

/// The most bytes that a file may have: 2^63 - 1, the limit of the list's ranks.
pub const MAX_FILE_BYTES: u64 = (1 << 63) - 1;

/// A change of a file's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ByteEdit {
    /// These bytes in place of as many at `offset`. What goes past the end of the file makes it longer.
    Write {
        /// The index of the first byte, at most the length of the file.
        offset: u64,
        /// The new bytes, at least one.
        bytes: Vec<u8>,
    },
    /// These bytes before the one at `offset`.
    Insert {
        /// The index that the first new byte will have, at most the length of the file.
        offset: u64,
        /// The new bytes, at least one.
        bytes: Vec<u8>,
    },
    /// Without the bytes `start..end`.
    Delete {
        /// The index of the first byte.
        start: u64,
        /// One past the last byte.
        end: u64,
    },
}

/// A block of the old file, verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownBlock {
    /// The index of its first byte in the file.
    pub start: u64,
    /// Its bytes, at least one.
    pub bytes: Vec<u8>,
}

/// A change of a file's sequence of blocks. Each index counts in the file as the changes before it left it.
///
/// What it carries for an inserted and for a modified block is up to its use: the bytes where edits are
/// planned, tag and bytes where they travel to a server. What a list does with it, which knows no bytes, is an
/// [`Operation`](crate::list::Operation).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockEdit<Inserted = Vec<u8>, Modified = Inserted> {
    /// A new block before the byte at `index`, which starts a block or is the end of the file.
    Insert {
        /// The index that the block's first byte will have.
        index: u64,
        /// The block, of at least one byte.
        block: Inserted,
    },
    /// Other contents, of any length, for the block that contains the byte at `index`.
    Modify {
        /// The index of a byte of the block; of a planned edit, of its first.
        index: u64,
        /// The block, of at least one byte.
        block: Modified,
    },
    /// No block where the one was that contains the byte at `index`.
    Remove {
        /// The index of a byte of the block; of a planned edit, of its first.
        index: u64,
    },
}

impl<Inserted, Modified> BlockEdit<Inserted, Modified> {
    /// The same edit of other blocks: each is what `inserted` or `modified` makes of it.
    ///
    /// # Errors
    /// Those of `inserted` and `modified`.
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
    /// The same edit of another block, which `change` makes of its own.
    #[must_use]
    pub fn map<Other>(self, change: impl FnOnce(Block) -> Other) -> BlockEdit<Other> {
        match self {
            Self::Insert { index, block } => BlockEdit::Insert {
                index,
                block: change(block),
            },
            Self::Modify { index, block } => BlockEdit::Modify {
                index,
                block: change(block),
            },
            Self::Remove { index } => BlockEdit::Remove { index },
        }
    }

    /// The new block, if there is one.
    pub const fn block(&self) -> Option<&Block> {
        match self {
            Self::Insert { block, .. } | Self::Modify { block, .. } => Some(block),
            Self::Remove { .. } => None,
        }
    }
}

impl BlockEdit {
    /// The bytes of the new block, if there is one.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.block().map(Vec::as_slice)
    }
}

/// Which bytes of a file of `total` bytes have to lie in known blocks before [`plan`] can translate this
/// batch: ranges of the file before the batch, at least one byte each, rising and apart from each other.
///
/// For an insertion these are the bytes before and behind it, since it may go into either block; for a
/// deletion the deleted bytes; for a write the overwritten bytes, or the last byte of the file if it only
/// appends. No range for an empty file.
///
/// # Errors
/// [`EditError::FileTooLong`], [`EditError::EmptyEdit`], [`EditError::RangeReversed`] and
/// [`EditError::OffsetOutOfRange`], whichever comes first in the batch.
pub fn needed(edits: &[ByteEdit], total: u64) -> Result<Vec<Range<u64>>, EditError> {
    Ok(Pieces::after(edits, total)?.seams())
}

/// The operations that make the blocks of a file of `total` bytes those of the file after `edits`.
///
/// Each edit applies to the file that the edits before it leave. `known` has the blocks around every
/// byte of [`needed`], in any order; more of them do no harm. The operations go through the file from
/// the start to the end; their blocks have 1 to [`MAX_BLOCK_BYTES`](crate::chunk::MAX_BLOCK_BYTES)
/// bytes.
///
/// Takes time in proportion to the bytes of the blocks and edits, and to the number of edits squared.
///
/// # Errors
/// * As [`needed`].
/// * [`EditError::EmptyBlock`], [`EditError::BlockOutsideFile`] and [`EditError::BlocksOverlap`] for
///   `known` blocks that no file of `total` bytes has.
/// * [`EditError::BlockUnknown`] if a block is missing there.
pub fn plan(
    edits: &[ByteEdit],
    known: &[KnownBlock],
    total: u64,
    chunker: &Chunker,
) -> Result<Vec<BlockEdit>, EditError> {
    let pieces = Pieces::after(edits, total)?;
    let known = known::Known::new(known, total)?;
    let regions = regions::Regions::of(&pieces, &known, chunker)?;
    Ok(regions.operations(chunker))
}

/// `bytes.len()` as the file counts.
pub(crate) fn length(bytes: &[u8]) -> u64 {
    // No slice has more than 2^63 - 1 bytes, on any machine.
    u64::try_from(bytes.len()).unwrap_or(MAX_FILE_BYTES)
}

#[cfg(test)]
pub(crate) mod model;
#[cfg(test)]
mod tests;
