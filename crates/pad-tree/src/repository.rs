//! The server of a tree dictionary: every version in a store, and proofs about each of them.

use pad_core::{
    ApplyError, Authority, HeadLog, Key, KeyRange, LookupError, Repository, SignedHead, Suite,
    Update, Version, Workers,
};

use crate::{
    annotation::Authenticated,
    persistent::PersistentTree,
    proof::TreeProof,
    prover::{self, ProvableQuery},
    search,
    store::VersionedStore,
    view::View,
};

/// A repository of a tree dictionary under suite `S`: all versions in the node store `St`, and
/// their heads.
///
/// Source: Crosby & Wallach 2010, sections 2 and 3.
#[derive(Clone, Debug)]
pub struct TreeRepository<S: Suite, St: VersionedStore> {
    pub(crate) tree: PersistentTree<St>,
    heads: HeadLog<S>,
    workers: Workers,
}

impl<S, St> TreeRepository<S, St>
where
    S: Suite,
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    /// Creates an empty repository that accepts the updates of one author and dictionary.
    pub fn new(authority: Authority) -> Self {
        Self {
            tree: PersistentTree::default(),
            heads: HeadLog::new(authority),
            workers: Workers::sequential(),
        }
    }

    /// Sets the threads that apply large updates.
    #[must_use]
    pub fn with_workers(mut self, workers: Workers) -> Self {
        self.workers = workers;
        self
    }

    /// The author, dictionary and scheme whose updates this repository accepts.
    pub const fn authority(&self) -> &Authority {
        self.heads.authority()
    }

    /// The signed heads of all versions.
    pub const fn heads(&self) -> &HeadLog<S> {
        &self.heads
    }

    /// The contents of all versions, for reads without proof.
    #[doc(hidden)]
    pub const fn contents(&self) -> &PersistentTree<St> {
        &self.tree
    }

    /// The number of entries of the latest version.
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Whether the latest version is empty.
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// Proves the answer to any query about a version.
    ///
    /// Time: one search for each key or end of a range, and one digest for each level of its path.
    /// Digests that the store does not contain are recomputed.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned, the query is invalid, or the
    /// answer is too long.
    pub fn prove_query<Q: ProvableQuery>(
        &self,
        version: Version,
        query: &Q,
    ) -> Result<TreeProof<S, Q>, LookupError> {
        prover::prove(self.view(version)?, query)
    }

    /// Returns the first page of `range` in a version: a prefix of the range with at most `bytes`
    /// bytes of entries.
    ///
    /// An entry of more than `bytes` bytes is a page of its own. The next page starts at the end of
    /// the returned range.
    ///
    /// Time: one search, and the entries of the page.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned.
    #[doc(hidden)]
    pub fn page(
        &self,
        version: Version,
        range: &KeyRange,
        bytes: usize,
    ) -> Result<KeyRange, LookupError> {
        search::page(self.view(version)?, range, bytes)
    }

    /// Proves the answers to many lookups, with one proof for each pair of version and key. The
    /// searches are interleaved so that their cache misses overlap.
    ///
    /// # Errors
    /// [`LookupError`] if one of the versions does not exist or was pruned.
    pub fn prove_many(
        &self,
        queries: &[(Version, Key)],
    ) -> Result<Vec<TreeProof<S, Key>>, LookupError> {
        let views = queries
            .iter()
            .map(|(version, key)| Ok((self.view(*version)?, key)));
        prover::prove_many(&views.collect::<Result<Vec<_>, LookupError>>()?)
    }

    /// Drops the contents of all versions before `oldest`; their heads stay.
    ///
    /// If `oldest` is the latest version, the repository becomes a dynamic authenticated
    /// dictionary, which keeps no old versions.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned.
    pub fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        self.view(oldest)?;
        self.tree.prune(oldest);
        Ok(())
    }

    /// The memory, in bytes, of contents, heads and history log, without spare capacity.
    pub fn memory_bytes(&self) -> usize {
        self.tree.memory_bytes() + self.heads.memory_bytes()
    }

    pub(crate) fn view(&self, version: Version) -> Result<View<'_, St>, LookupError> {
        let missing = || LookupError::missing(version, self.oldest(), self.latest());
        self.tree.view(version).ok_or_else(missing)
    }

    fn replay(&mut self, update: &Update<S>) -> Result<(), ApplyError> {
        self.tree.tree.apply(&update.operations, &self.workers)?;
        let root = self.tree.tree.hash(&self.workers);
        if root == update.head.head.root {
            Ok(())
        } else {
            Err(ApplyError::RootMismatch)
        }
    }
}

impl<S, St> Repository for TreeRepository<S, St>
where
    S: Suite,
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    type Suite = S;
    type Attachment = ();
    type Query = Key;
    type Proof = TreeProof<S, Key>;

    fn latest(&self) -> Version {
        self.tree.latest()
    }

    fn oldest(&self) -> Version {
        self.tree.oldest()
    }

    fn apply(&mut self, update: &Update<S>) -> Result<Version, ApplyError> {
        self.heads.check(update.base, &update.head)?;
        let replayed = self.replay(update);
        replayed.inspect_err(|_| self.tree.rollback())?;
        self.tree.commit();
        self.heads.append(&update.head);
        Ok(self.latest())
    }

    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.heads.head(version)
    }

    fn prove(&self, version: Version, key: &Key) -> Result<TreeProof<S, Key>, LookupError> {
        prover::prove_key(self.view(version)?, key)
    }
}
