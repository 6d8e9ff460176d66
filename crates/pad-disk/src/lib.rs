//! Durable files: atomic creation and replacement, locks, registers, and databases in one file.
//!
//! | Task | API | Cost |
//! | --- | --- | --- |
//! | Create or replace a file atomically | [`create`], [`replace`], [`Draft`] | two fsyncs |
//! | Spill data that does not fit into memory | [`Scratch`] | a file without a name |
//! | Overwrite a small value in place without tearing | [`Register`] | two fsyncs |
//! | Exclude other processes | [`Lock`] | a lock file next to the file |
//! | Folders of files with positioned reads and writes | [`layer`] | |
//! | Databases in one file, with checks and recovery | [`engine`] (feature `redb`) | that of redb |
//!
//! A dropped draft leaves nothing behind. On Linux neither does a killed process, unless it was
//! just replacing a file or the file system lacks unnamed files. With the feature `simulated-disk`,
//! tests can fill the disk under databases or make it fail.
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

pub use draft::{Access, Draft, create, replace};
pub use lock::{Lock, LockError, PATIENCE};
pub use place::beside;
pub use register::{Register, RegisterError};
pub use scratch::Scratch;
