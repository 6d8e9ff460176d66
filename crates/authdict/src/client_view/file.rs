//! A view's file, which several processes may advance. No process can move the view back or change
//! its key.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use pad_disk::{Access, Lock, LockError, PATIENCE};

use super::{StoredView, ViewFileError};

/// The path of a stored view.
#[derive(Clone, Debug)]
pub struct ViewFile {
    path: PathBuf,
}

/// Error of reading or writing a view at a path.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", .path.display())]
pub struct ViewAccessError {
    /// The path.
    pub path: PathBuf,
    /// The reason.
    pub fault: ViewAccessFault,
}

/// The reason why a view cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewAccessFault {
    /// An error of the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The path names a directory, a pipe or another special file.
    #[error("it is not a plain file")]
    NotPlain,
    /// The view in the file has another key.
    #[error("the view belongs to another key")]
    OtherKey,
    /// The file has a newer view.
    #[error("the view in the file is newer")]
    Newer,
    /// The contents are not a view.
    #[error(transparent)]
    File(#[from] ViewFileError),
    /// Another process does not release the view in time.
    #[error(transparent)]
    InUse(#[from] LockError),
}

impl ViewFile {
    /// The view at a path, which may not exist yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The path.
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
    /// The lock is not held during `advance`, so a slow server blocks no other process. After a
    /// concurrent change, `advance` runs again on the stored view. After four changes it runs with
    /// the lock held.
    ///
    /// # Errors
    /// [`ViewAccessError`] if the view cannot be read or written; the errors of `begin` and
    /// `advance`. The file is unchanged.
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
        // Other processes won each race: hold the lock now.
        self.advance_held(begin, advance)
    }

    /// Like [`ViewFile::advance`], but holds the lock during `advance`, which must be fast and runs
    /// once.
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

    /// Replaces the stored view `before` by `view`, if they differ.
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

/// Attempts to advance a view without holding the lock.
const MOST_RACES: u32 = 4;

/// The maximum length of a view file in bytes: keys of accumulators are long.
const LONGEST: u64 = 5 << 20;
