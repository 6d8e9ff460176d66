//! State of a simulated folder, and the operations on the folder and its files.

use core::ops::Range;
use std::{collections::BTreeMap, io, path::Path, sync::Arc};

use super::{
    SimulatedFolder,
    faults::{Faults, Outcome, fault, stopped},
    file::Versions,
    handle::SimulatedFile,
    names::Names,
    operation::Operation,
    random::Random,
};
use crate::layer::{FileLayer, LayerFile, folder::check_name, pages::PAGE};

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

    fn find(&self, name: &str) -> io::Result<u64> {
        Ok(self.names.get(name).ok_or(io::ErrorKind::NotFound)?)
    }

    /// Returns the file with the number `file`, which is open or has a name.
    pub(super) fn file(&mut self, file: u64) -> &mut Versions {
        self.files.entry(file).or_default()
    }

    /// Opens the file with the number `file`, which is in `folder`.
    fn open_file(&mut self, folder: &SimulatedFolder, file: u64) -> Arc<dyn LayerFile> {
        let handle = self.new_number();
        self.file(file).handles.insert(handle);
        Arc::new(SimulatedFile {
            folder: folder.clone(),
            file,
            handle,
        })
    }

    fn new_number(&mut self) -> u64 {
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
        Ok(state.open_file(self, file))
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
            .map(|file| state.open_file(self, file))
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
}
