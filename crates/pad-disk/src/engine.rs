//! Databases of the storage engine redb, each in one file.
//!
//! * [`Format`]: identifies the databases of a program, and sets permissions and cache size.
//! * [`SharedDatabase`]: a database that any number of processes read while one writes.
//! * [`SoleDatabase`]: a database of one process and its threads, at a path or in a [layer of
//!   files](crate::layer). It can be opened again after a storage failure. A
//!   [reserve](crate::layer::Reserve) of disk space allows recovery on a full disk.
//! * [`Place`]: a path, or the name of a file in a layer.
//! * [`guarded`]: catches panics. The engine panics on some pages that it did not write, so calls
//!   that open or read a file under others' control go through [`guarded`].
//!   [`report_caught_panics`] suppresses the backtraces on standard error.
//!
//! New databases appear under their path complete or not at all.
//!
//! Commits have two phases. With one phase, the engine recognises a torn commit (one that a crash
//! interrupted) by a checksum. An attacker who chooses keys and values could forge that checksum.

mod backend;
mod check;
mod create;
mod error;
mod format;
mod guard;
mod overlay;
mod place;
mod shared;
mod sole;
mod transact;

pub use error::EngineError;
pub use format::Format;
pub use guard::{guarded, report_caught_panics};
pub use place::Place;
pub use shared::SharedDatabase;
pub use sole::SoleDatabase;
pub use transact::Repair;

#[cfg(test)]
#[cfg(feature = "simulated-disk")]
mod tests;
