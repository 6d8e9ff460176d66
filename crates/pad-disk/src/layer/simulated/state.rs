//! State of a simulated folder, with its faults.

use core::ops::Range;
use std::{collections::BTreeMap, io};

use super::{
    faults::{Faults, Outcome},
    file::Versions,
    names::Names,
    operation::Operation,
    random::Random,
};
use crate::layer::pages::PAGE;

/// A folder: its names, its files by number, and its faults.
#[derive(Debug)]
pub(super) struct State {
    pub(super) names: Names,
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
    /// Allocated bytes of all files that are open or have a name.
    pub(super) fn used(&self) -> u64 {
        let is_there = |(number, file): &(&u64, &Versions)| {
            !file.handles.is_empty() || self.names.lead_to(**number)
        };
        let used = |(_, file): (_, &Versions)| file.seen().used();
        self.files.iter().filter(is_there).map(used).sum()
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

    pub(super) fn begin_read(&self) -> io::Result<()> {
        self.faults.of_reading(self.operations.len())
    }

    pub(super) fn begin(&mut self, operation: Operation) -> io::Result<Outcome> {
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

    pub(super) fn find(&self, name: &str) -> io::Result<u64> {
        Ok(self.names.get(name).ok_or(io::ErrorKind::NotFound)?)
    }

    /// Returns the file with the number `file`, which is open or has a name.
    pub(super) fn file(&mut self, file: u64) -> &mut Versions {
        self.files.entry(file).or_default()
    }

    /// Opens the file with the number `file`, and returns the number of the handle.
    pub(super) fn new_handle(&mut self, file: u64) -> u64 {
        let handle = self.new_number();
        self.file(file).handles.insert(handle);
        handle
    }

    pub(super) fn new_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// Returns the length of the prefix of a write that fits on the disk. `bytes` is the range of
    /// offsets to write in `file`.
    pub(super) fn fitting(&mut self, file: u64, bytes: Range<u64>) -> u64 {
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
    pub(super) fn forget(&mut self) {
        let named = self.names.files();
        self.files
            .retain(|number, file| !file.handles.is_empty() || named.contains(number));
    }
}
