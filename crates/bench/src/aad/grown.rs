//! A log that was grown version by version, timed.

use std::{collections::BTreeSet, vec};

use aad::{Entry, Log, LogAuthor, LogRoot};
use pad_core::{
    HeadSigner, Key, Sha256Ed25519, SignedHead, SnapshotHead, Untrusted, Verified, Version,
    Workers, head::Authority,
};

use super::Scheme;
use crate::{
    Outcome, memory,
    primitives::{author_key, signing_key},
    timing::stopwatch,
    workload::{self, Random, VALUE_LENGTH},
};

/// The bytes of an entry's key and value.
pub(super) const ENTRY_BYTES: usize = 8 + VALUE_LENGTH;

/// The entries of one version of a log that is cut evenly.
pub(super) const BATCH: u64 = 512;

/// The numbers of values that keys of a log have beside 1; each for one key, as far as they fit.
const SEVERAL: [u64; 5] = [2, 4, 8, 16, 32];

/// Where versions end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cuts {
    /// After so many entries each.
    Every(u64),
    /// After [`BATCH`] entries each, and where the proofs are measured: half of all, all, and one less than each of them.
    Marked,
}

/// An author with all entries, and what its versions took.
pub(super) struct Grown {
    pub(super) author: LogAuthor<Scheme>,
    pub(super) size: u64,
    /// The author's time, signatures included.
    pub(super) us: f64,
    /// What the process's memory grew by.
    pub(super) resident_bytes: f64,
    /// Sizes and heads of all versions.
    versions: Vec<(u64, SignedHead<Sha256Ed25519>)>,
    /// What is not appended yet.
    entries: vec::IntoIter<Entry>,
}

impl Grown {
    /// The log before its last version, whose only entry joins all trees if the versions are [`Cuts::Marked`].
    pub(super) fn new(
        log: &Log<Scheme>,
        size: u64,
        cuts: Cuts,
        workers: &Workers,
    ) -> Outcome<Self> {
        let entries = entries(size);
        let before = memory::resident_bytes();
        let signer = HeadSigner::new(signing_key());
        let mut grown = Self {
            author: LogAuthor::new(log.clone(), author_key(), signer, workers.clone())?,
            size,
            us: 0.0,
            resident_bytes: 0.0,
            versions: Vec::new(),
            entries: entries.into_iter(),
        };
        for end in cuts.ends(size).range(..size) {
            grown.publish(*end)?;
        }
        grown.resident_bytes = memory::resident_bytes().saturating_sub(before) as f64;
        Ok(grown)
    }

    /// Appends what is left, as the last version.
    pub(super) fn finish(&mut self) -> Outcome<()> {
        self.publish(self.size)
    }

    fn publish(&mut self, size: u64) -> Outcome<()> {
        let count = size - self.author.entries().size();
        let batch: Vec<Entry> = self.entries.by_ref().take(count as usize).collect();
        let (us, head) = stopwatch(|| -> Outcome<_> {
            for entry in batch {
                self.author.append(entry)?;
            }
            Ok(self.author.snapshot()?.head)
        });
        self.us += us;
        self.versions.push((size, head?));
        Ok(())
    }

    /// The number of versions.
    pub(super) const fn versions(&self) -> usize {
        self.versions.len()
    }

    /// The sizes of all versions, ascending.
    pub(super) fn sizes(&self) -> impl Iterator<Item = u64> {
        self.versions.iter().map(|(size, _)| *size)
    }

    /// The log in the version of this size, as a client knows it.
    pub(super) fn at(&self, size: u64) -> Outcome<LogRoot<Scheme>> {
        let of_size = |(other, _): &&(u64, SignedHead<_>)| *other == size;
        let (_, head) = self
            .versions
            .iter()
            .find(of_size)
            .ok_or("no such version")?;
        let authority: Authority = self.author.authority();
        let version: Version = head.head.version;
        let head: Verified<SnapshotHead<_>> = Untrusted::new(*head).verify(&authority, &version)?;
        Ok(self.author.log().at(&head)?)
    }

    /// A key with so many values; none if the log has no such key.
    pub(super) fn key_with(&self, values: u64) -> Option<Key> {
        let key = match values {
            0 => workload::absent_key(0),
            1 => self
                .author
                .entries()
                .entry(first_single(self.size))?
                .key
                .clone(),
            several => several_key(several),
        };
        let count = self
            .author
            .entries()
            .positions(key.as_bytes(), self.size - 1)
            .len();
        (count as u64 == values).then_some(key)
    }
}

impl Cuts {
    fn ends(self, size: u64) -> BTreeSet<u64> {
        let every = match self {
            Self::Every(batch) => batch,
            Self::Marked => BATCH,
        };
        let mut ends: BTreeSet<u64> = (1..=size / every).map(|i| i * every).collect();
        ends.insert(size);
        if matches!(self, Self::Marked) {
            ends.extend([size / 2 - 1, size / 2, size - 1]);
        }
        ends
    }
}

/// Entries with keys of their own, but for the few keys with several values, which are spread at random over the first half.
fn entries(size: u64) -> Vec<Entry> {
    let entry = |index| Entry {
        key: workload::key(index),
        value: workload::value(index),
    };
    let mut entries: Vec<Entry> = (0..size).map(entry).collect();
    let mut random = Random::new(size);
    let mut taken = BTreeSet::from([first_single(size)]);
    for several in SEVERAL.into_iter().filter(|several| several * 4 <= size) {
        for _ in 0..several {
            let position = core::iter::repeat_with(|| random.below(size - 1))
                .find(|position| !taken.contains(position));
            let position = position.unwrap_or_default();
            taken.insert(position);
            entries[position as usize].key = several_key(several);
        }
    }
    entries
}

/// Where an entry stands whose key has no other value.
const fn first_single(size: u64) -> u64 {
    size / 3
}

fn several_key(values: u64) -> Key {
    workload::key(u64::MAX - values)
}
