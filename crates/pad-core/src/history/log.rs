//! The log itself: what an author ([`Frontier`]) and a server ([`HistoryLog`]) keep of it.

use alloc::vec::Vec;
use core::ops::Range;

use serde::{Deserialize, Serialize};

use super::{ConsistencyProof, InclusionProof, PrefixProof, empty_root, leaf, node};
use crate::{suite::Suite, version::Version};

/// The rightmost path of the log: enough to append and to know the root. For authors.
///
/// Space: one digest per set bit of the number of entries. Time: `O(1)` hashes per entry amortized,
/// `O(log entries)` for the root.
///
/// ```
/// use pad_core::{Sha256Ed25519, Suite, history::{Frontier, HistoryLog}};
///
/// let mut frontier = Frontier::<Sha256Ed25519>::default();
/// let mut log = HistoryLog::<Sha256Ed25519>::default();
/// for contents in [b"one", b"two", b"six"] {
///     frontier.append(&Sha256Ed25519::value(contents));
///     log.append(&Sha256Ed25519::value(contents));
/// }
/// assert_eq!(log.root(3), Some(frontier.root()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "", try_from = "UncheckedFrontier<S>")]
pub struct Frontier<S: Suite> {
    entries: u64,
    /// The roots of the perfect subtrees, largest first.
    peaks: Vec<S::Digest>,
}

impl<S: Suite> Default for Frontier<S> {
    fn default() -> Self {
        Self {
            entries: 0,
            peaks: Vec::new(),
        }
    }
}

impl<S: Suite> Frontier<S> {
    /// Appends the root of the next version (the first entry is version 1).
    ///
    /// # Panics
    /// After 2^64 - 1 entries.
    pub fn append(&mut self, root: &S::Digest) {
        let version = self.entries + 1;
        let mut digest = leaf::<S>(version, root);
        for _ in 0..self.entries.trailing_ones() {
            if let Some(left) = self.peaks.pop() {
                digest = node::<S>(&left, &digest);
            }
        }
        self.peaks.push(digest);
        self.entries = version;
    }

    /// The number of versions in the log.
    pub const fn entries(&self) -> u64 {
        self.entries
    }

    /// The log's root.
    pub fn root(&self) -> S::Digest {
        let mut peaks = self.peaks.iter().rev();
        let Some(last) = peaks.next() else {
            return empty_root::<S>();
        };
        peaks.fold(*last, |right, left| node::<S>(left, &right))
    }
}

/// The whole log: proofs for every size it ever had. For servers.
///
/// Space: nine digests for eight versions (their roots, and one inner node); what is not stored is
/// hashed again when it is needed.
///
/// ```
/// use pad_core::{Sha256Ed25519, Suite, Version, history::HistoryLog};
///
/// let mut log = HistoryLog::<Sha256Ed25519>::default();
/// (1..=3).for_each(|_| log.append(&Sha256Ed25519::empty_tree()));
/// // The head of version 4 vouches for versions 1 to 3, and not for itself.
/// assert!(log.prove_inclusion(Version::new(3), Version::new(4)).is_some());
/// assert!(log.prove_inclusion(Version::new(4), Version::new(4)).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "", try_from = "UncheckedLog<S>")]
pub struct HistoryLog<S: Suite> {
    /// The root of version `i + 1`.
    roots: Vec<S::Digest>,
    /// `levels[l][i]` is the `i`-th perfect subtree of `2^(l + LOWEST_STORED)` leaves.
    levels: Vec<Vec<S::Digest>>,
}

/// Perfect subtrees of fewer than `2^LOWEST_STORED` leaves are not stored. Storing all would take
/// another digest for each version, which is a tenth of what the leanest repository needs in all.
const LOWEST_STORED: usize = 3;

impl<S: Suite> Default for HistoryLog<S> {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            levels: Vec::new(),
        }
    }
}

impl<S: Suite> HistoryLog<S> {
    /// Appends the root of the next version (the first entry is version 1).
    pub fn append(&mut self, root: &S::Digest) {
        self.roots.push(*root);
        let mut level = LOWEST_STORED;
        let entries = self.roots.len();
        while entries.is_multiple_of(1 << level) {
            let Some(digest) = self.combine(level, (entries >> level) - 1) else {
                return;
            };
            let stored = level - LOWEST_STORED;
            if self.levels.len() == stored {
                self.levels.push(Vec::new());
            }
            self.levels[stored].push(digest);
            level += 1;
        }
    }

    /// The number of versions in the log.
    pub fn entries(&self) -> u64 {
        to_u64(self.roots.len())
    }

    /// The bytes of memory that the log's digests take, without spare capacity.
    pub fn memory_bytes(&self) -> usize {
        let inner: usize = self.levels.iter().map(Vec::len).sum();
        (self.roots.len() + inner) * size_of::<S::Digest>()
    }

    /// The root of a version in the log.
    pub fn version_root(&self, version: Version) -> Option<&S::Digest> {
        self.roots.get(to_usize(version.number().checked_sub(1)?)?)
    }

    /// The root of the log as it was with this many entries, or `None` if it has fewer.
    ///
    /// Time: `O(log entries)` hashes.
    pub fn root(&self, entries: u64) -> Option<S::Digest> {
        if entries == 0 {
            Some(empty_root::<S>())
        } else {
            self.range_root(0..entries)
        }
    }

    /// The proof that `version` is what the head of version `newer` says it was.
    ///
    /// `None` unless `version` is at least 1 and below `newer`, and the log knows all before
    /// `newer`.
    pub fn prove_inclusion(&self, version: Version, newer: Version) -> Option<InclusionProof<S>> {
        let root = *self.version_root(version)?;
        Some(InclusionProof {
            root,
            path: self.leaf_path(version, newer)?,
        })
    }

    /// The proof that the head of version `newer` continues the one of version `older`.
    ///
    /// `None` unless `older` is below `newer`, and the log knows all before `newer`. Every head
    /// continues version 0, and the proof of that is empty.
    pub fn prove_consistency(&self, older: Version, newer: Version) -> Option<ConsistencyProof<S>> {
        if older == Version::EMPTY {
            self.root(newer.number().checked_sub(1)?)?;
            return Some(ConsistencyProof {
                inclusion: Vec::new(),
                prefix: Vec::new(),
            });
        }
        let inclusion = self.leaf_path(older, newer)?;
        let (first, entries) = (older.number() - 1, newer.number() - 1);
        let prefix = if first == 0 {
            Vec::new()
        } else {
            self.prefix_path(first, entries)?
        };
        Some(ConsistencyProof { inclusion, prefix })
    }

    /// The proof of what the head of version `newer` says the history of `version` was.
    ///
    /// `None` unless `version` is at least 1 and below `newer`, and the log knows all before
    /// `newer`.
    pub fn prove_prefix(&self, version: Version, newer: Version) -> Option<PrefixProof<S>> {
        let (first, entries) = (
            version.number().checked_sub(1)?,
            newer.number().checked_sub(1)?,
        );
        if first >= entries || entries > self.entries() {
            return None;
        }
        let mut path = Vec::new();
        if first > 0 {
            // The one digest that a consistency proof leaves out, because its verifier has it.
            if first.is_power_of_two() {
                path.push(self.range_root(0..first)?);
            }
            path.extend(self.prefix_path(first, entries)?);
        }
        Some(PrefixProof { path })
    }

    /// RFC 9162's `PATH`: from the leaf of `version` to the root in the head of `newer`.
    fn leaf_path(&self, version: Version, newer: Version) -> Option<Vec<S::Digest>> {
        let index = version.number().checked_sub(1)?;
        let entries = newer.number().checked_sub(1)?;
        if index >= entries || entries > self.entries() {
            return None;
        }
        let (mut path, _) = self.descend(entries, index, |range| range.end - range.start == 1)?;
        path.reverse();
        Some(path)
    }

    /// RFC 9162's `PROOF`: that the first leaves, at least one, are a prefix of `entries` leaves.
    fn prefix_path(&self, first: u64, entries: u64) -> Option<Vec<S::Digest>> {
        let (mut path, reached) = self.descend(entries, first - 1, |range| range.end == first)?;
        if reached.start > 0 {
            path.push(self.range_root(reached)?);
        }
        path.reverse();
        Some(path)
    }

    /// Goes down towards the leaf `index` until `arrived`: the siblings passed, top first, and
    /// the range of leaves that was reached.
    fn descend(
        &self,
        entries: u64,
        index: u64,
        arrived: impl Fn(&Range<u64>) -> bool,
    ) -> Option<(Vec<S::Digest>, Range<u64>)> {
        let (mut path, mut range) = (Vec::new(), 0..entries);
        while !arrived(&range) {
            let (left, right) = split(&range);
            let (next, sibling) = if index < left.end {
                (left, right)
            } else {
                (right, left)
            };
            path.push(self.range_root(sibling)?);
            range = next;
        }
        Some((path, range))
    }

    /// The digest of the `index`-th perfect subtree of `2^level` leaves.
    fn perfect(&self, level: usize, index: usize) -> Option<S::Digest> {
        match level.checked_sub(LOWEST_STORED) {
            Some(stored) => self.levels.get(stored)?.get(index).copied(),
            None if level == 0 => Some(leaf::<S>(to_u64(index) + 1, self.roots.get(index)?)),
            None => self.combine(level, index),
        }
    }

    /// The same from the two perfect subtrees below it.
    fn combine(&self, level: usize, index: usize) -> Option<S::Digest> {
        let left = self.perfect(level - 1, 2 * index)?;
        Some(node::<S>(&left, &self.perfect(level - 1, 2 * index + 1)?))
    }

    /// The root over a range of leaves, as RFC 9162 splits the log into ranges.
    fn range_root(&self, range: Range<u64>) -> Option<S::Digest> {
        let length = range.end - range.start;
        if length.is_power_of_two() {
            let level = length.trailing_zeros();
            return self.perfect(to_usize(level.into())?, to_usize(range.start >> level)?);
        }
        let (left, right) = split(&range);
        Some(node::<S>(&self.range_root(left)?, &self.range_root(right)?))
    }
}

/// A frontier as it is stored.
#[derive(Deserialize)]
#[serde(bound = "")]
struct UncheckedFrontier<S: Suite> {
    entries: u64,
    peaks: Vec<S::Digest>,
}

impl<S: Suite> TryFrom<UncheckedFrontier<S>> for Frontier<S> {
    type Error = &'static str;

    fn try_from(stored: UncheckedFrontier<S>) -> Result<Self, &'static str> {
        let UncheckedFrontier { entries, peaks } = stored;
        let fits = to_usize(entries.count_ones().into()) == Some(peaks.len());
        if fits {
            Ok(Self { entries, peaks })
        } else {
            Err("frontier: a peak per set bit")
        }
    }
}

/// A log as it is stored.
#[derive(Deserialize)]
#[serde(bound = "")]
struct UncheckedLog<S: Suite> {
    roots: Vec<S::Digest>,
    levels: Vec<Vec<S::Digest>>,
}

impl<S: Suite> TryFrom<UncheckedLog<S>> for HistoryLog<S> {
    type Error = &'static str;

    fn try_from(stored: UncheckedLog<S>) -> Result<Self, &'static str> {
        let UncheckedLog { roots, levels } = stored;
        let expected = core::iter::successors(Some(roots.len() >> LOWEST_STORED), |length| {
            Some(length / 2)
        });
        let fits = levels
            .iter()
            .map(Vec::len)
            .eq(expected.take_while(|length| *length > 0));
        if fits {
            Ok(Self { roots, levels })
        } else {
            Err(
                "history log: an eighth as many digests as roots, and half as many on each further level",
            )
        }
    }
}

/// The two ranges that a range of at least two leaves consists of: the left one has as many
/// leaves as the largest power of two below the length.
fn split(range: &Range<u64>) -> (Range<u64>, Range<u64>) {
    let length = range.end - range.start;
    let middle = range.start + (1 << (length - 1).ilog2());
    (range.start..middle, middle..range.end)
}

fn to_usize(number: u64) -> Option<usize> {
    usize::try_from(number).ok()
}

fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
