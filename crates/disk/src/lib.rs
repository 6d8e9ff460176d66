//! Files that are there whole or not at all, whatever happens meanwhile.
//!
//! * [`create`], [`replace`] and [`Draft`]: a file appears under its name complete and durable, or
//!   not at all. A draft that nobody keeps leaves nothing behind, not even when the process is killed.
//! * [`Scratch`]: room for what does not fit into memory.
//! * [`Register`]: a small value that is overwritten in place, and never torn.
//! * [`Lock`]: one process at a time, for as long as a value lives.
//! * [`layer`]: folders of files that are read and written at positions, under stores.
//! * [`engine`] (feature `redb`): databases in one file, made, opened, guarded and repaired. With the
//!   feature `simulated-disk` tests can fill the disk under them, or have it fail.
//!
//! Names are followed through symbolic links: what is locked, and what is replaced, is the file at
//! the end of them, so that two names of one file are one file here too.

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
