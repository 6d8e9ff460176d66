//! What must outlive the process, behind a trait small enough for other storage engines.

use std::{io, path::PathBuf};

use disk::engine::EngineError;
use pad_core::{Domain, Suite, Version};

pub mod any;
pub mod redb_store;

/// A record: its name inside its group, and its value.
pub type Record = (Vec<u8>, Vec<u8>);

/// One change of a named record of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordChange {
    /// The record has this value now.
    Put {
        /// The group.
        group: &'static str,
        /// The record's name.
        name: Vec<u8>,
        /// Its value.
        value: Vec<u8>,
    },
    /// The record goes if it still has this value; one that somebody has changed meanwhile stays.
    Remove {
        /// The group.
        group: &'static str,
        /// The record's name.
        name: Vec<u8>,
        /// The value that it is to have.
        value: Vec<u8>,
    },
    /// The record has the number of the store's latest version (8 bytes, big-endian) and then this
    /// value.
    PutAtLatest {
        /// The group.
        group: &'static str,
        /// The record's name.
        name: Vec<u8>,
        /// The value after the number.
        value: Vec<u8>,
        /// Whether the name comes after a number too (8 bytes, big-endian), which follows that of the
        /// group's last record: then it replaces none.
        is_numbered: bool,
    },
    /// Each record of a group whose value begins with one number (8 bytes, big-endian) begins with
    /// another one now. Time: linear in the group's records.
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
    /// Writes a record.
    pub fn put(group: &'static str, name: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Self {
        Self::Put {
            group,
            name: name.into(),
            value: value.into(),
        }
    }

    /// Removes a record that has this value.
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

    /// Whether its digest is that of its other fields.
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

/// Durable storage of one dictionary: its signed updates (or the latest row of a repository that keeps its contents itself), one checkpoint, and
/// groups of named records.
///
/// Laws:
///
/// 1. Each call that writes is atomic and durable when it returns, and has no effect if it fails (an
///    error of the medium aside, after which only opening anew tells).
/// 2. Updates have no gaps: the stored ones are those of the versions from some version on up to
///    [`Store::latest`]. None is ever overwritten but by [`Store::publish_row`].
/// 3. What is returned is what was written: an accident to the medium (a flipped bit, a stale page, a
///    lost record) is an error and never another value, nor an older state than was acknowledged.
pub trait Store {
    /// What no other store has: a number that nobody chose.
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
    /// [`StoreError::Gap`] unless `first` follows [`Store::latest`], as when somebody else has
    /// published meanwhile; [`StoreError`] of the medium.
    fn publish(
        &mut self,
        first: Version,
        updates: &[Vec<u8>],
        records: &[RecordChange],
    ) -> Result<(), StoreError>;

    /// What was published for a version, or `None` if it is not there (any more): the update that led to it, or the row of the latest version of
    /// a repository that keeps its contents itself. [`crate::Durable::update_message`] is what others are sent.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn update(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError>;

    /// Makes a version the latest in the place of another one, with a row of a repository that keeps its contents itself, and changes
    /// records, all or nothing. The row is the only one that the store has then.
    ///
    /// # Errors
    /// [`StoreError::Gap`] unless `before` is [`Store::latest`] and not later than `latest`; [`StoreError`] of the medium.
    fn publish_row(
        &mut self,
        before: Version,
        latest: Version,
        row: &[u8],
        records: &[RecordChange],
    ) -> Result<(), StoreError>;

    /// Replaces the checkpoint and drops the updates up to its oldest version, which it replaces.
    ///
    /// # Errors
    /// [`StoreError::Superseded`] if the stored one is of a later version, or versions that are in this one
    /// were pruned meanwhile; [`StoreError`] of the medium.
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

    /// The records of a group from one name to another one, both included, in ascending order of
    /// names. Where it reads no others, it does not check that none is missing.
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

    /// From here to [`Store::unpin`], reads see one state of the store, whatever others write to it.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn pin(&self) -> Result<(), StoreError>;

    /// Reads see the newest state again.
    fn unpin(&self);

    /// Gives free space back to the file system, unless somebody is reading: then the next call does.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn compact(&mut self) -> Result<(), StoreError>;

    /// Reads everything in the store and checks the medium's own structure.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it is not intact.
    fn check(&mut self) -> Result<(), StoreError>;
}

/// A store cannot do what it should. The caller looks after the medium.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no store at this path.
    #[error("there is no store at {}", .0.display())]
    Missing(PathBuf),
    /// There is something at this path already.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The file is not a store of this format.
    #[error("{} is not a pad store, or is damaged beyond reading", .0.display())]
    Foreign(PathBuf),
    /// Another process is writing to the store, and does not stop.
    #[error("another process is writing to the store {}", .0.display())]
    InUse(PathBuf),
    /// A part of the store is missing or damaged.
    #[error("the store is damaged: {0}")]
    Damaged(&'static str),
    /// The store is older than what was acknowledged from it: damage has rolled it back, or an old copy
    /// was put in its place.
    #[error(
        "the store is at version {found} (change {found_change}), but version {acknowledged} \
         (change {acknowledged_change}) was acknowledged from it: it is damaged, or an old copy; \
         restore a newer one, or remove {} to go on from here", .record.display()
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
        /// The file that says so.
        record: PathBuf,
    },
    /// An update does not follow the last published one.
    #[error("version {actual} was offered for publication where version {expected} is next")]
    Gap {
        /// The version that would fit.
        expected: Version,
        /// The version offered.
        actual: Version,
    },
    /// A checkpoint is older than the stored one, or holds what somebody has pruned meanwhile.
    #[error("the store has a newer checkpoint: it was pruned meanwhile, run this again")]
    Superseded,
    /// Somebody else has written to objects meanwhile.
    #[error("another process is publishing into these objects: run this again")]
    Overtaken,
    /// Objects are brought updates that are signed already.
    #[error(
        "objects are not signed for: an author's store is in files, and its updates are brought to objects (pad push, pad apply)"
    )]
    NotSignedFor,
    /// Only trees are kept in objects.
    #[error("objects keep trees only")]
    OnlyTrees,
    /// This kind of store keeps all versions.
    #[error("this kind of store keeps all versions: prune a copy in files")]
    CannotPrune,
    /// This kind of store keeps nodes where they were first written, or has none.
    #[error("only trees whose nodes are stored in files can be compacted")]
    CannotCompact,
    /// The latest version was to be in memory.
    #[error(
        "its latest version needs {needed} bytes of memory, and may take {most}: allow more, or choose the size of a cache"
    )]
    TooLarge {
        /// The bytes that it needs.
        needed: u64,
        /// The bytes that it may take.
        most: u64,
    },
    /// Files that a pruning has replaced are still there.
    #[error(
        "the files that a pruning has replaced cannot be removed ({0}): prune again to remove them"
    )]
    NotRemoved(#[source] Box<Self>),
    /// Something could not be written before, and only opening anew tells what is there.
    #[error("something could not be written before; open the store again to see what is there")]
    Closed,
    /// A writer was interrupted, and this process may not write what puts the store in order.
    #[error(
        "a writer of the store {} was interrupted; whoever may write to it has to open it once \
         (pad check does)", .0.display()
    )]
    Interrupted(PathBuf),
    /// The operating system refused.
    #[error("the store cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// The storage engine failed.
    #[error("the storage engine failed: {0}")]
    Engine(#[source] Box<dyn core::error::Error + Send + Sync>),
}

#[cfg(not(feature = "object-store"))]
impl StoreError {
    /// An address is given to a program that is built without objects.
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
            EngineError::PageMissing(_) => Self::Damaged("a page is not in the file"),
            EngineError::PageChanged(_) => Self::Damaged("a page is not what was written"),
            EngineError::Panicked => Self::Damaged("its pages cannot be read"),
            EngineError::NotIntact => Self::Damaged("the file's structure is not intact"),
            EngineError::Io(error) => Self::Io(error),
            EngineError::Engine(error) => Self::Engine(error),
            error => Self::Engine(Box::new(error)),
        }
    }
}

impl From<disk::RegisterError> for StoreError {
    fn from(error: disk::RegisterError) -> Self {
        match error {
            disk::RegisterError::Io(error) => Self::Io(error),
            _ => NEWEST_UNREADABLE,
        }
    }
}

pub(crate) const NEWEST_UNREADABLE: StoreError = StoreError::Damaged(
    "the file of its newest acknowledged state (.newest) is unreadable: move that file away, and compare what pad status then says with the version that was published last",
);
