//! The storage engine: who may have the file open, and that nothing it does on damaged files escapes.
//!
//! Any number of processes read a store while one writes to it. Each opens the file to read first, and
//! to write only when it writes; it then stays the writer until it closes the store. The engine keeps
//! the pages that a reader may still look at.

use core::fmt;
use std::{
    fs::File,
    io::{self, Read},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use redb::{
    Builder, CompactionError, ConcurrencyMode, Database, DatabaseError, ReadOnlyDatabase,
    ReadTransaction, ReadableDatabase, StorageError, WriteTransaction,
};

use crate::store::StoreError;

/// An open file.
pub(super) struct Engine {
    path: PathBuf,
    handle: Mutex<Handle>,
}

#[derive(Default)]
struct Handle {
    /// Whether this process has had the engine check every page, since it opened the file to write.
    checked: bool,
    /// Before the database, so that it has ended when the database closes.
    pinned: Option<ReadTransaction>,
    database: Option<Open>,
}

enum Open {
    Reading(ReadOnlyDatabase),
    Writing(Database),
}

impl fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Engine")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// The engine writes when it closes a file, and panics on some of what it then reads.
impl Drop for Handle {
    fn drop(&mut self) {
        let (pinned, database) = (self.pinned.take(), self.database.take());
        drop(catch_unwind(AssertUnwindSafe(|| drop((pinned, database)))));
    }
}

impl Open {
    fn begin_read(&self) -> Result<ReadTransaction, StoreError> {
        match self {
            Self::Reading(database) => database.begin_read(),
            Self::Writing(database) => database.begin_read(),
        }
        .map_err(engine)
    }
}

impl Engine {
    /// The store at this path, opened to be read.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        match path.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(StoreError::Missing(path.to_path_buf()));
            }
            Err(error) => return Err(error.into()),
            Ok(metadata) if !metadata.is_file() => {
                return Err(StoreError::Foreign(path.to_path_buf()));
            }
            Ok(_) => {}
        }
        refuse_cut(path)?;
        let database = Some(Open::Reading(guarded(|| open_to_read(path))?));
        Ok(Self {
            path: path.to_path_buf(),
            handle: Mutex::new(Handle {
                checked: false,
                pinned: None,
                database,
            }),
        })
    }

    /// Reads in one transaction: the pinned one, or the newest state.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&ReadTransaction) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut handle = self.handle();
        guarded(|| {
            if let Some(transaction) = &handle.pinned {
                return work(transaction);
            }
            work(&self.opened(&mut handle)?.begin_read()?)
        })
    }

    pub(super) fn pin(&self) -> Result<(), StoreError> {
        let mut handle = self.handle();
        guarded(|| {
            let transaction = self.opened(&mut handle)?.begin_read()?;
            handle.pinned = Some(transaction);
            Ok(())
        })
    }

    pub(super) fn unpin(&self) {
        self.handle().pinned = None;
    }

    /// Has the engine check every page before the first update is added, once for each time that this
    /// process becomes the writer: where the list of free pages is damaged, writing destroys others.
    ///
    /// Costs as much as reading the file, which whoever adds an update has just done.
    pub(super) fn check_once(&self) -> Result<(), StoreError> {
        let mut handle = self.handle();
        if handle.checked {
            return Ok(());
        }
        guarded(
            || match self.opened_to_write(&mut handle)?.check_integrity() {
                // It was the list of free pages, and that is right again.
                Ok(true | false) => Ok(()),
                Err(error) => Err(not_intact(error)),
            },
        )?;
        handle.checked = true;
        Ok(())
    }

    /// Writes in one durable transaction, or not at all.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&WriteTransaction) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut handle = self.handle();
        let done = guarded(|| {
            let database = self.opened_to_write(&mut handle)?;
            let mut transaction = database.begin_write().map_err(engine)?;
            // Keys and values come from others: the checksum of a torn commit must not be their choice.
            transaction.set_two_phase_commit(true);
            let changed = work(&transaction)?;
            transaction.commit().map_err(engine)?;
            Ok(changed)
        });
        if matches!(done, Err(StoreError::Io(_) | StoreError::Engine(_))) {
            // After an error of the medium the engine writes no more; opened anew, it does.
            *handle = Handle::default();
        }
        done
    }

    /// Has the engine compact the file; `false` if somebody is reading.
    pub(super) fn compact(&self) -> Result<bool, StoreError> {
        let mut handle = self.handle();
        guarded(|| match self.opened_to_write(&mut handle)?.compact() {
            Ok(_) => Ok(true),
            Err(CompactionError::TransactionInProgress) => Ok(false),
            Err(CompactionError::Storage(error)) => Err(engine(error)),
            Err(error) => Err(engine(error)),
        })
    }

    /// Has the engine check every page of the file.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let mut handle = self.handle();
        guarded(
            || match self.opened_to_write(&mut handle)?.check_integrity() {
                Ok(true) => Ok(()),
                Err(DatabaseError::Storage(StorageError::Io(error))) => Err(error.into()),
                _ => Err(StoreError::Damaged("the file's structure is not intact")),
            },
        )
    }

    fn handle(&self) -> MutexGuard<'_, Handle> {
        // A panic of the engine is caught before it reaches the lock.
        self.handle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened<'a>(&self, handle: &'a mut Handle) -> Result<&'a Open, StoreError> {
        let database = match handle.database.take() {
            Some(open) => open,
            None => Open::Reading(open_to_read(&self.path)?),
        };
        Ok(handle.database.insert(database))
    }

    fn opened_to_write<'a>(&self, handle: &'a mut Handle) -> Result<&'a mut Database, StoreError> {
        handle.pinned = None;
        let database = match handle.database.take() {
            Some(Open::Writing(database)) => database,
            reading => {
                // Open until the writer is, so that the file is never without its readers' marks.
                let writing = open_to_write(&self.path)?;
                drop(reading);
                writing
            }
        };
        match handle.database.insert(Open::Writing(database)) {
            Open::Writing(database) => Ok(database),
            Open::Reading(_) => Err(StoreError::InUse(self.path.clone())),
        }
    }
}

/// The mode in which the file may be shared.
pub(super) fn builder() -> Builder {
    let mut builder = Database::builder();
    builder.set_concurrency_mode(ConcurrencyMode::SingleWriter);
    builder
}

fn open_to_read(path: &Path) -> Result<ReadOnlyDatabase, StoreError> {
    let open = || builder().open_read_only(path);
    match patiently(path, open)? {
        Ok(database) => Ok(database),
        // What a crash left, only a writer can put in order.
        Err(DatabaseError::RepairAborted) => {
            drop(open_to_write(path).map_err(|error| match error {
                StoreError::Io(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                    ) =>
                {
                    StoreError::Interrupted(path.to_path_buf())
                }
                error => error,
            })?);
            patiently(path, open)?.map_err(|error| failed(path, error))
        }
        Err(error) => Err(failed(path, error)),
    }
}

/// Refuses a file that is shorter than its header says. The engine does so when it opens a file to be
/// written; beside a writer, which may be changing the length, it does not, and answers from what is left.
fn refuse_cut(path: &Path) -> Result<(), StoreError> {
    let mut header = [0; 32];
    for attempt in 0..LENGTH_ATTEMPTS {
        if attempt > 0 {
            thread::sleep(PAUSE);
        }
        let mut file = File::open(path)?;
        match file.read_exact(&mut header) {
            Err(error) if is_damage(&error) => continue,
            read => read?,
        }
        // A writer makes the file longer before its header says so, and shorter after.
        if stated_length(&header)
            .is_none_or(|stated| file.metadata().is_ok_and(|found| stated <= found.len()))
        {
            return Ok(());
        }
    }
    Err(StoreError::Foreign(path.to_path_buf()))
}

/// The length that the header of the engine's file format (version 3) gives: one page, then regions. `None`
/// if it is not such a header, which the engine refuses, or if the file was not closed (after a crash the
/// counts may be torn, and the engine goes by the length).
fn stated_length(header: &[u8; 32]) -> Option<u64> {
    const NOT_CLOSED: u8 = 2;
    if header.get(9)? & NOT_CLOSED != 0 {
        return None;
    }
    let field = |place: usize| {
        let bytes = header.get(place..)?.first_chunk()?;
        Some(u64::from(u32::from_le_bytes(*bytes)))
    };
    let (page, own, most) = (field(12)?, field(16)?, field(20)?);
    let (full, trailing) = (field(24)?, field(28)?);
    let rest = if trailing > 0 {
        own.checked_add(trailing)?
    } else {
        0
    };
    let pages = own
        .checked_add(most)?
        .checked_mul(full)?
        .checked_add(rest)?;
    pages.checked_add(1)?.checked_mul(page)
}

fn open_to_write(path: &Path) -> Result<Database, StoreError> {
    let open = || builder().open(path);
    patiently(path, open)?.map_err(|error| failed(path, error))
}

/// Tries again while somebody else has the file, for a while: a process that was just started may
/// still have what its parent had open.
fn patiently<T>(
    path: &Path,
    open: impl Fn() -> Result<T, DatabaseError>,
) -> Result<Result<T, DatabaseError>, StoreError> {
    let start = Instant::now();
    loop {
        // The engine checks most of a file with errors, but not every damaged header.
        let opened = catch_unwind(AssertUnwindSafe(&open))
            .map_err(|_| StoreError::Foreign(path.to_path_buf()))?;
        match opened {
            Err(DatabaseError::DatabaseAlreadyOpen) if start.elapsed() < disk::PATIENCE => {
                thread::sleep(PAUSE);
            }
            opened => return Ok(opened),
        }
    }
}

fn failed(path: &Path, error: DatabaseError) -> StoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::InUse(path.to_path_buf()),
        DatabaseError::Storage(StorageError::Io(error)) if !is_damage(&error) => {
            StoreError::Io(error)
        }
        _ => StoreError::Foreign(path.to_path_buf()),
    }
}

/// What reads of a file that was cut off, or is none of the engine's, end with.
fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    )
}

fn not_intact(error: DatabaseError) -> StoreError {
    match error {
        DatabaseError::Storage(StorageError::Io(error)) => StoreError::Io(error),
        _ => NOT_INTACT,
    }
}

const NOT_INTACT: StoreError = StoreError::Damaged("the file's structure is not intact");

/// The engine panics on some pages that are not what it wrote.
fn guarded<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or(Err(StoreError::Damaged("its pages cannot be read")))
}

pub(super) fn engine(error: impl Into<redb::Error>) -> StoreError {
    match error.into() {
        redb::Error::Io(error) if is_damage(&error) => {
            StoreError::Damaged("a page is not in the file")
        }
        redb::Error::Io(error) => StoreError::Io(error),
        redb::Error::Corrupted(_) => StoreError::Damaged("a page is not what was written"),
        error => StoreError::Engine(Box::new(error)),
    }
}

/// How often a length is looked at that a writer may be changing.
const LENGTH_ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(5);
