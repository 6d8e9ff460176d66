//! The append-only log of a dictionary's signed heads, written by a server with the log's key.

use core::sync::atomic::AtomicU64;
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use authdict::{LookupError, PublicKey, Version, internals::verify_head};
use pad_disk::layer::{FileLayer, Folder};
use transparency_log::{
    Checkpoint, Note, Policy, Timestamp,
    note::{NoteSigner, Signature},
    policy::{PolicyError, TrustedWitness, Window},
    store::{LogFiles, LogStore, StoreError},
    tile::{Fetch, FetchError, ReadError, ResourcePath},
    witness::AddCheckpoint,
};

/// A source of the heads that a [`HeadLog`] appends.
pub trait LoggedHeads: Send + Sync + 'static {
    /// Public key of the author, which verifies the heads.
    fn public(&self) -> &PublicKey;

    /// Latest version with a head.
    fn latest(&self) -> Version;

    /// Encoded signed head of a version.
    ///
    /// # Errors
    /// [`LookupError`].
    fn head(&self, version: Version) -> Result<Vec<u8>, LookupError>;
}

/// The append-only log of a dictionary's heads, in a folder.
///
/// This process appends heads and signs checkpoints. Witnesses cosign them. If there is a policy, a
/// checkpoint is published only if its cosignatures satisfy the policy. Until then, clients receive
/// the older checkpoint.
///
/// After an I/O error, the next [`HeadLog::grow`] of this process opens the log again. Signed
/// entries are retained.
#[derive(Debug)]
pub struct HeadLog {
    layer: Arc<dyn FileLayer>,
    files: LogFiles,
    signer: NoteSigner,
    public: PublicKey,
    policy: Option<Policy>,
    witness_metrics: Vec<WitnessMetrics>,
    clock: fn() -> SystemTime,
    state: Mutex<State>,
}

/// Counters of requests to one witness.
#[derive(Debug, Default)]
pub(crate) struct WitnessMetrics {
    pub(crate) cosigned: AtomicU64,
    pub(crate) failed: AtomicU64,
    /// Time of the latest cosignature by the witness's clock, in seconds since 1970.
    pub(crate) time: AtomicU64,
}

#[derive(Debug)]
struct State {
    /// The log's storage; `None` after an I/O error, until the log can be opened again.
    store: Option<LogStore>,
    /// Latest signed checkpoint, as far as this process knows.
    signed: Option<Note>,
    signed_size: u64,
    /// Whether the log's last entry was compared with the dictionary's head of the entry's version.
    is_checked: bool,
    /// Whether the last attempt to append new heads failed.
    has_failed: bool,
    /// Cosignatures of the latest signed checkpoint, by the index of the witness.
    cosigned: BTreeMap<usize, Signature>,
    /// Indices of the witnesses that were asked to cosign the latest signed checkpoint, with any
    /// result.
    asked: BTreeSet<usize>,
}

impl State {
    fn new(store: LogStore) -> Self {
        Self {
            signed: store.signed().cloned(),
            signed_size: store.signed_size(),
            store: Some(store),
            is_checked: false,
            has_failed: false,
            cosigned: BTreeMap::new(),
            asked: BTreeSet::new(),
        }
    }

    /// Creates the state of a log that cannot be opened yet, for example because the disk is full.
    const fn without_store() -> Self {
        Self {
            store: None,
            signed: None,
            signed_size: 0,
            is_checked: false,
            has_failed: true,
            cosigned: BTreeMap::new(),
            asked: BTreeSet::new(),
        }
    }

    fn store(&mut self) -> Result<&mut LogStore, StoreError> {
        self.store.as_mut().ok_or(StoreError::Failed)
    }

    /// Takes over the latest signed checkpoint from the log's storage. Drops the cosignatures of an
    /// older checkpoint.
    fn note_signed(&mut self) {
        let Some(store) = &self.store else { return };
        if self.signed_size == store.signed_size() {
            return;
        }
        self.signed = store.signed().cloned();
        self.signed_size = store.signed_size();
        self.cosigned.clear();
        self.asked.clear();
    }
}

/// Error returned by operations on a log of heads.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HeadLogError {
    /// The log's key belongs to the log of another dictionary.
    #[error("the key is of the log {origin:?}, whose name does not end with /{dictionary}")]
    OtherDictionary {
        /// Name of the key, which is the log's origin.
        origin: String,
        /// Id of the dictionary that the log is opened for.
        dictionary: String,
    },
    /// The witness policy does not contain the log's key.
    #[error("the policy of witnesses does not name the log's key")]
    NotInPolicy,
    /// The log and the dictionary contain different heads of the given version.
    #[error("the log has another head of version {0} than the store: one of them was changed")]
    OtherHead(Version),
    /// After a failure, the folder contains a log that does not continue the log that this process
    /// has signed.
    #[error(
        "the log in the folder does not continue the {signed} signed entries: it was replaced by \
         another log or an older copy"
    )]
    Replaced {
        /// Number of entries signed by this process.
        signed: u64,
    },
    /// A head in the dictionary's store does not verify.
    #[error("the head of version {version} does not verify: {reason}")]
    Head {
        /// Version of the head.
        version: Version,
        /// Reason why the head is refused.
        reason: String,
    },
    /// The dictionary's store cannot be read.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The log cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Entries of the log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// I/O error of the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Returns the time window from 1970 to [`Window::SLACK`] seconds after `now`.
///
/// A clock before 1970 counts as 1970. Every cosignature is then in the future, and not in the
/// window.
fn until(now: SystemTime) -> Window {
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = Timestamp::from_seconds(now.as_secs()).unwrap_or(Timestamp::LATEST);
    Window::around(now, now.seconds())
}

/// A request to a witness to cosign a checkpoint: the body to send, the signed checkpoint, and the
/// number of its entries.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) body: String,
    pub(crate) note: Note,
    pub(crate) size: u64,
}

impl HeadLog {
    /// Opens the log in `folder` for the dictionary of `heads`. Creates a new log if the folder is
    /// empty.
    ///
    /// The name of the log's key must end with `/` and the dictionary's id. Without a policy, every
    /// checkpoint is published immediately, and no witness is asked.
    ///
    /// A full disk causes no error here; [`HeadLog::has_failed`] then returns true.
    ///
    /// # Errors
    /// [`HeadLogError`].
    pub fn open(
        folder: &Path,
        signer: NoteSigner,
        policy: Option<Policy>,
        heads: &impl LoggedHeads,
    ) -> Result<Self, HeadLogError> {
        std::fs::create_dir_all(folder)?;
        Self::open_in(Arc::new(Folder::open(folder)?), signer, policy, heads)
    }

    /// Opens a log like [`HeadLog::open`], in any [`FileLayer`].
    ///
    /// # Errors
    /// [`HeadLogError`].
    #[doc(hidden)]
    pub fn open_in(
        layer: Arc<dyn FileLayer>,
        signer: NoteSigner,
        policy: Option<Policy>,
        heads: &impl LoggedHeads,
    ) -> Result<Self, HeadLogError> {
        let public = heads.public().clone();
        let (origin, id) = (
            signer.name().as_str(),
            public.authority.dictionary.to_string(),
        );
        if origin.rsplit_once('/').is_none_or(|(_, named)| named != id) {
            return Err(HeadLogError::OtherDictionary {
                origin: origin.to_owned(),
                dictionary: id,
            });
        }
        let key = signer.verifier();
        let names_log = |policy: &Policy| policy.logs().iter().any(|log| log.key == key);
        if policy.as_ref().is_some_and(|policy| !names_log(policy)) {
            return Err(HeadLogError::NotInPolicy);
        }
        let (files, state) = match LogStore::open(Arc::clone(&layer), &key) {
            Ok(store) => (store.files().clone(), State::new(store)),
            Err(StoreError::Io(error)) if error.kind() == io::ErrorKind::StorageFull => {
                (LogFiles::open(Arc::clone(&layer)), State::without_store())
            }
            Err(error) => return Err(error.into()),
        };
        let witnesses = policy.as_ref().map_or(&[][..], Policy::witnesses);
        let log = Self {
            layer,
            files,
            signer,
            public,
            witness_metrics: witnesses
                .iter()
                .map(|_| WitnessMetrics::default())
                .collect(),
            policy,
            clock: SystemTime::now,
            state: Mutex::new(state),
        };
        log.remember()?;
        match log.grow(heads) {
            // For example, the disk is full. Published entries are still served. Appending
            // continues once there is space.
            Err(error @ (HeadLogError::Io(_) | HeadLogError::Store(_))) => {
                tracing::error!(%error, "the log of heads cannot grow");
            }
            grown => drop(grown?),
        }
        Ok(log)
    }

    /// Reads the time from `clock` instead of from the system's clock.
    #[must_use]
    #[doc(hidden)]
    pub fn with_clock(self, clock: fn() -> SystemTime) -> Self {
        Self { clock, ..self }
    }

    /// Checks that the log's last entry equals the dictionary's head of the entry's version.
    /// Succeeds if the dictionary does not have that version.
    fn check_last(state: &mut State, heads: &impl LoggedHeads) -> Result<(), HeadLogError> {
        let Some(last) = state.signed_size.checked_sub(1) else {
            return Ok(());
        };
        let version = Version::new(last.saturating_add(1));
        // A store restored from a backup may be behind its log. Then there is nothing to compare.
        if heads.latest() < version {
            return Ok(());
        }
        let head = heads.head(version)?;
        if state.store()?.signed_reader()?.entry(last)? == head {
            return Ok(());
        }
        Err(HeadLogError::OtherHead(version))
    }

    /// If the latest signed checkpoint is published, loads its cosignatures. They count until the
    /// witnesses are asked again.
    fn remember(&self) -> Result<(), HeadLogError> {
        let mut state = self.state();
        if state.signed_size == 0 || self.files.published_size()? != state.signed_size {
            return Ok(());
        }
        let published = self.files.fetch(&ResourcePath::Checkpoint);
        let note = published.ok().and_then(|bytes| Note::parse(&bytes).ok());
        let Some(note) = note else { return Ok(()) };
        for (number, witness) in self.witnesses().iter().enumerate() {
            let text = note.unverified_text();
            let verifies = |signature: &&Signature| {
                signature.claims(&witness.key) && witness.key.verify(text, signature).is_ok()
            };
            if let Some(signature) = note.signatures().iter().rev().find(verifies) {
                state.cosigned.insert(number, signature.clone());
            }
        }
        Ok(())
    }

    /// Returns the witnesses of the policy.
    pub fn witnesses(&self) -> &[TrustedWitness] {
        self.policy.as_ref().map_or(&[], Policy::witnesses)
    }

    pub(crate) fn witness_metrics(&self, witness: usize) -> Option<&WitnessMetrics> {
        self.witness_metrics.get(witness)
    }

    /// Returns the number of signed entries and the number of published entries.
    ///
    /// # Errors
    /// [`HeadLogError::Store`].
    #[doc(hidden)]
    pub fn sizes(&self) -> Result<[u64; 2], HeadLogError> {
        Ok([self.state().signed_size, self.files.published_size()?])
    }

    /// Returns whether the last attempt to append heads failed, or the log's medium has failed
    /// since then, for example during publishing.
    #[doc(hidden)]
    pub fn has_failed(&self) -> bool {
        let state = self.state();
        state.has_failed || state.store.as_ref().is_none_or(LogStore::has_failed)
    }

    /// Returns a published file of the log. Returns `None` if the log has no file at `path`.
    ///
    /// # Errors
    /// [`io::ErrorKind::Other`] if the log cannot be read.
    #[doc(hidden)]
    pub fn file(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        let Ok(path) = path.parse::<ResourcePath>() else {
            return Ok(None);
        };
        match self.files.fetch(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(FetchError::NotFound) => Ok(None),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Appends new heads and signs a checkpoint. Returns whether there were new heads.
    ///
    /// Nothing is appended while the latest signed checkpoint is unpublished and some witness with
    /// a URL was not asked about it. Without this rule, no checkpoint might ever collect enough
    /// cosignatures.
    ///
    /// After an I/O error, first opens the log again.
    ///
    /// # Errors
    /// [`HeadLogError`].
    #[doc(hidden)]
    pub fn grow(&self, heads: &impl LoggedHeads) -> Result<bool, HeadLogError> {
        let mut state = self.state();
        let grown = self.grow_in(&mut state, heads);
        state.has_failed = grown.is_err();
        grown
    }

    fn grow_in(&self, state: &mut State, heads: &impl LoggedHeads) -> Result<bool, HeadLogError> {
        self.reopen(state)?;
        // The store may have been replaced since the last growth.
        if !state.is_checked || heads.latest().number() > state.signed_size {
            Self::check_last(state, heads)?;
            state.is_checked = true;
        }
        let (size, latest) = (state.signed_size, heads.latest().number());
        let reachable = self.witnesses().iter().filter(|one| one.url.is_some());
        let is_done = state.asked.len() >= reachable.count();
        if latest <= size || (!is_done && size > self.files.published_size()?) {
            return Ok(false);
        }
        // Entries that were appended before a failure are still in the log.
        for version in state.store()?.size().saturating_add(1)..=latest {
            let version = Version::new(version);
            let head = heads.head(version)?;
            verify_head(&self.public, version, &head).map_err(|refusal| HeadLogError::Head {
                version,
                reason: refusal.to_string(),
            })?;
            state.store()?.append(&head)?;
        }
        state.store()?.sign(&self.signer)?;
        state.note_signed();
        self.publish(state)?;
        Ok(true)
    }

    /// Opens the log again if its medium has failed. Then publishes a signed checkpoint that is not
    /// published yet, if its cosignatures satisfy the policy.
    fn reopen(&self, state: &mut State) -> Result<(), HeadLogError> {
        if !state.store.as_ref().is_none_or(LogStore::has_failed) {
            return Ok(());
        }
        // The old storage holds the lock, so it is dropped first.
        drop(state.store.take());
        let store = LogStore::open(Arc::clone(&self.layer), &self.signer.verifier())?;
        // The folder may contain a signed checkpoint that was not reported to this process. No
        // signed entry may be missing.
        if let Some(signed) = &state.signed {
            let replaced = || HeadLogError::Replaced {
                signed: state.signed_size,
            };
            let checkpoint = Checkpoint::parse(signed.unverified_text()).map_err(|_| replaced())?;
            if store.signed_size() < checkpoint.size()
                || store.signed_reader()?.root_at(checkpoint.size())? != checkpoint.root()
            {
                return Err(replaced());
            }
        }
        state.store = Some(store);
        state.note_signed();
        if self.files.published_size()? < state.signed_size {
            self.publish(state)?;
        }
        Ok(())
    }

    /// Publishes the signed checkpoint if its cosignatures satisfy the policy. Returns whether it
    /// was published.
    fn publish(&self, state: &mut State) -> Result<bool, HeadLogError> {
        let Some(mut note) = state.signed.clone() else {
            return Ok(false);
        };
        for cosignature in state.cosigned.values() {
            note.add(cosignature.clone()).map_err(StoreError::Note)?;
        }
        let window = until((self.clock)());
        let is_enough = |policy: &Policy| match policy.verify_within(&note, Some(window)) {
            // A policy that requires no witness does not depend on the time.
            Err(PolicyError::Undated) => policy.verify(&note).is_ok(),
            accepted => accepted.is_ok(),
        };
        if !self.policy.as_ref().is_none_or(is_enough) {
            return Ok(false);
        }
        state.store()?.publish(&note)?;
        Ok(true)
    }

    /// Returns whether a witness has cosigned the latest signed checkpoint, or no checkpoint is
    /// signed.
    pub(crate) fn is_cosigned_by(&self, witness: usize) -> bool {
        let state = self.state();
        state.signed_size == 0 || state.cosigned.contains_key(&witness)
    }

    /// Returns the request for a witness whose last cosigned checkpoint has size `old_size`.
    ///
    /// Returns `None` if no checkpoint is signed, if `old_size` is larger than the log, or while
    /// the log is not open.
    pub(crate) fn request(&self, old_size: u64) -> Result<Option<Request>, HeadLogError> {
        let state = self.state();
        let size = state.signed_size;
        // Proofs cannot be computed before the log is opened again. The checkpoint is sent to
        // witnesses later.
        let (Some(note), Some(store)) = (
            (state.signed.as_ref()).filter(|_| size > 0 && old_size <= size),
            &state.store,
        ) else {
            return Ok(None);
        };
        let mut reader = store.signed_reader()?;
        let request = AddCheckpoint {
            old_size,
            proof: reader.prove_consistency(old_size, size)?,
            note: note.clone(),
        };
        let body = request.encode();
        Ok(Some(Request {
            body,
            note: request.note,
            size,
        }))
    }

    /// Records that a witness was asked about the checkpoint of `request`. Of the valid
    /// `cosignatures`, if any, stores the one with the latest time.
    ///
    /// Returns the time of this cosignature. Cosignatures from the future are ignored. Nothing is
    /// recorded if the checkpoint of `request` is no longer the latest signed checkpoint.
    pub(crate) fn note_answer(
        &self,
        witness: usize,
        request: &Request,
        cosignatures: &[Signature],
    ) -> Result<Option<Timestamp>, HeadLogError> {
        let window = until((self.clock)());
        let mut state = self.state();
        let text = request.note.unverified_text();
        let key = self.witnesses().get(witness).map(|witness| &witness.key);
        let verified = cosignatures.iter().filter_map(|signature| {
            let time = key?.verify(text, signature).ok()?.time?;
            Some((time, signature))
        });
        // Keeps the cosignature with the latest time, as policies do. Cosignatures from the future
        // are ignored.
        let is_ahead = |time: Timestamp| time > window.until;
        let last = verified
            .filter(|(time, _)| !is_ahead(*time))
            .max_by_key(|(time, _)| *time);
        if request.size != state.signed_size {
            return Ok(last.map(|(time, _)| time));
        }
        state.asked.insert(witness);
        let Some((time, signature)) = last else {
            return Ok(None);
        };
        state.cosigned.insert(witness, signature.clone());
        self.publish(&mut state)?;
        Ok(Some(time))
    }

    // The log is opened again after a failure in the middle of a change, so the state in a poisoned
    // lock is usable.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
