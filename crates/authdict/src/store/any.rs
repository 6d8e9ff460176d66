//! A store of any kind, which its path or address determines.

use std::path::Path;

use pad_core::Version;

use super::{Record, RecordChange, Store, StoreError, StoredCheckpoint, redb_store::RedbStore};
#[cfg(feature = "object-store")]
use crate::objects::{ObjectBackend, ObjectFolder};

/// A store in a file or, with the feature `object-store`, in objects at an address such as
/// `s3://bucket/prices`.
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

    /// Returns the store if it is in a file; `None` otherwise.
    pub const fn file(&self) -> Option<&RedbStore> {
        match self {
            Self::File(store) => Some(store),
            #[cfg(feature = "object-store")]
            Self::Objects(_) => None,
            #[cfg(test)]
            Self::Test(_) => None,
        }
    }

    /// Returns whether `path` is an address of a store in an object store.
    pub fn is_in_objects(path: &Path) -> bool {
        is_address(path).is_some()
    }

    /// Returns the size of the store's own file in bytes; 0 for a store in an object store.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    pub fn file_bytes(&self) -> Result<u64, StoreError> {
        match self {
            Self::File(store) => store.file_bytes(),
            // The objects of the store itself are little more than one row for each version.
            #[cfg(feature = "object-store")]
            Self::Objects(_) => Ok(0),
            #[cfg(test)]
            Self::Test(_) => Ok(0),
        }
    }
}

/// Evaluates a method call on the store that an [`AnyStore`] contains, whatever its kind.
macro_rules! of {
    ($store:expr, $found:ident => $call:expr) => {
        match $store {
            AnyStore::File($found) => $call,
            #[cfg(feature = "object-store")]
            AnyStore::Objects($found) => $call,
            #[cfg(test)]
            AnyStore::Test($found) => $call,
        }
    };
}

impl Store for AnyStore {
    fn id(&self) -> Result<[u8; 16], StoreError> {
        of!(self, store => store.id())
    }

    fn latest(&self) -> Result<Version, StoreError> {
        of!(self, store => store.latest())
    }

    fn publish(
        &mut self,
        first: Version,
        updates: &[Vec<u8>],
        records: &[RecordChange],
    ) -> Result<(), StoreError> {
        of!(self, store => store.publish(first, updates, records))
    }

    fn publish_row(
        &mut self,
        before: Version,
        latest: Version,
        row: &[u8],
        records: &[RecordChange],
    ) -> Result<(), StoreError> {
        of!(self, store => store.publish_row(before, latest, row, records))
    }

    fn update(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError> {
        of!(self, store => store.update(version))
    }

    fn put_checkpoint(&mut self, checkpoint: &StoredCheckpoint) -> Result<(), StoreError> {
        of!(self, store => store.put_checkpoint(checkpoint))
    }

    fn checkpoint(&self) -> Result<Option<StoredCheckpoint>, StoreError> {
        of!(self, store => store.checkpoint())
    }

    fn records(&self, group: &'static str) -> Result<Vec<Record>, StoreError> {
        of!(self, store => store.records(group))
    }

    fn records_between(
        &self,
        group: &'static str,
        first: &[u8],
        last: &[u8],
    ) -> Result<Vec<Record>, StoreError> {
        of!(self, store => store.records_between(group, first, last))
    }

    fn record_count(&self, group: &'static str) -> Result<u64, StoreError> {
        of!(self, store => store.record_count(group))
    }

    fn pin(&self) -> Result<(), StoreError> {
        of!(self, store => store.pin())
    }

    fn unpin(&self) {
        of!(self, store => store.unpin());
    }

    fn compact(&mut self) -> Result<(), StoreError> {
        of!(self, store => store.compact())
    }

    fn check(&mut self) -> Result<(), StoreError> {
        of!(self, store => store.check())
    }
}
