//! The keyed layout: sorted keys with short values, in blocks (scheme `block-tree`).
//!
//! A B+-tree of blocks of at most 64 slots. The digest of a block is that of a binary tree over its slots, and the slots of the
//! blocks above are the digests of the blocks below: all of it is one binary tree with the entries in its leaves. So proofs are
//! those of `pad-tree`, made by its prover and checked by its verifier: one key or many, present or absent, ranges, neighbours,
//! both ends.
//!
//! The shape depends on the history, so the rules by which blocks split and merge are part of the format: operations are applied
//! one after the other, and two that apply the same have the same blocks.
//!
//! Separators are not hashed, as nowhere in trees. Blocks from somebody else with the right root and false separators would lead the
//! next change to a wrong place. A server notices when the root is not the signed one; an author would sign leaves out of order.
//! So [`KeyedDirectory::restore`] looks at every block first. A separator may still differ within the gap that it is in, and then
//! later shapes do: what is sure is the replay of all updates alone.
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use block_directory::KeyedBlocks;
//! use ed25519_dalek::SigningKey;
//! use pad_core::{Author, Client, KeyRange, Server};
//!
//! type Names = KeyedBlocks;
//!
//! let mut author = Author::<Names>::new("names", SigningKey::from_bytes(&[7; 32]))?;
//! let mut server = Server::<Names>::new(author.public());
//! let mut client = Client::<Names>::new(author.public().clone());
//! author.put("apple", "1")?;
//! author.put("pear", "2")?;
//! let version = server.apply(&author.snapshot()?)?;
//!
//! client.advance(&server.head(version)?, None)?;
//! let all = client.check(&server.answer(version, &KeyRange::ALL)?, &KeyRange::ALL)?;
//! assert_eq!(all.get().entries.len(), 2);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: Stanton et al. 2010, section 2.3, which leaves a B+-tree to future work.

use pad_core::SchemeId;

#[cfg(feature = "std")]
mod author;
#[cfg(feature = "std")]
mod block;
#[cfg(feature = "std")]
mod cache;
#[cfg(feature = "std")]
mod check;
#[cfg(feature = "std")]
mod directory;
#[cfg(feature = "std")]
mod edit;
#[cfg(feature = "std")]
mod error;
mod family;
#[cfg(feature = "std")]
mod file;
#[cfg(feature = "std")]
mod hosting;
#[cfg(feature = "std")]
mod record;
#[cfg(feature = "std")]
mod storage;
#[cfg(feature = "std")]
mod stored;
#[cfg(feature = "std")]
mod tree;
#[cfg(feature = "std")]
mod view;

pub use family::KeyedBlocks;
#[cfg(feature = "std")]
pub use {
    author::KeyedAuthor,
    block::{Capacity, Child},
    directory::KeyedDirectory,
    error::{BlockDamage, KeyedError},
    record::BlockRecord,
    stored::{StoredBlocks, StoredKeyedDirectory},
    tree::KeyedTree,
};

/// The number of scheme `block-tree` in signed heads.
pub const BLOCK_TREE: SchemeId = SchemeId(4);

/// The longest key of a keyed directory, in bytes.
pub const LONGEST_KEY: usize = 255;

/// The longest value of a keyed directory, in bytes.
pub const LONGEST_VALUE: usize = 64;
