//! Repositories and authors whose suite, scheme and kind of repository are chosen by name at run
//! time.
//!
//! Each of the choices is a type, so a store's records say which type to make; the code exists
//! once, for all of them.

use std::path::Path;

use pad_core::{Key, LookupError, Operation, Untrusted, Version};
use pad_tree::{Change, KeyHistory};

use crate::{
    answering::AnswerError,
    author::AuthorError,
    check::{CheckError, Checked},
    family,
    keys::{PublicKey, SecretKey},
    question::{HeadText, Question},
    repository::RepositoryError,
    selection::{RepositoryName, with_suite},
    signing_record::SigningRecord,
    store::{RecordChange, Store, StoreError, redb_store::RedbStore},
};

mod durable;

/// What a store says that it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        let public = RecordChange::put(PUBLIC_KEY_GROUP, "", self.public.to_text());
        let repository = RecordChange::put(REPOSITORY_GROUP, "", self.repository.name());
        RedbStore::create(path, &[public, repository]).map(drop)
    }

    /// Reads the description in a store.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn read(store: &impl Store) -> Result<Self, StoreError> {
        let text = |group| -> Result<Option<String>, StoreError> {
            let found = store.records(group)?.pop();
            Ok(found.and_then(|(_, value)| String::from_utf8(value).ok()))
        };
        let public = text(PUBLIC_KEY_GROUP)?.and_then(|text| PublicKey::from_text(&text).ok());
        let repository = text(REPOSITORY_GROUP)?.and_then(|name| name.parse().ok());
        match (public, repository) {
            (Some(public), Some(repository)) => Ok(Self { public, repository }),
            _ => Err(StoreError::Damaged(
                "it does not say which dictionary it holds",
            )),
        }
    }
}

/// A durable repository of any suite, scheme and kind.
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
    /// What the head of a newer version says about an older version, each as the body of a
    /// [`pad_core::contradiction::Past`]: for [`crate::client_view::StoredView::accuse`].
    ///
    /// # Errors
    /// [`LookupError`].
    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, LookupError>;
    /// The answer to a question, as the message of a [`crate::Bundle`].
    ///
    /// # Errors
    /// [`AnswerError`].
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError>;
    /// The proof in the answer to a look-up, without the head, as the body of a message.
    ///
    /// # Errors
    /// [`LookupError`].
    fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError>;
    /// The versions in which a key changed, without proof that none is missing.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, AnswerError>;
    /// The keys that differ between two versions, without proof.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn diff(&self, before: Version, after: Version) -> Result<Untrusted<Vec<Change>>, AnswerError>;
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

/// A durable author of any suite, scheme and kind.
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
    let (store, description) = described(path)?;
    with_suite!(description.public.suite, S => family::open_repository::<S>(store, &description))
}

/// Opens a store as its author, who remembers in `record` what was handed out.
///
/// # Errors
/// [`AuthorError::Repository`] with [`StoreError::Damaged`] also if the key is not of this store;
/// callers compare [`Description::public`] first to say so.
pub fn open_author(
    path: &Path,
    key: &SecretKey,
    record: SigningRecord,
) -> Result<Box<dyn AnyAuthor>, AuthorError> {
    let (store, description) = described(path)?;
    if description.public != *key.public() {
        let other = StoreError::Damaged("the key is of another dictionary");
        return Err(RepositoryError::from(other).into());
    }
    with_suite!(description.public.suite, S => {
        family::open_author::<S>(store, &description, key, record)
    })
}

fn described(path: &Path) -> Result<(RedbStore, Description), RepositoryError> {
    let store = RedbStore::open(path)?;
    let description = Description::read(&store)?;
    Ok((store, description))
}

const PUBLIC_KEY_GROUP: &str = "public-key";
const REPOSITORY_GROUP: &str = "repository";
