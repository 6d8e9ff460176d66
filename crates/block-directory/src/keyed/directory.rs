//! A server's memory: the blocks of the latest version, and the heads of all.

use pad_core::{
    ApplyError, HeadLog, Heads as _, Key, LookupError, Repository, SignedHead, Suite, Update,
    VerifyError, Version, head::Authority,
};
use pad_tree::{ProvableQuery, TreeProof};

use super::{
    BLOCK_TREE, block::Capacity, edit, error::KeyedError, record::BlockRecord, storage::Storage,
    tree::KeyedTree, view::View,
};

/// A server of a keyed directory. It holds no key, and nobody trusts it. It answers about its latest version only; older roots stay
/// provable by the heads.
///
/// Its blocks are in memory, or in a file ([`super::StoredBlocks`]).
#[derive(Clone, Debug)]
pub struct KeyedDirectory<S: Suite, B = KeyedTree<S>> {
    pub(super) blocks: B,
    heads: HeadLog<S>,
}

impl<S: Suite> KeyedDirectory<S> {
    /// A server without versions, for the updates of one author and directory.
    ///
    /// # Errors
    /// [`VerifyError::WrongScheme`] for an author of another scheme.
    pub fn new(authority: Authority) -> Result<Self, VerifyError> {
        Self::with_capacity(authority, Capacity::BLOCK_TREE)
    }

    /// The same with blocks of another capacity, to test the algorithm with: no scheme has them.
    ///
    /// # Errors
    /// As [`KeyedDirectory::new`].
    pub fn with_capacity(authority: Authority, capacity: Capacity) -> Result<Self, VerifyError> {
        check_scheme(&authority)?;
        Ok(Self::empty(authority, capacity))
    }

    /// A server without versions; the scheme is the right one.
    pub(super) fn empty(authority: Authority, capacity: Capacity) -> Self {
        Self {
            blocks: KeyedTree::new(capacity),
            heads: HeadLog::new(authority),
        }
    }

    /// A server of blocks that somebody else kept, once all of them are checked.
    ///
    /// `heads` are verified already, or one's own. Later shapes may differ from the author's if a separator does, within the gap that
    /// it is in: then updates are refused, and all of them have to be replayed.
    ///
    /// Time: everything is hashed once.
    ///
    /// # Errors
    /// [`KeyedError::Damaged`]; [`ApplyError::RootMismatch`] if the blocks do not have the latest root, [`ApplyError::Head`] for heads of
    /// another scheme.
    pub fn restore(
        heads: HeadLog<S>,
        top: Option<u64>,
        blocks: impl IntoIterator<Item = (u64, BlockRecord<S>)>,
    ) -> Result<Self, KeyedError> {
        check_scheme(heads.authority()).map_err(ApplyError::Head)?;
        let blocks = KeyedTree::from_records(Capacity::BLOCK_TREE, top, blocks)?;
        if blocks.root() != latest_root(&heads) {
            return Err(ApplyError::RootMismatch.into());
        }
        Ok(Self { blocks, heads })
    }
}

impl<S: Suite, B: Storage<S>> KeyedDirectory<S, B> {
    /// The directory of these blocks, which have the latest root.
    pub(super) const fn of_parts(blocks: B, heads: HeadLog<S>) -> Self {
        Self { blocks, heads }
    }

    /// The heads of all versions, which prove how they continue each other.
    pub const fn heads(&self) -> &HeadLog<S> {
        &self.heads
    }

    /// The blocks of the latest version.
    pub const fn contents(&self) -> &B {
        &self.blocks
    }

    /// Verifies an update and makes it the latest version.
    ///
    /// # Errors
    /// [`KeyedError`]; the directory is then as it was, unless the medium failed: then it does nothing any more.
    pub fn apply(&mut self, update: &Update<S>) -> Result<Version, KeyedError> {
        self.heads.check(update.base, &update.head)?;
        let edited = edit::plan(&self.blocks, &update.operations)?;
        if edited.root.digest() != update.head.head.root {
            return Err(ApplyError::RootMismatch.into());
        }
        self.blocks.commit(edited, update)?;
        self.heads.append(&update.head);
        Ok(self.heads.latest())
    }

    /// The proof of the answer to a question about a version, which has to be the latest.
    ///
    /// # Errors
    /// [`KeyedError`]: [`LookupError`] if the version is not there or the question makes no sense; a block cannot be read.
    pub fn prove_query<Q: ProvableQuery>(
        &self,
        version: Version,
        query: &Q,
    ) -> Result<TreeProof<S, Q>, KeyedError> {
        require_latest(&self.heads, version)?;
        pad_tree::prove(View::new(&self.blocks), query)
    }
}

pub(super) fn check_scheme(authority: &Authority) -> Result<(), VerifyError> {
    if authority.scheme == BLOCK_TREE {
        return Ok(());
    }
    Err(VerifyError::WrongScheme {
        expected: BLOCK_TREE.0,
        actual: authority.scheme.0,
    })
}

/// The root that the latest head has; that of no entries before the first.
pub(super) fn latest_root<S: Suite>(heads: &HeadLog<S>) -> S::Digest {
    heads
        .latest_head()
        .map_or_else(S::empty_tree, |signed| signed.head.root)
}

/// Blocks are changed in place: older versions are gone.
fn require_latest<S: Suite>(heads: &HeadLog<S>, version: Version) -> Result<(), LookupError> {
    heads.require(version)?;
    let oldest = heads.latest();
    if version < oldest {
        return Err(LookupError::Pruned { version, oldest });
    }
    Ok(())
}

impl<S: Suite, B: Storage<S>> Repository for KeyedDirectory<S, B> {
    type Suite = S;
    type Attachment = ();
    type Query = Key;
    type Proof = TreeProof<S, Key>;

    fn latest(&self) -> Version {
        self.heads.latest()
    }

    /// The latest: blocks are changed in place.
    fn oldest(&self) -> Version {
        self.heads.latest()
    }

    fn apply(&mut self, update: &Update<S>) -> Result<Version, ApplyError> {
        Ok(Self::apply(self, update)?)
    }

    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.heads.head(version)
    }

    fn prove(&self, version: Version, key: &Key) -> Result<TreeProof<S, Key>, LookupError> {
        Ok(self.prove_query(version, key)?)
    }
}
