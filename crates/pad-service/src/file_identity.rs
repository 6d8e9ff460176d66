//! Identities of files, which show that a file was removed or replaced.

use std::{
    fs::{self, Metadata},
    io,
    path::Path,
};

/// The device and the inode of a file, which no other file has while the file is open. `None` if
/// there is no file.
pub(crate) type FileIdentity = Option<(u64, u64)>;

/// Returns the identity of the file at `path`.
pub(crate) fn identity(path: &Path) -> io::Result<FileIdentity> {
    match fs::metadata(path) {
        Ok(found) => Ok(Some(numbers(&found))),
        Err(error) if ABSENT.contains(&error.kind()) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn numbers(found: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;

    (found.dev(), found.ino())
}

/// Without inodes, only the removal of a file is noticed.
#[cfg(not(unix))]
const fn numbers(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Kinds of errors of a file that does not exist.
const ABSENT: [io::ErrorKind; 2] = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
