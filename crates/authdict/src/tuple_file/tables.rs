//! The tables of a tuple file, and its metadata.

use pad_disk::engine::EngineError;
use redb::{
    ReadOnlyTable, ReadTransaction, ReadableTable as _, TableDefinition, TableError,
    WriteTransaction,
};

pub(super) fn named(
    transaction: &ReadTransaction,
    name: &str,
) -> Result<Option<Vec<u8>>, EngineError> {
    let table = match transaction.open_table(ABOUT) {
        Err(TableError::TableDoesNotExist(_)) => return Ok(None),
        table => table.map_err(EngineError::of)?,
    };
    let found = table.get(name).map_err(EngineError::of)?;
    Ok(found.map(|value| value.value().to_vec()))
}

pub(super) fn is_ours(transaction: &ReadTransaction) -> Result<bool, EngineError> {
    let found = named(transaction, KIND)?;
    Ok(found.as_deref() == Some(FORMAT_NAME))
}

/// Writes the metadata of a new file for the store with the id `store`.
pub(super) fn fill(transaction: &WriteTransaction, store: &[u8]) -> Result<(), EngineError> {
    let mut about = transaction.open_table(ABOUT).map_err(EngineError::of)?;
    about.insert(KIND, FORMAT_NAME).map_err(EngineError::of)?;
    about.insert(STORE, store).map_err(EngineError::of)?;
    Ok(())
}

pub(super) type Table = ReadOnlyTable<&'static [u8], &'static [u8]>;

/// Opens the table of the rows whose keys have the same first byte as `key`, if it exists.
pub(super) fn of_key(
    transaction: &ReadTransaction,
    key: &[u8],
) -> Result<Option<Table>, EngineError> {
    match transaction.open_table(rows(&name(key))) {
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        table => table.map(Some).map_err(EngineError::of),
    }
}

/// Opens the table of the rows whose keys have the same first byte as `key` for writing. Creates
/// the table if necessary.
pub(super) fn of_key_to_write<'t>(
    transaction: &'t WriteTransaction,
    key: &[u8],
) -> Result<redb::Table<'t, &'static [u8], &'static [u8]>, EngineError> {
    transaction
        .open_table(rows(&name(key)))
        .map_err(EngineError::of)
}

fn name(key: &[u8]) -> String {
    match key.first() {
        Some(kind) => format!("rows {kind}"),
        None => "rows".into(),
    }
}

const fn rows(name: &str) -> TableDefinition<'_, &'static [u8], &'static [u8]> {
    TableDefinition::new(name)
}

const ABOUT: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("about");
const KIND: &str = "format";
pub(super) const STORE: &str = "store";
const FORMAT_NAME: &[u8] = b"pad-tuples v2";
