//! The author who keeps one digest for each set bit of the number of entries, and asks the server for the rest.

use pad_core::{
    ApplyError, DictionaryId, HeadSignature, HeadSigner, InputError, Suite, Untrusted, Update,
    VerifyError, Version, codec::Message, head::Authority,
};
use serde::{Deserialize, Serialize};
use signature::{Keypair, Signer};
use thiserror::Error;

use super::{
    peaks::Peaks,
    signing::{AuthorError, Sealed, Sequence},
};
use crate::{
    entry::{self, EntryId, Shown},
    operations::{self, Change},
    proof::{EntryProof, Folded},
    query::EntryQuery,
    shape::{self, Asked, Span, Visitor},
};

/// What a light author changes in one version: entries below the number of those registered, and new ones.
#[derive(Clone, Debug, Default)]
pub struct Changes<S: Suite> {
    changed: Vec<Change<S>>,
    appended: Vec<S::Digest>,
}

impl<S: Suite> Changes<S> {
    /// No changes.
    pub const fn new() -> Self {
        Self {
            changed: Vec::new(),
            appended: Vec::new(),
        }
    }

    /// Registers an object.
    pub fn append(&mut self, object: S::Digest) {
        self.appended.push(object);
    }

    /// Gives an entry another object.
    pub fn update(&mut self, id: EntryId, object: S::Digest) {
        self.set(id, Some(object));
    }

    /// Deletes an entry, for good.
    pub fn delete(&mut self, id: EntryId) {
        self.set(id, None);
    }

    fn set(&mut self, id: EntryId, shown: Shown<S>) {
        let change = Change {
            id: id.number(),
            shown,
        };
        let place = self
            .changed
            .binary_search_by_key(&change.id, |other| other.id);
        match place {
            Ok(place) => {
                if let Some(other) = self.changed.get_mut(place) {
                    *other = change;
                }
            }
            Err(place) => self.changed.insert(place, change),
        }
    }

    /// What to ask the server for: the entries that change. `None` if there are only new ones.
    ///
    /// # Errors
    /// [`VerifyError::InvalidQuery`] for more than 1 000 of them.
    pub fn question(&self) -> Result<Option<EntryQuery>, VerifyError> {
        if self.changed.is_empty() {
            return Ok(None);
        }
        let ids = self.changed.iter().map(|change| change.id);
        EntryQuery::new(ids.collect()).map(Some)
    }
}

/// What a light author must not lose: less than 4 KB, at any number of entries. Kind 168, private to one machine.
///
/// Never restore it from a server: what a server has can be verified, but not that there is nothing newer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct LightState<S: Suite> {
    sequence: Sequence<S>,
    peaks: Peaks<S>,
}

impl<S: Suite> Message for LightState<S> {
    const KIND: u8 = 168;
    const SUITE: u16 = S::ID.0;
}

/// A light author has no new version; `E` is why its state could not be stored.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LightError<E> {
    /// The witness is not a proof of the entries that change under the author's own root: distrust the server.
    #[error("the witness is refused: {0}")]
    Refused(VerifyError),
    /// There is no witness for entries that change, or one for none.
    #[error("a witness is needed for the entries that change, and for no others")]
    WitnessMismatch,
    /// The changes break the rules of directories.
    #[error(transparent)]
    Changes(#[from] ApplyError),
    /// A version waits to be signed and stored: [`LightAuthor::finish`].
    #[error("a version waits to be signed and stored")]
    Unfinished,
    /// Nothing waits to be signed and stored.
    #[error("nothing waits to be signed and stored")]
    NothingUnfinished,
    /// The walk over the witness did not lead to the new peaks: an error of this library, and not signed.
    #[error("the new digests contradict each other")]
    Inconsistent,
    /// There is no new version.
    #[error(transparent)]
    Author(#[from] AuthorError),
    /// State and update could not be stored, and nothing must leave the machine: store them by [`LightAuthor::finish`].
    #[error("state and update could not be stored")]
    NotKept(#[source] E),
}

/// The author of a directory that keeps none of its entries.
///
/// Laws: an author never signs two different heads for one version, and none whose state and update were not stored.
#[derive(Debug)]
pub struct LightAuthor<S: Suite> {
    state: LightState<S>,
    next: Option<Next<S>>,
    signer: HeadSigner,
}

/// A version that waits to be signed, or to be stored.
#[derive(Debug)]
enum Next<S: Suite> {
    Sealed(Sealed<S>, Peaks<S>),
    Signed(Box<LightState<S>>, Box<Update<S>>),
}

impl<S: Suite> LightAuthor<S> {
    /// The author of a new, empty directory.
    ///
    /// # Errors
    /// [`VerifyError::AuthorKeyInvalid`] if the signer's public key is not one.
    pub fn new<K>(dictionary: impl Into<DictionaryId>, signer: K) -> Result<Self, VerifyError>
    where
        K: Signer<HeadSignature> + Keypair<VerifyingKey: AsRef<[u8]>> + Send + Sync + 'static,
    {
        let state = LightState {
            sequence: Sequence::new(dictionary, &signer)?,
            peaks: Peaks::default(),
        };
        Ok(Self::resume(state, HeadSigner::new(signer)))
    }

    /// The author who goes on from a state that it has stored, and which is the latest one. It first stores that state and its
    /// update again, and sends the update again: what it reads back may never have reached the disk.
    pub const fn resume(state: LightState<S>, signer: HeadSigner) -> Self {
        Self {
            state,
            next: None,
            signer,
        }
    }

    /// Whose heads clients and servers accept.
    pub const fn authority(&self) -> &Authority {
        &self.state.sequence.authority
    }

    /// The latest version.
    pub fn version(&self) -> Version {
        self.state.sequence.version()
    }

    /// The number of entries ever registered.
    pub const fn registered(&self) -> u64 {
        self.state.peaks.registered()
    }

    /// The digests of the complete subtrees that the directory consists of, the largest first.
    pub fn peaks(&self) -> &[S::Digest] {
        self.state.peaks.digests()
    }

    /// What must not be lost.
    pub const fn state(&self) -> &LightState<S> {
        &self.state
    }

    /// Signs changes as the next version. `witness` is the server's proof for [`Changes::question`]; `keep` stores the new state
    /// and the update, durably, before the update leaves the machine.
    ///
    /// Time: as many hashes as the witness has entries and digests, twice, and two for each new entry.
    ///
    /// # Errors
    /// [`LightError`]. The author is as it was, but for [`LightError::NotKept`] and [`AuthorError::Signer`]: then
    /// [`LightAuthor::finish`] goes on with this version, the only one that it signs.
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
        let sealed = self.state.sequence.seal(peaks.root(), operations)?;
        self.next = Some(Next::Sealed(sealed, peaks));
        self.finish(keep)
    }

    /// Signs and stores the version that [`LightAuthor::publish`] did not bring to its end.
    ///
    /// # Errors
    /// [`LightError::NothingUnfinished`], [`LightError::NotKept`], [`AuthorError::Signer`].
    pub fn finish<E>(
        &mut self,
        keep: impl FnOnce(&LightState<S>, &Update<S>) -> Result<(), E>,
    ) -> Result<Update<S>, LightError<E>> {
        let (state, update) = match self.next.take() {
            None => return Err(LightError::NothingUnfinished),
            Some(Next::Signed(state, update)) => (*state, *update),
            Some(Next::Sealed(sealed, peaks)) => {
                let mut sequence = self.state.sequence.clone();
                match sequence.sign(&sealed, &self.signer) {
                    Ok(update) => (LightState { sequence, peaks }, update),
                    Err(error) => {
                        self.next = Some(Next::Sealed(sealed, peaks));
                        return Err(AuthorError::from(error).into());
                    }
                }
            }
        };
        if let Err(error) = keep(&state, &update) {
            self.next = Some(Next::Signed(state.into(), update.into()));
            return Err(LightError::NotKept(error));
        }
        self.state = state;
        Ok(update)
    }

    /// The peaks after changes, and all changes, once everything about them has been checked.
    fn changed<E>(
        &self,
        changes: &Changes<S>,
        witness: Option<Untrusted<EntryProof<S>>>,
    ) -> Result<Changed<S>, LightError<E>> {
        let mut peaks = self.state.peaks.clone();
        let registered = peaks.registered();
        let appended = changes.appended.iter().enumerate().map(|(place, object)| {
            let id = registered.saturating_add(u64::try_from(place).unwrap_or(u64::MAX));
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
        let shown = match (changes.question().map_err(LightError::Refused)?, witness) {
            (None, None) => Vec::new(),
            (Some(query), Some(witness)) => self.change(&mut peaks, changes, &query, witness)?,
            _ => return Err(LightError::WitnessMismatch),
        };
        let before = |id: u64| {
            let place = changes
                .changed
                .binary_search_by_key(&id, |change| change.id);
            shown.get(place.ok()?).copied().flatten()
        };
        operations::check(&all, registered, before)?;
        for object in &changes.appended {
            peaks.append(object);
        }
        Ok((peaks, all))
    }

    /// Verifies the witness under the author's own root, walks it again with the new entries in place of the old ones, and
    /// returns the old ones.
    fn change<E>(
        &self,
        peaks: &mut Peaks<S>,
        changes: &Changes<S>,
        query: &EntryQuery,
        witness: Untrusted<EntryProof<S>>,
    ) -> Result<Vec<Shown<S>>, LightError<E>> {
        let witness = witness.into_unverified();
        let root = witness.root(query).map_err(LightError::Refused)?;
        if root != self.state.peaks.root() {
            return Err(LightError::Refused(VerifyError::RootMismatch));
        }
        let ids: Vec<u64> = changes.changed.iter().map(|change| change.id).collect();
        let shown: Vec<Shown<S>> = changes.changed.iter().map(|change| change.shown).collect();
        let registered = peaks.registered();
        let spans = peak_spans(registered);
        let mut repeaked = Repeaked {
            folded: Folded::<S>::new(&shown, &witness.siblings),
            spans: &spans,
            peaks: peaks.digests_mut(),
        };
        let top = shape::walk(registered, Asked::Ids(&ids), &mut repeaked);
        if top.map_err(LightError::Refused)? != peaks.top() {
            return Err(LightError::Inconsistent);
        }
        Ok(witness.shown)
    }
}

/// The peaks after changes, and all changes in the order of their ids.
type Changed<S> = (Peaks<S>, Vec<Change<S>>);

/// What the peaks of a directory cover, the largest first.
fn peak_spans(registered: u64) -> Vec<Span> {
    let whole = Span {
        start: 0,
        size: registered,
    };
    let peaks = shape::peaks(whole).map(|(height, number)| Span {
        start: number << height,
        size: 1 << height,
    });
    peaks.collect()
}

/// Folds a witness with new entries, and takes down the digests of the peaks on the way. Those inside of elided subtrees stay.
struct Repeaked<'a, S: Suite> {
    folded: Folded<'a, S>,
    spans: &'a [Span],
    peaks: &'a mut [S::Digest],
}

impl<S: Suite> Repeaked<'_, S> {
    fn note(&mut self, span: Span, digest: S::Digest) -> S::Digest {
        let place = self.spans.iter().position(|peak| *peak == span);
        if let Some(peak) = place.and_then(|place| self.peaks.get_mut(place)) {
            *peak = digest;
        }
        digest
    }
}

impl<S: Suite> Visitor for Repeaked<'_, S> {
    type Digest = S::Digest;
    type Error = VerifyError;

    fn elided(&mut self, span: Span) -> Result<S::Digest, VerifyError> {
        let digest = self.folded.elided(span)?;
        Ok(self.note(span, digest))
    }

    fn entry(&mut self, id: u64) -> Result<S::Digest, VerifyError> {
        let digest = self.folded.entry(id)?;
        Ok(self.note(Span { start: id, size: 1 }, digest))
    }

    fn joined(&mut self, span: Span, left: S::Digest, right: S::Digest) -> S::Digest {
        self.note(span, entry::node::<S>(&left, &right))
    }
}
