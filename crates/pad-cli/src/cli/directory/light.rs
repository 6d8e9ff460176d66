//! Light authors on disk: folders with an author's state, and no entries. The entries are in copies
//! of the directory, which untrusted servers keep.
//!
//! | file | content |
//! | --- | --- |
//! | `author.state` | length of the state (8 bytes, big-endian), state, update that produced it |
//! | `VERSION.update` | a signed update, for servers |
//!
//! A version is signed, then stored in `author.state`, then recorded next to the key. Only then its
//! `VERSION.update` is written. After a crash, the next command completes these steps for the
//! version in `author.state`.

use std::{
    fs, io, iter,
    path::{Path, PathBuf},
};

use authdict::{
    PublicKey, SigningKeys, SigningRecord, SigningRecordError, Untrusted, Version,
    block_directory::{
        Changes, EntryProof, LightAuthor, LightError, LightState, WitnessAnswerError,
        internals::MOST_IDS,
    },
    pad_core::codec,
};
use pad_core::{Suite, Update};

use super::{
    apply::LONGEST_UPDATE,
    author::{SignArguments, synchronise_names, update_name, write_into, write_update},
    failure,
    proof_source::ProofSource,
};
use crate::cli::{Failure, Output, Result, files::read_file, session::check_key};

/// The light author of a directory: its state and signer, the signing record, and the folders for
/// signed updates.
pub(super) struct Light<S: Suite> {
    author: LightAuthor<S>,
    public: PublicKey,
    record: SigningRecord,
    folder: PathBuf,
    updates: Option<PathBuf>,
}

/// A light author's state, and the update that produced it; `None` before version 1.
type StoredLight<S> = (LightState<S>, Option<Update<S>>);

pub(super) fn is_light(folder: &Path) -> bool {
    folder.join(STATE).exists()
}

pub(super) fn require_entries(folder: &Path) -> Result {
    if !is_light(folder) {
        return Ok(());
    }
    let folder = folder.display();
    let text = format!("{folder} has the state of a light author, and no entries");
    Err(Failure::Input(text).help("use a copy of the directory, or a server"))
}

/// Creates the light author of an empty directory in `folder`, which must be empty or missing.
pub(super) fn create<S: Suite>(folder: &Path, public: &PublicKey) -> Result {
    match fs::read_dir(folder).map(|mut files| files.next().is_some()) {
        Ok(false) => {}
        Ok(true) => {
            let shown = folder.display();
            let text = format!("{shown} is not empty: a new directory needs an empty folder");
            return Err(Failure::Input(text));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(Failure::file(folder, &error)),
    }
    let state = LightState::<S>::new(public.authority);
    let state = state.map_err(|error| Failure::Input(error.to_string()))?;
    write_into(folder, STATE, &to_bytes(&state, None))
}

impl<S: Suite> Light<S> {
    /// Opens an existing light author. Completes its latest version after a crash.
    ///
    /// Refuses a state whose key is not that of `keys`, and an old copy of the state.
    pub(super) fn open(folder: &Path, sign: &SignArguments, keys: &SigningKeys) -> Result<Self> {
        let (state, _) = read::<S>(folder)?;
        let public = PublicKey {
            authority: *state.authority(),
            ..keys.public().clone()
        };
        check_key(folder, &public, keys.public())?;
        let record = sign.author.record_for(state.version())?;
        // From here on the record is locked. Another process may have signed before.
        let (state, update) = read::<S>(folder)?;
        let is_recorded = check_record(&record, &state)?;
        let author = LightAuthor::resume(state, update, keys.signer().clone())?;
        let mut light = Self {
            author,
            public,
            record,
            folder: folder.to_owned(),
            updates: sign.updates.clone(),
        };
        light.complete(is_recorded)?;
        Ok(light)
    }

    /// Returns the number of entries, deleted ones included.
    pub(super) const fn registered(&self) -> u64 {
        self.author.registered()
    }

    /// Signs `changes` as the next version. On return the version is durable, its head is recorded,
    /// and its update is written.
    pub(super) fn publish(
        &mut self,
        changes: &Changes<S>,
        source: &ProofSource,
    ) -> Result<Update<S>> {
        let witness = self.witness(changes, source)?;
        let update = self.author.publish(changes, witness, keep(&self.folder));
        let update = update.map_err(unsigned)?;
        self.hand_out(&update)?;
        Ok(update)
    }

    /// Stores the state again, because it may have been read from a cache and never have reached
    /// the disk. Hands out its version if a crash has prevented that.
    fn complete(&mut self, is_recorded: bool) -> Result {
        let update = match self.author.finish(keep(&self.folder)) {
            Err(LightError::NothingUnfinished) => return Ok(()),
            finished => finished.map_err(unsigned)?,
        };
        let version = update.head.head.version;
        let mut folders = iter::once(&self.folder).chain(&self.updates);
        let is_written = folders.all(|folder| folder.join(update_name(version)).exists());
        if is_recorded && is_written {
            // The command that wrote the files may have been killed before a name was durable.
            let mut updates = self.updates.iter();
            return updates.try_for_each(|folder| synchronise_names(folder));
        }
        self.hand_out(&update)?;
        if !is_recorded && !is_written {
            Output::warn(&format!(
                "version {version} was signed by an earlier command that did not complete: its \
                 update is written now"
            ));
        }
        Ok(())
    }

    /// Records the head of a stored version, and then writes its update for servers.
    fn hand_out(&mut self, update: &Update<S>) -> Result {
        self.record.advance(&codec::encode(&update.head))?;
        let (version, message) = (update.head.head.version, codec::encode(update));
        let mut folders = iter::once(&self.folder).chain(&self.updates);
        folders.try_for_each(|folder| write_update(folder, version, &message))
    }

    /// Returns the unverified proof of the entries that change; `None` if there are only new
    /// entries.
    fn witness(
        &self,
        changes: &Changes<S>,
        source: &ProofSource,
    ) -> Result<Option<Untrusted<EntryProof<S>>>> {
        let request = self.author.request(changes).map_err(|_| {
            Failure::Input(format!(
                "a light author changes at most {MOST_IDS} entries in one version"
            ))
        })?;
        let Some(request) = request else {
            return Ok(None);
        };
        let answer = source.answer(&self.author, &self.public, &request)?;
        let witness = self.author.witness(changes, &answer);
        witness.map(Some).map_err(|error| match error {
            WitnessAnswerError::OldState { .. } => Failure::Refused(error.to_string())
                .help("restore the newest copy of the state, and sign nothing with this one"),
            error => Failure::Refused(format!("verification failed: {error}")),
        })
    }
}

/// Checks the state against the signing record. Fails for an old copy of the state, and for a state
/// with another head. Returns whether the record has the state's head.
fn check_record<S: Suite>(record: &SigningRecord, state: &LightState<S>) -> Result<bool> {
    let (authority, latest) = (state.authority(), state.version());
    let newest = record.newest::<S>(authority)?;
    // After a crash, the state is one version ahead of the record. The state contains only its
    // latest head, so the record's own head is used for the version before it.
    let head = |version: Version| match state.head() {
        Some(head) if version == latest => Some(head),
        _ => newest.filter(|_| version.next() == Some(latest)),
    };
    record
        .check(authority, latest, head)
        .map_err(|error| match error {
            SigningRecordError::OlderStore { signed, file, .. } => Failure::Refused(format!(
                "the light author's state is an old copy: it is at version {latest}, but version \
             {signed} was signed and handed out (recorded in {file})"
            ))
            .help("restore the newest copy of the state, and sign nothing with this one"),
            error => error.into(),
        })?;
    let recorded = newest.map(|signed| signed.head.version);
    Ok(recorded.unwrap_or(Version::EMPTY) == latest)
}

fn unsigned(error: LightError<Failure>) -> Failure {
    match error {
        LightError::Refused(error) => Failure::Refused(format!(
            "verification failed: the proof of the entries that change: {error}"
        )),
        LightError::Changes(error) => failure::change(&error),
        LightError::Author(error) => error.into(),
        LightError::NotKept(failure) => failure,
        error => Failure::Store(error.to_string()),
    }
}

/// Returns the function that stores a new state and the update that produced it.
fn keep<S: Suite>(folder: &Path) -> impl Fn(&LightState<S>, &Update<S>) -> Result {
    move |state, update| write_into(folder, STATE, &to_bytes(state, Some(update)))
}

fn read<S: Suite>(folder: &Path) -> Result<StoredLight<S>> {
    let path = folder.join(STATE);
    let limit = LONGEST_UPDATE.saturating_add(LONGEST_STATE);
    let bytes = read_file(&path, limit)?;
    from_bytes(&bytes).ok_or_else(|| {
        let path = path.display();
        Failure::Store(format!(
            "{path}: the state is damaged, or is of a directory with another suite"
        ))
    })
}

fn to_bytes<S: Suite>(state: &LightState<S>, update: Option<&Update<S>>) -> Vec<u8> {
    let state = codec::encode(state);
    let length = u64::try_from(state.len()).unwrap_or(u64::MAX);
    let mut bytes = length.to_be_bytes().to_vec();
    bytes.extend_from_slice(&state);
    if let Some(update) = update {
        bytes.extend_from_slice(&codec::encode(update));
    }
    bytes
}

fn from_bytes<S: Suite>(bytes: &[u8]) -> Option<StoredLight<S>> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_be_bytes(*length)).ok()?;
    let (state, update) = rest.split_at_checked(length)?;
    let state = codec::decode(state, state.len()).ok()?;
    let update = match update {
        [] => None,
        update => Some(codec::decode(update, update.len()).ok()?),
    };
    Some((state, update))
}

const STATE: &str = "author.state";
const LONGEST_STATE: usize = 1 << 16;
