//! The file of a view. Several processes may advance the view; no process can move it back or
//! change its key.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use pad_disk::{Access, Lock, LockError, PATIENCE};

use super::{StoredView, ViewFileError};

/// Handle of a view file at a path. The file need not exist yet.
///
/// A view that this process has written is durable. A view that it has read may not be: if its
/// writer was killed and the power fails within seconds, the file contains the view before.
#[derive(Clone, Debug)]
pub struct ViewFile {
    path: PathBuf,
}

/// Error returned when the view file at a path cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", .path.display())]
pub struct ViewAccessError {
    /// The path of the view file.
    pub path: PathBuf,
    /// The reason why the file cannot be read or written.
    pub fault: ViewAccessFault,
}

/// Reason why a view cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewAccessFault {
    /// The operating system reported an error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The path does not name a regular file, but for example a directory or a pipe.
    #[error("it is not a plain file")]
    NotPlain,
    /// The public key of the view in the file differs from the key of the view to store.
    #[error("the view belongs to another key")]
    OtherKey,
    /// The file contains a view of a newer version than the view to store.
    #[error("the view in the file is newer")]
    Newer,
    /// The contents of the file are not a valid view.
    #[error(transparent)]
    File(#[from] ViewFileError),
    /// Another process does not release the lock of the view in time.
    #[error(transparent)]
    InUse(#[from] LockError),
}

impl ViewFile {
    /// Creates the handle of the view at a path, without accessing the file.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns the path of the view file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the view, if there is one. An unreadable file or a dangling link is an error.
    ///
    /// # Errors
    /// [`ViewAccessError`].
    pub fn read(&self) -> Result<Option<StoredView>, ViewAccessError> {
        self.stored().map_err(|fault| self.failed(fault))
    }

    /// Advances the view and stores the result. `begin` gets the stored view, or `None`, and
    /// returns the view to advance.
    ///
    /// The file is not locked while `advance` runs, so a slow server blocks no other process. If
    /// another process changes the file meanwhile, `advance` runs again on the stored view. After
    /// four such changes, `advance` runs while the file is locked.
    ///
    /// # Errors
    /// [`ViewAccessError`] if the view cannot be read or written; the errors of `begin` and
    /// `advance`. The file is unchanged after an error.
    pub fn advance<E: From<ViewAccessError>>(
        &self,
        begin: impl Fn(Option<StoredView>) -> Result<StoredView, E>,
        mut advance: impl FnMut(StoredView) -> Result<StoredView, E>,
    ) -> Result<StoredView, E> {
        for _ in 0..MOST_RACES {
            let before = self.read()?;
            let view = advance(begin(before.clone())?)?;
            let _lock = self.lock()?;
            if self.read()? == before {
                return Ok(self.keep(before.as_ref(), view)?);
            }
        }
        // Other processes changed the file during each attempt, so the lock is held now.
        self.advance_held(begin, advance)
    }

    /// Advances the view like [`ViewFile::advance`], but holds the lock while `advance` runs. The
    /// callback must be fast. It runs once.
    ///
    /// # Errors
    /// The errors of [`ViewFile::advance`].
    pub fn advance_held<E: From<ViewAccessError>>(
        &self,
        begin: impl Fn(Option<StoredView>) -> Result<StoredView, E>,
        advance: impl FnOnce(StoredView) -> Result<StoredView, E>,
    ) -> Result<StoredView, E> {
        let _lock = self.lock()?;
        let before = self.read()?;
        let view = advance(begin(before.clone())?)?;
        Ok(self.keep(before.as_ref(), view)?)
    }

    fn lock(&self) -> Result<Lock, ViewAccessError> {
        Lock::exclusive(&self.path, PATIENCE).map_err(|error| self.failed(error.into()))
    }

    /// Writes `view` to the file in place of the stored view `before`, if the two differ, and
    /// returns `view`.
    ///
    /// # Errors
    /// [`ViewAccessError`] with [`ViewAccessFault::OtherKey`] if the public keys differ, with
    /// [`ViewAccessFault::Newer`] if `before` is newer, or with [`ViewAccessFault::Io`].
    fn keep(
        &self,
        before: Option<&StoredView>,
        view: StoredView,
    ) -> Result<StoredView, ViewAccessError> {
        if let Some(before) = before {
            if before.public() != view.public() {
                return Err(self.failed(ViewAccessFault::OtherKey));
            }
            if before.version() > view.version() {
                return Err(self.failed(ViewAccessFault::Newer));
            }
        }
        if before != Some(&view) {
            let replaced = pad_disk::replace(&self.path, view.to_text().as_bytes(), Access::Usual);
            replaced.map_err(|error| self.failed(error.into()))?;
        }
        Ok(view)
    }

    fn stored(&self) -> Result<Option<StoredView>, ViewAccessFault> {
        if let Err(error) = self.path.symlink_metadata() {
            return match error.kind() {
                io::ErrorKind::NotFound => Ok(None),
                _ => Err(error.into()),
            };
        }
        // Opening a pipe would block.
        if !self.path.metadata()?.is_file() {
            return Err(ViewAccessFault::NotPlain);
        }
        let mut bytes = Vec::new();
        let file = File::open(&self.path)?;
        file.take(LONGEST + 1).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length > LONGEST) {
            return Err(ViewFileError::Damaged.into());
        }
        let text = String::from_utf8(bytes).map_err(|_| ViewFileError::Damaged)?;
        Ok(Some(StoredView::parse(&text)?))
    }

    fn failed(&self, fault: ViewAccessFault) -> ViewAccessError {
        let path = self.path.clone();
        ViewAccessError { path, fault }
    }
}

/// The maximum number of attempts to advance a view without holding the lock.
const MOST_RACES: u32 = 4;

/// The maximum length of a view file in bytes. A view can contain a long accumulator key.
const LONGEST: u64 = 5 << 20;
