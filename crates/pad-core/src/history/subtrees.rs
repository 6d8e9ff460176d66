//! Roots and proofs of a history log, for any storage of its subtrees' digests.

use alloc::vec::Vec;
use core::ops::Range;

use super::{ConsistencyProof, InclusionProof, PrefixProof, empty_root, leaf, node};
use crate::{error::StoreFault, merkle, suite::Suite, version::Version};

/// A history log that stores the digests of some subtrees, and recomputes the other digests on
/// demand.
pub trait Subtrees<S: Suite> {
    /// The number of versions whose roots the log contains.
    fn entries(&self) -> u64;

    /// The root of a version's contents; `None` if the log does not contain the version.
    ///
    /// # Errors
    /// [`StoreFault`] if the root cannot be read.
    fn version_root(&self, version: Version) -> Result<Option<S::Digest>, StoreFault>;

    /// The digest of the `index`-th perfect subtree of `2^level` leaves; `None` if the log does not
    /// store it. The caller ensures that all leaves of the subtree are in the log.
    ///
    /// # Errors
    /// [`StoreFault`] if the digest cannot be read.
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

/// Error returned when a digest of the log is unavailable: the fault of the store, or `None` if the
/// log is too short.
pub(crate) type MissingDigest = Option<StoreFault>;

/// Like [`HistoryLog::root`](super::HistoryLog::root), for any storage.
pub(super) fn root<S: Suite>(
    log: &impl Subtrees<S>,
    entries: u64,
) -> Result<S::Digest, MissingDigest> {
    if entries > log.entries() {
        return Err(None);
    }
    range_root(log, 0..entries)
}

/// Like [`HistoryLog::prove_inclusion`](super::HistoryLog::prove_inclusion), for any storage.
pub(crate) fn prove_inclusion<S: Suite>(
    log: &impl Subtrees<S>,
    version: Version,
    newer: Version,
) -> Result<InclusionProof<S>, MissingDigest> {
    let (index, entries) = places(log, version, newer)?;
    let path = digests(log, merkle::inclusion(index, entries))?;
    let root = version_root(log, version)?;
    Ok(InclusionProof { root, path })
}

/// Like [`HistoryLog::prove_consistency`](super::HistoryLog::prove_consistency), for any storage.
pub(crate) fn prove_consistency<S: Suite>(
    log: &impl Subtrees<S>,
    older: Version,
    newer: Version,
) -> Result<ConsistencyProof<S>, MissingDigest> {
    if older == Version::EMPTY {
        let last = newer.previous().ok_or(None)?;
        let [inclusion, prefix] = [const { Vec::new() }; 2];
        let is_there = last.number() <= log.entries();
        return is_there
            .then_some(ConsistencyProof { inclusion, prefix })
            .ok_or(None);
    }
    let (first, entries) = places(log, older, newer)?;
    Ok(ConsistencyProof {
        inclusion: digests(log, merkle::inclusion(first, entries))?,
        prefix: digests(log, merkle::consistency(first, entries))?,
    })
}

/// Like [`HistoryLog::prove_prefix`](super::HistoryLog::prove_prefix), for any storage.
pub(crate) fn prove_prefix<S: Suite>(
    log: &impl Subtrees<S>,
    version: Version,
    newer: Version,
) -> Result<PrefixProof<S>, MissingDigest> {
    let (first, entries) = places(log, version, newer)?;
    let mut ranges = merkle::consistency(first, entries);
    // A consistency proof omits this digest, because its verifier has it.
    if first.is_power_of_two() {
        ranges.insert(0, 0..first);
    }
    let path = digests(log, ranges)?;
    Ok(PrefixProof { path })
}

/// Returns the leaf index of `version`, and the number of leaves of the log under the head of
/// `newer`. The error is `None` unless that log contains `version`.
fn places<S: Suite>(
    log: &impl Subtrees<S>,
    version: Version,
    newer: Version,
) -> Result<(u64, u64), MissingDigest> {
    let [index, entries] = [version, newer].map(|version| version.previous().map(Version::number));
    let (index, entries) = index.zip(entries).ok_or(None)?;
    if index >= entries || entries > log.entries() {
        return Err(None);
    }
    Ok((index, entries))
}

fn digests<S: Suite>(
    log: &impl Subtrees<S>,
    ranges: Vec<Range<u64>>,
) -> Result<Vec<S::Digest>, MissingDigest> {
    let digests = ranges.into_iter().map(|range| range_root(log, range));
    digests.collect()
}

fn range_root<S: Suite>(
    log: &impl Subtrees<S>,
    range: Range<u64>,
) -> Result<S::Digest, MissingDigest> {
    let root = merkle::root(node::<S>, range, |place| perfect(log, place))?;
    Ok(root.unwrap_or_else(empty_root::<S>))
}

/// Returns the digest of the `index`-th perfect subtree of `2^level` leaves: the stored one, or one
/// hashed from smaller subtrees.
pub(super) fn perfect<S: Suite>(
    log: &impl Subtrees<S>,
    (level, index): (u32, u64),
) -> Result<S::Digest, MissingDigest> {
    if level == 0 {
        let version = Version::new(index).next().ok_or(None)?;
        let root = version_root(log, version)?;
        return Ok(leaf::<S>(version.number(), &root));
    }
    if let Some(digest) = log.kept(level, index).map_err(Some)? {
        return Ok(digest);
    }
    let left = perfect(log, (level - 1, 2 * index))?;
    let right = perfect(log, (level - 1, 2 * index + 1))?;
    Ok(node::<S>(&left, &right))
}

fn version_root<S: Suite>(
    log: &impl Subtrees<S>,
    version: Version,
) -> Result<S::Digest, MissingDigest> {
    log.version_root(version).map_err(Some)?.ok_or(None)
}
