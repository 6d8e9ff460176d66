//! Resolution of symbolic links, and the folder of a path.

use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// Resolves the symbolic links of `path`. The file at their end need not exist.
///
/// # Errors
/// I/O errors of the operating system, and an error for `MAX_LINKS` links or more.
pub(crate) fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match found(fs::symlink_metadata(&path))? {
            Some(metadata) if metadata.is_symlink() => {
                path = folder(&path).join(fs::read_link(&path)?);
            }
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Returns the path of a companion file: the file at the end of symbolic links, with `suffix`
/// appended to its name.
///
/// # Errors
/// I/O errors of the operating system, for example if symbolic links form a cycle.
pub fn companion(path: &Path, suffix: &str) -> io::Result<PathBuf> {
    target(path).map(|target| with_suffix(&target, suffix))
}

pub(crate) fn with_suffix(target: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(target);
    name.push(suffix);
    name.into()
}

/// Converts the error of a missing file to `None`.
///
/// # Errors
/// Other errors of `outcome`.
pub fn found<T>(outcome: io::Result<T>) -> io::Result<Option<T>> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        outcome => outcome.map(Some),
    }
}

/// The folder that contains `path`.
pub(crate) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Fsyncs a folder, which makes the names in it durable.
#[cfg(unix)]
pub(crate) fn synchronise(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Does nothing, because some systems cannot open folders as files.
#[cfg(not(unix))]
pub(crate) fn synchronise(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Number of symbolic links at which resolution fails. Linux still follows this number of links.
const MAX_LINKS: usize = 40;
