//! Disk space set aside for recovery.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::backend::Health;
use crate::place::with_suffix;

/// A file of incompressible bytes next to a database (`<name>.reserve`) that reserves disk space.
///
/// When the disk is full, the caller releases the reserve for operations that make the database
/// smaller.
#[derive(Debug)]
pub struct Reserve {
    /// Path of the reserve file; `None` if the database is not a file of the operating system.
    path: Option<PathBuf>,
    bytes: u64,
    #[cfg_attr(
        not(feature = "simulated-disk"),
        expect(dead_code, reason = "for simulated disks")
    )]
    health: Arc<Health>,
}

impl Reserve {
    /// Creates the reserve of the database at `database`, with the target size 0. Creates no file.
    pub(super) fn new(database: Option<&Path>, health: Arc<Health>) -> Self {
        Self {
            path: database.map(|path| with_suffix(path, ".reserve")),
            bytes: 0,
            health,
        }
    }

    /// Sets the target size of the reserve in bytes. Takes effect with the next [`Reserve::fill`].
    pub const fn set(&mut self, bytes: u64) {
        self.bytes = bytes;
    }

    /// Writes the reserve file, unless it has the target size already. Removes the file if the
    /// target size is 0.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`] and other I/O errors, after which the file is removed on a
    /// best-effort basis.
    /// [`io::ErrorKind::Unsupported`] if the database is not a file of the operating system.
    pub fn fill(&self) -> io::Result<()> {
        if self.bytes == 0 {
            return self.release();
        }
        let path = self.path.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        #[cfg(feature = "simulated-disk")]
        self.health.disk.reserve(self.bytes)?;
        if fs::metadata(path).is_ok_and(|metadata| metadata.len() == self.bytes) {
            return Ok(());
        }
        let written = self.write(path);
        if written.is_err() {
            // A partial reserve would only take space, so it is removed.
            self.release()?;
        }
        written
    }

    /// Removes the reserve file.
    ///
    /// # Errors
    /// I/O errors of the operating system.
    pub fn release(&self) -> io::Result<()> {
        #[cfg(feature = "simulated-disk")]
        self.health.disk.reserve(0)?;
        match self.path.as_ref().map_or(Ok(()), fs::remove_file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let mut file = self.create(path)?;
        // Pseudorandom bytes: file systems with compression or sparse files would reserve nothing
        // for zeros.
        let mut chunk = [0_u8; 1 << 12];
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut rest = self.bytes;
        while rest > 0 {
            for word in chunk.as_chunks_mut::<8>().0 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                *word = state.to_le_bytes();
            }
            let length = usize::try_from(rest).unwrap_or(usize::MAX).min(chunk.len());
            file.write_all(chunk.get(..length).unwrap_or_default())?;
            rest = rest.saturating_sub(u64::try_from(length).unwrap_or(rest));
        }
        file.sync_data()
    }

    fn create(&self, path: &Path) -> io::Result<File> {
        self.release()?;
        #[cfg(feature = "simulated-disk")]
        self.health.disk.reserve(self.bytes)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path)
    }
}
