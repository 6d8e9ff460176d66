//! Tags: what the owner computes for each block so that the server can prove that it holds it.
//!
//! A scheme makes a [`BlockTag`] of each block. The list's leaf commits one part of it; the server holds
//! the other. A challenge asks for blocks with random coefficients, and the server folds blocks and tags
//! into one proof ([`TagScheme`]). Whether the blocks are the right ones of the file is the list's part.
//!
//! | scheme | committed, held (bytes) | proof for 460 blocks of 2 KiB | tag a block | verify 460 | who verifies | assumption |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | [`hash_only`] | 32, 0 | 162 KB | 2.9 us | 0.3 ms | everybody | SHA-256 |
//! | [`private_mac`] | 16, 16 | 2.2 KB | 0.8 us | 0.06 ms | who has the secret key | BLAKE3 as a keyed function |
//! | `rsa`, 2048 bits | 256, 0 | 2.1 KB, and 118 KB of tags | 0.2 ms | 34 ms, owner 17 ms | everybody who trusts the owner | factoring |
//! | `rsa`, 3072 bits | 384, 0 | 2.1 KB, and 177 KB of tags | 0.4 ms | 67 ms, owner 32 ms | everybody who trusts the owner | factoring |
//! | `public_bls` | 16, 48 | 2.2 KB | 0.3 ms | 52 ms | everybody | Diffie-Hellman in BLS12-381, random oracle |
//!
//! Measured on one core of a busy machine, except for `public_bls`, which verifies on two. The first RSA tag of a
//! process takes up to 40 ms more, for tables. What is
//! committed travels with each challenged block. The first two schemes withstand quantum computers as
//! far as is known, the others do not.
//!
//! [`with_reads::WithReads`] adds the root of [`hash_only`] to what any scheme commits (32 bytes,
//! 2.9 us): a block that is read is then checked by hashing it. All kinds that a program chooses from
//! ([`TagKind`]) have it.
//!
//! The default is the private MAC with reads. The owner is who audits most, and needs no other's trust:
//! for that it is the fastest by orders of magnitude, its proofs are the smallest, and nothing in it is
//! more than symmetric cryptography. Third parties who audit call for `public_bls`, or for `hash_only` if
//! longer proofs are no matter.
//!
//! Source: Erway, Küpçü, Papamanthou & Tamassia 2009; Shacham & Waters 2013; Esiner et al. 2013.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    bytes::Bytes,
    list::{Sha256 as ListHash, hash::tag_digest},
};

mod error;
pub mod hash_only;
mod kind;
pub mod private_mac;
#[cfg(feature = "bls")]
pub mod public_bls;
mod reader;
#[cfg(feature = "rsa")]
pub mod rsa;
pub mod scheme;
#[cfg(test)]
mod testing;
pub mod with_reads;

pub use error::TagError;
pub use kind::{OwnerKey, Prover, ServerParameters, TagKind, VerifierKey};
pub use scheme::{KeyBytes, OpenedBlock, StoredBlock, TagScheme};

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

impl BlockTag {
    /// SHA-256(5 || `committed`): what the list's leaf holds.
    pub fn digest(&self) -> [u8; 32] {
        committed_digest(self.committed.as_ref())
    }
}

/// SHA-256(5 || `committed`): what the leaf of a block with this tag holds.
pub fn committed_digest(committed: &[u8]) -> [u8; 32] {
    tag_digest::<ListHash>(committed).0
}

/// The root of the hash tree over a block, which tells its contents from all others of its length.
pub fn content(block: &[u8]) -> [u8; 32] {
    hash_only::chunk_tree::root(block)
}

/// The [`content`] of a block, in what its leaf commits with tags of any [`TagKind`]: they all commit it
/// first. `None` if so little is committed that it cannot be there.
pub fn committed_content(committed: &[u8]) -> Option<[u8; 32]> {
    committed.first_chunk().copied()
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
