//! The in-memory entry of one file in a running server.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard, TryLockError},
    thread,
    time::{Duration, Instant},
};

use flexlist::{FileId, tag::ServerParameters};
use pad_core::{AuthorKey, Digest};
use pad_disk::engine::guarded;
use sha2::{Digest as _, Sha256 as Hash};

use super::{FileServer, load::load, refuse, state::State};
use crate::{
    count,
    message::Refusal,
    store::{FileKey, StoreError, records::FileRecord, tables::Table},
};

/// The in-memory entry of a file: its immutable properties, its locks, and its state once loaded.
pub(super) struct Slot {
    pub(super) key: FileKey,
    pub(super) owner: AuthorKey,
    /// The length in bytes of the tag scheme's encoded parameters.
    pub(super) parameter_bytes: u64,
    /// The digest of the tag scheme's encoded parameters.
    pub(super) parameter_digest: Digest<32>,
    /// The tag scheme's parameters: read from the store on first use, and dropped when the file is
    /// evicted. Parameters of BLS tags are thousands of curve points.
    parameters: Mutex<Option<Arc<ServerParameters>>>,
    /// The lock that serialises changes of the file: held from validation of a change until the
    /// change is durable.
    turn: Mutex<()>,
    /// The file's state. Never locked while the store writes or while blocks are read.
    state: RwLock<LoadState>,
}

/// The state of a file in memory: not loaded, loaded, damaged or removed.
#[derive(Debug, Default)]
enum LoadState {
    /// Not loaded yet, or dropped from memory.
    #[default]
    Not,
    /// The loaded state.
    State(Box<State>),
    /// The file's data in the store is damaged. The refusal is kept, because rebuilding a long list
    /// for each request would let any client keep the server busy.
    Damaged(Refusal),
    /// The file is being removed, and the removal is not durable yet. The blocks are deleted as
    /// soon as it is.
    Leaving,
    /// The file was removed. Requests that still refer to this entry must not load the file again.
    Removed,
}

/// Interval at which a change that waits for another change of the file tries again.
const TURN_INTERVAL: Duration = Duration::from_millis(2);

impl Slot {
    pub(super) fn new(id: FileId, record: &FileRecord) -> Result<Self, StoreError> {
        let number = record.number;
        let key = FileKey { number, id };
        let owner = AuthorKey::from_bytes(&record.owner)
            .map_err(|error| StoreError::damaged(key, error.to_string()))?;
        let parameters = record.server_parameters.as_ref();
        Ok(Self {
            key,
            owner,
            parameter_bytes: count(parameters.len()),
            parameter_digest: digest_of(parameters),
            parameters: Mutex::default(),
            turn: Mutex::new(()),
            state: RwLock::default(),
        })
    }

    /// Returns the tag scheme's parameters. Reads them from the store if necessary.
    pub(super) fn parameters(&self, server: &FileServer) -> Result<Arc<ServerParameters>, Refusal> {
        let mut known = self.known_parameters();
        if let Some(known) = &*known {
            return Ok(Arc::clone(known));
        }
        let record = server.store.file(self.key.id)?;
        let record = record.ok_or_else(|| StoreError::absent(self.key, Table::Files, 0))?;
        let parameters = ServerParameters::from_bytes(record.server_parameters.as_ref())
            .map_err(|error| StoreError::damaged(self.key, error.to_string()))?;
        let parameters = Arc::new(parameters);
        *known = Some(Arc::clone(&parameters));
        Ok(parameters)
    }

    // Updates of the value are atomic, so a poisoned value is consistent.
    fn known_parameters(&self) -> MutexGuard<'_, Option<Arc<ServerParameters>>> {
        self.parameters
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the file's state and parameters from memory, unless a change of the file is in
    /// progress.
    pub(super) fn shed(&self, server: &FileServer) {
        if let Ok(_turn) = self.turn.try_lock() {
            // Before the state is dropped: a request that reloads the file afterwards counts it
            // again.
            server.memory.leave(self.key.id);
            self.forget();
            *self.known_parameters() = None;
        }
    }

    /// Calls `read` with the file's state, concurrently with other readers. Loads the state from
    /// the store if necessary.
    pub(super) fn read<T>(
        &self,
        server: &FileServer,
        read: impl FnOnce(&State) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        loop {
            if let Ok(loaded) = self.state.read() {
                match &*loaded {
                    LoadState::State(state) => {
                        server.memory.enter(self.key.id, None);
                        return read(state);
                    }
                    LoadState::Damaged(refusal) => return Err(refusal.clone()),
                    LoadState::Leaving => return Err(Refusal::Unavailable),
                    LoadState::Removed => return Err(Refusal::Removed),
                    LoadState::Not => {}
                }
            }
            server.make_room_for(self);
            if let Err(refusal) = self.change(server, |_| Ok(())) {
                server.memory.leave(self.key.id);
                return Err(refusal);
            }
        }
    }

    /// Calls `change` with exclusive access to the file's state. Loads the state from the store if
    /// necessary.
    pub(super) fn change<T>(
        &self,
        server: &FileServer,
        change: impl FnOnce(&mut State) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut guard = self.state();
        if let LoadState::Not = *guard {
            *guard = self.load(server)?;
        }
        match &mut *guard {
            LoadState::State(state) => change(state),
            LoadState::Damaged(refusal) => Err(refusal.clone()),
            LoadState::Removed => Err(Refusal::Removed),
            LoadState::Leaving | LoadState::Not => Err(Refusal::Unavailable),
        }
    }

    /// Loads the file's state from the store. Damage is not an error here, but a result
    /// ([`LoadState::Damaged`]).
    ///
    /// # Errors
    /// [`Refusal`] for errors that may pass until the next attempt.
    fn load(&self, server: &FileServer) -> Result<LoadState, Refusal> {
        match guarded(|| load(server, self.key)) {
            Some(Ok(state)) => Ok(LoadState::State(Box::new(state))),
            Some(Err(error)) if error.may_pass() => Err(error.into()),
            // The removal returned an error, but was committed.
            Some(Err(_)) if matches!(server.store.has_file(self.key.id), Ok(false)) => {
                Ok(LoadState::Removed)
            }
            Some(Err(error)) => Ok(LoadState::Damaged(error.into())),
            None => Ok(LoadState::Damaged(refuse::panicked(Some(self.key.id)))),
        }
    }

    /// Returns the lock on changes of this file. Waits at most `longest` for another change to end.
    /// The wait is bounded because a waiting request delays requests about other files.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] if another change is still in progress after `longest`.
    pub(super) fn turn(&self, longest: Duration) -> Result<MutexGuard<'_, ()>, Refusal> {
        let start = Instant::now();
        loop {
            match self.turn.try_lock() {
                Ok(turn) => return Ok(turn),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(self.recover(poisoned)),
                Err(TryLockError::WouldBlock) if start.elapsed() >= longest => {
                    return Err(Refusal::Unavailable);
                }
                Err(TryLockError::WouldBlock) => thread::sleep(TURN_INTERVAL),
            }
        }
    }

    /// Returns the lock on changes of this file. Waits without limit for another change to end. For
    /// checks by the operator.
    pub(super) fn next_turn(&self) -> MutexGuard<'_, ()> {
        let turn = self.turn.lock();
        turn.unwrap_or_else(|poisoned| self.recover(poisoned))
    }

    /// Recovers the lock from a change that panicked. Its outcome is in the store, so the state is
    /// reloaded.
    fn recover<'a>(&self, poisoned: PoisonError<MutexGuard<'a, ()>>) -> MutexGuard<'a, ()> {
        self.turn.clear_poison();
        self.forget();
        poisoned.into_inner()
    }

    /// Makes the next reader reload the state from the store, unless the file was removed.
    pub(super) fn forget(&self) {
        give_up(&mut self.state());
    }

    /// Refuses readers of the file from now on, because its blocks are about to be deleted.
    pub(super) fn leave(&self) {
        *self.state() = LoadState::Leaving;
    }

    /// Marks the file as removed: it can be neither read nor changed from now on.
    pub(super) fn bury(&self) {
        *self.state() = LoadState::Removed;
    }

    fn state(&self) -> RwLockWriteGuard<'_, LoadState> {
        self.state.write().unwrap_or_else(|poisoned| {
            self.state.clear_poison();
            let mut state = PoisonError::into_inner(poisoned);
            give_up(&mut state);
            state
        })
    }
}

pub(super) fn digest_of(parameters: &[u8]) -> Digest<32> {
    Digest(Hash::digest(parameters).into())
}

/// Drops a loaded state. A removed file remains marked as removed.
fn give_up(state: &mut LoadState) {
    if !matches!(state, LoadState::Removed) {
        *state = LoadState::Not;
    }
}

#[cfg(test)]
impl Slot {
    pub(super) fn has_read_parameters(&self) -> bool {
        self.known_parameters().is_some()
    }
}
