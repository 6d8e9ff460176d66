//! Records of cosigned checkpoints in a folder.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    io,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use pad_core::Digest;
use pad_disk::layer::{self, FileLayer, LayerFile};
use sha2::{Digest as _, Sha256};

use super::{AddError, Records};
use crate::{Checkpoint, note::Note, tree::TreeHead};

/// Records of a witness in a folder, one file per log. Updates replace the file atomically. One
/// process at a time may open the folder.
///
/// Do not restore an old copy of the folder: the witness could then cosign a second history.
///
/// A file contains a checkpoint with the log's signatures and the witness's cosignature. The name
/// of the file is the SHA-256 of the origin in hexadecimal digits.
#[derive(Debug)]
pub struct FolderRecords {
    layer: Arc<dyn FileLayer>,
    /// Locks by hash of the origin. They serialise requests for one log. Requests for other logs
    /// rarely contend.
    turns: [Mutex<()>; TURNS],
    /// Notes known to be durable, by origin. A note that can be read is not necessarily durable.
    durable: Mutex<BTreeMap<String, Note>>,
    /// Holds the lock file open.
    _lock: Arc<dyn LayerFile>,
}

/// Error returned when records cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderRecordsError {
    /// Another process holds the lock file.
    #[error("another process uses {}", .0.display())]
    InUse(PathBuf),
    /// A record is corrupted. Removing it may make the witness cosign a second history.
    #[error("the record {} is damaged", .0.display())]
    Damaged(PathBuf),
    /// An I/O error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl FolderRecords {
    /// Opens the records in a folder, which may be empty.
    ///
    /// # Errors
    /// [`FolderRecordsError::InUse`] after waiting for [`pad_disk::PATIENCE`];
    /// [`FolderRecordsError::Io`].
    pub fn open(layer: Arc<dyn FileLayer>) -> Result<Self, FolderRecordsError> {
        let Some(lock) = layer::lock(&*layer, LOCK)? else {
            return Err(FolderRecordsError::InUse(layer.path().to_path_buf()));
        };
        Ok(Self {
            layer,
            turns: [const { Mutex::new(()) }; TURNS],
            durable: Mutex::default(),
            _lock: lock,
        })
    }

    /// Returns the recorded head of a log; the empty log if there is no record.
    ///
    /// # Errors
    /// [`FolderRecordsError::Damaged`] if the record is malformed, [`FolderRecordsError::Io`] if it
    /// cannot be read.
    #[doc(hidden)]
    pub fn recorded(&self, origin: &str) -> Result<TreeHead, FolderRecordsError> {
        Ok(self
            .read(origin)?
            .map_or_else(TreeHead::empty, |(head, _)| head))
    }

    /// Returns the last cosigned checkpoint of a log as a note, with the log's signatures and the
    /// cosignature.
    ///
    /// `None` if no checkpoint was cosigned. The returned note is durable.
    ///
    /// # Errors
    /// The errors of [`FolderRecords::recorded`].
    #[doc(hidden)]
    pub fn cosigned(&self, origin: &str) -> Result<Option<Note>, FolderRecordsError> {
        let _turn = self.turn(origin);
        if let Some(note) = self.durable().get(origin) {
            return Ok(Some(note.clone()));
        }
        let Some((_, note)) = self.read(origin)? else {
            return Ok(None);
        };
        self.layer.synchronise()?;
        self.durable().insert(origin.to_owned(), note.clone());
        Ok(Some(note))
    }

    // No code panics while it holds the lock, so a poisoned value is intact.
    fn durable(&self) -> MutexGuard<'_, BTreeMap<String, Note>> {
        self.durable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the lock of a log's origin, which serialises requests for that log.
    fn turn(&self, origin: &str) -> Option<MutexGuard<'_, ()>> {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let hash = usize::try_from(hasher.hash_one(origin) % 0x1_0000).unwrap_or_default();
        let place = hash.checked_rem(TURNS).unwrap_or_default();
        let turn = self.turns.get(place);
        turn.map(|turn| turn.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn read(&self, origin: &str) -> Result<Option<(TreeHead, Note)>, FolderRecordsError> {
        let name = file_name(origin);
        let Some(bytes) = layer::read(&*self.layer, &name, LONGEST_RECORD)? else {
            return Ok(None);
        };
        let parsed = || {
            let note = Note::parse(&bytes).ok()?;
            let checkpoint = Checkpoint::parse(note.unverified_text()).ok()?;
            (checkpoint.origin() == origin).then(|| (checkpoint.head(), note))
        };
        let damaged = || FolderRecordsError::Damaged(self.layer.path().join(&name));
        parsed().map(Some).ok_or_else(damaged)
    }

    fn record(&self, origin: &str, cosigned: &Note) -> Result<(), FolderRecordsError> {
        layer::replace(
            &*self.layer,
            &file_name(origin),
            cosigned.encode().as_bytes(),
        )?;
        self.durable().insert(origin.to_owned(), cosigned.clone());
        Ok(())
    }
}

impl Records for FolderRecords {
    type Error = FolderRecordsError;

    /// Advances the record of a log. A failed write may have left a record that can be read but is
    /// not durable. So the new record is always written, even if it equals the old one.
    fn advance(
        &self,
        origin: &str,
        cosigned: &Note,
        check: impl FnOnce(&TreeHead) -> Result<(), AddError<FolderRecordsError>>,
    ) -> Result<(), AddError<FolderRecordsError>> {
        let _turn = self.turn(origin);
        let recorded = self.recorded(origin).map_err(AddError::Record)?;
        check(&recorded)?;
        self.record(origin, cosigned).map_err(AddError::Record)
    }
}

/// Returns the SHA-256 of an origin in hexadecimal digits, which names the log in file names and in
/// requests for its records.
#[doc(hidden)]
pub fn file_name(origin: &str) -> String {
    Digest(Sha256::digest(origin).into()).to_string()
}

const TURNS: usize = 64;
const LOCK: &str = "lock";
/// Maximum length of a record in bytes. It equals [`LONGEST_NOTE`](crate::note::LONGEST_NOTE).
const LONGEST_RECORD: u64 = 1 << 20;
