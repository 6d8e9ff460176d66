//! Tags: values that the owner computes for each block. With them the server proves that it
//! possesses the blocks.
//!
//! A scheme computes a [`BlockTag`] of each block. The list's leaf commits to one part of the tag
//! ("committed"). Only the server needs the other part ("held"). A challenge asks for blocks with
//! random coefficients, and the server combines blocks and tags into one proof. The
//! list proves that the blocks are the right ones of the file.
//!
//! | scheme | committed, held (bytes) | proof, 460 blocks of 2 KiB | time to tag | to verify 460 |
//! | --- | --- | --- | --- | --- |
//! | `hash_only` | 32, 0 | 162 KB | 2.9 us | 0.3 ms |
//! | `private_mac` | 16, 16 | 2.2 KB | 0.8 us | 0.06 ms |
//! | `rsa`, 2048 bits | 256, 0 | 2.1 KB, and 118 KB of tags | 0.2 ms | 34 ms, owner 17 ms |
//! | `rsa`, 3072 bits | 384, 0 | 2.1 KB, and 177 KB of tags | 0.4 ms | 67 ms, owner 32 ms |
//! | `public_bls` | 16, 48 | 2.2 KB | 0.3 ms | 52 ms |
//!
//! | scheme | possible verifiers | assumption |
//! | --- | --- | --- |
//! | `hash_only` | any party | SHA-256 |
//! | `private_mac` | holders of the secret key | BLAKE3 as a keyed function |
//! | `rsa` | any party that trusts the owner | factoring |
//! | `public_bls` | any party | Diffie-Hellman in BLS12-381, random oracle |
//!
//! Measured on one core of a busy machine, except for `public_bls`, which verifies on two. The
//! first RSA tag of a process takes up to 40 ms more, for tables. The committed part is sent with
//! each challenged block. The first two schemes withstand quantum computers as far as is known; the
//! others do not.
//!
//! Every [`TagKind`] (a scheme chosen at run time) puts the root of `hash_only` before the
//! committed part of its scheme (32 bytes, 2.9 us). A block that is read is then checked by hashing
//! it.
//!
//! The default is the private MAC with reads. It suits an owner that audits its own files: it is
//! the fastest scheme by orders of magnitude and has the smallest proofs. It uses symmetric
//! cryptography only. Audits by third parties need `public_bls`, or `hash_only` if longer proofs
//! are acceptable.
//!
//! Source: Erway, Küpçü, Papamanthou & Tamassia 2009; Shacham & Waters 2013; Esiner et al. 2013.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    bytes::Bytes,
    list::{Sha256 as ListHash, hash::tag_digest},
};

mod error;
mod hash_only;
mod kind;
mod private_mac;
#[cfg(feature = "bls")]
mod public_bls;
#[cfg(feature = "rsa")]
mod rsa;
pub(crate) mod scheme;
#[cfg(test)]
mod testing;
mod with_reads;

pub use error::TagError;
pub use kind::{OwnerKey, Prover, ServerParameters, TagKind, VerifierKey};

/// The identifier of one write of one block: 16 random bytes that the owner never uses twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WriteId(pub [u8; 16]);

/// The tag of one block, in two parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockTag {
    /// The part that the block's leaf commits to, by a digest. It is sent with each challenged
    /// block.
    pub committed: Bytes,
    /// The part that only the server needs. The server combines it into proofs and never sends it
    /// as is.
    pub held: Bytes,
}

impl BlockTag {
    /// Computes the tag digest that the list's leaf stores: SHA-256(5 || `committed`).
    pub fn digest(&self) -> [u8; 32] {
        committed_digest(self.committed.as_ref())
    }
}

/// Computes the tag digest of a `committed` part, as the leaf stores it: SHA-256(5 || `committed`).
pub fn committed_digest(committed: &[u8]) -> [u8; 32] {
    tag_digest::<ListHash>(committed).0
}

/// Computes the root of the hash tree over a block: a collision-resistant digest of its contents.
#[doc(hidden)]
pub fn content(block: &[u8]) -> [u8; 32] {
    hash_only::chunk_tree::root(block)
}

/// Extracts the [`content`] digest from the committed part of a tag of any [`TagKind`]: its first
/// 32 bytes. Returns `None` if `committed` is too short.
#[doc(hidden)]
pub fn committed_content(committed: &[u8]) -> Option<[u8; 32]> {
    committed.first_chunk().copied()
}

/// A challenged byte position inside a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The offset in bytes from the start of the block.
    pub offset: u64,
    /// The random factor of this hit in the proof. A block's coefficient is the sum over its hits.
    pub coefficient: u128,
}

/// A challenged block, as the list's proof contains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenged {
    /// The index in the file of the block's first byte.
    pub start: u64,
    /// The length of the block in bytes, at least 1.
    pub length: u64,
    /// The hits in the block, at least one. `challenge::assign` sorts them by offset.
    pub hits: Vec<Hit>,
}
