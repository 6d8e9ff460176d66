//! What a store says that it holds.

use std::path::Path;

use crate::{
    kept_log::NodeFile,
    keys::PublicKey,
    selection::{RepositoryName, SchemeFamily},
    store::{RecordChange, Store, StoreError, any::AnyStore},
    tuple_file::TupleFile,
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
        self.create_with(path, None)
    }

    /// Makes a new store for this dictionary, with another record that its repository needs.
    ///
    /// # Errors
    /// [`StoreError::Exists`]; [`StoreError`] of the medium.
    pub fn create_with(&self, path: &Path, other: Option<RecordChange>) -> Result<(), StoreError> {
        let is_stored = self.repository == RepositoryName::Stored;
        if AnyStore::is_in_objects(path) {
            if !is_stored || self.public.scheme.family() != SchemeFamily::Tree {
                return Err(StoreError::OnlyStored);
            }
        } else if is_stored && !path.exists() {
            match self.public.scheme.family() {
                SchemeFamily::Tuple => TupleFile::require_none(path)?,
                _ => NodeFile::require_none(path)?,
            }
        }
        let records: Vec<_> = self.records().into_iter().chain(other).collect();
        AnyStore::create(path, &records)
    }

    /// The records of a new store for this dictionary.
    pub fn records(&self) -> [RecordChange; 2] {
        [
            RecordChange::put(PUBLIC_KEY_GROUP, "", self.public.to_text()),
            RecordChange::put(REPOSITORY_GROUP, "", self.repository.name()),
        ]
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

const PUBLIC_KEY_GROUP: &str = "public-key";
const REPOSITORY_GROUP: &str = "repository";
