//! One file of a running server.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard, TryLockError},
    thread,
    time::{Duration, Instant},
};

use disk::engine::guarded;
use flexlist::{FileId, tag::ServerParameters};
use pad_core::{AuthorKey, Digest};
use sha2::{Digest as _, Sha256 as Hash};

use super::{FileServer, load::load, refuse, state::State};
use crate::{
    message::Refusal,
    store::{FileKey, StoreError, records::FileRecord, tables::Table},
};

/// A file: what never changes, and its state once it was asked for.
pub(super) struct Slot {
    pub(super) key: FileKey,
    pub(super) owner: AuthorKey,
    /// The length and digest of the tag scheme's parameters.
    pub(super) parameter_bytes: u64,
    pub(super) parameter_digest: Digest<32>,
    /// Read from the store when they are first used, and given up with the state: those of one kind are
    /// thousands of points.
    parameters: Mutex<Option<Arc<ServerParameters>>>,
    /// Held from before a change is looked at until it is durable: changes of one file take turns.
    turn: Mutex<()>,
    /// Never locked while the store writes, nor while blocks are read.
    state: RwLock<Loaded>,
}

/// What came of loading a file's state.
#[derive(Debug, Default)]
enum Loaded {
    /// Not tried since the state was last given up.
    #[default]
    Not,
    /// The state.
    State(Box<State>),
    /// The store is damaged, and stays so: to rebuild a long list for each request only to find it again
    /// would let anybody keep the server busy.
    Damaged(Refusal),
    /// It is being made durable that the file is removed: its blocks go as soon as it is.
    Leaving,
    /// The file was removed. Requests that still hold this slot must not load it again.
    Removed,
}

/// How often a change looks whether its turn has come.
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
            parameter_bytes: u64::try_from(parameters.len()).unwrap_or(u64::MAX),
            parameter_digest: digest_of(parameters),
            parameters: Mutex::default(),
            turn: Mutex::new(()),
            state: RwLock::default(),
        })
    }

    /// The tag scheme's parameters.
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

    // Nothing is changed by half: a poisoned one is whole.
    fn known_parameters(&self) -> MutexGuard<'_, Option<Arc<ServerParameters>>> {
        self.parameters
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives up what is in memory, unless the file is being changed.
    pub(super) fn shed(&self, server: &FileServer) {
        if let Ok(_turn) = self.turn.try_lock() {
            // First: a request that loads it again from now on is accounted for again.
            server.memory.leave(self.key.id);
            self.forget();
            *self.known_parameters() = None;
        }
    }

    /// Reads the state beside other readers, after loading it from the store if need be.
    pub(super) fn read<T>(
        &self,
        server: &FileServer,
        read: impl FnOnce(&State) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        loop {
            if let Ok(loaded) = self.state.read() {
                match &*loaded {
                    Loaded::State(state) => {
                        server.touch_memory(self);
                        return read(state);
                    }
                    Loaded::Damaged(refusal) => return Err(refusal.clone()),
                    Loaded::Leaving => return Err(Refusal::Unavailable),
                    Loaded::Removed => return Err(Refusal::Removed),
                    Loaded::Not => {}
                }
            }
            server.make_room_for(self);
            if let Err(refusal) = self.change(server, |_| Ok(())) {
                server.memory.leave(self.key.id);
                return Err(refusal);
            }
        }
    }

    /// Changes the state, after loading it from the store if need be.
    pub(super) fn change<T>(
        &self,
        server: &FileServer,
        change: impl FnOnce(&mut State) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut guard = self.state();
        if let Loaded::Not = *guard {
            *guard = self.load(server)?;
        }
        match &mut *guard {
            Loaded::State(state) => change(state),
            Loaded::Damaged(refusal) => Err(refusal.clone()),
            Loaded::Removed => Err(Refusal::Removed),
            Loaded::Leaving | Loaded::Not => Err(Refusal::Unavailable),
        }
    }

    /// The state from the store, or that it is damaged.
    ///
    /// # Errors
    /// [`Refusal::StoreFailed`] for what may be over at the next attempt.
    fn load(&self, server: &FileServer) -> Result<Loaded, Refusal> {
        match guarded(|| load(server, self.key)) {
            Some(Ok(state)) => Ok(Loaded::State(Box::new(state))),
            Some(Err(error)) if error.may_pass() => Err(error.into()),
            // Removed, though that could not be told when it happened.
            Some(Err(_)) if matches!(server.store.has_file(self.key.id), Ok(false)) => {
                Ok(Loaded::Removed)
            }
            Some(Err(error)) => Ok(Loaded::Damaged(error.into())),
            None => Ok(Loaded::Damaged(refuse::panicked(Some(self.key.id)))),
        }
    }

    /// Waits until no other change of this file is under way, but not for longer than this: a request
    /// that waits holds up requests about other files.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`].
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

    /// Waits until no other change of this file is under way, however long: for the operator.
    pub(super) fn next_turn(&self) -> MutexGuard<'_, ()> {
        let turn = self.turn.lock();
        turn.unwrap_or_else(|poisoned| self.recover(poisoned))
    }

    /// A change was broken off by a panic. What came of it the store knows.
    fn recover<'a>(&self, poisoned: PoisonError<MutexGuard<'a, ()>>) -> MutexGuard<'a, ()> {
        self.turn.clear_poison();
        self.forget();
        poisoned.into_inner()
    }

    /// Makes the next reader load the state from the store again.
    pub(super) fn forget(&self) {
        give_up(&mut self.state());
    }

    /// From now on nobody reads blocks that are about to go.
    pub(super) fn leave(&self) {
        *self.state() = Loaded::Leaving;
    }

    /// From now on there is nothing to read or change here.
    pub(super) fn bury(&self) {
        *self.state() = Loaded::Removed;
    }

    fn state(&self) -> RwLockWriteGuard<'_, Loaded> {
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

/// Forgets a state, but not that there is none any more.
fn give_up(state: &mut Loaded) {
    if !matches!(state, Loaded::Removed) {
        *state = Loaded::Not;
    }
}

#[cfg(test)]
impl Slot {
    pub(super) fn has_read_parameters(&self) -> bool {
        self.known_parameters().is_some()
    }
}
