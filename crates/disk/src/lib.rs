//! Files that are there whole or not at all, whatever happens meanwhile.
//!
//! | you need | take | it costs |
//! | --- | --- | --- |
//! | a file that appears under its name complete and durable, or not at all | [`create`], [`replace`], [`Draft`] | two synchronisations: the file, its folder |
//! | room for what does not fit into memory | [`Scratch`] | a file without a name |
//! | a small value that is overwritten in place, and never torn | [`Register`] | one synchronisation |
//! | one process at a time, for as long as a value lives | [`Lock`] | a file beside |
//! | folders of files that are read and written at positions, under stores | [`layer`] | |
//! | databases in one file, made, opened, guarded and repaired | [`engine`] (feature `redb`) | what the database costs |
//!
//! A draft that nobody keeps leaves nothing behind, not even when the process is killed. With the feature
//! `simulated-disk` tests can fill the disk under databases, or have it fail.
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
