//! Records in a store that describe its dictionary.

use std::path::Path;

use crate::{
    keys::PublicKey,
    selection::{SchemeFamily, SchemeName},
    store::{AnyStore, RecordChange, Store, StoreError},
    store_log::NodeFile,
    tuple_file::TupleFile,
};

/// Creates a store for the dictionary with the public key `public`.
///
/// # Errors
/// [`StoreError::Exists`] if there is a store at `path`; [`StoreError::OnlyTrees`] for a store in
/// an object store whose dictionary is not a tree; [`StoreError::Damaged`] if there are node or
/// tuple files of another store next to the path; [`StoreError::NoParameters`] for an append-only
/// log, which needs [`create_store_with`]; [`StoreError`] of the medium.
pub fn create_store(path: &Path, public: &PublicKey) -> Result<(), StoreError> {
    create_store_with(path, public, None)
}

/// Creates a store like [`create_store`], which also contains the record `other`, if given. An
/// append-only log requires it: the record contains the log's public parameters.
///
/// # Errors
/// The errors of [`create_store`]; [`StoreError::NoParameters`] only if `other` is missing.
pub fn create_store_with(
    path: &Path,
    public: &PublicKey,
    other: Option<RecordChange>,
) -> Result<(), StoreError> {
    let family = public.scheme.family();
    if family.is_append_only() && other.is_none() {
        return Err(StoreError::NoParameters);
    }
    if AnyStore::is_in_objects(path) {
        if family != SchemeFamily::Tree {
            return Err(StoreError::OnlyTrees);
        }
    } else if !path.exists() {
        match family {
            SchemeFamily::Tree => NodeFile::require_none(path)?,
            SchemeFamily::Tuple if public.scheme.reads_on_demand() => {
                TupleFile::require_none(path)?;
            }
            _ => {}
        }
    }
    let records: Vec<_> = store_records(public).into_iter().chain(other).collect();
    AnyStore::create(path, &records)
}

/// Returns the two records that every new store contains: the public key `public` of its
/// dictionary, and the format in which the store keeps the versions.
pub fn store_records(public: &PublicKey) -> [RecordChange; 2] {
    [
        RecordChange::put(PUBLIC_KEY_GROUP, "", public.to_text()),
        RecordChange::put(REPOSITORY_GROUP, "", kept_as(public.scheme)),
    ]
}

/// Reads the public key in a store's records. The key is as trustworthy as the store.
///
/// # Errors
/// [`StoreError::Damaged`] if the key is missing or unreadable, or if this build does not support
/// the dictionary's format; [`StoreError`] of the medium.
pub fn key_of_store(store: &dyn Store) -> Result<PublicKey, StoreError> {
    let text = |group| -> Result<Option<String>, StoreError> {
        let found = store.records(group)?.pop();
        Ok(found.and_then(|(_, value)| String::from_utf8(value).ok()))
    };
    let public = text(PUBLIC_KEY_GROUP)?.and_then(|text| PublicKey::from_text(&text).ok());
    let public = public.ok_or(StoreError::Damaged(
        "the public key is missing or unreadable",
    ))?;
    match text(REPOSITORY_GROUP)? {
        Some(name) if name == kept_as(public.scheme) => Ok(public),
        _ => Err(StoreError::Damaged(
            "the repository format is missing or unknown to this program",
        )),
    }
}

/// Returns the name of the format in which a store keeps the versions of a dictionary of `scheme`.
fn kept_as(scheme: SchemeName) -> &'static str {
    match scheme.family() {
        SchemeFamily::Tuple if !scheme.reads_on_demand() => "versioned-index",
        #[cfg(feature = "log")]
        SchemeFamily::Log => "forest",
        _ => "stored",
    }
}

const PUBLIC_KEY_GROUP: &str = "public-key";
const REPOSITORY_GROUP: &str = "repository";
