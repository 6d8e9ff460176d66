//! Folders of files with positioned reads and writes: the storage interface of stores.
//!
//! * [`FileLayer`] and [`LayerFile`]: the operations that a store needs from a folder and a file.
//! * [`Folder`]: a folder of the operating system.
//! * [`replace`], [`read`], [`lock`] and others: whole files in any layer, and locks.
//! * [`Reserve`]: a file that reserves disk space for recovery on a full disk.
//! * `SimulatedFolder` (feature `simulated-disk`): a folder in memory for crash tests.
//!
//! Written bytes are durable after [`LayerFile::synchronise`], names after
//! [`FileLayer::synchronise`]. Before these calls, neither is guaranteed to be durable. Do not
//! retry a failed synchronisation on the same data. The operating system may have dropped the data,
//! and the next attempt then succeeds without writing the data.

use core::fmt::Debug;
use std::{fs::File, io, path::Path, sync::Arc};

mod file;
mod folder;
#[cfg(feature = "redb")]
mod pages;
mod reserve;
#[cfg(feature = "simulated-disk")]
mod simulated;
mod whole;

pub(crate) use file::SystemFile;
pub use folder::Folder;
#[cfg(feature = "redb")]
pub(crate) use pages::{PAGE, Page, Pages};
pub use reserve::Reserve;
#[cfg(feature = "simulated-disk")]
pub use simulated::{Operation, Reads, SECTOR, SimulatedFolder};
pub use whole::{create_anew, lock, open_or_create, read, replace, wait_for_lock};

/// A folder of files with positioned reads and writes.
///
/// Names are single components of a path. Other names are rejected with
/// [`io::ErrorKind::InvalidInput`].
pub trait FileLayer: Debug + Send + Sync {
    /// Path of the folder, for messages.
    fn path(&self) -> &Path;

    /// Names of all files, in any order. Names that are not UTF-8 are converted lossily.
    ///
    /// # Errors
    /// I/O errors of the operating system.
    fn names(&self) -> io::Result<Vec<String>>;

    /// Opens the file `name` for reading and writing.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is no such file. [`io::ErrorKind::InvalidData`] if
    /// `name` is not a file but, for example, a folder. Other I/O errors.
    fn open(&self, name: &str) -> io::Result<Arc<dyn LayerFile>>;

    /// Opens the file `name` read-only, for callers without write permission.
    ///
    /// # Errors
    /// I/O errors as for [`FileLayer::open`].
    fn open_to_read(&self, name: &str) -> io::Result<Arc<dyn LayerFile>> {
        self.open(name)
    }

    /// Creates an empty file. Its name is durable after [`FileLayer::synchronise`].
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if `name` is taken; other I/O errors.
    fn create(&self, name: &str) -> io::Result<Arc<dyn LayerFile>>;

    /// Renames the file `from` to `to`, atomically replacing any file of that name. Open files
    /// remain usable.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is no file `from`; other I/O errors.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes the name of a file. Handles that have the file open remain usable.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is no such file; other I/O errors.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes the names in the folder and the name of the folder itself durable. The contents of
    /// files are not included.
    ///
    /// # Errors
    /// I/O errors of the operating system. Any change since the last successful call may then be
    /// lost.
    fn synchronise(&self) -> io::Result<()>;

    /// Makes the names in the folder durable like [`FileLayer::synchronise`], but may omit the name
    /// of the folder itself. For callers without read permission on the parent folder.
    ///
    /// # Errors
    /// I/O errors as for [`FileLayer::synchronise`].
    fn synchronise_names(&self) -> io::Result<()> {
        self.synchronise()
    }

    /// Number of free bytes on the disk of the folder; `None` if it is unknown.
    fn room(&self) -> Option<u64>;
}

/// A file with positioned reads and writes, shared by several threads.
pub trait LayerFile: Debug + Send + Sync {
    /// Length of the file in bytes.
    ///
    /// # Errors
    /// I/O errors of the operating system.
    fn length(&self) -> io::Result<u64>;

    /// Fills `bytes` from `offset` on.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if the file ends earlier, after which `bytes` may be partly
    /// filled; other I/O errors.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()>;

    /// Writes all of `bytes` from `offset` on. A shorter file is extended, with zeros in between.
    /// After a crash before the next synchronisation, each sector has its old or its new contents.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`] if the disk is full; other I/O errors. Some of the bytes may
    /// then have been written.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Truncates the file to `length` bytes or extends it with zeros.
    ///
    /// # Errors
    /// I/O errors of the operating system.
    fn set_length(&self, length: u64) -> io::Result<()>;

    /// Makes all bytes written so far and the length durable.
    ///
    /// # Errors
    /// I/O errors of the operating system. Data written since the last successful call may then be
    /// lost, even if it can still be read and a later call succeeds.
    fn synchronise(&self) -> io::Result<()>;

    /// Locks the whole file against other handles until this one is closed. Returns `false` if
    /// another handle holds the lock, and `true` if this handle already holds it.
    ///
    /// # Errors
    /// I/O errors of the operating system.
    fn try_lock(&self) -> io::Result<bool>;

    /// Returns the underlying file of the operating system; `None` if there is none, as in
    /// simulations. Used for its permissions and for locks of ranges.
    fn of_system(&self) -> Option<&File>;
}

#[cfg(test)]
mod tests;
