//! A store of any kind, which its path or address determines.

use core::ops::{Deref, DerefMut};
use std::path::Path;

use super::{RecordChange, Store, StoreError, redb_store::RedbStore};
#[cfg(feature = "object-store")]
use crate::objects::{ObjectBackend, ObjectFolder};

/// A store in a file or, with the feature `object-store`, in objects at an address such as
/// `s3://bucket/prices`. It dereferences to a [`Store`].
#[derive(Debug)]
pub enum AnyStore {
    /// A store in a file.
    File(Box<RedbStore>),
    /// A store in objects of an object store.
    #[cfg(feature = "object-store")]
    Objects(ObjectBackend),
    /// A store that a test supplies.
    #[cfg(test)]
    Test(Box<dyn Store + Send + Sync>),
}

/// Returns `path` as text if it is the address of a store in an object store; `None` if it names a
/// file.
fn is_address(path: &Path) -> Option<&str> {
    path.to_str().filter(|address| address.contains("://"))
}

impl AnyStore {
    /// Creates a store at a path or address. The new store contains the records `records` and no
    /// versions.
    ///
    /// # Errors
    /// [`StoreError::Exists`]; [`StoreError`] of the medium.
    pub fn create(path: &Path, records: &[RecordChange]) -> Result<(), StoreError> {
        match is_address(path) {
            None => RedbStore::create(path, records).map(drop),
            #[cfg(feature = "object-store")]
            Some(address) => ObjectBackend::create(&ObjectFolder::at(address)?, address, records),
            #[cfg(not(feature = "object-store"))]
            Some(_) => Err(StoreError::no_objects()),
        }
    }

    /// Opens the store at a path or address.
    ///
    /// # Errors
    /// The errors of [`RedbStore::open`], or the errors of opening an object store.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        match is_address(path) {
            None => Ok(Self::File(Box::new(RedbStore::open(path)?))),
            #[cfg(feature = "object-store")]
            Some(address) => {
                ObjectBackend::open(ObjectFolder::at(address)?, address).map(Self::Objects)
            }
            #[cfg(not(feature = "object-store"))]
            Some(_) => Err(StoreError::no_objects()),
        }
    }

    /// Returns whether a store or file exists at this path or address.
    ///
    /// # Errors
    /// [`StoreError`] if a store in an object store cannot be opened.
    pub fn exists(path: &Path) -> Result<bool, StoreError> {
        if is_address(path).is_none() {
            return Ok(path.exists());
        }
        match Self::open(path) {
            Err(StoreError::Missing(_)) => Ok(false),
            opened => opened.map(|_| true),
        }
    }

    /// Returns whether `path` is an address of a store in an object store.
    pub fn is_in_objects(path: &Path) -> bool {
        is_address(path).is_some()
    }
}

impl Deref for AnyStore {
    type Target = dyn Store + Send + Sync;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::File(store) => &**store,
            #[cfg(feature = "object-store")]
            Self::Objects(store) => store,
            #[cfg(test)]
            Self::Test(store) => &**store,
        }
    }
}

impl DerefMut for AnyStore {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::File(store) => &mut **store,
            #[cfg(feature = "object-store")]
            Self::Objects(store) => store,
            #[cfg(test)]
            Self::Test(store) => &mut **store,
        }
    }
}
