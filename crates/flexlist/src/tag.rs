//! Tags: what the owner computes for each block so that the server can prove that it holds it.

use serde::{Deserialize, Serialize};

use crate::bytes::Bytes;

/// The name of one write of one block: 16 random bytes that the owner never uses twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WriteId(pub [u8; 16]);

/// What a tag scheme makes of one block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockTag {
    /// What the block's leaf commits, by digest; travels with each challenged block.
    pub committed: Bytes,
    /// What only the server needs, and folds into its answers; never sent one by one.
    pub held: Bytes,
}

/// One place that a challenge asks for inside a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Bytes from the start of the block.
    pub offset: u64,
    /// The coefficient of this hit; a block's coefficient is the sum over its hits.
    pub coefficient: u128,
}

/// A block that a challenge met, as the list's proof shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenged {
    /// The index of its first byte in the file.
    pub start: u64,
    /// Its length in bytes, at least 1.
    pub length: u64,
    /// The hits, at least one, in the order of the challenge.
    pub hits: Vec<Hit>,
}
