//! The log of a dictionary's heads, kept by the server that holds the log's key.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use disk::layer::Folder;
use pad::{LookupError, PublicKey, Version, question::verify_head};
use transparency_log::{
    Note, Policy, Timestamp,
    note::{NoteSigner, Signature},
    policy::TrustedWitness,
    store::{LogFiles, LogStore, StoreError},
    tile::{Fetch, FetchError, ReadError, ResourcePath},
    witness::AddCheckpoint,
};

use crate::{cosigning::Tally, dictionary::Dictionary};

/// The log of a dictionary's heads in a folder: appended to and signed here, cosigned by witnesses, and published when
/// enough of them have.
///
/// A checkpoint that is published has the cosignatures that the policy asks for, if there is one: until a newer one has them too, the
/// older one is what clients are shown.
#[derive(Debug)]
pub struct HeadLog {
    files: LogFiles,
    signer: NoteSigner,
    public: PublicKey,
    policy: Option<Policy>,
    tallies: Vec<Tally>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    store: LogStore,
    /// What each witness has said to the checkpoint that was signed last.
    cosigned: BTreeMap<usize, Signature>,
    /// The witnesses that were asked about it, whatever they said.
    asked: BTreeSet<usize>,
}

/// A log of heads cannot be what it should.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HeadLogError {
    /// The key is another log's.
    #[error("the key is of the log {origin:?}, whose name does not end with /{dictionary}")]
    OtherDictionary {
        /// The name of the key.
        origin: String,
        /// The dictionary.
        dictionary: String,
    },
    /// The policy does not name the log.
    #[error("the policy of witnesses does not name the log's key")]
    NotInPolicy,
    /// The log has another head than the dictionary.
    #[error(
        "the log has another head of version {0} than the store: one of them is not what it was"
    )]
    OtherHead(Version),
    /// A head of the store does not verify.
    #[error("the head of version {version} does not verify: {reason}")]
    Head {
        /// Its version.
        version: Version,
        /// Why.
        reason: String,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The log cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The log cannot be read back.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What a witness is asked.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) body: String,
    pub(crate) note: Note,
    pub(crate) size: u64,
}

impl HeadLog {
    /// The log in this folder, which is begun if it is empty, of the heads of this dictionary. The name of the key ends with the
    /// dictionary's id. Without a policy every checkpoint is published at once, and no witness is asked.
    ///
    /// # Errors
    /// [`HeadLogError`].
    pub fn open(
        folder: &Path,
        signer: NoteSigner,
        policy: Option<Policy>,
        dictionary: &Dictionary,
    ) -> Result<Self, HeadLogError> {
        let public = dictionary.description().public.clone();
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
        std::fs::create_dir_all(folder)?;
        let layer = Arc::new(Folder::open(folder)?);
        let store = LogStore::open(layer, &key)?;
        let files = store.files().clone();
        let witnesses = policy.as_ref().map_or(&[][..], Policy::witnesses);
        let log = Self {
            files,
            signer,
            public,
            tallies: witnesses.iter().map(|_| Tally::default()).collect(),
            policy,
            state: Mutex::new(State {
                store,
                cosigned: BTreeMap::new(),
                asked: BTreeSet::new(),
            }),
        };
        log.check_last(dictionary)?;
        log.remember()?;
        log.grow(dictionary)?;
        Ok(log)
    }

    /// The last entry is the head that the dictionary has.
    fn check_last(&self, dictionary: &Dictionary) -> Result<(), HeadLogError> {
        let state = self.state();
        let Some(last) = state.store.signed_size().checked_sub(1) else {
            return Ok(());
        };
        let version = Version::new(last.saturating_add(1));
        // A store from a backup may be behind its log.
        if dictionary.latest() < version {
            return Ok(());
        }
        let head = dictionary.read(|repository| repository.head_message(version))?;
        if state.store.signed_reader()?.entry(last)? == head {
            return Ok(());
        }
        Err(HeadLogError::OtherHead(version))
    }

    /// The cosignatures that the published checkpoint has need not be asked for before they are too old.
    fn remember(&self) -> Result<(), HeadLogError> {
        let mut state = self.state();
        if state.store.signed_size() == 0
            || self.files.published_size()? != state.store.signed_size()
        {
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

    /// The witnesses that are asked.
    pub fn witnesses(&self) -> &[TrustedWitness] {
        self.policy.as_ref().map_or(&[], Policy::witnesses)
    }

    pub(crate) fn tally(&self, witness: usize) -> Option<&Tally> {
        self.tallies.get(witness)
    }

    /// How many entries the log has signed, and how many are published.
    ///
    /// # Errors
    /// [`HeadLogError::Store`].
    pub fn sizes(&self) -> Result<[u64; 2], HeadLogError> {
        Ok([
            self.state().store.signed_size(),
            self.files.published_size()?,
        ])
    }

    /// A resource of the log as it is published; `None` if there is none of this path.
    ///
    /// # Errors
    /// The operating system's.
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

    /// Appends the heads that are new and signs the log; whether there were any. While the checkpoint that was signed last has too
    /// few cosignatures, and some witness was not asked about it, nothing is appended: else the witnesses would never be done with one.
    ///
    /// # Errors
    /// [`HeadLogError`].
    pub fn grow(&self, dictionary: &Dictionary) -> Result<bool, HeadLogError> {
        let mut state = self.state();
        let (size, latest) = (state.store.signed_size(), dictionary.latest().number());
        let reachable = self.witnesses().iter().filter(|one| one.url.is_some());
        let is_done = state.asked.len() >= reachable.count();
        if latest <= size || (!is_done && size > self.files.published_size()?) {
            return Ok(false);
        }
        // What was appended before a failure is there still.
        for version in state.store.size().saturating_add(1)..=latest {
            let version = Version::new(version);
            let head = dictionary.read(|repository| repository.head_message(version))?;
            verify_head(&self.public, version, &head).map_err(|refusal| HeadLogError::Head {
                version,
                reason: refusal.to_string(),
            })?;
            state.store.append(&head)?;
        }
        state.store.sign(&self.signer)?;
        state.cosigned.clear();
        state.asked.clear();
        self.publish(&mut state)?;
        Ok(true)
    }

    /// Publishes what is signed, if enough witnesses have cosigned it.
    fn publish(&self, state: &mut State) -> Result<bool, HeadLogError> {
        let Some(mut note) = state.store.signed().cloned() else {
            return Ok(false);
        };
        for cosignature in state.cosigned.values() {
            note.add(cosignature.clone()).map_err(StoreError::Note)?;
        }
        let is_enough = |policy: &Policy| policy.verify(&note).is_ok();
        if !self.policy.as_ref().is_none_or(is_enough) {
            return Ok(false);
        }
        state.store.publish(&note)?;
        Ok(true)
    }

    /// Whether a witness has cosigned what is signed.
    pub(crate) fn is_cosigned_by(&self, witness: usize) -> bool {
        let state = self.state();
        state.store.signed_size() == 0 || state.cosigned.contains_key(&witness)
    }

    /// What to ask a witness that has cosigned a checkpoint of this size last; `None` if there is nothing to cosign, or the size
    /// is larger than the log.
    pub(crate) fn request(&self, old_size: u64) -> Result<Option<Request>, HeadLogError> {
        let state = self.state();
        let size = state.store.signed_size();
        let Some(note) = state
            .store
            .signed()
            .filter(|_| size > 0 && old_size <= size)
        else {
            return Ok(None);
        };
        let mut reader = state.store.signed_reader()?;
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

    /// Notes that a witness was asked about the checkpoint of this size, and what it has cosigned it with, which is
    /// verified; the time of that.
    pub(crate) fn note_answer(
        &self,
        witness: usize,
        request: &Request,
        cosignatures: &[Signature],
    ) -> Result<Option<Timestamp>, HeadLogError> {
        let mut state = self.state();
        let text = request.note.unverified_text();
        let key = self.witnesses().get(witness).map(|witness| &witness.key);
        // Of several the last by its time, which is what a policy counts.
        let verified = cosignatures.iter().filter_map(|signature| {
            let time = key?.verify(text, signature).ok()?.time?;
            Some((time, signature))
        });
        let last = verified.max_by_key(|(time, _)| *time);
        if request.size != state.store.signed_size() {
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

    // What fails while it changes is refused by the log itself from then on.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
