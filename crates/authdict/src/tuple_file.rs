//! The rows of tuple PADs, in a database file next to their store.
//!
//! The rows are derived from the updates in the store, and may lack the latest updates. When the
//! store is opened, the missing updates are applied again. If nothing was pruned, the file can be
//! removed, and is then rebuilt.
//!
//! Each kind of rows has its own table, which the first byte of the key selects. New keys of a kind
//! are in ascending order. The engine fills its pages when keys are added at the end of a table,
//! and leaves pages half empty otherwise.
//!
//! Each row contains a digest of its key and value, so a damaged row is detected when it is read.
//! Reads therefore do not need the engine's check of all pages, which costs as much as reading the
//! file. The engine makes this check before a process first writes. Damaged rows can be rebuilt
//! from the updates, unless the store was pruned.

use core::{
    cell::RefCell,
    ops::{Bound, Range},
};
use std::{collections::BTreeMap, io, path::Path, rc::Rc};

use pad_core::StoreFault;
use pad_disk::{
    Access, Seal,
    engine::{EngineError, Format, Place, SharedDatabase},
    found,
};
use pad_tuple::internals::{Row, RowView, Rows};
use redb::{ReadTransaction, ReadableTable as _, WriteTransaction};

use crate::{store::StoreError, store_log::SystemError};

mod tables;

use tables::Table;

/// The file with the rows of a store's tuples.
#[derive(Debug)]
pub(crate) struct TupleFile {
    place: Place,
    store: [u8; 16],
    /// The open database; `None` while there is no file.
    database: Option<SharedDatabase>,
    error: SystemError,
}

impl TupleFile {
    /// Creates the handle of the tuple file of the store at `path`, without opening it. If `path`
    /// is a symbolic link, the file is next to the link's target.
    pub(crate) fn of_store(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::at((&pad_disk::companion(path, ".tuples")?).into()))
    }

    /// Creates the handle of rows in a simulated folder, whose operations can be made to fail.
    #[cfg(test)]
    pub(crate) fn within(layer: &std::sync::Arc<dyn pad_disk::layer::FileLayer>) -> Self {
        Self::at((layer, "store.tuples").into())
    }

    fn at(place: Place) -> Self {
        Self {
            place,
            store: [0; 16],
            database: None,
            error: SystemError::default(),
        }
    }

    /// Returns an error if there is a tuple file next to the path of a store to be created. The
    /// file belongs to another store.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if there is a tuple file; [`StoreError::Io`].
    pub(crate) fn require_none(store: &Path) -> Result<(), StoreError> {
        if Self::of_store(store)?.place.path().exists() {
            return Err(FOREIGN);
        }
        Ok(())
    }

    /// Opens the rows of the store with the id `store`, if the file exists. A file that is already
    /// open is reused.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the file belongs to another store or is damaged;
    /// [`StoreError`] of the medium.
    pub(crate) fn opened(&mut self, store: [u8; 16]) -> Result<Self, StoreError> {
        let mut file = Self {
            store,
            database: self.database.take().filter(|_| self.store == store),
            ..Self::at(self.place.clone())
        };
        if file.database.is_none() {
            file.open()?;
        }
        Ok(file)
    }

    fn open(&mut self) -> Result<(), StoreError> {
        let database = match SharedDatabase::open(self.place.clone(), FORMAT) {
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
        let fill = |transaction: &_| tables::fill(transaction, &self.store);
        match SharedDatabase::create(self.place.clone(), &FORMAT, fill) {
            Err(EngineError::Exists(_)) | Ok(()) => self.open(),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn file_bytes(&self) -> Result<u64, StoreError> {
        let found = found(self.place.path().metadata())?;
        Ok(found.map_or(0, |metadata| metadata.len()))
    }

    /// Returns the shared slot in which this file stores the last error of the operating system.
    pub(crate) fn system_error(&self) -> SystemError {
        self.error.clone()
    }

    /// Makes the directory entry of the file durable. This is required before updates are dropped
    /// from which the rows were derived. The process that created the file may have failed before.
    pub(crate) fn synchronise_name(&self) -> Result<(), StoreError> {
        Ok(self.place.folder()?.0.synchronise_names()?)
    }

    /// Pins reads to the current rows, until [`TupleFile::unpin`] or until the next write.
    pub(crate) fn pin(&self) -> Result<(), StoreError> {
        if let Some(database) = &self.database {
            database.pin()?;
        }
        Ok(())
    }

    /// Releases the write access to the file, so that other processes can write until this process
    /// writes again.
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
            let view = View {
                transaction,
                tables: RefCell::default(),
                error: &self.error,
            };
            Ok::<_, EngineError>(work(&view))
        });
        read.map_err(|error| self.fault(error))?
    }

    fn write(
        &mut self,
        known: (&[u8], Option<&[u8]>),
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
            let is_known = is_known(transaction, known)?;
            if !matches!(is_known, Ok(true)) {
                return Ok(is_known.and(Err(StoreFault::Closed)));
            }
            remove(transaction, removed)?;
            insert(transaction, rows)?;
            Ok::<_, EngineError>(Ok(()))
        });
        written.map_err(|error| self.fault(error))?
    }
}

/// Returns whether the row with the key `key` has the value `value`. For `None`, returns whether
/// there is no such row.
fn is_known(
    transaction: &WriteTransaction,
    (key, value): (&[u8], Option<&[u8]>),
) -> Result<Result<bool, StoreFault>, EngineError> {
    let table = tables::of_key_to_write(transaction, key)?;
    let found = table.get(key).map_err(EngineError::of)?;
    Ok(match (found, value) {
        (Some(row), Some(value)) => opened(key, row.value()).map(|found| found == value),
        (found, value) => Ok(found.is_none() && value.is_none()),
    })
}

fn remove(transaction: &WriteTransaction, removed: &[Range<Vec<u8>>]) -> Result<(), EngineError> {
    let mut removed: Vec<_> = removed.iter().collect();
    removed.sort_unstable_by(|one, other| one.start.cmp(&other.start));
    for of_kind in removed.chunk_by(|one, next| one.start.first() == next.start.first()) {
        let Some(first) = of_kind.first() else {
            continue;
        };
        let mut table = tables::of_key_to_write(transaction, &first.start)?;
        for range in of_kind {
            let (from, to) = (range.start.as_slice(), range.end.as_slice());
            let retained = table.retain_in(from..to, |_, _| false);
            retained.map_err(EngineError::of)?;
        }
    }
    Ok(())
}

fn insert(
    transaction: &WriteTransaction,
    rows: &BTreeMap<Vec<u8>, Vec<u8>>,
) -> Result<(), EngineError> {
    let mut rows = rows.iter().peekable();
    while let Some((first, _)) = rows.peek() {
        let kind = first.first();
        let mut table = tables::of_key_to_write(transaction, first)?;
        while let Some((key, value)) = rows.next_if(|(key, _)| key.first() == kind) {
            let row = SEAL.seal(&[key.as_slice()], value);
            let inserted = table.insert(key.as_slice(), row.as_slice());
            inserted.map_err(EngineError::of)?;
        }
    }
    Ok(())
}

/// The rows of the file as one read transaction sees them.
struct View<'t> {
    transaction: &'t ReadTransaction,
    /// The tables that are open, by the first byte of their rows' keys; a value is `None` if the
    /// file has no such table.
    tables: RefCell<BTreeMap<Option<u8>, Option<Rc<Table>>>>,
    error: &'t SystemError,
}

impl View<'_> {
    fn fault(&self, error: impl Into<redb::Error>) -> StoreFault {
        engine_fault(self.error, EngineError::of(error))
    }

    /// Returns the table for rows whose keys have the first byte of `key`; `None` if it does not
    /// exist.
    fn table(&self, key: &[u8]) -> Result<Option<Rc<Table>>, StoreFault> {
        let kind = key.first().copied();
        if let Some(table) = self.tables.borrow().get(&kind) {
            return Ok(table.clone());
        }
        let table = tables::of_key(self.transaction, key);
        let table = table.map_err(|error| engine_fault(self.error, error))?;
        let table = table.map(Rc::new);
        self.tables.borrow_mut().insert(kind, table.clone());
        Ok(table)
    }
}

impl RowView for View<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreFault> {
        let Some(table) = self.table(key)? else {
            return Ok(None);
        };
        let found = table.get(key).map_err(|error| self.fault(error))?;
        found.map(|row| opened(key, row.value())).transpose()
    }

    fn last(&self, from: &[u8], to: &[u8]) -> Result<Option<Row>, StoreFault> {
        let Some(table) = self.table(from)?.filter(|_| from <= to) else {
            return Ok(None);
        };
        let between = (Bound::Included(from), Bound::Included(to));
        let mut rows = table.range(between).map_err(|error| self.fault(error))?;
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
        let Some(table) = self.table(from)?.filter(|_| from < to) else {
            return Ok(());
        };
        let rows = table.range(from..to).map_err(|error| self.fault(error))?;
        for row in rows {
            let (key, row) = row.map_err(|error| self.fault(error))?;
            visit(key.value(), &opened(key.value(), row.value())?)?;
        }
        Ok(())
    }
}

fn opened(key: &[u8], row: &[u8]) -> Result<Vec<u8>, StoreFault> {
    let value = SEAL.open(&[key], row).ok_or(StoreFault::Damaged)?;
    Ok(value.to_vec())
}

/// Half of a SHA-256 digest suffices against accidents.
const SEAL: Seal<16> = Seal::new(b"pad/tuples/row/v2");

const FORMAT: Format = Format {
    is_ours: tables::is_ours,
    access: Access::Usual,
    cache_bytes: 64 << 20,
};

const FOREIGN: StoreError = StoreError::Damaged(
    "tuple file (.tuples) belongs to another store: restore this store's own file, or move it away",
);
pub(crate) const UNREADABLE: StoreError = StoreError::Damaged(
    "tuple file (.tuples) is damaged, or of an older format: move it away; it is rebuilt unless \
     the store was pruned",
);
