//! A part of a tree PAD: the keys of a range alone, taken from proofs and never from updates.
//!
//! Its state of a version is what the proof of the range contains: the nodes that a search in the range may read, and the digests of the
//! children that it does not read. A proof of another server that shows these nodes verifies against the root that the author has signed, or
//! it is refused; so a part holds nothing that the author did not sign, wherever it came from. What is proved from it is, to the byte, what a
//! repository of the whole tree proves: the opened leaves determine a proof.
//!
//! Nodes are kept by their digests. Equal digests are equal subtrees, so what two versions have in common is there once.
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
    ApplyError, HeadLog, Key, KeyRange, Keys, LookupError, Operation, SignedHead, SnapshotHead,
    Suite, Untrusted, Update, Verified, VerifyError, Version, head::Authority,
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
pub use walk::Disordered;

/// The keys of a range of some consecutive versions of a tree PAD, of whichever balancing scheme.
///
/// It follows the author's heads, and has the contents of a version loaded from the proofs of whoever has them:
/// [`TreePart::load`], then what [`TreePart::progress`] says is missing, until nothing is.
///
/// Space: for each version, the nodes that it does not share with others, and so for a change in the range `O(log n)`; a root and a
/// signature for each head.
pub struct TreePart<S: Suite> {
    range: KeyRange,
    heads: HeadLog<S>,
    nodes: Nodes<S>,
    /// The roots of the versions that are kept, one after the other without gaps; at least one.
    roots: BTreeMap<Version, S::Digest>,
    /// The head of the version that is being loaded.
    loading: Option<Verified<SnapshotHead<S>>>,
    /// Whether something may be here that only versions have which were not loaded to their ends.
    has_strays: bool,
    /// The number of nodes after everything that no version reaches was freed last.
    swept: usize,
}

/// How far a version is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum PartProgress {
    /// All that is missing, or something of it, is in the proof of this range; less of it may do.
    Missing(KeyRange),
    /// The version is kept now.
    Kept(Version),
}

/// A part does not take something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// The range can hold no key.
    #[error("the range of keys is empty")]
    EmptyRange,
    /// No version is being loaded.
    #[error("no version is being loaded")]
    NotLoading,
    /// The version to be loaded is not after the ones that are kept.
    #[error("version {version} is not after version {latest}, which is kept")]
    NotAfter {
        /// The version to be loaded.
        version: Version,
        /// The latest that is kept.
        latest: Version,
    },
    /// The question is about other keys.
    #[error("the question is not about the keys that are kept")]
    Outside,
    /// The proof is refused.
    #[error(transparent)]
    Refused(#[from] VerifyError),
    /// No head is known of the version.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// What the author has signed is no tree.
    #[error(transparent)]
    Disordered(#[from] Disordered),
}

impl<S: Suite> TreePart<S> {
    /// The part that has the keys of this range, of one author's dictionary. It has the empty version.
    ///
    /// # Errors
    /// [`PartError::EmptyRange`].
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

    /// The keys that are kept.
    pub const fn range(&self) -> &KeyRange {
        &self.range
    }

    /// The heads that are known, which may be of newer versions than the contents.
    pub const fn heads(&self) -> &HeadLog<S> {
        &self.heads
    }

    /// The latest version of which the contents are kept.
    pub fn latest(&self) -> Version {
        let latest = self.roots.last_key_value();
        latest.map_or(Version::EMPTY, |(version, _)| *version)
    }

    /// The oldest one.
    pub fn oldest(&self) -> Version {
        let oldest = self.roots.first_key_value();
        oldest.map_or(Version::EMPTY, |(version, _)| *version)
    }

    /// The version that is being loaded.
    pub fn loading(&self) -> Option<Version> {
        self.loading.as_ref().map(|head| head.get().version)
    }

    /// The number of nodes, over all versions.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The bytes of memory that nodes and heads take, about.
    pub fn memory_bytes(&self) -> usize {
        self.nodes
            .memory_bytes()
            .saturating_add(self.heads.memory_bytes())
    }

    /// Appends the head of the next version.
    ///
    /// # Errors
    /// [`ApplyError`] if it is not the next one, or not the author's.
    pub fn follow_head(&mut self, head: &SignedHead<S>) -> Result<Version, ApplyError> {
        self.heads.check(self.heads.latest(), head)?;
        self.heads.append(head);
        Ok(self.heads.latest())
    }

    /// Appends the head of the next version, which an update leads to; the keys of the range that it says have changed, in ascending order.
    ///
    /// Nothing shows that it names all of them: what [`TreePart::progress`] finds missing does.
    ///
    /// # Errors
    /// As [`TreePart::follow_head`]; [`ApplyError::VersionGap`].
    pub fn follow(&mut self, update: &Update<S>) -> Result<Vec<Key>, ApplyError> {
        self.heads.check(update.base, &update.head)?;
        self.heads.append(&update.head);
        Ok(self.changed_keys(update))
    }

    /// The keys of the range that an update says have changed, in ascending order. Nothing of it is checked.
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

    /// Begins to load a version of which the head is known, later than all that are kept. What was loaded of another one stays until the
    /// next one is kept, and longer where that has it too.
    ///
    /// # Errors
    /// [`PartError::NotAfter`], [`PartError::Lookup`], [`PartError::Refused`].
    pub fn load(&mut self, version: Version) -> Result<(), PartError> {
        let latest = self.latest();
        if version <= latest {
            return Err(PartError::NotAfter { version, latest });
        }
        let head = Untrusted::new(self.heads.head(version)?);
        let verified = head.verify(self.heads.authority(), &version)?;
        let abandoned = self.loading.replace(verified);
        // Who signs faster than anybody can load does not fill the memory.
        if self.has_strays && self.nodes.len() > self.swept.max(FEW_NODES).saturating_mul(2) {
            self.sweep();
        }
        self.has_strays |= abandoned.is_some_and(|other| other.get().version != version);
        Ok(())
    }

    /// Takes the proof of a range of keys of the version that is being loaded.
    ///
    /// Time: that of its check.
    ///
    /// # Errors
    /// [`PartError`]; nothing was taken.
    pub fn take_range(
        &mut self,
        range: &KeyRange,
        proof: Untrusted<TreeProof<S, KeyRange>>,
    ) -> Result<(), PartError> {
        self.take(range, proof)
    }

    /// The same of several keys.
    ///
    /// # Errors
    /// [`PartError`]; nothing was taken.
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
        let shown = shown.into_nodes();
        self.nodes.take(shown);
        Ok(())
    }

    /// What is missing of the version that is being loaded; the version is kept if nothing is. Versions before it are dropped, unless they
    /// are those right before it.
    ///
    /// Time: the nodes that were taken since, and two paths.
    ///
    /// # Errors
    /// [`PartError::NotLoading`], [`PartError::Disordered`].
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

    /// Drops the contents of all versions before this one; their heads stay.
    ///
    /// Time and transient memory: linear in what is kept.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    pub fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        self.root(oldest)?;
        self.roots = self.roots.split_off(&oldest);
        self.sweep();
        Ok(())
    }

    /// Frees what was loaded of versions that were not loaded to their ends, and neither a kept one nor the one that is being loaded has.
    ///
    /// Time and transient memory: linear in what is kept, if there is anything to be freed.
    pub fn drop_abandoned(&mut self) {
        if self.has_strays {
            self.sweep();
        }
    }

    /// Frees the nodes that no version reaches.
    fn sweep(&mut self) {
        self.has_strays = false;
        let loading = self.loading.as_ref().map(|head| head.get().root);
        let roots = self.roots.values().copied().chain(loading);
        self.nodes.keep_reached(roots);
        self.swept = self.nodes.len();
    }

    /// The proof for one key.
    ///
    /// # Errors
    /// As [`TreePart::prove_query`].
    pub fn prove(&self, version: Version, key: &Key) -> Result<TreeProof<S, Key>, LookupError> {
        self.prove_query(version, key)
    }

    /// Answers any query about the keys of the range, in a version: with the proof that the whole tree has.
    ///
    /// Time: one search for each key or end of a range, and one digest for each level below.
    ///
    /// # Errors
    /// [`LookupError::NotKept`] if the answer depends on other keys; [`LookupError`] if the version is not there or the query makes no sense.
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
        // The leaves beside the range are here without their values, most of the time.
        let shows_others = proof.leaves.iter().any(|leaf| {
            matches!(leaf.content, Content::Value(_)) && !self.range.contains(leaf.key.as_bytes())
        });
        if lacks_value.get() || shows_others {
            return Err(LookupError::NotKept);
        }
        Ok(proof)
    }

    /// The beginning of a range of a version that has at most so many bytes, so that all of it can be asked for in pages. A page ends where the
    /// part does, though it may have no entry then.
    ///
    /// Time: one search, and the entries of the page.
    ///
    /// # Errors
    /// [`LookupError::NotKept`] if the range begins elsewhere; [`LookupError`] if the version is not there.
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
        // One that can hold no key is answered as anywhere else.
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
        let root = self.root(version)?;
        Ok(PartView::new(&self.nodes, root, lacks_value))
    }

    /// The root of a version that is kept.
    fn root(&self, version: Version) -> Result<S::Digest, LookupError> {
        let missing = || {
            let (oldest, latest) = (self.oldest(), self.latest());
            if version < oldest {
                LookupError::Pruned { version, oldest }
            } else {
                LookupError::UnknownVersion { version, latest }
            }
        };
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

/// So many nodes are not worth to be looked through for those that no version reaches.
const FEW_NODES: usize = 1 << 16;
