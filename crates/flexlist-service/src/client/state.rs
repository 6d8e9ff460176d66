//! State file: the data that an owner keeps for one file.
//!
//! The module `sealed` encodes a record (kind 112 of the codec) with a MAC and a checksum. Each
//! write replaces the whole file (crate `pad-disk`). After a crash the file contains the record
//! before the write or the record after it, never a mixture. No temporary file remains. Locks and
//! replacements apply to the file that the path resolves to. Two paths of one state file thus share
//! one state.

use core::fmt;
use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::Duration,
};

use flexlist::{Chunker, FileId, FileState};
use pad_core::{
    DecodeError, Digest,
    codec::{self, Message},
};
use pad_disk::{Access, Lock, LockError};
use serde::{Deserialize, Serialize};

mod sealed;

pub use sealed::StateKey;
use sealed::{SealedRecord, encode};

use crate::{count, message::SignedRequest};

/// Maximum length of a state file in bytes. The file includes a pending update with the blocks that
/// it sends.
const LIMIT: usize = 256 << 20;

/// The contents of a state file: the data that an owner keeps for one file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The identifier of the file.
    pub(super) file: FileId,
    /// The salt from which, with the owner's public key, the file's identifier is derived.
    pub(super) salt: [u8; 16],
    /// Identifier of the key of the file's tags. See [`super::file::Owner`].
    pub(super) key: Digest<32>,
    /// The parameters by which the file is cut into blocks.
    pub(super) chunker: Chunker,
    /// The address of the server; empty if unknown.
    pub(super) server: String,
    /// The newest version that the owner gave up by adopting an older one; 0 if that never
    /// happened. The owner's signature on a version up to this one does not prove that it is newer
    /// than the known one.
    pub(super) given_up: u64,
    /// The progress of the file: uploading, settled, or with an update in progress or refused.
    pub(super) stage: Stage,
}

/// The progress of a file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// The upload of the file is not finished.
    Uploading(UploadState),
    /// No operation is in progress. This is the version that the client knows.
    Settled(FileState),
    /// An update of `base` was sent, or was about to be sent. Its outcome is unknown.
    Pending {
        /// The version that the update is based on.
        base: FileState,
        /// The signed update, to be sent again unchanged.
        update: SignedRequest,
    },
    /// No operation is in progress. The server has refused an update of `base` for good, or claims
    /// so.
    Refused {
        /// The version that the update is based on.
        base: FileState,
        /// The signed update that was refused.
        update: SignedRequest,
    },
}

/// An upload that is not finished.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UploadState {
    /// The secret from which write ids are derived.
    pub(super) secret: [u8; 32],
    /// The prefix of the source that ends with the last part but one. A part counts once it was
    /// sent or about to be sent.
    pub(super) before_last: SourcePrefix,
    /// The prefix of the source that ends with the last part. A part counts once it was sent or
    /// about to be sent.
    pub(super) last: SourcePrefix,
    /// The version that the upload produces. Set once the final request of the upload was sent or
    /// about to be sent.
    pub(super) end: Option<FileState>,
}

/// A prefix of a source, with a hash by which to recognise the source again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SourcePrefix {
    /// The number of upload parts in the prefix.
    pub(super) parts: u64,
    /// The length of the prefix in bytes.
    pub(super) bytes: u64,
    /// A hash over the hashes of the prefix's blocks.
    pub(super) digest: Digest<32>,
}

impl Record {
    /// Reports whether the versions and the update in the record are of its own file. With those of
    /// another file, the owner would sign statements about that file.
    pub(super) fn is_of_one_file(&self) -> bool {
        let (state, update) = match &self.stage {
            Stage::Uploading(upload) => (upload.end.as_ref(), None),
            Stage::Settled(state) => (Some(state), None),
            Stage::Pending { base, update } | Stage::Refused { base, update } => {
                (Some(base), Some(update))
            }
        };
        state.is_none_or(|state| state.file == self.file)
            && update.is_none_or(|update| update.claimed_file().is_ok_and(|file| file == self.file))
    }
}

impl UploadState {
    /// Creates the state of a new upload, of which nothing was sent.
    pub(super) fn new(secret: [u8; 32]) -> Self {
        Self {
            secret,
            before_last: SourcePrefix::default(),
            last: SourcePrefix::default(),
            end: None,
        }
    }
}

/// Prints a record without the secret and without the contents of updates.
impl fmt::Debug for Record {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Record")
            .field("file", &self.file)
            .field("stage", &self.stage)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Stage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uploading(uploading) => uploading.fmt(formatter),
            Self::Settled(state) => write!(formatter, "Settled({state:?})"),
            Self::Pending { base, .. } => write!(formatter, "Pending({base:?}, ..)"),
            Self::Refused { base, .. } => write!(formatter, "Refused({base:?}, ..)"),
        }
    }
}

impl fmt::Debug for UploadState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Uploading")
            .field("parts", &self.last.parts)
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

impl Message for Record {
    const KIND: u8 = 112;
    const SUITE: u16 = 1;
}

/// Error returned when a state file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The state file cannot be read or written.
    #[error("the state file cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// The state file to create exists already.
    #[error("the state file exists already")]
    Exists,
    /// Another process uses the state file.
    #[error("another process uses the state file")]
    InUse,
    /// The contents would exceed the maximum length of a state file. They are not written.
    #[error("a state file of {length} bytes is too long")]
    TooLong {
        /// The length of the contents in bytes.
        length: usize,
    },
    /// The checksum does not match: the file was changed, or was never a state file. Or the file
    /// contains versions of another file.
    #[error("the state file is damaged")]
    Damaged,
    /// The checksum matches, but the MAC was not made with the owner's [`StateKey`]: another party
    /// has written or changed the file. Use an unchanged copy. If that is an older copy, the server
    /// presents the owner's newest version: see [`adopt`](super::FileClient::adopt).
    #[error("the state file is not authentic: it was not written with the owner's key")]
    NotAuthentic,
    /// The checksum is valid, but the contents are not a state that this version of the program
    /// reads.
    #[error("not a state file: {0}")]
    Malformed(DecodeError),
    /// The state file belongs to another owner.
    #[error("the state file belongs to another owner: it does not match the key")]
    WrongOwner,
    /// The state file belongs to this owner, but the file's tags are made with another key.
    #[error("the state file belongs to this owner, but to another key for tags")]
    WrongTags,
}

impl From<LockError> for StateError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Io(error) => Self::Io(error),
            _ => Self::InUse,
        }
    }
}

/// An existing state file, locked against other processes. Its record is not authenticated.
pub(super) struct LockedFile {
    /// The path of the state file, with links resolved.
    path: PathBuf,
    sealed: SealedRecord,
    lock: Lock,
}

impl LockedFile {
    /// Opens an existing state file. Waits at most `patience` for another process that uses it.
    pub(super) fn open(path: &Path, patience: Duration) -> Result<Self, StateError> {
        // Before the lock, which would create a lock file next to a mistyped name. From here on,
        // changes of links do not matter.
        let path = fs::canonicalize(path)?;
        let lock = Lock::exclusive(&path, patience)?;
        // After the lock: the process that held it may have replaced the file.
        let sealed = read(&path)?;
        Ok(Self { path, sealed, lock })
    }

    /// Returns the record, which another party may have changed.
    pub(super) const fn unauthenticated(&self) -> &Record {
        self.sealed.unauthenticated()
    }

    /// Verifies that the record was written with `key`.
    pub(super) fn authenticate(self, key: StateKey) -> Result<StateFile, StateError> {
        Ok(StateFile {
            path: self.path,
            record: self.sealed.authenticate(&key)?,
            key,
            is_durable: false,
            _lock: self.lock,
        })
    }

    /// Removes the state file. Its lock file remains, for processes that wait for the lock.
    pub(super) fn remove(self) -> Result<(), StateError> {
        Ok(fs::remove_file(&self.path)?)
    }
}

/// An open state file, locked against other processes, with its current contents.
#[derive(Debug)]
pub(super) struct StateFile {
    /// The path of the state file, with links resolved.
    path: PathBuf,
    record: Record,
    key: StateKey,
    /// Whether this process has written the record.
    is_durable: bool,
    _lock: Lock,
}

impl StateFile {
    /// Creates a state file that contains `record`, authenticated with `key`. Waits at most
    /// `patience` for another process that uses a state file at this path.
    pub(super) fn create(
        path: &Path,
        record: Record,
        key: StateKey,
        patience: Duration,
    ) -> Result<Self, StateError> {
        let lock = Lock::exclusive(path, patience)?;
        match pad_disk::create(path, &encode(&record, &key, LIMIT)?, Access::Private) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(StateError::Exists),
            Err(error) => Err(StateError::Io(error)),
            Ok(()) => Ok(Self {
                path: path.canonicalize()?,
                record,
                key,
                is_durable: true,
                _lock: lock,
            }),
        }
    }

    pub(super) const fn record(&self) -> &Record {
        &self.record
    }

    /// Sets the server's address in memory. It is stored with the next change of the record.
    pub(super) fn set_server(&mut self, server: String) {
        self.record.server = server;
    }

    /// Replaces the record's stage durably. If that fails, the stage in memory is unchanged.
    pub(super) fn advance(&mut self, stage: Stage) -> Result<(), StateError> {
        self.replace(Record {
            stage,
            ..self.record.clone()
        })
    }

    /// Writes the record again if it was read and not written: after a crash, the file that was
    /// read may not be on the disk yet.
    pub(super) fn ensure_durable(&mut self) -> Result<(), StateError> {
        if self.is_durable {
            return Ok(());
        }
        self.replace(self.record.clone())
    }

    /// Replaces the record durably. If that fails, the record in memory is unchanged. The file is
    /// unchanged too, unless only the fsync of its folder failed.
    pub(super) fn replace(&mut self, record: Record) -> Result<(), StateError> {
        let bytes = encode(&record, &self.key, LIMIT)?;
        pad_disk::replace(&self.path, &bytes, Access::Private)?;
        self.record = record;
        self.is_durable = true;
        Ok(())
    }
}

/// Reads the state file at `path`. Takes no lock, so another process may be about to replace the
/// file.
pub(super) fn read(path: &Path) -> Result<SealedRecord, StateError> {
    let mut bytes = Vec::new();
    // One byte above the limit, so that the decoder detects a longer file.
    let most = count(LIMIT).saturating_add(1);
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    SealedRecord::decode(bytes)
}

/// Reports whether the file at `path` begins with the envelope of a state file.
pub(super) fn is_state(path: &Path) -> io::Result<bool> {
    let mut beginning = Vec::new();
    File::open(path)?.take(8).read_to_end(&mut beginning)?;
    Ok(beginning == codec::envelope(Record::KIND, Record::SUITE))
}

#[cfg(test)]
mod tests;
