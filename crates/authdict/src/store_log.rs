//! Storage of the nodes of tree PADs, in files next to their store or in an object store.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use pad_core::{StoreFault, Version};
use pad_tree::{LogId, NodeLog};

use crate::store::{Store, StoreError};

mod files;
#[cfg(feature = "object-store")]
mod objects;
mod rows;

pub(crate) use files::{MISSING, NodeFile};
#[cfg(feature = "object-store")]
pub(crate) use objects::{ObjectLog, segments};
pub(crate) use rows::RowLengths;

/// A log of tree nodes that belongs to a [`Store`]. A version in the log is published when its row
/// is written to the store.
pub(crate) trait StoreLog: NodeLog {
    /// Opens the log that `store` currently uses, with the versions that the store contains.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the log lacks the latest version; [`StoreError`] of the medium.
    fn taken_up(&self, store: &dyn Store) -> Result<AnyLog, StoreError>;

    /// Takes the write lock until this value is dropped. Logs without a lock make other writers
    /// fail instead.
    ///
    /// # Errors
    /// [`StoreError::InUse`]; [`StoreError::Gap`] if the store contains a version that this log
    /// lacks; [`StoreError::Superseded`] if another process has moved the nodes;
    /// [`StoreError::Closed`]; [`StoreError`] of the medium.
    fn begin(&mut self, store: &dyn Store) -> Result<(), StoreError>;

    /// Returns the row of a version, as it is published in the store, or will be.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if the row is missing; [`StoreFault::Medium`].
    fn row(&self, version: Version) -> Result<Vec<u8>, StoreFault>;

    /// Returns the number of bytes that the log uses in files or objects, apart from its store.
    fn kept_bytes(&self) -> Result<u64, StoreError>;

    /// Returns the shared slot in which this log stores the last error of the operating system.
    fn system_error(&self) -> SystemError;

    /// Returns the node files of this log; `None` for objects. Only nodes in files can be pruned
    /// and compacted.
    fn files(&self) -> Option<&NodeFile>;

    /// Rejects all further writes, because the store's state is unknown after an error.
    fn close(&mut self);
}

/// The log of a store in files or in objects, as a trait object, so that generic code is compiled
/// only once.
pub(crate) type AnyLog = Box<dyn StoreLog>;

impl NodeLog for AnyLog {
    fn latest(&self) -> Version {
        (**self).latest()
    }

    fn end(&self) -> u64 {
        (**self).end()
    }

    fn identity(&self) -> Option<LogId> {
        (**self).identity()
    }

    fn read(&self, position: u64, bytes: &mut [u8]) -> Result<(), StoreFault> {
        (**self).read(position, bytes)
    }

    fn record(&self, version: Version) -> Result<Vec<u8>, StoreFault> {
        (**self).record(version)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreFault> {
        (**self).append(bytes)
    }

    fn publish(&mut self, version: Version, record: &[u8]) -> Result<(), StoreFault> {
        (**self).publish(version, record)
    }

    fn replace(&mut self, record: &[u8]) -> Result<(), StoreFault> {
        (**self).replace(record)
    }

    fn synchronise(&mut self) -> Result<(), StoreFault> {
        (**self).synchronise()
    }

    fn discard(&mut self) {
        (**self).discard();
    }
}

/// A shared slot in which a log or file stores the last error of the operating system. Faults of
/// repositories do not contain this error.
#[derive(Clone, Debug, Default)]
pub(crate) struct SystemError(Arc<Mutex<Option<io::Error>>>);

impl SystemError {
    /// Removes and returns the last I/O error stored in this slot.
    pub(crate) fn take(&self) -> Option<io::Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Stores the error of a failed read, and returns the corresponding fault. A read past the end
    /// of a file counts as damage, because the data existed before.
    pub(crate) fn fault(&self, error: io::Error) -> StoreFault {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => StoreFault::Damaged,
            _ => self.note(error),
        }
    }

    /// Stores `error` in the slot, and returns [`StoreFault::Medium`].
    pub(crate) fn note(&self, error: io::Error) -> StoreFault {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        StoreFault::Medium
    }
}

/// Returns the latest version in a store, and its row. The row of version 0 is empty.
///
/// # Errors
/// [`StoreError::Damaged`] if the row is missing; [`StoreError`] of the medium.
pub(crate) fn latest_row(store: &dyn Store) -> Result<(Version, Vec<u8>), StoreError> {
    let latest = store.latest()?;
    let row = match latest {
        Version::EMPTY => Vec::new(),
        latest => store.update(latest)?.ok_or(StoreError::Damaged(
            "the row of the latest version is missing",
        ))?,
    };
    Ok((latest, row))
}

/// Refuses a store whose latest version differs from `latest`.
///
/// # Errors
/// [`StoreError::Gap`]; [`StoreError`] of the medium.
pub(crate) fn require_latest(store: &dyn Store, latest: Version) -> Result<(), StoreError> {
    let stored = store.latest()?;
    if stored == latest {
        return Ok(());
    }
    Err(StoreError::Gap {
        expected: Version::new(stored.number().saturating_add(1)),
        actual: Version::new(latest.number().saturating_add(1)),
    })
}
