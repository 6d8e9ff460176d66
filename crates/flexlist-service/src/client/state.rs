//! What an owner keeps of one file, in one small file.
//!
//! The envelope of the codec (kind 112), the record, and SHA-256 over both. Written whole each time: to
//! a new file, which is synchronised, renamed over the old one and made durable with its directory.
//! After a crash there is the record before or the record after, never a mixture.

use core::fmt;
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use flexlist::{FileId, FileState, chunk::Chunker};
use pad_core::{DecodeError, codec};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use crate::message::Signed;

/// The bytes of the hash at the end.
const HASH: usize = 32;

/// The longest state file: a pending update is part of it, with the blocks that it sends.
const LIMIT: usize = 256 << 20;

/// What an owner keeps of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The file.
    pub(super) file: FileId,
    /// What, with the owner's key, gives its id.
    pub(super) salt: [u8; 16],
    /// How it is cut.
    pub(super) chunker: Chunker,
    /// Where it stands.
    pub(super) stage: Stage,
}

/// Where a file stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// The upload is not finished.
    Uploading {
        /// What the write ids come from.
        secret: [u8; 32],
    },
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

impl codec::Message for Record {
    const KIND: u8 = 112;
    const SUITE: u16 = 0;
}

/// A state file cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum StateError {
    /// It cannot be read or written.
    Io(io::Error),
    /// There is a file already where a new one was to be.
    Exists,
    /// Another process uses it.
    InUse,
    /// Its contents would exceed what is read back: they are not written.
    TooLong {
        /// Their length in bytes.
        length: usize,
    },
    /// Its contents are not those that were written.
    Damaged,
    /// Its contents are not a state, or that of another version of this program.
    Malformed(DecodeError),
    /// It belongs to another owner.
    WrongOwner,
}

impl fmt::Display for StateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(formatter, "state file: {error}"),
            Self::Exists => formatter.write_str("the state file exists already"),
            Self::InUse => formatter.write_str("another process uses the state file"),
            Self::TooLong { length } => {
                write!(formatter, "a state file of {length} bytes is too long")
            }
            Self::Damaged => formatter.write_str("the state file is damaged"),
            Self::Malformed(error) => write!(formatter, "this is no state file: {error}"),
            Self::WrongOwner => formatter.write_str("the state file belongs to another owner"),
        }
    }
}

impl core::error::Error for StateError {}

impl From<io::Error> for StateError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A state file that no other process uses meanwhile, and its current contents.
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    record: Record,
    _lock: File,
}

impl StateFile {
    /// A new file with this record.
    pub(super) fn create(path: &Path, record: Record) -> Result<Self, StateError> {
        let lock = lock(path)?;
        if path.try_exists()? {
            return Err(StateError::Exists);
        }
        write(path, &record)?;
        Ok(Self {
            path: path.to_owned(),
            record,
            _lock: lock,
        })
    }

    /// The file that is there.
    pub(super) fn open(path: &Path) -> Result<Self, StateError> {
        // Before the lock, which would leave a file of its own beside a name that was mistyped.
        path.metadata()?;
        let lock = lock(path)?;
        // After it: who had the lock may have put another file in the place of the one before.
        let file = File::open(path)?;
        let mut bytes = Vec::new();
        // One byte more than may be, so that the decoder sees that it is too much.
        let most = u64::try_from(LIMIT).unwrap_or(u64::MAX).saturating_add(1);
        file.take(most).read_to_end(&mut bytes)?;
        let record = decode(&bytes)?;
        Ok(Self {
            path: path.to_owned(),
            record,
            _lock: lock,
        })
    }

    pub(super) const fn record(&self) -> &Record {
        &self.record
    }

    /// Goes on to another stage, durably; if that fails, the stage is as it was.
    pub(super) fn advance(&mut self, stage: Stage) -> Result<(), StateError> {
        let record = Record {
            stage,
            ..self.record.clone()
        };
        write(&self.path, &record)?;
        self.record = record;
        Ok(())
    }
}

/// Keeps other processes out as long as the result lives.
fn lock(path: &Path) -> Result<File, StateError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(name)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StateError::InUse),
        Err(TryLockError::Error(error)) => Err(StateError::Io(error)),
    }
}

fn write(path: &Path, record: &Record) -> Result<(), StateError> {
    let bytes = encode(record, LIMIT)?;
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    // Readable by its owner only: the secret of an upload is in it.
    let mut file = NamedTempFile::new_in(directory)?;
    file.write_all(&bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    synchronise(directory)?;
    Ok(())
}

#[cfg(unix)]
fn synchronise(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Directories cannot be opened as files everywhere; a rename is durable by other means there.
#[cfg(not(unix))]
fn synchronise(_: &Path) -> io::Result<()> {
    Ok(())
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
