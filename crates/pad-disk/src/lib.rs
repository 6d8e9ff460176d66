//! Durable files: atomic creation and replacement, locks, registers, and databases in one file.
//!
//! Not a public interface: no stability between versions. Used by authdict, block-directory,
//! flexlist-service, pad-service, transparency-log and pad-cli.
//!
//! | Task | API | Cost |
//! | --- | --- | --- |
//! | Create or replace a file atomically | [`create`], [`replace`], [`Draft`] | two fsyncs |
//! | Spill data that does not fit into memory | [`Scratch`] | one unnamed file, no fsync |
//! | Overwrite a small value in place without tearing | [`Register`] | two fsyncs |
//! | Detect accidental changes of rows | [`Seal`] | a digest for each row |
//! | Exclude other processes | [`Lock`] | one lock file next to the file |
//! | Read and write at positions in the files of a folder | [`layer`] | an fsync on request |
//! | Store a database in one file | [`engine`] (feature `redb`) | a redb transaction |
//!
//! A dropped draft leaves no file behind. On Linux a killed process leaves no file either, unless
//! it was just replacing a file or the file system lacks unnamed files. With the feature
//! `simulated-disk`, tests can fill the disk under databases or make it fail.
//!
//! Symbolic links are followed. Locks and replacements apply to the file at the end of the links,
//! so two names of one file share one lock.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

mod draft;
#[cfg(feature = "redb")]
pub mod engine;
pub mod layer;
mod lock;
mod place;
mod register;
mod scratch;
mod seal;

pub use draft::{Access, Draft, create, replace};
pub use lock::{Lock, LockError, PATIENCE};
pub use place::{companion, found};
pub use register::{Register, RegisterError};
pub use scratch::Scratch;
pub use seal::Seal;
