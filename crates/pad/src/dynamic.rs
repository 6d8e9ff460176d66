//! Repositories and authors whose suite, scheme and kind of repository are chosen by name at run
//! time.
//!
//! Each of the choices is a type; a store's records say which. What is made of it is a
//! `dyn OfferedRepository`, so everything around it is compiled once.

use std::path::Path;

use pad_core::{DecodeError, Version};

use crate::{
    author::{AuthorError, HostedAuthor, RecordedAuthor},
    family,
    hosted::HostedRepository,
    keys::{PublicKey, SecretKey},
    question::{Question, Refusal, Statement},
    repository::{Durable, RepositoryError},
    selection::{RepositoryName, with_suite},
    signing_record::SigningRecord,
    store::{RecordChange, Store, StoreError, redb_store::RedbStore},
};

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

/// A repository of a family that an author can go on with, given a key file.
pub trait OfferedRepository: HostedRepository {
    /// The author who goes on where the repository stands.
    ///
    /// # Errors
    /// [`AuthorError`] if the key is not of the repository's scheme.
    fn resume(&self, key: &SecretKey) -> Result<Box<dyn HostedAuthor>, AuthorError>;
}

/// A client of any suite and scheme, who trusts a public key and nothing else.
pub trait AnyClient {
    /// What an answer, the message of a [`pad_core::Response`], establishes about this version.
    ///
    /// # Errors
    /// [`Refusal`].
    fn check_at(
        &self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal>;
}

/// The client who trusts this public key.
///
/// Time: what it takes to check the scheme's own key, which is long for accumulators.
///
/// # Errors
/// [`Refusal::Decode`] if the scheme's own key is not one.
pub fn client(public: &PublicKey) -> Result<Box<dyn AnyClient>, Refusal> {
    let client = with_suite!(public.suite, S => family::client::<S>(public));
    client.ok_or(Refusal::Decode(DecodeError::Malformed))
}

/// A durable repository of any suite, scheme and kind.
pub type AnyRepository = Durable<dyn OfferedRepository, RedbStore>;

/// A durable author of any suite, scheme and kind.
pub type AnyAuthor = RecordedAuthor<dyn OfferedRepository, RedbStore>;

impl AnyRepository {
    /// What the store says that it holds.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn description(&self) -> Result<Description, StoreError> {
        Description::read(self.store())
    }
}

/// Opens the repository in a store.
///
/// # Errors
/// [`RepositoryError`].
pub fn open_repository(path: &Path) -> Result<AnyRepository, RepositoryError> {
    let (store, description) = described(path)?;
    open(store, &description)
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
) -> Result<AnyAuthor, AuthorError> {
    let (store, description) = described(path)?;
    if description.public != *key.public() {
        let other = StoreError::Damaged("the key is of another dictionary");
        return Err(RepositoryError::from(other).into());
    }
    let repository = open(store, &description)?;
    let author = repository.memory().resume(key)?;
    RecordedAuthor::new(author, repository, Some(record))
}

fn open(store: RedbStore, description: &Description) -> Result<AnyRepository, RepositoryError> {
    let empty = with_suite!(description.public.suite, S => family::repository::<S>(description))?;
    Durable::open_into(store, empty)
}

fn described(path: &Path) -> Result<(RedbStore, Description), RepositoryError> {
    let store = RedbStore::open(path)?;
    let description = Description::read(&store)?;
    Ok((store, description))
}

const PUBLIC_KEY_GROUP: &str = "public-key";
const REPOSITORY_GROUP: &str = "repository";
