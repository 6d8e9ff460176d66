//! The measured blocks: 2 KiB each, with pseudorandom digests.

use flexlist::{
    level::Level,
    list::{Block, Operation},
};
use pad_core::Digest;

use crate::workload::Random;

/// The bytes of a block: 500 000 of them are the paper's file of 1 GB.
pub const BLOCK_BYTES: u64 = 2048;

/// Positions of several updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// On neighbouring blocks.
    Consecutive,
    /// On any blocks.
    Random,
}

impl Order {
    /// Returns the name in the lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Consecutive => "consecutive",
            Self::Random => "random",
        }
    }
}

/// Makes the blocks of a file of `count` blocks, with the levels of an initial build.
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

/// Makes a pseudorandom digest, in place of the digest of a new tag.
pub fn digest(random: &mut Random) -> Digest<32> {
    let mut bytes = [0; 32];
    for word in bytes.as_chunks_mut().0 {
        *word = random.next().to_be_bytes();
    }
    Digest(bytes)
}

/// Makes the modification of the block at an index.
pub fn modify(index: u64, length: u64, random: &mut Random) -> Operation {
    Operation::Modify {
        index,
        length,
        tag_digest: digest(random),
        label: 0,
    }
}

/// Makes the insertion of a new block at an index, with a random level.
pub fn insert(index: u64, length: u64, random: &mut Random) -> Operation {
    let block = Block {
        length,
        tag_digest: digest(random),
        level: Level::draw(random.next()),
        label: 0,
    };
    Operation::Insert { index, block }
}

/// Makes pseudorandom bytes.
pub fn content(random: &mut Random, length: usize) -> Vec<u8> {
    let words = (0..length.div_ceil(8)).flat_map(|_| random.next().to_be_bytes());
    words.take(length).collect()
}
