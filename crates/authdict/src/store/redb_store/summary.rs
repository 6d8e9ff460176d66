//! The summary row of a store's file. It detects accidental damage of the other tables.

use pad_core::Version;
use redb::{ReadTransaction, ReadableTable, WriteTransaction};
use serde::{Deserialize, Serialize};

use super::tables::{LINKS, NO_UPDATES, Place, SUMMARY, UPDATES, chain, engine};
use crate::store::StoreError;

/// A summary of the contents of all tables after one change (write transaction).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Summary {
    /// The random id of the store. Copies of its file have the same id.
    pub(super) store: [u8; 16],
    /// The number of changes (write transactions) made durable so far.
    pub(super) change: u64,
    /// The version of the last update, and the digest of all updates up to this version.
    pub(super) latest: Link,
    /// The version before the oldest stored update, and the digest of all updates up to this
    /// version.
    pub(super) base: Link,
    /// The summary of the checkpoint, if there is one.
    pub(super) checkpoint: Option<CheckpointSummary>,
}

/// A version, and the digest of all updates up to this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Link {
    pub(super) version: u64,
    pub(super) chain: [u8; 32],
}

impl Link {
    pub(super) const FIRST: Self = Self {
        version: 0,
        chain: NO_UPDATES,
    };

    pub(super) fn next(&self, update: &[u8]) -> Self {
        let version = self.version.saturating_add(1);
        Self {
            version,
            chain: chain(&self.chain, version, update),
        }
    }
}

/// A summary of the stored checkpoint, to check it against the other tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CheckpointSummary {
    /// The version at which the checkpoint was written, and the digest of all updates up to this
    /// version.
    pub(super) version: Link,
    /// The oldest version whose contents the checkpoint contains.
    pub(super) oldest: u64,
    /// The digest of the checkpoint, as computed by the repository that wrote it.
    pub(super) digest: Vec<u8>,
    /// The length of the checkpoint's encoded state in bytes.
    pub(super) bytes: u64,
}

const PLACE: Place<'_> = Place([b"summary", b"", b""]);

impl Summary {
    pub(super) const fn new(store: [u8; 16]) -> Self {
        Self {
            store,
            change: 0,
            latest: Link::FIRST,
            base: Link::FIRST,
            checkpoint: None,
        }
    }

    pub(super) fn read(transaction: &ReadTransaction) -> Result<Self, StoreError> {
        let summary = Self::in_table(&transaction.open_table(SUMMARY).map_err(engine)?)?;
        summary.check(&transaction.open_table(LINKS).map_err(engine)?)?;
        Ok(summary)
    }

    /// Reads the summary at the start of a change. [`Summary::write`] writes it at the end.
    pub(super) fn of(transaction: &WriteTransaction) -> Result<Self, StoreError> {
        let summary = Self::in_table(&transaction.open_table(SUMMARY).map_err(engine)?)?;
        summary.check(&transaction.open_table(LINKS).map_err(engine)?)?;
        Ok(summary)
    }

    pub(super) fn write(&mut self, transaction: &WriteTransaction) -> Result<(), StoreError> {
        self.change = self.change.saturating_add(1);
        let row = PLACE.seal(self);
        let mut table = transaction.open_table(SUMMARY).map_err(engine)?;
        table.insert((), row.as_slice()).map_err(engine)?;
        Ok(())
    }

    fn in_table(table: &impl ReadableTable<(), &'static [u8]>) -> Result<Self, StoreError> {
        let row = table.get(()).map_err(engine)?;
        let row = row.ok_or(StoreError::Damaged("the summary is missing"))?;
        PLACE.unseal(row.value())
    }

    /// Checks that the table `links` agrees with this summary: the number of links, the last link,
    /// and the link of the checkpoint's version. This check takes a few reads. Updates are checked
    /// when they are read.
    fn check(&self, links: &impl LinkTable) -> Result<(), StoreError> {
        let differs = Err(StoreError::Damaged("the updates do not match the summary"));
        let kept = self.latest.version.checked_sub(self.base.version);
        if kept != Some(links.len().map_err(engine)?) {
            return differs;
        }
        match links.last().map_err(engine)? {
            None if self.latest == self.base => {}
            Some((version, chain))
                if version.value() == self.latest.version
                    && *chain.value() == self.latest.chain => {}
            _ => return differs,
        }
        match &self.checkpoint {
            Some(stored) if self.link(links, stored.version.version)? != stored.version => differs,
            _ => Ok(()),
        }
    }

    /// Reads the update that produced a version, and checks it against the links. Returns `None` if
    /// the store does not contain this update, or has dropped it.
    pub(super) fn update(
        &self,
        transaction: &ReadTransaction,
        version: u64,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        if version <= self.base.version || version > self.latest.version {
            return Ok(None);
        }
        let updates = transaction.open_table(UPDATES).map_err(engine)?;
        let links = transaction.open_table(LINKS).map_err(engine)?;
        let mut update = Vec::new();
        let pieces = updates.range((version, 0)..=(version, u32::MAX));
        for piece in pieces.map_err(engine)? {
            update.extend_from_slice(piece.map_err(engine)?.1.value());
        }
        if update.is_empty() {
            return Err(MISSING);
        }
        let before = self.link(&links, version.saturating_sub(1))?;
        if before.next(&update) != self.link(&links, version)? {
            return Err(CHANGED);
        }
        Ok(Some(update))
    }

    /// Returns the [`Link`] of a version, read from `links`. The version must not be before
    /// [`Summary::base`].
    pub(super) fn link(&self, links: &impl LinkTable, version: u64) -> Result<Link, StoreError> {
        if version == self.base.version {
            return Ok(self.base);
        }
        let chain = links.get(version).map_err(engine)?;
        let chain = *chain.ok_or(MISSING)?.value();
        Ok(Link { version, chain })
    }

    pub(super) const fn latest(&self) -> Version {
        Version::new(self.latest.version)
    }
}

/// A readable table that maps each version to the digest of all updates up to this version.
pub(super) trait LinkTable: ReadableTable<u64, &'static [u8; 32]> {}

impl<T: ReadableTable<u64, &'static [u8; 32]>> LinkTable for T {}

const MISSING: StoreError = StoreError::Damaged("an update is missing");
const CHANGED: StoreError = StoreError::Damaged("checksum mismatch in an update");
