//! The server's side across crashes: every accepted update is durable before it is acknowledged.
//!
//! The store holds the signed updates and, so that opening need not replay them all, a checkpoint.
//! Opening restores the checkpoint if its integrity digest is right, then replays what is newer;
//! replaying verifies each signature and recomputes each root, so a damaged update is never taken
//! for a good one. A damaged checkpoint costs a full replay, unless pruning has made it the only
//! copy.

use core::fmt;

use pad_core::{
    LookupError, Repository, SignedHead, Suite, Update, Version, Workers, codec, head::Authority,
};
use pad_tree::{Authenticated, NodeStore, TreeProof, TreeQuery, TreeRepository, VersionedStore};
use serde::{Serialize, de::DeserializeOwned};

use crate::store::{RecordChange, Store, StoredCheckpoint};

/// A store of tree nodes that can be kept in a checkpoint; each store of `pad-tree` is one.
pub trait TreeStore<S: Suite>:
    VersionedStore
    + NodeStore<Annotation = Authenticated<S>>
    + fmt::Debug
    + Clone
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
}

impl<S: Suite, St> TreeStore<S> for St where
    St: VersionedStore
        + NodeStore<Annotation = Authenticated<S>>
        + fmt::Debug
        + Clone
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

mod error;
mod recovery;

pub use error::RepositoryError;
pub(crate) use recovery::{integrity, replay, restore};

/// A repository of a tree PAD with nodes in `St`, made durable by `D`.
///
/// ```
/// use ed25519_dalek::SigningKey;
/// use pad::{
///     Authenticated, AuthorKey, Dictionary, DictionaryId, DurableRepository, Key, PathCopying,
///     RedBlack, RedBlackAuthor, RedbStore, Sha256Ed25519, Value, Version,
/// };
///
/// type Nodes = PathCopying<Authenticated<Sha256Ed25519>, RedBlack>;
///
/// let signer = SigningKey::from_bytes(&[7; 32]);
/// let public = AuthorKey::from_bytes(&signer.verifying_key().to_bytes())?;
/// let id = DictionaryId::from_name("prices");
/// let mut author = RedBlackAuthor::<Sha256Ed25519, _>::new(id, public, signer);
/// author.put(Key::try_from("apple")?, Value::try_from("3")?);
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("prices.pad");
/// let store = RedbStore::create(&path, &[])?;
/// let mut server = DurableRepository::<_, Nodes, _>::open(store, author.authority())?;
/// server.apply(&author.snapshot()?)?;
/// drop(server);
///
/// let store = RedbStore::open(&path)?;
/// let server = DurableRepository::<Sha256Ed25519, Nodes, _>::open(store, author.authority())?;
/// assert_eq!(server.latest(), Version::new(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DurableRepository<S: Suite, St: VersionedStore, D> {
    tree: TreeRepository<S, St>,
    store: D,
    /// Updates that are applied and wait for [`DurableRepository::flush`], encoded.
    staged: Vec<Vec<u8>>,
    acknowledged: Version,
    /// The bytes of updates since the last checkpoint, and of that checkpoint.
    since_checkpoint: usize,
    checkpoint_bytes: usize,
}

impl<S: Suite, St: TreeStore<S>, D: Store> DurableRepository<S, St, D> {
    /// Opens the repository that a store holds; a new store holds an empty one.
    ///
    /// # Errors
    /// [`RepositoryError::DamagedUpdate`] or [`RepositoryError::Store`] if the store does not hold
    /// a whole repository of this authority.
    pub fn open(store: D, authority: Authority) -> Result<Self, RepositoryError> {
        let stored = store.checkpoint()?;
        let checkpoint_bytes = stored.as_ref().map_or(0, |stored| stored.bytes.len());
        let restored = stored.and_then(|stored| restore(&stored, &authority));
        let tree = restored.unwrap_or_else(|| TreeRepository::new(authority));
        let tree = tree.with_workers(Workers::all_cores());
        let mut repository = Self {
            tree,
            store,
            staged: Vec::new(),
            acknowledged: Version::EMPTY,
            since_checkpoint: 0,
            checkpoint_bytes,
        };
        repository.acknowledged = repository.store.latest()?;
        repository.since_checkpoint = replay(&mut repository.tree, &repository.store)?;
        Ok(repository)
    }

    /// Verifies an update and makes it the latest version, durably.
    ///
    /// # Errors
    /// [`RepositoryError::Refused`]: nothing is changed. [`RepositoryError::Store`]: the update
    /// stays staged, and [`DurableRepository::flush`] tries again.
    pub fn apply(&mut self, update: &Update<S>) -> Result<Version, RepositoryError> {
        self.stage(update)?;
        self.flush(&[])
    }

    /// Verifies an update and applies it in memory; [`DurableRepository::flush`] makes it durable.
    ///
    /// # Errors
    /// [`RepositoryError::Refused`]: nothing is changed.
    pub fn stage(&mut self, update: &Update<S>) -> Result<Version, RepositoryError> {
        let version = self.tree.apply(update).map_err(RepositoryError::Refused)?;
        self.staged.push(codec::encode(update));
        Ok(version)
    }

    /// Makes all staged updates and these records durable, all or nothing, and returns the version
    /// that is thereby acknowledged.
    ///
    /// # Errors
    /// [`RepositoryError::Store`]: the updates stay staged. Whether the store has them, only
    /// opening it anew tells.
    pub fn flush(&mut self, records: &[RecordChange]) -> Result<Version, RepositoryError> {
        if !self.staged.is_empty() || !records.is_empty() {
            let first = Version::new(self.acknowledged.number().saturating_add(1));
            self.store.publish(first, &self.staged, records)?;
            self.since_checkpoint += self.staged.iter().map(Vec::len).sum::<usize>();
            self.acknowledged = self.tree.latest();
            self.staged.clear();
        }
        // Checkpoints that double the distance cost as much as the updates do, all together.
        if self.since_checkpoint > self.checkpoint_bytes.max(LEAST_CHECKPOINT_DISTANCE) {
            // The updates are durable already, so a failure here is none of theirs: the next opening
            // replays more, and the next flush tries again.
            drop(self.checkpoint());
        }
        Ok(self.acknowledged)
    }

    /// Stores the repository as it is, so that the next opening has nothing to replay.
    ///
    /// # Errors
    /// [`RepositoryError::Store`].
    pub fn checkpoint(&mut self) -> Result<(), RepositoryError> {
        if !self.staged.is_empty() {
            self.flush(&[])?;
        }
        let bytes = codec::encode(&self.tree.checkpoint());
        let (version, oldest) = (self.tree.latest(), self.tree.oldest());
        let length = bytes.len();
        let digest = integrity::<S>(version, oldest, &bytes).as_ref().to_vec();
        self.store.put_checkpoint(&StoredCheckpoint {
            version,
            oldest,
            digest,
            bytes,
        })?;
        self.checkpoint_bytes = length;
        self.since_checkpoint = 0;
        Ok(())
    }

    /// Drops the contents of all versions before `oldest`, and gives their space back.
    ///
    /// # Errors
    /// [`RepositoryError::Lookup`] if the version is not there; [`RepositoryError::Store`].
    pub fn prune(&mut self, oldest: Version) -> Result<(), RepositoryError> {
        self.check_acknowledged(oldest)?;
        self.tree.prune(oldest)?;
        self.checkpoint()?;
        self.store.compact()?;
        Ok(())
    }

    /// The latest acknowledged version.
    pub const fn latest(&self) -> Version {
        self.acknowledged
    }

    /// The oldest version that can be asked about.
    pub fn oldest(&self) -> Version {
        self.tree.oldest()
    }

    /// The author's head of an acknowledged version.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    pub fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.check_acknowledged(version)?;
        self.tree.head(version)
    }

    /// Answers a query about an acknowledged version.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there or the query makes no sense.
    pub fn prove<Q: TreeQuery>(
        &self,
        version: Version,
        query: &Q,
    ) -> Result<TreeProof<S, Q>, LookupError> {
        self.check_acknowledged(version)?;
        self.tree.prove_query(version, query)
    }

    /// The repository in memory, which may be ahead of what is acknowledged.
    pub const fn tree(&self) -> &TreeRepository<S, St> {
        &self.tree
    }

    /// The store.
    pub const fn store(&self) -> &D {
        &self.store
    }

    /// The store, to be checked or compacted.
    pub const fn store_mut(&mut self) -> &mut D {
        &mut self.store
    }

    fn check_acknowledged(&self, version: Version) -> Result<(), LookupError> {
        let latest = self.acknowledged;
        if version > latest {
            return Err(LookupError::UnknownVersion { version, latest });
        }
        Ok(())
    }
}

/// The bytes of updates that opening may always have to replay.
const LEAST_CHECKPOINT_DISTANCE: usize = 16 << 20;
