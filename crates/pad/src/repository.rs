//! The server's side across crashes: every accepted update is durable before it is acknowledged.
//!
//! The store holds the signed updates and, so that opening need not replay them all, a checkpoint.
//! Opening restores the checkpoint if its integrity digest is right, then replays what is newer;
//! replaying verifies each signature and recomputes each root, so a damaged update is never taken
//! for a good one. A damaged checkpoint costs a full replay, unless pruning has made it the only
//! copy.

use pad_core::{
    ApplyError, Key, LookupError, SignedHead, Suite, Update, UpdateHead, Version, Workers, codec,
};
use pad_tree::{ProvableQuery, TreeProof, TreeRepository};

use crate::{
    family::tree::TreeStore,
    store::{RecordChange, Store, StoredCheckpoint},
};

mod error;
mod recovery;
mod storable;

pub use error::RepositoryError;
pub(crate) use recovery::{integrity, replay, restore};
pub use storable::StorableRepository;

/// A repository `R` made durable by the store `D`.
///
/// ```
/// use ed25519_dalek::SigningKey;
/// use pad::{
///     AuthorKey, Dictionary, DictionaryId, DurableRepository, Key, RedBlackAuthor, RedbStore,
///     Sha256Ed25519, Value, Version, pad_tree::RedBlackPathCopying,
/// };
///
/// type Server = DurableRepository<RedBlackPathCopying<Sha256Ed25519>, RedbStore>;
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
/// let mut server = Server::open(store, author.authority())?;
/// server.apply(&author.snapshot()?)?;
/// drop(server);
///
/// let store = RedbStore::open(&path)?;
/// let server = Server::open(store, author.authority())?;
/// assert_eq!(server.latest(), Version::new(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DurableRepository<R: StorableRepository, D> {
    memory: R,
    setup: R::Setup,
    store: D,
    /// Updates that are applied and wait for [`DurableRepository::flush`], encoded.
    staged: Vec<Vec<u8>>,
    acknowledged: Version,
    /// The bytes of updates since the last checkpoint, and of that checkpoint.
    since_checkpoint: usize,
    checkpoint_bytes: usize,
}

impl<R: StorableRepository, D: Store> DurableRepository<R, D> {
    /// Opens the repository that a store holds; a new store holds an empty one.
    ///
    /// # Errors
    /// [`RepositoryError::DamagedUpdate`] or [`RepositoryError::Store`] if the store does not hold
    /// a whole repository of this setup; for a tree PAD that is the authority.
    pub fn open(store: D, setup: R::Setup) -> Result<Self, RepositoryError> {
        // Others may write meanwhile; checkpoint and updates must be of one state of the store.
        store.pin()?;
        let opened = Self::open_pinned(store, setup)?;
        opened.store.unpin();
        Ok(opened)
    }

    fn open_pinned(store: D, setup: R::Setup) -> Result<Self, RepositoryError> {
        let stored = store.checkpoint()?;
        let checkpoint_bytes = stored.as_ref().map_or(0, |stored| stored.bytes.len());
        let restored = stored.and_then(|stored| restore(&stored, &setup));
        let memory: R = restored.unwrap_or_else(|| R::new(&setup));
        let mut repository = Self {
            memory: memory.with_workers(Workers::all_cores()),
            setup,
            store,
            staged: Vec::new(),
            acknowledged: Version::EMPTY,
            since_checkpoint: 0,
            checkpoint_bytes,
        };
        repository.acknowledged = repository.store.latest()?;
        repository.since_checkpoint = replay(&mut repository.memory, &repository.store)?;
        Ok(repository)
    }

    /// Verifies an update and makes it the latest version, durably.
    ///
    /// # Errors
    /// [`RepositoryError::Refused`]: nothing is changed. [`RepositoryError::Store`]: the update
    /// stays staged, and [`DurableRepository::flush`] tries again.
    pub fn apply(
        &mut self,
        update: &Update<R::Suite, R::Attachment>,
    ) -> Result<Version, RepositoryError> {
        self.stage(update)?;
        self.flush(&[])
    }

    /// Verifies an update, given as a message, and makes it the latest version, durably. Its head is
    /// verified before its operations take memory.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`], and those of [`DurableRepository::apply`].
    pub fn apply_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError> {
        let unreadable = RepositoryError::Unreadable;
        let head = UpdateHead::<R::Suite>::peek::<R::Attachment>(update, update.len())
            .map_err(unreadable)?;
        let (expected, actual) = (self.memory.latest(), head.base);
        if expected != actual {
            let gap = ApplyError::VersionGap { expected, actual };
            return Err(RepositoryError::Refused(gap));
        }
        head.verify(self.memory.authority())
            .map_err(|error| RepositoryError::Refused(ApplyError::Head(error)))?;
        let update = codec::decode::<Update<R::Suite, R::Attachment>>(update, update.len());
        self.apply(&update.map_err(unreadable)?)
    }

    /// Verifies an update and applies it in memory; [`DurableRepository::flush`] makes it durable.
    ///
    /// # Errors
    /// [`RepositoryError::Refused`]: nothing is changed.
    pub fn stage(
        &mut self,
        update: &Update<R::Suite, R::Attachment>,
    ) -> Result<Version, RepositoryError> {
        let version = self
            .memory
            .apply(update)
            .map_err(RepositoryError::Refused)?;
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
            self.acknowledged = self.memory.latest();
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
        let bytes = codec::encode(&self.memory.checkpoint());
        let (version, oldest) = (self.memory.latest(), self.memory.oldest());
        let length = bytes.len();
        let digest = integrity::<R::Suite>(version, oldest, &bytes)
            .as_ref()
            .to_vec();
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
        self.memory.prune(oldest)?;
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
        self.memory.oldest()
    }

    /// The author's head of an acknowledged version.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    pub fn head(&self, version: Version) -> Result<SignedHead<R::Suite>, LookupError> {
        self.check_acknowledged(version)?;
        self.memory.head(version)
    }

    /// The proof of what an acknowledged version says about a key.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there; [`LookupError::NotDurable`] if a newer one waits
    /// for [`DurableRepository::flush`], and a proof could vouch for it.
    pub fn prove(&self, version: Version, key: &Key) -> Result<R::Proof, LookupError> {
        self.check_provable(version)?;
        self.memory.prove(version, key)
    }

    /// The number of entries of the latest version in memory.
    pub fn entries(&self) -> usize {
        self.memory.entries()
    }

    /// The repository in memory, which may be ahead of what is acknowledged: its proofs are not for
    /// others before [`DurableRepository::flush`].
    pub(crate) const fn memory(&self) -> &R {
        &self.memory
    }

    /// What the repository was made from.
    pub const fn setup(&self) -> &R::Setup {
        &self.setup
    }

    /// The store.
    pub const fn store(&self) -> &D {
        &self.store
    }

    /// The store, to be checked or compacted.
    pub const fn store_mut(&mut self) -> &mut D {
        &mut self.store
    }

    /// Refuses versions that are not acknowledged, and all of them while a proof could give away
    /// something about one that is not.
    ///
    /// An author that loses a staged version in a crash signs another one in its place. A superseding
    /// signature that had been made for the lost one would vouch for the wrong contents.
    pub(crate) fn check_provable(&self, version: Version) -> Result<(), LookupError> {
        self.check_acknowledged(version)?;
        let staged = self.memory.latest();
        if R::EVIDENCE_OUTLIVES_VERSION && staged > self.acknowledged {
            return Err(LookupError::NotDurable { version: staged });
        }
        Ok(())
    }

    pub(crate) fn check_acknowledged(&self, version: Version) -> Result<(), LookupError> {
        let latest = self.acknowledged;
        if version > latest {
            return Err(LookupError::UnknownVersion { version, latest });
        }
        Ok(())
    }
}

impl<S: Suite, St: TreeStore<S>, D: Store> DurableRepository<TreeRepository<S, St>, D> {
    /// Answers any query about an acknowledged version.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there or the query makes no sense.
    pub fn prove_query<Q: ProvableQuery>(
        &self,
        version: Version,
        query: &Q,
    ) -> Result<TreeProof<S, Q>, LookupError> {
        self.check_acknowledged(version)?;
        self.memory.prove_query(version, query)
    }

    /// The tree in memory, which may be ahead of what is acknowledged.
    pub const fn tree(&self) -> &TreeRepository<S, St> {
        &self.memory
    }
}

/// The bytes of updates that opening may always have to replay.
const LEAST_CHECKPOINT_DISTANCE: usize = 16 << 20;
