//! Durable storage behind a trait that is small enough for other storage engines.

use std::{io, path::PathBuf};

use pad_core::{Domain, Suite, Version};
use pad_disk::engine::EngineError;

use crate::selection::SchemeName;

mod any;
pub mod redb_store;

pub use any::AnyStore;

/// A record: its name inside its group, and its value.
pub type Record = (Vec<u8>, Vec<u8>);

/// One change of a named record of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordChange {
    /// Sets the value of a record.
    Put {
        /// The group.
        group: &'static str,
        /// The record's name.
        name: Vec<u8>,
        /// Its value.
        value: Vec<u8>,
    },
    /// Removes the record if it still has this value. A record changed by another writer stays.
    Remove {
        /// The group.
        group: &'static str,
        /// The record's name.
        name: Vec<u8>,
        /// The value expected in the record.
        value: Vec<u8>,
    },
    /// Writes a record whose value is the number of the store's latest version (8 bytes,
    /// big-endian), followed by `value`.
    PutAtLatest {
        /// The group.
        group: &'static str,
        /// The record's name.
        name: Vec<u8>,
        /// The value after the number.
        value: Vec<u8>,
        /// Whether to prefix the name with a number (8 bytes, big-endian), one more than the number
        /// of the group's last record. A numbered record never replaces another record.
        is_numbered: bool,
    },
    /// Replaces `from` by `to` at the beginning of values, for each record of `group` whose value
    /// begins with `from` (8 bytes, big-endian). Time: linear in the group's records.
    Renumber {
        /// The group.
        group: &'static str,
        /// The number before.
        from: u64,
        /// The number after.
        to: u64,
    },
}

impl RecordChange {
    /// Makes a [`RecordChange::Put`].
    pub fn put(group: &'static str, name: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Self {
        Self::Put {
            group,
            name: name.into(),
            value: value.into(),
        }
    }

    /// Makes a [`RecordChange::Remove`], which removes the record if it has this value.
    pub fn remove(
        group: &'static str,
        name: impl Into<Vec<u8>>,
        value: impl Into<Vec<u8>>,
    ) -> Self {
        Self::Remove {
            group,
            name: name.into(),
            value: value.into(),
        }
    }
}

/// A snapshot of a repository at some version, so that opening need not replay every update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCheckpoint {
    /// The latest version in it.
    pub version: Version,
    /// The oldest version in it.
    pub oldest: Version,
    /// The digest of the three other fields under [`pad_core::Domain::Checkpoint`]. Empty after the
    /// pruning of a repository with derived data, as are the bytes.
    pub digest: Vec<u8>,
    /// The encoded repository.
    pub bytes: Vec<u8>,
}

impl StoredCheckpoint {
    /// A checkpoint with its digest.
    pub fn new<S: Suite>(version: Version, oldest: Version, bytes: Vec<u8>) -> Self {
        let digest = digest::<S>(version, oldest, &bytes);
        Self {
            version,
            oldest,
            digest,
            bytes,
        }
    }

    /// Whether [`StoredCheckpoint::digest`] matches the other fields.
    pub fn is_intact<S: Suite>(&self) -> bool {
        self.digest == digest::<S>(self.version, self.oldest, &self.bytes)
    }
}

/// The digest of a checkpoint: version (8, big-endian) ‖ oldest (8) ‖ bytes.
fn digest<S: Suite>(version: Version, oldest: Version, bytes: &[u8]) -> Vec<u8> {
    let [version, oldest] = [version, oldest].map(|version| version.number().to_be_bytes());
    let digest = S::hash(Domain::Checkpoint, &[&version, &oldest, bytes]);
    digest.as_ref().to_vec()
}

/// Durable storage of one dictionary.
///
/// A store holds the dictionary's signed updates, one checkpoint and groups of named records. For a
/// repository that stores its own contents, it holds the latest row instead of the updates.
///
/// Laws:
///
/// 1. Each write is atomic, and durable when it returns. A failed write has no effect, except after
///    an error of the medium: then the store must be reopened to learn its state.
/// 2. Updates have no gaps: the store contains the update of every version from some version up to
///    [`Store::latest`]. Only [`Store::publish_row`] overwrites an update.
/// 3. Reads return the written values. An accident to the medium (a flipped bit, a stale page, a
///    lost record) is an error. It never yields another value, nor a state older than the
///    acknowledged state. Exceptions: a checkpoint's reader checks its digest, and see
///    [`Store::records_between`].
pub trait Store: core::fmt::Debug {
    /// The random number that identifies this store.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn id(&self) -> Result<[u8; 16], StoreError>;

    /// The version of the last published update.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn latest(&self) -> Result<Version, StoreError>;

    /// Appends the updates of the versions from `first` on and changes records, all or nothing.
    ///
    /// # Errors
    /// [`StoreError::Gap`] if there are updates and `first` does not follow [`Store::latest`], for
    /// example after a concurrent publication; [`StoreError::OnlyTrees`]; [`StoreError`] of the
    /// medium.
    fn publish(
        &mut self,
        first: Version,
        updates: &[Vec<u8>],
        records: &[RecordChange],
    ) -> Result<(), StoreError>;

    /// Returns the payload published for a version, or `None` if it is not stored (any more).
    ///
    /// The payload is the update that led to the version. For a repository that stores its own
    /// contents, it is the row of the latest version. [`crate::Replica::update_within`] returns the
    /// message that other servers receive.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn update(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError>;

    /// Replaces the latest version and all stored rows by one row, and changes records, all or
    /// nothing. For repositories that store their own contents.
    ///
    /// # Errors
    /// [`StoreError::Gap`] unless `before` is [`Store::latest`] and not later than `latest`;
    /// [`StoreError`] of the medium.
    fn publish_row(
        &mut self,
        before: Version,
        latest: Version,
        row: &[u8],
        records: &[RecordChange],
    ) -> Result<(), StoreError>;

    /// Replaces the checkpoint, and drops the updates up to its oldest version.
    ///
    /// # Errors
    /// [`StoreError::Superseded`] if the stored checkpoint is of a later version, or if versions in
    /// `checkpoint` were pruned meanwhile; [`StoreError::Damaged`] if `checkpoint` is ahead of the
    /// updates; [`StoreError`] of the medium.
    fn put_checkpoint(&mut self, checkpoint: &StoredCheckpoint) -> Result<(), StoreError>;

    /// The last checkpoint written.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn checkpoint(&self) -> Result<Option<StoredCheckpoint>, StoreError>;

    /// All records of a group, in ascending order of names.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn records(&self, group: &'static str) -> Result<Vec<Record>, StoreError>;

    /// The records of a group from name `first` to name `last`, both included, in ascending order
    /// of names. An implementation that reads no other records does not detect a missing one.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn records_between(
        &self,
        group: &'static str,
        first: &[u8],
        last: &[u8],
    ) -> Result<Vec<Record>, StoreError> {
        let mut records = self.records(group)?;
        records.retain(|(name, _)| (first..=last).contains(&name.as_slice()));
        Ok(records)
    }

    /// The number of records of a group, without reading them.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn record_count(&self, group: &'static str) -> Result<u64, StoreError>;

    /// Changes records, all or nothing.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn write_records(&mut self, records: &[RecordChange]) -> Result<(), StoreError>;

    /// Pins reads to one state of the store until [`Store::unpin`], regardless of concurrent
    /// writes.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn pin(&self) -> Result<(), StoreError>;

    /// Ends [`Store::pin`]: reads see the newest state again.
    fn unpin(&self);

    /// Gives free space back to the file system. While there are readers, it does nothing; call it
    /// again later.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn compact(&mut self) -> Result<(), StoreError>;

    /// Checks the medium's own structure. A store in a file is read as a whole.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the structure is inconsistent; [`StoreError::Older`];
    /// [`StoreError`] of the medium.
    fn check(&mut self) -> Result<(), StoreError>;
}

/// Error of a store. The operator has to check the medium or the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no store at this path.
    #[error("there is no store at {}", .0.display())]
    Missing(PathBuf),
    /// The path is taken already.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The file is not a store of this format.
    #[error("{} is not a pad store, or is damaged beyond reading", .0.display())]
    Foreign(PathBuf),
    /// Another process holds the store for writing, and does not release it in time.
    #[error("another process is writing to the store {}", .0.display())]
    InUse(PathBuf),
    /// A part of the store is missing or damaged.
    #[error("the store is damaged: {0}")]
    Damaged(&'static str),
    /// The store is older than its last acknowledged state. Damage has rolled the store back, or an
    /// old copy has replaced it.
    #[error(
        "the store is damaged or an old copy: it is at version {found} (change {found_change}), \
         but version {acknowledged} (change {acknowledged_change}) was acknowledged from it; \
         restore a newer copy, or remove {} to continue from here",
        .record.display()
    )]
    Older {
        /// The latest version in the store.
        found: Version,
        /// The number of the last change in the store.
        found_change: u64,
        /// The latest version that was acknowledged.
        acknowledged: Version,
        /// The number of the last change that was acknowledged.
        acknowledged_change: u64,
        /// The file that records the acknowledged state.
        record: PathBuf,
    },
    /// An update does not follow the last published one.
    #[error("version {actual} cannot be published: the next version is {expected}")]
    Gap {
        /// The version expected next.
        expected: Version,
        /// The version offered.
        actual: Version,
    },
    /// A checkpoint is older than the stored checkpoint, or contains versions that were pruned
    /// meanwhile.
    #[error("the store has a newer checkpoint: it was pruned meanwhile, run this again")]
    Superseded,
    /// Another process has written to the objects meanwhile.
    #[error("another process is publishing into these objects: run this again")]
    Overtaken,
    /// The store is of another dictionary or author.
    #[error("the key belongs to another dictionary")]
    OtherKey,
    /// The key is of a dictionary of another family.
    #[error("the key belongs to another family: its dictionary has scheme {0}")]
    OtherFamily(SchemeName),
    /// The public parameters for the store of a log are missing.
    #[error("public parameters are missing: the store of a log is created with them")]
    NoParameters,
    /// The store was opened without the author's key.
    #[error("the store was opened without its author's key, so nothing can be signed")]
    NoAuthor,
    /// A store in objects accepts only updates that are already signed.
    #[error(
        "a store in objects accepts only signed updates: keep the author's store in files, and \
         send its updates to the objects (pad push, pad apply)"
    )]
    NotSignedFor,
    /// Stores in objects support trees only.
    #[error("stores in objects support trees only")]
    OnlyTrees,
    /// This kind of store keeps all versions.
    #[error("this kind of store keeps all versions: prune a copy in files")]
    CannotPrune,
    /// This kind of store cannot move nodes, or does not contain nodes.
    #[error("only trees whose nodes are stored in files can be compacted")]
    CannotCompact,
    /// The latest version exceeds the memory limit.
    #[error(
        "its latest version needs {needed} bytes of memory, but the limit is {most}: raise the \
         limit, or choose the size of a cache"
    )]
    TooLarge {
        /// The number of bytes needed.
        needed: u64,
        /// The number of bytes allowed.
        most: u64,
    },
    /// Files replaced by a pruning still exist.
    #[error("files replaced by pruning cannot be removed ({0}): prune again to remove them")]
    NotRemoved(#[source] Box<Self>),
    /// An earlier write failed. The store must be reopened to learn its state.
    #[error("the store is closed after a failed write: open it again to see its state")]
    Closed,
    /// A writer was interrupted, and this process lacks the permission to repair the store.
    #[error(
        "a writer of the store {} was interrupted; open it once with permission to write \
         (pad check does)", .0.display()
    )]
    Interrupted(PathBuf),
    /// The operating system reported an error.
    #[error("the store cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// The storage engine failed.
    #[error("the storage engine failed: {0}")]
    Engine(#[source] Box<dyn core::error::Error + Send + Sync>),
}

#[cfg(not(feature = "object-store"))]
impl StoreError {
    /// The error for an address given to a build without object stores.
    pub(crate) fn no_objects() -> Self {
        let said = "stores in objects are not built in (feature object-store)";
        io::Error::new(io::ErrorKind::Unsupported, said).into()
    }
}

impl From<EngineError> for StoreError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Missing(path) => Self::Missing(path),
            EngineError::Exists(path) => Self::Exists(path),
            EngineError::Foreign(path) => Self::Foreign(path),
            EngineError::InUse(path) => Self::InUse(path),
            EngineError::RepairNeeded(path) => Self::Interrupted(path),
            EngineError::PageMissing(_) => Self::Damaged("a page is missing from the file"),
            EngineError::PageChanged(_) => Self::Damaged("a page is corrupt"),
            EngineError::Panicked => Self::Damaged("the pages cannot be read"),
            EngineError::NotIntact => Self::Damaged("the page structure is inconsistent"),
            EngineError::Io(error) => Self::Io(error),
            EngineError::Engine(error) => Self::Engine(error),
            error => Self::Engine(Box::new(error)),
        }
    }
}

impl From<pad_disk::RegisterError> for StoreError {
    fn from(error: pad_disk::RegisterError) -> Self {
        match error {
            pad_disk::RegisterError::Io(error) => Self::Io(error),
            _ => NEWEST_UNREADABLE,
        }
    }
}

pub(crate) const NEWEST_UNREADABLE: StoreError = StoreError::Damaged(
    "the file of the newest acknowledged state (.newest) is unreadable: move that file away, and \
     compare the version in pad status with the version published last",
);
