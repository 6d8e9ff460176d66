//! What must outlive the process: all files of a server in one file, by redb.
//!
//! | table | key | value |
//! |---|---|---|
//! | `state` | `format` | whose file this is |
//! | `files` | file id | the file's number, and how it was begun |
//! | `heads` | file | where the file stands |
//! | `answers` | file | the answer to the update that led to the current version |
//! | `statements` | file | what the owner signed of the newest version that he vouches for |
//! | `removed` | file id | who removed the file, and how long that is remembered |
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

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use core::cell::Cell;
use std::{
    fs::{File, OpenOptions},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
};

use disk::{Access, Draft};
use flexlist::FileId;
use redb::{
    Builder, Database, DatabaseError, ReadableDatabase as _, ReadableTable as _,
    ReadableTableMetadata as _, StorageError,
};

pub(crate) mod backend;
mod error;
pub(crate) mod records;
mod reserve;
mod shared;
#[cfg(test)]
mod simulation;
pub(crate) mod snapshot;
pub(crate) mod tables;
mod writer;

use backend::{Backend, Health};
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
pub struct Store {
    // Before the database, so that it has ended when the database closes.
    writer: Writer,
    shared: Arc<Shared>,
}

impl Store {
    /// Makes a new, empty store, which its user alone may read. It appears under its path complete or
    /// not at all.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if there is something at the path; [`StoreError`] of the medium.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let exists = || StoreError::Exists(path.to_path_buf());
        if path.symlink_metadata().is_ok() {
            return Err(exists());
        }
        let draft = Draft::new(path, Access::Private)?;
        let database = Builder::new()
            .create_file(draft.file().try_clone()?)
            .map_err(engine)?;
        let mut transaction = database.begin_write().map_err(engine)?;
        transaction.set_two_phase_commit(true);
        {
            let mut state = transaction.open_table(STATE).map_err(engine)?;
            state.insert(FORMAT, FORMAT_VALUE).map_err(engine)?;
        }
        Tables::open(&transaction)?;
        transaction.commit().map_err(engine)?;
        drop(database);
        draft.keep_new().map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(),
            _ => error.into(),
        })?;
        Self::open(path)
    }

    /// Opens an existing store, after a crash at its last durable state.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::Foreign`] (also where the file is cut off),
    /// [`StoreError::Exposed`], [`StoreError::InUse`]; [`StoreError`] of the medium.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let shared = Arc::new(Shared::open(path)?);
        Ok(Self {
            writer: Writer::start(Arc::clone(&shared))?,
            shared,
        })
    }

    /// Opens the store at this path, or makes one if there is nothing.
    ///
    /// # Errors
    /// As [`Store::open`] and [`Store::create`].
    pub fn open_or_create(path: &Path) -> Result<Self, StoreError> {
        match Self::open(path) {
            Err(StoreError::Missing(_)) => Self::create(path),
            result => result,
        }
    }

    /// Where the store is.
    pub fn path(&self) -> &Path {
        self.shared.path()
    }

    /// The size of the store in bytes.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    pub fn file_bytes(&self) -> Result<u64, StoreError> {
        Ok(self.path().metadata()?.len())
    }

    /// Sets so many bytes of the disk aside. If they are not to be had, the store takes no changes but
    /// those that make it smaller, until they are.
    pub(crate) fn set_reserve(&self, bytes: u64) {
        self.writer.set_reserve(bytes);
    }

    /// The files, or why one of them cannot be read.
    pub(crate) fn files(&self) -> Result<Vec<FileEntry>, StoreError> {
        let transaction = self.shared.begin_read()?;
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
        let transaction = self.shared.begin_read()?;
        let table = transaction.open_table(FILES).map_err(engine)?;
        let value = table.get(&file.0).map_err(engine)?;
        Ok(value.is_some())
    }

    /// How a file was begun, if it was.
    pub(crate) fn file(&self, file: FileId) -> Result<Option<FileRecord>, StoreError> {
        let transaction = self.shared.begin_read()?;
        let table = transaction.open_table(FILES).map_err(engine)?;
        let value = table.get(&file.0).map_err(engine)?;
        value
            .map(|value| FileRecord::read_entry(file, value.value()))
            .transpose()
    }

    /// The files that were removed and are remembered; not those of which the record is damaged.
    pub(crate) fn removed(&self) -> Result<Vec<(FileId, Removed)>, StoreError> {
        let transaction = self.shared.begin_read()?;
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
        let transaction = self.shared.begin_read()?;
        let table = transaction.open_table(DOOMED).map_err(engine)?;
        table.len().map_err(engine)
    }

    /// A number that no file has, and of which nothing is left.
    pub(crate) fn next_file(&self) -> Result<u64, StoreError> {
        let transaction = self.shared.begin_read()?;
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
        Snapshot::new(self.shared.begin_read()?)
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
            self.shared.compact()?;
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
    pub(crate) fn health(&self) -> &Health {
        self.shared.health()
    }

    /// Lets the engine check every page of a store that nobody has open.
    ///
    /// # Errors
    /// [`StoreError::Engine`] if the structure is not intact; else as [`Store::open`].
    pub fn check_structure(path: &Path) -> Result<(), StoreError> {
        let file = open_file(path)?;
        let mut database = open_database(&file, path, &Arc::default())?;
        match guarded(|| database.check_integrity()) {
            Some(Ok(true)) => Ok(()),
            Some(Err(DatabaseError::Storage(StorageError::Io(error)))) => Err(error.into()),
            _ => Err(StoreError::Engine(
                "the structure of its pages is not intact: restore the store from a copy".into(),
            )),
        }
    }
}

/// A file of a store, or why it cannot be read.
pub(crate) type FileEntry = (FileId, Result<FileRecord, StoreError>);

/// The file of a store that is there.
fn open_file(path: &Path) -> Result<File, StoreError> {
    let foreign = || StoreError::Foreign(path.to_path_buf());
    let metadata = match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(StoreError::Missing(path.to_path_buf()));
        }
        metadata => metadata?,
    };
    if !metadata.is_file() {
        return Err(foreign());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o027 != 0 {
            let path = path.to_path_buf();
            return Err(StoreError::Exposed { path, mode });
        }
    }
    Ok(OpenOptions::new().read(true).write(true).open(path)?)
}

/// The database in a file.
fn open_database(file: &File, path: &Path, health: &Arc<Health>) -> Result<Database, StoreError> {
    let foreign = || StoreError::Foreign(path.to_path_buf());
    let backend = Backend::new(file.try_clone()?, Arc::clone(health))?;
    if file.metadata()?.len() == 0 {
        return Err(foreign());
    }
    // The engine checks most of a file with errors, but not every damaged header.
    let open = || {
        Database::builder()
            .set_cache_size(CACHE_BYTES)
            .create_with_backend(backend)
    };
    let database = guarded(open).ok_or_else(foreign)?;
    let database = database.map_err(|error| match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::InUse(path.to_path_buf()),
        DatabaseError::Storage(StorageError::Io(error))
            if !matches!(
                error.kind(),
                io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
            ) =>
        {
            StoreError::Io(error)
        }
        _ => foreign(),
    })?;
    let format = guarded(|| format_of(&database)).and_then(Result::ok);
    match format.flatten() {
        Some(format) if format == FORMAT_VALUE => Ok(database),
        _ => Err(foreign()),
    }
}

fn format_of(database: &Database) -> Result<Option<Vec<u8>>, StoreError> {
    let transaction = database.begin_read().map_err(engine)?;
    let table = transaction.open_table(STATE).map_err(engine)?;
    let value = table.get(FORMAT).map_err(engine)?;
    Ok(value.map(|value| value.value().to_vec()))
}

/// The result of a call into the engine, or `None` if it panicked on what it read.
pub(crate) fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    GUARDS.set(GUARDS.get().saturating_add(1));
    let outcome = catch_unwind(AssertUnwindSafe(call));
    GUARDS.set(GUARDS.get().saturating_sub(1));
    outcome.ok()
}

thread_local! {
    /// The guarded calls that this thread is in.
    static GUARDS: Cell<u32> = const { Cell::new(0) };
}

/// Whether a panic of this thread is caught and becomes an error, as those are of the storage engine on
/// pages that it cannot read: for a program's panic hook, which need not show a backtrace of it.
pub fn is_panic_caught() -> bool {
    GUARDS.get() > 0
}

/// What the engine keeps of the file in memory; half of it may be pages that are to be written.
const CACHE_BYTES: usize = 256 << 20;

const FORMAT_VALUE: &[u8] = b"flexlist-store v1";
