//! One process at a time.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crate::place::{target, with_suffix};

/// How long to wait for a lock that another process holds only by accident, or for a moment.
///
/// A lock belongs to every process that has inherited its file. A child of a process that starts
/// programs has it from its fork to its `exec`. A [`Lock`] that is dropped is given up for all of them,
/// that of a process which was killed is not; so a lock that cannot be taken at once is not a sign that
/// somebody uses what it guards.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Keeps others from what a file holds for as long as this value lives.
///
/// The lock is on a file of its own, `<name>.lock` beside the file, which stays: what it guards is
/// replaced as a whole, and a lock on a file that has lost its name would guard nothing.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// A lock cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process, or another value in this one, has it.
    #[error("another process uses {}", .0.display())]
    InUse(PathBuf),
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Lock {
    /// Waits at most this long until nobody else has the lock of this file, which need not exist.
    ///
    /// # Errors
    /// [`LockError::InUse`] after that time; [`LockError::Io`].
    pub fn exclusive(path: &Path, patience: Duration) -> Result<Self, LockError> {
        let target = target(path)?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(with_suffix(&target, ".lock"))?;
        Self::wait(file, target, patience)
    }

    /// The same for a file that is never replaced, by a lock on the file itself.
    ///
    /// # Errors
    /// [`LockError::InUse`] with this path after that time; [`LockError::Io`].
    pub fn on(file: &File, path: &Path, patience: Duration) -> Result<Self, LockError> {
        Self::wait(file.try_clone()?, path.to_path_buf(), patience)
    }

    fn wait(file: File, path: PathBuf, patience: Duration) -> Result<Self, LockError> {
        let start = Instant::now();
        let mut pause = SHORTEST_PAUSE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { file }),
                Err(TryLockError::Error(error)) => return Err(error.into()),
                Err(TryLockError::WouldBlock) if start.elapsed() >= patience => {
                    return Err(LockError::InUse(path));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(pause),
            }
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }
}

/// Closing the file would leave the lock with a child of this process that has not executed yet.
impl Drop for Lock {
    fn drop(&mut self) {
        // It fails if there is no lock any more; closing does the rest.
        drop(self.file.unlock());
    }
}

const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use std::{process::Command, sync::atomic::AtomicBool, sync::atomic::Ordering};

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

    /// Between fork and exec a child of this process has every lock that the process had.
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
