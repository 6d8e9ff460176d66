//! The author that stores only the digests of the complete subtrees of its directory. It stores one
//! digest for each set bit of the number of entries, and queries the server for the rest.

use pad_core::{
    ApplyError, Authority, DictionaryId, Frontier, HeadSignature, HeadSigner, InputError,
    Operation, SignedHead, SnapshotHead, Suite, Untrusted, Update, VerifyError, Version,
    codec::{self, Message},
    internals::Domain,
};
use serde::{Deserialize, Serialize};
use signature::{Keypair, Signer};
use thiserror::Error;

use super::{
    changes::Changes,
    peaks::Peaks,
    signing::{AuthorError, LightError, Sequence},
    witness,
};
use crate::{
    entry::require_directory,
    operations::{self, Change},
    proof::EntryProof,
};

/// The state of a light author, which must not be lost: less than 4 KB, at any number of entries.
/// Its encoding is message kind 168, and is never sent to other machines.
///
/// Never restore the state from a server: verification cannot prove that a server's data is the
/// newest.
///
/// Decoding refuses a state with a wrong integrity digest. It also refuses a state whose head lacks
/// the author's signature, or whose root is not that of the stored subtree digests. An author with
/// such a state would sign updates that no server can apply, or one version twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "", into = "StoredState<S>", try_from = "StoredState<S>")]
pub struct LightState<S: Suite> {
    sequence: Sequence<S>,
    peaks: Peaks<S>,
}

/// A light author's state with its integrity digest, as encoded.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct StoredState<S: Suite> {
    sequence: Sequence<S>,
    peaks: Peaks<S>,
    digest: S::Digest,
}

/// Error returned when the stored state of a light author is damaged.
#[derive(Debug, Error)]
#[error("the stored state is damaged")]
struct DamagedState;

impl<S: Suite> LightState<S> {
    /// Creates the state of the author of a new, empty directory. For [`LightAuthor::resume`], when
    /// the signer's public key is known from elsewhere.
    ///
    /// # Errors
    /// [`VerifyError::WrongScheme`] for an author of another scheme.
    pub fn new(authority: Authority) -> Result<Self, VerifyError> {
        require_directory(&authority)?;
        Ok(Self {
            sequence: Sequence::at(authority, Frontier::default(), None),
            peaks: Peaks::default(),
        })
    }

    /// Returns the author key, dictionary and scheme of the directory.
    pub const fn authority(&self) -> &Authority {
        &self.sequence.authority
    }

    /// Returns the head of the latest version; `None` before version 1.
    pub const fn head(&self) -> Option<SignedHead<S>> {
        self.sequence.head
    }

    /// Returns the number of the latest version.
    pub fn version(&self) -> Version {
        self.sequence.version()
    }

    fn digest(&self) -> S::Digest {
        let body = codec::encode_body(&(&self.sequence, &self.peaks));
        S::hash(Domain::Checkpoint, &[b"light author", &body])
    }
}

impl<S: Suite> From<LightState<S>> for StoredState<S> {
    fn from(state: LightState<S>) -> Self {
        let digest = state.digest();
        let LightState { sequence, peaks } = state;
        Self {
            sequence,
            peaks,
            digest,
        }
    }
}

impl<S: Suite> TryFrom<StoredState<S>> for LightState<S> {
    type Error = DamagedState;

    fn try_from(stored: StoredState<S>) -> Result<Self, DamagedState> {
        let StoredState {
            sequence,
            peaks,
            digest,
        } = stored;
        let state = Self { sequence, peaks };
        if state.digest() == digest && state.sequence.ends_in(&state.peaks.root()) {
            Ok(state)
        } else {
            Err(DamagedState)
        }
    }
}

impl<S: Suite> Message for LightState<S> {
    const KIND: u8 = 168;
    const SUITE: u16 = S::ID.0;
}

/// The author of a directory that stores none of its entries.
///
/// Laws: an author never signs two different heads for one version. It publishes no version before
/// its state and update are stored.
#[derive(Debug)]
pub struct LightAuthor<S: Suite> {
    state: LightState<S>,
    next: Option<Next<S>>,
    signer: HeadSigner,
}

/// A sealed version: its head without a signature, and its operations. It is the only version that
/// the author may sign next.
#[derive(Debug)]
struct SealedVersion<S: Suite> {
    head: SnapshotHead<S>,
    operations: Vec<Operation>,
}

/// The next version, while it is not yet signed, or not yet stored.
#[derive(Debug)]
enum Next<S: Suite> {
    Sealed(SealedVersion<S>, Peaks<S>),
    Signed(Box<LightState<S>>, Box<Update<S>>),
}

impl<S: Suite> LightAuthor<S> {
    /// Creates the author of a new, empty directory.
    ///
    /// # Errors
    /// [`VerifyError::AuthorKeyInvalid`] if the signer's public key is invalid.
    pub fn new<K>(dictionary: impl Into<DictionaryId>, signer: K) -> Result<Self, VerifyError>
    where
        K: Signer<HeadSignature> + Keypair<VerifyingKey: AsRef<[u8]>> + Send + Sync + 'static,
    {
        let state = LightState {
            sequence: Sequence::new(dictionary, &signer)?,
            peaks: Peaks::default(),
        };
        Ok(Self {
            state,
            next: None,
            signer: HeadSigner::new(signer),
        })
    }

    /// Continues from the author's latest stored state and the stored update that produced it.
    ///
    /// The author begins with that update unfinished. [`LightAuthor::finish`] stores state and
    /// update again, durably, and returns the update to be sent again. Without the second write,
    /// bytes that were read back may never have reached the disk. After a power cut, the version
    /// could then be signed a second time. Before version 1 there is no update to finish.
    ///
    /// # Errors
    /// [`AuthorError::OtherUpdate`] unless the update contains the state's head and is based on the
    /// version before it. The update's operations cannot be checked without the entries. Servers
    /// refuse an update with damaged operations. Any server that has the version can return the
    /// right operations.
    pub fn resume(
        state: LightState<S>,
        latest: Option<Update<S>>,
        signer: HeadSigner,
    ) -> Result<Self, AuthorError> {
        let is_next = |update: &Update<S>| update.base.next() == Some(update.head.head.version);
        if latest.as_ref().map(|update| update.head) != state.sequence.head
            || !latest.as_ref().is_none_or(is_next)
        {
            return Err(AuthorError::OtherUpdate);
        }
        let next = latest.map(|update| Next::Signed(Box::new(state.clone()), Box::new(update)));
        Ok(Self {
            state,
            next,
            signer,
        })
    }

    /// Returns the author key, dictionary and scheme whose heads clients and servers accept.
    pub const fn authority(&self) -> &Authority {
        &self.state.sequence.authority
    }

    /// Returns the number of the latest version.
    pub fn version(&self) -> Version {
        self.state.sequence.version()
    }

    /// Returns the number of entries ever registered, deleted ones included.
    pub const fn registered(&self) -> u64 {
        self.state.peaks.registered()
    }

    /// Returns the digests of the complete subtrees that the directory consists of, the largest
    /// first.
    #[doc(hidden)]
    pub fn peaks(&self) -> &[S::Digest] {
        self.state.peaks.digests()
    }

    /// Returns the state, which must not be lost.
    pub const fn state(&self) -> &LightState<S> {
        &self.state
    }

    /// Signs changes as the next version. `witness` is the server's proof for
    /// [`Changes::question`]. `keep` must store the new state and the update durably, before the
    /// update leaves the machine.
    ///
    /// Time: two hashes for each entry and digest in the witness, and two for each new entry.
    ///
    /// # Errors
    /// [`LightError`] if no version was signed and stored. The author is unchanged, except after
    /// [`LightError::NotKept`], [`AuthorError::Signer`] and [`AuthorError::OtherKey`]. Then
    /// [`LightAuthor::finish`] continues with this version, the only one that the author signs.
    pub fn publish<E>(
        &mut self,
        changes: &Changes<S>,
        witness: Option<Untrusted<EntryProof<S>>>,
        keep: impl FnOnce(&LightState<S>, &Update<S>) -> Result<(), E>,
    ) -> Result<Update<S>, LightError<E>> {
        if self.next.is_some() {
            return Err(LightError::Unfinished);
        }
        let (peaks, all) = self.changed(changes, witness)?;
        let operations = all.into_iter().map(Change::to_operation).collect();
        let sequence = &self.state.sequence;
        let head = sequence.seal(peaks.root(), sequence.history_root())?;
        let sealed = SealedVersion { head, operations };
        self.next = Some(Next::Sealed(sealed, peaks));
        self.finish(keep)
    }

    /// Signs and stores the version that [`LightAuthor::publish`] did not finish. `keep` must store
    /// the new state and the update durably.
    ///
    /// # Errors
    /// - [`LightError::NothingUnfinished`] if there is no such version.
    /// - [`LightError::NotKept`] if `keep` fails.
    /// - [`AuthorError::Signer`] if the signer fails; [`AuthorError::OtherKey`] if its key is not
    ///   the author's.
    pub fn finish<E>(
        &mut self,
        keep: impl FnOnce(&LightState<S>, &Update<S>) -> Result<(), E>,
    ) -> Result<Update<S>, LightError<E>> {
        // Keep `next` in place until the version is finished, even if the signer or `keep` panics.
        if let Some(Next::Sealed(sealed, peaks)) = &mut self.next {
            let mut sequence = self.state.sequence.clone();
            let head = sequence.sign(sealed.head, &self.signer)?;
            let update = sequence.update(head, core::mem::take(&mut sealed.operations));
            sequence.advance(head);
            let peaks = peaks.clone();
            let state = Box::new(LightState { sequence, peaks });
            self.next = Some(Next::Signed(state, Box::new(update)));
        }
        let Some(Next::Signed(state, update)) = &self.next else {
            return Err(LightError::NothingUnfinished);
        };
        keep(state, update).map_err(LightError::NotKept)?;
        let update = (**update).clone();
        self.state = (**state).clone();
        self.next = None;
        Ok(update)
    }

    /// Checks changes against the witness and the rules of updates ([`operations::check`]). Returns
    /// the peaks (subtree digests) after the changes, and all changes.
    fn changed<E>(
        &self,
        changes: &Changes<S>,
        witness: Option<Untrusted<EntryProof<S>>>,
    ) -> Result<AppliedChanges<S>, LightError<E>> {
        let mut peaks = self.state.peaks.clone();
        let registered = peaks.registered();
        let appended = (registered..).zip(&changes.appended);
        let appended = appended.map(|(id, object)| {
            let shown = Some(*object);
            Change { id, shown }
        });
        let all: Vec<Change<S>> = changes.changed.iter().copied().chain(appended).collect();
        if all.len() > operations::MOST_OPERATIONS {
            return Err(ApplyError::Input(InputError::CapacityExceeded).into());
        }
        if let Some(beyond) = changes
            .changed
            .iter()
            .find(|change| change.id >= registered)
        {
            return Err(ApplyError::UnknownId(beyond.id).into());
        }
        // Too many ids are the only reason for an error.
        let question = changes
            .question()
            .map_err(|_| ApplyError::Input(InputError::CapacityExceeded))?;
        let shown = match (question, witness) {
            (None, None) => Vec::new(),
            (Some(query), Some(witness)) => {
                witness::change::<S, E>(&mut peaks, &changes.changed, &query, witness)?
            }
            _ => return Err(LightError::WitnessMismatch),
        };
        let is_live = |id: u64| {
            let place = changes
                .changed
                .binary_search_by_key(&id, |change| change.id);
            Ok(place.is_ok_and(|place| matches!(shown.get(place), Some(Some(_)))))
        };
        operations::check(&all, registered, is_live)?;
        for object in &changes.appended {
            peaks.append(object);
        }
        Ok((peaks, all))
    }
}

/// The peaks (subtree digests) after changes, and all changes in the order of their ids.
type AppliedChanges<S> = (Peaks<S>, Vec<Change<S>>);
