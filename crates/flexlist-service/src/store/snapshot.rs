//! Snapshots: reads of the store as of one transaction.

use core::fmt;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, TableDefinition};

use super::{
    FileKey, StoreError,
    records::{Answer, Head, Record, StatementRecord},
    tables::{ANSWERS, BLOCKS, HEADS, STATEMENTS, Table, definition, engine},
};
use crate::message::SentBlock;

/// A snapshot of the store as of one transaction. Later changes do not affect it.
pub(crate) struct Snapshot {
    transaction: ReadTransaction,
    blocks: ReadOnlyTable<(u64, u64), &'static [u8]>,
}

impl Snapshot {
    pub(super) fn new(transaction: ReadTransaction) -> Result<Self, StoreError> {
        Ok(Self {
            blocks: transaction.open_table(BLOCKS).map_err(engine)?,
            transaction,
        })
    }

    /// Returns the head of a file: its current version, root and counters.
    pub(crate) fn head(&self, file: FileKey) -> Result<Head, StoreError> {
        self.one(HEADS, file)?
            .ok_or_else(|| StoreError::absent(file, Table::Heads, file.number))
    }

    /// Returns the stored answer to the update that produced the file's current version. `None` if
    /// no update did.
    pub(crate) fn answer(&self, file: FileKey) -> Result<Option<Answer>, StoreError> {
        self.one(ANSWERS, file)
    }

    /// Returns the owner's newest signed statement about a version of the file.
    pub(crate) fn vouched(&self, file: FileKey) -> Result<StatementRecord, StoreError> {
        self.one(STATEMENTS, file)?
            .ok_or_else(|| StoreError::absent(file, Table::Statements, file.number))
    }

    /// Returns a file's record from a table with one record per file.
    fn one<R: Record>(
        &self,
        table: TableDefinition<'_, u64, &'static [u8]>,
        file: FileKey,
    ) -> Result<Option<R>, StoreError> {
        let table = self.transaction.open_table(table).map_err(engine)?;
        let value = table.get(file.number).map_err(|error| of(file, error))?;
        value
            .map(|value| R::read(file, 0, value.value()))
            .transpose()
    }

    /// Returns the block of `file` with this `number`.
    pub(crate) fn block(&self, file: FileKey, number: u64) -> Result<SentBlock, StoreError> {
        let value = self.blocks.get((file.number, number));
        let value = value.map_err(|error| of(file, error))?;
        let value = value.ok_or_else(|| StoreError::absent(file, Table::Blocks, number))?;
        SentBlock::read(file, number, value.value())
    }

    /// Returns the record of `file` with this `number`: a piece of a checkpoint or an entry of the
    /// journal.
    pub(crate) fn record<R: Record>(&self, file: FileKey, number: u64) -> Result<R, StoreError> {
        let table = self.transaction.open_table(definition(R::TABLE));
        let table = table.map_err(engine)?;
        let value = table.get((file.number, number));
        let value = value.map_err(|error| of(file, error))?;
        let value = value.ok_or_else(|| StoreError::absent(file, R::TABLE, number))?;
        R::read(file, number, value.value())
    }

    /// Returns the numbers of all stored blocks of a file.
    pub(crate) fn block_numbers(&self, file: FileKey) -> Result<Vec<u64>, StoreError> {
        let range = self
            .blocks
            .range((file.number, 0)..=(file.number, u64::MAX))
            .map_err(|error| of(file, error))?;
        range
            .map(|entry| match entry {
                Ok((key, _)) => Ok(key.value().1),
                Err(error) => Err(of(file, error)),
            })
            .collect()
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Snapshot")
    }
}

/// Converts an engine error that occurred while reading a record of `file`.
fn of(file: FileKey, error: redb::StorageError) -> StoreError {
    match error {
        redb::StorageError::Corrupted(what) => StoreError::damaged(file, what),
        error => engine(error),
    }
}
