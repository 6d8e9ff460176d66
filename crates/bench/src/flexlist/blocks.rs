//! Blocks of the measured files: 2 KiB each, with pseudorandom digests.

use flexlist::{
    Level,
    list::{Block, Operation},
};
use pad_core::Digest;

use crate::workload::Random;

/// Bytes of a block. The paper's file of 1 GB has 500 000 such blocks.
pub const BLOCK_BYTES: u64 = 2048;

/// Positions of the updates in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Updates of neighbouring blocks.
    Consecutive,
    /// Updates of blocks at random positions.
    Random,
}

impl Order {
    /// Returns the value of `order` in result lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Consecutive => "consecutive",
            Self::Random => "random",
        }
    }
}

/// Makes the `count` blocks of a file, with the list levels that an initial build assigns.
pub fn blocks(count: u64) -> Vec<Block> {
    let mut random = Random::new(count);
    let block = |position| Block {
        length: BLOCK_BYTES,
        tag_digest: digest(&mut random),
        level: Level::initial(position),
        label: position,
    };
    (1..=count).map(block).collect()
}

/// Makes a pseudorandom digest, used instead of the digest of a new block's tag.
pub fn digest(random: &mut Random) -> Digest<32> {
    let mut bytes = [0; 32];
    for word in bytes.as_chunks_mut().0 {
        *word = random.next().to_be_bytes();
    }
    Digest(bytes)
}

/// Makes an operation that replaces the block at the byte `index` by one of `length` bytes.
pub fn modify(index: u64, length: u64, random: &mut Random) -> Operation {
    Operation::Modify {
        index,
        length,
        tag_digest: digest(random),
        label: 0,
    }
}

/// Makes an operation that inserts a block of `length` bytes at the byte `index`, with a random
/// level in the list.
pub fn insert(index: u64, length: u64, random: &mut Random) -> Operation {
    let block = Block {
        length,
        tag_digest: digest(random),
        level: Level::draw(random.next()),
        label: 0,
    };
    Operation::Insert { index, block }
}

/// Makes `length` pseudorandom bytes.
pub fn content(random: &mut Random, length: usize) -> Vec<u8> {
    let words = (0..length.div_ceil(8)).flat_map(|_| random.next().to_be_bytes());
    words.take(length).collect()
}
