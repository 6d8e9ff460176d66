//! A folder in memory whose medium fails, fills up and loses its power when a test says so.
//!
//! Processes see what was written last. The medium has what was synchronised, and of everything else
//! whatever an accident leaves of it:
//!
//! * of what was written since the last synchronisation of its file, each sector of [`SECTOR`] bytes as it
//!   was at any time since then, in any order;
//! * lengths as they were at any time since then; where a length reached the medium and the bytes did not,
//!   there are zeros;
//! * of the names that were given, changed and taken since the last synchronisation of the folder, any: a
//!   name given may be there or not, a rename done or not, but never in part.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use self::state::State;
use super::{FileLayer, LayerFile, folder::check_name};

mod contents;
mod faults;
mod file;
mod names;
mod operation;
mod random;
mod state;

pub use self::operation::{Operation, Reads, SECTOR, Traffic};

/// A folder in memory. Its clones are the same folder.
///
/// What changes something, and what makes it durable, is an [`Operation`]. They are counted from 1, and a
/// test tells by these numbers what goes wrong: it runs once to learn how many there are, and then again
/// with an accident at each. Everything that is left to chance comes from seeds.
#[derive(Clone, Debug)]
pub struct SimulatedFolder {
    path: PathBuf,
    state: Arc<Mutex<State>>,
}

impl SimulatedFolder {
    /// An empty folder that people know by this path, where nothing is.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self::with(path.into(), State::default())
    }

    fn with(path: PathBuf, state: State) -> Self {
        let state = Arc::new(Mutex::new(state));
        Self { path, state }
    }

    /// The same folder, for what takes any layer.
    pub fn layer(&self) -> Arc<dyn FileLayer> {
        Arc::new(self.clone())
    }

    /// The operations so far, those that failed among them; the first one has the number 1.
    pub fn operations(&self) -> Vec<Operation> {
        self.state().operations.clone()
    }

    /// The operation of this number happens, but whoever asked for it hears of a failure, as after a power
    /// cut in the middle of it. Everything later fails and changes nothing.
    pub fn stop_at(&self, operation: usize, reads: Reads) {
        self.state().faults.stop = Some((operation, reads));
    }

    /// The operation of this number fails, and the next ones do not.
    ///
    /// A write that fails has written some of its sectors from the start. A synchronisation that fails has
    /// made some of the changes durable, and the others never will be, though they can be read: that is
    /// what Linux does. Only a sector that is written again reaches the medium then, and the length, with
    /// the next synchronisation. Other operations that fail have done nothing.
    pub fn fail_at(&self, operation: usize, seed: u64) {
        self.state().faults.failing.insert(operation, seed);
    }

    /// Before the operation of this number the system writes back what was not synchronised, on its own, and
    /// fails: as with a synchronisation that fails, some of it is durable and the rest never will be. Each
    /// handle that is open then is told by its next synchronisation, which fails; later ones, and handles
    /// that are opened later, hear nothing.
    pub fn fail_write_back_before(&self, operation: usize, seed: u64) {
        self.state().faults.write_back.insert(operation, seed);
    }

    /// From now on the folder has room for so many bytes, in pages of 4096, what was written so far
    /// included. A write that finds no room has written what fitted.
    pub fn set_capacity(&self, bytes: u64) {
        self.state().capacity = bytes;
    }

    /// The bytes in use, in pages of 4096.
    pub fn used(&self) -> u64 {
        self.state().used()
    }

    /// What was done with the file of this name; nothing if there is none.
    pub fn traffic(&self, name: &str) -> Traffic {
        self.state().traffic(name)
    }

    /// What may be on the medium if the power is cut now. Nothing of it is lost to a later cut.
    #[must_use]
    pub fn after_power_cut(&self, seed: u64) -> Self {
        Self::with(self.path.clone(), self.state().after_power_cut(seed))
    }

    /// What another process finds if this one is killed now: all that was written. What was not
    /// synchronised is lost to a power cut as before.
    #[must_use]
    pub fn after_kill(&self) -> Self {
        Self::with(self.path.clone(), self.state().after_kill())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self, (file, handle): (u64, u64)) -> Arc<dyn LayerFile> {
        Arc::new(SimulatedFile {
            folder: self.clone(),
            file,
            handle,
        })
    }
}

impl FileLayer for SimulatedFolder {
    fn path(&self) -> &Path {
        &self.path
    }

    fn names(&self) -> io::Result<Vec<String>> {
        self.state().list()
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn LayerFile>> {
        check_name(name)?;
        let opened = self.state().open(name)?;
        Ok(self.handle(opened))
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn LayerFile>> {
        check_name(name)?;
        let created = self.state().create(name)?;
        Ok(self.handle(created))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        check_name(to)?;
        check_name(from)?;
        self.state().rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        check_name(name)?;
        self.state().remove(name)
    }

    fn synchronise(&self) -> io::Result<()> {
        self.state().synchronise_names()
    }
}

/// A file of a simulated folder, open.
#[derive(Debug)]
struct SimulatedFile {
    folder: SimulatedFolder,
    file: u64,
    /// Whose lock it is.
    handle: u64,
}

impl LayerFile for SimulatedFile {
    fn length(&self) -> io::Result<u64> {
        self.folder.state().length(self.file)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.folder.state().read(self.file, offset, bytes)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.folder.state().write(self.file, offset, bytes)
    }

    fn set_length(&self, length: u64) -> io::Result<()> {
        self.folder.state().set_length(self.file, length)
    }

    fn synchronise(&self) -> io::Result<()> {
        self.folder.state().synchronise(self.file, self.handle)
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.folder.state().try_lock(self.file, self.handle)
    }

    fn of_system(&self) -> Option<&File> {
        None
    }
}

impl Drop for SimulatedFile {
    fn drop(&mut self) {
        self.folder.state().close(self.file, self.handle);
    }
}

#[cfg(test)]
mod tests;
