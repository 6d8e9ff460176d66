//! The server of a dictionary whose nodes are stored.

use core::marker::PhantomData;

use pad_core::{
    ApplyError, DigestBytes, HeadLog, HeadSignature, Hosts, Key, KeyRange, LookupError, Operation,
    PublicKey, Repository, Serves, SignedHead, StoreFault, Suite, Untrusted, Update, Value,
    Version, Workers,
    head::Authority,
    signature::{HeadSigner, SIGNATURE_LENGTH},
};
use signature::Signer;

use super::{
    draft::{Changes, Draft},
    link::{ADDRESS_BYTES, FLAGS, Link},
    log::{MemoryLog, NodeLog},
    nodes::Nodes,
    record,
    view::StoredView,
};
use crate::{
    author::{TreeAuthor, in_order},
    balancing::BalancingScheme,
    diff::{Difference, KeyHistory, differences, history, owned_value},
    family::Tree as Family,
    id::NodeId,
    proof::TreeProof,
    prover::{self, ProvableQuery},
    search,
    tree::Tree,
};

/// A repository of a tree PAD of scheme `B` under suite `S`, whose nodes are in the log `L`.
///
/// Roots and proofs are those of [`TreeRepository`](crate::TreeRepository). Memory: a bound for blocks of the log, the heads of all
/// versions, and during an update the nodes on the ways of its keys.
#[derive(Clone, Debug)]
pub struct StoredRepository<S: Suite, B, L: NodeLog = MemoryLog> {
    nodes: Nodes<L>,
    heads: HeadLog<S>,
    /// The oldest version whose contents are kept.
    oldest: Version,
    latest: Contents<S::Digest>,
    workers: Workers,
    /// A version could not be published: whether it is there is not known before the log is opened again.
    is_closed: bool,
    scheme: PhantomData<fn() -> B>,
}

/// The contents of one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Contents<D> {
    root: Option<Link<D>>,
    population: u64,
}

impl<D> Contents<D> {
    const EMPTY: Self = Self {
        root: None,
        population: 0,
    };
}

/// What the log keeps of a version beside its nodes.
struct StoredHead<S: Suite> {
    signature: HeadSignature,
    root: S::Digest,
    /// `None` if they were pruned.
    contents: Option<Contents<S::Digest>>,
    /// Whether everything older was pruned.
    is_oldest: bool,
}

/// Set in the flags of a head whose tree has entries.
const HAS_ROOT: u8 = 0x80;
/// The flags of a head whose contents were pruned.
const PRUNED: u8 = 0x40;
/// Set in the flags of a head before which all contents were pruned, those of version 0 too.
const OLDEST: u8 = 0x20;

impl<S: Suite> StoredHead<S> {
    fn new(signed: &SignedHead<S>, contents: Option<Contents<S::Digest>>) -> Self {
        Self {
            signature: signed.signature,
            root: signed.head.root,
            contents,
            is_oldest: false,
        }
    }

    /// Signature, root, a byte of flags, the root's address, and the number of entries in eight bytes.
    fn write(&self) -> Vec<u8> {
        let contents = self.contents.as_ref();
        let root = contents.and_then(|contents| contents.root.as_ref());
        let flags = match (contents, root) {
            (None, _) => PRUNED,
            (_, None) => 0,
            (_, Some(root)) => HAS_ROOT | root.flags(),
        };
        let flags = if self.is_oldest {
            flags | OLDEST
        } else {
            flags
        };
        let mut bytes = self.signature.to_bytes().to_vec();
        bytes.extend(self.root.as_ref());
        bytes.push(flags);
        let address = root.map_or(0, |root| root.address);
        bytes.extend(&address.to_le_bytes()[..ADDRESS_BYTES]);
        let population = contents.map_or(0, |contents| contents.population);
        bytes.extend(population.to_le_bytes());
        bytes
    }

    /// The inverse of [`StoredHead::write`]. The signature is not verified.
    fn read(bytes: &[u8]) -> Result<Self, StoreFault> {
        let read = || {
            let (signature, rest) = bytes.split_first_chunk::<SIGNATURE_LENGTH>()?;
            let (digest, rest) = rest.split_at_checked(S::Digest::LENGTH)?;
            let (flags, rest) = rest.split_first()?;
            let (address, rest) = rest.split_at_checked(ADDRESS_BYTES)?;
            let population = u64::from_le_bytes(rest.try_into().ok()?);
            let root_digest = S::Digest::from_slice(digest)?;
            let is_oldest = flags & OLDEST != 0;
            let root = match flags & !OLDEST {
                0 | PRUNED => None,
                flags if flags & !FLAGS == HAS_ROOT => {
                    Some(Link::read(flags & FLAGS, address, digest)?)
                }
                _ => return None,
            };
            let is_pruned = root.is_none() && flags & PRUNED != 0;
            // A root is black.
            let fits = match root {
                Some(root) => population > 0 && !root.balance,
                None if is_pruned => population == 0 && !is_oldest,
                None => population == 0 && root_digest == S::empty_tree(),
            };
            fits.then_some(Self {
                signature: HeadSignature::from_bytes(signature),
                root: root_digest,
                contents: (!is_pruned).then_some(Contents { root, population }),
                is_oldest,
            })
        };
        read().ok_or(StoreFault::Damaged)
    }
}

impl<S: Suite, B: BalancingScheme, L: NodeLog> StoredRepository<S, B, L> {
    /// The repository of the updates of one author and dictionary in a log, which may have some already. Blocks of about
    /// `cache_bytes` are kept in memory.
    ///
    /// Time: linear in the number of versions; one signature is verified.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if the log is not one of this author's, or not whole; [`StoreFault::Medium`].
    pub fn open(authority: Authority, log: L, cache_bytes: usize) -> Result<Self, StoreFault> {
        let mut heads = HeadLog::new(authority);
        let (mut oldest, mut latest, mut was_pruned) = (Version::EMPTY, Contents::EMPTY, false);
        for number in 1..=log.latest().number() {
            let version = Version::new(number);
            let stored = StoredHead::<S>::read(&log.record(version)?)?;
            heads.append_root(&stored.root, &stored.signature);
            // What is pruned is older than all other versions, and the oldest of those says so.
            let begins = was_pruned || version == Version::new(1);
            was_pruned = stored.contents.is_none();
            let fits = if was_pruned || stored.is_oldest {
                begins
            } else {
                !begins || version == Version::new(1)
            };
            if !fits {
                return Err(StoreFault::Damaged);
            }
            if stored.is_oldest {
                oldest = version;
            }
            latest = stored.contents.unwrap_or(Contents::EMPTY);
        }
        if was_pruned {
            return Err(StoreFault::Damaged);
        }
        if let Some(head) = heads.latest_head() {
            // It vouches for all roots before it.
            let verified = Untrusted::new(head).verify(&authority, &head.head.version);
            verified.map_err(|_| StoreFault::Damaged)?;
        }
        Ok(Self {
            nodes: Nodes::new(log, cache_bytes),
            heads,
            oldest,
            latest,
            workers: Workers::sequential(),
            is_closed: false,
            scheme: PhantomData,
        })
    }

    /// Spreads large updates over these threads.
    #[must_use]
    pub fn with_workers(mut self, workers: Workers) -> Self {
        self.workers = workers;
        self
    }

    /// Whose updates this repository accepts.
    pub const fn authority(&self) -> &Authority {
        self.heads.authority()
    }

    /// The number of entries of the latest version.
    pub const fn len(&self) -> u64 {
        self.latest.population
    }

    /// Whether the latest version is empty.
    pub const fn is_empty(&self) -> bool {
        self.latest.population == 0
    }

    /// The heads of all versions.
    pub const fn heads(&self) -> &HeadLog<S> {
        &self.heads
    }

    /// The log.
    pub const fn log(&self) -> &L {
        self.nodes.log()
    }

    /// The log, for what its owner does with it beside the repository: bytes and records that are published do not change.
    pub const fn log_mut(&mut self) -> &mut L {
        self.nodes.log_mut()
    }

    /// The bytes of memory that heads and kept blocks take.
    pub fn memory_bytes(&self) -> usize {
        self.heads.memory_bytes() + self.nodes.cached_bytes()
    }

    /// How many blocks were read from the log since the repository was opened.
    pub fn blocks_read(&self) -> u64 {
        self.nodes.reads()
    }

    /// Answers any query about a version.
    ///
    /// Time: one search for each key or end of a range, and the blocks on its way.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there, the query makes no sense, or a node cannot be read.
    pub fn prove_query<Q: ProvableQuery>(
        &self,
        version: Version,
        query: &Q,
    ) -> Result<TreeProof<S, Q>, LookupError> {
        prover::prove(self.view(version)?, query)
    }

    /// The beginning of a range of a version that has at most so many bytes, so that all of it can be asked for in pages.
    ///
    /// Time: one search, and the entries of the page.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there, or a node cannot be read.
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
        self.heads.require(version)?;
        let oldest = self.oldest;
        if version < oldest {
            return Err(LookupError::Pruned { version, oldest });
        }
        if version == self.heads.latest() {
            return Ok(self.latest);
        }
        if version == Version::EMPTY {
            return Ok(Contents::EMPTY);
        }
        let stored = StoredHead::<S>::read(&self.nodes.log().record(version)?)?;
        let root = self.heads.head(version)?.head.root;
        let contents = stored.contents.filter(|_| stored.root == root);
        contents.ok_or(LookupError::Damaged { version })
    }

    /// Applies operations to a draft.
    fn applied(
        &self,
        (draft, root): (Draft<'_, S, B, L>, Option<NodeId>),
        operations: &[Operation],
        expected: Option<&S::Digest>,
    ) -> Result<Applied<S, B>, ApplyError> {
        // Nobody has signed the number of entries: what it changes by is counted from a number that no removal exceeds.
        let base = operations.len();
        let mut tree = Tree::with_store(draft, root, base);
        tree.apply(operations, &self.workers)?;
        let digest = tree.hash(&self.workers);
        if expected.is_some_and(|expected| *expected != digest) {
            return Err(ApplyError::RootMismatch);
        }
        let (draft, sealed) = tree.sealed();
        draft.settle(&sealed);
        let [after, base] = [tree.population, base].map(u64::try_from);
        let population = after
            .ok()
            .and_then(|after| self.latest.population.checked_add(after))
            .zip(base.ok())
            .and_then(|(sum, base)| sum.checked_sub(base))
            .filter(|population| (*population == 0) == tree.root.is_none())
            .ok_or(StoreFault::Damaged)?;
        Ok(Applied {
            digest,
            population,
            root: tree.root,
            changes: tree.store.into_changes(),
        })
    }

    /// Appends a version.
    fn append(
        &mut self,
        applied: &Applied<S, B>,
        signed: &SignedHead<S>,
    ) -> Result<Version, ApplyError> {
        let (position, nodes) = (self.nodes.log().end(), &mut self.nodes);
        let placed = applied
            .changes
            .lay_out(applied.root, position, |bytes| nodes.append(bytes));
        let root = match placed {
            Ok(root) => root,
            Err(unplaced) => {
                self.nodes.discard();
                return Err(unplaced.into());
            }
        };
        let contents = Contents {
            root,
            population: applied.population,
        };
        Ok(self.record(signed, Some(contents))?)
    }

    /// Publishes a version whose nodes are appended.
    fn record(
        &mut self,
        signed: &SignedHead<S>,
        contents: Option<Contents<S::Digest>>,
    ) -> Result<Version, StoreFault> {
        let version = signed.head.version;
        let head = StoredHead::<S> {
            is_oldest: version == self.oldest,
            ..StoredHead::new(signed, contents)
        };
        if let Err(fault) = self.nodes.publish(version, &head.write()) {
            self.is_closed = true;
            return Err(fault);
        }
        self.heads.append(signed);
        self.latest = contents.unwrap_or(Contents::EMPTY);
        Ok(version)
    }

    /// Copies the versions from `oldest` on to a log that has none, and the heads of all: what was pruned is gone there, and the nodes of
    /// the oldest version stand together. A value that was put again and is the same is no change there.
    ///
    /// Time: linear in what is copied. Memory: for the oldest version a path, for the others what each of them changes.
    ///
    /// # Errors
    /// [`CopyError`]; the other log is then to be dropped.
    pub fn copy_since<M: NodeLog>(
        &self,
        oldest: Version,
        log: M,
        cache_bytes: usize,
    ) -> Result<StoredRepository<S, B, M>, CopyError> {
        let mut copy = StoredRepository::<S, B, M>::open(*self.authority(), log, cache_bytes)
            .map_err(LookupError::from)?;
        copy.workers = self.workers.clone();
        let kept = self.contents(oldest)?;
        let latest = self.heads.latest().number();
        for number in 1..oldest.number() {
            let head = self.heads.head(Version::new(number))?;
            copy.record(&head, None).map_err(LookupError::from)?;
        }
        if oldest > Version::EMPTY {
            let head = self.heads.head(oldest)?;
            let (position, nodes) = (copy.nodes.log().end(), &mut copy.nodes);
            let placed = self
                .view(oldest)?
                .lay_out(position, |bytes| nodes.append(bytes));
            let (root, population) = placed.map_err(ApplyError::from)?;
            if population != kept.population {
                return Err(LookupError::Damaged { version: oldest }.into());
            }
            let contents = Contents { root, population };
            copy.oldest = oldest;
            copy.record(&head, Some(contents))
                .map_err(LookupError::from)?;
        }
        for number in oldest.number().saturating_add(1)..=latest {
            copy.apply(&self.update(Version::new(number))?)?;
        }
        Ok(copy)
    }

    fn require_open(&self) -> Result<(), StoreFault> {
        if self.is_closed {
            Err(StoreFault::Closed)
        } else {
            Ok(())
        }
    }

    /// Makes all versions durable.
    ///
    /// # Errors
    /// [`StoreFault::Medium`], [`StoreFault::Closed`]: which versions are there, only the next opening tells.
    pub fn synchronise(&mut self) -> Result<(), StoreFault> {
        self.require_open()?;
        let synchronised = self.nodes.synchronise();
        self.is_closed |= synchronised.is_err();
        synchronised
    }

    /// Signs a batch as the next version, and stores it: the author without a copy of the contents.
    ///
    /// The last operation on a key wins; removing an absent key does nothing. Nodes are read on the ways of the keys, and on those of the
    /// neighbours of keys that are new. What is signed follows from the latest signed root alone, whatever else is in the log; but one
    /// that somebody has changed with care can lead to a root that nobody else comes to, from which the dictionary cannot go on.
    ///
    /// The version is not durable before [`StoredRepository::synchronise`], and must not be handed out before.
    ///
    /// # Errors
    /// [`PublishError`]: nothing is changed, no signature has left this function, and the batch has its operations still, in order.
    pub fn publish<K: Signer<HeadSignature>>(
        &mut self,
        batch: &mut Vec<Operation>,
        signer: &K,
    ) -> Result<Update<S>, PublishError> {
        self.require_open().map_err(ApplyError::from)?;
        let (mut draft, mut root) = Draft::<S, B, L>::new(&self.nodes, self.latest.root);
        *batch = in_order(core::mem::take(batch), &self.workers);
        let mut fault = None;
        batch.retain(|operation| {
            if fault.is_some() {
                return true;
            }
            let is_there = draft.contains(&mut root, operation.key().as_bytes());
            let is_there = is_there.unwrap_or_else(|found| {
                fault = Some(found);
                true
            });
            is_there || matches!(operation, Operation::Put(..))
        });
        if let Some(fault) = fault {
            return Err(ApplyError::from(fault).into());
        }
        let applied = self.applied((draft, root), batch, None)?;
        let base = self.heads.latest();
        let full = ApplyError::Input(pad_core::InputError::CapacityExceeded);
        let head = self.heads.next_head(applied.digest).ok_or(full)?;
        let head = head.sign(signer).map_err(PublishError::Signer)?;
        self.heads.check(base, &head)?;
        self.append(&applied, &head)?;
        Ok(Update {
            base,
            operations: core::mem::take(batch),
            head,
            attachment: (),
        })
    }

    /// The value of a key in a version, without proof.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there, or a node cannot be read.
    pub fn get(&self, version: Version, key: &[u8]) -> Result<Option<Value>, LookupError> {
        let found = self.view(version)?.find(key)?;
        found
            .map(|(_, leaf)| owned_value(record::entry(&leaf).1))
            .transpose()
    }

    /// Notes the keys that differ between two versions, in ascending order, without proof.
    ///
    /// Time: proportional to the number of differing keys times the depth of the tree; equal subtrees are not read.
    ///
    /// # Errors
    /// [`LookupError`] if one of the versions is not there, or a node cannot be read.
    pub fn differences(
        &self,
        before: Version,
        after: Version,
        note: impl FnMut(Difference),
    ) -> Result<(), LookupError> {
        differences(self.view(before)?, self.view(after)?, note)
    }

    /// The kept versions in which a key was put or removed, without proof.
    ///
    /// Time: as [`TreeRepository::history`](crate::TreeRepository::history).
    ///
    /// # Errors
    /// [`LookupError`] if a node cannot be read.
    pub fn history(&self, key: &Key) -> Result<KeyHistory, LookupError> {
        history(self.oldest, self.heads.latest(), |version| {
            let found = self.view(version)?.find(key.as_bytes())?;
            Ok(found.map(|(address, _)| address))
        })
    }

    /// The update that leads to a version: its head, and what it changes. Operations that the author has signed and that change nothing
    /// are not among these.
    ///
    /// Time: as [`StoredRepository::differences`] to the version before.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there or version 0, or a node cannot be read.
    pub fn update(&self, version: Version) -> Result<Update<S>, LookupError> {
        let head = self.heads.head(version)?;
        let latest = self.heads.latest();
        let base = version.previous();
        let base = base.ok_or(LookupError::UnknownVersion { version, latest })?;
        let mut operations = Vec::new();
        self.differences(base, version, |Difference { key, after, .. }| {
            operations.push(match after {
                Some(value) => Operation::Put(key, value),
                None => Operation::Remove(key),
            });
        })?;
        Ok(Update {
            base,
            operations,
            head,
            attachment: (),
        })
    }

    /// Reads all contents of a version, and checks that they hash to its root, stand in order, and are as many as is said of the latest
    /// version. Returns their number.
    ///
    /// Time: linear in the number of entries. Memory: a path.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there, or its contents are not whole.
    pub fn check_contents(&self, version: Version) -> Result<u64, LookupError> {
        let entries = self.view(version)?.check()?;
        if entries == self.contents(version)?.population {
            Ok(entries)
        } else {
            Err(LookupError::Damaged { version })
        }
    }
}

/// What an update has led to.
struct Applied<S: Suite, B: BalancingScheme> {
    /// The root's digest.
    digest: S::Digest,
    population: u64,
    root: Option<NodeId>,
    changes: Changes<S, B>,
}

/// Versions cannot be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// They are not there, or not whole.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// They cannot be written.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// An author cannot publish.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The signer refused.
    #[error("the signer refused: {0}")]
    Signer(signature::Error),
    /// The batch cannot be applied, or the store failed.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

impl<S: Suite, B: BalancingScheme, L: NodeLog> Repository for StoredRepository<S, B, L> {
    type Suite = S;
    type Attachment = ();
    type Query = Key;
    type Proof = TreeProof<S, Key>;

    fn latest(&self) -> Version {
        self.heads.latest()
    }

    fn oldest(&self) -> Version {
        self.oldest
    }

    fn apply(&mut self, update: &Update<S>) -> Result<Version, ApplyError> {
        self.require_open()?;
        self.heads.check(update.base, &update.head)?;
        let draft = Draft::<S, B, L>::new(&self.nodes, self.latest.root);
        let root = &update.head.head.root;
        let applied = self.applied(draft, &update.operations, Some(root))?;
        self.append(&applied, &update.head)
    }

    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.heads.head(version)
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
        Self {
            nodes: Nodes::new(L::default(), DEFAULT_CACHE_BYTES),
            heads: HeadLog::new(*public.authority()),
            oldest: Version::EMPTY,
            latest: Contents::EMPTY,
            workers: Workers::sequential(),
            is_closed: false,
            scheme: PhantomData,
        }
    }

    /// Reads all contents of the latest version into memory.
    fn resume(
        &self,
        signer: HeadSigner,
        (): (),
    ) -> Result<TreeAuthor<S, B, HeadSigner>, signature::Error> {
        let population = usize::try_from(self.latest.population);
        let population = population.map_err(signature::Error::from_source)?;
        let read = Draft::<S, B, L>::read_all(&self.nodes, self.latest.root, population);
        let tree = read.map_err(signature::Error::from_source)?;
        Ok(TreeAuthor::of_parts(tree, &self.heads, signer))
    }

    fn heads(&self) -> &HeadLog<S> {
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

/// Blocks in memory of a repository that was told no other bound.
const DEFAULT_CACHE_BYTES: usize = 64 << 20;
