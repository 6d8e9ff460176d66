//! Request execution on the files of a store, independent of the network.
//!
//! [`FileServer::handle`] may be called from many threads. Audits and reads of a file run
//! concurrently, also while an update of the same file is being made durable. They read only
//! durable versions. They read blocks from a snapshot of the store and hold no lock meanwhile.

use core::{fmt, sync::atomic::AtomicU64};
use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use flexlist::FileId;
use pad_core::Workers;
use pad_disk::engine::{EngineError, Place, guarded};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    message::{
        Acknowledge, Confirm, FileUpdate, Finish, Part, Refusal, Request, Response, SignedRequest,
    },
    signed::RequestKind,
    store::{FileStore, StoreError},
};

mod accounts;
mod audit;
mod begin;
pub(crate) mod check;
mod confirm;
mod limits;
mod load;
mod memory;
mod read;
mod refuse;
mod remove;
pub(crate) mod settings;
mod slot;
mod state;
mod superseded;
#[cfg(test)]
mod tests;
mod update;
mod upload;

use accounts::{Accounts, Charge};
pub use check::{CheckReport, Damage};
pub use limits::{Checkpoints, Limits};
use memory::Memory;
use settings::Clock;
pub use settings::{Owners, Settings};
use slot::Slot;

/// A server of outsourced files: executes requests on the files of one store.
pub struct FileServer {
    store: FileStore,
    limits: Limits,
    workers: Workers,
    owners: Owners,
    clock: Clock,
    accounts: Accounts,
    memory: Memory,
    /// Time of the last call of [`FileServer::tend`], in seconds since 1970. An earlier time is
    /// stored if that call left files to process.
    tended: AtomicU64,
    files: RwLock<HashMap<FileId, Entry>>,
    /// A lock held while a new file is begun, so that no two files get the same number.
    beginning: Mutex<()>,
}

/// The entry of a file of the store, or the reason for which the file cannot be served.
type Entry = Result<Arc<Slot>, Arc<StoreError>>;

impl FileServer {
    /// Opens the store at `path` and serves its files. Creates an empty store if there is none.
    ///
    /// Each file's list is rebuilt when the file is first requested, and after an eviction from
    /// memory. [`FileServer::load_all`] rebuilds all lists in advance. Requests about a damaged
    /// file get [`Refusal::StoreFailed`]; other files are not affected.
    ///
    /// # Errors
    /// [`StoreError`] of the store as a whole.
    pub fn open(path: &Path, limits: Limits, workers: Workers) -> Result<Self, StoreError> {
        let settings = Settings {
            limits,
            workers,
            ..Settings::default()
        };
        Self::open_with(path, settings)
    }

    /// Like [`FileServer::open`], but takes all [`Settings`] of a server.
    ///
    /// # Errors
    /// [`StoreError`] of the store as a whole.
    pub fn open_with(path: &Path, settings: Settings) -> Result<Self, StoreError> {
        Self::open_at(path.into(), settings)
    }

    fn open_at(place: Place, settings: Settings) -> Result<Self, StoreError> {
        let store = FileStore::open_or_create(place, Some(settings.reserve_bytes))?;
        let server = Self::serve(store, settings)?;
        // A store that cannot be compacted can still be served.
        drop(server.store.compact());
        Ok(server)
    }

    fn serve(store: FileStore, settings: Settings) -> Result<Self, StoreError> {
        let server = guarded(|| Self::read_files(store, settings));
        server.unwrap_or(Err(EngineError::Panicked.into()))
    }

    /// Creates the server with an entry for each file of the store. Runs within [`guarded`], which
    /// catches panics of the engine.
    fn read_files(store: FileStore, settings: Settings) -> Result<Self, StoreError> {
        let accounts = Accounts::default();
        let snapshot = store.snapshot()?;
        let mut files = HashMap::new();
        for (id, record) in store.files()? {
            let slot = record.and_then(|record| Slot::new(id, &record));
            if let Ok(slot) = &slot {
                let charge = snapshot.head(slot.key);
                // A file with a damaged head is charged no bytes. It does not count as an
                // unfinished upload either: its owner cannot finish it.
                let charge = charge.map_or_else(
                    |_| Charge::default(),
                    |head| Charge::new(slot.parameter_bytes, &head),
                );
                accounts.enter(id, &slot.owner.to_bytes(), Some(charge));
            }
            files.insert(id, slot.map(Arc::new).map_err(Arc::new));
        }
        for (id, removed) in store.removed()? {
            accounts.remember(id, removed);
        }
        drop(snapshot);
        store.set_live(accounts.bytes());
        Ok(Self {
            store,
            limits: settings.limits.within_protocol(),
            workers: settings.workers,
            owners: settings.owners,
            clock: settings.clock,
            accounts,
            memory: Memory::default(),
            tended: AtomicU64::new(0),
            files: RwLock::new(files),
            beginning: Mutex::new(()),
        })
    }

    /// Executes a request. Changes are durable when this function returns. A refused request
    /// changes nothing, except that after [`Refusal::CannotWrite`] or [`Refusal::StoreFailed`] its
    /// change may have been made.
    pub fn handle(&self, request: Request) -> Response {
        let file = file_of(&request);
        // The storage engine panics on some corrupt pages.
        let outcome = guarded(|| {
            self.tend_after(remove::TENDING_INTERVAL);
            self.answer(request)
        });
        self.shed(None);
        let response = outcome.unwrap_or_else(|| Err(refuse::panicked(file)));
        response.unwrap_or_else(Response::Refused)
    }

    fn answer(&self, request: Request) -> Result<Response, Refusal> {
        match request {
            Request::Begin(signed) => self.begin(&signed),
            Request::Part(signed) => {
                let (slot, part) = self.open_signed::<Part>(&signed, RequestKind::Part)?;
                self.part(&slot, part, signed.digest())
            }
            Request::Finish(signed) => {
                let (slot, finish) = self.open_signed::<Finish>(&signed, RequestKind::Finish)?;
                self.finish(&slot, &finish, signed)
            }
            Request::Update(signed) => {
                let (slot, update) =
                    self.open_signed::<FileUpdate>(&signed, RequestKind::Update)?;
                self.update(&slot, update, signed.digest())
            }
            Request::Acknowledge(signed) => {
                let (slot, word) =
                    self.open_signed::<Acknowledge>(&signed, RequestKind::Acknowledge)?;
                self.acknowledge(&slot, word.version)
            }
            Request::Audit {
                file,
                version,
                challenge,
            } => self.audit(&*self.slot(file)?, version, &challenge),
            Request::Read {
                file,
                version,
                start,
                end,
            } => self.read(&*self.slot(file)?, version, start..end),
            Request::Status { file } => self.status(&*self.slot(file)?),
            Request::Abort(signed) => self.abort(&signed),
            Request::Delete(signed) => self.delete(&signed),
            Request::Confirm(signed) => {
                let (slot, word) = self.open_signed::<Confirm>(&signed, RequestKind::Confirm)?;
                self.confirm(&slot, &word, signed)
            }
            Request::Confirmed { file } => self.confirmed(&*self.slot(file)?),
        }
    }

    /// Returns the identifiers of all files, in no particular order.
    pub fn files(&self) -> Vec<FileId> {
        self.entries().keys().copied().collect()
    }

    /// Rebuilds every file's list. Returns the files for which that fails, with the reasons.
    /// [`FileServer::handle`] refuses requests about these files.
    #[doc(hidden)]
    pub fn load_all(&self) -> Vec<(FileId, Refusal)> {
        let entries: Vec<(FileId, Entry)> = self
            .entries()
            .iter()
            .map(|(id, entry)| (*id, entry.clone()))
            .collect();
        let load = |(id, entry): (FileId, Entry)| {
            let outcome = guarded(|| match entry {
                Ok(slot) => slot.read(self, |_| Ok(())),
                Err(error) => Err(Refusal::from(&*error)),
            });
            let refusal = outcome
                .unwrap_or_else(|| Err(refuse::panicked(Some(id))))
                .err()?;
            Some((id, refusal))
        };
        entries.into_iter().filter_map(load).collect()
    }

    /// Answers with the current status of a file.
    fn status(&self, slot: &Slot) -> Result<Response, Refusal> {
        slot.read(self, |state| Ok(Response::State(state.head.status())))
    }

    /// Verifies that the file's owner signed the request. Returns the file's entry and the decoded
    /// request.
    ///
    /// Before the verification, only the file's id is decoded from the body. The rest can be much
    /// larger once decoded.
    fn open_signed<T: Serialize + DeserializeOwned>(
        &self,
        signed: &SignedRequest,
        kind: RequestKind,
    ) -> Result<(Arc<Slot>, T), Refusal> {
        let slot = self.slot(signed.claimed_file()?)?;
        let request = signed.open(kind, &slot.owner)?;
        Ok((slot, request))
    }

    fn slot(&self, file: FileId) -> Result<Arc<Slot>, Refusal> {
        match self.entries().get(&file) {
            None if self.accounts.removed(file).is_some() => Err(Refusal::Removed),
            None => Err(Refusal::UnknownFile),
            Some(Ok(slot)) => Ok(Arc::clone(slot)),
            Some(Err(error)) => Err(Refusal::from(&**error)),
        }
    }

    // No code panics while it changes the map, so a poisoned map is consistent.
    fn entries(&self) -> RwLockReadGuard<'_, HashMap<FileId, Entry>> {
        self.files.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn entries_mut(&self) -> RwLockWriteGuard<'_, HashMap<FileId, Entry>> {
        self.files.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for FileServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("FileServer")
            .field("path", &self.store.path())
            .field("files", &self.entries().len())
            .finish_non_exhaustive()
    }
}

/// Returns the file identifier in an unsigned request; `None` for a signed request.
const fn file_of(request: &Request) -> Option<FileId> {
    match request {
        Request::Audit { file, .. }
        | Request::Read { file, .. }
        | Request::Status { file }
        | Request::Confirmed { file } => Some(*file),
        _ => None,
    }
}
