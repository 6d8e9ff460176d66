//! Where the nodes of stored trees are kept: in files beside their store, or in objects of an object store.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use pad_core::{StoreFault, Version};
use pad_tree::{LogId, NodeLog};

use crate::store::{RecordChange, Store, StoreError};

mod files;
#[cfg(feature = "object-store")]
mod objects;
mod rows;

pub(crate) use files::{MISSING, NodeFile};
#[cfg(feature = "object-store")]
pub(crate) use objects::{ObjectLog, segments};
pub(crate) use rows::RowLengths;

/// A log of nodes whose versions are published by a store.
pub(crate) trait KeptLog: NodeLog {
    /// The log of the same store, with the versions that the store has.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if they are not there; [`StoreError`] of the medium.
    fn taken_up(&self, store: &dyn Store) -> Result<AnyLog, StoreError>;

    /// Keeps other writers out until this value is dropped, or sees to it that they lose.
    ///
    /// # Errors
    /// [`StoreError::InUse`]; [`StoreError::Gap`] if the store has a version that is not here; [`StoreError`] of the medium.
    fn begin(&mut self, store: &dyn Store) -> Result<(), StoreError>;

    /// What the store is to have of a version.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if it is not there; [`StoreFault::Medium`].
    fn row(&self, version: Version) -> Result<Vec<u8>, StoreFault>;

    /// The bytes that the log keeps beside its store.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn kept_bytes(&self) -> Result<u64, StoreError>;

    /// What the system says when it fails here, now or later.
    fn system_error(&self) -> SystemError;

    /// A log of the same store without versions, into which those that are kept are copied once it is [started](KeptLog::start).
    ///
    /// # Errors
    /// [`StoreError::CannotPrune`] if this kind has none; [`StoreError`] of the medium.
    fn new_copy(&self) -> Result<AnyLog, StoreError>;

    /// Refuses a log whose nodes cannot be appended once more.
    ///
    /// # Errors
    /// [`StoreError::CannotCompact`].
    fn require_moves(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Makes a new log, to be written.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn start(&mut self) -> Result<(), StoreError>;

    /// The same log, without its versions, to be taken away.
    fn unopened(&self) -> AnyLog;

    /// The number of this log among those of its store, of which one is in use.
    fn number(&self) -> u64 {
        0
    }

    /// The record by which a store turns from the log with this number to this one, and knows of the other that it is of no use.
    fn turn(&self, from: u64) -> RecordChange;

    /// Whether a store has not turned to another log.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn is_of(&self, store: &dyn Store) -> Result<bool, StoreError>;

    /// Takes the log away. Readers that have it open can still use it.
    ///
    /// # Errors
    /// [`StoreError`] of the medium, [`StoreError::Damaged`] if it is another store's.
    fn remove(&self) -> Result<(), StoreError>;

    /// Takes away the log that the store has turned from, if it is there. Its writer calls this.
    ///
    /// # Errors
    /// [`StoreError::NotRemoved`].
    fn remove_replaced(&self, _: &dyn Store) -> Result<(), StoreError> {
        Ok(())
    }

    /// Takes nothing any more: nobody knows what the store has.
    fn close(&mut self);
}

/// The log of a store in files or in objects: what is generic in logs is compiled once.
pub(crate) type AnyLog = Box<dyn KeptLog>;

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

/// What the system said when it last failed.
#[derive(Clone, Debug, Default)]
pub(crate) struct SystemError(Arc<Mutex<Option<io::Error>>>);

impl SystemError {
    /// It, once.
    pub(crate) fn take(&self) -> Option<io::Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What a failed reading means: what is not there was there once.
    pub(crate) fn fault(&self, error: io::Error) -> StoreFault {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => StoreFault::Damaged,
            _ => self.note(error),
        }
    }

    /// Keeps what the system said.
    pub(crate) fn note(&self, error: io::Error) -> StoreFault {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        StoreFault::Medium
    }
}

/// The row of the latest version in a store; none before version 1.
///
/// # Errors
/// [`StoreError::Damaged`] if it is missing; [`StoreError`] of the medium.
pub(crate) fn latest_row(store: &dyn Store) -> Result<(Version, Vec<u8>), StoreError> {
    let latest = store.latest()?;
    let row = match latest {
        Version::EMPTY => Vec::new(),
        latest => store.update(latest)?.ok_or(StoreError::Damaged(
            "the row of its latest version is missing",
        ))?,
    };
    Ok((latest, row))
}

/// Refuses a store that has another latest version than is known.
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
