//! The tables of the file, and what it says of itself.

use disk::engine::EngineError;
use redb::{ReadTransaction, ReadableTable as _, TableDefinition, TableError, WriteTransaction};

/// What the file says under a name.
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
    Ok(named(transaction, KIND)?.as_deref() == Some(FORMAT_NAME))
}

/// Makes the tables of the rows of the store with this number.
pub(super) fn fill(transaction: &WriteTransaction, store: &[u8]) -> Result<(), EngineError> {
    let mut about = transaction.open_table(ABOUT).map_err(EngineError::of)?;
    about.insert(KIND, FORMAT_NAME).map_err(EngineError::of)?;
    about.insert(STORE, store).map_err(EngineError::of)?;
    transaction.open_table(ROWS).map_err(EngineError::of)?;
    Ok(())
}

const ABOUT: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("about");
pub(super) const ROWS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");
const KIND: &str = "format";
pub(super) const STORE: &str = "store";
const FORMAT_NAME: &[u8] = b"pad-tuples v1";
