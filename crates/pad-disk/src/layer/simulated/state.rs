//! State of a simulated folder, with its faults.

use core::ops::Range;
use std::{collections::BTreeMap, io};

use super::{
    contents::{PAGE, size},
    faults::{Faults, Outcome, fault, stopped},
    file::Versions,
    names::Names,
    operation::{Operation, SECTOR, Traffic},
    random::Random,
};

/// A folder: its names, its files by number, and its faults.
#[derive(Debug)]
pub(super) struct State {
    names: Names,
    files: BTreeMap<u64, Versions>,
    /// Last number given to a file or handle.
    number: u64,
    pub(super) operations: Vec<Operation>,
    pub(super) faults: Faults,
    pub(super) capacity: u64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            names: Names::default(),
            files: BTreeMap::new(),
            number: 0,
            operations: Vec::new(),
            faults: Faults::default(),
            capacity: u64::MAX,
        }
    }
}

impl State {
    pub(super) fn list(&self) -> io::Result<Vec<String>> {
        self.begin_read()?;
        Ok(self.names.all().cloned().collect())
    }

    pub(super) fn open(&mut self, name: &str) -> io::Result<(u64, u64)> {
        self.begin_read()?;
        let file = self.find(name)?;
        Ok((file, self.open_file(file)))
    }

    pub(super) fn create(&mut self, name: &str) -> io::Result<(u64, u64)> {
        self.begin(Operation::Create)?.of_step(|| {
            if self.names.get(name).is_some() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            let file = self.new_number();
            self.names.give(name, file);
            Ok((file, self.open_file(file)))
        })
    }

    pub(super) fn rename(&mut self, from: &str, to: &str) -> io::Result<()> {
        self.begin(Operation::Rename)?.of_step(|| {
            let file = self.find(from)?;
            if from != to {
                self.names.rename(from, to, file);
            }
            Ok(())
        })
    }

    pub(super) fn remove(&mut self, name: &str) -> io::Result<()> {
        self.begin(Operation::Remove)?.of_step(|| {
            let file = self.find(name)?;
            self.names.take(name, file);
            Ok(())
        })
    }

    pub(super) fn synchronise_names(&mut self) -> io::Result<()> {
        match self.begin(Operation::SynchroniseFolder)? {
            Outcome::Happens => {
                self.names.synchronise();
                self.forget();
                Ok(())
            }
            // The synchronisation has no effect: a power cut may make any part of the changes
            // durable.
            Outcome::HappensAtTheEnd => Err(stopped()),
            Outcome::Fails(mut random) => {
                self.names.synchronise_in_vain(&mut random);
                Err(fault())
            }
        }
    }

    pub(super) fn length(&mut self, file: u64) -> io::Result<u64> {
        self.begin_read()?;
        Ok(self.file(file).seen().length())
    }

    pub(super) fn read(&mut self, file: u64, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.begin_read()?;
        let file = self.file(file);
        file.traffic.reads += 1;
        file.traffic.bytes_read += size(bytes.len());
        if file.seen().read(offset, bytes) {
            return Ok(());
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    }

    pub(super) fn write(&mut self, file: u64, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let outcome = self.begin(Operation::Write)?;
        let end = offset.checked_add(size(bytes.len()));
        let end = end.ok_or(io::ErrorKind::InvalidInput)?;
        let fitting = self.fitting(file, offset..end);
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
        let file = self.file(file);
        file.traffic.writes += 1;
        file.traffic.bytes_written += size(bytes.len());
        file.write(
            offset,
            &bytes[..usize::try_from(written).unwrap_or_default()],
        );
        failure.map_or(Ok(()), Err)
    }

    pub(super) fn set_length(&mut self, file: u64, length: u64) -> io::Result<()> {
        let outcome = self.begin(Operation::SetLength)?;
        outcome.of_step(|| {
            self.file(file).set_length(length);
            Ok(())
        })
    }

    pub(super) fn synchronise(&mut self, file: u64, handle: u64) -> io::Result<()> {
        let outcome = self.begin(Operation::Synchronise)?;
        let file = self.file(file);
        file.traffic.synchronisations += 1;
        match outcome {
            Outcome::Happens => file.synchronise(),
            // The synchronisation has no effect: a power cut may make any part of the changes
            // durable.
            Outcome::HappensAtTheEnd => return Err(stopped()),
            Outcome::Fails(mut random) => {
                file.fail_write_back(&mut random);
                file.untold.insert(handle);
            }
        }
        if file.untold.remove(&handle) {
            return Err(fault());
        }
        Ok(())
    }

    pub(super) fn try_lock(&mut self, file: u64, handle: u64) -> io::Result<bool> {
        self.begin_read()?;
        let owner = self.file(file).lock.get_or_insert(handle);
        Ok(*owner == handle)
    }

    pub(super) fn close(&mut self, file: u64, handle: u64) {
        let file = self.file(file);
        file.handles.remove(&handle);
        file.untold.remove(&handle);
        file.lock = file.lock.filter(|owner| *owner != handle);
        self.forget();
    }

    /// Allocated bytes of all files that are open or have a name.
    pub(super) fn used(&self) -> u64 {
        let is_there = |(number, file): &(&u64, &Versions)| {
            !file.handles.is_empty() || self.names.lead_to(**number)
        };
        let used = |(_, file): (_, &Versions)| file.seen().used();
        self.files.iter().filter(is_there).map(used).sum()
    }

    pub(super) fn traffic(&self, name: &str) -> Traffic {
        let file = self.names.get(name);
        let file = file.and_then(|file| self.files.get(&file));
        file.map(|file| file.traffic).unwrap_or_default()
    }

    pub(super) fn after_power_cut(&self, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let names = self.names.after_power_cut(&mut random);
        self.with(names, |file| file.after_power_cut(&mut random))
    }

    pub(super) fn after_kill(&self) -> Self {
        self.with(self.names.clone(), Versions::after_kill)
    }

    /// Copies the folder with other `names`, and with `found` applied to each file.
    fn with(&self, names: Names, mut found: impl FnMut(&Versions) -> Versions) -> Self {
        let files = self.files.iter();
        let mut state = Self {
            names,
            files: files.map(|(number, file)| (*number, found(file))).collect(),
            number: self.number,
            capacity: self.capacity,
            ..Self::default()
        };
        state.forget();
        state
    }

    fn begin_read(&self) -> io::Result<()> {
        self.faults.of_reading(self.operations.len())
    }

    fn begin(&mut self, operation: Operation) -> io::Result<Outcome> {
        let outcome = self.faults.of(self.operations.len() + 1)?;
        if let Some(seed) = self.faults.write_back.remove(&(self.operations.len() + 1)) {
            let mut random = Random::new(seed);
            for file in self.files.values_mut() {
                file.fail_write_back(&mut random);
            }
        }
        self.operations.push(operation);
        Ok(outcome)
    }

    fn find(&self, name: &str) -> io::Result<u64> {
        Ok(self.names.get(name).ok_or(io::ErrorKind::NotFound)?)
    }

    /// Returns the file with the number `file`, which is open or has a name.
    fn file(&mut self, file: u64) -> &mut Versions {
        self.files.entry(file).or_default()
    }

    fn open_file(&mut self, file: u64) -> u64 {
        let handle = self.new_number();
        self.file(file).handles.insert(handle);
        handle
    }

    fn new_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// Returns the length of the prefix of a write that fits on the disk. `bytes` is the range of
    /// offsets to write in `file`.
    fn fitting(&mut self, file: u64, bytes: Range<u64>) -> u64 {
        let length = bytes.end - bytes.start;
        if self.capacity == u64::MAX {
            return length;
        }
        let mut room = self.capacity.saturating_sub(self.used()) / PAGE;
        let seen = self.file(file).seen();
        for page in bytes.start / PAGE..bytes.end.div_ceil(PAGE) {
            if seen.has_page(page) {
                continue;
            }
            if room == 0 {
                return (page * PAGE).saturating_sub(bytes.start);
            }
            room -= 1;
        }
        length
    }

    /// Drops files that have neither an open handle nor a name, visible or possibly durable.
    fn forget(&mut self) {
        let named = self.names.files();
        self.files
            .retain(|number, file| !file.handles.is_empty() || named.contains(number));
    }
}

/// Returns the length of a random prefix of the offsets `bytes` that ends at a sector boundary.
fn first_sectors(bytes: Range<u64>, random: &mut Random) -> u64 {
    let first = bytes.start / SECTOR;
    let sectors = usize::try_from(bytes.end.div_ceil(SECTOR) - first).unwrap_or_default();
    let kept = size(random.below(sectors.max(1)));
    ((first + kept) * SECTOR).saturating_sub(bytes.start)
}
