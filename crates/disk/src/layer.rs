//! Folders of files that are read and written at positions: what stores stand on.
//!
//! * [`FileLayer`] and [`LayerFile`]: what a store asks of its folder and of each file, and no more.
//! * [`Folder`]: a folder of the operating system.
//! * [`replace`], [`read`] and [`lock`]: whole files in any of them, and one process at a time.
//! * `SimulatedFolder` (feature `simulated-disk`): one in memory, for tests, of which a crash leaves what
//!   one may leave of a folder on a medium.
//!
//! What is written is durable after [`LayerFile::synchronise`], what is named after
//! [`FileLayer::synchronise`], and nothing before. A synchronisation that failed is not to be tried again
//! on the same data: the operating system may have dropped it, and the next attempt succeeds without it.

use core::fmt::Debug;
use std::{fs::File, io, path::Path, sync::Arc};

mod file;
mod folder;
#[cfg(feature = "simulated-disk")]
mod simulated;
mod whole;

pub(crate) use file::SystemFile;
pub use folder::Folder;
#[cfg(feature = "simulated-disk")]
pub use simulated::{Operation, Reads, SECTOR, SimulatedFolder, Traffic};
pub use whole::{lock, read, replace};

/// A folder of files that are read and written at positions.
///
/// Names are single components of a path. A name that is none is refused with
/// [`io::ErrorKind::InvalidInput`].
pub trait FileLayer: Debug + Send + Sync {
    /// What people know the folder by.
    fn path(&self) -> &Path;

    /// The names of all files, in any order. Those that are not UTF-8 are shown lossily.
    ///
    /// # Errors
    /// The operating system's.
    fn names(&self) -> io::Result<Vec<String>>;

    /// The file of this name, to be read and written.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is none; [`io::ErrorKind::InvalidData`] if it is something
    /// else, such as a folder; the operating system's.
    fn open(&self, name: &str) -> io::Result<Arc<dyn LayerFile>>;

    /// The file of this name, only to be read: for whoever may not write to it.
    ///
    /// # Errors
    /// As [`FileLayer::open`].
    fn open_to_read(&self, name: &str) -> io::Result<Arc<dyn LayerFile>> {
        self.open(name)
    }

    /// A new, empty file. Its name is durable after [`FileLayer::synchronise`].
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if there is something of this name; the operating system's.
    fn create(&self, name: &str) -> io::Result<Arc<dyn LayerFile>>;

    /// Gives a file another name, in the place of the file that has it: at every moment the name leads to
    /// the one or the other. Files that are open stay what they are.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is no such file; the operating system's.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Takes a file's name away. What has it open can still use it.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is no such file; the operating system's.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes the names durable, that of the folder itself among them. It does not make durable what is in
    /// the files.
    ///
    /// # Errors
    /// The operating system's. Then any of the changes since the last time may be lost.
    fn synchronise(&self) -> io::Result<()>;

    /// Makes the names in the folder durable, where that of the folder itself is: for whoever may not read what the folder is in.
    ///
    /// # Errors
    /// As [`FileLayer::synchronise`].
    fn synchronise_names(&self) -> io::Result<()> {
        self.synchronise()
    }
}

/// A file that is read and written at positions, by several threads at once.
pub trait LayerFile: Debug + Send + Sync {
    /// How many bytes it has.
    ///
    /// # Errors
    /// The operating system's.
    fn length(&self) -> io::Result<u64>;

    /// Reads all of the bytes from an offset on.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] where the file ends earlier, and then some of the bytes may have
    /// been read; the operating system's.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()>;

    /// Writes all of the bytes from an offset on. A file that was shorter gets longer, with zeros in
    /// between. After a crash before they are durable, each sector is as before or as after.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`]; the operating system's. Then some of the bytes may have been written.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts the file off, or makes it longer by zeros.
    ///
    /// # Errors
    /// The operating system's.
    fn set_length(&self, length: u64) -> io::Result<()>;

    /// Makes everything that was written so far durable, and the length.
    ///
    /// # Errors
    /// The operating system's. Then any of what was written since the last time may be lost, also if it
    /// can still be read and a later call succeeds.
    fn synchronise(&self) -> io::Result<()>;

    /// Locks the whole file against everybody else who has it open, for as long as it is open here;
    /// `false` if another has it. What has the lock already gets it again.
    ///
    /// # Errors
    /// The operating system's.
    fn try_lock(&self) -> io::Result<bool>;

    /// The file of the operating system, where it is one: for what only that can tell, such as its
    /// permissions or the room on its disk.
    fn of_system(&self) -> Option<&File>;
}

#[cfg(test)]
mod tests;
