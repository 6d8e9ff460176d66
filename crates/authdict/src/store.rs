//! Durable storage behind a trait that is small enough to implement on other storage engines.

use std::{io, path::PathBuf};

use pad_core::{Suite, Version, internals::Domain};
use pad_disk::engine::EngineError;

use crate::selection::SchemeName;

mod any;
#[cfg(test)]
pub(crate) mod in_memory;
pub(crate) mod redb_store;

pub use any::AnyStore;
use redb_store::RedbStore;

/// A record: its name within its group, and its value.
pub type Record = (Vec<u8>, Vec<u8>);

/// A change of a named record in a group of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordChange {
    /// Sets the value of a record.
    Put {
        /// The group of the record.
        group: &'static str,
        /// The name of the record.
        name: Vec<u8>,
        /// The value that the record has afterwards.
        value: Vec<u8>,
    },
    /// Removes a record, if it still has the value `value`. A record that another writer has
    /// changed is kept.
    Remove {
        /// The group of the record.
        group: &'static str,
        /// The name of the record.
        name: Vec<u8>,
        /// The value that the record must have to be removed.
        value: Vec<u8>,
    },
    /// Writes a record whose value is the number of the store's latest version (8 bytes,
    /// big-endian), followed by `value`.
    PutAtLatest {
        /// The group of the record.
        group: &'static str,
        /// The name of the record.
        name: Vec<u8>,
        /// The part of the value after the version number.
        value: Vec<u8>,
        /// Whether the name is preceded by a number (8 bytes, big-endian), which is one more than
        /// the number of the group's last record. A numbered record never replaces another record.
        is_numbered: bool,
    },
    /// Replaces the number `from` by `to` at the beginning of values. Applies to each record of
    /// `group` whose value begins with `from` (8 bytes, big-endian). Time: linear in the group's
    /// records.
    Renumber {
        /// The group of the records.
        group: &'static str,
        /// The version number to replace.
        from: u64,
        /// The version number that replaces it.
        to: u64,
    },
}

impl RecordChange {
    /// Creates a [`RecordChange::Put`].
    pub fn put(group: &'static str, name: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Self {
        Self::Put {
            group,
            name: name.into(),
            value: value.into(),
        }
    }

    /// Creates a [`RecordChange::Remove`], which removes the record if it has this value.
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

/// The encoded state of a repository at one version. A repository that is opened from a checkpoint
/// replays only later updates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCheckpoint {
    /// The version at which the checkpoint was written; the latest that it contains.
    pub version: Version,
    /// The oldest version whose contents the checkpoint contains.
    pub oldest: Version,
    /// The digest of the three other fields under the domain `Checkpoint`. Pruning a dictionary
    /// with derived data writes a checkpoint with empty `digest` and `bytes`.
    pub digest: Vec<u8>,
    /// The state of the repository, in the encoding of its family.
    pub bytes: Vec<u8>,
}

impl StoredCheckpoint {
    /// Creates a checkpoint from its encoded state `bytes`, and computes its digest.
    pub fn new<S: Suite>(version: Version, oldest: Version, bytes: Vec<u8>) -> Self {
        let digest = digest::<S>(version, oldest, &bytes);
        Self {
            version,
            oldest,
            digest,
            bytes,
        }
    }

    /// Returns whether [`StoredCheckpoint::digest`] matches the other fields.
    pub fn is_intact<S: Suite>(&self) -> bool {
        self.digest == digest::<S>(self.version, self.oldest, &self.bytes)
    }
}

/// Returns the digest of a checkpoint: version (8 bytes, big-endian) ‖ oldest (8 bytes) ‖ bytes.
fn digest<S: Suite>(version: Version, oldest: Version, bytes: &[u8]) -> Vec<u8> {
    let [version, oldest] = [version, oldest].map(|version| version.number().to_be_bytes());
    let digest = S::hash(Domain::Checkpoint, &[&version, &oldest, bytes]);
    digest.as_ref().to_vec()
}

/// Durable storage of one dictionary.
///
/// A store contains the dictionary's signed updates, one checkpoint, and groups of named records.
/// For a dictionary kept as rows ([`crate::Keeper`]), it contains the latest row instead of the
/// updates, or the rows of all versions. A *row* is the signed head of a version, with the
/// positions of the version's data in other files or objects.
///
/// Laws:
///
/// 1. Each write is atomic, and durable when it returns. A failed write has no effect, except after
///    an error of the medium. After such an error, the state of the store is unknown until it is
///    reopened.
/// 2. Updates have no gaps: the store contains the update of every version from some version up to
///    [`Store::latest`]. Only [`Store::publish_row`] overwrites an update.
/// 3. Reads return the written values. An accident to the medium (a flipped bit, a stale page, a
///    lost record) causes an error. It never causes a read of another value, or of a state older
///    than the acknowledged state. Exceptions: the reader of a checkpoint has to check its digest,
///    and [`Store::records_between`] may not detect missing records.
pub trait Store: core::fmt::Debug {
    /// Returns the random number that identifies this store.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn id(&self) -> Result<[u8; 16], StoreError>;

    /// Returns the version of the last published update.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn latest(&self) -> Result<Version, StoreError>;

    /// Appends `updates`, the updates of consecutive versions from `first` on, and changes records.
    /// Either all of this becomes durable, or nothing.
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

    /// Returns the payload published for a version; `None` if the store does not contain it, or has
    /// dropped it.
    ///
    /// The payload is the update that produced the version. In a dictionary kept as rows, the
    /// payload is the version's row. Some stores contain only the row of the latest version. Other
    /// servers receive the message that [`crate::Replica::update_within`] returns.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn update(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError>;

    /// Makes `latest` the latest version, whose row replaces all stored rows, and changes records.
    /// Either all of this becomes durable, or nothing. Only for dictionaries kept as rows. A store
    /// in objects keeps the rows of all versions, and accepts no records.
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

    /// Replaces the stored checkpoint by `checkpoint`, and drops the updates of all versions up to
    /// `checkpoint.oldest`.
    ///
    /// # Errors
    /// [`StoreError::Superseded`] if the stored checkpoint is of a later version, or if versions in
    /// `checkpoint` were pruned in the meantime; [`StoreError::Damaged`] if `checkpoint` is ahead
    /// of the updates; [`StoreError`] of the medium.
    fn put_checkpoint(&mut self, checkpoint: &StoredCheckpoint) -> Result<(), StoreError>;

    /// Returns the checkpoint that was written last; `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn checkpoint(&self) -> Result<Option<StoredCheckpoint>, StoreError>;

    /// Returns all records of a group, in ascending order of names.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn records(&self, group: &'static str) -> Result<Vec<Record>, StoreError>;

    /// Returns the records of a group with names from `first` to `last`, both included, in
    /// ascending order of names. An implementation that reads no other records does not detect a
    /// missing record.
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

    /// Returns the number of records of a group.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn record_count(&self, group: &'static str) -> Result<u64, StoreError> {
        Ok(u64::try_from(self.records(group)?.len()).unwrap_or(u64::MAX))
    }

    /// Applies all changes in `records` to the store's records, or none of them.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn write_records(&mut self, records: &[RecordChange]) -> Result<(), StoreError> {
        self.publish(Version::EMPTY, &[], records)
    }

    /// Pins reads to one state of the store until [`Store::unpin`], regardless of concurrent
    /// writes.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn pin(&self) -> Result<(), StoreError>;

    /// Ends the effect of [`Store::pin`]: reads return the newest state again.
    fn unpin(&self);

    /// Returns unused space to the file system. While the store has readers, this call does nothing
    /// and has to be repeated later.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn compact(&mut self) -> Result<(), StoreError>;

    /// Checks the structure of the storage medium. A store in a file is read as a whole.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the structure is inconsistent; [`StoreError::Older`];
    /// [`StoreError`] of the medium.
    fn check(&mut self) -> Result<(), StoreError>;

    /// Returns the store if it is in a file; `None` otherwise.
    fn file(&self) -> Option<&RedbStore>;
}

/// Error returned by a store. Most errors require the operator to check the medium or the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// No store exists at this path.
    #[error("there is no store at {}", .0.display())]
    Missing(PathBuf),
    /// A file or store already exists at this path.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The file or object at this path is not a store, or has another format.
    #[error("{} is not a pad store, or is damaged beyond reading", .0.display())]
    Foreign(PathBuf),
    /// Another process has opened the store for writing, and does not release it in time.
    #[error("another process is writing to the store {}", .0.display())]
    InUse(PathBuf),
    /// A part of the store is missing or damaged; the field describes which.
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
        /// The number of the last change (write transaction) in the store.
        found_change: u64,
        /// The latest version that was acknowledged.
        acknowledged: Version,
        /// The number of the last change that was acknowledged.
        acknowledged_change: u64,
        /// The path of the file that records the acknowledged state.
        record: PathBuf,
    },
    /// The version to publish does not follow the latest version in the store, for example because
    /// another process has published.
    #[error("version {actual} cannot be published: the next version is {expected}")]
    Gap {
        /// The version that the store expects next.
        expected: Version,
        /// The version that the caller gave instead.
        actual: Version,
    },
    /// The checkpoint is older than the stored checkpoint, or contains versions that were pruned in
    /// the meantime.
    #[error("the store has a newer checkpoint: it was pruned meanwhile, run this again")]
    Superseded,
    /// Another process has written to the dictionary's objects since this process read them.
    #[error("another process is publishing into these objects: run this again")]
    Overtaken,
    /// The latest version of the store is older than the one that was served from it before.
    #[error(
        "the store is an old copy: its latest version is {found}, and version {served} was served"
    )]
    OldCopy {
        /// The latest version of the store.
        found: Version,
        /// The latest version that was served before.
        served: Version,
    },
    /// The store belongs to another dictionary or author than the given key.
    #[error("the key belongs to another dictionary")]
    OtherKey,
    /// The given key belongs to a dictionary of another family. The field is its scheme.
    #[error("the key belongs to another family: its dictionary has scheme {0}")]
    OtherFamily(SchemeName),
    /// The store of a log requires public parameters, but the caller gave none.
    #[error("public parameters are missing: the store of a log is created with them")]
    NoParameters,
    /// Signing is impossible, because the store was opened without the author's secret key.
    #[error("the store was opened without its author's key, so nothing can be signed")]
    NoAuthor,
    /// No version can be signed for a store in an object store. It accepts only updates that are
    /// already signed.
    #[error(
        "a store in objects accepts only signed updates: keep the author's store in files, and \
         send its updates to the objects (pad push, pad apply)"
    )]
    NotSignedFor,
    /// Stores in object stores support tree schemes only.
    #[error("stores in objects support trees only")]
    OnlyTrees,
    /// Versions cannot be pruned, because this kind of store keeps all versions.
    #[error("this kind of store keeps all versions: prune a copy in files")]
    CannotPrune,
    /// Nodes cannot be compacted, because this kind of store contains no tree nodes, or cannot move
    /// them.
    #[error("only trees whose nodes are stored in files can be compacted")]
    CannotCompact,
    /// The latest version is to be cached as a whole, but exceeds the cache's memory limit.
    #[error(
        "its latest version needs {needed} bytes of memory, but the limit is {most}: raise the \
         limit, or choose the size of a cache"
    )]
    TooLarge {
        /// The number of bytes that the latest version needs.
        needed: u64,
        /// The memory limit in bytes.
        most: u64,
    },
    /// The pruning succeeded, but the files that it has replaced could not be removed, for this
    /// reason.
    #[error("files replaced by pruning cannot be removed ({0}): prune again to remove them")]
    NotRemoved(#[source] Box<Self>),
    /// Writes are refused, because an earlier write failed. The store must be reopened to learn its
    /// state.
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
    /// The storage engine of the store's file failed, for this reason.
    #[error("the storage engine failed: {0}")]
    Engine(#[source] Box<dyn core::error::Error + Send + Sync>),
}

#[cfg(not(feature = "object-store"))]
impl StoreError {
    /// Creates the error for an address that is given to a build without the feature
    /// `object-store`.
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
