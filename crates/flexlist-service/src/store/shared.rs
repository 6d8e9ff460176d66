//! The database of a store, which is opened again when it fails.

use core::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError},
    thread,
    time::Instant,
};

use redb::{Database, ReadTransaction, ReadableDatabase as _};

use super::{
    StoreError, backend::Health, guarded, open_database, open_file, reserve::Reserve,
    tables::engine,
};

/// How long a reader waits for a database that is being opened or compacted.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often it looks.
const GLANCE: Duration = Duration::from_millis(2);

/// A store of so many more bytes than twice what is in use is compacted.
const SLACK: u64 = 64 << 20;

/// A store with at most so many bytes in use is compacted while it serves.
const QUICKLY_COMPACTED: u64 = 256 << 20;

/// The database, for the readers and the one writer.
#[derive(Debug)]
pub(super) struct Shared {
    /// `None` while it cannot be opened again.
    database: RwLock<Option<Database>>,
    file: File,
    path: PathBuf,
    health: Arc<Health>,
    /// When a reader tried in vain to open it again.
    last_failure: Mutex<Option<Instant>>,
    /// The bytes in use, about.
    live: AtomicU64,
    slack: AtomicU64,
}

impl Shared {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let file = open_file(path)?;
        let health = Arc::default();
        let database = open_database(&file, path, &health)?;
        Ok(Self {
            database: RwLock::new(Some(database)),
            file,
            path: path.to_path_buf(),
            health,
            last_failure: Mutex::new(None),
            live: AtomicU64::new(u64::MAX),
            slack: AtomicU64::new(SLACK),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn health(&self) -> &Health {
        &self.health
    }

    pub(super) fn reserve(&self) -> Reserve {
        Reserve::new(self.path.clone(), Arc::clone(&self.health))
    }

    /// A view of the store.
    ///
    /// # Errors
    /// [`StoreError::Interrupted`] if the database is not there for too long.
    pub(super) fn begin_read(&self) -> Result<ReadTransaction, StoreError> {
        if self.health.has_failed() {
            self.reopen_now_and_then()?;
        }
        let start = Instant::now();
        loop {
            if let Some(database) = self.try_read() {
                let database = database.as_ref().ok_or(StoreError::Interrupted)?;
                return database.begin_read().map_err(engine);
            }
            if start.elapsed() >= PATIENCE {
                return Err(StoreError::Interrupted);
            }
            thread::sleep(GLANCE);
        }
    }

    fn try_read(&self) -> Option<RwLockReadGuard<'_, Option<Database>>> {
        match self.database.try_read() {
            Ok(database) => Some(database),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Lets the writer work on the database.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&Database) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let database = self.database.read();
        let database = database.unwrap_or_else(PoisonError::into_inner);
        work(database.as_ref().ok_or(StoreError::Interrupted)?)
    }

    /// Whether a transaction can begin.
    pub(super) fn can_write(&self) -> bool {
        let begin = |database: &Database| {
            let transaction = database.begin_write().map_err(engine)?;
            transaction.abort().map_err(engine)
        };
        matches!(guarded(|| self.write(begin)), Some(Ok(())))
    }

    /// Opens the database again if it failed: what it has durably is what it had.
    ///
    /// # Errors
    /// [`StoreError`] of the medium; the next call tries again.
    pub(super) fn reopen(&self) -> Result<(), StoreError> {
        let mut database = self.exclusive();
        if database.is_some() && !self.health.has_failed() {
            return Ok(());
        }
        self.connect(&mut database)
    }

    /// The same for readers, who do not try again at once what has just failed: it may mean to read the
    /// whole store.
    fn reopen_now_and_then(&self) -> Result<(), StoreError> {
        let mut last = self
            .last_failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < PATIENCE) {
            return Err(StoreError::Interrupted);
        }
        let outcome = self.reopen();
        *last = outcome.is_err().then(Instant::now);
        outcome.map_err(|_| StoreError::Interrupted)
    }

    /// Opens the database again, which cuts off what is free at the end of its file.
    pub(super) fn trim(&self) -> Result<(), StoreError> {
        self.connect(&mut self.exclusive())
    }

    fn connect(&self, database: &mut Option<Database>) -> Result<(), StoreError> {
        // Its lock on the file goes with it. A failed one writes nothing any more.
        let _ = guarded(|| drop(database.take()));
        self.health.begin_anew();
        let opened = open_database(&self.file, &self.path, &self.health);
        *database = Some(opened.inspect_err(|_| self.health.fail())?);
        Ok(())
    }

    /// Whether so much of the file is free that it is worth moving the rest together.
    pub(super) fn is_compaction_worth(&self) -> bool {
        let live = self.live.load(Ordering::Relaxed);
        let slack = self.slack.load(Ordering::Relaxed);
        let worth = live.saturating_mul(2).saturating_add(slack);
        self.file.metadata().is_ok_and(|file| file.len() > worth)
    }

    /// Whether that would keep the requests waiting for a moment only.
    pub(super) fn is_compaction_quick(&self) -> bool {
        self.live.load(Ordering::Relaxed) <= QUICKLY_COMPACTED
    }

    /// Moves what is in use together, and gives the rest back to the file system. Whether it could:
    /// not while somebody reads.
    pub(super) fn compact(&self) -> Result<bool, StoreError> {
        let mut database = self.exclusive();
        let compacted = match database.as_mut() {
            Some(database) => guarded(|| database.compact()),
            None => return Err(StoreError::Interrupted),
        };
        match compacted {
            Some(Ok(_)) => Ok(true),
            Some(Err(redb::CompactionError::TransactionInProgress)) => Ok(false),
            Some(Err(error)) => {
                self.connect(&mut database)?;
                Err(engine(error))
            }
            None => {
                self.connect(&mut database)?;
                Err(StoreError::Engine("it panicked".into()))
            }
        }
    }

    pub(super) fn set_live(&self, bytes: u64) {
        self.live.store(bytes, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(super) fn set_slack(&self, bytes: u64) {
        self.slack.store(bytes, Ordering::Relaxed);
    }

    /// Whether so many bytes, and more, may not fit on the disk.
    pub(super) fn is_tight(&self, bytes: usize) -> bool {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let wanted = bytes.saturating_mul(4).saturating_add(SLACK);
        self.room().is_some_and(|room| room < wanted)
    }

    /// The bytes that are free on the disk, if the system tells.
    fn room(&self) -> Option<u64> {
        #[cfg(test)]
        {
            let simulated = self.health.disk.room();
            if simulated < u64::MAX >> 1 {
                return Some(simulated);
            }
        }
        #[cfg(unix)]
        {
            let disk = rustix::fs::fstatvfs(&self.file).ok()?;
            Some(disk.f_bavail.saturating_mul(disk.f_frsize))
        }
        #[cfg(not(unix))]
        None
    }

    fn exclusive(&self) -> RwLockWriteGuard<'_, Option<Database>> {
        self.database
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
