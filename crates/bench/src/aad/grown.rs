//! An append-only log that grows version by version, with the author's time for each version.

use std::{collections::BTreeSet, vec};

use pad_core::{HeadSigner, Key, Sha256Ed25519, SnapshotHead, Version, Workers};
use pad_log::{DictionaryScheme, Entry, Log, LogAuthor, LogRoot};

use crate::{
    prelude::*,
    workload::{self, VALUE_LENGTH},
};

/// Bytes of an entry: an 8-byte key and its value.
pub(super) const ENTRY_BYTES: usize = 8 + VALUE_LENGTH;

/// Default number of entries that one version appends.
pub(super) const BATCH: u64 = 512;

/// Numbers of values of the keys that have several values. A log has one such key for each number
/// that is at most an eighth of the log's size.
const SEVERAL: [u64; 6] = [2, 4, 8, 16, 32, 100];

/// The author of a log, the entries still to be appended, and the author's times so far.
pub(super) struct GrowingLog<S: DictionaryScheme> {
    pub(super) author: LogAuthor<S>,
    /// The author's time for each version, signature included, in microseconds.
    pub(super) times: Vec<f64>,
    entries: vec::IntoIter<Entry>,
}

impl<S: DictionaryScheme> GrowingLog<S> {
    /// Creates an empty log, to which `entries` will be appended.
    pub(super) fn new(log: &Log<S>, entries: Vec<Entry>, workers: &Workers) -> Outcome<Self> {
        let signer = HeadSigner::new(signing_key());
        Ok(Self {
            author: LogAuthor::new(log.clone(), author_key(), signer, workers.clone())?,
            times: Vec::new(),
            entries: entries.into_iter(),
        })
    }

    /// Returns the number of entries in the latest version.
    pub(super) const fn size(&self) -> u64 {
        self.author.entries().size()
    }

    /// Publishes versions of `batch` entries until the log has `size` entries.
    pub(super) fn grow(&mut self, size: u64, batch: u64) -> Outcome<()> {
        while self.size() < size {
            let count = batch.min(size - self.size());
            let batch: Vec<Entry> = self.entries.by_ref().take(count as usize).collect();
            ensure(!batch.is_empty(), "no more entries")?;
            let (us, done) = stopwatch(|| -> Outcome<()> {
                for entry in batch {
                    self.author.append(entry)?;
                }
                self.author.snapshot()?;
                Ok(())
            });
            done?;
            self.times.push(us);
        }
        Ok(())
    }

    /// Frees the memory of the entries that remain to be appended.
    pub(super) fn forget_entries(&mut self) {
        self.entries = Vec::new().into_iter();
    }

    /// Returns the verified root of the log's first `size` entries, at least 1, as a client knows
    /// it from a signed head.
    pub(super) fn at(&self, size: u64) -> Outcome<LogRoot<S>> {
        let head = SnapshotHead::<Sha256Ed25519> {
            version: Version::new(size),
            root: self.author.entries().digest(size),
            ..SnapshotHead::empty(S::ID, self.author.authority().dictionary)
        };
        Ok(self.author.log().at(&known_head(head)?)?)
    }

    /// Returns a key that has exactly `values` values among the first `size - 1` entries; `None` if
    /// there is none. `size` must be one of the sizes given to [`entries`].
    pub(super) fn key_with(&self, values: u64, size: u64) -> Option<Key> {
        let entries = self.author.entries();
        let key = match values {
            0 => workload::absent_key(0),
            1 => entries.entry(single(size))?.key.clone(),
            several => several_key(several, size),
        };
        let count = entries.positions(key.as_bytes(), size - 1).len();
        (count as u64 == values).then_some(key)
    }
}

/// Makes as many entries as the largest of `sizes`, for a log that is measured at each of these
/// sizes.
///
/// Most keys have one value. For each size, a few keys have several values, at random positions
/// below `size - 1`.
pub(super) fn entries(sizes: &BTreeSet<u64>) -> Vec<Entry> {
    let largest = sizes.last().copied().unwrap_or_default();
    let mut entries = distinct(largest);
    let mut random = Random::new(largest);
    let mut taken: BTreeSet<u64> = sizes.iter().map(|size| single(*size)).collect();
    for &size in sizes {
        for several in SEVERAL.into_iter().filter(|several| several * 8 <= size) {
            for _ in 0..several {
                let position = core::iter::repeat_with(|| random.below(size - 1))
                    .find(|position| taken.insert(*position));
                entries[position.unwrap_or_default() as usize].key = several_key(several, size);
            }
        }
    }
    entries
}

/// Makes `size` entries, each with a key of its own.
pub(super) fn distinct(size: u64) -> Vec<Entry> {
    let entry = |index| Entry {
        key: workload::key(index),
        value: workload::value(index),
    };
    (0..size).map(entry).collect()
}

/// Returns the position of an entry whose key has no other value, in a log of `size` entries.
const fn single(size: u64) -> u64 {
    size / 3
}

fn several_key(values: u64, size: u64) -> Key {
    workload::key(u64::MAX - (size << 8) - values)
}
