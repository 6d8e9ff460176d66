//! Where a file really is, and the folder that holds its name.

use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// The file that a name leads to through symbolic links, whether it exists or not.
///
/// # Errors
/// The operating system's; [`io::ErrorKind::FilesystemLoop`] where links lead nowhere.
pub(crate) fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => path = folder(&path).join(fs::read_link(&path)?),
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The path of a companion of the file at this path: of the file that the path leads to through
/// symbolic links, with `suffix` at the end of its name.
///
/// # Errors
/// The operating system's, for example if symbolic links lead in a circle.
pub fn beside(path: &Path, suffix: &str) -> io::Result<PathBuf> {
    target(path).map(|target| with_suffix(&target, suffix))
}

pub(crate) fn with_suffix(target: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(target);
    name.push(suffix);
    name.into()
}

/// The folder that holds a name.
pub(crate) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the names in a folder durable.
#[cfg(unix)]
pub(crate) fn synchronise(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Folders cannot be opened as files everywhere; a rename is durable by other means there.
#[cfg(not(unix))]
pub(crate) fn synchronise(_: &Path) -> io::Result<()> {
    Ok(())
}

/// As many as Linux follows.
const MAX_LINKS: usize = 40;
