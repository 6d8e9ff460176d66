//! Transparency logs in the formats that exist: those of the Community Cryptography Specification
//! Project, [C2SP](https://c2sp.org).
//!
//! A log is a list that only grows. Its *checkpoint* says how many entries there are and what the root of the
//! Merkle tree over them is. *Witnesses* cosign checkpoints of which each continues the one before, so that whoever
//! asks for the cosignatures of enough witnesses is not shown a list of his own.
//!
//! * [`note`]: texts with signatures, and the keys for them (`signed-note`), with the timestamped
//!   signatures of witnesses (`tlog-cosignature`, version 1 with Ed25519).
//! * [`Checkpoint`]: what a log's note says (`tlog-checkpoint`).
//! * [`tree`]: the Merkle tree of RFC 6962, section 2.1, and proofs of inclusion and consistency.
//! * [`tile`]: the resources as which a log is published (`tlog-tiles`), and a reader that believes none of them before
//!   it has the checkpoint's root from them.
//! * [`witness`]: the request for a cosignature and what a witness answers (`tlog-witness`).
//! * [`policy`]: which logs and how many of which witnesses somebody trusts (`tlog-policy`).
//! * [`proof`]: one text that says that an entry is in a log (`tlog-proof`).
//! * `store` (feature `disk`): a log in a folder. `witness::FolderRecords` keeps what a witness has cosigned.
//!
//! | you need | take | it costs |
//! | --- | --- | --- |
//! | to check that an entry is in a log that others run | [`proof`] with a [`Policy`] | a signature for each party, `log n` hashes |
//! | to read a log from a web server | [`tile`] | the tiles of one path, each checked |
//! | to publish a log | `store` (feature `disk`) | an entry, 32 bytes, and a 256th of that for each level of tiles |
//! | to be a witness | [`witness`] | one signature and `log n` hashes for each checkpoint |
//! | signed texts for something else | [`note`] | |
//!
//! There is no network here: requests and answers are values. Everything that is read is taken to be hostile; it
//! has a longest length, and exactly one form.
//!
//! ```
//! use transparency_log::{Checkpoint, Policy, Timestamp, note::{Cosigner, NoteSigner}, tree::Hash};
//!
//! let log = NoteSigner::new("example.com/log".parse()?, &[1; 32]);
//! let witness = Cosigner::new("witness.example/w".parse()?, &[2; 32]);
//!
//! let checkpoint = Checkpoint::new("example.com/log", 1, Hash::of_leaf(b"an entry"))?;
//! let mut note = checkpoint.sign(&log);
//! let time = Timestamp::from_seconds(1_700_000_000).ok_or("a time")?;
//! note.add(witness.cosign(&checkpoint, time))?;
//!
//! let policy = format!("log {}\nwitness w {}\nquorum w\n", log.verifier(), witness.verifier());
//! let policy: Policy = policy.parse()?;
//! let accepted = policy.verify(&note)?;
//! assert_eq!(accepted.checkpoint().size(), 1);
//! assert_eq!(accepted.cosignatures()[0].time, time);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

mod checkpoint;
mod lines;
pub mod note;
pub mod policy;
pub mod proof;
#[cfg(feature = "disk")]
pub mod store;
pub mod tile;
mod timestamp;
pub mod tree;
pub mod witness;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use note::Note;
pub use policy::Policy;
pub use timestamp::{Timestamp, utc};
