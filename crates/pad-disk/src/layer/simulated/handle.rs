//! An open file of a simulated folder.

use core::ops::Range;
use std::{fs::File, io};

use super::{
    SimulatedFolder,
    faults::{Outcome, fault, stopped},
    file::zeros,
    operation::{Operation, SECTOR},
    random::Random,
};
use crate::layer::{LayerFile, pages::size};

/// An open file of a simulated folder.
#[derive(Debug)]
pub(super) struct SimulatedFile {
    pub(super) folder: SimulatedFolder,
    /// Number of the file in the folder.
    pub(super) file: u64,
    /// Number of this handle, which identifies the owner of a lock.
    pub(super) handle: u64,
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
