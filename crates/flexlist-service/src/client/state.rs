//! What an owner keeps of one file, in one small file.
//!
//! The envelope of the codec (kind 112), the record, and SHA-256 over both. Written whole each time
//! (crate `disk`): after a crash there is the record before or the record after, never a mixture, and no
//! draft of it. What is locked and replaced is the file that the name leads to, so that two names of one
//! state are one state.

use core::fmt;
use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::Duration,
};

use disk::{Access, Lock, LockError};
use flexlist::{FileId, FileState, chunk::Chunker};
use pad_core::{
    DecodeError, Digest,
    codec::{self, Message},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::message::Signed;

/// The bytes of the hash at the end.
const HASH: usize = 32;

/// The longest state file: a pending update is part of it, with the blocks that it sends.
const LIMIT: usize = 256 << 20;

/// What an owner keeps of one file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The file.
    pub(super) file: FileId,
    /// What, with the owner's key, gives its id.
    pub(super) salt: [u8; 16],
    /// Names the key that the file's tags are made with: see [`super::file::Owner`].
    pub(super) key: Digest<32>,
    /// How it is cut.
    pub(super) chunker: Chunker,
    /// Where the file is, as whoever uploaded it said; empty if that is not known.
    pub(super) server: String,
    /// The newest version that the owner gave up to go back to an older one; 0 if he never did. His own
    /// signature on a version up to this one does not say that it comes after what he knows.
    pub(super) given_up: u64,
    /// Where it stands.
    pub(super) stage: Stage,
}

/// Where a file stands.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// The upload is not finished.
    Uploading(Uploading),
    /// Nothing is under way.
    Settled(FileState),
    /// An update of `base` was, or was about to be, sent.
    Pending {
        /// The version that the update is for.
        base: FileState,
        /// The update, as it was signed.
        update: Signed,
    },
    /// Nothing is under way; the server has refused an update of `base` for good, or said so.
    Refused {
        /// The version that the update is for.
        base: FileState,
        /// The update, as it was signed.
        update: Signed,
    },
}

/// An upload that is not finished.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Uploading {
    /// What the write ids come from.
    pub(super) secret: [u8; 32],
    /// The source up to the part before the last one that was, or was about to be, sent.
    pub(super) before_last: SourcePrefix,
    /// The source up to the last part that was, or was about to be, sent.
    pub(super) last: SourcePrefix,
    /// The version that the upload makes, once its end was, or was about to be, sent.
    pub(super) end: Option<FileState>,
}

/// The beginning of a source: what tells whether it is still the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SourcePrefix {
    /// How many parts it makes.
    pub(super) parts: u64,
    /// How many bytes it has.
    pub(super) bytes: u64,
    /// A hash of its bytes.
    pub(super) digest: Digest<32>,
}

impl Uploading {
    /// An upload that begins.
    pub(super) fn new(secret: [u8; 32]) -> Self {
        Self {
            secret,
            before_last: SourcePrefix::default(),
            last: SourcePrefix::default(),
            end: None,
        }
    }
}

/// Without the secret, and without the contents of updates.
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
            Self::Settled(state) => formatter.debug_tuple("Settled").field(state).finish(),
            Self::Pending { base, .. } => formatter
                .debug_struct("Pending")
                .field("base", base)
                .finish_non_exhaustive(),
            Self::Refused { base, .. } => formatter
                .debug_struct("Refused")
                .field("base", base)
                .finish_non_exhaustive(),
        }
    }
}

impl fmt::Debug for Uploading {
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

/// A state file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// It cannot be read or written.
    #[error("state file: {0}")]
    Io(#[from] io::Error),
    /// There is a file already where a new one was to be.
    #[error("the state file exists already")]
    Exists,
    /// Another process uses it.
    #[error("another process uses the state file")]
    InUse,
    /// Its contents would exceed what is read back: they are not written.
    #[error("a state file of {length} bytes is too long")]
    TooLong {
        /// Their length in bytes.
        length: usize,
    },
    /// Its contents are not those that were written.
    #[error("the state file is damaged")]
    Damaged,
    /// Its contents are not a state, or that of another version of this program.
    #[error("this is no state file: {0}")]
    Malformed(DecodeError),
    /// It belongs to another owner.
    #[error("the state file belongs to another owner: it does not fit the key")]
    WrongOwner,
    /// It belongs to this owner, but the file's tags are made with another key.
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

/// A state file that no other process uses meanwhile, and its current contents.
#[derive(Debug)]
pub(super) struct StateFile {
    /// Where it really is.
    path: PathBuf,
    record: Record,
    _lock: Lock,
}

impl StateFile {
    /// A new file with this record. Whoever uses a file of that name is waited for as long as `patience`.
    pub(super) fn create(
        path: &Path,
        record: Record,
        patience: Duration,
    ) -> Result<Self, StateError> {
        let lock = Lock::exclusive(path, patience)?;
        match disk::create(path, &encode(&record, LIMIT)?, Access::Private) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(StateError::Exists),
            Err(error) => Err(StateError::Io(error)),
            Ok(()) => Ok(Self {
                path: path.canonicalize()?,
                record,
                _lock: lock,
            }),
        }
    }

    /// The file that is there. Whoever uses it is waited for as long as `patience`.
    pub(super) fn open(path: &Path, patience: Duration) -> Result<Self, StateError> {
        // Before the lock, which would leave a file of its own beside a name that was mistyped. From
        // here on it is this file, whatever becomes of links that lead to it.
        let path = fs::canonicalize(path)?;
        let lock = Lock::exclusive(&path, patience)?;
        // After it: the process that had the lock may have replaced the file.
        let record = read(&path)?;
        Ok(Self {
            path,
            record,
            _lock: lock,
        })
    }

    pub(super) const fn record(&self) -> &Record {
        &self.record
    }

    /// From the next change on, the record names this server.
    pub(super) fn set_server(&mut self, server: String) {
        self.record.server = server;
    }

    /// Removes the file. Its lock stays, for whoever waits for it.
    pub(super) fn remove(self) -> Result<(), StateError> {
        Ok(fs::remove_file(&self.path)?)
    }

    /// Goes on to another stage, durably; if that fails, the stage is as it was.
    pub(super) fn advance(&mut self, stage: Stage) -> Result<(), StateError> {
        self.replace(Record {
            stage,
            ..self.record.clone()
        })
    }

    /// Goes on to another record, durably; if that fails, the record is as it was.
    pub(super) fn replace(&mut self, record: Record) -> Result<(), StateError> {
        let bytes = encode(&record, LIMIT)?;
        disk::replace(&self.path, &bytes, Access::Private)?;
        self.record = record;
        Ok(())
    }
}

/// The record of the file at this path as it is now: another process may be about to replace it.
pub(super) fn read(path: &Path) -> Result<Record, StateError> {
    let mut bytes = Vec::new();
    // One byte more than may be, so that the decoder sees that it is too much.
    let most = u64::try_from(LIMIT).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    decode(&bytes)
}

/// Whether the file at this path begins as state files do.
pub(super) fn is_state(path: &Path) -> io::Result<bool> {
    let mut beginning = Vec::new();
    File::open(path)?.take(8).read_to_end(&mut beginning)?;
    Ok(beginning == codec::envelope(Record::KIND, Record::SUITE))
}

/// The contents of a state file, if they have at most `limit` bytes.
fn encode(record: &Record, limit: usize) -> Result<Vec<u8>, StateError> {
    let mut bytes = codec::encode(record);
    let hash = Sha256::digest(&bytes);
    bytes.extend_from_slice(&hash);
    let length = bytes.len();
    if length > limit {
        return Err(StateError::TooLong { length });
    }
    Ok(bytes)
}

fn decode(bytes: &[u8]) -> Result<Record, StateError> {
    let (body, hash) = bytes
        .len()
        .checked_sub(HASH)
        .and_then(|length| bytes.split_at_checked(length))
        .ok_or(StateError::Damaged)?;
    if Sha256::digest(body).as_slice() != hash {
        return Err(StateError::Damaged);
    }
    codec::decode(body, LIMIT).map_err(StateError::Malformed)
}

#[cfg(test)]
mod tests;
