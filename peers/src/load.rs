//! Workload of all measurements: a first snapshot of all keys, then snapshots that change the
//! values of some keys.

use std::collections::BTreeSet;

use comparison::workload::{self, Random};

use crate::peer::{Entry, Key, Value};

/// Seed of the random numbers that choose keys.
pub const SEED: u64 = 15;

/// State of the workload: the contents of every version so far, and the source of further changes.
#[derive(Debug)]
pub struct Load {
    /// For each key, the versions in which it got a new value, ascending.
    changed: Vec<Vec<usize>>,
    latest: usize,
    random: Random,
}

impl Load {
    /// Creates the workload over `keys` keys, before its first version.
    pub fn new(keys: u64) -> Self {
        let keys = usize::try_from(keys).expect("peers: as many keys as memory holds");
        Self {
            changed: vec![Vec::new(); keys],
            latest: 0,
            random: Random::new(SEED),
        }
    }

    /// Returns the number of the latest version; 0 before the first.
    pub const fn latest(&self) -> usize {
        self.latest
    }

    /// Returns the number of keys.
    pub const fn keys(&self) -> usize {
        self.changed.len()
    }

    /// Creates the first version, and returns its entries: all keys with their values.
    pub fn first(&mut self) -> Vec<Entry> {
        let all: Vec<usize> = (0..self.changed.len()).collect();
        self.publish(&all)
    }

    /// Creates the next version, and returns its changes: new values of `changes` random keys, or
    /// of all keys if there are fewer.
    pub fn next(&mut self, changes: usize) -> Vec<Entry> {
        let mut chosen = BTreeSet::new();
        while chosen.len() < changes.min(self.changed.len()) {
            chosen.insert(self.any_index());
        }
        let mut chosen: Vec<usize> = chosen.into_iter().collect();
        // The order of indices is unrelated to the order of keys.
        chosen.reverse();
        self.publish(&chosen)
    }

    fn publish(&mut self, indices: &[usize]) -> Vec<Entry> {
        self.latest += 1;
        for index in indices {
            self.changed[*index].push(self.latest);
        }
        let entry = |index: &usize| (key(*index), value(*index, self.latest));
        indices.iter().map(entry).collect()
    }

    fn any_index(&mut self) -> usize {
        let index = self.random.below(self.changed.len() as u64);
        usize::try_from(index).expect("peers: an index below a length")
    }

    /// Returns a random key, and its value in `version`.
    pub fn any(&mut self, version: usize) -> Entry {
        let index = self.any_index();
        let changed = self.changed[index].iter().rev();
        let last = changed.copied().find(|changed| *changed <= version);
        let last = last.expect("peers: every key is in every version");
        (key(index), value(index, last))
    }

    /// Returns a random version from 1 to the latest, all with equal probability.
    pub fn any_version(&mut self) -> usize {
        let older = self.random.below(self.latest as u64);
        1 + usize::try_from(older).expect("peers: a version below a version")
    }

    /// Returns a random key that no version contains.
    pub fn any_absent(&mut self) -> Key {
        bytes(workload::hashed_key(1 << 63 | self.random.next()).as_bytes())
    }
}

fn key(index: usize) -> Key {
    bytes(workload::hashed_key(index as u64).as_bytes())
}

fn value(index: usize, version: usize) -> Value {
    bytes(workload::value(index as u64 | (version as u64) << 40).as_bytes())
}

fn bytes(bytes: &[u8]) -> [u8; 32] {
    bytes
        .try_into()
        .expect("peers: the workload's keys and values have 32 bytes")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn knows_what_every_version_contains() {
        let mut load = Load::new(50);
        let mut versions = vec![BTreeMap::new()];
        let first = load.first();
        versions.push(first.into_iter().collect());
        for changes in [1, 20, 50, 100] {
            let mut contents: BTreeMap<Key, Value> = versions[load.latest()].clone();
            let before = contents.clone();
            contents.extend(load.next(changes));
            let changed = contents
                .iter()
                .filter(|(key, value)| before[*key] != **value);
            assert_eq!(changed.count(), changes.min(50));
            versions.push(contents);
        }
        for _ in 0..500 {
            let version = load.any_version();
            let (key, value) = load.any(version);
            assert_eq!(versions[version].get(&key), Some(&value));
            assert!(!versions[1].contains_key(&load.any_absent()));
        }
    }
}
