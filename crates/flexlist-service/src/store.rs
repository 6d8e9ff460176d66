//! Durable storage: all files of a server in one redb database.
//!
//! | table | key | value |
//! |---|---|---|
//! | `state` | `format` | the identifier of the format |
//! | `files` | file id | the file's number, owner and tag parameters |
//! | `heads` | file | the current state of the file: version, root and counters |
//! | `answers` | file | the answer to the update that produced the current version |
//! | `statements` | file | the owner's newest signed statement about a version |
//! | `removed` | file id | the owner of the removed file, and the retention time of this record |
//! | `doomed` | file | marks a removed file whose blocks are still being deleted |
//! | `blocks` | file, block | tag and data of a block |
//! | `journal` | file, version | the operations that produced that version |
//! | `pieces` | file, piece | a piece of a checkpoint: a part of the sequence of blocks |
//!
//! In the keys, `file` is the number of the file. Keys of numbers have 16 bytes: the file, then the
//! other number or any number, both big-endian. Numbers of blocks, versions and pieces only
//! increase. A new file gets a number above the numbers of all stored files. Inserts at the end of
//! a copy-on-write tree cost little more than the bytes written.
//!
//! Every value except the format starts with a digest of its table, key and contents. Reads detect
//! changes by another program, a failing disk or a mixed-up backup, and the error names the file.
//!
//! All changes of a request are committed in one durable transaction. Requests for different files
//! share a transaction if they arrive while another transaction is being made durable.
//!
//! **Full disk.** After an error of the medium, the engine refuses all operations. The store then
//! reopens the database, in the same process and on the same open file. A file next to the store
//! reserves disk space. When the disk is full, the reserve is released for recovery and for changes
//! that shrink the store (removals, acknowledgements). All other changes are refused with
//! [`StoreError::CannotWrite`] until the reserve is refilled. When little space is left, commits
//! include data with which the engine reopens quickly. Without this data, it reads the whole store
//! to reopen.
//!
//! **Removal** takes effect in one small transaction. The blocks are deleted a few hundred at a
//! time, between other requests. At each commit, the engine returns free space at the end of the
//! file to the file system. If the file exceeds twice the bytes in use by more than 64 MiB, it is
//! compacted, which blocks all reads and writes. A store with little data is compacted while it
//! serves, others when they are next opened.

use std::{path::Path, sync::Arc};

use flexlist::FileId;
use pad_disk::{
    Access,
    engine::{EngineError, Format, Place, SoleDatabase},
};
use redb::{ReadTransaction, ReadableTable as _, ReadableTableMetadata as _, WriteTransaction};

mod error;
pub(crate) mod records;
mod shared;
pub(crate) mod snapshot;
pub(crate) mod tables;
mod writer;

pub use error::StoreError;
use records::{FileRecord, Record, RemovalRecord};
use shared::DatabaseHandle;
use snapshot::Snapshot;
use tables::{Change, FORMAT, STATE, Table, Tables, engine, numbers};
use writer::{Purpose, Writer};

/// The key of a file inside a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileKey {
    /// The number that stands for the file in the keys of the tables.
    pub(crate) number: u64,
    /// The identifier of the file, for errors.
    pub(crate) id: FileId,
}

/// A durable store for all files of a server: one database file, and a disk space reserve next to
/// it.
#[derive(Debug)]
pub(crate) struct FileStore {
    // Declared before `shared`, so that the thread has ended when the database closes.
    writer: Writer,
    shared: Arc<DatabaseHandle>,
}

impl FileStore {
    /// Opens an existing store. After a crash, it contains the last durable state. `reserve` is the
    /// size of the disk space reserve in bytes; `None` leaves the reserve as it is. While it cannot
    /// be filled, the store accepts only changes that make it smaller.
    pub(crate) fn open(place: impl Into<Place>, reserve: Option<u64>) -> Result<Self, StoreError> {
        let database = SoleDatabase::open(place, STORE_FORMAT)?;
        let shared = Arc::new(DatabaseHandle::new(database));
        Ok(Self {
            writer: Writer::start(Arc::clone(&shared), reserve)?,
            shared,
        })
    }

    /// Opens the store at `place`, or creates one if nothing exists there. A new store appears
    /// atomically, and only the user of this process may read it.
    pub(crate) fn open_or_create(place: Place, reserve: Option<u64>) -> Result<Self, StoreError> {
        match Self::open(place.clone(), reserve) {
            Err(StoreError::Missing(_)) => {}
            result => return result,
        }
        SoleDatabase::create(place.clone(), &STORE_FORMAT, fill)?;
        Self::open(place, reserve)
    }

    /// Returns the path of the store's database file.
    pub(crate) fn path(&self) -> &Path {
        self.shared.database.path()
    }

    /// Returns the size of the store's database file in bytes.
    #[cfg(test)]
    pub(crate) fn file_bytes(&self) -> Result<u64, StoreError> {
        Ok(self.shared.database.file_bytes()?)
    }

    /// Returns all files of the store. A file with a damaged entry comes with its error instead of
    /// its record.
    pub(crate) fn files(&self) -> Result<Vec<FileEntry>, StoreError> {
        self.entries()
    }

    /// Returns all records of a table by files.
    fn entries<R: Record>(&self) -> Result<Vec<FileEntry<R>>, StoreError> {
        let transaction = self.shared.database.begin_read()?;
        let table = transaction.open_table(R::TABLE.definition());
        let table = table.map_err(engine)?;
        let mut found = Vec::new();
        for entry in table.iter().map_err(engine)? {
            let (id, value) = entry.map_err(engine)?;
            let id = FileId(id.value().first_chunk().copied().unwrap_or_default());
            found.push((id, R::read_entry(id, value.value())));
        }
        Ok(found)
    }

    /// Reports whether the store contains a file with this identifier.
    pub(crate) fn has_file(&self, file: FileId) -> Result<bool, StoreError> {
        Ok(self.entry(file, |_| Ok(()))?.is_some())
    }

    /// Returns the immutable properties of a file (number, owner and tag parameters), or `None` if
    /// there is no such file.
    pub(crate) fn file(&self, file: FileId) -> Result<Option<FileRecord>, StoreError> {
        self.entry(file, |value| FileRecord::read_entry(file, value))
    }

    /// Returns what `read` returns for the entry of a file, or `None` if there is no such file.
    fn entry<T>(
        &self,
        file: FileId,
        read: impl FnOnce(&[u8]) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let transaction = self.shared.database.begin_read()?;
        let table = transaction.open_table(Table::Files.definition());
        let table = table.map_err(engine)?;
        let value = table.get(file.0.as_slice()).map_err(engine)?;
        value.map(|value| read(value.value())).transpose()
    }

    /// Returns the identifiers of removed files, with the records of their removals. Skips damaged
    /// records.
    pub(crate) fn removed(&self) -> Result<Vec<(FileId, RemovalRecord)>, StoreError> {
        let entries = self.entries()?.into_iter();
        Ok(entries
            .filter_map(|(id, removed)| Some((id, removed.ok()?)))
            .collect())
    }

    /// Returns the number of removed files whose blocks are not all deleted yet.
    pub(crate) fn leftovers(&self) -> Result<u64, StoreError> {
        let transaction = self.shared.database.begin_read()?;
        let table = transaction.open_table(Table::Doomed.definition());
        table.map_err(engine)?.len().map_err(engine)
    }

    /// Returns a number for a new file. No stored file has it, nor a removed file with records
    /// left.
    pub(crate) fn next_file(&self) -> Result<u64, StoreError> {
        let transaction = self.shared.database.begin_read()?;
        let mut next = 0;
        // Every file has a head, even if its entry is damaged.
        for table in [Table::Heads, Table::Doomed] {
            let table = transaction.open_table(table.definition());
            if let Some((last, _)) = table.map_err(engine)?.last().map_err(engine)? {
                let [number, _] = numbers(last.value());
                next = next.max(number.saturating_add(1));
            }
        }
        Ok(next)
    }

    /// Returns a snapshot of the last durable transaction. Later changes do not affect it.
    pub(crate) fn snapshot(&self) -> Result<Snapshot, StoreError> {
        Snapshot::new(self.shared.database.begin_read()?)
    }

    /// Commits changes atomically. They are durable when this function returns.
    ///
    /// # Errors
    /// [`StoreError::CannotWrite`] while there is no disk space. After any error, the changes may
    /// or may not have been made; a read finds out.
    pub(crate) fn commit(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        self.writer.commit(changes, Purpose::Growth)
    }

    /// Like [`FileStore::commit`], for changes that make the store smaller, now or later. They may
    /// use the disk space reserve.
    pub(crate) fn relieve(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        self.writer.commit(changes, Purpose::Relief)
    }

    /// Deletes the records of these files' removals.
    pub(crate) fn forget(&self, files: &[FileId]) -> Result<(), StoreError> {
        let forgotten = |id: &FileId| Change::Remove {
            table: Table::Removed,
            file: FileKey { number: 0, id: *id },
            number: 0,
        };
        self.relieve(files.iter().map(forgotten).collect())
    }

    /// Sets the approximate number of bytes in use by files, by which compaction is decided.
    pub(crate) fn set_live(&self, bytes: u64) {
        self.shared.set_live(bytes);
    }

    /// Compacts the database, if that is worthwhile and no reader is active.
    pub(crate) fn compact(&self) -> Result<(), StoreError> {
        if self.shared.is_compaction_worth() {
            self.shared.database.compact()?;
        }
        Ok(())
    }

    /// Makes every later commit fail, for tests.
    #[cfg(test)]
    pub(crate) fn stop_writing(&self) {
        self.writer.stop();
    }

    /// Sets the slack: the bytes by which the file may exceed twice the bytes in use without
    /// compaction.
    #[cfg(test)]
    pub(crate) fn set_slack(&self, bytes: u64) {
        self.shared.set_slack(bytes);
    }

    /// Checks every page of a store that no process has open, with the engine's checksums.
    pub(crate) fn check_structure(place: impl Into<Place>) -> Result<(), StoreError> {
        Ok(SoleDatabase::check(place, &STORE_FORMAT)?)
    }
}

/// A file of a store: its identifier, and its record or the error of its damaged entry.
pub(crate) type FileEntry<R = FileRecord> = (FileId, Result<R, StoreError>);

/// The parameters of the storage engine for a store.
const STORE_FORMAT: Format = Format {
    is_ours,
    access: Access::Private,
    cache_bytes: 256 << 20,
};

/// Writes the initial contents of a new store in its first transaction.
fn fill(transaction: &WriteTransaction) -> Result<(), StoreError> {
    let mut state = transaction.open_table(STATE).map_err(engine)?;
    state.insert(FORMAT, FORMAT_VALUE).map_err(engine)?;
    Tables(transaction).create()
}

fn is_ours(transaction: &ReadTransaction) -> Result<bool, EngineError> {
    let table = transaction.open_table(STATE).map_err(EngineError::of)?;
    let value = table.get(FORMAT).map_err(EngineError::of)?;
    Ok(value.is_some_and(|value| value.value() == FORMAT_VALUE))
}

const FORMAT_VALUE: &[u8] = b"flexlist-store v2";
