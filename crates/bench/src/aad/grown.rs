//! A log that grows version by version, timed.

use std::{collections::BTreeSet, vec};

use pad_core::{
    HeadSigner, Key, Sha256Ed25519, SnapshotHead, Untrusted, Version, Workers, history,
};
use pad_log::{DictionaryScheme, Entry, Log, LogAuthor, LogRoot};

use crate::{
    prelude::*,
    workload::{self, VALUE_LENGTH},
};

/// The bytes of an entry's key and value.
pub(super) const ENTRY_BYTES: usize = 8 + VALUE_LENGTH;

/// Default number of entries of one version.
pub(super) const BATCH: u64 = 512;

/// Numbers of values that keys of a log have, other than 1; each for one key, as far as they fit.
const SEVERAL: [u64; 6] = [2, 4, 8, 16, 32, 100];

/// An author, the entries still to be appended, and the times of the versions.
pub(super) struct GrowingLog<S: DictionaryScheme> {
    pub(super) author: LogAuthor<S>,
    /// The author's time for each version, signature included, in microseconds.
    pub(super) times: Vec<f64>,
    /// The threads of author and server.
    pub(super) threads: usize,
    entries: vec::IntoIter<Entry>,
}

impl<S: DictionaryScheme> GrowingLog<S> {
    /// Starts with an empty log, to which these entries will be appended.
    pub(super) fn new(log: &Log<S>, entries: Vec<Entry>, workers: &Workers) -> Outcome<Self> {
        let signer = HeadSigner::new(signing_key());
        Ok(Self {
            author: LogAuthor::new(log.clone(), author_key(), signer, workers.clone())?,
            times: Vec::new(),
            threads: workers.threads(),
            entries: entries.into_iter(),
        })
    }

    /// Returns the number of entries in the latest version.
    pub(super) const fn size(&self) -> u64 {
        self.author.entries().size()
    }

    /// Publishes versions of `batch` entries until there are `size`.
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

    /// Frees the memory of entries that will not be appended, and of their list.
    pub(super) fn forget_entries(&mut self) {
        self.entries = Vec::new().into_iter();
    }

    /// Returns the log at this size, at least 1, as a client knows it from a head.
    pub(super) fn at(&self, size: u64) -> Outcome<LogRoot<S>> {
        let (authority, version) = (self.author.authority(), Version::new(size));
        let head = SnapshotHead::<Sha256Ed25519> {
            scheme: S::ID,
            dictionary: authority.dictionary,
            version,
            root: self.author.entries().digest(size),
            history: history::empty_root::<Sha256Ed25519>(),
        };
        let head = head.sign(&HeadSigner::new(signing_key()))?;
        let head = Untrusted::new(head).verify(&authority, &version)?;
        Ok(self.author.log().at(&head)?)
    }

    /// Returns a key with `values` values, all of them below a `size` that the entries were made
    /// for; `None` if there is no such key.
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

/// Makes entries up to the largest of these sizes.
///
/// Keys have one value, except for the few that have several below each size. Those values are
/// spread at random.
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

/// Makes `size` entries with a key each.
pub(super) fn distinct(size: u64) -> Vec<Entry> {
    let entry = |index| Entry {
        key: workload::key(index),
        value: workload::value(index),
    };
    (0..size).map(entry).collect()
}

/// Returns the position of an entry whose key has no other value, in a log of this size.
const fn single(size: u64) -> u64 {
    size / 3
}

fn several_key(values: u64, size: u64) -> Key {
    workload::key(u64::MAX - (size << 8) - values)
}
