//! A store in one file, by redb: copy-on-write trees with checksums, two-phase durable commits.
//!
//! | table | key | value |
//! |---|---|---|
//! | `records` | name | value; `format` says whose file this is |
//! | `updates` | version | the encoded update that led to it |
//! | `state` | `latest`, and the checkpoint's `version`, `oldest` and `digest` | bytes |
//! | `checkpoint` | 0, 1, .. | the checkpoint's bytes, in pieces |
//!
//! Keys of large tables only ever grow, which a copy-on-write tree takes at little more than the
//! bytes written.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use pad_core::Version;
use redb::{
    CompactionError, Database, DatabaseError, ReadableDatabase, ReadableTable, StorageError,
    WriteTransaction,
};

use super::{Record, RecordChange, Store, StoreError, StoredCheckpoint, new_file};

mod tables;

use tables::{
    CHECKPOINT, DIGEST, LATEST, OLDEST, RECORDS, STATE, UPDATES, VERSION, append_updates, engine,
    set_state, version_from, write_records,
};

/// A store in one file.
#[derive(Debug)]
pub struct RedbStore {
    database: Database,
    path: PathBuf,
}

impl RedbStore {
    /// Makes a new store with these records. It appears under its path complete or not at all.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if there is something at the path; [`StoreError`] of the medium.
    pub fn create(path: &Path, records: &[RecordChange]) -> Result<Self, StoreError> {
        if path.exists() {
            return Err(StoreError::Exists(path.to_path_buf()));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let draft = new_file(".pad-store-", folder)?;
        let database = Database::create(draft.path()).map_err(engine)?;
        let mut store = Self {
            database,
            path: draft.path().to_path_buf(),
        };
        store.write(|transaction| {
            write_records(transaction, &[RecordChange::put(FORMAT_RECORD, FORMAT)])?;
            write_records(transaction, records)?;
            set_state(transaction, LATEST, &Version::EMPTY.number().to_be_bytes())?;
            transaction.open_table(UPDATES).map_err(engine)?;
            transaction.open_table(CHECKPOINT).map_err(engine)?;
            Ok(())
        })?;
        drop(store);
        draft
            .persist_noclobber(path)
            .map_err(|refused| match refused.error.kind() {
                io::ErrorKind::AlreadyExists => StoreError::Exists(path.to_path_buf()),
                _ => StoreError::Io(refused.error),
            })?;
        std::fs::File::open(folder)?.sync_all()?;
        Self::open(path)
    }

    /// Opens an existing store, after a crash at its last durable state.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::Foreign`] (also where the file is cut off),
    /// [`StoreError::InUse`]; [`StoreError`] of the medium.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let foreign = || StoreError::Foreign(path.to_path_buf());
        match path.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(StoreError::Missing(path.to_path_buf()));
            }
            Err(error) => return Err(error.into()),
            Ok(metadata) if !metadata.is_file() => return Err(foreign()),
            Ok(_) => {}
        }
        // The engine checks most of a file with errors, but not every damaged header.
        let database = guarded(|| Database::open(path)).ok_or_else(foreign)?;
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
        let store = Self {
            database,
            path: path.to_path_buf(),
        };
        let format = guarded(|| store.records(FORMAT_RECORD)).and_then(Result::ok);
        let is_ours = format.is_some_and(|found| {
            found
                .first()
                .is_some_and(|(name, value)| name == FORMAT_RECORD && value == FORMAT)
        });
        if is_ours { Ok(store) } else { Err(foreign()) }
    }

    /// Where the store is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The size of the file in bytes.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    pub fn file_bytes(&self) -> Result<u64, StoreError> {
        Ok(self.path.metadata()?.len())
    }

    fn write<T>(
        &mut self,
        change: impl FnOnce(&WriteTransaction) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut transaction = self.database.begin_write().map_err(engine)?;
        // Keys and values come from others: the checksum of a torn commit must not be their choice.
        transaction.set_two_phase_commit(true);
        let changed = change(&transaction)?;
        transaction.commit().map_err(engine)?;
        Ok(changed)
    }

    fn state(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let transaction = self.database.begin_read().map_err(engine)?;
        let table = transaction.open_table(STATE).map_err(engine)?;
        Ok(table
            .get(name)
            .map_err(engine)?
            .map(|value| value.value().to_vec()))
    }

    fn version_state(&self, name: &str) -> Result<Option<Version>, StoreError> {
        self.state(name)?
            .map(|bytes| version_from(&bytes))
            .transpose()
    }
}

impl Store for RedbStore {
    fn latest(&self) -> Result<Version, StoreError> {
        self.version_state(LATEST)?
            .ok_or(StoreError::Damaged("its latest version is not recorded"))
    }

    fn publish(
        &mut self,
        first: Version,
        updates: &[Vec<u8>],
        records: &[RecordChange],
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            if !updates.is_empty() {
                append_updates(transaction, first, updates)?;
            }
            write_records(transaction, records)
        })
    }

    fn update(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError> {
        let transaction = self.database.begin_read().map_err(engine)?;
        let table = transaction.open_table(UPDATES).map_err(engine)?;
        Ok(table
            .get(version.number())
            .map_err(engine)?
            .map(|value| value.value().to_vec()))
    }

    fn put_checkpoint(&mut self, checkpoint: &StoredCheckpoint) -> Result<(), StoreError> {
        self.write(|transaction| {
            set_state(
                transaction,
                VERSION,
                &checkpoint.version.number().to_be_bytes(),
            )?;
            set_state(
                transaction,
                OLDEST,
                &checkpoint.oldest.number().to_be_bytes(),
            )?;
            set_state(transaction, DIGEST, &checkpoint.digest)?;
            transaction.delete_table(CHECKPOINT).map_err(engine)?;
            let mut table = transaction.open_table(CHECKPOINT).map_err(engine)?;
            for (piece, number) in checkpoint.bytes.chunks(PIECE_BYTES).zip(0_u64..) {
                table.insert(number, piece).map_err(engine)?;
            }
            let mut table = transaction.open_table(UPDATES).map_err(engine)?;
            table
                .retain_in(..=checkpoint.oldest.number(), |_, _| false)
                .map_err(engine)
        })
    }

    fn checkpoint(&self) -> Result<Option<StoredCheckpoint>, StoreError> {
        let (version, oldest) = (self.version_state(VERSION)?, self.version_state(OLDEST)?);
        let (Some(version), Some(oldest), Some(digest)) = (version, oldest, self.state(DIGEST)?)
        else {
            return Ok(None);
        };
        let transaction = self.database.begin_read().map_err(engine)?;
        let table = transaction.open_table(CHECKPOINT).map_err(engine)?;
        let mut bytes = Vec::new();
        for piece in table.iter().map_err(engine)? {
            bytes.extend_from_slice(piece.map_err(engine)?.1.value());
        }
        Ok(Some(StoredCheckpoint {
            version,
            oldest,
            digest,
            bytes,
        }))
    }

    fn records(&self, prefix: &[u8]) -> Result<Vec<Record>, StoreError> {
        let transaction = self.database.begin_read().map_err(engine)?;
        let table = transaction.open_table(RECORDS).map_err(engine)?;
        let mut found = Vec::new();
        for record in table.range(prefix..).map_err(engine)? {
            let (name, value) = record.map_err(engine)?;
            if !name.value().starts_with(prefix) {
                break;
            }
            found.push((name.value().to_vec(), value.value().to_vec()));
        }
        Ok(found)
    }

    fn compact(&mut self) -> Result<(), StoreError> {
        match self.database.compact() {
            Ok(_) => Ok(()),
            Err(CompactionError::Storage(error)) => Err(engine(error)),
            Err(error) => Err(engine(error)),
        }
    }

    fn check(&mut self) -> Result<(), StoreError> {
        match guarded(|| self.database.check_integrity()) {
            Some(Ok(true)) => Ok(()),
            Some(Err(DatabaseError::Storage(StorageError::Io(error)))) => Err(error.into()),
            _ => Err(StoreError::Damaged("the file's structure is not intact")),
        }
    }
}

/// The result of a call into the engine, or `None` if it panicked on what it read.
fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}

const FORMAT_RECORD: &[u8] = b"format";
const FORMAT: &[u8] = b"pad-store v1";
/// A little below a power of two: with its header a piece fills its pages.
const PIECE_BYTES: usize = (1 << 20) - 4096;
