//! The file under the storage engine, which notices when it fails.

use core::{
    ops::Bound,
    sync::atomic::{AtomicBool, Ordering},
};
use std::{fs::File, io, sync::Arc};

use redb::{BackendError, DatabaseError, StorageBackend, backends::FileBackend};

/// What became of the file under an engine.
#[derive(Debug, Default)]
pub(super) struct Health {
    failed: AtomicBool,
    #[cfg(feature = "simulated-disk")]
    pub(super) disk: super::SimulatedDisk,
}

impl Health {
    /// Whether something failed since the engine was opened: it refuses everything then.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// A new engine begins without failures.
    pub(super) fn begin_anew(&self) {
        self.failed.store(false, Ordering::Release);
    }

    /// There is no engine at all.
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

/// The file under one engine.
#[derive(Debug)]
pub(super) struct Backend {
    file: FileBackend,
    health: Arc<Health>,
}

impl Backend {
    pub(super) fn new(file: File, health: Arc<Health>) -> Result<Self, DatabaseError> {
        let file = FileBackend::new(file)?;
        Ok(Self { file, health })
    }
}

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        self.health.note(self.file.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.health.note(self.file.read(offset, out))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        #[cfg(feature = "simulated-disk")]
        self.health.disk.cut(len);
        self.health.note(self.file.set_len(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.health.note(self.file.sync_data())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        #[cfg(feature = "simulated-disk")]
        self.health
            .note(self.health.disk.take(offset, data.len()))?;
        self.health.note(self.file.write(offset, data))
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.query_lock_range(start, end)
    }
}
