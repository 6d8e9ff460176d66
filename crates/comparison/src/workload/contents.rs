//! Expected contents of a dictionary: a simple copy of every version, to check answers against.

use std::collections::HashMap;

use pad_core::{Answer, Key, Operation, Value};

/// Contents of a dictionary in all its versions.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    version: u64,
    histories: HashMap<Key, History>,
    /// Keys that are present in the latest version.
    present: Vec<Key>,
}

#[derive(Clone, Debug)]
struct History {
    /// Changes of the key: the version, and the new value or `None` for a removal. Versions are
    /// ascending.
    values: Vec<(u64, Option<Value>)>,
    /// Index of the key in [`Contents::present`]; `None` if it is absent from the latest version.
    place: Option<usize>,
}

impl Contents {
    /// Creates the next version: the latest contents with `operations` applied.
    pub fn apply(&mut self, operations: &[Operation]) {
        self.version += 1;
        for operation in operations {
            match operation {
                Operation::Put(key, value) => self.put(key, value),
                Operation::Remove(key) => self.remove(key),
            }
        }
    }

    fn put(&mut self, key: &Key, value: &Value) {
        let history = self.histories.entry(key.clone());
        let history = history.or_insert_with(|| History {
            values: Vec::new(),
            place: None,
        });
        history.values.push((self.version, Some(value.clone())));
        if history.place.is_none() {
            history.place = Some(self.present.len());
            self.present.push(key.clone());
        }
    }

    fn remove(&mut self, key: &Key) {
        let Some(history) = self.histories.get_mut(key) else {
            return;
        };
        let Some(place) = history.place.take() else {
            return;
        };
        history.values.push((self.version, None));
        _ = self.present.swap_remove(place);
        if let Some(moved) = self.present.get(place)
            && let Some(history) = self.histories.get_mut(moved)
        {
            history.place = Some(place);
        }
    }

    /// Returns the number of keys in the latest version.
    pub fn len(&self) -> u64 {
        self.present.len() as u64
    }

    /// Reports whether the latest version has no keys.
    pub fn is_empty(&self) -> bool {
        self.present.is_empty()
    }

    /// Returns the key of the latest version with the index `place`. As long as no key was removed,
    /// keys are in order of arrival.
    ///
    /// # Panics
    /// If `place` is not below the number of keys.
    pub fn key(&self, place: u64) -> &Key {
        &self.present[place as usize]
    }

    /// Returns the answer to a lookup of `key` in `version`.
    pub fn answer(&self, version: u64, key: &Key) -> Answer {
        let values = self.histories.get(key).map(|history| &history.values[..]);
        let values = values.unwrap_or_default();
        let later = values.partition_point(|(since, _)| *since <= version);
        let value = later
            .checked_sub(1)
            .and_then(|index| values[index].1.clone());
        value.map_or(Answer::Absent, Answer::Present)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::workload::{Workload, key};

    #[test]
    fn every_version_is_as_it_was() {
        for workload in [Workload::steady_state(10, 20), Workload::updates(10, 20, 3)] {
            let mut contents = Contents::default();
            let mut copies = vec![BTreeMap::new()];
            for version in 1..=workload.versions() {
                let operations = workload.operations(version);
                contents.apply(&operations);
                let mut copy = copies.last().cloned().unwrap_or_default();
                for operation in operations {
                    match operation {
                        Operation::Put(key, value) => drop(copy.insert(key, value)),
                        Operation::Remove(key) => drop(copy.remove(&key)),
                    }
                }
                copies.push(copy);
            }
            for (version, copy) in copies.iter().enumerate() {
                for index in 0..40 {
                    let key = key(index);
                    let expected = copy
                        .get(&key)
                        .cloned()
                        .map_or(Answer::Absent, Answer::Present);
                    assert_eq!(contents.answer(version as u64, &key), expected);
                }
            }
            assert_eq!(contents.len(), 10);
            let last = copies.last().map(BTreeMap::len);
            assert_eq!(last, Some(10));
            let present: BTreeSet<_> = (0..10).map(|place| contents.key(place)).collect();
            assert_eq!(present.len(), 10);
        }
    }
}
