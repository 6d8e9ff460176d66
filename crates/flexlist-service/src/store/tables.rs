//! Tables of the store, and writes to them inside one transaction.

use flexlist::FileId;
use pad_disk::{Seal, engine::EngineError};
use redb::{ReadableTable as _, TableDefinition, WriteTransaction};

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
    const ALL: [Self; 9] = [
        Self::Files,
        Self::Heads,
        Self::Answers,
        Self::Blocks,
        Self::Journal,
        Self::Pieces,
        Self::Statements,
        Self::Removed,
        Self::Doomed,
    ];

    /// Returns the table's number, its name, and the description of a record, for messages.
    const fn parts(self) -> (u8, &'static str, &'static str) {
        match self {
            Self::Files => (0, "files", "the entry of file number"),
            Self::Heads => (1, "heads", "the head of file number"),
            Self::Answers => (2, "answers", "the last answer of file number"),
            Self::Blocks => (3, "blocks", "block number"),
            Self::Journal => (4, "journal", "the journal of version"),
            Self::Pieces => (5, "pieces", "checkpoint piece"),
            Self::Statements => (6, "statements", "the owner's word about file number"),
            Self::Removed => (7, "removed", "the note that it was removed, number"),
            Self::Doomed => (8, "doomed", "the note of leftovers of file number"),
        }
    }

    /// Returns a description of a record of the table, for messages. A number follows it.
    pub(crate) const fn what(self) -> &'static str {
        self.parts().2
    }

    /// Returns the engine's definition of the table.
    pub(super) const fn definition(self) -> TableDefinition<'static, Bytes, Bytes> {
        TableDefinition::new(self.parts().1)
    }

    /// Returns the key of a record of `file` in this table.
    pub(super) fn key(self, file: FileKey, number: u64) -> Vec<u8> {
        match self {
            Self::Files | Self::Removed => file.id.0.to_vec(),
            _ => [file.number.to_be_bytes(), number.to_be_bytes()].concat(),
        }
    }

    /// Returns the keys of the records of `file` from `first` to `last`, both included.
    pub(super) fn range(self, file: FileKey, first: u64, last: u64) -> [Vec<u8>; 2] {
        [first, last].map(|number| self.key(file, number))
    }
}

type Bytes = &'static [u8];

/// Returns the two numbers in a key: the number of the file, and the number of the record.
pub(super) fn numbers(key: &[u8]) -> [u64; 2] {
    [key.first_chunk(), key.last_chunk()]
        .map(|number| u64::from_be_bytes(number.copied().unwrap_or_default()))
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
    /// Writes a record: `body` under the key (`file`, `number`) of `table`.
    Put {
        table: Table,
        file: FileKey,
        number: u64,
        body: Vec<u8>,
    },
    /// Deletes the record under the key (`file`, `number`) of `table`.
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
            Self::Gone { .. } | Self::Remove { .. } | Self::RemoveRange { .. } => 0,
        }
    }

    pub(super) fn apply(&self, tables: &Tables<'_>) -> Result<(), StoreError> {
        match self {
            Self::Gone { file, removed } => tables.bury(*file, removed.as_deref()),
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
            } => tables.remove(*table, *file, *number),
            Self::RemoveRange {
                table,
                file,
                first,
                end,
            } => {
                let [first, end] = table.range(*file, *first, *end);
                let mut rows = tables.open(*table)?;
                let removed = rows.retain_in(first.as_slice()..end.as_slice(), |_, _| false);
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

/// The tables of the store in one write transaction.
pub(super) struct Tables<'t>(pub(super) &'t WriteTransaction);

impl<'t> Tables<'t> {
    /// Creates all tables.
    pub(super) fn create(&self) -> Result<(), StoreError> {
        let create = |table| self.open(table).map(drop);
        Table::ALL.into_iter().try_for_each(create)
    }

    /// Opens a table. Each table can be open once at a time.
    fn open(&self, table: Table) -> Result<redb::Table<'t, Bytes, Bytes>, StoreError> {
        self.0.open_table(table.definition()).map_err(engine)
    }

    fn bury(&self, file: FileKey, removed: Option<&[u8]>) -> Result<(), StoreError> {
        for table in [
            Table::Files,
            Table::Heads,
            Table::Answers,
            Table::Statements,
        ] {
            self.remove(table, file, 0)?;
        }
        self.insert(Table::Doomed, file, file.number, &file.id.0)?;
        match removed {
            Some(body) => self.insert(Table::Removed, file, 0, body),
            None => Ok(()),
        }
    }

    fn insert(
        &self,
        table: Table,
        file: FileKey,
        number: u64,
        body: &[u8],
    ) -> Result<(), StoreError> {
        let value = sealed(table, file, number, body);
        let mut rows = self.open(table)?;
        let before = rows.insert(table.key(file, number).as_slice(), value.as_slice());
        before.map(drop).map_err(engine)
    }

    fn remove(&self, table: Table, file: FileKey, number: u64) -> Result<(), StoreError> {
        let mut rows = self.open(table)?;
        let before = rows.remove(table.key(file, number).as_slice());
        before.map(drop).map_err(engine)
    }

    /// Returns a removed file whose records may not all be deleted yet, or `None`.
    pub(super) fn first_doomed(&self) -> Result<Option<FileKey>, StoreError> {
        let rows = self.open(Table::Doomed)?;
        let Some((key, value)) = rows.first().map_err(engine)? else {
            return Ok(None);
        };
        let [number, _] = numbers(key.value());
        let id = FileId(value.value().last_chunk().copied().unwrap_or_default());
        let file = FileKey { number, id };
        unsealed(Table::Doomed, file, number, value.value())?;
        Ok(Some(file))
    }

    /// Deletes some records of a removed file from the large tables. Then clears the mark of the
    /// file if there are no more.
    pub(super) fn sweep(&self, file: FileKey) -> Result<(), StoreError> {
        let (mut records, mut bytes) = (0_usize, 0_usize);
        for table in [Table::Blocks, Table::Journal, Table::Pieces] {
            let mut rows = self.open(table)?;
            let mut keys = Vec::new();
            let [first, last] = table.range(file, 0, u64::MAX);
            let range = rows.range(first.as_slice()..=last.as_slice());
            for entry in range.map_err(engine)? {
                if records >= SWEPT_RECORDS || bytes >= SWEPT_BYTES {
                    break;
                }
                let (key, value) = entry.map_err(engine)?;
                records = records.saturating_add(1);
                bytes = bytes.saturating_add(value.value().len());
                keys.push(key.value().to_vec());
            }
            for key in keys {
                rows.remove(key.as_slice()).map_err(engine)?;
            }
        }
        if records >= SWEPT_RECORDS || bytes >= SWEPT_BYTES {
            return Ok(());
        }
        self.remove(Table::Doomed, file, file.number)
    }
}

/// Encodes a record: the first half of a digest of its table, key and body, then the body.
fn sealed(table: Table, file: FileKey, number: u64, body: &[u8]) -> Vec<u8> {
    let (table, ..) = table.parts();
    SEAL.seal(&[&[table], &file.id.0, &number.to_be_bytes()], body)
}

/// Verifies the digest at the beginning of a stored `value`, and returns the record's body.
pub(crate) fn unsealed(
    table: Table,
    file: FileKey,
    number: u64,
    value: &[u8],
) -> Result<&[u8], StoreError> {
    let (kind, _, what) = table.parts();
    let body = SEAL.open(&[&[kind], &file.id.0, &number.to_be_bytes()], value);
    body.ok_or_else(|| {
        StoreError::damaged(file, format!("{what} {number} is not what was written"))
    })
}

const SEAL: Seal<16> = Seal::new(b"flexlist/record/v2");

pub(crate) fn engine(error: impl Into<redb::Error>) -> StoreError {
    EngineError::of(error).into()
}

pub(crate) const STATE: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("state");
pub(crate) const FORMAT: &str = "format";
