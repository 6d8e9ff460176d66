//! The folder and its open files, as stores see them.

use core::ops::Range;
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    faults::{Outcome, fault, stopped},
    file::zeros,
    operation::{Operation, Reads, SECTOR},
    random::Random,
    state::State,
};
use crate::layer::{FileLayer, LayerFile, folder::check_name, pages::size};

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

    /// Makes the next operation fail once, like [`SimulatedFolder::fail_at`].
    pub fn fail_next(&self, seed: u64) {
        let mut state = self.state();
        let next = state.operations.len() + 1;
        state.faults.failing.insert(next, seed);
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

    /// Opens the file with the number `file`.
    fn handle(&self, state: &mut State, file: u64) -> Arc<dyn LayerFile> {
        Arc::new(SimulatedFile {
            folder: self.clone(),
            file,
            handle: state.new_handle(file),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileLayer for SimulatedFolder {
    fn path(&self) -> &Path {
        &self.path
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let state = self.state();
        state.begin_read()?;
        Ok(state.names.all().cloned().collect())
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn LayerFile>> {
        check_name(name)?;
        let mut state = self.state();
        state.begin_read()?;
        let file = state.find(name)?;
        Ok(self.handle(&mut state, file))
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn LayerFile>> {
        check_name(name)?;
        let mut state = self.state();
        state
            .begin(Operation::Create)?
            .of_step(|| {
                if state.names.get(name).is_some() {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                let file = state.new_number();
                state.names.give(name, file);
                Ok(file)
            })
            .map(|file| self.handle(&mut state, file))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        check_name(to)?;
        check_name(from)?;
        let mut state = self.state();
        state.begin(Operation::Rename)?.of_step(|| {
            let file = state.find(from)?;
            if from != to {
                state.names.rename(from, to, file);
            }
            Ok(())
        })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        check_name(name)?;
        let mut state = self.state();
        state.begin(Operation::Remove)?.of_step(|| {
            let file = state.find(name)?;
            state.names.take(name, file);
            Ok(())
        })
    }

    fn synchronise(&self) -> io::Result<()> {
        let mut state = self.state();
        match state.begin(Operation::SynchroniseFolder)? {
            Outcome::Happens => {
                state.names.synchronise();
                state.forget();
                Ok(())
            }
            // The synchronisation has no effect: a power cut may make any part of the changes
            // durable.
            Outcome::HappensAtTheEnd => Err(stopped()),
            Outcome::Fails(mut random) => {
                state.names.synchronise_in_vain(&mut random);
                Err(fault())
            }
        }
    }

    /// Unknown while the capacity is unlimited.
    fn room(&self) -> Option<u64> {
        let state = self.state();
        (state.capacity < u64::MAX).then(|| state.capacity.saturating_sub(state.used()))
    }
}

/// An open file of a simulated folder.
#[derive(Debug)]
struct SimulatedFile {
    folder: SimulatedFolder,
    /// Number of the file in the folder.
    file: u64,
    /// Number of this handle, which identifies the owner of a lock.
    handle: u64,
}

impl LayerFile for SimulatedFile {
    fn length(&self) -> io::Result<u64> {
        let mut state = self.folder.state();
        state.begin_read()?;
        Ok(state.file(self.file).seen().length())
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let mut state = self.folder.state();
        state.begin_read()?;
        match state.file(self.file).seen().read(offset, bytes, zeros) {
            Ok(true) => Ok(()),
            Ok(false) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.folder.state();
        let outcome = state.begin(Operation::Write)?;
        let end = offset.checked_add(size(bytes.len()));
        let end = end.ok_or(io::ErrorKind::InvalidInput)?;
        let fitting = state.fitting(self.file, offset..end);
        let (written, failure) = match outcome {
            Outcome::Fails(mut random) => {
                let sectors = first_sectors(offset..end, &mut random);
                (sectors.min(fitting), Some(fault()))
            }
            Outcome::HappensAtTheEnd => (fitting, Some(stopped())),
            Outcome::Happens if fitting < end - offset => {
                (fitting, Some(io::ErrorKind::StorageFull.into()))
            }
            Outcome::Happens => (fitting, None),
        };
        let written = usize::try_from(written).unwrap_or_default();
        state.file(self.file).write(offset, &bytes[..written]);
        failure.map_or(Ok(()), Err)
    }

    fn set_length(&self, length: u64) -> io::Result<()> {
        let mut state = self.folder.state();
        state.begin(Operation::SetLength)?.of_step(|| {
            state.file(self.file).set_length(length);
            Ok(())
        })
    }

    fn synchronise(&self) -> io::Result<()> {
        let mut state = self.folder.state();
        let outcome = state.begin(Operation::Synchronise)?;
        let file = state.file(self.file);
        match outcome {
            Outcome::Happens => file.synchronise(),
            // The synchronisation has no effect: a power cut may make any part of the changes
            // durable.
            Outcome::HappensAtTheEnd => return Err(stopped()),
            Outcome::Fails(mut random) => {
                file.fail_write_back(&mut random);
                file.untold.insert(self.handle);
            }
        }
        if file.untold.remove(&self.handle) {
            return Err(fault());
        }
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        let mut state = self.folder.state();
        state.begin_read()?;
        let owner = state.file(self.file).lock.get_or_insert(self.handle);
        Ok(*owner == self.handle)
    }

    fn of_system(&self) -> Option<&File> {
        None
    }
}

impl Drop for SimulatedFile {
    fn drop(&mut self) {
        let mut state = self.folder.state();
        let file = state.file(self.file);
        file.handles.remove(&self.handle);
        file.untold.remove(&self.handle);
        file.lock = file.lock.filter(|owner| *owner != self.handle);
        state.forget();
    }
}

/// Returns the length of a random prefix of the offsets `bytes` that ends at a sector boundary.
fn first_sectors(bytes: Range<u64>, random: &mut Random) -> u64 {
    let first = bytes.start / SECTOR;
    let sectors = usize::try_from(bytes.end.div_ceil(SECTOR) - first).unwrap_or_default();
    let kept = size(random.below(sectors.max(1)));
    ((first + kept) * SECTOR).saturating_sub(bytes.start)
}
