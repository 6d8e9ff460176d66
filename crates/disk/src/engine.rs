//! Databases of the storage engine redb, each in one file.
//!
//! * [`Format`]: which databases a program takes for its own; makes new ones, which appear under their
//!   path complete or not at all.
//! * [`SharedDatabase`]: any number of processes read it while one writes to it.
//! * [`SoleDatabase`]: one process has it, with all its threads, at a path or in a [layer of
//!   files](crate::layer), and opens it again when the medium has failed; a [`Reserve`] of room lets it
//!   recover on a full disk.
//! * [`guarded`]: the engine panics on some pages that are not what it wrote. Whatever opens,
//!   begins or reads a database whose file others may have touched is called within it;
//!   [`report_caught_panics`] keeps their backtraces from standard error.
//!
//! Commits are in two phases: keys and values may come from others, and the checksum by which the engine
//! recognises a torn commit must not be their choice.

mod backend;
mod check;
mod create;
mod error;
mod format;
mod guard;
mod overlay;
mod place;
mod reserve;
mod shared;
#[cfg(feature = "simulated-disk")]
mod simulated;
mod sole;

pub use error::EngineError;
pub use format::Format;
pub use guard::{guarded, report_caught_panics};
pub use reserve::Reserve;
pub use shared::SharedDatabase;
#[cfg(feature = "simulated-disk")]
pub use simulated::SimulatedDisk;
pub use sole::{Repair, SoleDatabase};

#[cfg(test)]
#[cfg(feature = "simulated-disk")]
mod tests;
