//! What the values of the tables hold.

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

/// The value of a table: the body of its encoding.
pub(crate) trait Record: Serialize + DeserializeOwned {
    /// Where it is.
    const TABLE: Table;

    /// The bytes to write.
    fn body(&self) -> Vec<u8> {
        codec::encode_body(self)
    }

    /// Reads what was written at this place.
    fn read(file: FileKey, number: u64, value: &[u8]) -> Result<Self, StoreError> {
        let body = unsealed(Self::TABLE, file, number, value)?;
        codec::decode_body(body).map_err(|error| {
            let what = Self::TABLE.what();
            StoreError::damaged(file, format!("{what} {number} has another form: {error}"))
        })
    }

    /// The change that writes it.
    fn put(&self, file: FileKey, number: u64) -> Change {
        Change::Put {
            table: Self::TABLE,
            file,
            number,
            body: self.body(),
        }
    }
}

/// How a file was begun; never changes.
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

/// Where a file stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// 0 while the upload is not finished.
    pub(crate) version: u64,
    /// The root; of no meaning in version 0.
    pub(crate) root: Digest<32>,
    /// The length of the file in bytes; in version 0, of what came of it.
    pub(crate) total: u64,
    /// How many blocks it has; in version 0, how many came.
    pub(crate) blocks: u64,
    /// The next part that an upload needs; later, how many parts there were.
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
    /// How many operations the journal has since the checkpoint.
    pub(crate) journalled: u64,
    /// Whether the version before this one is still kept.
    pub(crate) keeps_previous: bool,
    /// The blocks that only the version before this one has.
    pub(crate) superseded: Vec<u64>,
    /// Their bytes.
    pub(crate) superseded_bytes: u64,
    /// The length of the answer that is kept.
    pub(crate) answer_bytes: u64,
    /// When the last part came of an upload that is not finished, in seconds since 1970.
    pub(crate) touched: u64,
}

/// The answer to the update that led to the current version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The version that the update made.
    pub(crate) version: u64,
    /// The digest of the update's body.
    pub(crate) request: Digest<32>,
    /// What the owner verifies the new root with.
    pub(crate) witness: Bytes,
}

/// The newest version that the owner vouched for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Vouched {
    /// The version.
    pub(crate) version: u64,
    /// What the owner signed.
    pub(crate) statement: OwnerStatement,
}

/// A file that was removed, for as long as the request that began it could be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Removed {
    /// The owner's public key.
    pub(crate) owner: [u8; 32],
    /// Until when, in seconds since 1970.
    pub(crate) until: u64,
}

/// A part of the sequence of blocks; their labels are their numbers in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(crate) blocks: Vec<Block>,
}

/// The operations that led to a version.
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

impl Record for Vouched {
    const TABLE: Table = Table::Statements;
}

impl Record for Removed {
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
