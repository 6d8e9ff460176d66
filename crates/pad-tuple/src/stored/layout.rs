//! Layout of the rows and their keys.
//!
//! | key | value |
//! |---|---|
//! | 0 | the dictionary and the state of its rows: [`State`] |
//! | 1 ‖ version (8) | the version's head and epochs: [`VersionRow`] |
//! | 2 ‖ number (8) | a tuple: [`TupleRow`] |
//! | 3 ‖ number (8) | a tuple's record, if the newest record covers all instants |
//! | 3 ‖ number (8) ‖ instant (8) | a tuple's record at an instant, if records are per instant |
//! | 4 ‖ version (8) | the numbers of the tuples that this version deleted |
//! | 16 + generation ‖ instant (8) ‖ lower end | the run's `Piece` that begins at the lower end |
//!
//! Integers in keys are big-endian, so that rows are stored in the order of the integers. Rows of a
//! kind are added in ascending order, with three exceptions. The state is overwritten. Records are
//! overwritten or added in another order. Pruned rows are removed.

use core::ops::Range;

use pad_core::{
    Authority, Digest, HeadSignature, Key, SignedHead, SnapshotHead, StoreFault, Suite, Version,
    codec, internals::SIGNATURE_LENGTH,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    content::SharedContent,
    kept::TupleEntry,
    proof::ShownContent,
    stored::after::KeySuffix,
    tuple::{GenerationIndex, generation_index},
};

/// State of the rows: the dictionary, its versions and its counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) authority: Authority,
    pub(super) latest: Version,
    pub(super) oldest: Version,
    /// The number of the next tuple.
    pub(super) next: u64,
    /// The number of entries of the latest version.
    pub(super) entries: u64,
    /// The number of operations of all versions after the first.
    pub(super) operations: u64,
    /// The number of tuples of each generation, youngest first.
    pub(super) sizes: Vec<u64>,
    /// The epochs of the latest version.
    pub(super) epochs: Vec<u64>,
}

impl State {
    pub(super) fn new(authority: Authority, generations: usize) -> Self {
        Self {
            authority,
            latest: Version::EMPTY,
            oldest: Version::EMPTY,
            next: 0,
            entries: 0,
            operations: 0,
            sizes: vec![0; generations],
            epochs: vec![0; generations.saturating_sub(1)],
        }
    }

    /// Returns the instant on a generation's clock.
    pub(super) fn instant(&self, generation: usize) -> Option<u64> {
        match generation.checked_sub(1) {
            None => Some(self.latest.number()),
            Some(older) => self.epochs.get(older).copied(),
        }
    }
}

/// The head of a version, and the epochs of its generations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct VersionRow<S: Suite> {
    pub(super) root: S::Digest,
    pub(super) history: S::Digest,
    pub(super) signature: Digest<SIGNATURE_LENGTH>,
    /// The largest perfect subtree of the history log that ends with this version.
    pub(super) subtree: S::Digest,
    pub(super) epochs: Vec<u64>,
}

impl<S: Suite> VersionRow<S> {
    pub(super) fn signed(&self, authority: &Authority, version: Version) -> SignedHead<S> {
        let Authority {
            dictionary, scheme, ..
        } = *authority;
        SignedHead {
            head: SnapshotHead {
                scheme,
                dictionary,
                version,
                root: self.root,
                history: self.history,
            },
            signature: HeadSignature::from_bytes(&self.signature.0),
        }
    }
}

/// A stored tuple, which never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TupleRow {
    pub(super) generation: GenerationIndex,
    pub(super) lower: Key,
    pub(super) upper: Option<Key>,
    pub(super) content: ShownContent,
}

impl TupleRow {
    pub(super) fn encode(&self) -> Vec<u8> {
        let lower = self.lower.as_bytes();
        let upper = self.upper.as_ref().map(|upper| KeySuffix::of(lower, upper));
        codec::encode_body(&(self.generation, &self.lower, upper, &self.content))
    }

    /// Decodes the row of a tuple.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if the row is malformed.
    pub(super) fn decode(row: &[u8]) -> Result<Self, StoreFault> {
        let (generation, lower, upper, content) =
            decoded::<(_, Key, Option<KeySuffix>, ShownContent)>(row)?;
        let upper = upper.map(|upper| upper.key(lower.as_bytes())).transpose()?;
        Ok(Self {
            generation,
            lower,
            upper,
            content,
        })
    }

    pub(super) fn tuple<S: Suite>(self) -> TupleEntry<S> {
        TupleEntry {
            content: SharedContent::share(&self.content),
            upper: self.upper,
        }
    }
}

pub(super) const STATE: &[u8] = &[0];

pub(super) fn version_key(version: Version) -> Vec<u8> {
    numbered(1, version.number())
}

pub(super) fn tuple_key(number: u64) -> Vec<u8> {
    numbered(2, number)
}

/// Returns the key of a tuple's record. With an instant, returns the key of the record for that
/// instant.
pub(super) fn record_key(number: u64, instant: Option<u64>) -> Vec<u8> {
    let mut key = numbered(3, number);
    if let Some(instant) = instant {
        key.extend_from_slice(&instant.to_be_bytes());
    }
    key
}

/// Returns the keys of all records of a tuple.
pub(super) fn records_of(number: u64) -> Range<Vec<u8>> {
    numbered(3, number)..numbered(3, number.saturating_add(1))
}

pub(super) fn run_key(generation: usize, instant: u64, lower: &[u8]) -> Vec<u8> {
    let mut key = vec![generation_index(generation).saturating_add(16)];
    key.extend_from_slice(&instant.to_be_bytes());
    key.extend_from_slice(lower);
    key
}

/// Returns the lower end at which a piece of a run begins, from the piece's key.
pub(super) fn piece_start(key: &[u8]) -> Option<&[u8]> {
    key.get(9..)
}

/// Returns the keys of a generation's runs from the instant `from` on, before the instant `to`.
pub(super) fn runs_between(generation: usize, from: u64, to: u64) -> Range<Vec<u8>> {
    run_key(generation, from, &[])..run_key(generation, to, &[])
}

pub(super) fn retired_key(version: Version) -> Vec<u8> {
    numbered(4, version.number())
}

fn numbered(kind: u8, number: u64) -> Vec<u8> {
    let mut key = vec![kind];
    key.extend_from_slice(&number.to_be_bytes());
    key
}

/// Decodes a row.
pub(super) fn decoded<T: Serialize + DeserializeOwned>(row: &[u8]) -> Result<T, StoreFault> {
    codec::decode_body(row).map_err(|_| StoreFault::Damaged)
}
