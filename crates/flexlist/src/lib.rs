//! FlexList and FlexDPDP: provable data possession for outsourced files that change at any byte.
//!
//! An **owner** stores a file with an untrusted **server** and keeps only its [`FileState`], about
//! a hundred bytes. The owner can edit the file at any byte and read any part of it. The server can
//! prove at any time that it still stores the whole file. Every response of the server is verified
//! against the file state.
//!
//! The file is a list of *blocks* of any length ([`FlexList`]). Its root hash commits to all
//! blocks. Each block has a *tag* ([`tag`]). With tags, the server proves possession of blocks
//! without sending them.
//!
//! # Components
//!
//! | Task | API | Cost |
//! | --- | --- | --- |
//! | store a file on a server | the crate `flexlist-service`, or `pad file` | |
//! | list the blocks of a file, with proofs and updates | [`FlexList`] | `O(log n)` a block |
//! | prove possession of a file | [`challenge`], [`audit`] | 1.6 ms and 201 KB (see below) |
//! | tags that only the owner checks | [`tag::TagKind::PrivateMac`] | 2.6 s for 500 000 blocks |
//! | tags that any verifier checks | feature `bls` or `rsa` | slower tags, a larger proof |
//! | cut a file into blocks by content | [`Chunker`] | |
//!
//! The figures are for 500 000 blocks of 2 KiB, on one core. A proof answers 460 challenges, which
//! detect a loss of 1 % with a probability of 99 %. The 2.6 s include building the list. A
//! BLS12-381 tag costs a hash to the curve and two multiplications of points, an RSA tag a modular
//! exponentiation.
//!
//! # Example
//!
//! ```
//! use flexlist::{
//!     FileId, FileState, FlexList, Level,
//!     audit::{AuditAnswer, Auditor},
//!     challenge::{Challenge, Context, Leaf, Questions, assign},
//!     list::Block,
//!     tag::{OwnerKey, TagKind, WriteId},
//! };
//! use pad_core::{Digest, Untrusted, Workers};
//!
//! // The owner cuts a file into blocks and tags them; both sides build the list.
//! let key = OwnerKey::generate(TagKind::PrivateMac, &Workers::sequential())?;
//! let data: Vec<Vec<u8>> = (0..100_u8).map(|number| vec![number; 1000]).collect();
//! let mut tags = Vec::new();
//! let mut blocks = Vec::new();
//! for (number, bytes) in (0_u8..).zip(&data) {
//!     // Write ids are drawn at random.
//!     let tag = key.tag(WriteId([number; 16]), bytes)?;
//!     blocks.push(Block {
//!         length: 1000,
//!         tag_digest: Digest(tag.digest()),
//!         level: Level::initial(u64::from(number) + 1),
//!         label: u64::from(number),
//!     });
//!     tags.push(tag);
//! }
//! let list = <FlexList>::build(&blocks, &Workers::all_cores())?;
//!
//! // The owner keeps only this state and its key.
//! let state = FileState { file: FileId([7; 32]), version: 1, list: list.state() };
//!
//! // The owner asks for some bytes at random; only the seed and the count are sent.
//! let challenge = Challenge::Sample { seed: [42; 32], count: 30 };
//!
//! // The server finds the blocks, and combines them into a proof.
//! let Questions::Samples(samples) = challenge.questions(&Context::from(&state))? else {
//!     panic!()
//! };
//! let indices: Vec<u64> = samples.iter().map(|sample| sample.index).collect();
//! let mut found = indices.iter().map(|index| list.find(*index)).collect::<Result<Vec<_>, _>>()?;
//! found.sort_by_key(|block| block.start);
//! found.dedup();
//! let leaves: Vec<Leaf> =
//!     found.iter().map(|block| Leaf { start: block.start, length: block.length }).collect();
//! let mut prover = key.server_parameters().prover();
//! for (block, challenged) in found.iter().zip(&assign(&samples, &leaves)?) {
//!     let number = block.label as usize;
//!     prover.absorb(challenged, &tags[number], &data[number])?;
//! }
//! let answer = AuditAnswer {
//!     list_proof: list.prove(&indices)?.into(),
//!     committed: found.iter().map(|block| tags[block.label as usize].committed.clone()).collect(),
//!     tag_proof: prover.finish().into(),
//! };
//!
//! // The owner verifies the answer: the server possessed these blocks.
//! let auditor = Auditor { state, key: key.verifier() };
//! let report = Untrusted::new(answer).verify(&auditor, &challenge)?;
//! assert!(!report.get().blocks.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//!
//! [`list`]: the list, its proofs and batches of updates. [`tag`]: five kinds of tags.
//! [`challenge`], [`audit`] and [`Detection`]: challenges, answers to them, and detection
//! probabilities. The crate `flexlist-service` contains a durable server and a network client.
//!
//! Source: Esiner, Küpçü & Özkasap 2013; Erway, Küpçü, Papamanthou & Tamassia 2009 (DPDP).
//!
//! Without the default feature `std` this crate is `no_std` (with `alloc`). It then verifies proofs
//! and updates of lists, challenges and audits. RSA and BLS tags need `std`.

#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]
#![cfg_attr(
    test,
    allow(clippy::arithmetic_side_effects, reason = "tests fail by panicking")
)]

extern crate alloc;

pub mod audit;
mod bytes;
pub mod challenge;
#[cfg(feature = "std")]
#[allow(
    clippy::arithmetic_side_effects,
    reason = "lengths of the owner's own slices"
)]
mod chunk;
#[cfg(feature = "std")]
#[allow(clippy::arithmetic_side_effects, reason = "floating point")]
mod detection;
#[cfg(feature = "std")]
#[allow(
    clippy::arithmetic_side_effects,
    reason = "lengths of the owner's own blocks"
)]
mod diff;
#[cfg(feature = "std")]
#[allow(
    clippy::arithmetic_side_effects,
    reason = "indices below 2^63, checked at the entrance (`Pieces`, `KnownBlocks`)"
)]
mod edit;
mod error;
mod file_id;
mod level;
pub mod list;
mod sealed;
#[allow(
    clippy::arithmetic_side_effects,
    reason = "big integers and field elements; modules that read bytes deny it themselves"
)]
pub mod tag;

#[cfg(feature = "std")]
pub use chunk::{ChunkError, Chunker, MAX_BLOCK_BYTES};
#[cfg(feature = "std")]
pub use detection::{Detection, DetectionError};
#[cfg(feature = "std")]
pub use edit::{ByteEdit, EditError};
pub use error::{AuditError, ProofError, UpdateError};
pub use file_id::FileId;
pub use level::Level;
pub use list::FlexList;
pub use sealed::FileState;

/// For the other crates of this workspace; no stability between versions.
#[doc(hidden)]
pub mod internals {
    pub use crate::{
        bytes::Bytes,
        level::LevelTooHigh,
        list::{
            hash::{NodeHash, tag_digest},
            view::View,
        },
        tag::scheme::StoredBlock,
    };
    #[cfg(feature = "std")]
    pub use crate::{
        chunk::Blocks,
        edit::{BlockEdit, KnownBlock, OldBlock, needed, plan},
    };

    /// The changes from one file to another.
    #[cfg(feature = "std")]
    pub mod diff {
        pub use crate::diff::*;
    }
}
