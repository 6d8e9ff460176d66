//! Storage backend of the engine redb that records I/O failures.

use core::{
    ops::Bound,
    sync::atomic::{AtomicBool, Ordering},
};
use std::{fs::File, io, sync::Arc};

use redb::{BackendError, DatabaseError, StorageBackend, backends::FileBackend};

use crate::layer::LayerFile;

/// Failure state of the file that a storage engine reads and writes.
#[derive(Debug, Default)]
pub(super) struct Health {
    failed: AtomicBool,
}

impl Health {
    /// Returns whether an I/O operation failed since the engine was opened. The engine then refuses
    /// all calls.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// Clears the failure state for a newly opened engine.
    pub(super) fn begin_anew(&self) {
        self.failed.store(false, Ordering::Release);
    }

    /// Records a failure, even when no engine is open.
    pub(super) fn fail(&self) {
        self.failed.store(true, Ordering::Release);
    }

    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if result.is_err() {
            self.fail();
        }
        result
    }
}

/// The file that one storage engine reads and writes.
#[derive(Debug)]
pub(super) struct Backend {
    file: Arc<dyn LayerFile>,
    /// The engine's own locks, for files of the operating system. Other processes that use the
    /// engine respect these locks.
    locks: Option<FileBackend>,
    health: Arc<Health>,
}

impl Backend {
    pub(super) fn new(
        file: Arc<dyn LayerFile>,
        health: Arc<Health>,
    ) -> Result<Self, DatabaseError> {
        let of_system = file.of_system().map(File::try_clone).transpose()?;
        Ok(Self {
            locks: of_system.map(FileBackend::new).transpose()?,
            file,
            health,
        })
    }

    fn locks(&self) -> Result<&FileBackend, BackendError> {
        self.locks.as_ref().ok_or(BackendError::Unsupported)
    }
}

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        self.health.note(self.file.length())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.health.note(self.file.read_at(offset, out))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.health.note(self.file.set_length(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.health.note(self.file.synchronise())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.health.note(self.file.write_at(offset, data))
    }

    fn close(&self) -> io::Result<()> {
        // A layer's lock is released when its file is closed.
        self.locks.as_ref().map_or(Ok(()), FileBackend::close)
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        match &self.locks {
            Some(locks) => locks.try_lock_range(start, end),
            // The engine falls back to a lock on the whole file if ranges are unsupported.
            None if (start, end) == (Bound::Unbounded, Bound::Unbounded) => {
                Ok(self.file.try_lock()?)
            }
            None => Err(BackendError::Unsupported),
        }
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.locks()?.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.locks()?.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.locks()?.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.locks()?.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.locks()?.query_lock_range(start, end)
    }
}
