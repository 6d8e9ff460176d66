//! The heads of all versions, read from the log one by one.

use core::marker::PhantomData;

use pad_core::{
    Authority, Frontier, Heads, LookupError, SignedHead, StoreFault, Suite, Untrusted, Version,
    internals::Subtrees,
};

use super::head::{LOWEST_KEPT, StoredHead, keeps_subtree};
use crate::stored::log::NodeLog;

/// The heads of all versions in a log, read on demand.
#[derive(Debug)]
pub struct StoredHeads<'l, S, L> {
    log: &'l L,
    authority: &'l Authority,
    suite: PhantomData<fn() -> S>,
}

impl<'l, S: Suite, L: NodeLog> StoredHeads<'l, S, L> {
    pub(super) const fn new(log: &'l L, authority: &'l Authority) -> Self {
        Self {
            log,
            authority,
            suite: PhantomData,
        }
    }

    /// Reads the record of a version, at least version 1, from the log.
    pub(super) fn record(&self, version: Version) -> Result<StoredHead<S>, StoreFault> {
        StoredHead::read(version, &self.log.record(version)?)
    }

    /// Reads the record of the latest version and verifies the signature; `None` if there is no
    /// version.
    pub(super) fn latest(&self) -> Result<Option<StoredHead<S>>, StoreFault> {
        let version = self.log.latest();
        if version == Version::EMPTY {
            return Ok(None);
        }
        let stored = self.record(version)?;
        let signed = Untrusted::new(stored.signed(self.authority, version));
        let verified = signed.verify(self.authority, &version);
        verified.map_err(|_| StoreFault::Damaged)?;
        Ok(Some(stored))
    }

    /// The oldest version whose contents were not pruned.
    ///
    /// Time: reads one record if nothing was pruned, else a binary search over the records of all
    /// versions.
    pub(super) fn oldest(&self) -> Result<Version, StoreFault> {
        // Contents of versions from `kept` on are present, contents of versions before `pruned` are
        // not.
        let (mut pruned, mut kept) = (1, self.log.latest().number());
        if kept == 0 {
            return Ok(Version::EMPTY);
        }
        let first = self.record(Version::new(1))?;
        if first.contents.is_some() && !first.is_oldest {
            return Ok(Version::EMPTY);
        }
        while pruned < kept {
            let middle = pruned.midpoint(kept);
            if self.record(Version::new(middle))?.contents.is_some() {
                kept = middle;
            } else {
                pruned = middle + 1;
            }
        }
        let oldest = self.record(Version::new(kept))?;
        if oldest.contents.is_some() && oldest.is_oldest {
            Ok(Version::new(kept))
        } else {
            Err(StoreFault::Damaged)
        }
    }

    /// Verifies the heads of all versions: the author has signed each head, and each continues the
    /// head before it.
    ///
    /// Time: one signature check for each version. Memory: a constant.
    ///
    /// # Errors
    /// [`LookupError::Damaged`] with the first invalid version. [`LookupError::Store`] if a record
    /// cannot be read.
    pub fn check(&self) -> Result<(), LookupError> {
        let mut history = Frontier::<S>::default();
        for version in (1..=self.entries()).map(Version::new) {
            let damaged = LookupError::Damaged { version };
            let stored = self.record(version)?;
            let signed = Untrusted::new(stored.signed(self.authority, version));
            let verified = signed.verify(self.authority, &version);
            if verified.is_err() || stored.history != history.root() {
                return Err(damaged);
            }
            history.append(&stored.root);
            if stored.subtree.as_ref() != kept_of(&history, version) {
                return Err(damaged);
            }
        }
        Ok(())
    }

    /// The frontier of the history log over all versions, which the next head commits to. Checked
    /// against the latest signed head.
    pub(super) fn frontier(
        &self,
        latest: Option<&StoredHead<S>>,
    ) -> Result<Frontier<S>, StoreFault> {
        let Some(latest) = latest else {
            return Ok(Frontier::default());
        };
        let before = self.entries().saturating_sub(1);
        let frontier = Frontier::of(self, before)?.ok_or(StoreFault::Damaged)?;
        let mut frontier = Some(frontier)
            .filter(|frontier| frontier.root() == latest.history)
            .ok_or(StoreFault::Damaged)?;
        frontier.append(&latest.root);
        Ok(frontier)
    }
}

/// The digest that the record of `version` contains, in addition to the roots: that of the largest
/// perfect subtree of `history` that ends with `version`. `None` unless [`keeps_subtree`] holds.
pub(super) fn kept_of<S: Suite>(history: &Frontier<S>, version: Version) -> Option<&S::Digest> {
    history.last_subtree().filter(|_| keeps_subtree(version))
}

impl<S: Suite, L: NodeLog> Subtrees<S> for StoredHeads<'_, S, L> {
    fn entries(&self) -> u64 {
        self.log.latest().number()
    }

    fn version_root(&self, version: Version) -> Result<Option<S::Digest>, StoreFault> {
        if version == Version::EMPTY || version > self.log.latest() {
            return Ok(None);
        }
        Ok(Some(self.record(version)?.root))
    }

    /// A version's record contains only the largest subtree that ends with the version. Subtrees
    /// with an odd index are not the largest, so their digests are not stored.
    fn kept(&self, level: u32, index: u64) -> Result<Option<S::Digest>, StoreFault> {
        if level < LOWEST_KEPT || !index.is_multiple_of(2) {
            return Ok(None);
        }
        let end = index.checked_add(1).and_then(|end| end.checked_shl(level));
        let version = end.map(Version::new);
        match version.filter(|version| keeps_subtree(*version) && *version <= self.log.latest()) {
            Some(version) => Ok(self.record(version)?.subtree),
            None => Ok(None),
        }
    }
}

impl<S: Suite, L: NodeLog> Heads<S> for StoredHeads<'_, S, L> {
    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.require(version)?;
        if version == Version::EMPTY {
            let latest = self.log.latest();
            return Err(LookupError::UnknownVersion { version, latest });
        }
        Ok(self.record(version)?.signed(self.authority, version))
    }
}
