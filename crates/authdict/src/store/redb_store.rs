//! A store in one file, based on redb: copy-on-write trees, two-phase durable commits, one writer
//! and any number of readers.
//!
//! | table | key | value |
//! |---|---|---|
//! | `summary` | nothing | a summary of the other tables, as of one change |
//! | `records` | group, name | value; group `format` identifies the file format |
//! | `groups` | group | the number of its records, and their digest |
//! | `updates` | version, piece | the update that produced it, or only the latest version's row |
//! | `links` | version | a digest of all updates up to this version |
//! | `checkpoint` | 0, 1, .. | the checkpoint's bytes, in pieces |
//!
//! Keys of large tables are only ever added at the end. A copy-on-write tree stores such rows with
//! little write amplification.
//!
//! The engine checks its pages only on request, and before a process first writes. Such a check
//! reads all pages. Therefore digests cover all rows, and the summary row authenticates the other
//! tables against accidents. A small file next to the store, `<store>.newest`, records the last
//! acknowledged state. A flipped bit, a stale page or a mixture of two states of the file is
//! detected on access, so damaged data is neither returned nor signed. Exceptions: a read of a
//! range of names does not detect a missing record, and reads do not detect a damaged checkpoint.

use std::{io, path::Path};

use pad_core::Version;
use pad_disk::{
    Access, Register,
    engine::{EngineError, Format, SharedDatabase},
};
use redb::{ReadTransaction, ReadableTable, WriteTransaction};

use super::{Record, RecordChange, Store, StoreError, StoredCheckpoint};

mod groups;
mod newest;
mod summary;
mod tables;

use summary::{CheckpointSummary, Link, Summary};
use tables::{CHECKPOINT, LINKS, UPDATES, engine};

/// A store in one file, with a record of its last acknowledged state in a second file next to it.
#[derive(Debug)]
pub struct RedbStore {
    database: SharedDatabase,
    /// The file `<store>.newest` with the last acknowledged state. It is open while this process is
    /// the writer.
    newest: Option<Register>,
}

impl RedbStore {
    /// Creates a store with the records `records` and no versions. The file appears at its path
    /// complete or not at all.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if a file exists at `path`; [`StoreError`] of the medium.
    pub fn create(path: &Path, records: &[RecordChange]) -> Result<Self, StoreError> {
        let mut id = [0; 16];
        getrandom::fill(&mut id).map_err(|error| io::Error::other(error.to_string()))?;
        let mut summary = Summary::new(id);
        SharedDatabase::create(path, &STORE_FORMAT, |transaction| {
            transaction.open_table(UPDATES).map_err(engine)?;
            transaction.open_table(LINKS).map_err(engine)?;
            transaction.open_table(CHECKPOINT).map_err(engine)?;
            let format = RecordChange::put(FORMAT_GROUP, "", FORMAT);
            groups::write(transaction, Version::EMPTY, &[format])?;
            groups::write(transaction, Version::EMPTY, records)?;
            summary.write(transaction)
        })?;
        if matches!(newest::known(path), Err(StoreError::Damaged(_))) {
            // The unreadable file `<store>.newest` is left over from an earlier store at this path.
            std::fs::remove_file(newest::path(path)?)?;
        }
        newest::prepare(path, &summary)?;
        Self::open(path)
    }

    /// Opens an existing store. After a crash, this is its last durable state.
    ///
    /// The store is opened for reading. The first change opens it for writing, and blocks other
    /// writers until this value is dropped. Unless a crash has to be repaired, opening reads only a
    /// few rows, regardless of the store's size.
    ///
    /// # Errors
    /// - [`StoreError::Missing`], or [`StoreError::Foreign`] (also if the file is truncated)
    /// - [`StoreError::InUse`], or [`StoreError::Interrupted`] if this process lacks the permission
    ///   to repair the store
    /// - [`StoreError::Damaged`] if the store's parts contradict each other
    /// - [`StoreError::Older`] if the store is behind its last acknowledged state
    /// - [`StoreError`] of the medium
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let store = Self {
            database: SharedDatabase::open(path, STORE_FORMAT)?,
            newest: None,
        };
        // The register is read before the store. A concurrent change can then only make the store
        // newer than the register.
        store.check_newest()?;
        Ok(store)
    }

    /// Returns the path of the store.
    pub fn path(&self) -> &Path {
        self.database.path()
    }

    /// Returns the size of the store's file in bytes.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    pub fn file_bytes(&self) -> Result<u64, StoreError> {
        Ok(self.path().metadata()?.len())
    }

    fn check_newest(&self) -> Result<(), StoreError> {
        let known = newest::known(self.path())?;
        let summary = self.database.read(Summary::read)?;
        newest::check(self.path(), known.as_ref(), &summary)
    }

    /// Runs `work` in a write transaction, and makes its changes durable. Then records the
    /// resulting state as acknowledged.
    fn change(
        &mut self,
        work: impl FnOnce(&WriteTransaction, &mut Summary) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (path, newest) = (self.database.path(), &mut self.newest);
        let changed = self.database.write(|transaction| {
            let mut summary = Summary::of(transaction)?;
            if newest.is_none() {
                // This process has just become the writer, so it compares the store with the
                // register first.
                newest::check(path, newest::known(path)?.as_ref(), &summary)?;
                *newest = Some(newest::prepare(path, &summary)?);
            }
            work(transaction, &mut summary)?;
            summary.write(transaction)?;
            Ok(summary)
        });
        let acknowledged = changed.and_then(|summary| match newest {
            Some(register) => newest::write(register, &summary),
            None => Ok(()),
        });
        if acknowledged.is_err() {
            self.newest = None;
        }
        acknowledged
    }
}

impl Store for RedbStore {
    fn id(&self) -> Result<[u8; 16], StoreError> {
        Ok(self.database.read(Summary::read)?.store)
    }

    fn latest(&self) -> Result<Version, StoreError> {
        Ok(self.database.read(Summary::read)?.latest())
    }

    fn publish(
        &mut self,
        first: Version,
        updates: &[Vec<u8>],
        records: &[RecordChange],
    ) -> Result<(), StoreError> {
        self.change(|transaction, summary| {
            if !updates.is_empty() {
                append(transaction, summary, first, updates)?;
            }
            groups::write(transaction, summary.latest(), records)
        })
    }

    fn update(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError> {
        self.database.read(|transaction| {
            let summary = Summary::read(transaction)?;
            summary.update(transaction, version.number())
        })
    }

    fn publish_row(
        &mut self,
        before: Version,
        latest: Version,
        row: &[u8],
        records: &[RecordChange],
    ) -> Result<(), StoreError> {
        self.change(|transaction, summary| {
            replace_row(transaction, summary, (before, latest), row)?;
            groups::write(transaction, summary.latest(), records)
        })
    }

    fn put_checkpoint(&mut self, checkpoint: &StoredCheckpoint) -> Result<(), StoreError> {
        self.change(|transaction, summary| replace_checkpoint(transaction, summary, checkpoint))
    }

    fn checkpoint(&self) -> Result<Option<StoredCheckpoint>, StoreError> {
        self.database.read(|transaction| {
            let Some(stored) = Summary::read(transaction)?.checkpoint else {
                return Ok(None);
            };
            let table = transaction.open_table(CHECKPOINT).map_err(engine)?;
            let mut bytes = Vec::new();
            for piece in table.iter().map_err(engine)? {
                bytes.extend_from_slice(piece.map_err(engine)?.1.value());
            }
            Ok(Some(StoredCheckpoint {
                version: Version::new(stored.version.version),
                oldest: Version::new(stored.oldest),
                digest: stored.digest,
                bytes,
            }))
        })
    }

    fn records(&self, group: &'static str) -> Result<Vec<Record>, StoreError> {
        self.database
            .read(|transaction| groups::records(transaction, group))
    }

    fn records_between(
        &self,
        group: &'static str,
        first: &[u8],
        last: &[u8],
    ) -> Result<Vec<Record>, StoreError> {
        self.database
            .read(|transaction| groups::between(transaction, group, (first, last)))
    }

    fn record_count(&self, group: &'static str) -> Result<u64, StoreError> {
        self.database
            .read(|transaction| groups::count(transaction, group))
    }

    fn pin(&self) -> Result<(), StoreError> {
        Ok(self.database.pin()?)
    }

    fn unpin(&self) {
        self.database.unpin();
    }

    fn compact(&mut self) -> Result<(), StoreError> {
        self.database.compact()?;
        Ok(())
    }

    fn check(&mut self) -> Result<(), StoreError> {
        self.database.check()?;
        self.check_newest()?;
        self.database.read(|transaction| {
            let summary = Summary::read(transaction)?;
            for version in summary.base.version..summary.latest.version {
                summary.update(transaction, version.saturating_add(1))?;
            }
            for group in groups::names(transaction)? {
                groups::records(transaction, &group)?;
            }
            Ok(())
        })
    }

    fn file(&self) -> Option<&Self> {
        Some(self)
    }
}

/// Settings for opening the file with the storage engine: how a store is recognised, its
/// permissions, and the cache size.
const STORE_FORMAT: Format = Format {
    is_ours,
    access: Access::Usual,
    cache_bytes: Format::USUAL_CACHE_BYTES,
};

fn is_ours(transaction: &ReadTransaction) -> Result<bool, EngineError> {
    match groups::records(transaction, FORMAT_GROUP) {
        Err(StoreError::Io(error)) => Err(EngineError::Io(error)),
        found => Ok(found.is_ok_and(|found| found == [(Vec::new(), FORMAT.to_vec())])),
    }
}

fn append(
    transaction: &WriteTransaction,
    summary: &mut Summary,
    first: Version,
    updates: &[Vec<u8>],
) -> Result<(), StoreError> {
    let expected = Version::new(summary.latest.version.saturating_add(1));
    if first != expected {
        return Err(StoreError::Gap {
            expected,
            actual: first,
        });
    }
    let mut table = transaction.open_table(UPDATES).map_err(engine)?;
    let mut links = transaction.open_table(LINKS).map_err(engine)?;
    for update in updates {
        summary.latest = summary.latest.next(update);
        let (version, chain) = (summary.latest.version, &summary.latest.chain);
        let mut is_new = links.insert(version, chain).map_err(engine)?.is_none();
        for (piece, number) in update.chunks(UPDATE_PIECE_BYTES).zip(0_u32..) {
            let before = table.insert((version, number), piece);
            is_new &= before.map_err(engine)?.is_none();
        }
        if !is_new {
            // The error aborts this transaction, so nothing is written.
            return Err(StoreError::Damaged("an update would be overwritten"));
        }
    }
    Ok(())
}

/// Replaces all stored updates or rows by `row`, the row of version `latest`. `before` must be the
/// store's latest version. The digest chain over updates continues with this row.
fn replace_row(
    transaction: &WriteTransaction,
    summary: &mut Summary,
    (before, latest): (Version, Version),
    row: &[u8],
) -> Result<(), StoreError> {
    let stored = summary.latest();
    let base = latest.previous().filter(|_| before <= latest);
    let Some(base) = base.filter(|_| stored == before) else {
        return Err(StoreError::Gap {
            expected: stored,
            actual: before,
        });
    };
    summary.base = Link {
        version: base.number(),
        chain: summary.latest.chain,
    };
    summary.latest = summary.base.next(row);
    let mut updates = transaction.open_table(UPDATES).map_err(engine)?;
    let mut links = transaction.open_table(LINKS).map_err(engine)?;
    updates.retain(|_, _| false).map_err(engine)?;
    links.retain(|_, _| false).map_err(engine)?;
    let (version, chain) = (summary.latest.version, &summary.latest.chain);
    updates.insert((version, 0), row).map_err(engine)?;
    links.insert(version, chain).map_err(engine)?;
    Ok(())
}

fn replace_checkpoint(
    transaction: &WriteTransaction,
    summary: &mut Summary,
    checkpoint: &StoredCheckpoint,
) -> Result<(), StoreError> {
    let (version, oldest) = (checkpoint.version.number(), checkpoint.oldest.number());
    let mut updates = transaction.open_table(UPDATES).map_err(engine)?;
    let mut links = transaction.open_table(LINKS).map_err(engine)?;
    let stored = summary.checkpoint.as_ref();
    if stored.is_some_and(|stored| stored.version.version > version) {
        return Err(StoreError::Superseded);
    }
    if oldest < summary.base.version {
        // Another process has pruned in the meantime. The dropped versions must not be restored.
        return Err(StoreError::Superseded);
    }
    if version > summary.latest.version || oldest > version {
        return Err(StoreError::Damaged(
            "the checkpoint is ahead of the updates",
        ));
    }
    summary.checkpoint = Some(CheckpointSummary {
        version: summary.link(&links, version)?,
        oldest,
        digest: checkpoint.digest.clone(),
        bytes: u64::try_from(checkpoint.bytes.len()).unwrap_or(u64::MAX),
    });
    if oldest > summary.base.version {
        summary.base = summary.link(&links, oldest)?;
        updates
            .retain_in(..=(oldest, u32::MAX), |_, _| false)
            .map_err(engine)?;
        links.retain_in(..=oldest, |_, _| false).map_err(engine)?;
    }
    transaction.delete_table(CHECKPOINT).map_err(engine)?;
    let mut table = transaction.open_table(CHECKPOINT).map_err(engine)?;
    for (piece, number) in checkpoint.bytes.chunks(PIECE_BYTES).zip(0_u64..) {
        table.insert(number, piece).map_err(engine)?;
    }
    Ok(())
}

const FORMAT_GROUP: &str = "format";
const FORMAT: &[u8] = b"pad-store v3";
/// The maximum length, in bytes, of a piece of a stored checkpoint. It is a little less than a
/// power of two, so that a piece and its header fit into a page of that size.
const PIECE_BYTES: usize = (1 << 20) - 4096;
const UPDATE_PIECE_BYTES: usize = (1 << 16) - 4096;
