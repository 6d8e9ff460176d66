//! Repositories and authors whose suite, scheme and node store are chosen by name at run time.
//!
//! Each of the choices is a type, so a store's records say which type to make; the code exists
//! once, for all of them.

use core::marker::PhantomData;
use std::path::Path;

use pad_core::{
    Blake3Ed25519, Key, LookupError, Operation, Paper2010, Sha256Ed25519, Suite, Version,
};
use pad_tree::{BalancingScheme, Change, NodeStore, TreeRepository, for_each_tree};

use crate::{
    author::{AuthorError, DurableAuthor},
    check::{CheckError, Checked},
    keys::{PublicKey, SecretKey},
    question::{HeadText, Question},
    repository::{DurableRepository, RepositoryError, TreeStore},
    selection::{RepositoryName, SuiteName},
    store::{RecordChange, Store, StoreError, redb_store::RedbStore},
};

mod durable;

/// What a store says that it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// What clients are told. Taken from the store, it is worth what the store is worth.
    pub public: PublicKey,
    /// How the server keeps all versions.
    pub repository: RepositoryName,
}

impl Description {
    /// Makes a new store for this dictionary.
    ///
    /// # Errors
    /// [`StoreError::Exists`]; [`StoreError`] of the medium.
    pub fn create(&self, path: &Path) -> Result<(), StoreError> {
        let public = RecordChange::put(PUBLIC_KEY_RECORD, self.public.to_text());
        let repository = RecordChange::put(REPOSITORY_RECORD, self.repository.name());
        RedbStore::create(path, &[public, repository]).map(drop)
    }

    /// Reads the description in a store.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn read(store: &impl Store) -> Result<Self, StoreError> {
        let text = |name: &[u8]| -> Result<Option<String>, StoreError> {
            let found = store
                .records(name)?
                .into_iter()
                .find(|(found, _)| found == name);
            Ok(found.and_then(|(_, value)| String::from_utf8(value).ok()))
        };
        let public = text(PUBLIC_KEY_RECORD)?.and_then(|text| PublicKey::from_text(&text).ok());
        let repository = text(REPOSITORY_RECORD)?.and_then(|name| name.parse().ok());
        match (public, repository) {
            (Some(public), Some(repository)) => Ok(Self { public, repository }),
            _ => Err(StoreError::Damaged(
                "it does not say which dictionary it holds",
            )),
        }
    }
}

/// A durable repository of any suite, scheme and node store.
pub trait AnyRepository {
    /// What the store says that it holds.
    ///
    /// # Errors
    /// [`StoreError`].
    fn description(&self) -> Result<Description, StoreError>;
    /// The latest version.
    fn latest(&self) -> Version;
    /// The oldest version that can be asked about.
    fn oldest(&self) -> Version;
    /// The number of entries of the latest version.
    fn entries(&self) -> usize;
    /// The bytes of memory that contents, heads and history take.
    fn memory_bytes(&self) -> usize;
    /// The author's head of a version.
    ///
    /// # Errors
    /// [`LookupError`].
    fn head(&self, version: Version) -> Result<HeadText, LookupError>;
    /// The author's head of a version as a message, a [`pad_core::SignedHead`].
    ///
    /// # Errors
    /// [`LookupError`].
    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError>;
    /// The proof that a newer head continues an older one, as a message.
    ///
    /// # Errors
    /// [`LookupError`].
    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError>;
    /// The answer to a question, as the message of a [`crate::Bundle`].
    ///
    /// # Errors
    /// [`LookupError`].
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, LookupError>;
    /// The proof in the answer to a look-up, without the head, as the body of a message.
    ///
    /// # Errors
    /// [`LookupError`].
    fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError>;
    /// The versions in which a key changed, without proof that none is missing.
    fn history(&self, key: &Key) -> Vec<Version>;
    /// The keys that differ between two versions, without proof.
    ///
    /// # Errors
    /// [`LookupError`].
    fn diff(&self, before: Version, after: Version) -> Result<Vec<Change>, LookupError>;
    /// Verifies an update, given as a message, and makes it the latest version, durably.
    ///
    /// # Errors
    /// [`RepositoryError::Unreadable`], [`RepositoryError::Refused`]: nothing is changed.
    fn apply_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError>;
    /// Drops all versions before one.
    ///
    /// # Errors
    /// [`RepositoryError`].
    fn prune(&mut self, oldest: Version) -> Result<(), RepositoryError>;
    /// Stores the repository as it is.
    ///
    /// # Errors
    /// [`RepositoryError`].
    fn checkpoint(&mut self) -> Result<(), RepositoryError>;
    /// Checks the whole store.
    ///
    /// # Errors
    /// [`CheckError`].
    fn check(&mut self) -> Result<Checked, CheckError>;
    /// The store.
    fn store(&self) -> &RedbStore;
    /// The store, to be written to.
    fn store_mut(&mut self) -> &mut RedbStore;
}

/// A durable author of any suite, scheme and node store.
pub trait AnyAuthor {
    /// The repository.
    fn repository(&self) -> &dyn AnyRepository;
    /// The repository, to be checkpointed or pruned.
    fn repository_mut(&mut self) -> &mut dyn AnyRepository;
    /// Takes a snapshot of a batch in memory.
    ///
    /// # Errors
    /// [`AuthorError`].
    fn stage(&mut self, batch: Vec<Operation>) -> Result<Version, AuthorError>;
    /// Makes all staged snapshots and these records durable, all or nothing.
    ///
    /// # Errors
    /// [`AuthorError`].
    fn flush(&mut self, records: &[RecordChange]) -> Result<Version, AuthorError>;
}

/// Opens the repository in a store.
///
/// # Errors
/// [`RepositoryError`].
pub fn open_repository(path: &Path) -> Result<Box<dyn AnyRepository>, RepositoryError> {
    let store = RedbStore::open(path)?;
    let description = Description::read(&store)?;
    match description.public.suite {
        SuiteName::Sha256Ed25519 => repository_in::<Sha256Ed25519>(store, description),
        SuiteName::Blake3Ed25519 => repository_in::<Blake3Ed25519>(store, description),
        SuiteName::Paper2010 => repository_in::<Paper2010>(store, description),
    }
}

/// Opens a store as its author.
///
/// # Errors
/// [`RepositoryError::Store`] with [`StoreError::Damaged`] also if the key is not of this store;
/// callers compare [`Description::public`] first to say so.
pub fn open_author(path: &Path, key: &SecretKey) -> Result<Box<dyn AnyAuthor>, RepositoryError> {
    let store = RedbStore::open(path)?;
    let description = Description::read(&store)?;
    if description.public != *key.public() {
        return Err(StoreError::Damaged("the key is of another dictionary").into());
    }
    match description.public.suite {
        SuiteName::Sha256Ed25519 => author_in::<Sha256Ed25519>(store, description, key),
        SuiteName::Blake3Ed25519 => author_in::<Blake3Ed25519>(store, description, key),
        SuiteName::Paper2010 => author_in::<Paper2010>(store, description, key),
    }
}

fn repository_in<S: Suite>(
    store: RedbStore,
    description: Description,
) -> Result<Box<dyn AnyRepository>, RepositoryError> {
    macro_rules! try_tree {
        ($name:ident, $scheme:ty, $($repository:tt)+) => {
            if let Some(kind) = Kind::<$($repository)+<S>>::matching(&description) {
                return Ok(Box::new(kind.open(store, description)?));
            }
        };
    }
    for_each_tree!(try_tree);
    Err(StoreError::Damaged("it holds an unknown kind of repository").into())
}

fn author_in<S: Suite>(
    store: RedbStore,
    description: Description,
    key: &SecretKey,
) -> Result<Box<dyn AnyAuthor>, RepositoryError> {
    macro_rules! try_tree {
        ($name:ident, $scheme:ty, $($repository:tt)+) => {
            if let Some(kind) = Kind::<$($repository)+<S>>::matching(&description) {
                let repository = kind.open(store, description)?;
                return Ok(Box::new(DurableAuthor::resume(repository, key.signer())));
            }
        };
    }
    for_each_tree!(try_tree);
    Err(StoreError::Damaged("it holds an unknown kind of repository").into())
}

/// One of the kinds of repositories, as a value from which its node store is inferred.
struct Kind<R>(PhantomData<R>);

impl<S: Suite, St: TreeStore<S>> Kind<TreeRepository<S, St>> {
    fn matching(description: &Description) -> Option<Self> {
        let scheme = <<St as NodeStore>::Scheme as BalancingScheme>::ID;
        let matches =
            description.public.scheme.id() == scheme && description.repository.name() == St::NAME;
        matches.then_some(Self(PhantomData))
    }

    #[allow(
        clippy::unused_self,
        reason = "the value says which node store is meant"
    )]
    fn open(
        self,
        store: RedbStore,
        description: Description,
    ) -> Result<DurableRepository<S, St, RedbStore>, RepositoryError> {
        DurableRepository::open(store, description.public.authority)
    }
}

const PUBLIC_KEY_RECORD: &[u8] = b"public-key";
const REPOSITORY_RECORD: &[u8] = b"repository";
