//! Files of the operating system.

use core::sync::atomic::{AtomicBool, Ordering};
use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    path::Path,
};

use super::LayerFile;
use crate::Access;

/// A file of the operating system.
#[derive(Debug)]
pub(crate) struct SystemFile {
    file: File,
    /// Whether a call of [`LayerFile::try_lock`] has locked the file.
    locked: AtomicBool,
    /// Serialises seeks on systems without positioned reads and writes.
    #[cfg(not(unix))]
    position: std::sync::Mutex<()>,
}

impl SystemFile {
    /// Opens a regular file for reading and writing. Other kinds are rejected, since opening a pipe
    /// may block.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Self::open_with(path, OpenOptions::new().read(true).write(true))
    }

    /// Opens a regular file read-only.
    pub(crate) fn open_to_read(path: &Path) -> io::Result<Self> {
        Self::open_with(path, OpenOptions::new().read(true))
    }

    fn open_with(path: &Path, options: &OpenOptions) -> io::Result<Self> {
        if !path.metadata()?.is_file() {
            let error = format!("{} is not a file", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, error));
        }
        Ok(Self::new(options.open(path)?))
    }

    /// Creates a new file at `path`.
    pub(crate) fn create(path: &Path, access: Access) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, access.mode());
        #[cfg(not(unix))]
        let _ = access;
        Ok(Self::new(options.open(path)?))
    }

    /// Wraps an open file.
    pub(crate) fn new(file: File) -> Self {
        Self {
            file,
            locked: AtomicBool::new(false),
            #[cfg(not(unix))]
            position: std::sync::Mutex::new(()),
        }
    }

    /// Seeks to `offset` and calls `act` while holding the position lock.
    #[cfg(not(unix))]
    fn at<T>(&self, offset: u64, act: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
        use std::io::{Seek as _, SeekFrom};
        let _own = self
            .position
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        (&self.file).seek(SeekFrom::Start(offset))?;
        act(&self.file)
    }
}

impl LayerFile for SystemFile {
    fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, bytes, offset)
    }

    #[cfg(not(unix))]
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.at(offset, |mut file| io::Read::read_exact(&mut file, bytes))
    }

    #[cfg(unix)]
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, offset)
    }

    #[cfg(not(unix))]
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.at(offset, |mut file| io::Write::write_all(&mut file, bytes))
    }

    fn set_length(&self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    /// Syncs the data and the length, but not the timestamps.
    fn synchronise(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn try_lock(&self) -> io::Result<bool> {
        match self.file.try_lock() {
            Ok(()) => {
                self.locked.store(true, Ordering::Release);
                Ok(true)
            }
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn of_system(&self) -> Option<&File> {
        Some(&self.file)
    }
}

/// Unlocks explicitly. Closing the file would leave the lock with a child process between fork and
/// exec.
impl Drop for SystemFile {
    fn drop(&mut self) {
        if self.locked.load(Ordering::Acquire) {
            // Unlocking fails if the lock is already released. If it fails for another reason,
            // closing the file releases the lock.
            drop(self.file.unlock());
        }
    }
}
