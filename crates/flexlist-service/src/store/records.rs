//! Records: the values of the tables.

use flexlist::{
    FileId,
    bytes::Bytes,
    list::{Block, Operation},
};
use pad_core::{Digest, codec};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    FileKey, StoreError,
    tables::{Change, Table, unsealed},
};
use crate::message::{OwnerStatement, SentBlock};

/// A value of a table, encoded as the body of its encoding.
pub(crate) trait Record: Serialize + DeserializeOwned {
    /// The table of these records.
    const TABLE: Table;

    /// Encodes the record.
    fn body(&self) -> Vec<u8> {
        codec::encode_body(self)
    }

    /// Verifies and decodes the value at the key `file`, `number`.
    fn read(file: FileKey, number: u64, value: &[u8]) -> Result<Self, StoreError> {
        let body = unsealed(Self::TABLE, file, number, value)?;
        codec::decode_body(body).map_err(|error| {
            let what = Self::TABLE.what();
            StoreError::damaged(file, format!("{what} {number} has another form: {error}"))
        })
    }

    /// Returns the change that writes the record.
    fn put(&self, file: FileKey, number: u64) -> Change {
        Change::Put {
            table: Self::TABLE,
            file,
            number,
            body: self.body(),
        }
    }
}

/// The immutable properties of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    /// The file's number in the keys of the other tables.
    pub(crate) number: u64,
    /// The owner's public key.
    pub(crate) owner: [u8; 32],
    /// The tag scheme's parameters.
    pub(crate) server_parameters: Bytes,
}

impl FileRecord {
    pub(crate) fn read_entry(id: FileId, value: &[u8]) -> Result<Self, StoreError> {
        Self::read(FileKey { number: 0, id }, 0, value)
    }
}

/// The current state of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// 0 while the upload is not finished.
    pub(crate) version: u64,
    /// The root; meaningless in version 0.
    pub(crate) root: Digest<32>,
    /// The length of the file in bytes. In version 0, the length of the parts received so far.
    pub(crate) total: u64,
    /// The number of blocks. In version 0, the number of blocks received so far.
    pub(crate) blocks: u64,
    /// The next part that an upload needs. After the upload, the number of its parts.
    pub(crate) next_part: u64,
    /// The digest of the last request of the upload.
    pub(crate) last_upload: Digest<32>,
    /// The number of the next new block.
    pub(crate) next_block: u64,
    /// The version of the checkpoint; 0 until the upload is finished.
    pub(crate) checkpoint: u64,
    /// The first piece of the checkpoint.
    pub(crate) first_piece: u64,
    /// One past the last piece of the checkpoint.
    pub(crate) end_piece: u64,
    /// The number of operations in the journal since the checkpoint.
    pub(crate) journalled: u64,
    /// Whether the version before this one is still stored.
    pub(crate) keeps_previous: bool,
    /// The numbers of the stored blocks that this version does not contain.
    pub(crate) superseded: Vec<u64>,
    /// The total length of the superseded blocks in bytes.
    pub(crate) superseded_bytes: u64,
    /// The length of the stored answer in bytes.
    pub(crate) answer_bytes: u64,
    /// Time of the last part of an unfinished upload, or of its begin, in seconds since 1970.
    pub(crate) touched: u64,
}

/// The answer to the update that produced the current version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The version that the update made.
    pub(crate) version: u64,
    /// The digest of the update's body.
    pub(crate) request: Digest<32>,
    /// The evidence from which the owner derives the new root.
    pub(crate) witness: Bytes,
}

/// The newest version for which the store has the owner's signed statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StatementRecord {
    /// The version.
    pub(crate) version: u64,
    /// The signed statement.
    pub(crate) statement: OwnerStatement,
}

/// The record of a removed file, kept as long as the request that began it could be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RemovalRecord {
    /// The owner's public key.
    pub(crate) owner: [u8; 32],
    /// End of the retention time, in seconds since 1970.
    pub(crate) until: u64,
}

/// A part of the sequence of blocks. Their labels are their numbers in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(crate) blocks: Vec<Block>,
}

/// The operations that produced a version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JournalEntry {
    pub(crate) operations: Vec<Operation>,
}

impl Record for FileRecord {
    const TABLE: Table = Table::Files;
}

impl Record for Head {
    const TABLE: Table = Table::Heads;
}

impl Record for Answer {
    const TABLE: Table = Table::Answers;
}

impl Record for StatementRecord {
    const TABLE: Table = Table::Statements;
}

impl Record for RemovalRecord {
    const TABLE: Table = Table::Removed;
}

impl Record for SentBlock {
    const TABLE: Table = Table::Blocks;
}

impl Record for JournalEntry {
    const TABLE: Table = Table::Journal;
}

impl Record for Piece {
    const TABLE: Table = Table::Pieces;
}
