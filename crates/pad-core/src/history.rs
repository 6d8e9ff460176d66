//! The history log: an append-only Merkle tree over the roots of all earlier versions.
//!
//! The tree has the shape of RFC 9162 (Certificate Transparency 2.0), section 2.1: a list of `n`
//! leaves is split at the largest power of two below `n`. Leaf `i` is version `i + 1`:
//! `hash(HistoryLeaf, version ‖ root)`, the version as 8 big-endian bytes. The head of version `v`
//! carries the root over the `v - 1` versions before it, so whoever trusts one head can check any
//! older version ([`InclusionProof`]) and that a newer head rewrote nothing ([`ConsistencyProof`])
//! with `O(log versions)` hashes.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    codec::Message,
    digest::Domain,
    error::VerifyError,
    head::SnapshotHead,
    proof::{Proof, Verified},
    suite::Suite,
    version::Version,
};

/// The root of the log without entries.
pub fn empty_root<S: Suite>() -> S::Digest {
    S::hash(Domain::EmptyHistory, &[])
}

fn leaf<S: Suite>(version: u64, root: &S::Digest) -> S::Digest {
    S::hash(Domain::HistoryLeaf, &[&version.to_be_bytes(), root.as_ref()])
}

fn node<S: Suite>(left: &S::Digest, right: &S::Digest) -> S::Digest {
    S::node(Domain::HistoryNode, left, right)
}

/// The rightmost path of the log: enough to append and to know the root. For authors.
///
/// Space: one digest per set bit of the number of entries. Time: `O(1)` hashes per entry amortized,
/// `O(log entries)` for the root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Frontier<S: Suite> {
    entries: u64,
    /// The roots of the perfect subtrees, largest first.
    peaks: Vec<S::Digest>,
}

impl<S: Suite> Default for Frontier<S> {
    fn default() -> Self {
        Self { entries: 0, peaks: Vec::new() }
    }
}

impl<S: Suite> Frontier<S> {
    /// The number of versions in the log.
    pub const fn entries(&self) -> u64 {
        self.entries
    }

    /// Appends the root of the next version (the first entry is version 1).
    pub fn append(&mut self, root: &S::Digest) {
        let mut digest = leaf::<S>(self.entries + 1, root);
        for _ in 0..self.entries.trailing_ones() {
            if let Some(left) = self.peaks.pop() {
                digest = node::<S>(&left, &digest);
            }
        }
        self.peaks.push(digest);
        self.entries += 1;
    }

    /// The log's root.
    pub fn root(&self) -> S::Digest {
        let mut peaks = self.peaks.iter().rev();
        let Some(last) = peaks.next() else { return empty_root::<S>() };
        peaks.fold(*last, |right, left| node::<S>(left, &right))
    }
}

/// The whole log: proofs for every size it ever had. For servers.
///
/// Space: two digests per version (its root, and one inner node).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct HistoryLog<S: Suite> {
    /// The root of version `i + 1`.
    roots: Vec<S::Digest>,
    /// `levels[l][i]` is the perfect subtree over the leaves `i * 2^(l+1) .. (i+1) * 2^(l+1)`.
    levels: Vec<Vec<S::Digest>>,
}

impl<S: Suite> Default for HistoryLog<S> {
    fn default() -> Self {
        Self { roots: Vec::new(), levels: Vec::new() }
    }
}

impl<S: Suite> HistoryLog<S> {
    /// The number of versions in the log.
    pub fn entries(&self) -> u64 {
        to_u64(self.roots.len())
    }

    /// The root of a version in the log.
    pub fn version_root(&self, version: Version) -> Option<&S::Digest> {
        self.roots.get(to_usize(version.number().checked_sub(1)?)?)
    }

    /// Appends the root of the next version (the first entry is version 1).
    pub fn append(&mut self, root: &S::Digest) {
        self.roots.push(*root);
        let mut index = self.roots.len() - 1;
        let mut level = 0;
        while index & 1 == 1 {
            let (Some(left), Some(right)) =
                (self.perfect(level, index - 1), self.perfect(level, index))
            else {
                return;
            };
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(node::<S>(&left, &right));
            level += 1;
            index >>= 1;
        }
    }

    /// The root of the log as it was with this many entries, or `None` if it has fewer.
    ///
    /// Time: `O(log entries)` hashes.
    pub fn root(&self, entries: u64) -> Option<S::Digest> {
        if entries == 0 { Some(empty_root::<S>()) } else { self.range_root(0, entries) }
    }

    /// The proof that `version` is what the head of version `newer` says it was.
    pub fn prove_inclusion(&self, version: Version, newer: Version) -> Option<InclusionProof<S>> {
        let index = version.number().checked_sub(1)?;
        let entries = newer.number().checked_sub(1)?;
        if index >= entries || entries > self.entries() {
            return None;
        }
        let mut path = Vec::new();
        let (mut start, mut end) = (0, entries);
        while end - start > 1 {
            let split = start + largest_power_of_two_below(end - start);
            if index < split {
                path.push(self.range_root(split, end)?);
                end = split;
            } else {
                path.push(self.range_root(start, split)?);
                start = split;
            }
        }
        path.reverse();
        let root = *self.version_root(version)?;
        Some(InclusionProof { root, path })
    }

    /// The proof that the head of version `newer` continues the one of version `older`.
    pub fn prove_consistency(&self, older: Version, newer: Version) -> Option<ConsistencyProof<S>> {
        let inclusion = self.prove_inclusion(older, newer)?;
        let (first, entries) = (older.number() - 1, newer.number() - 1);
        let mut path = Vec::new();
        if first > 0 {
            let (mut start, mut end, mut whole) = (0, entries, true);
            while end != first || start != 0 {
                if first == end {
                    break;
                }
                let split = start + largest_power_of_two_below(end - start);
                if first <= split {
                    path.push(self.range_root(split, end)?);
                    end = split;
                } else {
                    path.push(self.range_root(start, split)?);
                    start = split;
                    whole = false;
                }
            }
            if !whole {
                path.push(self.range_root(start, end)?);
            }
            path.reverse();
        }
        Some(ConsistencyProof { inclusion: inclusion.path, prefix: path })
    }

    /// The digest of a perfect subtree of `2^level` leaves.
    fn perfect(&self, level: usize, index: usize) -> Option<S::Digest> {
        match level.checked_sub(1) {
            None => Some(leaf::<S>(to_u64(index) + 1, self.roots.get(index)?)),
            Some(stored) => self.levels.get(stored)?.get(index).copied(),
        }
    }

    /// The root over the leaves `start..end`; every range of RFC 9162 decomposes like this.
    fn range_root(&self, start: u64, end: u64) -> Option<S::Digest> {
        let length = end.checked_sub(start)?;
        if length.is_power_of_two() && start % length == 0 {
            let level = length.trailing_zeros();
            return self.perfect(to_usize(level.into())?, to_usize(start >> level)?);
        }
        let split = start + largest_power_of_two_below(length);
        Some(node::<S>(&self.range_root(start, split)?, &self.range_root(split, end)?))
    }
}

/// Evidence for an older version under a newer head.
///
/// Commitment: a newer verified head. Query: the older version. Statement: the older version's
/// root, as [`PastRoot`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct InclusionProof<S: Suite> {
    root: S::Digest,
    path: Vec<S::Digest>,
}

/// The root of an older version, as a newer head vouches for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastRoot<S: Suite> {
    /// The older version.
    pub version: Version,
    /// Its root.
    pub root: S::Digest,
}

impl<S: Suite> Message for InclusionProof<S> {
    const KIND: u8 = 2;
    const SUITE: u16 = S::ID.0;
}

impl<S: Suite> Proof for InclusionProof<S> {
    type Commitment = Verified<SnapshotHead<S>>;
    type Query = Version;
    type Statement = PastRoot<S>;

    fn check(
        self,
        newer: &Verified<SnapshotHead<S>>,
        version: &Version,
    ) -> Result<PastRoot<S>, VerifyError> {
        check_inclusion::<S>(newer.get(), *version, &self.root, &self.path)?;
        Ok(PastRoot { version: *version, root: self.root })
    }
}

/// Evidence that a newer head rewrote nothing.
///
/// Commitment: the older verified head. Query: the newer head, verified by its signature.
/// Statement: the newer head, as a [`Continuation`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ConsistencyProof<S: Suite> {
    /// The path from the older version's leaf to the newer history root.
    inclusion: Vec<S::Digest>,
    /// RFC 9162's consistency proof between the two history roots.
    prefix: Vec<S::Digest>,
}

/// A newer head that contains an older head and everything before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Continuation<S: Suite> {
    /// The older version.
    pub older: Version,
    /// The newer head.
    pub newer: SnapshotHead<S>,
}

impl<S: Suite> Message for ConsistencyProof<S> {
    const KIND: u8 = 3;
    const SUITE: u16 = S::ID.0;
}

impl<S: Suite> Proof for ConsistencyProof<S> {
    type Commitment = Verified<SnapshotHead<S>>;
    type Query = Verified<SnapshotHead<S>>;
    type Statement = Continuation<S>;

    fn check(
        self,
        older: &Verified<SnapshotHead<S>>,
        newer: &Verified<SnapshotHead<S>>,
    ) -> Result<Continuation<S>, VerifyError> {
        let (older, newer) = (older.get(), newer.get());
        if older.dictionary != newer.dictionary {
            return Err(VerifyError::WrongDictionary);
        }
        if older.scheme != newer.scheme {
            let (expected, actual) = (older.scheme.0, newer.scheme.0);
            return Err(VerifyError::WrongScheme { expected, actual });
        }
        if older.version != Version::EMPTY {
            check_inclusion::<S>(newer, older.version, &older.root, &self.inclusion)?;
            check_prefix::<S>(older, newer, &self.prefix)?;
        } else if !self.inclusion.is_empty() || !self.prefix.is_empty() {
            return Err(VerifyError::MalformedHistoryProof);
        }
        Ok(Continuation { older: older.version, newer: *newer })
    }
}

/// RFC 9162, section 2.1.3.2.
fn check_inclusion<S: Suite>(
    newer: &SnapshotHead<S>,
    version: Version,
    root: &S::Digest,
    path: &[S::Digest],
) -> Result<(), VerifyError> {
    let wrong_version = VerifyError::WrongVersion { expected: version, actual: newer.version };
    if version == Version::EMPTY || version >= newer.version {
        return Err(wrong_version);
    }
    let mut position = version.number().saturating_sub(1);
    let mut last = newer.version.number().saturating_sub(2);
    let mut digest = leaf::<S>(version.number(), root);
    for sibling in path {
        if last == 0 {
            return Err(VerifyError::MalformedHistoryProof);
        }
        if position & 1 == 1 || position == last {
            digest = node::<S>(sibling, &digest);
            skip_unpaired(&mut position, &mut last);
        } else {
            digest = node::<S>(&digest, sibling);
        }
        position >>= 1;
        last >>= 1;
    }
    if last != 0 {
        return Err(VerifyError::MalformedHistoryProof);
    }
    if digest == newer.history { Ok(()) } else { Err(VerifyError::HistoryMismatch) }
}

/// RFC 9162, section 2.1.4.2.
fn check_prefix<S: Suite>(
    older: &SnapshotHead<S>,
    newer: &SnapshotHead<S>,
    path: &[S::Digest],
) -> Result<(), VerifyError> {
    let first = older.version.number().saturating_sub(1);
    let second = newer.version.number().saturating_sub(1);
    if first == 0 {
        let empty = older.history == empty_root::<S>();
        return match (path.is_empty(), empty) {
            (false, _) => Err(VerifyError::MalformedHistoryProof),
            (true, false) => Err(VerifyError::HistoryMismatch),
            (true, true) => Ok(()),
        };
    }
    let mut path = path.iter();
    let start = if first.is_power_of_two() { Some(&older.history) } else { path.next() };
    let start = start.ok_or(VerifyError::MalformedHistoryProof)?;
    let (mut position, mut last) = (first.saturating_sub(1), second.saturating_sub(1));
    while position & 1 == 1 {
        position >>= 1;
        last >>= 1;
    }
    let (mut first_root, mut second_root) = (*start, *start);
    for sibling in path {
        if last == 0 {
            return Err(VerifyError::MalformedHistoryProof);
        }
        if position & 1 == 1 || position == last {
            first_root = node::<S>(sibling, &first_root);
            second_root = node::<S>(sibling, &second_root);
            skip_unpaired(&mut position, &mut last);
        } else {
            second_root = node::<S>(&second_root, sibling);
        }
        position >>= 1;
        last >>= 1;
    }
    if last != 0 {
        return Err(VerifyError::MalformedHistoryProof);
    }
    if first_root == older.history && second_root == newer.history {
        Ok(())
    } else {
        Err(VerifyError::HistoryMismatch)
    }
}

/// Climbs the levels at which the rightmost node has no sibling.
fn skip_unpaired(position: &mut u64, last: &mut u64) {
    while *position & 1 == 0 && *position != 0 {
        *position >>= 1;
        *last >>= 1;
    }
}

/// The largest power of two strictly below `length`, which is at least 2.
fn largest_power_of_two_below(length: u64) -> u64 {
    1 << (length - 1).ilog2()
}

fn to_usize(number: u64) -> Option<usize> {
    usize::try_from(number).ok()
}

fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
