//! Tables of the store, and writes to them inside one transaction.

use flexlist::FileId;
use pad_disk::engine::EngineError;
use redb::{ReadableTable as _, TableDefinition, WriteTransaction};
use sha2::{Digest as _, Sha256};

use super::{FileKey, StoreError};

/// The tables of the store. A record's digest covers the number of its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Files,
    Heads,
    Answers,
    Blocks,
    Journal,
    Pieces,
    Statements,
    Removed,
    Doomed,
}

impl Table {
    /// Returns the number of the table, and a description of its records.
    const fn named(self) -> (u8, &'static str) {
        match self {
            Self::Files => (0, "the entry of file number"),
            Self::Heads => (1, "the head of file number"),
            Self::Answers => (2, "the last answer of file number"),
            Self::Blocks => (3, "block number"),
            Self::Journal => (4, "the journal of version"),
            Self::Pieces => (5, "checkpoint piece"),
            Self::Statements => (6, "the owner's word about file number"),
            Self::Removed => (7, "the note that it was removed, number"),
            Self::Doomed => (8, "the note of leftovers of file number"),
        }
    }

    /// Returns a description of a record of the table, for messages. A number follows it.
    pub(crate) const fn what(self) -> &'static str {
        self.named().1
    }
}

/// One change of a record of a file. All changes of a request are committed in one durable
/// transaction.
#[derive(Debug)]
pub(crate) enum Change {
    /// Removes a file: its entry, its head, and its records in all tables with one record per file.
    /// Its records in the large tables (blocks, journal and pieces) are deleted later, in batches.
    Gone {
        file: FileKey,
        /// The encoded record of the removal, if the store keeps one.
        removed: Option<Vec<u8>>,
    },
    /// Clears the mark of a removed file after its records in the large tables were deleted.
    Swept { file: FileKey },
    /// Deletes the record of the removal of a file.
    Forgotten { file: FileKey },
    /// Writes a record: `body` under the key (`file`, `number`) of `table`.
    Put {
        table: Table,
        file: FileKey,
        number: u64,
        body: Vec<u8>,
    },
    /// Deletes the record under the key (`file`, `number`) of `table`, a large table.
    Remove {
        table: Table,
        file: FileKey,
        number: u64,
    },
    /// Deletes the records of `file` in `table`, a large table, with numbers from `first` up to,
    /// but not including, `end`.
    RemoveRange {
        table: Table,
        file: FileKey,
        first: u64,
        end: u64,
    },
}

impl Change {
    /// Returns the approximate number of bytes that the change writes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Put { body, .. } => body.len(),
            Self::Gone { .. }
            | Self::Swept { .. }
            | Self::Forgotten { .. }
            | Self::Remove { .. }
            | Self::RemoveRange { .. } => 0,
        }
    }

    pub(super) fn apply(&self, tables: &mut Tables<'_>) -> Result<(), StoreError> {
        match self {
            Self::Gone { file, removed } => tables.bury(*file, removed.as_deref()),
            Self::Swept { file } => tables.doomed.remove(file.number).map_err(engine).map(drop),
            Self::Forgotten { file } => tables.removed.remove(&file.id.0).map_err(engine).map(drop),
            Self::Put {
                table,
                file,
                number,
                body,
            } => tables.insert(*table, *file, *number, body),
            Self::Remove {
                table,
                file,
                number,
            } => {
                let removed = tables.large(*table).remove((file.number, *number));
                removed.map_err(engine).map(drop)
            }
            Self::RemoveRange {
                table,
                file,
                first,
                end,
            } => {
                let range = (file.number, *first)..(file.number, *end);
                let removed = tables.large(*table).retain_in(range, |_, _| false);
                removed.map_err(engine)
            }
        }
    }
}

/// Maximum number of records of a removed file that one transaction deletes. Other requests wait
/// for the transaction.
const SWEPT_RECORDS: usize = 512;
/// Number of bytes in these records after which the transaction deletes no further record.
const SWEPT_BYTES: usize = 8 << 20;

/// The tables of the store, opened in one write transaction.
pub(super) struct Tables<'transaction> {
    files: redb::Table<'transaction, &'static [u8; 32], &'static [u8]>,
    heads: redb::Table<'transaction, u64, &'static [u8]>,
    answers: redb::Table<'transaction, u64, &'static [u8]>,
    statements: redb::Table<'transaction, u64, &'static [u8]>,
    removed: redb::Table<'transaction, &'static [u8; 32], &'static [u8]>,
    doomed: redb::Table<'transaction, u64, &'static [u8]>,
    blocks: LargeTable<'transaction>,
    journal: LargeTable<'transaction>,
    pieces: LargeTable<'transaction>,
}

type LargeTable<'transaction> = redb::Table<'transaction, (u64, u64), &'static [u8]>;

impl<'transaction> Tables<'transaction> {
    pub(super) fn open(transaction: &'transaction WriteTransaction) -> Result<Self, StoreError> {
        Ok(Self {
            files: transaction.open_table(FILES).map_err(engine)?,
            heads: transaction.open_table(HEADS).map_err(engine)?,
            answers: transaction.open_table(ANSWERS).map_err(engine)?,
            statements: transaction.open_table(STATEMENTS).map_err(engine)?,
            removed: transaction.open_table(REMOVED).map_err(engine)?,
            doomed: transaction.open_table(DOOMED).map_err(engine)?,
            blocks: transaction.open_table(BLOCKS).map_err(engine)?,
            journal: transaction.open_table(JOURNAL).map_err(engine)?,
            pieces: transaction.open_table(PIECES).map_err(engine)?,
        })
    }

    fn bury(&mut self, file: FileKey, removed: Option<&[u8]>) -> Result<(), StoreError> {
        self.files.remove(&file.id.0).map_err(engine)?;
        self.heads.remove(file.number).map_err(engine)?;
        self.answers.remove(file.number).map_err(engine)?;
        self.statements.remove(file.number).map_err(engine)?;
        self.insert(Table::Doomed, file, file.number, &file.id.0)?;
        match removed {
            Some(body) => self.insert(Table::Removed, file, 0, body),
            None => Ok(()),
        }
    }

    fn insert(
        &mut self,
        table: Table,
        file: FileKey,
        number: u64,
        body: &[u8],
    ) -> Result<(), StoreError> {
        let value = sealed(table, file, number, body);
        let value = value.as_slice();
        let written = match table {
            Table::Files => self.files.insert(&file.id.0, value).map(drop),
            Table::Removed => self.removed.insert(&file.id.0, value).map(drop),
            Table::Heads => self.heads.insert(file.number, value).map(drop),
            Table::Answers => self.answers.insert(file.number, value).map(drop),
            Table::Statements => self.statements.insert(file.number, value).map(drop),
            Table::Doomed => self.doomed.insert(file.number, value).map(drop),
            Table::Blocks | Table::Journal | Table::Pieces => {
                let key = (file.number, number);
                self.large(table).insert(key, value).map(drop)
            }
        };
        written.map_err(engine)
    }

    /// Returns a removed file whose records may not all be deleted yet, or `None`.
    pub(super) fn first_doomed(&self) -> Result<Option<FileKey>, StoreError> {
        let Some((number, value)) = self.doomed.first().map_err(engine)? else {
            return Ok(None);
        };
        let number = number.value();
        let id = FileId(value.value().last_chunk().copied().unwrap_or_default());
        let file = FileKey { number, id };
        unsealed(Table::Doomed, file, number, value.value())?;
        Ok(Some(file))
    }

    /// Deletes some records of a removed file from the large tables. Returns whether there may be
    /// more. `number` is the file's number.
    pub(super) fn sweep(&mut self, number: u64) -> Result<bool, StoreError> {
        let (mut records, mut bytes) = (0_usize, 0_usize);
        for table in [&mut self.blocks, &mut self.journal, &mut self.pieces] {
            let mut keys = Vec::new();
            let range = table.range((number, 0)..=(number, u64::MAX));
            for entry in range.map_err(engine)? {
                if records >= SWEPT_RECORDS || bytes >= SWEPT_BYTES {
                    break;
                }
                let (key, value) = entry.map_err(engine)?;
                records = records.saturating_add(1);
                bytes = bytes.saturating_add(value.value().len());
                keys.push(key.value());
            }
            for key in keys {
                table.remove(key).map_err(engine)?;
            }
        }
        Ok(records >= SWEPT_RECORDS || bytes >= SWEPT_BYTES)
    }

    fn large(&mut self, table: Table) -> &mut LargeTable<'transaction> {
        match table {
            Table::Journal => &mut self.journal,
            Table::Pieces => &mut self.pieces,
            _ => &mut self.blocks,
        }
    }
}

/// Returns the engine's definition of a large table (blocks, journal or pieces).
pub(crate) const fn definition(
    table: Table,
) -> TableDefinition<'static, (u64, u64), &'static [u8]> {
    match table {
        Table::Journal => JOURNAL,
        Table::Pieces => PIECES,
        _ => BLOCKS,
    }
}

/// Encodes a record: the first half of a digest of its table, key and body, then the body.
fn sealed(table: Table, file: FileKey, number: u64, body: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(SEAL.saturating_add(body.len()));
    value.extend_from_slice(&seal(table, file, number, body));
    value.extend_from_slice(body);
    value
}

/// Verifies the digest at the beginning of a stored `value`, and returns the record's body.
pub(crate) fn unsealed(
    table: Table,
    file: FileKey,
    number: u64,
    value: &[u8],
) -> Result<&[u8], StoreError> {
    match value.split_first_chunk::<SEAL>() {
        Some((found, body)) if *found == seal(table, file, number, body) => Ok(body),
        _ => Err(StoreError::damaged(
            file,
            format!("{} {number} is not what was written", table.what()),
        )),
    }
}

fn seal(table: Table, file: FileKey, number: u64, body: &[u8]) -> [u8; SEAL] {
    let mut hash = Sha256::new_with_prefix(b"flexlist/record/v1");
    hash.update([table.named().0]);
    hash.update(file.id.0);
    hash.update(number.to_be_bytes());
    hash.update(body);
    let digest: [u8; 32] = hash.finalize().into();
    digest.first_chunk().copied().unwrap_or_default()
}

/// Length in bytes of a record's digest. It detects accidents, not attacks: an attacker who can
/// write to the store can also write digests.
const SEAL: usize = 16;

pub(crate) fn engine(error: impl Into<redb::Error>) -> StoreError {
    EngineError::of(error).into()
}

pub(crate) const STATE: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("state");
pub(crate) const FILES: TableDefinition<'_, &[u8; 32], &[u8]> = TableDefinition::new("files");
pub(crate) const HEADS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("heads");
pub(crate) const ANSWERS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("answers");
pub(crate) const STATEMENTS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("statements");
pub(crate) const REMOVED: TableDefinition<'_, &[u8; 32], &[u8]> = TableDefinition::new("removed");
pub(crate) const DOOMED: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("doomed");
pub(crate) const BLOCKS: TableDefinition<'_, (u64, u64), &[u8]> = TableDefinition::new("blocks");
pub(crate) const JOURNAL: TableDefinition<'_, (u64, u64), &[u8]> = TableDefinition::new("journal");
pub(crate) const PIECES: TableDefinition<'_, (u64, u64), &[u8]> = TableDefinition::new("pieces");

pub(crate) const FORMAT: &str = "format";
