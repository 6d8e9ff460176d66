//! An index of a log's entries by key, and by key and value. It contains positions, and compares
//! the entries at them.

use core::{hash::Hash, slice};
use std::hash::{BuildHasher as _, RandomState};

use hashbrown::{HashTable, hash_table::Entry as Slot};

use super::forest::{to_u64, to_usize};
use crate::{scheme::Contents, statement::Entry};

/// Positions of entries. All methods must be given the same list of entries.
///
/// Space: 25 bytes for each key, and for each pair of key and value, in hash tables. Keys and pairs
/// with several entries also have a list of 8 bytes for each entry.
///
/// Time: a hash and a comparison. Removing the last entry takes no longer, because any party can
/// make a server take entries back that an author's head does not cover.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    keys: Groups,
    pairs: Groups,
}

/// Positions in groups of entries with the same name: the key, or key and value.
#[derive(Clone, Debug, Default)]
struct Groups {
    table: HashTable<Positions>,
    hasher: RandomState,
}

/// The positions of the entries of one group, at least one, in ascending order.
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

    /// Adds a position, and returns the number of positions.
    fn push(&mut self, position: u64) -> u64 {
        match self {
            Self::One(first) => *self = Self::Several(vec![*first, position]),
            Self::Several(positions) => positions.push(position),
        }
        to_u64(self.as_slice().len())
    }
}

impl Groups {
    /// Adds the last entry, and returns the number of entries in its group.
    fn push<'e, N: Hash + Eq>(
        &mut self,
        entries: &'e [Entry],
        name: impl Fn(&'e Entry) -> N,
    ) -> u64 {
        let position = to_u64(entries.len() - 1);
        let name = |position: u64| name(&entries[to_usize(position)]);
        let first = |positions: &Positions| name(positions.as_slice()[0]);
        let slot = self.table.entry(
            self.hasher.hash_one(name(position)),
            |positions| first(positions) == name(position),
            |positions| self.hasher.hash_one(first(positions)),
        );
        match slot {
            Slot::Occupied(mut positions) => positions.get_mut().push(position),
            Slot::Vacant(slot) => {
                slot.insert(Positions::One(position));
                1
            }
        }
    }

    /// Reserves memory for further groups, so that adding them moves no entry of the table.
    fn reserve<'e, N: Hash>(
        &mut self,
        groups: usize,
        entries: &'e [Entry],
        name: impl Fn(&'e Entry) -> N,
    ) {
        self.table.reserve(groups, |positions| {
            let first = positions.as_slice()[0];
            self.hasher.hash_one(name(&entries[to_usize(first)]))
        });
    }

    /// Removes the entry with this name at `position`, which must be the last position of all.
    fn pop(&mut self, position: u64, name: impl Hash) {
        let is_latest = |positions: &Positions| positions.as_slice().last() == Some(&position);
        let positions = self.table.find_entry(self.hasher.hash_one(name), is_latest);
        if let Ok(mut positions) = positions {
            match positions.get_mut() {
                Positions::Several(several) if several.len() > 1 => {
                    several.pop();
                }
                _ => {
                    positions.remove();
                }
            }
        }
    }

    /// Returns the positions of the entries for which `is_named` holds. `name` is their name.
    fn find<'e>(
        &self,
        entries: &'e [Entry],
        name: impl Hash,
        is_named: impl Fn(&'e Entry) -> bool,
    ) -> &[u64] {
        let is_named = |positions: &Positions| {
            let first = positions.as_slice()[0];
            is_named(&entries[to_usize(first)])
        };
        let positions = self.table.find(self.hasher.hash_one(name), is_named);
        positions.map_or(&[], Positions::as_slice)
    }
}

impl Index {
    /// Reserves memory for further entries with other keys and values.
    pub(super) fn reserve(&mut self, count: usize, contents: Contents, entries: &[Entry]) {
        self.keys.reserve(count, entries, key);
        if contents == Contents::Dictionary {
            self.pairs.reserve(count, entries, pair);
        }
    }

    /// Adds the last entry under its key.
    pub(super) fn push_key(&mut self, entries: &[Entry]) {
        self.keys.push(entries, key);
    }

    /// Adds the last entry under its key and value. Returns how many entries equal it, itself
    /// included.
    pub(super) fn push_pair(&mut self, entries: &[Entry]) -> u64 {
        self.pairs.push(entries, pair)
    }

    /// Removes the last entry.
    pub(super) fn pop(&mut self, entries: &[Entry]) {
        if let Some((last, before)) = entries.split_last() {
            let position = to_u64(before.len());
            self.keys.pop(position, key(last));
            self.pairs.pop(position, pair(last));
        }
    }

    /// Returns the positions of all entries with the key `asked`, in ascending order.
    pub(super) fn positions(&self, asked: &[u8], entries: &[Entry]) -> &[u64] {
        self.keys.find(entries, asked, |entry| key(entry) == asked)
    }

    /// Returns how many entries up to `position` equal the entry at it, itself included; 0 if it
    /// was not added under its key and value.
    pub(super) fn occurrence(&self, position: u64, entries: &[Entry]) -> u64 {
        let Some(entry) = entries.get(to_usize(position)) else {
            return 0;
        };
        let equal = self
            .pairs
            .find(entries, pair(entry), |other| other == entry);
        to_u64(equal.partition_point(|other| *other <= position))
    }
}

fn key(entry: &Entry) -> &[u8] {
    entry.key.as_bytes()
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
                let last = to_u64(entries.len() - 1);
                assert_eq!(index.push_pair(&entries), index.occurrence(last, &entries));
                index.push_key(&entries);
            }
            let chosen = usize::try_from(draw).unwrap() % entries.len().max(1);
            if let Some(entry) = entries.get(chosen) {
                let until = entries[..=chosen].iter();
                let equal = until.filter(|other| *other == entry).count();
                assert_eq!(index.occurrence(to_u64(chosen), &entries), to_u64(equal));
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
