//! Snapshots: reads of the store as of one transaction.

use core::fmt;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable as _};

use super::{
    FileKey, StoreError,
    records::{Answer, Head, Record, StatementRecord},
    tables::{Table, engine, numbers},
};
use crate::message::SentBlock;

/// A snapshot of the store as of one transaction. Later changes do not affect it.
pub(crate) struct Snapshot {
    transaction: ReadTransaction,
    blocks: ReadOnlyTable<&'static [u8], &'static [u8]>,
}

impl Snapshot {
    pub(super) fn new(transaction: ReadTransaction) -> Result<Self, StoreError> {
        Ok(Self {
            blocks: transaction
                .open_table(Table::Blocks.definition())
                .map_err(engine)?,
            transaction,
        })
    }

    /// Returns the head of a file: its current version, root and counters.
    pub(crate) fn head(&self, file: FileKey) -> Result<Head, StoreError> {
        self.optional(file, 0)?
            .ok_or_else(|| StoreError::absent(file, Table::Heads, file.number))
    }

    /// Returns the stored answer to the update that produced the file's current version. `None` if
    /// no update did.
    pub(crate) fn answer(&self, file: FileKey) -> Result<Option<Answer>, StoreError> {
        self.optional(file, 0)
    }

    /// Returns the owner's newest signed statement about a version of the file.
    pub(crate) fn vouched(&self, file: FileKey) -> Result<StatementRecord, StoreError> {
        self.optional(file, 0)?
            .ok_or_else(|| StoreError::absent(file, Table::Statements, file.number))
    }

    /// Returns the record of `file` with this `number`, if there is one. The number is 0 in tables
    /// with one record per file.
    fn optional<R: Record>(&self, file: FileKey, number: u64) -> Result<Option<R>, StoreError> {
        let table = self.transaction.open_table(R::TABLE.definition());
        let table = table.map_err(engine)?;
        let value = table.get(R::TABLE.key(file, number).as_slice());
        let value = value.map_err(|error| of(file, error))?;
        value
            .map(|value| R::read(file, number, value.value()))
            .transpose()
    }

    /// Returns the block of `file` with this `number`.
    pub(crate) fn block(&self, file: FileKey, number: u64) -> Result<SentBlock, StoreError> {
        let key = Table::Blocks.key(file, number);
        let value = self.blocks.get(key.as_slice());
        let value = value.map_err(|error| of(file, error))?;
        let value = value.ok_or_else(|| StoreError::absent(file, Table::Blocks, number))?;
        SentBlock::read(file, number, value.value())
    }

    /// Returns the record of `file` with this `number`: a piece of a checkpoint or an entry of the
    /// journal.
    pub(crate) fn record<R: Record>(&self, file: FileKey, number: u64) -> Result<R, StoreError> {
        self.optional(file, number)?
            .ok_or_else(|| StoreError::absent(file, R::TABLE, number))
    }

    /// Returns the numbers of all stored blocks of a file.
    pub(crate) fn block_numbers(&self, file: FileKey) -> Result<Vec<u64>, StoreError> {
        let [first, last] = Table::Blocks.range(file, 0, u64::MAX);
        let range = self.blocks.range(first.as_slice()..=last.as_slice());
        range
            .map_err(|error| of(file, error))?
            .map(|entry| match entry {
                Ok((key, _)) => Ok(numbers(key.value())[1]),
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
