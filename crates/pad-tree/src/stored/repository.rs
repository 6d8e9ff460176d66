//! The server of a dictionary whose nodes are stored in a log.

use core::marker::PhantomData;

mod compact;
mod copy;
mod error;
mod head;
mod heads;
mod pieces;
mod publish;
mod sorted;
mod warm;

use pad_core::{
    ApplyError, Authority, Frontier, HeadSigner, Heads, Hosts, Key, KeyRange, LookupError,
    Operation, PublicKey, Repository, Serves, SignedHead, StoreFault, Suite, Update, Value,
    Version, Workers, internals::check_next,
};

pub(crate) use self::heads::StoredHeads;
pub use self::{
    error::{CopyError, PublishError, SortedError},
    head::{RECORDS_FOR_EACH_SUBTREE, place_in_record, record_bytes},
};
use self::{
    head::{Contents, StoredHead},
    heads::kept_of,
};
use super::{
    cache::NodeCache,
    draft::{Changes, Draft},
    log::{MemoryLog, NodeLog},
    nodes::Nodes,
    record,
    view::StoredView,
};
use crate::{
    author::TreeAuthor,
    balancing::BalancingScheme,
    diff::{Difference, KeyHistory, differences, history, owned_value},
    family::Tree as Family,
    id::NodeId,
    proof::TreeProof,
    prover::{self, ProvableQuery},
    search,
    tree::Tree,
};

/// A repository of a tree dictionary of scheme `B` under suite `S`, whose nodes are stored in the
/// log `L`.
///
/// Roots and proofs equal the roots and proofs of [`TreeRepository`](crate::TreeRepository).
/// Memory: a bounded cache for blocks of the log, and during an update the nodes on the paths of
/// its keys.
#[derive(Clone, Debug)]
pub struct StoredRepository<S: Suite, B, L: NodeLog = MemoryLog> {
    nodes: Nodes<L>,
    authority: Authority,
    /// The oldest version whose contents were not pruned.
    oldest: Version,
    /// The record of the latest version, which contains the author's signature; `None` before
    /// version 1.
    latest: Option<StoredHead<S>>,
    /// The frontier of the history log over all versions, loaded on first use and checked against
    /// the latest head.
    frontier: Option<Frontier<S>>,
    workers: Workers,
    /// Set after a failed publication. The version may be in the log; only opening the log again
    /// can tell.
    is_closed: bool,
    scheme: PhantomData<fn() -> B>,
}

impl<S: Suite, B: BalancingScheme, L: NodeLog> StoredRepository<S, B, L> {
    /// Opens a log, empty or not, as the repository of one author and dictionary.
    ///
    /// `cache` configures the cache of the log. A number configures a cache of recently used blocks
    /// of that size in bytes.
    ///
    /// Time: reads two records and verifies one signature. After a pruning, also a binary search
    /// over the records.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if the log belongs to another author or is incomplete.
    /// [`StoreFault::Medium`] if the medium failed.
    pub fn open(
        authority: Authority,
        log: L,
        cache: impl Into<NodeCache>,
    ) -> Result<Self, StoreFault> {
        let heads = StoredHeads::<S, L>::new(&log, &authority);
        let (head, oldest) = (heads.latest()?, heads.oldest()?);
        if head.is_some_and(|head| head.contents.is_none()) {
            return Err(StoreFault::Damaged);
        }
        Ok(Self {
            oldest,
            latest: head,
            ..Self::empty(authority, log, cache.into())
        })
    }

    /// Creates a repository in the state for a log without versions. [`StoredRepository::open`]
    /// replaces the fields that differ.
    fn empty(authority: Authority, log: L, cache: NodeCache) -> Self {
        Self {
            nodes: Nodes::new(log, cache),
            authority,
            oldest: Version::EMPTY,
            latest: None,
            frontier: None,
            workers: Workers::sequential(),
            is_closed: false,
            scheme: PhantomData,
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
        &self.authority
    }

    /// The number of entries of the latest version.
    pub fn len(&self) -> u64 {
        self.latest_contents().population
    }

    /// Whether the latest version is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The signed heads of all versions, read from the log on demand.
    pub const fn heads(&self) -> StoredHeads<'_, S, L> {
        StoredHeads::new(&self.nodes.log, &self.authority)
    }

    /// The log in which nodes and heads are stored.
    #[doc(hidden)]
    pub const fn log(&self) -> &L {
        &self.nodes.log
    }

    /// The log as a mutable reference. The caller must not change published bytes or records.
    #[doc(hidden)]
    pub const fn log_mut(&mut self) -> &mut L {
        &mut self.nodes.log
    }

    /// Unpins all blocks, and replaces the cache of recently used blocks by `cache`.
    #[doc(hidden)]
    pub fn use_cache(&mut self, cache: impl Into<NodeCache>) {
        self.nodes.use_cache(cache.into());
    }

    /// The cache of the log's nodes.
    pub const fn cache(&self) -> &NodeCache {
        &self.nodes.cache
    }

    /// The memory, in bytes, of cached and pinned blocks.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.cached_bytes()
    }

    /// The number of blocks read from the log since the repository was opened. Records longer than
    /// four blocks are not counted.
    #[doc(hidden)]
    pub fn blocks_read(&self) -> u64 {
        self.nodes.reads()
    }

    /// Proves the answer to any query about a version.
    ///
    /// Time: one search for each key or end of a range, which reads the blocks on its path.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned, the query is invalid, the
    /// answer is too long, or a node cannot be read.
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
    /// [`LookupError`] if the version does not exist or was pruned, or a node cannot be read.
    #[doc(hidden)]
    pub fn page(
        &self,
        version: Version,
        range: &KeyRange,
        bytes: usize,
    ) -> Result<KeyRange, LookupError> {
        search::page(self.view(version)?, range, bytes)
    }

    fn view(&self, version: Version) -> Result<StoredView<'_, S, L>, LookupError> {
        Ok(StoredView::new(&self.nodes, self.contents(version)?.root))
    }

    fn contents(&self, version: Version) -> Result<Contents<S::Digest>, LookupError> {
        let latest = self.latest();
        if version > latest || version < self.oldest {
            return Err(LookupError::missing(version, self.oldest, latest));
        }
        if version == latest {
            return Ok(self.latest_contents());
        }
        if version == Version::EMPTY {
            return Ok(Contents::EMPTY);
        }
        let contents = self.heads().record(version)?.contents;
        contents.ok_or(LookupError::Damaged { version })
    }

    /// The tree of the latest version, on which the next version is based.
    fn latest_contents(&self) -> Contents<S::Digest> {
        let latest = self.latest.as_ref().and_then(|latest| latest.contents);
        latest.unwrap_or(Contents::EMPTY)
    }

    /// The frontier of the history log over all versions, which the next head commits to.
    fn frontier(&mut self) -> Result<&Frontier<S>, StoreFault> {
        let frontier = match self.frontier.take() {
            Some(frontier) => frontier,
            None => self.heads().frontier(self.latest.as_ref())?,
        };
        Ok(self.frontier.insert(frontier))
    }

    /// Rejects an update unless its base is the latest version, and `head` is a valid head of the
    /// next version.
    fn check_next(&mut self, base: Version, head: &SignedHead<S>) -> Result<(), ApplyError> {
        let history = self.frontier()?.root();
        check_next(&self.authority, self.latest(), Some(history), base, head)
    }

    /// Applies operations to a draft that starts from the tree `contents`, and computes the
    /// digests. `root` is the root in the draft. `bulk_loads` tells whether the operations bulk
    /// load an empty tree.
    fn applied(
        &self,
        (draft, root): (Draft<'_, S, B, L>, Option<NodeId>),
        contents: Contents<S::Digest>,
        operations: &[Operation],
        bulk_loads: bool,
    ) -> Result<DraftResult<S, B>, ApplyError> {
        // The number of entries is not signed. The draft counts from the number of operations
        // instead, so that no number of removals makes the count negative.
        let base = operations.len();
        let mut tree = Tree::with_store(draft, root, base);
        if bulk_loads {
            tree.apply(operations, &self.workers)?;
        } else {
            tree.apply_each(operations)?;
        }
        let digest = tree.hash(&self.workers);
        let (draft, sealed) = tree.sealed();
        draft.settle(sealed);
        let [after, base] = [tree.population, base].map(u64::try_from);
        let population = after
            .ok()
            .and_then(|after| contents.population.checked_add(after))
            .zip(base.ok())
            .and_then(|(sum, base)| sum.checked_sub(base))
            .filter(|population| (*population == 0) == tree.root.is_none())
            .ok_or(StoreFault::Damaged)?;
        Ok(DraftResult {
            digest,
            population,
            root: tree.root,
            changes: tree.store.into_changes(),
        })
    }

    /// Appends the new nodes of a version to the log. Returns the tree of the version.
    fn place(&mut self, applied: &DraftResult<S, B>) -> Result<Contents<S::Digest>, ApplyError> {
        let (position, nodes) = (self.nodes.log.end(), &mut self.nodes);
        let append = |bytes: &[u8]| nodes.append(bytes);
        let changes = &applied.changes;
        let placed = changes.lay_out(applied.root, position, &self.workers, append);
        Ok(Contents {
            root: placed?,
            population: applied.population,
        })
    }

    /// Appends the new nodes of a version, and publishes it with its signed head.
    fn append(
        &mut self,
        applied: &DraftResult<S, B>,
        signed: &SignedHead<S>,
    ) -> Result<Version, ApplyError> {
        let contents = self.place(applied);
        let contents = contents.inspect_err(|_| self.nodes.log.discard())?;
        Ok(self.record(signed, Some(contents))?)
    }

    /// Publishes a version whose nodes are already in the log. `contents` is its tree, or `None` if
    /// it was pruned.
    fn record(
        &mut self,
        signed: &SignedHead<S>,
        contents: Option<Contents<S::Digest>>,
    ) -> Result<Version, StoreFault> {
        let version = signed.head.version;
        let mut frontier = self.frontier()?.clone();
        frontier.append(&signed.head.root);
        let head = StoredHead::<S> {
            signature: signed.signature,
            root: signed.head.root,
            history: signed.head.history,
            contents,
            is_oldest: version == self.oldest,
            subtree: kept_of(&frontier, version).copied(),
        };
        let published = self.nodes.publish(version, &head.write());
        self.is_closed |= published.is_err();
        published?;
        self.frontier = Some(frontier);
        self.latest = Some(head);
        Ok(version)
    }

    /// Rejects a head whose history root is not the root of this log's history.
    fn require_history(&mut self, signed: &SignedHead<S>) -> Result<(), LookupError> {
        let version = signed.head.version;
        if self.frontier()?.root() == signed.head.history {
            Ok(())
        } else {
            Err(LookupError::Damaged { version })
        }
    }

    fn require_open(&self) -> Result<(), StoreFault> {
        if self.is_closed {
            Err(StoreFault::Closed)
        } else {
            Ok(())
        }
    }

    /// Makes all published versions durable.
    ///
    /// # Errors
    /// [`StoreFault::Medium`] or [`StoreFault::Closed`]. Open the log again to find out which
    /// versions are present.
    #[doc(hidden)]
    pub fn synchronise(&mut self) -> Result<(), StoreFault> {
        self.require_open()?;
        let synchronised = self.nodes.log.synchronise();
        self.is_closed |= synchronised.is_err();
        synchronised
    }

    /// The value of a key in a version, or `None` if it is absent. There is no proof.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned, or a node cannot be read.
    pub fn get(&self, version: Version, key: &[u8]) -> Result<Option<Value>, LookupError> {
        let found = self.view(version)?.find(key)?;
        found
            .map(|(_, leaf)| owned_value(record::entry(&leaf).1))
            .transpose()
    }

    /// Passes each [`Difference`](crate::Difference) between two versions to `note`, in ascending
    /// order of keys. There is no proof.
    ///
    /// Time: proportional to the number of differing keys times the depth of the tree. Subtrees
    /// with equal digests are not read.
    ///
    /// # Errors
    /// [`LookupError`] if one of the versions does not exist or was pruned, or a node cannot be
    /// read. The first error of `note`, which ends the comparison.
    #[doc(hidden)]
    pub fn differences<E: From<LookupError>>(
        &self,
        before: Version,
        after: Version,
        note: impl FnMut(Difference) -> Result<(), E>,
    ) -> Result<(), E> {
        differences(self.view(before)?, self.view(after)?, note)
    }

    /// The stored versions in which a key got another value or was removed. The list comes without
    /// proof.
    ///
    /// Time: as for [`TreeRepository::history`](crate::TreeRepository::history).
    ///
    /// # Errors
    /// [`LookupError`] if a node cannot be read.
    pub fn history(&self, key: &Key) -> Result<KeyHistory, LookupError> {
        self.history_page(key, self.latest(), u64::MAX)
    }

    /// One page of a key's history, like
    /// [`TreeRepository::history_page`](crate::TreeRepository::history_page).
    ///
    /// # Errors
    /// [`LookupError`] if a node cannot be read.
    #[doc(hidden)]
    pub fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<KeyHistory, LookupError> {
        let versions = (self.oldest, last.min(self.latest()));
        history(versions, lookups, |version| {
            let found = self.view(version)?.find(key.as_bytes())?;
            Ok(found.map(|(address, _)| address))
        })
    }

    /// Reconstructs the update that produces `version` from the version before it: the signed head
    /// and the operations. Operations that changed nothing are not included.
    ///
    /// Time: one call of [`StoredRepository::differences`] for the two versions.
    ///
    /// # Errors
    /// [`LookupError`] if the version or the one before does not exist or was pruned, or a node
    /// cannot be read.
    pub fn update(&self, version: Version) -> Result<Update<S>, LookupError> {
        self.update_within(version, usize::MAX)
    }

    /// Like [`StoredRepository::update`], limited to `most` bytes of keys and values. Two more
    /// bytes are counted for each operation.
    ///
    /// Memory: proportional to `most`.
    ///
    /// # Errors
    /// [`LookupError`] as for [`StoredRepository::update`]. [`LookupError::TooLong`] if the limit
    /// is exceeded.
    #[doc(hidden)]
    pub fn update_within(&self, version: Version, most: usize) -> Result<Update<S>, LookupError> {
        let head = self.head(version)?;
        let latest = self.latest();
        let base = version.previous();
        let base = base.ok_or(LookupError::UnknownVersion { version, latest })?;
        let (mut operations, mut bytes) = (Vec::new(), 0_usize);
        self.differences(base, version, |Difference { key, after, .. }| {
            let value = after.as_ref().map_or(0, |value| value.as_bytes().len());
            bytes = bytes.saturating_add(key.as_bytes().len() + value + LEAST_OPERATION);
            if bytes > most {
                return Err(LookupError::TooLong { most });
            }
            operations.push(match after {
                Some(value) => Operation::Put(key, value),
                None => Operation::Remove(key),
            });
            Ok(())
        })?;
        Ok(Update {
            base,
            operations,
            head,
            attachment: (),
        })
    }

    /// Verifies all contents of a version: nodes hash to its root, keys are in order, and the
    /// number of entries matches the version's record. Returns the number of entries.
    ///
    /// Time: linear in the number of entries. Memory: the nodes of one path.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned, or its contents are damaged or
    /// cannot be read.
    pub fn check_contents(&self, version: Version) -> Result<u64, LookupError> {
        let entries = self.view(version)?.check()?;
        if entries == self.contents(version)?.population {
            Ok(entries)
        } else {
            Err(LookupError::Damaged { version })
        }
    }
}

/// The least number of bytes that an operation takes in a message, in addition to its key and
/// value.
const LEAST_OPERATION: usize = 2;

/// The result of applying operations to a draft.
struct DraftResult<S: Suite, B: BalancingScheme> {
    /// The digest of the new root.
    digest: S::Digest,
    population: u64,
    root: Option<NodeId>,
    changes: Changes<S, B>,
}

impl<S: Suite, B: BalancingScheme, L: NodeLog> Repository for StoredRepository<S, B, L> {
    type Suite = S;
    type Attachment = ();
    type Query = Key;
    type Proof = TreeProof<S, Key>;

    fn latest(&self) -> Version {
        self.nodes.log.latest()
    }

    fn oldest(&self) -> Version {
        self.oldest
    }

    fn apply(&mut self, update: &Update<S>) -> Result<Version, ApplyError> {
        self.require_open()?;
        self.check_next(update.base, &update.head)?;
        let contents = self.latest_contents();
        let (mut draft, mut root) = Draft::<S, B, L>::new(&self.nodes, contents.root);
        draft.open_ways(&mut root, &update.operations, &self.workers)?;
        let applied = self.applied((draft, root), contents, &update.operations, true)?;
        if applied.digest != update.head.head.root {
            return Err(ApplyError::RootMismatch);
        }
        self.append(&applied, &update.head)
    }

    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        match &self.latest {
            Some(latest) if version == self.latest() => Ok(latest.signed(&self.authority, version)),
            _ => self.heads().head(version),
        }
    }

    fn prove(&self, version: Version, key: &Key) -> Result<TreeProof<S, Key>, LookupError> {
        let view = self.view(version)?;
        match view.prove_present(key)? {
            Some(proof) => Ok(proof),
            None => prover::prove(view, key),
        }
    }
}

impl<S: Suite, B: BalancingScheme, L: NodeLog + Default> Hosts for StoredRepository<S, B, L> {
    type Family = Family<B, S>;

    fn create(public: &PublicKey<Self::Family>) -> Self {
        Self::empty(*public.authority(), L::default(), NodeCache::default())
    }

    /// Reads all contents of the latest version into memory, because the returned author needs them
    /// there.
    fn resume(
        &self,
        signer: HeadSigner,
        (): (),
    ) -> Result<TreeAuthor<S, B, HeadSigner>, signature::Error> {
        let Contents { root, population } = self.latest_contents();
        let population = usize::try_from(population).map_err(signature::Error::from_source)?;
        let read = Draft::<S, B, L>::read_all(&self.nodes, root, population);
        let tree = read.map_err(signature::Error::from_source)?;
        let latest = self.latest.as_ref();
        let frontier = self.heads().frontier(latest);
        let frontier = frontier.map_err(signature::Error::from_source)?;
        let head = latest.map(|head| head.signed(&self.authority, self.latest()));
        Ok(TreeAuthor::of_parts(
            tree,
            (self.authority, frontier, head),
            signer,
        ))
    }

    fn heads(&self) -> impl Heads<S> {
        self.heads()
    }
}

impl<S, B, L, Q> Serves<Q> for StoredRepository<S, B, L>
where
    S: Suite,
    B: BalancingScheme,
    L: NodeLog + Default,
    Q: ProvableQuery,
{
    fn prove_answer(&self, version: Version, question: &Q) -> Result<TreeProof<S, Q>, LookupError> {
        self.prove_query(version, question)
    }
}
