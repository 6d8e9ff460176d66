//! Exclusive locks on files: only one process at a time holds a lock.

use std::{
    fs::{File, OpenOptions},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    layer::{SystemFile, wait_for_lock},
    place::{target, with_suffix},
};

/// Default time to wait for a lock that another process may hold only briefly.
///
/// A lock belongs to every process that has inherited its file. A child process therefore shares
/// the lock from its fork to its `exec`. Dropping a [`Lock`] releases it for all of these
/// processes. Killing the owner does not release it for the others. So a lock that cannot be taken
/// immediately does not prove that the file is in use.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// An exclusive lock on a file, held until this value is dropped.
///
/// [`Lock::exclusive`] locks a separate lock file, `<name>.lock` next to the file. The lock file is
/// never removed. The guarded file itself may be replaced. A lock on the replaced file, which has
/// no name any more, would guard nothing.
#[derive(Debug)]
pub struct Lock {
    /// Releases the lock on drop.
    _file: SystemFile,
}

/// Error returned when a lock cannot be taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process, or another value in this process, holds the lock.
    #[error("another process uses {}", .0.display())]
    InUse(PathBuf),
    /// An I/O error of the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Lock {
    /// Locks the file at `path`, which need not exist, waiting for about `patience`.
    ///
    /// # Errors
    /// [`LockError::InUse`] if another owner still holds the lock after `patience`.
    /// [`LockError::Io`] if the operating system fails.
    pub fn exclusive(path: &Path, patience: Duration) -> Result<Self, LockError> {
        let target = target(path)?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(with_suffix(&target, ".lock"))?;
        Self::wait(file, target, patience)
    }

    /// Locks `file` itself instead of a lock file, for files that are never replaced.
    ///
    /// # Errors
    /// [`LockError::InUse`] with `path` if another owner still holds the lock after `patience`.
    /// [`LockError::Io`] if the operating system fails.
    pub fn on(file: &File, path: &Path, patience: Duration) -> Result<Self, LockError> {
        Self::wait(file.try_clone()?, path.to_path_buf(), patience)
    }

    fn wait(file: File, path: PathBuf, patience: Duration) -> Result<Self, LockError> {
        let file = SystemFile::new(file);
        if wait_for_lock(&file, patience)? {
            return Ok(Self { _file: file });
        }
        Err(LockError::InUse(path))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        process::Command,
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    use super::*;

    #[test]
    fn one_at_a_time_and_whoever_waits_gets_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let first = Lock::exclusive(&path, Duration::ZERO).unwrap();
        let refused = Lock::exclusive(&path, Duration::ZERO).unwrap_err();
        assert!(matches!(&refused, LockError::InUse(found) if *found == path));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| Lock::exclusive(&path, Duration::from_mins(10)));
            drop(first);
            drop(waiting.join().unwrap().unwrap());
        });
    }

    #[cfg(unix)]
    #[test]
    fn two_names_of_one_file_have_one_lock() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let _first = Lock::exclusive(&real, Duration::ZERO).unwrap();
        let refused = Lock::exclusive(&link, Duration::ZERO).unwrap_err();
        assert!(matches!(refused, LockError::InUse(_)));
    }

    /// A child process has every lock of this process between its fork and its exec.
    #[test]
    fn programs_that_are_started_meanwhile_do_not_keep_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    drop(Command::new("true").status());
                }
            });
            let taken = (0..2_000).all(|_| Lock::exclusive(&path, Duration::ZERO).is_ok());
            done.store(true, Ordering::Relaxed);
            assert!(taken);
        });
    }
}
