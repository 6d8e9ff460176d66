//! Where one block ends and the next begins.

use std::io::{self, Read};

use fastcdc::v2020::{self, FastCDC};
use serde::{Deserialize, Serialize};

/// The most bytes that a block may have: 1 MiB.
pub const MAX_BLOCK_BYTES: usize = 1 << 20;

/// How a file is cut into blocks of at least 1 and at most [`MAX_BLOCK_BYTES`] bytes.
///
/// The default is content-defined, 16 KiB on average, between 4 and 64 KiB. By content, because a file
/// that was changed elsewhere and is uploaded anew then keeps most of its blocks. 16 KiB, because every
/// block costs a tag (256 bytes with RSA-2048) and a node and a half of the list: 2.5 % of the file at
/// that size, 20 % at the 2 KiB of the paper, and an eighth of the time to tag. Against it stands that an
/// edit sends a whole block anew, and that an audit reads as many blocks as it has samples: 460 of 16 KiB
/// are 7.4 MB. Files with many small edits and little reading of disks do well with `fixed(2048)`.
///
/// Two owners who cut the same file alike get the same lengths, which the server sees: content-defined
/// lengths tell it whether it knows the file.
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

/// Sizes that blocks cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChunkError {
    /// A fixed size is 1 to [`MAX_BLOCK_BYTES`].
    #[error("blocks have 1 to {MAX_BLOCK_BYTES} bytes, not {size}")]
    SizeOutOfRange {
        /// The size.
        size: usize,
    },
    /// A content-defined minimum is 64 or more.
    #[error(
        "the shortest block has at least {} bytes, not {minimum}",
        v2020::MINIMUM_MIN
    )]
    MinimumTooSmall {
        /// The minimum.
        minimum: usize,
    },
    /// A content-defined average is 256 or more.
    #[error(
        "blocks have at least {} bytes on average, not {average}",
        v2020::AVERAGE_MIN
    )]
    AverageTooSmall {
        /// The average.
        average: usize,
    },
    /// A content-defined maximum is 1024 to [`MAX_BLOCK_BYTES`].
    #[error(
        "the longest block has {} to {MAX_BLOCK_BYTES} bytes, not {maximum}",
        v2020::MAXIMUM_MIN
    )]
    MaximumOutOfRange {
        /// The maximum.
        maximum: usize,
    },
    /// Content-defined sizes are even: the search goes by pairs of bytes.
    #[error("content-defined sizes are even, not {size}")]
    OddSize {
        /// The size.
        size: usize,
    },
    /// The minimum is not above the average, nor the average above the maximum.
    #[error("the sizes do not rise from minimum to average to maximum")]
    Unordered,
}

impl Chunker {
    /// Blocks of `size` bytes, the last one shorter.
    ///
    /// # Errors
    /// [`ChunkError::SizeOutOfRange`].
    pub fn fixed(size: usize) -> Result<Self, ChunkError> {
        if (1..=MAX_BLOCK_BYTES).contains(&size) {
            Ok(Self(Sizes::Fixed { size }))
        } else {
            Err(ChunkError::SizeOutOfRange { size })
        }
    }

    /// Blocks that end where the contents say so: `minimum` to `maximum` bytes, the last one perhaps
    /// shorter, about `average` on average.
    ///
    /// # Errors
    /// [`ChunkError`]: [`MinimumTooSmall`](ChunkError::MinimumTooSmall),
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
        // The bound of the crate is higher, for all three.
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

    /// How many bytes the first block of `bytes` has; 0 only if there are none.
    ///
    /// Looks at [`Self::longest`] bytes at most.
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

    /// The most bytes that a block of this chunker has.
    pub fn longest(&self) -> usize {
        match self.0 {
            Sizes::Fixed { size } => size,
            Sizes::ContentDefined { maximum, .. } => maximum,
        }
    }

    /// The blocks of `bytes`, in order; none if there are no bytes.
    pub fn split<'a>(&self, bytes: &'a [u8]) -> Split<'a> {
        Split {
            chunker: *self,
            rest: bytes,
        }
    }

    /// The blocks of what `source` yields until its end: the same as [`Self::split`] gives for all of it.
    ///
    /// Keeps a few times [`Self::longest`] in memory. What `source` fails with comes out unchanged; the
    /// next call goes on reading, and no byte that was read before is lost.
    pub fn blocks<R: Read>(&self, source: R) -> Blocks<R> {
        Blocks {
            chunker: *self,
            source,
            buffer: Vec::new(),
            used: 0,
            ended: false,
        }
    }

    /// The length up to which an edited block stays one block.
    pub(crate) fn tolerated(&self) -> usize {
        match self.0 {
            // Twice the size: one byte more must not cut off one byte.
            Sizes::Fixed { size } => size.saturating_mul(2).min(MAX_BLOCK_BYTES),
            Sizes::ContentDefined { maximum, .. } => maximum,
        }
    }

    /// The length below which a block is worth merging with another.
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

/// The blocks of a byte string: see [`Chunker::split`].
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

/// The blocks of a stream: see [`Chunker::blocks`].
#[derive(Debug)]
pub struct Blocks<R> {
    chunker: Chunker,
    source: R,
    buffer: Vec<u8>,
    /// How many bytes of the buffer were given out already.
    used: usize,
    ended: bool,
}

/// How many of the longest blocks are read at once. More blocks, fewer moves of what is left over.
const BLOCKS_READ: usize = 4;

impl<R: Read> Blocks<R> {
    /// Reads on, if less than a longest block waits.
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
        // What was read before an error stays in the buffer.
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
