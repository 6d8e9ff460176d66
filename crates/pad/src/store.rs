//! What must outlive the process, behind a trait small enough for other storage engines.

use core::fmt;
use std::{
    io,
    path::{Path, PathBuf},
};

use pad_core::Version;

pub mod redb_store;

/// A record: its name and its value.
pub type Record = (Vec<u8>, Vec<u8>);

/// One change of a named record: the new value, or `None` to remove it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordChange {
    /// The record's name.
    pub name: Vec<u8>,
    /// The record's new value, or `None` if the record goes.
    pub value: Option<Vec<u8>>,
}

impl RecordChange {
    /// Writes a record.
    pub fn put(name: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            value: Some(value.into()),
        }
    }

    /// Removes a record.
    pub fn remove(name: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            value: None,
        }
    }
}

/// A repository as it was written at some version, so that opening need not replay everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCheckpoint {
    /// The latest version in it.
    pub version: Version,
    /// The oldest version in it.
    pub oldest: Version,
    /// The digest of the three other fields under [`pad_core::Domain::Checkpoint`].
    pub digest: Vec<u8>,
    /// The encoded repository.
    pub bytes: Vec<u8>,
}

/// Durable storage of one dictionary: its signed updates, one checkpoint, and named records.
///
/// Laws: each call that writes is atomic and durable when it returns, and has no effect if it
/// fails (an error of the medium aside, after which only reopening tells). Updates have no gaps:
/// the stored ones are those of the versions from some version on up to [`Store::latest`].
pub trait Store {
    /// The version of the last published update.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn latest(&self) -> Result<Version, StoreError>;

    /// Appends the updates of the versions from `first` on and changes records, all or nothing.
    ///
    /// # Errors
    /// [`StoreError::Gap`] unless `first` follows [`Store::latest`]; [`StoreError`] of the medium.
    fn publish(
        &mut self,
        first: Version,
        updates: &[Vec<u8>],
        records: &[RecordChange],
    ) -> Result<(), StoreError>;

    /// The update that led to a version, or `None` if it is not there (any more).
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn update(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError>;

    /// Replaces the checkpoint and drops the updates up to its oldest version, which it replaces.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn put_checkpoint(&mut self, checkpoint: &StoredCheckpoint) -> Result<(), StoreError>;

    /// The last checkpoint written.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn checkpoint(&self) -> Result<Option<StoredCheckpoint>, StoreError>;

    /// The records whose names start with `prefix`, in ascending order of names.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn records(&self, prefix: &[u8]) -> Result<Vec<Record>, StoreError>;

    /// Changes records, all or nothing.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn write_records(&mut self, records: &[RecordChange]) -> Result<(), StoreError> {
        let next = Version::new(self.latest()?.number().saturating_add(1));
        self.publish(next, &[], records)
    }

    /// Gives free space back to the file system.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn compact(&mut self) -> Result<(), StoreError>;

    /// Lets the medium check its own structure.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it is not intact.
    fn check(&mut self) -> Result<(), StoreError>;
}

/// A store cannot do what it should. The caller looks after the medium.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no store at this path.
    Missing(PathBuf),
    /// There is something at this path already.
    Exists(PathBuf),
    /// The file is not a store of this format.
    Foreign(PathBuf),
    /// Another process has the store open.
    InUse(PathBuf),
    /// A part of the store is missing or damaged.
    Damaged(&'static str),
    /// An update does not follow the last published one.
    Gap {
        /// The version that would fit.
        expected: Version,
        /// The version offered.
        actual: Version,
    },
    /// The operating system refused.
    Io(io::Error),
    /// The storage engine failed.
    Engine(Box<dyn core::error::Error + Send + Sync>),
}

impl fmt::Display for StoreError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(formatter, "there is no store at {}", path.display()),
            Self::Exists(path) => write!(formatter, "{} exists already", path.display()),
            Self::Foreign(path) => write!(
                formatter,
                "{} is not a pad store, or is damaged beyond reading",
                path.display()
            ),
            Self::InUse(path) => {
                write!(
                    formatter,
                    "another process has the store {} open",
                    path.display()
                )
            }
            Self::Damaged(what) => write!(formatter, "the store is damaged: {what}"),
            Self::Gap { expected, actual } => write!(
                formatter,
                "version {actual} was offered for publication where version {expected} is next"
            ),
            Self::Io(error) => write!(formatter, "the store cannot be read or written: {error}"),
            Self::Engine(error) => write!(formatter, "the storage engine failed: {error}"),
        }
    }
}

impl core::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Engine(error) => Some(&**error),
            _ => None,
        }
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A file that vanishes unless it is given its name; as open to others as any file of this user.
///
/// # Errors
/// The operating system's.
pub fn new_file(prefix: &str, folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}
