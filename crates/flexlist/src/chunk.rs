//! Chunking: cutting a file into blocks, at fixed lengths or by content.

use std::io::{self, Read};

use fastcdc::v2020::{self, FastCDC};
use serde::{Deserialize, Serialize};

/// The maximum length of a block in bytes: 1 MiB.
pub const MAX_BLOCK_BYTES: usize = 1 << 20;

/// Cuts a file into blocks of 1 to [`MAX_BLOCK_BYTES`] bytes.
///
/// The default is content-defined chunking, 16 KiB on average, between 4 and 64 KiB. A file that
/// was changed elsewhere and is uploaded again then keeps most of its blocks.
///
/// The average of 16 KiB is a trade-off. Every block costs a tag (256 bytes with RSA-2048) and one
/// and a half nodes of the list. The cost is 2.5 % of the file at 16 KiB, and 20 % at the 2 KiB of
/// the paper. At 16 KiB, tagging takes an eighth of its time at 2 KiB. On the other hand, an edit
/// sends a whole block again, and an audit reads one block per sample. 460 blocks of 16 KiB are 7.4
/// MB. `fixed(2048)` suits files with many small edits and few disk reads.
///
/// Owners that cut the same file with the same chunker get the same block lengths. The server sees
/// the lengths. Content-defined lengths let it recognise a file that it knows.
///
/// Source: Esiner et al. 2013, section 4 (2 KB blocks); Xia et al. 2020, `FastCDC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Sizes", into = "Sizes")]
pub struct Chunker(Sizes);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Sizes {
    Fixed {
        size: usize,
    },
    ContentDefined {
        minimum: usize,
        average: usize,
        maximum: usize,
    },
}

/// Error returned for block sizes that a [`Chunker`] cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChunkError {
    /// The fixed block size is not in the range from 1 to [`MAX_BLOCK_BYTES`].
    #[error("the block size must be 1 to {MAX_BLOCK_BYTES} bytes, not {size}")]
    SizeOutOfRange {
        /// The requested block size in bytes.
        size: usize,
    },
    /// The minimum block size of a content-defined chunker is below 64 bytes.
    #[error(
        "the minimum block size must be at least {} bytes, not {minimum}",
        v2020::MINIMUM_MIN
    )]
    MinimumTooSmall {
        /// The requested minimum block size in bytes.
        minimum: usize,
    },
    /// The average block size of a content-defined chunker is below 256 bytes.
    #[error(
        "the average block size must be at least {} bytes, not {average}",
        v2020::AVERAGE_MIN
    )]
    AverageTooSmall {
        /// The requested average block size in bytes.
        average: usize,
    },
    /// The maximum block size of a content-defined chunker is not in the range from 1024 to
    /// [`MAX_BLOCK_BYTES`].
    #[error(
        "the maximum block size must be {} to {MAX_BLOCK_BYTES} bytes, not {maximum}",
        v2020::MAXIMUM_MIN
    )]
    MaximumOutOfRange {
        /// The requested maximum block size in bytes.
        maximum: usize,
    },
    /// A size of a content-defined chunker is odd. It must be even, because the search for a
    /// boundary proceeds by pairs of bytes.
    #[error("content-defined block sizes must be even, not {size}")]
    OddSize {
        /// The odd size in bytes: minimum, average or maximum.
        size: usize,
    },
    /// The minimum block size is above the average, or the average is above the maximum.
    #[error("block sizes out of order: minimum <= average <= maximum is required")]
    Unordered,
}

impl Chunker {
    /// Creates a chunker that cuts blocks of `size` bytes. The last block of a file may be shorter.
    ///
    /// # Errors
    /// [`ChunkError::SizeOutOfRange`] unless `size` is 1 to [`MAX_BLOCK_BYTES`].
    pub fn fixed(size: usize) -> Result<Self, ChunkError> {
        if (1..=MAX_BLOCK_BYTES).contains(&size) {
            Ok(Self(Sizes::Fixed { size }))
        } else {
            Err(ChunkError::SizeOutOfRange { size })
        }
    }

    /// Creates a chunker that cuts blocks at boundaries that depend on the content. Blocks have
    /// `minimum` to `maximum` bytes, about `average` on average. The last block of a file may be
    /// shorter.
    ///
    /// # Errors
    /// [`ChunkError`] for the first size that is not allowed:
    /// [`MinimumTooSmall`](ChunkError::MinimumTooSmall),
    /// [`AverageTooSmall`](ChunkError::AverageTooSmall),
    /// [`MaximumOutOfRange`](ChunkError::MaximumOutOfRange), [`OddSize`](ChunkError::OddSize),
    /// [`Unordered`](ChunkError::Unordered), in this order.
    pub fn content_defined(
        minimum: usize,
        average: usize,
        maximum: usize,
    ) -> Result<Self, ChunkError> {
        if minimum < v2020::MINIMUM_MIN {
            return Err(ChunkError::MinimumTooSmall { minimum });
        }
        if average < v2020::AVERAGE_MIN {
            return Err(ChunkError::AverageTooSmall { average });
        }
        // The upper bounds of `fastcdc` are higher, for all three sizes.
        if !(v2020::MAXIMUM_MIN..=MAX_BLOCK_BYTES).contains(&maximum) {
            return Err(ChunkError::MaximumOutOfRange { maximum });
        }
        let odd = |size: &usize| !size.is_multiple_of(2);
        if let Some(size) = [minimum, average, maximum].into_iter().find(odd) {
            return Err(ChunkError::OddSize { size });
        }
        if minimum > average || average > maximum {
            return Err(ChunkError::Unordered);
        }
        Ok(Self(Sizes::ContentDefined {
            minimum,
            average,
            maximum,
        }))
    }

    /// Returns the length in bytes of the first block of `bytes`. It is 0 only if `bytes` is empty.
    ///
    /// Reads at most the first [`Self::longest`] bytes.
    pub fn first(&self, bytes: &[u8]) -> usize {
        match self.0 {
            Sizes::Fixed { size } => size.min(bytes.len()),
            Sizes::ContentDefined {
                minimum,
                average,
                maximum,
            } => {
                let chunker = FastCDC::new(bytes, minimum, average, maximum);
                chunker.cut(0, bytes.len()).1
            }
        }
    }

    /// The maximum length of a block of this chunker, in bytes.
    pub fn longest(&self) -> usize {
        match self.0 {
            Sizes::Fixed { size } => size,
            Sizes::ContentDefined { maximum, .. } => maximum,
        }
    }

    /// Iterates over the blocks of `bytes`, in order; yields none if `bytes` is empty.
    pub fn split<'a>(&self, bytes: &'a [u8]) -> Split<'a> {
        Split {
            chunker: *self,
            rest: bytes,
        }
    }

    /// Iterates over the blocks of a stream. Unlike [`Self::split`], it does not need the whole
    /// content in memory.
    ///
    /// Keeps a few times [`Self::longest`] bytes in memory. Errors of `source` are returned
    /// unchanged. The next call resumes reading, and no byte that was read before is lost.
    pub fn blocks<R: Read>(&self, source: R) -> Blocks<R> {
        Blocks {
            chunker: *self,
            source,
            buffer: Vec::new(),
            used: 0,
            ended: false,
        }
    }

    /// The maximum length in bytes of a block that an edit makes by joining blocks or by equal
    /// shares.
    pub(crate) fn tolerated(&self) -> usize {
        match self.0 {
            // Twice the size, so that a block that grows by one byte is not split.
            Sizes::Fixed { size } => size.saturating_mul(2).min(MAX_BLOCK_BYTES),
            Sizes::ContentDefined { maximum, .. } => maximum,
        }
    }

    /// The length in bytes below which the contents of an edit count as tiny: worth merging with a
    /// neighbour.
    pub(crate) fn tiny(&self) -> usize {
        match self.0 {
            Sizes::Fixed { size } => size.div_ceil(2),
            Sizes::ContentDefined { minimum, .. } => minimum,
        }
    }
}

impl Default for Chunker {
    fn default() -> Self {
        Self(Sizes::ContentDefined {
            minimum: 4 << 10,
            average: 16 << 10,
            maximum: 64 << 10,
        })
    }
}

impl TryFrom<Sizes> for Chunker {
    type Error = ChunkError;

    fn try_from(sizes: Sizes) -> Result<Self, ChunkError> {
        match sizes {
            Sizes::Fixed { size } => Self::fixed(size),
            Sizes::ContentDefined {
                minimum,
                average,
                maximum,
            } => Self::content_defined(minimum, average, maximum),
        }
    }
}

impl From<Chunker> for Sizes {
    fn from(chunker: Chunker) -> Self {
        chunker.0
    }
}

/// Iterator over the blocks of a byte string; see [`Chunker::split`].
#[derive(Clone, Debug)]
pub struct Split<'a> {
    chunker: Chunker,
    rest: &'a [u8],
}

impl<'a> Iterator for Split<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let (block, rest) = self.rest.split_at_checked(self.chunker.first(self.rest))?;
        self.rest = rest;
        Some(block)
    }
}

/// Iterator over the blocks of a stream; see [`Chunker::blocks`].
#[derive(Debug)]
pub struct Blocks<R> {
    chunker: Chunker,
    source: R,
    buffer: Vec<u8>,
    /// The number of bytes at the front of `buffer` that were already yielded.
    used: usize,
    ended: bool,
}

/// Length of a filled read buffer, in blocks of the maximum length. A longer buffer means fewer
/// moves of leftover bytes.
const BLOCKS_READ: usize = 4;

impl<R: Read> Blocks<R> {
    /// Reads more of the source if the buffer contains fewer unused bytes than a block of the
    /// maximum length.
    fn fill(&mut self) -> io::Result<()> {
        let longest = self.chunker.longest();
        if self.ended || self.buffer.len() - self.used >= longest {
            return Ok(());
        }
        self.buffer.drain(..self.used);
        self.used = 0;
        let wanted = BLOCKS_READ * longest - self.buffer.len();
        self.buffer.reserve(wanted);
        let limit = u64::try_from(wanted).unwrap_or(u64::MAX);
        // Bytes that were read before an error stay in the buffer.
        let count = (&mut self.source)
            .take(limit)
            .read_to_end(&mut self.buffer)?;
        self.ended = count < wanted;
        Ok(())
    }
}

impl<R: Read> Iterator for Blocks<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<io::Result<Vec<u8>>> {
        if let Err(error) = self.fill() {
            return Some(Err(error));
        }
        let rest = self.buffer.get(self.used..).unwrap_or_default();
        let block = rest.get(..self.chunker.first(rest))?;
        if block.is_empty() {
            return None;
        }
        self.used += block.len();
        Some(Ok(block.to_vec()))
    }
}

#[cfg(test)]
mod tests;
