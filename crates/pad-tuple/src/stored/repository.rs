//! Repository of a tuple dictionary whose tuples are stored as rows.

use core::marker::PhantomData;
use std::collections::BTreeMap;

use pad_core::{
    ApplyError, Authority, Frontier, HeadSignature, HeadSigner, Heads, Hosts, Key, KeyRange, Keys,
    LookupError, PublicKey, Repository, Serves, SignedHead, StoreFault, Suite, Update, Value,
    Version, Workers, codec::encode_body,
};
use signature::Signer;

use super::{
    design::StorableDesign,
    error::PublishError,
    heads::StoredHeads,
    layout::{STATE, State, decoded, version_key},
    read::Reader,
    rows::{MemoryRows, RowOverlay, RowView, Rows},
};
use crate::{
    author::{TupleAuthor, require_keys},
    design::AuthorError,
    family::Tuple,
    keys::SecretBytes,
    many::{ManyProof, prove_keys},
    proof::TupleProof,
    range::{RangeProof, prove_range},
    source::{self, Source},
    statement::Context,
    tuple::Content,
    update::TupleAttachment,
};

/// A repository of a tuple dictionary of design `D` under suite `S`, with tuples stored as rows of
/// `R`.
///
/// Its proofs, heads and updates equal those of a [`TupleRepository`](crate::TupleRepository).
/// Memory: the rows staged since the last [`StoredTupleRepository::flush`], and during an update
/// the generations whose clocks the update moves.
///
/// Applied updates are visible immediately, and are written to the rows by
/// [`StoredTupleRepository::flush`]. Store an update elsewhere before acknowledging it. If rows of
/// the latest updates are lost, apply these updates again.
#[derive(Clone, Debug)]
pub struct StoredTupleRepository<S: Suite, D: StorableDesign<S>, R = MemoryRows> {
    pub(super) rows: R,
    /// The rows that applied updates added, by key, and that are not written yet.
    pub(super) staged: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The number of bytes of all rows staged since the last flush, including rows overwritten
    /// since.
    pub(super) staged_bytes: usize,
    pub(super) key: D::Key,
    pub(super) state: State,
    /// The encoded [`State`] that was last read from the rows or written to them; `None` if the
    /// rows contain none.
    pub(super) written: Option<Vec<u8>>,
    /// The frontier of the history log over all versions, read on first use and checked against the
    /// latest head.
    pub(super) frontier: Option<Frontier<S>>,
    pub(super) workers: Workers,
}

impl<S: Suite, D: StorableDesign<S>, R: Rows> StoredTupleRepository<S, D, R> {
    /// Opens the repository of one author and dictionary in `rows`, which may contain versions
    /// already.
    ///
    /// Time: reads at most two rows and verifies at most one signature.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if the rows belong to another dictionary, or lack a latest head with
    /// the author's signature. [`StoreFault::Medium`] if the medium failed. Other rows are not
    /// checked here.
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
            workers: Workers::sequential(),
        }
    }

    /// Sets the threads that compute and verify signatures.
    #[must_use]
    pub fn with_workers(mut self, workers: Workers) -> Self {
        self.workers = workers;
        self
    }

    /// Returns the author, dictionary and scheme whose updates are accepted.
    pub const fn authority(&self) -> &Authority {
        &self.state.authority
    }

    /// Returns the public key material that clients need in addition to
    /// [`StoredTupleRepository::authority`].
    pub const fn key(&self) -> &D::Key {
        &self.key
    }

    /// Returns the number of entries of the latest version.
    pub const fn len(&self) -> u64 {
        self.state.entries
    }

    /// Returns whether the latest version is empty.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the storage that contains the rows.
    pub const fn rows(&self) -> &R {
        &self.rows
    }

    /// Returns the storage of the rows for maintenance. The caller must not change the rows.
    pub const fn rows_mut(&mut self) -> &mut R {
        &mut self.rows
    }

    /// Returns the number of bytes in rows that were staged since the last
    /// [`StoredTupleRepository::flush`]. This is an upper bound for the keys and values of the
    /// staged rows, without the overhead of the map.
    pub const fn memory_bytes(&self) -> usize {
        self.staged_bytes
    }

    /// Returns the signed heads of all versions, read from the rows on demand.
    pub const fn heads(&self) -> StoredHeads<'_, S, R> {
        StoredHeads {
            rows: &self.rows,
            staged: &self.staged,
            authority: &self.state.authority,
            latest: self.state.latest,
            suite: PhantomData,
        }
    }

    /// Writes the staged rows. The caller must publish their updates first, because other processes
    /// serve written rows, and written rows survive a crash. If other writers have applied the same
    /// updates meanwhile, their rows are equal.
    ///
    /// # Errors
    /// [`StoreFault::Closed`] if another writer has applied other updates, has pruned the latest
    /// version known here, or writes during the call. Other [`StoreFault`]s if the medium fails.
    /// The staged rows stay visible, and the next call retries.
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

    /// Performs [`Self::flush`] if other writers have written since the state was read.
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
        // Versions that other writers have pruned count as pruned.
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

    /// Takes over the state that other writers have written, before the next version is computed.
    /// Writes nothing, because the update applied last may not be published yet.
    ///
    /// # Errors
    /// [`StoreFault::Closed`] if other writers have written updates that were not applied here, or
    /// the rows belong to another dictionary. Other [`StoreFault`]s if the medium fails.
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
        // Versions that other writers have pruned count as pruned.
        self.state.oldest = self.state.oldest.max(theirs.oldest);
        let own = encode_body(&self.state);
        if let Some(staged) = self.staged.get_mut(STATE) {
            *staged = own;
        }
        self.written = Some(found);
        Ok(())
    }

    /// Like [`Self::read`], but fails if other writers have changed the rows since this repository
    /// read or wrote them. Such writers could have overwritten records.
    ///
    /// # Errors
    /// The error of `work`; [`StoreFault::Closed`] if another writer has written.
    pub(super) fn read_known<T, E: From<StoreFault>>(
        &self,
        work: impl FnOnce(&Reader<'_, D::Key>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.rows.read(|below| {
            if below.get(STATE)? != self.written {
                return Err(StoreFault::Closed.into());
            }
            self.read_over(below, work)
        })
    }

    /// Calls `work` with a reader of one state of the rows. Staged rows override written rows.
    pub(super) fn read<T, E: From<StoreFault>>(
        &self,
        work: impl FnOnce(&Reader<'_, D::Key>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.rows.read(|below| self.read_over(below, work))
    }

    fn read_over<T, E: From<StoreFault>>(
        &self,
        below: &dyn RowView,
        work: impl FnOnce(&Reader<'_, D::Key>) -> Result<T, E>,
    ) -> Result<T, E> {
        let rows = RowOverlay {
            rows: &self.staged,
            below,
        };
        work(&Reader::new(&rows, &self.key, &self.state)?)
    }

    /// Returns the value of a key in `version`, or `None` if it is absent. There is no proof. For
    /// version 0 the result is always `None`, even if the version was pruned.
    ///
    /// # Errors
    /// [`LookupError`] if the version (other than 0) does not exist, was pruned or cannot be read.
    pub fn lookup(&self, version: Version, key: &Key) -> Result<Option<Value>, LookupError> {
        if version == Version::EMPTY {
            return Ok(None);
        }
        self.read(|reader| source::lookup::<S, D>(reader, version, key))
    }

    /// Returns all entries of `version`, in ascending order of keys, without proof. Does not detect
    /// that rows of a run (the list of a generation's tuples) are missing.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist, was pruned or cannot be read.
    pub fn entries(&self, version: Version) -> Result<BTreeMap<Key, Value>, LookupError> {
        self.read(|reader| {
            let instants = Source::<S, D>::instants(reader, version)?;
            let mut entries = BTreeMap::new();
            // Older generations come first, so that younger generations override them.
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

    /// Proves the values or absence of several keys, like
    /// [`TupleRepository::prove_keys`](crate::TupleRepository::prove_keys).
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist, was pruned or cannot be read.
    pub fn prove_keys(
        &self,
        version: Version,
        keys: &Keys,
    ) -> Result<ManyProof<S, D>, LookupError> {
        self.read(|reader| prove_keys(reader, version, keys))
    }

    /// Proves all entries of a range of keys, like
    /// [`TupleRepository::prove_range`](crate::TupleRepository::prove_range).
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist, was pruned or cannot be read, or the range
    /// cannot contain a key.
    pub fn prove_range(
        &self,
        version: Version,
        range: &KeyRange,
    ) -> Result<RangeProof<S, D>, LookupError> {
        self.read(|reader| prove_range(reader, version, range))
    }

    /// Checks that a signer and a secret belong to this dictionary. Before version 1, the signer is
    /// not checked. A secret of hash chains is never checked.
    ///
    /// # Errors
    /// [`AuthorError::WrongKey`] if the signer or the secret does not belong to it.
    /// [`AuthorError::Signing`] if the signer fails; [`AuthorError::Unreadable`] if the latest head
    /// cannot be read.
    pub fn require_keys<K: Signer<HeadSignature>>(
        &self,
        signer: &K,
        secret: &D::Secret,
    ) -> Result<(), AuthorError> {
        let head = self.heads().latest_head().map_err(unreadable)?;
        require_keys::<S, D, K>(self.authority(), &self.key, (signer, secret), head.as_ref())
    }
}

/// Converts a fault of the rows, from which an author tries to resume, to an error of the author.
fn unreadable(fault: StoreFault) -> AuthorError {
    AuthorError::Unreadable(fault.into())
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

    /// Reads all contents of the latest version into memory, and verifies that the author signed
    /// them.
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
            PublishError::Apply(error) => AuthorError::Unreadable(error),
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
