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

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use self::state::State;
use super::FileLayer;

mod faults;
mod file;
mod handle;
mod names;
mod operation;
mod random;
mod state;

pub use self::operation::{Operation, Reads, SECTOR};

/// A simulated folder in memory. Clones share the same folder.
///
/// Each call that makes a change, or makes changes durable, is an [`Operation`], numbered from 1. A
/// test runs once to count the operations, and then again with an accident at each number. All
/// random choices are derived from seeds.
#[derive(Clone, Debug)]
pub struct SimulatedFolder {
    path: PathBuf,
    state: Arc<Mutex<State>>,
}

impl SimulatedFolder {
    /// Creates an empty folder. `path` is only its name in messages.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self::with(path.into(), State::default())
    }

    fn with(path: PathBuf, state: State) -> Self {
        let state = Arc::new(Mutex::new(state));
        Self { path, state }
    }

    /// Returns this folder as a [`FileLayer`] object.
    pub fn layer(&self) -> Arc<dyn FileLayer> {
        Arc::new(self.clone())
    }

    /// All operations so far, up to a stop, including failed operations. The first operation has
    /// the number 1.
    pub fn operations(&self) -> Vec<Operation> {
        self.state().operations.clone()
    }

    /// Stops at the operation with this number, like a power cut in the middle of it. The operation
    /// returns an error, but takes effect unless it is a synchronisation. All later operations fail
    /// and change nothing.
    pub fn stop_at(&self, operation: usize, reads: Reads) {
        self.state().faults.stop = Some((operation, reads));
    }

    /// Makes the operation of this number fail once.
    ///
    /// A failed write has written its first sectors, or none. Like on Linux, a failed
    /// synchronisation makes some changes durable and loses the others for good, though they can
    /// still be read. A lost sector reaches the medium only if it is written again. A lost length
    /// reaches it with the next synchronisation. Other failed operations have no effect.
    pub fn fail_at(&self, operation: usize, seed: u64) {
        self.state().faults.failing.insert(operation, seed);
    }

    /// Simulates a failed background write-back before the operation of this number.
    ///
    /// Some unsynchronised changes of files become durable and the rest are lost, as in
    /// [`SimulatedFolder::fail_at`]. The next synchronisation of each open handle of such a file
    /// fails. Later synchronisations, and handles opened later, do not report the failure.
    pub fn fail_write_back_before(&self, operation: usize, seed: u64) {
        self.state().faults.write_back.insert(operation, seed);
    }

    /// Limits the folder to a capacity of `bytes`, in pages of 4096, including all data written so
    /// far. A write without enough space writes the part that fits.
    pub fn set_capacity(&self, bytes: u64) {
        self.state().capacity = bytes;
    }

    /// Bytes in use, in pages of 4096.
    pub fn used(&self) -> u64 {
        self.state().used()
    }

    /// Returns the folder as the medium may contain it if the power is cut now. Its contents are
    /// durable.
    #[must_use]
    pub fn after_power_cut(&self, seed: u64) -> Self {
        Self::with(self.path.clone(), self.state().after_power_cut(seed))
    }

    /// Returns the folder as another process finds it if this process is killed now, with all
    /// writes. A later power cut may still lose unsynchronised changes.
    #[must_use]
    pub fn after_kill(&self) -> Self {
        Self::with(self.path.clone(), self.state().after_kill())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
