//! The roots and proofs of a log of history, wherever the digests of its subtrees are kept.

use alloc::vec::Vec;
use core::ops::Range;

use super::{ConsistencyProof, InclusionProof, PrefixProof, empty_root, leaf, node};
use crate::{error::StoreFault, suite::Suite, version::Version};

/// A log of history, of which the digests of some perfect subtrees are kept; the others are hashed again when they are needed.
pub trait Subtrees<S: Suite> {
    /// The number of versions in the log.
    fn entries(&self) -> u64;

    /// The root of a version in the log; `None` if it is not there.
    ///
    /// # Errors
    /// It cannot be read.
    fn version_root(&self, version: Version) -> Result<Option<S::Digest>, StoreFault>;

    /// The digest of the `index`-th perfect subtree of `2^level` leaves, which the log has; `None` if this one is not kept.
    ///
    /// # Errors
    /// It cannot be read.
    fn kept(&self, level: u32, index: u64) -> Result<Option<S::Digest>, StoreFault>;
}

impl<S: Suite, L: Subtrees<S>> Subtrees<S> for &L {
    fn entries(&self) -> u64 {
        (**self).entries()
    }

    fn version_root(&self, version: Version) -> Result<Option<S::Digest>, StoreFault> {
        (**self).version_root(version)
    }

    fn kept(&self, level: u32, index: u64) -> Result<Option<S::Digest>, StoreFault> {
        (**self).kept(level, index)
    }
}

/// What a log has, `None` if it lacks something, or why it cannot be read.
type Found<T> = Result<Option<T>, StoreFault>;

/// Goes on with what a log has.
macro_rules! found {
    ($read:expr) => {
        match $read? {
            Some(found) => found,
            None => return Ok(None),
        }
    };
}

/// As [`HistoryLog::root`](super::HistoryLog::root).
pub(super) fn root<S: Suite>(log: &impl Subtrees<S>, entries: u64) -> Found<S::Digest> {
    if entries == 0 {
        Ok(Some(empty_root::<S>()))
    } else if entries > log.entries() {
        Ok(None)
    } else {
        range_root(log, 0..entries)
    }
}

/// As [`HistoryLog::prove_inclusion`](super::HistoryLog::prove_inclusion).
pub(crate) fn prove_inclusion<S: Suite>(
    log: &impl Subtrees<S>,
    version: Version,
    newer: Version,
) -> Found<InclusionProof<S>> {
    let path = found!(leaf_path(log, version, newer));
    let root = found!(log.version_root(version));
    Ok(Some(InclusionProof { root, path }))
}

/// As [`HistoryLog::prove_consistency`](super::HistoryLog::prove_consistency).
pub(crate) fn prove_consistency<S: Suite>(
    log: &impl Subtrees<S>,
    older: Version,
    newer: Version,
) -> Found<ConsistencyProof<S>> {
    if older == Version::EMPTY {
        let is_there = newer
            .previous()
            .is_some_and(|last| last.number() <= log.entries());
        return Ok(is_there.then(|| ConsistencyProof {
            inclusion: Vec::new(),
            prefix: Vec::new(),
        }));
    }
    let inclusion = found!(leaf_path(log, older, newer));
    let (first, entries) = (older.number() - 1, newer.number() - 1);
    let prefix = if first == 0 {
        Vec::new()
    } else {
        found!(prefix_path(log, first, entries))
    };
    Ok(Some(ConsistencyProof { inclusion, prefix }))
}

/// As [`HistoryLog::prove_prefix`](super::HistoryLog::prove_prefix).
pub(crate) fn prove_prefix<S: Suite>(
    log: &impl Subtrees<S>,
    version: Version,
    newer: Version,
) -> Found<PrefixProof<S>> {
    let (Some(first), Some(entries)) = (version.previous(), newer.previous()) else {
        return Ok(None);
    };
    let (first, entries) = (first.number(), entries.number());
    if first >= entries || entries > log.entries() {
        return Ok(None);
    }
    let mut path = Vec::new();
    if first > 0 {
        // The one digest that a consistency proof leaves out, because its verifier has it.
        if first.is_power_of_two() {
            path.push(found!(range_root(log, 0..first)));
        }
        path.extend(found!(prefix_path(log, first, entries)));
    }
    Ok(Some(PrefixProof { path }))
}

/// RFC 9162's `PATH`: from the leaf of `version` to the root in the head of `newer`.
fn leaf_path<S: Suite>(
    log: &impl Subtrees<S>,
    version: Version,
    newer: Version,
) -> Found<Vec<S::Digest>> {
    let (Some(index), Some(entries)) = (version.previous(), newer.previous()) else {
        return Ok(None);
    };
    let (index, entries) = (index.number(), entries.number());
    if index >= entries || entries > log.entries() {
        return Ok(None);
    }
    let arrived = |range: &Range<u64>| range.end - range.start == 1;
    let (mut path, _) = found!(descend(log, entries, index, arrived));
    path.reverse();
    Ok(Some(path))
}

/// RFC 9162's `PROOF`: that the first leaves, at least one, are a prefix of `entries` leaves.
fn prefix_path<S: Suite>(
    log: &impl Subtrees<S>,
    first: u64,
    entries: u64,
) -> Found<Vec<S::Digest>> {
    let arrived = |range: &Range<u64>| range.end == first;
    let (mut path, reached) = found!(descend(log, entries, first - 1, arrived));
    if reached.start > 0 {
        path.push(found!(range_root(log, reached)));
    }
    path.reverse();
    Ok(Some(path))
}

/// Goes down towards the leaf `index` until `arrived`: the siblings passed, top first, and
/// the range of leaves that was reached.
fn descend<S: Suite>(
    log: &impl Subtrees<S>,
    entries: u64,
    index: u64,
    arrived: impl Fn(&Range<u64>) -> bool,
) -> Found<(Vec<S::Digest>, Range<u64>)> {
    let (mut path, mut range) = (Vec::new(), 0..entries);
    while !arrived(&range) {
        let (left, right) = split(&range);
        let (next, sibling) = if index < left.end {
            (left, right)
        } else {
            (right, left)
        };
        path.push(found!(range_root(log, sibling)));
        range = next;
    }
    Ok(Some((path, range)))
}

/// The digest of the `index`-th perfect subtree of `2^level` leaves.
pub(super) fn perfect<S: Suite>(
    log: &impl Subtrees<S>,
    level: u32,
    index: u64,
) -> Found<S::Digest> {
    if level == 0 {
        let version = Version::new(index).next();
        let Some(version) = version else {
            return Ok(None);
        };
        let root = found!(log.version_root(version));
        return Ok(Some(leaf::<S>(version.number(), &root)));
    }
    if let Some(digest) = log.kept(level, index)? {
        return Ok(Some(digest));
    }
    let left = found!(perfect(log, level - 1, 2 * index));
    let right = found!(perfect(log, level - 1, 2 * index + 1));
    Ok(Some(node::<S>(&left, &right)))
}

/// The root over a range of leaves, as RFC 9162 splits the log into ranges.
fn range_root<S: Suite>(log: &impl Subtrees<S>, range: Range<u64>) -> Found<S::Digest> {
    let length = range.end - range.start;
    if length.is_power_of_two() {
        let level = length.trailing_zeros();
        return perfect(log, level, range.start >> level);
    }
    let (left, right) = split(&range);
    let left = found!(range_root(log, left));
    Ok(Some(node::<S>(&left, &found!(range_root(log, right)))))
}

/// The two ranges that a range of at least two leaves consists of: the left one has as many
/// leaves as the largest power of two below the length.
fn split(range: &Range<u64>) -> (Range<u64>, Range<u64>) {
    let length = range.end - range.start;
    let middle = range.start + (1 << (length - 1).ilog2());
    (range.start..middle, middle..range.end)
}
