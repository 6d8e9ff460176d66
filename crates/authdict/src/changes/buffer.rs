//! Operations in memory, stored compactly and sorted in place.

use core::cmp::Ordering;

use pad_core::{Operation, Workers};
use rayon::prelude::*;

use super::record::Record;

/// A buffer of encoded operations, stored one after the other, with a list of their positions.
/// Sorting reorders only the positions.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// The position of an encoded operation in the buffer.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The first eight bytes of the key as a number ([`prefix`]). Comparing these numbers is enough
    /// to order most keys.
    prefix: u64,
    start: usize,
}

/// The minimum number of operations that several threads sort together.
const PARALLEL_SORT: usize = 4096;

impl Buffer {
    pub(super) fn push(&mut self, operation: &Operation) {
        let record = Record::of(operation);
        self.places.push(Place {
            prefix: prefix(record.key),
            start: self.bytes.len(),
        });
        record.write(&mut self.bytes);
    }

    /// Returns the bytes of memory that the operations and their positions use.
    pub(super) const fn size(&self) -> usize {
        self.bytes.len() + self.places.len() * size_of::<Place>()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Removes all operations, but keeps the allocated memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// Sorts the operations by key. Of several operations on one key, only the last is kept.
    pub(super) fn sort(&mut self, workers: &Workers) {
        let Self { bytes, places } = self;
        let bytes = bytes.as_slice();
        let order = |one: &Place, other: &Place| {
            let same = || compare_keys(bytes, one, other);
            let prefixes = one.prefix.cmp(&other.prefix);
            prefixes.then_with(same).then(one.start.cmp(&other.start))
        };
        if workers.threads() > 1 && places.len() >= PARALLEL_SORT {
            workers.run(|| places.par_sort_unstable_by(order));
        } else {
            places.sort_unstable_by(order);
        }
        places.dedup_by(|later, earlier| {
            let is_same =
                later.prefix == earlier.prefix && compare_keys(bytes, later, earlier).is_eq();
            if is_same {
                earlier.start = later.start;
            }
            is_same
        });
    }

    pub(super) fn get(&self, place: usize) -> Option<Record<'_>> {
        record(&self.bytes, self.places.get(place)?)
    }
}

fn record<'b>(bytes: &'b [u8], place: &Place) -> Option<Record<'b>> {
    Record::read(bytes.get(place.start..)?)
}

fn compare_keys(bytes: &[u8], one: &Place, other: &Place) -> Ordering {
    let key = |place| record(bytes, place).map(|record| record.key);
    key(one).cmp(&key(other))
}

/// Returns the first eight bytes of a key as a number that sorts like these bytes. A shorter key is
/// padded with zeros.
fn prefix(key: &[u8]) -> u64 {
    let mut first = [0; 8];
    for (byte, of_key) in first.iter_mut().zip(key) {
        *byte = *of_key;
    }
    u64::from_be_bytes(first)
}
