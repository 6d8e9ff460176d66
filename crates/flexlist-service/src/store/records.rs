//! The values (records) of the store's tables.

use flexlist::{
    FileId,
    internals::Bytes,
    list::{Block, Operation},
};
use pad_core::{Digest, codec};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    FileKey, StoreError,
    tables::{Change, Table, unsealed},
};
use crate::message::{OwnerStatement, SentBlock};

/// A value of one of the store's tables. The stored value is a digest, then the encoded body.
pub(crate) trait Record: Serialize + DeserializeOwned {
    /// The table that contains these records.
    const TABLE: Table;

    /// Encodes the record's body: the stored value without the digest at its beginning.
    fn body(&self) -> Vec<u8> {
        codec::encode_body(self)
    }

    /// Decodes the `value` stored under the key (`file`, `number`), and checks that it is intact.
    fn read(file: FileKey, number: u64, value: &[u8]) -> Result<Self, StoreError> {
        let body = unsealed(Self::TABLE, file, number, value)?;
        codec::decode_body(body).map_err(|error| {
            let what = Self::TABLE.what();
            StoreError::damaged(file, format!("{what} {number} has another form: {error}"))
        })
    }

    /// Decodes the `value` stored under the identifier of a file.
    fn read_entry(id: FileId, value: &[u8]) -> Result<Self, StoreError> {
        Self::read(FileKey { number: 0, id }, 0, value)
    }

    /// Returns the change that writes the record under the key (`file`, `number`).
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
    /// The number that stands for the file in the keys of the other tables.
    pub(crate) number: u64,
    /// The Ed25519 public key of the file's owner.
    pub(crate) owner: [u8; 32],
    /// The tag scheme's parameters for the server, encoded.
    pub(crate) server_parameters: Bytes,
}

/// The current state of a file, without its list of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// The current version; 0 while the upload is not finished.
    pub(crate) version: u64,
    /// The root of the block list; meaningless in version 0.
    pub(crate) root: Digest<32>,
    /// The length of the file in bytes. In version 0, the length of the parts received so far.
    pub(crate) total: u64,
    /// The number of blocks. In version 0, the number of blocks received so far.
    pub(crate) blocks: u64,
    /// The number of the next part that an upload needs. After the upload, the number of its parts.
    pub(crate) next_part: u64,
    /// The digest of the last upload request executed. Identifies a request that is sent again.
    pub(crate) last_upload: Digest<32>,
    /// The number that the next new block gets in the table of blocks.
    pub(crate) next_block: u64,
    /// The version that the checkpoint contains; 0 until the upload is finished.
    pub(crate) checkpoint: u64,
    /// The number of the first piece of the checkpoint.
    pub(crate) first_piece: u64,
    /// The number after that of the last piece of the checkpoint.
    pub(crate) end_piece: u64,
    /// The number of list operations in the journal since the checkpoint.
    pub(crate) journalled: u64,
    /// Whether the version before the current one is still stored.
    pub(crate) keeps_previous: bool,
    /// The numbers of the stored blocks that the current version does not contain.
    pub(crate) superseded: Vec<u64>,
    /// The total length in bytes of the blocks in `superseded`.
    pub(crate) superseded_bytes: u64,
    /// The length in bytes of the stored answer to the last update.
    pub(crate) answer_bytes: u64,
    /// Time of the last part of an unfinished upload, or of its begin, in seconds since 1970.
    pub(crate) touched: u64,
}

/// The server's answer to the update that produced the current version. Repeated if the update is
/// sent again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The version that the update produced.
    pub(crate) version: u64,
    /// The digest of the update's body, which identifies the update.
    pub(crate) request: Digest<32>,
    /// The proof from which the owner derives the new root.
    pub(crate) witness: Bytes,
}

/// The owner's newest signed statement about a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StatementRecord {
    /// The version that the statement is about.
    pub(crate) version: u64,
    /// The owner's signed statement.
    pub(crate) statement: OwnerStatement,
}

/// The record of a removed file. It is kept as long as the request that began the file could be
/// repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RemovalRecord {
    /// The Ed25519 public key of the owner.
    pub(crate) owner: [u8; 32],
    /// End of the time for which the record is kept, in seconds since 1970.
    pub(crate) until: u64,
}

/// A piece of a checkpoint: a part of a file's sequence of blocks. A block's label is its number in
/// the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(crate) blocks: Vec<Block>,
}

/// The list operations that produced a version of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JournalEntry {
    pub(crate) operations: Vec<Operation>,
}

/// States the table of each type of record.
macro_rules! tables {
    ($($record:ty: $table:ident,)*) => {$(
        impl Record for $record {
            const TABLE: Table = Table::$table;
        }
    )*};
}

tables! {
    FileRecord: Files,
    Head: Heads,
    Answer: Answers,
    StatementRecord: Statements,
    RemovalRecord: Removed,
    SentBlock: Blocks,
    JournalEntry: Journal,
    Piece: Pieces,
}
