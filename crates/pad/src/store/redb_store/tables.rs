//! The tables of the file, and how they are written inside one transaction.

use pad_core::Version;
use redb::{ReadableTable, Table, TableDefinition, WriteTransaction};

use crate::store::{RecordChange, StoreError};

pub(super) fn append_updates(
    transaction: &WriteTransaction,
    first: Version,
    updates: &[Vec<u8>],
) -> Result<(), StoreError> {
    let latest = {
        let table = transaction.open_table(STATE).map_err(engine)?;
        let value = table.get(LATEST).map_err(engine)?;
        value
            .map(|value| version_from(value.value()))
            .transpose()?
            .unwrap_or(Version::EMPTY)
    };
    let expected = Version::new(latest.number().saturating_add(1));
    if first != expected {
        return Err(StoreError::Gap {
            expected,
            actual: first,
        });
    }
    let mut table: Table<'_, u64, &[u8]> = transaction.open_table(UPDATES).map_err(engine)?;
    let mut last = latest.number();
    for (update, number) in updates.iter().zip(first.number()..) {
        table.insert(number, update.as_slice()).map_err(engine)?;
        last = number;
    }
    set_state(transaction, LATEST, &last.to_be_bytes())
}

pub(super) fn write_records(
    transaction: &WriteTransaction,
    records: &[RecordChange],
) -> Result<(), StoreError> {
    let mut table = transaction.open_table(RECORDS).map_err(engine)?;
    for RecordChange { name, value } in records {
        match value {
            Some(value) => table
                .insert(name.as_slice(), value.as_slice())
                .map_err(engine)?,
            None => table.remove(name.as_slice()).map_err(engine)?,
        };
    }
    Ok(())
}

pub(super) fn set_state(
    transaction: &WriteTransaction,
    name: &'static str,
    value: &[u8],
) -> Result<(), StoreError> {
    let mut table = transaction.open_table(STATE).map_err(engine)?;
    table.insert(name, value).map_err(engine)?;
    Ok(())
}

pub(super) fn version_from(bytes: &[u8]) -> Result<Version, StoreError> {
    let bytes = bytes
        .try_into()
        .map_err(|_| StoreError::Damaged("a version is not a number"))?;
    Ok(Version::new(u64::from_be_bytes(bytes)))
}

pub(super) fn engine(error: impl Into<redb::Error>) -> StoreError {
    match error.into() {
        redb::Error::Io(error) => StoreError::Io(error),
        error => StoreError::Engine(Box::new(error)),
    }
}

pub(super) const RECORDS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("records");
pub(super) const UPDATES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("updates");
pub(super) const STATE: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("state");
pub(super) const CHECKPOINT: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("checkpoint");

pub(super) const LATEST: &str = "latest";
pub(super) const VERSION: &str = "version";
pub(super) const OLDEST: &str = "oldest";
pub(super) const DIGEST: &str = "digest";
