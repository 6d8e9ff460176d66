//! Partial replicas (*parts*) of a tree dictionary: the keys of one range, loaded from proofs and
//! never from updates.
//!
//! For each version, a part stores the contents of the proof for the whole range. These are the
//! nodes that a search in the range may read, and the digests of all other children. Each proof is
//! verified against the root that the author signed. So a part contains only nodes that the author
//! signed, no matter which server sent them.
//!
//! A proof from a part equals, to the byte, the proof from a repository of the whole tree. The
//! reason is that the leaves in a proof determine the proof.
//!
//! Nodes are stored by their digests. Equal digests are equal subtrees, so subtrees shared by two
//! versions are stored once.
//!
//! ```
//! use ed25519_dalek::SigningKey;
//! use pad_core::{
//!     AuthorKey, Dictionary, DictionaryId, Key, KeyRange, LookupError, Repository, Sha256Ed25519,
//!     Untrusted,
//! };
//! use pad_tree::{PartProgress, RedBlackAuthor, RedBlackPathCopying, TreePart};
//!
//! let signer = SigningKey::from_bytes(&[7; 32]);
//! let public = AuthorKey::from_bytes(&signer.verifying_key().to_bytes())?;
//! let id = DictionaryId::from_name("prices");
//! let mut author = RedBlackAuthor::<Sha256Ed25519, _>::new(id, public, signer);
//! let mut whole = RedBlackPathCopying::<Sha256Ed25519>::new(author.authority());
//! for name in ["apple", "fig", "lemon", "plum"] {
//!     author.put(name.parse()?, "1".parse()?);
//! }
//! let update = author.snapshot()?;
//! let version = whole.apply(&update)?;
//!
//! let range = KeyRange { start: Some("b".parse()?), end: Some("m".parse()?) };
//! let mut part = TreePart::<Sha256Ed25519>::new(author.authority(), range)?;
//! part.follow(&update)?;
//! part.load(version)?;
//! while let PartProgress::Missing(keys) = part.progress()? {
//!     part.take_range(&keys, Untrusted::new(whole.prove_query(version, &keys)?))?;
//! }
//! let (fig, plum): (Key, Key) = ("fig".parse()?, "plum".parse()?);
//! assert_eq!(part.prove(version, &fig)?, whole.prove(version, &fig)?);
//! assert_eq!(part.prove(version, &plum), Err(LookupError::NotKept));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use core::{cell::Cell, fmt};
use std::collections::BTreeMap;

use pad_core::{
    ApplyError, Authority, HeadLog, Key, KeyRange, Keys, LookupError, Operation, SignedHead,
    SnapshotHead, Suite, Untrusted, Update, Verified, VerifyError, Version,
};

use crate::{
    opened::Content,
    proof::TreeProof,
    prover::{self, ProvableQuery},
    search,
};

mod nodes;
mod view;
mod walk;

use nodes::Nodes;
use view::PartView;
pub(crate) use walk::Disordered;

/// A replica of one key range, over some consecutive versions of a tree dictionary of any balancing
/// scheme.
///
/// The replica stores the author's signed heads, which the caller appends. It loads the contents of
/// a version from proofs of any server. Call [`TreePart::load`]. Then request and take the ranges
/// that [`TreePart::progress`] reports missing, until no range is missing.
///
/// Space: for each version, the nodes that it does not share with other versions, so `O(log n)` for
/// a change in the range. Each head takes a root and a signature in addition.
pub struct TreePart<S: Suite> {
    range: KeyRange,
    heads: HeadLog<S>,
    nodes: Nodes<S>,
    /// The roots of the versions whose contents are stored. The versions are consecutive, and there
    /// is at least one.
    roots: BTreeMap<Version, S::Digest>,
    /// The head of the version whose contents are being loaded.
    loading: Option<Verified<SnapshotHead<S>>>,
    /// Whether nodes may be stored that belong only to versions whose loading was abandoned.
    has_strays: bool,
    /// The number of nodes after the last sweep, which frees the nodes that no version contains.
    swept: usize,
}

/// Progress of loading a version.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum PartProgress {
    /// Nodes are missing. The proof of this range contains some or all of them. The proof of a
    /// smaller range may suffice.
    Missing(KeyRange),
    /// All nodes of this version are present, and the part now answers questions about it.
    Kept(Version),
}

/// Error returned when a part refuses a range, a version or a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// The range for a new part contains no key.
    #[error("the range of keys is empty")]
    EmptyRange,
    /// A proof was offered, or progress requested, while no version is being loaded.
    #[error("no version is being loaded")]
    NotLoading,
    /// The version to be loaded is not later than all versions whose contents are stored.
    #[error("version {version} is not newer than version {latest}, which is kept")]
    NotAfter {
        /// The version to be loaded.
        version: Version,
        /// The latest version whose contents are stored.
        latest: Version,
    },
    /// The proof is about keys outside the part's range.
    #[error("the question is outside the kept range of keys")]
    Outside,
    /// The proof, or the head of the version to be loaded, failed verification.
    #[error(transparent)]
    Refused(#[from] VerifyError),
    /// The part does not know the head of the version to be loaded.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The author signed a root whose nodes do not form a search tree.
    #[error(transparent)]
    Disordered(#[from] Disordered),
}

impl<S: Suite> TreePart<S> {
    /// Creates a partial replica of one author's dictionary, for the keys of `range`. At first it
    /// contains only the empty version 0.
    ///
    /// # Errors
    /// [`PartError::EmptyRange`] if `range` contains no key.
    pub fn new(authority: Authority, range: KeyRange) -> Result<Self, PartError> {
        if !range.is_valid() {
            return Err(PartError::EmptyRange);
        }
        Ok(Self {
            range,
            heads: HeadLog::new(authority),
            nodes: Nodes::default(),
            roots: BTreeMap::from([(Version::EMPTY, S::empty_tree())]),
            loading: None,
            has_strays: false,
            swept: 0,
        })
    }

    /// The range of keys that the part replicates.
    pub const fn range(&self) -> &KeyRange {
        &self.range
    }

    /// The signed heads of all versions that the part knows. The newest of them may be newer than
    /// the latest version whose contents are loaded.
    pub const fn heads(&self) -> &HeadLog<S> {
        &self.heads
    }

    /// The latest version whose contents are stored.
    pub fn latest(&self) -> Version {
        let latest = self.roots.last_key_value();
        latest.map_or(Version::EMPTY, |(version, _)| *version)
    }

    /// The oldest version whose contents are stored.
    pub fn oldest(&self) -> Version {
        let oldest = self.roots.first_key_value();
        oldest.map_or(Version::EMPTY, |(version, _)| *version)
    }

    /// The version whose contents are being loaded, if any.
    #[doc(hidden)]
    pub fn loading(&self) -> Option<Version> {
        self.loading.as_ref().map(|head| head.get().version)
    }

    /// The number of stored nodes, over all versions.
    #[doc(hidden)]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The approximate memory, in bytes, of nodes and heads.
    pub fn memory_bytes(&self) -> usize {
        self.nodes
            .memory_bytes()
            .saturating_add(self.heads.memory_bytes())
    }

    /// Appends the signed head of the next version. Returns this version. The contents are not
    /// loaded.
    ///
    /// # Errors
    /// [`ApplyError::VersionGap`] if the head is of another version than the next one.
    /// [`ApplyError`] if the author did not sign it.
    #[doc(hidden)]
    pub fn follow_head(&mut self, head: &SignedHead<S>) -> Result<Version, ApplyError> {
        let base = head.head.version.previous().unwrap_or_default();
        self.heads.check(base, head)?;
        self.heads.append(head);
        Ok(self.heads.latest())
    }

    /// Appends the signed head of an update; its operations are not applied. Returns the keys of
    /// the range that the update claims to have changed, in ascending order.
    ///
    /// The operations are not verified, so the list may be wrong or incomplete. Rely on the ranges
    /// that [`TreePart::progress`] reports missing.
    ///
    /// # Errors
    /// [`ApplyError`] as for [`TreePart::follow_head`]. [`ApplyError::VersionGap`] if the update's
    /// base is not the latest known version.
    pub fn follow(&mut self, update: &Update<S>) -> Result<Vec<Key>, ApplyError> {
        self.heads.check(update.base, &update.head)?;
        self.heads.append(&update.head);
        Ok(self.changed_keys(update))
    }

    /// Returns the keys of the range that an update claims to have changed, in ascending order. The
    /// claim is not verified.
    #[doc(hidden)]
    pub fn changed_keys(&self, update: &Update<S>) -> Vec<Key> {
        let keys = update.operations.iter().map(Operation::key);
        let mut changed: Vec<Key> = keys
            .filter(|key| self.range.contains(key.as_bytes()))
            .cloned()
            .collect();
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Starts to load the contents of a version that is later than all stored versions and whose
    /// head is known. Abandons a load in progress.
    ///
    /// Nodes of an abandoned version may stay in memory until the next version is complete. Nodes
    /// that the next version contains too stay longer.
    ///
    /// # Errors
    /// * [`PartError::NotAfter`] if the version is not later than all stored versions.
    /// * [`PartError::Lookup`] if its head is unknown.
    /// * [`PartError::Refused`] if its head fails verification.
    pub fn load(&mut self, version: Version) -> Result<(), PartError> {
        let latest = self.latest();
        if version <= latest {
            return Err(PartError::NotAfter { version, latest });
        }
        let head = Untrusted::new(self.heads.head(version)?);
        let verified = head.verify(self.heads.authority(), &version)?;
        // An author that signs faster than a part can load must not fill the memory. Nodes of the
        // load that is abandoned now are kept, because the next version may contain them too.
        if self.has_strays && self.nodes.len() > self.swept.max(FEW_NODES).saturating_mul(2) {
            self.sweep();
        }
        let abandoned = self.loading.replace(verified);
        self.has_strays |= abandoned.is_some_and(|other| other.get().version != version);
        Ok(())
    }

    /// Verifies a proof of `range` in the version that is being loaded, and stores its nodes.
    ///
    /// Time: one check of the proof.
    ///
    /// # Errors
    /// [`PartError`] if the proof is refused. The part is then unchanged.
    pub fn take_range(
        &mut self,
        range: &KeyRange,
        proof: Untrusted<TreeProof<S, KeyRange>>,
    ) -> Result<(), PartError> {
        self.take(range, proof)
    }

    /// Verifies a proof of several keys in the version that is being loaded, and stores its nodes.
    ///
    /// # Errors
    /// [`PartError`] if the proof is refused. The part is then unchanged.
    pub fn take_keys(
        &mut self,
        keys: &Keys,
        proof: Untrusted<TreeProof<S, Keys>>,
    ) -> Result<(), PartError> {
        self.take(keys, proof)
    }

    fn take<Q: ProvableQuery>(
        &mut self,
        question: &Q,
        proof: Untrusted<TreeProof<S, Q>>,
    ) -> Result<(), PartError> {
        let head = self.loading.as_ref().ok_or(PartError::NotLoading)?;
        if !question.lies_in(&self.range) {
            return Err(PartError::Outside);
        }
        let mut shown = self.nodes.shown();
        proof
            .into_unverified()
            .check_noting(head, question, &mut |step| shown.note(&step))?;
        let shown = shown.nodes;
        self.nodes.take(shown);
        Ok(())
    }

    /// Reports a range whose nodes are missing in the version that is being loaded. If none is
    /// missing, adds the version to the stored versions.
    ///
    /// If the version is not the direct successor of the latest stored version, all older versions
    /// are dropped.
    ///
    /// Time: linear in the nodes stored since the last call, plus the nodes on two paths from the
    /// root. Dropping older or abandoned versions takes time linear in all nodes.
    ///
    /// # Errors
    /// [`PartError::NotLoading`] if no version is being loaded. [`PartError::Disordered`] if the
    /// signed nodes are not a search tree.
    pub fn progress(&mut self) -> Result<PartProgress, PartError> {
        let head = *self.loading.as_ref().ok_or(PartError::NotLoading)?.get();
        if let Some(missing) = self.nodes.missing(&head.root, &self.range)? {
            return Ok(PartProgress::Missing(missing));
        }
        let follows = head.version.previous() == Some(self.latest());
        if !follows {
            self.roots.clear();
        }
        self.roots.insert(head.version, head.root);
        self.loading = None;
        if !follows || self.has_strays {
            self.sweep();
        }
        Ok(PartProgress::Kept(head.version))
    }

    /// Drops the contents of all versions before `oldest`; their heads stay.
    ///
    /// Time and transient memory: linear in the number of nodes.
    ///
    /// # Errors
    /// [`LookupError`] if the contents of `oldest` are not stored.
    pub fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        self.root(oldest)?;
        self.roots = self.roots.split_off(&oldest);
        self.sweep();
        Ok(())
    }

    /// Frees the nodes of abandoned versions, except for nodes that also belong to a stored version
    /// or to the version being loaded.
    ///
    /// Time and transient memory: linear in the number of nodes, if there is anything to free.
    #[doc(hidden)]
    pub fn drop_abandoned(&mut self) {
        if self.has_strays {
            self.sweep();
        }
    }

    /// Frees the nodes that belong neither to a stored version nor to the version being loaded.
    fn sweep(&mut self) {
        self.has_strays = false;
        let loading = self.loading.as_ref().map(|head| head.get().root);
        let roots = self.roots.values().copied().chain(loading);
        self.nodes.keep_reached(roots);
        self.swept = self.nodes.len();
    }

    /// Proves the value or absence of one key in a version.
    ///
    /// # Errors
    /// [`LookupError`] as for [`TreePart::prove_query`].
    pub fn prove(&self, version: Version, key: &Key) -> Result<TreeProof<S, Key>, LookupError> {
        self.prove_query(version, key)
    }

    /// Proves the answer to any query about keys of the part's range in a version. The proof equals
    /// that of a server with the whole tree.
    ///
    /// Time: one search for each key or end of a range, and one digest for each level of its path.
    ///
    /// # Errors
    /// [`LookupError::NotKept`] if the answer depends on keys outside the range. [`LookupError`] if
    /// the version is not stored, the query is invalid, or the answer is too long.
    pub fn prove_query<Q: ProvableQuery>(
        &self,
        version: Version,
        query: &Q,
    ) -> Result<TreeProof<S, Q>, LookupError> {
        let lacks_value = Cell::new(false);
        let view = self.view(version, &lacks_value)?;
        if !query.lies_in(&self.range) {
            return Err(LookupError::NotKept);
        }
        let proof = prover::prove(view, query)?;
        // Leaves next to the range are usually stored without their values. Values of such leaves
        // must not become part of an answer, even if they are stored.
        let shows_others = proof.leaves.iter().any(|leaf| {
            matches!(leaf.content, Content::Value(_)) && !self.range.contains(leaf.key.as_bytes())
        });
        if lacks_value.get() || shows_others {
            return Err(LookupError::NotKept);
        }
        Ok(proof)
    }

    /// Returns the first page of `range` in a version: a prefix of the range with at most `bytes`
    /// bytes of entries.
    ///
    /// A page ends at the latest where the range of the part ends, even if the page is then empty.
    /// An entry of more than `bytes` bytes is a page of its own.
    ///
    /// Time: one search, and the entries of the page.
    ///
    /// # Errors
    /// [`LookupError::NotKept`] if `range` does not begin within the range of the part;
    /// [`LookupError`] if the version is not stored.
    pub fn page(
        &self,
        version: Version,
        range: &KeyRange,
        bytes: usize,
    ) -> Result<KeyRange, LookupError> {
        let lacks_value = Cell::new(false);
        let view = self.view(version, &lacks_value)?;
        let ends_beyond = |end: &Key| range.end.as_ref().is_none_or(|other| other > end);
        let end = match &self.range.end {
            Some(end) if ends_beyond(end) => Some(end.clone()),
            _ => range.end.clone(),
        };
        let start = range.start.clone();
        let here = KeyRange { start, end };
        // A range without keys gets the answer that a repository of the whole tree gives.
        if !here.lies_in(&self.range) || (here != *range && !here.is_valid()) {
            return Err(LookupError::NotKept);
        }
        search::page(view, &here, bytes)
    }

    fn view<'p>(
        &'p self,
        version: Version,
        lacks_value: &'p Cell<bool>,
    ) -> Result<PartView<'p, S>, LookupError> {
        Ok(PartView {
            nodes: &self.nodes,
            root: self.root(version)?,
            lacks_value,
        })
    }

    /// The root of a version whose contents are stored.
    fn root(&self, version: Version) -> Result<S::Digest, LookupError> {
        let missing = || LookupError::missing(version, self.oldest(), self.latest());
        self.roots.get(&version).copied().ok_or_else(missing)
    }
}

impl<S: Suite> fmt::Debug for TreePart<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TreePart")
            .field("range", &self.range)
            .field("latest", &self.latest())
            .field("nodes", &self.nodes.len())
            .finish_non_exhaustive()
    }
}

/// Up to twice this number of nodes, [`TreePart::load`] does not sweep: freeing them is not worth
/// the time.
const FEW_NODES: usize = 1 << 16;
