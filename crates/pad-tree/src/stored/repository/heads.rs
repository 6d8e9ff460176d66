//! The heads of all versions, read from the log one by one.

use core::marker::PhantomData;

use pad_core::{
    Heads, LookupError, SignedHead, StoreFault, Suite, Untrusted, Version,
    head::Authority,
    history::{Frontier, Subtrees},
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

impl<S, L> Clone for StoredHeads<'_, S, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, L> Copy for StoredHeads<'_, S, L> {}

impl<'l, S: Suite, L: NodeLog> StoredHeads<'l, S, L> {
    pub(super) const fn new(log: &'l L, authority: &'l Authority) -> Self {
        Self {
            log,
            authority,
            suite: PhantomData,
        }
    }

    /// The record of a version of the log, from version 1 on.
    pub(super) fn record(&self, version: Version) -> Result<StoredHead<S>, StoreFault> {
        StoredHead::read(version, &self.log.record(version)?)
    }

    /// The record of the latest version, with a verified signature; `None` if there is no version.
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

    /// The oldest version whose contents are kept.
    ///
    /// Time: one record if nothing was pruned, else one for each halving of the number of versions.
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

    /// Verifies the heads of all versions: each is signed by the author and continues the one
    /// before.
    ///
    /// Time: a signature for each version. Memory: a constant.
    ///
    /// # Errors
    /// [`LookupError::Damaged`] with the first invalid version; [`LookupError::Store`].
    pub(super) fn check(&self) -> Result<(), LookupError> {
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

    /// The history that the next head commits to, checked against the latest signed head.
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

/// The subtree for the record of `version`, which is the last version of `history`.
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

    /// A stored subtree. A version's record contains the largest subtree that ends at the version.
    /// Only subtrees with an even index are the largest.
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
