//! Two representations of the history log: an author's [`Frontier`] and a server's [`HistoryLog`].

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{
    ConsistencyProof, InclusionProof, PrefixProof, empty_root, leaf, node,
    subtrees::{self, Subtrees},
};
use crate::{error::StoreFault, merkle, suite::Suite, version::Version};

/// The digests on the rightmost path of the history log. An author needs no more to append entries
/// and compute the root.
///
/// Space: one digest per set bit of the number of entries. Time: `O(1)` hashes per entry amortized,
/// `O(log entries)` for the root.
///
/// ```
/// use pad_core::{Frontier, HistoryLog, Sha256Ed25519, Suite};
///
/// let mut frontier = Frontier::<Sha256Ed25519>::default();
/// let mut log = HistoryLog::<Sha256Ed25519>::default();
/// for contents in [b"one", b"two", b"six"] {
///     frontier.append(&Sha256Ed25519::value(contents));
///     log.append(&Sha256Ed25519::value(contents));
/// }
/// assert_eq!(log.root(3), Some(frontier.root()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "", try_from = "UncheckedFrontier<S>")]
pub struct Frontier<S: Suite> {
    entries: u64,
    /// The roots of the perfect subtrees that the log consists of, largest first.
    peaks: Vec<S::Digest>,
}

impl<S: Suite> Frontier<S> {
    /// Appends the root of the next version's contents. The first entry is version 1.
    ///
    /// # Panics
    /// After 2^64 - 1 entries.
    pub fn append(&mut self, root: &S::Digest) {
        let version = self.entries + 1;
        let leaf = leaf::<S>(version, root);
        merkle::append(node::<S>, &mut self.peaks, self.entries, leaf);
        self.entries = version;
    }

    /// The frontier of the first `entries` entries of `log`; `None` if the log has fewer.
    ///
    /// Time: one lookup of a subtree for each set bit of `entries`.
    ///
    /// # Errors
    /// The log's error if a digest cannot be read.
    pub fn of(log: &impl Subtrees<S>, entries: u64) -> Result<Option<Self>, StoreFault> {
        if entries > log.entries() {
            return Ok(None);
        }
        let peaks = merkle::complete(0..entries).map(|place| subtrees::perfect(log, place));
        match peaks.collect() {
            Ok(peaks) => Ok(Some(Self { entries, peaks })),
            Err(None) => Ok(None),
            Err(Some(fault)) => Err(fault),
        }
    }

    /// The digest of the largest perfect subtree whose last leaf is the last entry; `None` if the
    /// log is empty.
    pub fn last_subtree(&self) -> Option<&S::Digest> {
        self.peaks.last()
    }

    /// The number of versions whose roots the log contains.
    pub const fn entries(&self) -> u64 {
        self.entries
    }

    /// The root of the log over all appended versions.
    pub fn root(&self) -> S::Digest {
        merkle::join(node::<S>, &self.peaks).unwrap_or_else(empty_root::<S>)
    }
}

/// The whole history log, for servers. It can produce proofs for the log at every earlier size.
///
/// Space: at most ten digests for eight versions (their roots, and two inner nodes). Other nodes
/// are hashed again on demand.
///
/// ```
/// use pad_core::{HistoryLog, Sha256Ed25519, Suite, Version};
///
/// let mut log = HistoryLog::<Sha256Ed25519>::default();
/// (1..=3).for_each(|_| log.append(&Sha256Ed25519::empty_tree()));
/// // The head of version 4 commits to versions 1 to 3, but not to its own version.
/// assert!(log.prove_inclusion(Version::new(3), Version::new(4)).is_some());
/// assert!(log.prove_inclusion(Version::new(4), Version::new(4)).is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "", try_from = "UncheckedLog<S>")]
pub struct HistoryLog<S: Suite> {
    /// `roots[i]` is the root of version `i + 1`.
    roots: Vec<S::Digest>,
    /// `levels[l][i]` is the digest of the `i`-th perfect subtree of `2^(l + LOWEST_STORED)`
    /// leaves.
    levels: Vec<Vec<S::Digest>>,
}

/// The height of the smallest stored subtrees: `2^LOWEST_STORED` leaves.
///
/// Storing the subtrees of two and four leaves too would cost 3/4 of a digest for each version.
/// This is nearly a tenth of the total space of the smallest repository.
const LOWEST_STORED: usize = 3;
const LOWEST_LEVEL: u32 = 3;

impl<S: Suite> HistoryLog<S> {
    /// Appends the root of the next version's contents. The first entry is version 1.
    pub fn append(&mut self, root: &S::Digest) {
        self.roots.push(*root);
        let entries = self.entries();
        for (level, stored) in (LOWEST_LEVEL..entries.trailing_zeros().saturating_add(1)).zip(0..) {
            let digest = subtrees::perfect(self, (level, (entries >> level) - 1));
            // Reads from memory cannot fail.
            let Ok(digest) = digest else {
                return;
            };
            if self.levels.len() == stored {
                self.levels.push(Vec::new());
            }
            self.levels[stored].push(digest);
        }
    }

    /// The number of versions whose roots the log contains.
    pub fn entries(&self) -> u64 {
        to_u64(self.roots.len())
    }

    /// The memory, in bytes, of the log's digests, without spare capacity.
    pub fn memory_bytes(&self) -> usize {
        let inner: usize = self.levels.iter().map(Vec::len).sum();
        (self.roots.len() + inner) * size_of::<S::Digest>()
    }

    /// The root of a version's contents; `None` if the log does not contain the version.
    pub fn version_root(&self, version: Version) -> Option<&S::Digest> {
        self.roots.get(to_usize(version.number().checked_sub(1)?)?)
    }

    /// The root over the first `entries` entries; `None` if the log has fewer.
    ///
    /// Time: `O(log entries)` hashes.
    pub fn root(&self, entries: u64) -> Option<S::Digest> {
        subtrees::root(self, entries).ok()
    }

    /// Proves that the history log under the head of version `newer` contains the root of
    /// `version`.
    ///
    /// `None` unless `version` is at least 1 and below `newer`, and the log contains all versions
    /// before `newer`.
    pub fn prove_inclusion(&self, version: Version, newer: Version) -> Option<InclusionProof<S>> {
        subtrees::prove_inclusion(self, version, newer).ok()
    }

    /// Proves that the head of version `newer` continues the head of version `older`.
    ///
    /// `None` unless `older` is below `newer`, and the log contains all versions before `newer`.
    /// Every head continues version 0 with an empty proof.
    pub fn prove_consistency(&self, older: Version, newer: Version) -> Option<ConsistencyProof<S>> {
        subtrees::prove_consistency(self, older, newer).ok()
    }

    /// Proves the history root of `version` (over all versions before it) under the head of version
    /// `newer`.
    ///
    /// `None` unless `version` is at least 1 and below `newer`, and the log contains all versions
    /// before `newer`.
    pub fn prove_prefix(&self, version: Version, newer: Version) -> Option<PrefixProof<S>> {
        subtrees::prove_prefix(self, version, newer).ok()
    }

    fn kept(&self, level: u32, index: u64) -> Option<S::Digest> {
        let level = to_usize(level.into())?.checked_sub(LOWEST_STORED)?;
        self.levels.get(level)?.get(to_usize(index)?).copied()
    }
}

impl<S: Suite> Subtrees<S> for HistoryLog<S> {
    fn entries(&self) -> u64 {
        self.entries()
    }

    fn version_root(&self, version: Version) -> Result<Option<S::Digest>, StoreFault> {
        Ok(self.version_root(version).copied())
    }

    fn kept(&self, level: u32, index: u64) -> Result<Option<S::Digest>, StoreFault> {
        Ok(self.kept(level, index))
    }
}

/// A deserialized frontier, before the check of its number of digests.
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

/// A deserialized log, before the check of its inner digests.
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
        // Inner digests are recomputed: an author that loads false digests would sign a false
        // history.
        let mut log = Self::default();
        for root in &roots {
            log.append(root);
        }
        if log.levels == levels {
            Ok(log)
        } else {
            Err("history log: digests that do not follow from its roots")
        }
    }
}

fn to_usize(number: u64) -> Option<usize> {
    usize::try_from(number).ok()
}

fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
