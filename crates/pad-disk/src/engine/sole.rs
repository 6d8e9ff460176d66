//! A database of one process that can be opened again after a failure.

use core::time::Duration;
use std::{
    io,
    path::Path,
    sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError},
    thread,
    time::Instant,
};

use redb::{CompactionError, Database, ReadTransaction, ReadableDatabase as _, WriteTransaction};

use super::{
    backend::Health,
    check,
    create::create,
    error::EngineError,
    format::Format,
    guard::{caught, guarded},
    place::{DatabaseFile, MODE, Place},
    transact::{Repair, transact},
};
use crate::layer::{FileLayer, Reserve};

/// A database owned by one process: any number of its threads read while one writes.
///
/// After an I/O error the engine refuses all calls. [`SoleDatabase::reopen`] then opens the
/// database again on the same open file, at its last durable state.
#[derive(Debug)]
pub struct SoleDatabase {
    /// The open database; `None` after a failed attempt to open it again.
    database: RwLock<Option<Database>>,
    file: DatabaseFile,
    folder: Arc<dyn FileLayer>,
    /// The name of the file in `folder`.
    name: String,
    health: Arc<Health>,
    /// Time of the last failed attempt of a reader to open the database again.
    last_failure: Mutex<Option<Instant>>,
}

impl SoleDatabase {
    /// Creates a database, filled in one transaction. The database appears under its path complete
    /// or not at all.
    ///
    /// # Errors
    /// [`EngineError::Exists`] if the path is taken. [`EngineError`] if storage fails. Errors of
    /// `fill`. If only the fsync of the folder fails, the database is removed again on a
    /// best-effort basis.
    pub fn create<E: From<EngineError>>(
        place: impl Into<Place>,
        format: &Format,
        fill: impl FnOnce(&WriteTransaction) -> Result<(), E>,
    ) -> Result<(), E> {
        create(&place.into(), format, MODE, fill)
    }

    /// Opens the database at `place`; after a crash, at its last durable state.
    ///
    /// # Errors
    /// * [`EngineError::Missing`] if there is no file, and [`EngineError::InUse`] if it is open
    ///   elsewhere.
    /// * [`EngineError::Foreign`] if the file is truncated or not a database of this format.
    /// * [`EngineError::Exposed`] if a private file is accessible to others.
    /// * [`EngineError::Panicked`] or [`EngineError::Io`] if the file cannot be read or repaired.
    pub fn open(place: impl Into<Place>, format: Format) -> Result<Self, EngineError> {
        let place = place.into();
        let file = DatabaseFile::at(&place, format)?;
        let (folder, name) = place.folder()?;
        let health = Arc::default();
        let database = file.open(&health)?;
        Ok(Self {
            database: RwLock::new(Some(database)),
            file,
            folder,
            name,
            health,
            last_failure: Mutex::new(None),
        })
    }

    /// Checks every page of a database that is not open in any process. Does not change the file.
    ///
    /// # Errors
    /// [`EngineError::NotIntact`] if a page is damaged. Other [`EngineError`]s as for
    /// [`SoleDatabase::open`].
    pub fn check(place: impl Into<Place>, format: &Format) -> Result<(), EngineError> {
        let mut database = DatabaseFile::at(&place.into(), *format)?.open_copy()?;
        let checked = guarded(|| check::check_pages(&mut database));
        let _ = guarded(|| drop(database));
        match checked {
            Some(Ok(true)) => Ok(()),
            Some(Err(error)) => Err(error),
            Some(Ok(false)) | None => Err(EngineError::NotIntact),
        }
    }

    /// Path of the database.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// The size of the file in bytes.
    ///
    /// # Errors
    /// [`EngineError::Io`] if the length cannot be read.
    pub fn file_bytes(&self) -> Result<u64, EngineError> {
        Ok(self.file.length()?)
    }

    /// Creates a [`Reserve`] of `bytes` bytes of disk space. Its file `<name>.reserve` next to the
    /// database is not written yet.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the name of the database is not UTF-8.
    pub fn reserve(&self, bytes: u64) -> io::Result<Reserve> {
        // Two names that are not UTF-8 may be converted to the same text.
        if self.name.contains(char::REPLACEMENT_CHARACTER) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let name = format!("{}.reserve", self.name);
        Ok(Reserve::new(Arc::clone(&self.folder), name, bytes))
    }

    /// Begins a read transaction: a snapshot that later writes do not change. Opens the database
    /// again after a failure, at most once in two seconds.
    ///
    /// # Errors
    /// [`EngineError::Closed`] if the database is not open, or is busy for two seconds.
    /// [`EngineError`] if storage fails.
    pub fn begin_read(&self) -> Result<ReadTransaction, EngineError> {
        if self.has_failed() {
            self.reopen_now_and_then()?;
        }
        let start = Instant::now();
        loop {
            if let Some(database) = self.try_read() {
                let database = database.as_ref().ok_or(EngineError::Closed)?;
                return database.begin_read().map_err(EngineError::of);
            }
            if start.elapsed() >= PATIENCE {
                return Err(EngineError::Closed);
            }
            thread::sleep(PAUSE);
        }
    }

    fn try_read(&self) -> Option<RwLockReadGuard<'_, Option<Database>>> {
        match self.database.try_read() {
            Ok(database) => Some(database),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Runs `work` in one durable write transaction, which commits completely or not at all.
    /// `repair` selects how the database is repaired if it is opened after a crash.
    ///
    /// # Errors
    /// [`EngineError::Closed`] if the database is not open. [`EngineError`] if storage fails.
    /// Errors of `work`.
    pub fn write<T, E: From<EngineError>>(
        &self,
        repair: Repair,
        work: impl FnOnce(&WriteTransaction) -> Result<T, E>,
    ) -> Result<T, E> {
        caught(|| {
            let database = self.database.read();
            let database = database.unwrap_or_else(PoisonError::into_inner);
            let database = database.as_ref().ok_or(EngineError::Closed)?;
            transact(database, repair, work)
        })
    }

    /// Returns whether an I/O error has disabled the engine since it was opened, or the last
    /// attempt to open it again failed.
    pub fn has_failed(&self) -> bool {
        self.health.has_failed()
    }

    /// Returns whether a write transaction can begin.
    pub fn can_write(&self) -> bool {
        let database = self.database.read();
        let database = database.unwrap_or_else(PoisonError::into_inner);
        database.as_ref().is_some_and(check::can_write)
    }

    /// Opens the database again if it has failed.
    ///
    /// # Errors
    /// [`EngineError`] if the database cannot be opened. The next call tries again.
    pub fn reopen(&self) -> Result<(), EngineError> {
        let mut database = self.exclusive();
        if database.is_some() && !self.has_failed() {
            return Ok(());
        }
        self.connect(&mut database)
    }

    /// Like [`SoleDatabase::reopen`], but rate-limited, for readers. An attempt may read the whole
    /// file.
    fn reopen_now_and_then(&self) -> Result<(), EngineError> {
        let mut last = self
            .last_failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < PATIENCE) {
            return Err(EngineError::Closed);
        }
        let outcome = self.reopen();
        *last = outcome.is_err().then(Instant::now);
        outcome.map_err(|_| EngineError::Closed)
    }

    /// Closes the database and opens it again, which truncates free space at the end of its file.
    ///
    /// # Errors
    /// [`EngineError`] if the database cannot be opened. The next call of [`SoleDatabase::reopen`]
    /// tries again.
    pub fn trim(&self) -> Result<(), EngineError> {
        self.connect(&mut self.exclusive())
    }

    fn connect(&self, database: &mut Option<Database>) -> Result<(), EngineError> {
        // Closing releases the lock on the file. A failed database writes nothing on close.
        let _ = guarded(|| drop(database.take()));
        self.health.begin_anew();
        let opened = self.file.open(&self.health);
        *database = Some(opened.inspect_err(|_| self.health.fail())?);
        Ok(())
    }

    /// Compacts the database and returns free space to the file system. Returns `false` if a read
    /// is in progress.
    ///
    /// # Errors
    /// [`EngineError::Closed`] if the database is not open; [`EngineError`] if storage fails, after
    /// which the database is opened again.
    pub fn compact(&self) -> Result<bool, EngineError> {
        let mut database = self.exclusive();
        let open = database.as_mut().ok_or(EngineError::Closed)?;
        let error = match guarded(|| open.compact()) {
            Some(Ok(_)) => return Ok(true),
            Some(Err(CompactionError::TransactionInProgress)) => return Ok(false),
            Some(Err(error)) => EngineError::of(error),
            None => EngineError::Panicked,
        };
        self.connect(&mut database)?;
        Err(error)
    }

    /// Number of free bytes on the disk; `None` if it is unknown.
    pub fn room(&self) -> Option<u64> {
        self.folder.room()
    }

    fn exclusive(&self) -> RwLockWriteGuard<'_, Option<Database>> {
        self.database
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes the database with [`guarded`]. The engine writes on close, and panics on some pages it
/// then reads.
impl Drop for SoleDatabase {
    fn drop(&mut self) {
        let database = self.exclusive().take();
        let _ = guarded(|| drop(database));
    }
}

/// Maximum time that a reader waits for a database that is being opened or compacted. Also the
/// minimum time between two attempts of readers to open the database again.
const PATIENCE: Duration = Duration::from_secs(2);

/// Polling interval of waiting readers.
const PAUSE: Duration = Duration::from_millis(2);
