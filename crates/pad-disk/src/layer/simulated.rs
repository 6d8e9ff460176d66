//! A simulated folder in memory with write failures, a full disk and power cuts.
//!
//! Processes see the last writes. The medium contains all synchronised data. An accident leaves
//! other data in any of these states:
//!
//! * Each sector of [`SECTOR`] bytes written since the last synchronisation of its file has its
//!   contents from any time since then, independently of other sectors.
//! * Each length is as it was at any time since then. New bytes below it that did not reach the
//!   medium are zeros.
//! * Each name created, changed or removed since the last synchronisation of the folder is old or
//!   new. A rename is done or not, never in part.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod faults;
mod file;
mod folder;
mod names;
mod operation;
mod random;
mod state;

pub use self::{
    folder::SimulatedFolder,
    operation::{Operation, Reads, SECTOR},
};

#[cfg(test)]
mod tests;
