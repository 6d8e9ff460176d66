//! The rows of stored tuples, in a database beside their store.
//!
//! They follow from the updates that the store has, so they may be behind it: the updates that they lack are applied again when the store is
//! opened. If nothing was pruned the file can be taken away, and is made again.
//!
//! Each row has a digest of its key and its value. The engine's own check of all pages, which a store has before it is written to, costs as much
//! as reading the file, and is not needed here: what an accident destroys is met as damage, and nothing is lost with it.

use core::ops::{Bound, Range};
use std::{collections::BTreeMap, ffi::OsString, fmt, io, path::Path};

use disk::engine::EngineError;
use pad_core::StoreFault;
use pad_tuple::stored::{Row, RowView, Rows};
use redb::{ReadOnlyTable, ReadableTable as _};

use crate::{
    kept_log::SystemError,
    store::{StoreError, redb_store::Place as RowPlace},
};

mod medium;
mod tables;

use medium::{Database, Place};
use tables::ROWS;

/// The rows of the tuples of a store.
pub(crate) struct TupleFile {
    place: Place,
    store: [u8; 16],
    /// `None` while there is no file.
    database: Option<Database>,
    error: SystemError,
}

impl fmt::Debug for TupleFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("TupleFile");
        shown.field("place", &self.place).finish_non_exhaustive()
    }
}

impl TupleFile {
    /// The rows of the store at this path, which is not looked at.
    pub(crate) fn of_store(path: &Path) -> Self {
        let mut name = OsString::from(path);
        name.push(".tuples");
        Self::at(Place::Path(name.into()))
    }

    /// The same in a folder whose operations can be made to fail.
    #[cfg(test)]
    pub(crate) fn within(layer: std::sync::Arc<dyn disk::layer::FileLayer>) -> Self {
        Self::at(Place::Within(layer))
    }

    fn at(place: Place) -> Self {
        Self {
            place,
            store: [0; 16],
            database: None,
            error: SystemError::default(),
        }
    }

    /// Refuses a new store at a path where there are tuples already: they are of another one.
    ///
    /// # Errors
    /// [`StoreError::Damaged`].
    pub(crate) fn require_none(store: &Path) -> Result<(), StoreError> {
        match Self::of_store(store).place.path() {
            Some(path) if path.exists() => Err(FOREIGN),
            _ => Ok(()),
        }
    }

    /// The rows of the store with this number, if there are some.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if they are another store's, or there is something else; [`StoreError`] of the medium.
    pub(crate) fn opened(&self, store: [u8; 16]) -> Result<Self, StoreError> {
        let mut file = Self {
            store,
            ..Self::at(self.place.clone())
        };
        file.open()?;
        Ok(file)
    }

    fn open(&mut self) -> Result<(), StoreError> {
        let database = match self.place.open() {
            Err(EngineError::Missing(_)) => return Ok(()),
            Err(EngineError::Foreign(_)) => return Err(UNREADABLE),
            opened => opened?,
        };
        let owner = database.read(|transaction| tables::named(transaction, tables::STORE))?;
        if owner.as_deref() != Some(&self.store) {
            return Err(FOREIGN);
        }
        self.database = Some(database);
        Ok(())
    }

    fn create(&mut self) -> Result<(), StoreError> {
        let created = self
            .place
            .create(|transaction| tables::fill(transaction, &self.store));
        match created {
            Err(EngineError::Exists(_)) | Ok(()) => self.open(),
            Err(error) => Err(error.into()),
        }
    }

    /// The bytes of the file; 0 if there is none.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub(crate) fn file_bytes(&self) -> Result<u64, StoreError> {
        let Some(path) = self.place.path() else {
            return Ok(0);
        };
        match path.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            metadata => Ok(metadata?.len()),
        }
    }

    /// What the system says when it fails here.
    pub(crate) fn system_error(&self) -> SystemError {
        self.error.clone()
    }

    /// Makes the file's name durable, before the updates that it follows from are dropped.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub(crate) fn synchronise_name(&self) -> Result<(), StoreError> {
        Ok(self.place.synchronise_name()?)
    }

    /// From here to [`TupleFile::unpin`], or to the next writing, the rows are what they are now.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    pub(crate) fn pin(&self) -> Result<(), StoreError> {
        if let Some(database) = &self.database {
            database.pin()?;
        }
        Ok(())
    }

    /// Lets others write, until this one does so again.
    pub(crate) fn release(&self) {
        if let Some(database) = &self.database {
            database.release();
        }
    }

    pub(crate) fn unpin(&self) {
        if let Some(database) = &self.database {
            database.unpin();
        }
    }

    fn fault(&self, error: EngineError) -> StoreFault {
        engine_fault(&self.error, error)
    }
}

fn engine_fault(noted: &SystemError, error: EngineError) -> StoreFault {
    match error {
        EngineError::Io(error) => noted.note(error),
        EngineError::PageMissing(_)
        | EngineError::PageChanged(_)
        | EngineError::Panicked
        | EngineError::NotIntact
        | EngineError::Foreign(_) => StoreFault::Damaged,
        error => noted.note(io::Error::other(error.to_string())),
    }
}

impl Rows for TupleFile {
    fn read<T, E: From<StoreFault>>(
        &self,
        work: impl FnOnce(&dyn RowView) -> Result<T, E>,
    ) -> Result<T, E> {
        let Some(database) = &self.database else {
            return work(&BTreeMap::new());
        };
        let read = database.read(|transaction| {
            let table = transaction.open_table(ROWS).map_err(EngineError::of)?;
            let view = View {
                table: &table,
                error: &self.error,
            };
            Ok::<_, EngineError>(work(&view))
        });
        read.map_err(|error| self.fault(error))?
    }

    fn write(
        &mut self,
        (known, value): (&[u8], Option<&[u8]>),
        removed: &[Range<Vec<u8>>],
        rows: &BTreeMap<Vec<u8>, Vec<u8>>,
    ) -> Result<(), StoreFault> {
        if self.database.is_none() {
            self.create().map_err(|error| match error {
                StoreError::Io(error) => self.error.note(error),
                StoreError::Damaged(_) => StoreFault::Damaged,
                error => self.error.note(io::Error::other(error.to_string())),
            })?;
        }
        let database = self.database.as_ref().ok_or(StoreFault::Closed)?;
        let written = database.write(|transaction| {
            let mut table = transaction.open_table(ROWS).map_err(EngineError::of)?;
            let found = table.get(known).map_err(EngineError::of)?;
            let is_known = match (found, value) {
                (Some(row), Some(value)) => opened(known, row.value()).map(|found| found == value),
                (found, value) => Ok(found.is_none() && value.is_none()),
            };
            if !matches!(is_known, Ok(true)) {
                return Ok(is_known.and(Err(StoreFault::Closed)));
            }
            for range in removed {
                let (from, to) = (range.start.as_slice(), range.end.as_slice());
                table
                    .retain_in(from..to, |_, _| false)
                    .map_err(EngineError::of)?;
            }
            for (key, value) in rows {
                let row = row_at(key).sealed(value);
                table
                    .insert(key.as_slice(), row.as_slice())
                    .map_err(EngineError::of)?;
            }
            Ok::<_, EngineError>(Ok(()))
        });
        written.map_err(|error| self.fault(error))?
    }
}

/// The rows in one transaction.
struct View<'t> {
    table: &'t ReadOnlyTable<&'static [u8], &'static [u8]>,
    error: &'t SystemError,
}

impl View<'_> {
    fn fault(&self, error: impl Into<redb::Error>) -> StoreFault {
        engine_fault(self.error, EngineError::of(error))
    }
}

impl RowView for View<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreFault> {
        let found = self.table.get(key).map_err(|error| self.fault(error))?;
        found.map(|row| opened(key, row.value())).transpose()
    }

    fn last(&self, from: &[u8], to: &[u8]) -> Result<Option<Row>, StoreFault> {
        if from > to {
            return Ok(None);
        }
        let between = (Bound::Included(from), Bound::Included(to));
        let mut rows = self
            .table
            .range(between)
            .map_err(|error| self.fault(error))?;
        let Some(last) = rows.next_back() else {
            return Ok(None);
        };
        let (key, row) = last.map_err(|error| self.fault(error))?;
        let value = opened(key.value(), row.value())?;
        Ok(Some((key.value().to_vec(), value)))
    }

    fn scan(
        &self,
        from: &[u8],
        to: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]) -> Result<(), StoreFault>,
    ) -> Result<(), StoreFault> {
        if from >= to {
            return Ok(());
        }
        let rows = self
            .table
            .range(from..to)
            .map_err(|error| self.fault(error))?;
        for row in rows {
            let (key, row) = row.map_err(|error| self.fault(error))?;
            visit(key.value(), &opened(key.value(), row.value())?)?;
        }
        Ok(())
    }
}

fn row_at(key: &[u8]) -> RowPlace<'_> {
    RowPlace {
        table: "tuples",
        group: "",
        name: key,
    }
}

/// The value in a row.
fn opened(key: &[u8], row: &[u8]) -> Result<Vec<u8>, StoreFault> {
    let value = row_at(key).unsealed(row);
    value.map(<[u8]>::to_vec).map_err(|_| StoreFault::Damaged)
}

const FOREIGN: StoreError = StoreError::Damaged(
    "the file of tuples beside it (with .tuples at the end of its name) is another store's: bring its own back, or move that one away",
);
const UNREADABLE: StoreError = StoreError::Damaged(
    "the file of tuples beside it (with .tuples at the end of its name) is damaged: move it away, and it is made again unless the store was pruned",
);
