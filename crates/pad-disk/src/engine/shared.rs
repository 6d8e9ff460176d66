//! A database shared by processes.

use core::fmt;
use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Instant,
};

use redb::{
    CompactionError, ConcurrencyMode, Database, DatabaseError, ReadOnlyDatabase, ReadTransaction,
    ReadableDatabase, WriteTransaction,
};

use super::{
    backend::Backend,
    check,
    create::create,
    error::EngineError,
    format::Format,
    guard::{caught, guarded},
    overlay::Overlay,
    place::{self, DatabaseFile, Place},
    transact::{Repair, transact},
};
use crate::{PATIENCE, layer::SystemFile};

/// A database that any number of processes read while one writes.
///
/// A process opens the file read-only at first, unless only a writer can repair it. Its first write
/// opens the file for writing. The process remains the writer until this value is dropped,
/// [`SharedDatabase::release`] is called, or the engine refuses more writes after a failed one. The
/// engine retains pages that a reader may still use.
///
/// A process becomes the writer only if every page has the checksum that the engine wrote. This
/// check costs a read of the whole file. If the check fails, the file is left unchanged, since
/// writing next to a damaged page could destroy other pages.
///
/// In a layer of files, handles share no locks. So the database is opened for writing at once,
/// without the check. Other handles cannot open it before it is released.
pub struct SharedDatabase {
    place: Place,
    path: PathBuf,
    format: Format,
    handle: Mutex<Handle>,
}

#[derive(Default)]
struct Handle {
    /// Read transaction of a pinned state, if there is one. It is declared before the database
    /// because it must end before the database closes.
    pinned: Option<ReadTransaction>,
    database: Option<Open>,
}

enum Open {
    Reading(ReadOnlyDatabase),
    Writing(Database),
}

impl fmt::Debug for SharedDatabase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SharedDatabase")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// Closes the database with [`guarded`]. The engine writes on close, and panics on some pages it
/// then reads.
impl Drop for Handle {
    fn drop(&mut self) {
        let (pinned, database) = (self.pinned.take(), self.database.take());
        let _ = guarded(|| drop((pinned, database)));
    }
}

impl Open {
    fn begin_read(&self) -> Result<ReadTransaction, EngineError> {
        match self {
            Self::Reading(database) => database.begin_read(),
            Self::Writing(database) => database.begin_read(),
        }
        .map_err(EngineError::of)
    }

    /// Returns whether a transaction can begin. After a storage failure the engine refuses writes.
    fn can_write(&self) -> bool {
        match self {
            Self::Reading(_) => true,
            Self::Writing(database) => check::can_write(database),
        }
    }
}

impl SharedDatabase {
    /// Creates a database, filled in one transaction. The database appears under its path complete
    /// or not at all.
    ///
    /// # Errors
    /// [`EngineError::Exists`] if the path is taken. [`EngineError`] if storage fails. Errors of
    /// `fill`.
    pub fn create<E: From<EngineError>>(
        place: impl Into<Place>,
        format: &Format,
        fill: impl FnOnce(&WriteTransaction) -> Result<(), E>,
    ) -> Result<(), E> {
        let place = place.into();
        let mode = match &place {
            Place::Path(_) => MODE,
            Place::Within(..) => place::MODE,
        };
        create(&place, format, mode, fill)
    }

    /// Opens the database at `place` for reading; after a crash, at its last durable state.
    ///
    /// # Errors
    /// * [`EngineError::Missing`] if there is no file, and [`EngineError::InUse`] if a process
    ///   keeps it locked.
    /// * [`EngineError::Foreign`] if the file is truncated or not a database of this format.
    /// * [`EngineError::Exposed`] if a private file is accessible to others.
    /// * [`EngineError::RepairNeeded`] if a repair is needed but not permitted.
    /// * [`EngineError::NotIntact`] if a repair finds damage.
    /// * [`EngineError::Panicked`] or [`EngineError::Io`] if the file cannot be read.
    pub fn open(place: impl Into<Place>, format: Format) -> Result<Self, EngineError> {
        let place = place.into();
        if let Place::Path(path) = &place {
            check::refuse_other_files(path, format.access)?;
            check::refuse_cut(path)?;
        }
        let database = caught(|| open_to_read(&place, &format))?;
        let handle = Handle {
            pinned: None,
            database: Some(database),
        };
        let opened = Self {
            path: place.path(),
            place,
            format,
            handle: Mutex::new(handle),
        };
        Format::check(&opened.path, opened.read(format.is_ours))?;
        Ok(opened)
    }

    /// Path of the database.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` in one read transaction: the pinned one, or a new one of the latest state.
    ///
    /// # Errors
    /// [`EngineError`] if storage fails; errors of `work`.
    pub fn read<T, E: From<EngineError>>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut handle = self.handle();
        caught(|| {
            if let Some(transaction) = &handle.pinned {
                return work(transaction);
            }
            work(&self.opened(&mut handle)?.begin_read()?)
        })
    }

    /// Pins the current state: reads see this state until [`SharedDatabase::unpin`], regardless of
    /// writes of other processes. A write or compaction through this value unpins the state. So
    /// does [`SharedDatabase::release`] if this process is the writer.
    ///
    /// # Errors
    /// [`EngineError`] if storage fails.
    pub fn pin(&self) -> Result<(), EngineError> {
        let mut handle = self.handle();
        caught(|| {
            let transaction = self.opened(&mut handle)?.begin_read()?;
            handle.pinned = Some(transaction);
            Ok(())
        })
    }

    /// Unpins the state of [`SharedDatabase::pin`]: later reads see the latest state again.
    pub fn unpin(&self) {
        self.handle().pinned = None;
    }

    /// Gives up the writer role of this process, if any, so that another process can write. The
    /// next write takes the role again.
    pub fn release(&self) {
        let mut handle = self.handle();
        if matches!(handle.database, Some(Open::Writing(_))) {
            *handle = Handle::default();
        }
    }

    /// Runs `work` in one durable write transaction, which commits completely or not at all.
    ///
    /// # Errors
    /// [`EngineError::InUse`] if another process is the writer. [`EngineError::NotIntact`] if a
    /// page is damaged. [`EngineError`] if storage fails. Errors of `work`.
    pub fn write<T, E: From<EngineError>>(
        &self,
        work: impl FnOnce(&WriteTransaction) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut handle = self.handle();
        let done = guarded(|| {
            let database = self.opened_to_write(&mut handle)?;
            transact(database, Repair::Full, work)
        });
        let is_usable = match &done {
            Some(Ok(_)) => true,
            Some(Err(_)) => handle.database.as_ref().is_none_or(Open::can_write),
            None => false,
        };
        if !is_usable {
            // The next call opens the database again.
            *handle = Handle::default();
        }
        done.unwrap_or_else(|| Err(EngineError::Panicked.into()))
    }

    /// Checks every page. Does not change the file, unless this process is the writer.
    ///
    /// # Errors
    /// [`EngineError::NotIntact`] if a page is damaged or the list of free pages is wrong.
    /// [`EngineError::InUse`] if another process is the writer. [`EngineError`] if storage fails or
    /// the file is not writable.
    pub fn check(&self) -> Result<(), EngineError> {
        let mut handle = self.handle();
        let checked = match &mut handle.database {
            Some(Open::Writing(database)) => caught(|| check::check_pages(database)),
            _ => examine(&self.place, &self.format),
        };
        if checked? {
            Ok(())
        } else {
            Err(EngineError::NotIntact)
        }
    }

    /// Returns free space to the file system. Returns `false` if a read is in progress.
    ///
    /// # Errors
    /// [`EngineError::InUse`] if another process is the writer. [`EngineError::NotIntact`] if a
    /// page is damaged. [`EngineError`] if storage fails.
    pub fn compact(&self) -> Result<bool, EngineError> {
        let mut handle = self.handle();
        caught(|| match self.opened_to_write(&mut handle)?.compact() {
            Ok(_) => Ok(true),
            Err(CompactionError::TransactionInProgress) => Ok(false),
            Err(error) => Err(EngineError::of(error)),
        })
    }

    fn handle(&self) -> MutexGuard<'_, Handle> {
        // Panics of the engine are caught before they reach the lock.
        self.handle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened<'a>(&self, handle: &'a mut Handle) -> Result<&'a Open, EngineError> {
        let database = match handle.database.take() {
            Some(open) => open,
            None => open_to_read(&self.place, &self.format)?,
        };
        Ok(handle.database.insert(database))
    }

    fn opened_to_write<'a>(&self, handle: &'a mut Handle) -> Result<&'a mut Database, EngineError> {
        let database = match handle.database.take() {
            Some(Open::Writing(database)) => database,
            reading => {
                // The reader stays open until the writer is open, so that the file always
                // contains the marks of its readers.
                let writing = match open_to_write(&self.place, &self.format) {
                    Ok(writing) => writing,
                    Err(error) => {
                        // A pinned transaction remains readable.
                        handle.database = reading;
                        return Err(error);
                    }
                };
                handle.pinned = None;
                drop(reading);
                writing
            }
        };
        handle.pinned = None;
        match handle.database.insert(Open::Writing(database)) {
            Open::Writing(database) => Ok(database),
            Open::Reading(_) => Err(EngineError::InUse(self.path.clone())),
        }
    }
}

fn open_to_read(place: &Place, format: &Format) -> Result<Open, EngineError> {
    let Place::Path(path) = place else {
        return open_to_write(place, format).map(Open::Writing);
    };
    let open = || patiently(path, || format.builder(MODE).open_read_only(path));
    // Only a writer can repair the file after a crash, so this opens the file for writing.
    let put_in_order = || open_to_write(place, format).map_err(|error| repair_needed(path, error));
    match open() {
        Err(EngineError::RepairNeeded(_)) => {
            drop(put_in_order()?);
            match open() {
                // A writer clears the repair mark when it closes the file, which fails on a full
                // disk.
                Err(EngineError::RepairNeeded(_)) => put_in_order().map(Open::Writing),
                opened => opened.map(Open::Reading),
            }
        }
        opened => opened.map(Open::Reading),
    }
}

/// Converts a permission error of a repair to [`EngineError::RepairNeeded`].
fn repair_needed(path: &Path, error: EngineError) -> EngineError {
    match error {
        EngineError::Io(error) if is_read_only(&error) => {
            EngineError::RepairNeeded(path.to_path_buf())
        }
        error => error,
    }
}

fn open_to_write(place: &Place, format: &Format) -> Result<Database, EngineError> {
    let Place::Path(path) = place else {
        return DatabaseFile::at(place, *format)?.open(&Arc::default());
    };
    let is_right = examine(place, format)?;
    let mut database = patiently(path, || format.builder(MODE).open(path))?;
    if !is_right {
        // Only the free list was wrong. This rebuilds it.
        check::check_pages(&mut database)?;
    }
    Ok(database)
}

/// Checks every page of a file without changing it. Returns whether the engine's list of free pages
/// was right. The file is locked against writers meanwhile.
fn examine(place: &Place, format: &Format) -> Result<bool, EngineError> {
    let mut copy = match place {
        Place::Path(path) => patiently(path, || {
            let overlay = Overlay::new(Arc::new(SystemFile::open(path)?))?;
            let backend = Backend::new(Arc::new(overlay), Arc::default())?;
            format.builder(MODE).create_with_backend(backend)
        })?,
        Place::Within(..) => DatabaseFile::at(place, *format)?.open_copy()?,
    };
    let checked = caught(|| check::check_pages(&mut copy));
    let closed = guarded(|| drop(copy));
    closed.ok_or(EngineError::Panicked).and(checked)
}

fn is_read_only(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

/// Retries for up to [`PATIENCE`] while another process has the file open. A child process that was
/// just started may still hold open files inherited from its parent.
fn patiently<T>(
    path: &Path,
    open: impl Fn() -> Result<T, DatabaseError>,
) -> Result<T, EngineError> {
    let start = Instant::now();
    loop {
        match check::opened(path, &open) {
            Err(EngineError::InUse(_)) if start.elapsed() < PATIENCE => {
                thread::sleep(check::PAUSE);
            }
            opened => return opened,
        }
    }
}

const MODE: ConcurrencyMode = ConcurrencyMode::SingleWriter;
