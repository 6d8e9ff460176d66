//! The server of a dictionary whose tuples are stored.

use core::marker::PhantomData;
use std::collections::BTreeMap;

use pad_core::{
    ApplyError, HeadSignature, HeadSigner, Heads, Hosts, Key, KeyRange, Keys, LookupError,
    PublicKey, Repository, Serves, SignedHead, StoreFault, Suite, Update, Value, Version, Workers,
    codec::encode_body, head::Authority, history::Frontier,
};
use signature::Signer;

use super::{
    design::StorableDesign,
    error::PublishError,
    heads::StoredHeads,
    layout::{STATE, State, decoded, version_key},
    read::Reader,
    rows::{MemoryRows, Rows, Staged},
};
use crate::{
    author::{TupleAuthor, require_keys},
    content::Content,
    design::AuthorError,
    family::Tuple,
    keys::SecretBytes,
    many::{ManyProof, prove_keys},
    proof::{ShownContent, ShownTuple, TupleProof},
    range::{RangeProof, prove_range},
    source::{self, Source, tuples_for},
    speculation::Speculation,
    statement::Context,
    update::TupleAttachment,
};

/// A repository of a tuple PAD of design `D` under suite `S`, whose tuples are rows of `R`.
///
/// Proofs, heads and updates are those of [`TupleRepository`](crate::TupleRepository). Memory: what was applied since the last
/// [`StoredTupleRepository::flush`], and during an update the generations whose clocks it moves.
///
/// What was applied is seen at once, and is in the rows after [`StoredTupleRepository::flush`]. Whoever acknowledges an update keeps it
/// elsewhere first: rows that are behind go on from there.
#[derive(Clone, Debug)]
pub struct StoredTupleRepository<S: Suite, D: StorableDesign<S>, R = MemoryRows> {
    pub(super) rows: R,
    /// What is not in the rows yet.
    pub(super) staged: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The bytes of what was put there.
    pub(super) staged_bytes: usize,
    pub(super) key: D::Key,
    pub(super) state: State,
    /// The state that the rows have; `None` if they have none.
    pub(super) written: Option<Vec<u8>>,
    /// The history of all versions, once it was needed; it is the one that the latest head vouches for.
    pub(super) frontier: Option<Frontier<S>>,
    pub(super) speculation: Speculation,
    pub(super) workers: Workers,
}

impl<S: Suite, D: StorableDesign<S>, R: Rows> StoredTupleRepository<S, D, R> {
    /// The repository of the updates of one author and dictionary in these rows, which may have some already.
    ///
    /// Time: two rows and one signature.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if the rows are not of this dictionary, or not whole; [`StoreFault::Medium`].
    pub fn open(authority: Authority, key: D::Key, rows: R) -> Result<Self, StoreFault> {
        let written = rows.read(|rows| rows.get(STATE))?;
        let state = match &written {
            Some(state) => decoded::<State>(state)?,
            None => State::new(authority, D::GENERATIONS),
        };
        let fits = state.authority == authority
            && authority.scheme == D::SCHEME
            && state.sizes.len() == D::GENERATIONS
            && state.epochs.len() == D::GENERATIONS - 1
            && state.oldest <= state.latest;
        if !fits {
            return Err(StoreFault::Damaged);
        }
        let opened = Self {
            state,
            written,
            ..Self::empty(authority, key, rows)
        };
        opened.heads().latest_head()?;
        Ok(opened)
    }

    fn empty(authority: Authority, key: D::Key, rows: R) -> Self {
        Self {
            rows,
            staged: BTreeMap::new(),
            staged_bytes: 0,
            key,
            state: State::new(authority, D::GENERATIONS),
            written: None,
            frontier: None,
            speculation: Speculation::default(),
            workers: Workers::sequential(),
        }
    }

    /// Spreads signing over these threads.
    #[must_use]
    pub fn with_workers(mut self, workers: Workers) -> Self {
        self.workers = workers;
        self
    }

    /// Merges generations by this rule when a version is signed here.
    #[must_use]
    pub const fn with_speculation(mut self, speculation: Speculation) -> Self {
        self.speculation = speculation;
        self
    }

    /// Whose updates this repository accepts.
    pub const fn authority(&self) -> &Authority {
        &self.state.authority
    }

    /// What clients must know beyond the authority.
    pub const fn key(&self) -> &D::Key {
        &self.key
    }

    /// The number of entries of the latest version.
    pub const fn len(&self) -> u64 {
        self.state.entries
    }

    /// Whether the latest version is empty.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows.
    pub const fn rows(&self) -> &R {
        &self.rows
    }

    /// The rows, for what their owner does with them beside the repository: what they say does not change.
    pub const fn rows_mut(&mut self) -> &mut R {
        &mut self.rows
    }

    /// The bytes that were made since the last [`StoredTupleRepository::flush`]; no more than these are in memory for it.
    pub const fn memory_bytes(&self) -> usize {
        self.staged_bytes
    }

    /// The heads of all versions.
    pub const fn heads(&self) -> StoredHeads<'_, S, R> {
        StoredHeads {
            rows: &self.rows,
            staged: &self.staged,
            authority: &self.state.authority,
            latest: self.state.latest,
            suite: PhantomData,
        }
    }

    /// Writes what was applied, which must be published: what is in the rows is proved to everybody, and outlives a crash. Whoever else writes,
    /// applies the same updates: what they have written of them meanwhile is the same.
    ///
    /// # Errors
    /// [`StoreFault::Closed`] if somebody else has applied other updates, [`StoreFault`] of the medium: it is seen still, and the next call
    /// tries again.
    pub fn flush(&mut self) -> Result<(), StoreFault> {
        if self.staged.is_empty() {
            return Ok(());
        }
        let known = (STATE, self.written.as_deref());
        match self.rows.write(known, &[], &self.staged) {
            Err(StoreFault::Closed) => return self.flush_after_others(),
            written => written?,
        }
        self.written = self.staged.remove(STATE);
        self.forget_staged();
        Ok(())
    }

    /// The same where others have written since.
    fn flush_after_others(&mut self) -> Result<(), StoreFault> {
        let found = self.rows.read(|rows| rows.get(STATE))?;
        let found = found.ok_or(StoreFault::Closed)?;
        let theirs = decoded::<State>(&found)?;
        let same = theirs.latest.min(self.state.latest);
        let row = version_key(same);
        let version = self.rows.read(|rows| rows.get(&row))?;
        let differs = self
            .staged
            .get(&row)
            .is_some_and(|own| Some(own) != version.as_ref());
        if theirs.authority != self.state.authority || differs || theirs.oldest > same {
            return Err(StoreFault::Closed);
        }
        // What they have dropped is dropped.
        self.state.oldest = self.state.oldest.max(theirs.oldest);
        if same < self.state.latest {
            let own = encode_body(&self.state);
            self.staged.insert(STATE.to_vec(), own.clone());
            let known = (STATE, Some(found.as_slice()));
            self.rows.write(known, &[], &self.staged)?;
            self.written = Some(own);
        } else {
            self.written = Some(found);
        }
        self.forget_staged();
        Ok(())
    }

    fn forget_staged(&mut self) {
        self.staged.clear();
        self.staged_bytes = 0;
    }

    /// Comes to terms with what others have written since, before something is made of the rows. Nothing is written: what was applied last need
    /// not be published yet.
    ///
    /// # Errors
    /// [`StoreFault::Closed`] if others have written what was not applied here, [`StoreFault`] of the medium.
    pub(super) fn meet_others(&mut self) -> Result<(), StoreFault> {
        let found = self.rows.read(|rows| rows.get(STATE))?;
        if found == self.written {
            return Ok(());
        }
        let found = found.ok_or(StoreFault::Closed)?;
        let theirs = decoded::<State>(&found)?;
        let known = self.written.as_deref().map(decoded::<State>).transpose()?;
        let is_known = known.is_some_and(|known| known.latest == theirs.latest);
        if !is_known {
            let row = version_key(theirs.latest);
            let version = self.rows.read(|rows| rows.get(&row))?;
            if version.is_none() || self.staged.get(&row) != version.as_ref() {
                return Err(StoreFault::Closed);
            }
        }
        if theirs.authority != self.state.authority || theirs.oldest > theirs.latest {
            return Err(StoreFault::Closed);
        }
        // What they have dropped is dropped.
        self.state.oldest = self.state.oldest.max(theirs.oldest);
        let own = encode_body(&self.state);
        if let Some(staged) = self.staged.get_mut(STATE) {
            *staged = own;
        }
        self.written = Some(found);
        Ok(())
    }

    /// Reads in one state, which is the one that what was applied follows: others have overwritten no record since.
    ///
    /// # Errors
    /// Those of `work`; [`StoreFault::Closed`] if others have written.
    pub(super) fn read_known<T, E: From<StoreFault>>(
        &self,
        work: impl FnOnce(&Reader<'_, D::Key>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.rows.read(|below| {
            if below.get(STATE)? != self.written {
                return Err(StoreFault::Closed.into());
            }
            let rows = Staged {
                rows: &self.staged,
                below,
            };
            work(&Reader::new(&rows, &self.key, &self.state)?)
        })
    }

    /// Reads in one state.
    pub(super) fn read<T, E: From<StoreFault>>(
        &self,
        work: impl FnOnce(&Reader<'_, D::Key>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.rows.read(|below| {
            let rows = Staged {
                rows: &self.staged,
                below,
            };
            work(&Reader::new(&rows, &self.key, &self.state)?)
        })
    }

    /// The value of a key in a version, without proof.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there, or cannot be read.
    pub fn lookup(&self, version: Version, key: &Key) -> Result<Option<Value>, LookupError> {
        if version == Version::EMPTY {
            return Ok(None);
        }
        self.read(|reader| {
            let instants = Source::<S, D>::instants(reader, version)?;
            let shown = tuples_for::<S, D>(reader, version, &instants, key)?.pop();
            Ok(match shown {
                Some((
                    ShownTuple::At {
                        content: ShownContent::Value(value),
                        ..
                    },
                    _,
                )) => Some(value),
                _ => None,
            })
        })
    }

    /// The contents of a version, in ascending order of keys.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there, or cannot be read.
    pub fn entries(&self, version: Version) -> Result<BTreeMap<Key, Value>, LookupError> {
        self.read(|reader| {
            let instants = Source::<S, D>::instants(reader, version)?;
            let mut entries = BTreeMap::new();
            // Older generations first, so that younger ones overrule them.
            for (generation, instant) in instants.into_iter().enumerate().rev() {
                for (lower, number) in reader.run(generation, instant)? {
                    let row = reader.tuple(generation, &lower, number)?;
                    match row.tuple::<S>().content {
                        Content::Nothing => {}
                        Content::Removed => drop(entries.remove(&lower)),
                        Content::Value(value) => drop(entries.insert(lower, value.value.clone())),
                    }
                }
            }
            Ok(entries)
        })
    }

    /// As [`TupleRepository::prove_keys`](crate::TupleRepository::prove_keys).
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there, or cannot be read.
    pub fn prove_keys(
        &self,
        version: Version,
        keys: &Keys,
    ) -> Result<ManyProof<S, D>, LookupError> {
        self.read(|reader| prove_keys(reader, version, keys))
    }

    /// As [`TupleRepository::prove_range`](crate::TupleRepository::prove_range).
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there, or cannot be read, or the range cannot hold a key.
    pub fn prove_range(
        &self,
        version: Version,
        range: &KeyRange,
    ) -> Result<RangeProof<S, D>, LookupError> {
        self.read(|reader| prove_range(reader, version, range))
    }

    /// Refuses keys with which this dictionary cannot go on.
    ///
    /// # Errors
    /// [`AuthorError::WrongKey`]; [`AuthorError::Signing`] if the signer does not sign, or there is no head to be signed.
    pub fn require_keys<K: Signer<HeadSignature>>(
        &self,
        signer: &K,
        secret: &D::Secret,
    ) -> Result<(), AuthorError> {
        let head = self.heads().latest_head().map_err(unreadable)?;
        require_keys::<S, D, K>(self.authority(), &self.key, (signer, secret), head.as_ref())
    }
}

/// A store cannot be read from which an author is to go on.
fn unreadable(fault: StoreFault) -> AuthorError {
    AuthorError::Signing(fault.to_string())
}

impl<S: Suite, D: StorableDesign<S>, R: Rows> Repository for StoredTupleRepository<S, D, R> {
    type Suite = S;
    type Attachment = TupleAttachment<D::Extension>;
    type Query = Key;
    type Proof = TupleProof<S, D>;

    fn latest(&self) -> Version {
        self.state.latest
    }

    fn oldest(&self) -> Version {
        self.state.oldest
    }

    fn apply(
        &mut self,
        update: &Update<S, TupleAttachment<D::Extension>>,
    ) -> Result<Version, ApplyError> {
        self.take_in(update)
    }

    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.heads().head(version)
    }

    fn prove(&self, version: Version, key: &Key) -> Result<TupleProof<S, D>, LookupError> {
        self.read(|reader| source::prove(reader, version, key))
    }
}

impl<S, D, R> Hosts for StoredTupleRepository<S, D, R>
where
    S: Suite,
    D: StorableDesign<S, Secret: SecretBytes>,
    R: Rows + Default,
{
    type Family = Tuple<D, S>;

    fn create(public: &PublicKey<Self::Family>) -> Self {
        Self::empty(*public.authority(), public.key().clone(), R::default())
    }

    /// Reads all contents of the latest version into memory.
    fn resume(
        &self,
        signer: HeadSigner,
        secret: D::Secret,
    ) -> Result<TupleAuthor<S, D, HeadSigner>, AuthorError> {
        self.require_keys(&signer, &secret)?;
        let context = Context::of(self.authority());
        let oldest = D::GENERATIONS - 1;
        let loaded = self.read_known(|reader| {
            let loaded = reader.load::<S, D>(oldest, [].into_iter())?;
            reader.require_loaded::<S, D>(&loaded, &self.workers)?;
            Ok(loaded)
        });
        let loaded = loaded.map_err(|error| match error {
            PublishError::Author(error) => error,
            PublishError::Apply(error) => AuthorError::Signing(error.to_string()),
        })?;
        let resumed = D::resume(&secret, context, &loaded.records, &loaded.layers)?;
        let heads = self.heads();
        let frontier = heads.frontier().map_err(unreadable)?;
        let head = heads.latest_head().map_err(unreadable)?;
        let entries = usize::try_from(self.len()).unwrap_or(usize::MAX);
        Ok(TupleAuthor::of_parts(
            (*self.authority(), signer, secret),
            resumed,
            (frontier, head),
            (entries, self.state.operations),
        ))
    }

    fn heads(&self) -> impl Heads<S> {
        self.heads()
    }
}

macro_rules! serves {
    ($($question:ty: $proof:ident, $prove:ident;)+) => { $(
        impl<S, D, R> Serves<$question> for StoredTupleRepository<S, D, R>
        where
            S: Suite,
            D: StorableDesign<S, Secret: SecretBytes>,
            R: Rows + Default,
        {
            fn prove_answer(
                &self,
                version: Version,
                question: &$question,
            ) -> Result<$proof<S, D>, LookupError> {
                self.$prove(version, question)
            }
        }
    )+ };
}

serves! {
    Key: TupleProof, prove;
    Keys: ManyProof, prove_keys;
    KeyRange: RangeProof, prove_range;
}
