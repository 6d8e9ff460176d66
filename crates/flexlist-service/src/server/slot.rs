//! One file of a running server.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard};

use flexlist::{
    FileId, FlexList,
    list::{Previous, Sha256, View},
    tag::ServerParameters,
};
use pad_core::AuthorKey;

use super::{FileServer, load::load, refuse};
use crate::{
    message::{Refusal, Standing},
    store::{
        FileKey, StoreError,
        records::{FileRecord, Head},
    },
};

/// A file: what never changes, and its state once it was asked for.
pub(super) struct Slot {
    pub(super) key: FileKey,
    pub(super) owner: AuthorKey,
    pub(super) record: FileRecord,
    pub(super) parameters: ServerParameters,
    /// Held from before a change is looked at until it is durable: changes of one file take turns.
    turn: Mutex<()>,
    /// Never locked while the store writes, nor while blocks are read.
    state: RwLock<Option<State>>,
}

/// Where a file stands.
#[derive(Debug)]
pub(super) struct State {
    /// As the store has it.
    pub(super) head: Head,
    /// `None` until the upload is finished.
    pub(super) kept: Option<Kept>,
}

/// The list of a finished file.
#[derive(Debug)]
pub(super) struct Kept {
    /// The newest version: the head's, or the one that is being made durable.
    pub(super) list: FlexList,
    /// The version before the head's, until the owner has acknowledged the head's.
    pub(super) previous: Option<Previous>,
    /// The head's version, while the one after it is being made durable.
    pub(super) pending: Option<Previous>,
}

impl Head {
    /// What the server says of it.
    pub(super) const fn standing(&self) -> Standing {
        Standing {
            version: self.version,
            root: self.root,
            total: self.total,
            blocks: self.blocks,
            next_part: self.next_part,
        }
    }
}

impl State {
    /// The list, if the upload is finished.
    pub(super) fn kept(&self) -> Result<&Kept, Refusal> {
        let next_part = self.head.next_part;
        (self.kept.as_ref()).ok_or(Refusal::UploadUnfinished { next_part })
    }

    /// The file at this version, which is the head's or the one before.
    pub(super) fn view(&self, version: u64) -> Result<View<'_, Sha256>, Refusal> {
        let kept = self.kept()?;
        let current = self.head.version;
        if version == current {
            let pending = kept.pending.as_ref();
            return Ok(pending.map_or_else(|| kept.list.current(), |old| kept.list.at(old)));
        }
        let previous = kept.previous.as_ref();
        match previous.filter(|_| version.checked_add(1) == Some(current)) {
            Some(old) => Ok(kept.list.at(old)),
            None => Err(Refusal::UnknownVersion {
                requested: version,
                current,
            }),
        }
    }
}

impl Slot {
    pub(super) fn new(id: FileId, record: FileRecord) -> Result<Self, StoreError> {
        let number = record.number;
        let key = FileKey { number, id };
        let owner = AuthorKey::from_bytes(&record.owner)
            .map_err(|error| StoreError::damaged(key, error.to_string()))?;
        let parameters = ServerParameters::from_bytes(record.server_parameters.as_ref())
            .map_err(|error| StoreError::damaged(key, error.to_string()))?;
        Ok(Self {
            key,
            owner,
            record,
            parameters,
            turn: Mutex::new(()),
            state: RwLock::new(None),
        })
    }

    /// Reads the state beside other readers, after loading it from the store if need be.
    pub(super) fn read<T>(
        &self,
        server: &FileServer,
        read: impl FnOnce(&State) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        loop {
            if let Ok(state) = self.state.read()
                && let Some(state) = state.as_ref()
            {
                return read(state);
            }
            self.change(server, |_| Ok(()))?;
        }
    }

    /// Changes the state, after loading it from the store if need be.
    pub(super) fn change<T>(
        &self,
        server: &FileServer,
        change: impl FnOnce(&mut State) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut guard = self.state();
        let state = match guard.take() {
            Some(state) => state,
            None => load(server, self.key).map_err(|error| refuse::store(&error))?,
        };
        change(guard.insert(state))
    }

    /// Waits until no other change of this file is under way.
    pub(super) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(|poisoned| {
            // A change was broken off by a panic. What came of it the store knows.
            self.turn.clear_poison();
            self.forget();
            poisoned.into_inner()
        })
    }

    /// Makes the next reader load the state from the store again.
    pub(super) fn forget(&self) {
        self.state().take();
    }

    fn state(&self) -> RwLockWriteGuard<'_, Option<State>> {
        self.state.write().unwrap_or_else(|poisoned| {
            self.state.clear_poison();
            let mut state = PoisonError::into_inner(poisoned);
            state.take();
            state
        })
    }
}
