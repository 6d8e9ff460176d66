//! The signed heads of all versions, stored as rows and read on demand.

use core::marker::PhantomData;
use std::collections::BTreeMap;

use pad_core::{
    Authority, Frontier, Heads, LookupError, SignedHead, StoreFault, Suite, Untrusted, Version,
    internals::Subtrees,
};

use super::{
    layout::VersionRow,
    read::version_row,
    rows::{RowOverlay, Rows},
};

/// The signed heads of all versions of a [`StoredTupleRepository`](super::StoredTupleRepository),
/// read from its rows on demand. Only heads in staged rows are in memory.
#[derive(Debug)]
pub struct StoredHeads<'r, S, R> {
    pub(super) rows: &'r R,
    pub(super) staged: &'r BTreeMap<Vec<u8>, Vec<u8>>,
    pub(super) authority: &'r Authority,
    pub(super) latest: Version,
    pub(super) suite: PhantomData<fn() -> S>,
}

impl<S: Suite, R: Rows> StoredHeads<'_, S, R> {
    fn row(&self, version: Version) -> Result<VersionRow<S>, LookupError> {
        self.rows.read(|below| {
            let rows = RowOverlay {
                rows: self.staged,
                below,
            };
            version_row(&rows, self.latest, version)
        })
    }

    /// Returns the row of a version. The version exists, so a missing row is
    /// [`StoreFault::Damaged`].
    fn there(&self, version: Version) -> Result<VersionRow<S>, StoreFault> {
        self.row(version).map_err(|error| match error {
            LookupError::Store(fault) => fault,
            _ => StoreFault::Damaged,
        })
    }

    /// Returns the latest head after verifying the author's signature; `None` if there is no
    /// version.
    pub(super) fn latest_head(&self) -> Result<Option<SignedHead<S>>, StoreFault> {
        if self.latest == Version::EMPTY {
            return Ok(None);
        }
        let signed = self.there(self.latest)?.signed(self.authority, self.latest);
        let verified = Untrusted::new(signed).verify(self.authority, &self.latest);
        verified.map_err(|_| StoreFault::Damaged)?;
        Ok(Some(signed))
    }

    /// Returns the frontier of the history log over all versions, to which the next head commits.
    /// Checked against the signed latest head.
    pub(super) fn frontier(&self) -> Result<Frontier<S>, StoreFault> {
        let Some(latest) = self.latest_head()? else {
            return Ok(Frontier::default());
        };
        let before = self.latest.number().saturating_sub(1);
        let frontier = Frontier::of(self, before)?.ok_or(StoreFault::Damaged)?;
        let mut frontier = Some(frontier)
            .filter(|frontier| frontier.root() == latest.head.history)
            .ok_or(StoreFault::Damaged)?;
        frontier.append(&latest.head.root);
        Ok(frontier)
    }

    /// Verifies that the author signed the head of every version, and that each head continues the
    /// head before it.
    ///
    /// Time: one signature check for each version. Memory: logarithmic in the number of versions.
    ///
    /// # Errors
    /// [`LookupError::Damaged`] with the first version that fails. [`LookupError::Store`] if a row
    /// cannot be read or decoded.
    pub fn check(&self) -> Result<(), LookupError> {
        let mut history = Frontier::<S>::default();
        for version in (1..=self.latest.number()).map(Version::new) {
            let row = self.row(version)?;
            let signed = Untrusted::new(row.signed(self.authority, version));
            let verified = signed.verify(self.authority, &version);
            let continues = row.history == history.root();
            history.append(&row.root);
            if verified.is_err() || !continues || history.last_subtree() != Some(&row.subtree) {
                return Err(LookupError::Damaged { version });
            }
        }
        Ok(())
    }
}

impl<S: Suite, R: Rows> Subtrees<S> for StoredHeads<'_, S, R> {
    fn entries(&self) -> u64 {
        self.latest.number()
    }

    fn version_root(&self, version: Version) -> Result<Option<S::Digest>, StoreFault> {
        if version == Version::EMPTY || version > self.latest {
            return Ok(None);
        }
        Ok(Some(self.there(version)?.root))
    }

    /// Reads the digest of a subtree from the row of the version with which the subtree ends. The
    /// row contains only the largest such subtree. Subtrees with an odd index are not the largest.
    fn kept(&self, level: u32, index: u64) -> Result<Option<S::Digest>, StoreFault> {
        if !index.is_multiple_of(2) {
            return Ok(None);
        }
        let end = index
            .checked_add(1)
            .and_then(|end| end.checked_mul(1_u64.checked_shl(level)?));
        match end.map(Version::new).filter(|end| *end <= self.latest) {
            Some(end) => Ok(Some(self.there(end)?.subtree)),
            None => Ok(None),
        }
    }
}

impl<S: Suite, R: Rows> Heads<S> for StoredHeads<'_, S, R> {
    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        Ok(self.row(version)?.signed(self.authority, version))
    }
}
