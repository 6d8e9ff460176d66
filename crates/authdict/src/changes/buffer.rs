//! Operations in memory, stored compactly and sorted in place.

use core::cmp::Ordering;

use pad_core::{Operation, Workers};
use rayon::prelude::*;

use super::record::Record;

/// Encoded operations, one after the other, and their positions.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// The position of an operation.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The first bytes of the key, which tell most keys apart.
    prefix: u64,
    start: usize,
}

/// Fewer operations than this are sorted by the calling thread.
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

    /// The bytes of memory that the operations take.
    pub(super) const fn size(&self) -> usize {
        self.bytes.len() + self.places.len() * size_of::<Place>()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Removes all operations, but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// Sorts the operations by key. Of several operations on a key, only the last one stays.
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

    /// The operation at index `place` in the order.
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

/// The first eight bytes of a key, padded with zeros.
fn prefix(key: &[u8]) -> u64 {
    let mut first = [0; 8];
    for (byte, of_key) in first.iter_mut().zip(key) {
        *byte = *of_key;
    }
    u64::from_be_bytes(first)
}
