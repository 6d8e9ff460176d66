//! Transparency logs in the formats of [C2SP](https://c2sp.org), the Community Cryptography
//! Specification Project.
//!
//! A log is an append-only list of entries. Its *checkpoint* states the number of entries and the
//! root of the Merkle tree over them.
//!
//! *Witnesses* cosign a checkpoint only if it continues the previous cosigned checkpoint. A client
//! that requires cosignatures of enough witnesses is protected from split views.
//!
//! * [`note`]: signed texts and their keys (`signed-note`), with timestamped witness signatures
//!   (`tlog-cosignature`, version 1 with Ed25519).
//! * [`Checkpoint`]: the signed content of a log's note (`tlog-checkpoint`).
//! * [`tree`]: the Merkle tree of RFC 6962, section 2.1, with inclusion and consistency proofs.
//! * [`tile`]: the files in which a log is published (`tlog-tiles`), and a reader that checks them
//!   against the checkpoint's root.
//! * [`witness`]: cosignature requests and the responses of witnesses (`tlog-witness`).
//! * [`policy`]: trusted logs and the required quorum of witnesses (`tlog-policy`).
//! * [`proof`]: a self-contained text proof that an entry is in a log (`tlog-proof`).
//! * `store` (feature `disk`): a log in a folder. `witness::FolderRecords` stores cosigned
//!   checkpoints.
//!
//! | task | type or module | cost |
//! | --- | --- | --- |
//! | to verify a log entry | [`proof`] with a [`Policy`] | signature checks, `log n` hashes |
//! | to read a log from a web server | [`tile`] | per entry: one bundle and at most 8 tiles |
//! | to publish a log | `store` (feature `disk`) | on disk per entry: about 42 bytes more |
//! | to run a witness | [`witness`] | one signature and `log n` hashes per checkpoint |
//! | to sign other texts | [`note`] | |
//!
//! This crate does no network I/O: requests and responses are values. Input is treated as hostile:
//! notes, requests, responses, policies and proofs have a maximum length. Checkpoints, hashes and
//! paths have exactly one valid encoding.
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
