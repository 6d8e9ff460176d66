//! The server of a dictionary whose nodes are stored.

use core::marker::PhantomData;

use pad_core::{
    ApplyError, DigestBytes, HeadLog, HeadSignature, Hosts, Key, LookupError, PublicKey,
    Repository, Serves, SignedHead, StoreFault, Suite, Untrusted, Update, Version, Workers,
    head::Authority,
    signature::{HeadSigner, SIGNATURE_LENGTH},
};

use super::{
    draft::Draft,
    layout,
    link::{ADDRESS_BYTES, Link, MOST_BYTES},
    log::{MemoryLog, NodeLog},
    nodes::Nodes,
    view::StoredView,
};
use crate::{
    author::TreeAuthor,
    balancing::BalancingScheme,
    family::Tree as Family,
    proof::TreeProof,
    prover::{self, ProvableQuery},
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
    contents: Contents<S::Digest>,
}

/// Set in the flags of a head whose tree has entries.
const HAS_ROOT: u8 = 0x80;

impl<S: Suite> StoredHead<S> {
    /// Signature, root, a byte of flags, the root's address, and the number of entries in eight bytes.
    fn write(&self) -> Vec<u8> {
        let root = self.contents.root.as_ref();
        let mut bytes = self.signature.to_bytes().to_vec();
        bytes.extend(self.root.as_ref());
        bytes.push(root.map_or(0, |root| HAS_ROOT | root.flags()));
        let address = root.map_or(0, |root| root.address);
        bytes.extend(&address.to_le_bytes()[..ADDRESS_BYTES]);
        bytes.extend(self.contents.population.to_le_bytes());
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
            let root = if flags & HAS_ROOT == 0 {
                None
            } else {
                Some(Link::read(flags & !HAS_ROOT, address, digest, 0)?)
            };
            let root_digest = S::Digest::from_slice(digest)?;
            // A root is black.
            let fits = match root {
                Some(root) => population > 0 && !root.balance,
                None => population == 0 && root_digest == S::empty_tree(),
            };
            fits.then_some(Self {
                signature: HeadSignature::from_bytes(signature),
                root: root_digest,
                contents: Contents { root, population },
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
        let mut latest = Contents::EMPTY;
        for number in 1..=log.latest().number() {
            let version = Version::new(number);
            let stored = StoredHead::<S>::read(&log.record(version)?)?;
            heads.append_root(&stored.root, &stored.signature);
            latest = stored.contents;
        }
        if let Some(head) = heads.latest_head() {
            // It vouches for all roots before it.
            let verified = Untrusted::new(head).verify(&authority, &head.head.version);
            verified.map_err(|_| StoreFault::Damaged)?;
        }
        Ok(Self {
            nodes: Nodes::new(log, cache_bytes),
            heads,
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

    /// The log.
    pub const fn log(&self) -> &L {
        self.nodes.log()
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

    fn view(&self, version: Version) -> Result<StoredView<'_, S, L>, LookupError> {
        Ok(StoredView::new(&self.nodes, self.contents(version)?.root))
    }

    fn contents(&self, version: Version) -> Result<Contents<S::Digest>, LookupError> {
        self.heads.require(version)?;
        if version == self.heads.latest() {
            return Ok(self.latest);
        }
        if version == Version::EMPTY {
            return Ok(Contents::EMPTY);
        }
        let stored = StoredHead::<S>::read(&self.nodes.log().record(version)?)?;
        if stored.root == self.heads.head(version)?.head.root {
            Ok(stored.contents)
        } else {
            Err(LookupError::Damaged { version })
        }
    }

    /// Applies an update to a draft and appends what is new to the log.
    fn replay(&mut self, update: &Update<S>) -> Result<Contents<S::Digest>, ApplyError> {
        let (draft, root) = Draft::<S, B, L>::new(&self.nodes, self.latest.root);
        // Nobody has signed the number of entries: what it changes by is counted from a number that no removal exceeds.
        let base = update.operations.len();
        let mut tree = Tree::with_store(draft, root, base);
        tree.apply(&update.operations, &self.workers)?;
        if tree.hash(&self.workers) != update.head.head.root {
            return Err(ApplyError::RootMismatch);
        }
        let (draft, sealed) = tree.sealed();
        draft.settle(&sealed);
        let position = self.nodes.log().end();
        if position >= MOST_BYTES {
            return Err(pad_core::InputError::CapacityExceeded.into());
        }
        let (root, bytes) = layout::write(&tree.store, tree.root, position);
        let [after, base] = [tree.population, base].map(u64::try_from);
        let population = after
            .ok()
            .and_then(|after| self.latest.population.checked_add(after))
            .zip(base.ok())
            .and_then(|(sum, base)| sum.checked_sub(base))
            .filter(|population| (*population == 0) == root.is_none())
            .ok_or(StoreFault::Damaged)?;
        drop(tree);
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if position.saturating_add(length) >= MOST_BYTES {
            return Err(pad_core::InputError::CapacityExceeded.into());
        }
        self.nodes.append(&bytes)?;
        Ok(Contents { root, population })
    }
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
        Version::EMPTY
    }

    fn apply(&mut self, update: &Update<S>) -> Result<Version, ApplyError> {
        if self.is_closed {
            return Err(StoreFault::Closed.into());
        }
        self.heads.check(update.base, &update.head)?;
        let contents = match self.replay(update) {
            Ok(contents) => contents,
            Err(error) => {
                self.nodes.discard();
                return Err(error);
            }
        };
        let head = StoredHead::<S> {
            signature: update.head.signature,
            root: update.head.head.root,
            contents,
        };
        let version = update.head.head.version;
        if let Err(error) = self.nodes.publish(version, &head.write()) {
            self.is_closed = true;
            return Err(error.into());
        }
        self.heads.append(&update.head);
        self.latest = contents;
        Ok(version)
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
        &self.heads
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
