//! Workloads on a dictionary: recorded, or generated. Each version of a generated workload can be
//! computed separately.
//!
//! Source of `growing` and `steady_state`: Crosby & Wallach 2010, sections 5.4 and 6.2.

use std::{borrow::Cow, collections::HashSet, ops::Range};

use pad_core::Operation;
use serde::{Deserialize, Serialize};

mod contents;
mod entries;
mod replay;

pub use contents::Contents;
pub use entries::{
    VALUE_LENGTH, absent_key, hashed_key, key, key_of, put, put_hashed, value, value_of,
};
pub use replay::Replay;

use crate::measurement::Shape;
pub use crate::random::Random;

/// Kind of change that the snapshots of a workload make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Each change adds a new key.
    Insert,
    /// Each change replaces the value of a present key. A snapshot changes no key twice.
    Update,
    /// Each change adds a key and removes the oldest one.
    RemoveAndInsert,
}

/// Description of a generated workload on a dictionary, the same for every scheme. All keys are
/// changed equally often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Name of the workload.
    pub name: Cow<'static, str>,
    /// Number of keys that the first snapshot loads. If it is 0, there is no loading snapshot.
    pub keys: u64,
    /// Number of measured snapshots, after the loading one.
    pub snapshots: u64,
    /// Number of changes in each measured snapshot.
    pub changes: u64,
    /// Kind of the changes in measured snapshots.
    pub change: Change,
    /// Bytes of each key, at least 8.
    pub key_bytes: usize,
    /// Bytes of each value.
    pub value_bytes: usize,
}

/// A workload that any scheme can be measured with: generated, or recorded.
pub trait Work {
    /// Returns name and numbers of the workload.
    fn shape(&self) -> Shape;

    /// Reports whether the first snapshot loads the keys and is not measured.
    fn loads(&self) -> bool;

    /// Returns the number of all snapshots, including a loading one.
    fn versions(&self) -> u64;

    /// Returns the changes that turn the version before `version` into `version`. The first version
    /// is 1.
    fn operations(&self, version: u64) -> Vec<Operation>;

    /// Reports whether [`Self::operations`] also has changes for versions after the last snapshot.
    fn goes_on(&self) -> bool;

    /// Reports whether a snapshot removes keys.
    fn removes(&self) -> bool;

    /// Returns an upper bound of the number of keys in any version.
    fn most_keys(&self) -> u64;

    /// Returns the largest number of entries of an append-only log at any time. In such a log, each
    /// replacement of a value is an entry of its own.
    fn most_entries(&self) -> u64;
}

impl Workload {
    /// Creates a workload that starts empty, and adds one key in each of `keys` snapshots.
    pub fn growing(keys: u64) -> Self {
        Self::of("growing", 0, keys, Change::Insert)
    }

    /// Creates a workload that loads `keys` keys in the first snapshot. Then each of `snapshots`
    /// snapshots adds one key and removes the oldest.
    pub fn steady_state(keys: u64, snapshots: u64) -> Self {
        Self::of("steady_state", keys, snapshots, Change::RemoveAndInsert)
    }

    /// Creates a workload that loads `keys` keys in the first snapshot. Then each of `snapshots`
    /// snapshots replaces the values of `changes` keys, or of all keys if there are fewer.
    pub fn updates(keys: u64, snapshots: u64, changes: u64) -> Self {
        Self {
            changes,
            ..Self::of("updates", keys, snapshots, Change::Update)
        }
    }

    fn of(name: &'static str, keys: u64, snapshots: u64, change: Change) -> Self {
        Self {
            name: Cow::Borrowed(name),
            keys,
            snapshots,
            changes: 1,
            change,
            key_bytes: 8,
            value_bytes: VALUE_LENGTH,
        }
    }

    /// Returns the number of snapshots that only load keys and are not measured: 0 or 1.
    pub const fn fill(&self) -> u64 {
        if self.keys == 0 { 0 } else { 1 }
    }

    /// Returns the number of all snapshots, including a loading one.
    pub const fn versions(&self) -> u64 {
        self.fill() + self.snapshots
    }

    /// Returns the number of keys after the last snapshot.
    pub const fn final_keys(&self) -> u64 {
        let present = self.present(self.versions());
        present.end - present.start
    }

    /// Returns the versions of the last tenth of the measured snapshots, at least one. Reports take
    /// their means over these.
    pub const fn last_tenth(&self) -> Range<u64> {
        let measured = self.snapshots;
        let tenth = if measured < 10 { 1 } else { measured / 10 };
        self.versions() + 1 - tenth..self.versions() + 1
    }

    /// Returns the changes that turn the version before `version` into `version`. The first version
    /// is 1.
    pub fn operations(&self, version: u64) -> Vec<Operation> {
        if version <= self.fill() {
            return (0..self.keys).map(|index| self.put(index)).collect();
        }
        let changed = (version - self.fill() - 1) * self.changes;
        let changes = changed..changed + self.changes;
        match self.change {
            Change::Insert => changes.map(|index| self.put(self.keys + index)).collect(),
            Change::RemoveAndInsert => changes.flat_map(|index| self.replace(index)).collect(),
            Change::Update => self.update(version, changes),
        }
    }

    fn put(&self, index: u64) -> Operation {
        Operation::Put(self.key(index), self.value(index))
    }

    fn replace(&self, index: u64) -> [Operation; 2] {
        [
            self.put(self.keys + index),
            Operation::Remove(self.key(index)),
        ]
    }

    /// Makes the changes of one snapshot, which replace the values of distinct keys. There are at
    /// most as many changes as keys.
    fn update(&self, version: u64, changes: Range<u64>) -> Vec<Operation> {
        let mut random = Random::new(version.rotate_left(32));
        let mut chosen = HashSet::new();
        let mut next = |change: u64| {
            let index = loop {
                let index = random.below(self.keys.max(1));
                if chosen.insert(index) {
                    break index;
                }
            };
            Operation::Put(self.key(index), self.value(self.keys + change))
        };
        let most = changes.start + self.keys;
        let changes = changes.start..changes.end.min(most);
        changes.map(&mut next).collect()
    }

    /// Returns the key of this workload for an index.
    pub fn key(&self, index: u64) -> pad_core::Key {
        key_of(index, self.key_bytes)
    }

    /// Returns the value of this workload for an index. Loads and insertions use the same index for
    /// a key and its value.
    pub fn value(&self, index: u64) -> pad_core::Value {
        value_of(index, self.value_bytes)
    }

    /// Returns the range of the indices of all keys in `version`, which is at least 1.
    pub const fn present(&self, version: u64) -> Range<u64> {
        let changed = (version - self.fill()) * self.changes;
        match self.change {
            Change::Insert => 0..self.keys + changed,
            Change::Update => 0..self.keys,
            Change::RemoveAndInsert => changed..self.keys + changed,
        }
    }

    /// Chooses a random key in `version`, or in a random version if that is `None`. Returns the
    /// version, and the key's index.
    pub fn any_present(&self, random: &mut Random, version: Option<u64>) -> (u64, u64) {
        let version = version.unwrap_or_else(|| 1 + random.below(self.versions()));
        let present = self.present(version);
        let place = random.below((present.end - present.start).max(1));
        (version, present.start + place)
    }
}

impl Work for Workload {
    fn shape(&self) -> Shape {
        Shape {
            workload: self.name.to_string(),
            keys: self.keys,
            changes: self.changes,
            key_bytes: self.key_bytes.max(8) as u64,
            value_bytes: self.value_bytes as u64,
            seed: 0,
        }
    }

    fn loads(&self) -> bool {
        self.fill() > 0
    }

    fn versions(&self) -> u64 {
        self.versions()
    }

    fn operations(&self, version: u64) -> Vec<Operation> {
        self.operations(version)
    }

    fn goes_on(&self) -> bool {
        true
    }

    fn removes(&self) -> bool {
        self.change == Change::RemoveAndInsert
    }

    fn most_keys(&self) -> u64 {
        self.keys.max(self.final_keys()) + self.changes
    }

    fn most_entries(&self) -> u64 {
        self.keys + self.snapshots * self.changes
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn every_version_contains_what_it_says() {
        let of_long_keys = Workload {
            key_bytes: 20,
            ..Workload::updates(20, 30, 5)
        };
        let workloads = [
            Workload::growing(50),
            Workload::steady_state(20, 30),
            Workload::updates(20, 30, 3),
            of_long_keys,
        ];
        for workload in workloads {
            let mut contents = BTreeMap::new();
            for version in 1..=workload.versions() {
                let operations = workload.operations(version);
                for operation in operations {
                    match operation {
                        Operation::Put(key, value) => drop(contents.insert(key, value)),
                        Operation::Remove(key) => assert!(contents.remove(&key).is_some()),
                    }
                }
                let expected = workload.present(version).map(|index| workload.key(index));
                let expected: BTreeSet<_> = expected.collect();
                assert!(contents.keys().eq(&expected), "{workload:?} {version}");
            }
            assert_eq!(contents.len() as u64, workload.final_keys());
        }
    }

    #[test]
    fn updates_change_distinct_keys_to_new_values() {
        let workload = Workload::updates(10, 3, 10);
        let mut values = HashSet::new();
        for version in 2..=workload.versions() {
            let operations = workload.operations(version);
            let keys: HashSet<_> = operations.iter().map(Operation::key).collect();
            assert_eq!(keys.len(), 10);
            for operation in &operations {
                assert!(
                    matches!(operation, Operation::Put(_, value) if values.insert(value.clone()))
                );
            }
        }
        assert_eq!(Workload::updates(10, 1, 99).operations(2).len(), 10);
    }

    #[test]
    fn the_last_tenth_ends_with_the_last_version() {
        assert_eq!(Workload::growing(1_000).last_tenth(), 901..1_001);
        assert_eq!(Workload::growing(3).last_tenth(), 3..4);
        assert_eq!(Workload::steady_state(1_000, 100).last_tenth(), 92..102);
    }
}
