//! Server of a tuple dictionary: the tuples of every version in persistent indexes, and lookup
//! proofs.

use std::collections::VecDeque;

use pad_core::{
    ApplyError, Authority, HeadLog, Heads as _, Key, LookupError, Repository, SignedHead, Suite,
    Update, Version, Workers,
};
use pad_tree::{
    CacheNowhere, RedBlack, VersionedNodes,
    internals::{PersistentTree, Plain},
};

use crate::{
    design::{Design, TupleId},
    kept::TupleEntry,
    layers::Layers,
    proof::TupleProof,
    source,
    statement::Context,
    update::TupleAttachment,
};

mod apply;
mod read;

pub(crate) use apply::entries_after;

/// The index of one generation: maps the lower ends of tuples to tuple numbers, at every instant of
/// the generation's clock. It supports predecessor searches. Space: `O(1)` amortised for each
/// change. The trees are red-black trees, so that no choice of keys makes them deep.
///
/// Source: Crosby & Wallach 2010, section 4.1.
pub(crate) type Index = PersistentTree<VersionedNodes<Plain, RedBlack, CacheNowhere>>;

/// A repository of a tuple dictionary of design `D` under suite `S`, in memory.
///
/// Source: Crosby & Wallach 2010, section 4.
#[derive(Clone, Debug)]
pub struct TupleRepository<S: Suite, D: Design<S>> {
    pub(crate) heads: HeadLog<S>,
    pub(crate) key: D::Key,
    pub(crate) layers: Layers<S, TupleId>,
    pub(crate) indexes: Vec<Index>,
    pub(crate) tuples: Vec<Option<TupleEntry<S>>>,
    /// The numbers of dropped tuples, which new tuples can get.
    pub(crate) free: Vec<TupleId>,
    /// The deleted tuples, each with the first version that does not contain it, in the order of
    /// versions.
    pub(crate) retired: VecDeque<(Version, TupleId)>,
    pub(crate) records: D::Records,
    /// The epochs of the generations 1 and up, for each version from `oldest` on, one version after
    /// the other.
    pub(crate) epochs: Vec<u64>,
    pub(crate) entries: usize,
    /// The number of operations in all versions after the first, which an author needs to resume.
    pub(crate) operations: u64,
    pub(crate) oldest: Version,
    pub(crate) workers: Workers,
}

impl<S: Suite, D: Design<S>> TupleRepository<S, D> {
    /// Creates an empty repository that accepts the updates of one author and dictionary. `key` is
    /// the public key of the design.
    pub fn new(authority: Authority, key: D::Key) -> Self {
        Self {
            heads: HeadLog::new(authority),
            layers: Layers::new(D::GENERATIONS),
            indexes: (0..D::GENERATIONS).map(|_| Index::default()).collect(),
            tuples: Vec::new(),
            free: Vec::new(),
            retired: VecDeque::new(),
            records: D::records(&key, Context::of(&authority)),
            key,
            epochs: vec![0; D::GENERATIONS - 1],
            entries: 0,
            operations: 0,
            oldest: Version::EMPTY,
            workers: Workers::sequential(),
        }
    }

    /// Sets the threads that compute witnesses.
    #[must_use]
    pub fn with_workers(mut self, workers: Workers) -> Self {
        self.workers = workers;
        self
    }

    /// Returns the author, dictionary and scheme whose updates are accepted.
    pub const fn authority(&self) -> &Authority {
        self.heads.authority()
    }

    /// Returns the signed heads of all versions.
    pub const fn heads(&self) -> &HeadLog<S> {
        &self.heads
    }

    /// Returns the public key material that clients need in addition to
    /// [`TupleRepository::authority`].
    pub const fn key(&self) -> &D::Key {
        &self.key
    }

    /// Returns the number of entries of the latest version.
    pub const fn len(&self) -> usize {
        self.entries
    }

    /// Returns whether the latest version is empty.
    pub const fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// Returns the memory, in bytes, of tuples, indexes, records and heads, without spare capacity.
    ///
    /// A value or key that several tuples share is counted once for each of them.
    pub fn memory_bytes(&self) -> usize {
        let indexes: usize = self.indexes.iter().map(Index::memory_bytes).sum();
        let tuples: usize = self
            .tuples
            .iter()
            .map(|tuple| tuple.as_ref().map_or(0, TupleEntry::heap_bytes))
            .sum();
        let tuples = tuples + self.tuples.len() * size_of::<Option<TupleEntry<S>>>();
        let epochs = self.epochs.len() * size_of::<u64>();
        indexes + tuples + D::memory_bytes(&self.records) + epochs + self.heads.memory_bytes()
    }

    /// Drops the contents of all versions before `oldest`. Their heads stay. Designs with the rule
    /// `Plain` also keep the earlier signatures or witnesses of tuples that still exist.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned.
    pub fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        let epochs = self.epochs_at(oldest)?.to_vec();
        let instants = core::iter::once(oldest.number()).chain(epochs);
        for (index, instant) in self.indexes.iter_mut().zip(instants) {
            index.prune(Version::new(instant));
        }
        let dropped = self.position(oldest) * (D::GENERATIONS - 1);
        self.epochs.drain(..dropped);
        self.oldest = oldest;
        let mut gone = Vec::new();
        while let Some((_, tuple)) = self.retired.pop_front_if(|(version, _)| *version <= oldest) {
            if let Some(slot) = self.tuples.get_mut(tuple.position()) {
                *slot = None;
            }
            gone.push(tuple);
        }
        D::forget(&mut self.records, oldest, &gone);
        self.free.append(&mut gone);
        Ok(())
    }

    fn position(&self, version: Version) -> usize {
        let position = version.number() - self.oldest.number();
        usize::try_from(position).unwrap_or(usize::MAX)
    }

    fn epochs_at(&self, version: Version) -> Result<&[u64], LookupError> {
        let oldest = self.oldest;
        if version < oldest {
            return Err(LookupError::Pruned { version, oldest });
        }
        self.heads.require(version)?;
        let (width, position) = (D::GENERATIONS - 1, self.position(version));
        Ok(&self.epochs[position * width..(position + 1) * width])
    }
}

impl<S: Suite, D: Design<S>> Repository for TupleRepository<S, D> {
    type Suite = S;
    type Attachment = TupleAttachment<D::Extension>;
    type Query = Key;
    type Proof = TupleProof<S, D>;

    fn latest(&self) -> Version {
        self.layers.version()
    }

    fn oldest(&self) -> Version {
        self.oldest
    }

    fn apply(
        &mut self,
        update: &Update<S, TupleAttachment<D::Extension>>,
    ) -> Result<Version, ApplyError> {
        self.take_in(update)
    }

    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.heads.head(version)
    }

    fn prove(&self, version: Version, key: &Key) -> Result<TupleProof<S, D>, LookupError> {
        source::prove(self, version, key)
    }
}
