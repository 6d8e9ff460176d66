//! An index of a log's entries by key, and by key and value. It contains positions, and compares
//! the entries at them.

use core::{mem, slice};
use std::hash::{BuildHasher as _, RandomState};

use hashbrown::{HashTable, hash_table::Entry as Slot};

use super::forest::{to_u64, to_usize};
use crate::statement::Entry;

/// Positions of entries. All methods must be given the same list of entries.
///
/// Space: 8 bytes for each entry. In hash tables, 24 bytes for each key, and 8 bytes for each pair
/// of key and value. Keys with several entries have a list of their positions.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    keys: HashTable<Positions>,
    /// The latest position of each pair of key and value.
    pairs: HashTable<u64>,
    /// For each position, the number of entries up to it that are equal to the entry at it.
    occurrences: Vec<u64>,
    hasher: RandomState,
}

/// The positions of the entries of one key, at least one, in ascending order.
#[derive(Clone, Debug)]
enum Positions {
    One(u64),
    Several(Vec<u64>),
}

impl Positions {
    fn as_slice(&self) -> &[u64] {
        match self {
            Self::One(position) => slice::from_ref(position),
            Self::Several(positions) => positions,
        }
    }

    fn push(&mut self, position: u64) {
        match self {
            Self::One(first) => *self = Self::Several(vec![*first, position]),
            Self::Several(positions) => positions.push(position),
        }
    }
}

impl Index {
    /// Adds the last entry under its key.
    pub(super) fn push_key(&mut self, entries: &[Entry]) {
        let position = to_u64(entries.len() - 1);
        let key = |position: u64| entries[to_usize(position)].key.as_bytes();
        let first = |positions: &Positions| key(positions.as_slice()[0]);
        let hash = |key: &[u8]| self.hasher.hash_one(key);
        let slot = self.keys.entry(
            hash(key(position)),
            |positions| first(positions) == key(position),
            |positions| hash(first(positions)),
        );
        match slot {
            Slot::Occupied(mut positions) => positions.get_mut().push(position),
            Slot::Vacant(slot) => {
                slot.insert(Positions::One(position));
            }
        }
    }

    /// Adds the last entry under its key and value. Returns the number of entries equal to it,
    /// which includes itself.
    pub(super) fn push_pair(&mut self, entries: &[Entry]) -> u64 {
        let position = to_u64(entries.len() - 1);
        let entry = |position: u64| &entries[to_usize(position)];
        let hash = |position| self.hasher.hash_one(pair(entry(position)));
        let slot = self.pairs.entry(
            hash(position),
            |other| entry(*other) == entry(position),
            |other| hash(*other),
        );
        let occurrence = match slot {
            Slot::Occupied(mut latest) => {
                let before = mem::replace(latest.get_mut(), position);
                self.occurrences[to_usize(before)] + 1
            }
            Slot::Vacant(slot) => {
                slot.insert(position);
                1
            }
        };
        self.occurrences.push(occurrence);
        occurrence
    }

    /// Removes the last entry.
    pub(super) fn pop(&mut self, entries: &[Entry]) {
        let Some((last, before)) = entries.split_last() else {
            return;
        };
        let position = to_u64(before.len());
        let hash = self.hasher.hash_one(last.key.as_bytes());
        let is_latest = |positions: &Positions| positions.as_slice().last() == Some(&position);
        if let Ok(mut positions) = self.keys.find_entry(hash, is_latest) {
            match positions.get_mut() {
                Positions::Several(several) if several.len() > 1 => {
                    several.pop();
                }
                _ => {
                    positions.remove();
                }
            }
        }
        let Some(occurrence) = self.occurrences.pop() else {
            return;
        };
        let is_equal = |other: &&u64| before[to_usize(**other)] == *last;
        let equal = if occurrence > 1 {
            let earlier = self.positions(last.key.as_bytes(), before).iter();
            earlier.rev().find(is_equal).copied()
        } else {
            None
        };
        let hash = self.hasher.hash_one(pair(last));
        if let Ok(mut latest) = self.pairs.find_entry(hash, |other| *other == position) {
            match equal {
                Some(equal) => *latest.get_mut() = equal,
                None => {
                    latest.remove();
                }
            }
        }
    }

    /// Returns the positions of all entries with this key, in ascending order.
    pub(super) fn positions(&self, key: &[u8], entries: &[Entry]) -> &[u64] {
        let is_key = |positions: &Positions| {
            let first = positions.as_slice()[0];
            entries[to_usize(first)].key.as_bytes() == key
        };
        let positions = self.keys.find(self.hasher.hash_one(key), is_key);
        positions.map_or(&[], Positions::as_slice)
    }

    /// Returns the number of entries up to `position` that are equal to the entry at it; 0 if it
    /// was not added under its key and value.
    pub(super) fn occurrence(&self, position: u64) -> u64 {
        let occurrence = self.occurrences.get(to_usize(position));
        occurrence.copied().unwrap_or(0)
    }
}

fn pair(entry: &Entry) -> [&[u8]; 2] {
    [entry.key.as_bytes(), entry.value.as_bytes()]
}

#[cfg(test)]
mod tests {
    use pad_core::{Key, Value};

    use super::*;

    /// Appends and removes entries at random, with few keys and values.
    #[test]
    fn positions_and_occurrences_are_those_of_a_search() {
        let (mut index, mut entries) = (Index::default(), Vec::<Entry>::new());
        let mut state = 7_u64;
        for _ in 0..3_000 {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let draw = state >> 40;
            if draw.is_multiple_of(3) {
                index.pop(&entries);
                entries.pop();
            } else {
                let (key, value) = (draw / 3 % 5, draw / 15 % 3);
                let entry = Entry {
                    key: Key::from(key.to_be_bytes()),
                    value: Value::from(value.to_be_bytes()),
                };
                entries.push(entry.clone());
                let equal = entries.iter().filter(|other| **other == entry).count();
                assert_eq!(index.push_pair(&entries), to_u64(equal));
                index.push_key(&entries);
                assert_eq!(index.occurrence(to_u64(entries.len() - 1)), to_u64(equal));
            }
            for key in (0..6_u64).map(u64::to_be_bytes) {
                let numbered = (0..).zip(&entries);
                let found = numbered.filter(|(_, entry)| entry.key.as_bytes() == key);
                let expected: Vec<u64> = found.map(|(position, _)| position).collect();
                assert_eq!(index.positions(&key, &entries), expected);
            }
        }
        assert!(entries.len() > 500);
    }
}
