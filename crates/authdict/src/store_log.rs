//! Storage of the nodes of stored trees: in files next to their store, or in objects of an object
//! store.

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
pub(crate) trait StoreLog: NodeLog {
    /// Opens the log of the same store, with the versions in the store.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the latest version is missing; [`StoreError`] of the medium.
    fn taken_up(&self, store: &dyn Store) -> Result<AnyLog, StoreError>;

    /// Keeps other writers out until this value is dropped, or makes them fail.
    ///
    /// # Errors
    /// [`StoreError::InUse`]; [`StoreError::Gap`] if the store contains a version that is missing
    /// here; [`StoreError::Superseded`] if its nodes were moved; [`StoreError::Closed`];
    /// [`StoreError`] of the medium.
    fn begin(&mut self, store: &dyn Store) -> Result<(), StoreError>;

    /// The row of a version, for the store.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if the row is missing; [`StoreFault::Medium`].
    fn row(&self, version: Version) -> Result<Vec<u8>, StoreFault>;

    /// The number of bytes that the log keeps next to its store.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn kept_bytes(&self) -> Result<u64, StoreError>;

    /// The slot for current and future system errors of this log.
    fn system_error(&self) -> SystemError;

    /// A log of the same store without versions, to copy the kept versions into once it is
    /// [started](KeptLog::start).
    ///
    /// # Errors
    /// [`StoreError::CannotPrune`] if this kind cannot be copied; [`StoreError`] of the medium.
    fn new_copy(&self) -> Result<AnyLog, StoreError>;

    /// Refuses a log whose nodes cannot be rewritten at its end.
    ///
    /// # Errors
    /// [`StoreError::CannotCompact`].
    fn require_moves(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Creates the files of a new log, for writing.
    ///
    /// # Errors
    /// The errors of [`StoreLog::new_copy`].
    fn start(&mut self) -> Result<(), StoreError>;

    /// A handle to the same log, without its versions, to remove it.
    fn unopened(&self) -> AnyLog;

    /// The number of this log among the logs of its store. One of these is in use.
    fn number(&self) -> u64 {
        0
    }

    /// The record by which a store switches from the log with number `from` to this one, and marks
    /// the other as unused.
    fn turn(&self, from: u64) -> RecordChange;

    /// Whether the store still uses this log.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    fn is_of(&self, store: &dyn Store) -> Result<bool, StoreError>;

    /// Removes the log. Readers that have it open can still use it.
    ///
    /// # Errors
    /// [`StoreError`] of the medium; [`StoreError::Damaged`] if the log belongs to another store.
    fn remove(&self) -> Result<(), StoreError>;

    /// Removes the log that the store has switched from, if it exists. Called by the writer.
    ///
    /// # Errors
    /// [`StoreError::NotRemoved`]; [`StoreError`] if the store cannot be read.
    fn remove_replaced(&self, _: &dyn Store) -> Result<(), StoreError> {
        Ok(())
    }

    /// Rejects all further writes, because the state of the store is unknown.
    fn close(&mut self);
}

/// The log of a store in files or in objects, as a trait object: code generic in logs is compiled
/// once.
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

/// The last error of the operating system.
#[derive(Clone, Debug, Default)]
pub(crate) struct SystemError(Arc<Mutex<Option<io::Error>>>);

impl SystemError {
    /// Takes the last I/O error.
    pub(crate) fn take(&self) -> Option<io::Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The fault for a failed read. Data past the end of a file was there once, so it counts as
    /// damage.
    pub(crate) fn fault(&self, error: io::Error) -> StoreFault {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => StoreFault::Damaged,
            _ => self.note(error),
        }
    }

    /// Stores the error.
    pub(crate) fn note(&self, error: io::Error) -> StoreFault {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        StoreFault::Medium
    }
}

/// The latest version in a store and its row. The row of version 0 is empty.
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
