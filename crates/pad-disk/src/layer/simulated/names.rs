//! Names of a folder as processes see them, and as the medium contains them.

use std::collections::{BTreeMap, BTreeSet};

use super::random::{Fate, Random};

/// Maps of names to file numbers: visible, durable, and the changes between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    seen: BTreeMap<String, u64>,
    durable: BTreeMap<String, u64>,
    /// Changes that are not durable yet, in the order in which they were made.
    pending: Vec<Change>,
}

/// An atomic change of a name.
#[derive(Clone, Debug)]
enum Change {
    Given(String, u64),
    Moved { from: String, to: String, file: u64 },
    Taken(String, u64),
}

impl Names {
    pub(super) fn get(&self, name: &str) -> Option<u64> {
        self.seen.get(name).copied()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &String> {
        self.seen.keys()
    }

    /// Returns whether a name refers to `file`.
    pub(super) fn lead_to(&self, file: u64) -> bool {
        self.seen.values().any(|found| *found == file)
    }

    /// Files that a process may find now or after a power cut.
    pub(super) fn files(&self) -> BTreeSet<u64> {
        let named = self.seen.values().chain(self.durable.values()).copied();
        named.chain(self.pending.iter().map(Change::file)).collect()
    }

    pub(super) fn give(&mut self, name: &str, file: u64) {
        self.make(Change::Given(name.to_owned(), file));
    }

    pub(super) fn rename(&mut self, from: &str, to: &str, file: u64) {
        let (from, to) = (from.to_owned(), to.to_owned());
        self.make(Change::Moved { from, to, file });
    }

    pub(super) fn take(&mut self, name: &str, file: u64) {
        self.make(Change::Taken(name.to_owned(), file));
    }

    fn make(&mut self, change: Change) {
        change.apply(&mut self.seen);
        self.pending.push(change);
    }

    /// Makes all pending changes durable, except those already lost.
    pub(super) fn synchronise(&mut self) {
        self.lose(Fate::Everything, &mut Random::new(0));
    }

    /// Makes some pending changes durable and loses the rest.
    pub(super) fn synchronise_in_vain(&mut self, random: &mut Random) {
        let fate = Fate::of(self.pending.len(), random);
        self.lose(fate, random);
    }

    fn lose(&mut self, fate: Fate, random: &mut Random) {
        self.durable = self.survivor(fate, random);
        self.pending.clear();
    }

    /// State of the names after a power cut.
    pub(super) fn after_power_cut(&self, random: &mut Random) -> Self {
        let fate = Fate::of(self.pending.len(), random);
        let survivor = self.survivor(fate, random);
        Self {
            seen: survivor.clone(),
            durable: survivor,
            pending: Vec::new(),
        }
    }

    fn survivor(&self, fate: Fate, random: &mut Random) -> BTreeMap<String, u64> {
        let mut medium = self.durable.clone();
        for (number, change) in self.pending.iter().enumerate() {
            if fate.keeps(number, random) {
                change.apply(&mut medium);
            }
        }
        medium
    }
}

impl Change {
    /// Applies this change to `names`, from which earlier changes may be missing.
    fn apply(&self, names: &mut BTreeMap<String, u64>) {
        match self {
            Self::Given(name, file) => drop(names.insert(name.clone(), *file)),
            Self::Moved { from, to, file } => {
                remove(names, from, *file);
                names.insert(to.clone(), *file);
            }
            Self::Taken(name, file) => remove(names, name, *file),
        }
    }

    const fn file(&self) -> u64 {
        match self {
            Self::Given(_, file) | Self::Moved { file, .. } | Self::Taken(_, file) => *file,
        }
    }
}

/// Removes the name if it refers to `file`.
fn remove(names: &mut BTreeMap<String, u64>, name: &str, file: u64) {
    if names.get(name) == Some(&file) {
        names.remove(name);
    }
}
