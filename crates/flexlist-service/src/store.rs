//! What must outlive the process: all files of a server in one file, by redb.
//!
//! | table | key | value |
//! |---|---|---|
//! | `state` | `format` | whose file this is |
//! | `files` | file id | the file's number, and how it was begun |
//! | `heads` | file | where the file stands |
//! | `answers` | file | the answer to the update that led to the current version |
//! | `statements` | file | the owner's signed statement about the newest version |
//! | `removed` | file id | the owner who removed the file, and how long that is remembered |
//! | `doomed` | file | that the file was removed, and its blocks go a few at a time |
//! | `blocks` | file, block | tag and data of a block |
//! | `journal` | file, version | the operations that led to that version |
//! | `pieces` | file, piece | a piece of a checkpoint: a part of the sequence of blocks |
//!
//! Numbers of files, blocks, versions and pieces only ever grow, which a copy-on-write tree takes at
//! little more than the bytes written. Every value but the format starts with a digest of its table,
//! key and contents: what another program, a failing disk or a mixed-up copy changed is found when it
//! is read, and the error names the file.
//!
//! All that a request changes is one set of changes in one durable transaction; requests for
//! different files share a transaction if they come while another one is being made durable.
//!
//! **A full disk.** After an error of the medium the engine refuses everything; the store then opens it
//! again, in the same process and on the same open file. A file beside the store holds a reserve of
//! room: when the disk is full it is given up, so that recovery and what makes the store smaller
//! (removals, acknowledgements) have room, and everything else is refused with
//! [`StoreError::CannotWrite`] until the reserve is there again. Near that point commits carry what
//! the engine needs to open quickly, which otherwise means to read the whole store.
//!
//! **Removal** takes effect in one small transaction. The blocks go a few hundred at a time, between
//! other requests. What is free at the end of the file the engine gives back to the file system at each
//! commit; if more than half of the file is free, it is compacted, which nobody can read or write
//! during: at once if little is to be moved, else when the store is opened the next time.

use std::{path::Path, sync::Arc};

#[cfg(test)]
use disk::layer::FileLayer;
use disk::{
    Access,
    engine::{EngineError, Format, SoleDatabase},
};
use flexlist::FileId;
use redb::{ReadTransaction, ReadableTable as _, ReadableTableMetadata as _, WriteTransaction};

mod error;
pub(crate) mod records;
mod shared;
pub(crate) mod snapshot;
pub(crate) mod tables;
mod writer;

pub use error::StoreError;
use records::{FileRecord, Record as _, Removed};
use shared::Shared;
use snapshot::Snapshot;
use tables::{Change, DOOMED, FILES, FORMAT, HEADS, REMOVED, STATE, Tables, engine};
use writer::{Purpose, Writer};

/// Names a file inside a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileKey {
    /// Its number in the keys of the tables.
    pub(crate) number: u64,
    /// Its name, for errors.
    pub(crate) id: FileId,
}

/// All files of a server, in one file of the file system, and a reserve of room beside it.
#[derive(Debug)]
pub struct FileStore {
    // Before the database, so that it has ended when the database closes.
    writer: Writer,
    shared: Arc<Shared>,
}

impl FileStore {
    /// Makes a new, empty store, which its user alone may read. It appears under its path complete or
    /// not at all.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if there is something at the path; [`StoreError`] of the medium.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        SoleDatabase::create(path, &STORE_FORMAT, fill)?;
        Self::open(path)
    }

    /// Opens an existing store, after a crash at its last durable state.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::Foreign`] (also where the file is cut off),
    /// [`StoreError::Exposed`], [`StoreError::InUse`]; [`StoreError`] of the medium.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::new(SoleDatabase::open(path, STORE_FORMAT)?)
    }

    /// The same with folders that fail, for tests.
    #[cfg(test)]
    pub(crate) fn create_in(layer: &Arc<dyn FileLayer>) -> Result<Self, StoreError> {
        SoleDatabase::create_in(layer, "store", &STORE_FORMAT, fill)?;
        Self::open_in(layer)
    }

    #[cfg(test)]
    pub(crate) fn open_in(layer: &Arc<dyn FileLayer>) -> Result<Self, StoreError> {
        Self::new(SoleDatabase::open_in(layer, "store", STORE_FORMAT)?)
    }

    fn new(database: SoleDatabase) -> Result<Self, StoreError> {
        let shared = Arc::new(Shared::new(database));
        Ok(Self {
            writer: Writer::start(Arc::clone(&shared))?,
            shared,
        })
    }

    /// Opens the store at this path, or makes one if there is nothing.
    ///
    /// # Errors
    /// As [`FileStore::open`] and [`FileStore::create`].
    pub fn open_or_create(path: &Path) -> Result<Self, StoreError> {
        match Self::open(path) {
            Err(StoreError::Missing(_)) => Self::create(path),
            result => result,
        }
    }

    /// Where the store is.
    pub fn path(&self) -> &Path {
        self.shared.database.path()
    }

    /// The size of the store in bytes.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    pub fn file_bytes(&self) -> Result<u64, StoreError> {
        Ok(self.shared.database.file_bytes()?)
    }

    /// Sets so many bytes of the disk aside. If they are not to be had, the store takes no changes but
    /// those that make it smaller, until they are.
    pub(crate) fn set_reserve(&self, bytes: u64) {
        self.writer.set_reserve(bytes);
    }

    /// The files, or why one of them cannot be read.
    pub(crate) fn files(&self) -> Result<Vec<FileEntry>, StoreError> {
        let transaction = self.shared.database.begin_read()?;
        let table = transaction.open_table(FILES).map_err(engine)?;
        let mut found = Vec::new();
        for entry in table.iter().map_err(engine)? {
            let (id, value) = entry.map_err(engine)?;
            let id = FileId(*id.value());
            found.push((id, FileRecord::read_entry(id, value.value())));
        }
        Ok(found)
    }

    /// Whether there is a file of this id.
    pub(crate) fn has_file(&self, file: FileId) -> Result<bool, StoreError> {
        let transaction = self.shared.database.begin_read()?;
        let table = transaction.open_table(FILES).map_err(engine)?;
        let value = table.get(&file.0).map_err(engine)?;
        Ok(value.is_some())
    }

    /// How a file was begun, if it was.
    pub(crate) fn file(&self, file: FileId) -> Result<Option<FileRecord>, StoreError> {
        let transaction = self.shared.database.begin_read()?;
        let table = transaction.open_table(FILES).map_err(engine)?;
        let value = table.get(&file.0).map_err(engine)?;
        value
            .map(|value| FileRecord::read_entry(file, value.value()))
            .transpose()
    }

    /// The files that were removed and are remembered; not those of which the record is damaged.
    pub(crate) fn removed(&self) -> Result<Vec<(FileId, Removed)>, StoreError> {
        let transaction = self.shared.database.begin_read()?;
        let table = transaction.open_table(REMOVED).map_err(engine)?;
        let mut found = Vec::new();
        for entry in table.iter().map_err(engine)? {
            let (id, value) = entry.map_err(engine)?;
            let id = FileId(*id.value());
            let removed = Removed::read(FileKey { number: 0, id }, 0, value.value());
            found.extend(removed.ok().map(|removed| (id, removed)));
        }
        Ok(found)
    }

    /// How many removed files have records left.
    pub(crate) fn leftovers(&self) -> Result<u64, StoreError> {
        let transaction = self.shared.database.begin_read()?;
        let table = transaction.open_table(DOOMED).map_err(engine)?;
        table.len().map_err(engine)
    }

    /// A number that no file has, and of which nothing is left.
    pub(crate) fn next_file(&self) -> Result<u64, StoreError> {
        let transaction = self.shared.database.begin_read()?;
        let mut next = 0;
        // Every file has a head, also one whose entry is damaged.
        for table in [HEADS, DOOMED] {
            let table = transaction.open_table(table).map_err(engine)?;
            if let Some((last, _)) = table.last().map_err(engine)? {
                next = next.max(last.value().saturating_add(1));
            }
        }
        Ok(next)
    }

    /// The store as of its last durable transaction, whatever happens to it later.
    pub(crate) fn snapshot(&self) -> Result<Snapshot, StoreError> {
        Snapshot::new(self.shared.database.begin_read()?)
    }

    /// Makes changes, all or nothing; they are durable when this returns.
    ///
    /// # Errors
    /// [`StoreError::CannotWrite`] while there is no room; then, as after other errors, only reading
    /// tells whether they were made.
    pub(crate) fn commit(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        self.writer.commit(changes, Purpose::Growth)
    }

    /// The same for changes that make the store smaller, now or later: they may use the reserve.
    pub(crate) fn relieve(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        self.writer.commit(changes, Purpose::Relief)
    }

    /// Remembers no longer that these files were removed.
    pub(crate) fn forget(&self, files: &[FileId]) -> Result<(), StoreError> {
        let forgotten = |id: &FileId| Change::Forgotten {
            file: FileKey { number: 0, id: *id },
        };
        self.relieve(files.iter().map(forgotten).collect())
    }

    /// Tells the store how much of it is in use, about.
    pub(crate) fn set_live(&self, bytes: u64) {
        self.shared.set_live(bytes);
    }

    /// Gives room back to the file system, if it is worth it and nobody reads.
    pub(crate) fn compact(&self) -> Result<(), StoreError> {
        if self.shared.is_compaction_worth() {
            self.shared.database.compact()?;
        }
        Ok(())
    }

    /// Makes every later commit fail.
    #[cfg(test)]
    pub(crate) fn stop_writing(&self) {
        self.writer.stop();
    }

    /// Makes a store of so many more bytes than twice what is in use worth compacting.
    #[cfg(test)]
    pub(crate) fn set_slack(&self, bytes: u64) {
        self.shared.set_slack(bytes);
    }

    #[cfg(test)]
    pub(crate) fn simulated_disk(&self) -> &disk::engine::SimulatedDisk {
        self.shared.database.simulated_disk()
    }

    /// Lets the engine check every page of a store that nobody has open.
    ///
    /// # Errors
    /// [`StoreError::Engine`] if the structure is not intact; else as [`FileStore::open`].
    pub fn check_structure(path: &Path) -> Result<(), StoreError> {
        Ok(SoleDatabase::check(path, &STORE_FORMAT)?)
    }
}

/// A file of a store, or why it cannot be read.
pub(crate) type FileEntry = (FileId, Result<FileRecord, StoreError>);

/// The store as the engine sees it.
const STORE_FORMAT: Format = Format {
    is_ours,
    access: Access::Private,
    cache_bytes: 256 << 20,
};

/// What a new store has.
fn fill(transaction: &WriteTransaction) -> Result<(), StoreError> {
    let mut state = transaction.open_table(STATE).map_err(engine)?;
    state.insert(FORMAT, FORMAT_VALUE).map_err(engine)?;
    Tables::open(transaction).map(drop)
}

fn is_ours(transaction: &ReadTransaction) -> Result<bool, EngineError> {
    let table = transaction.open_table(STATE).map_err(EngineError::of)?;
    let value = table.get(FORMAT).map_err(EngineError::of)?;
    Ok(value.is_some_and(|value| value.value() == FORMAT_VALUE))
}

const FORMAT_VALUE: &[u8] = b"flexlist-store v1";
