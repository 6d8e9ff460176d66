//! Requests and responses exchanged between client and server.
//!
//! Every request that changes a file contains the owner's signature ([`SignedRequest`]). Audits and
//! reads are unsigned. For them, a client needs only the file's identifier, and a [`FileState`] to
//! verify the answer against.

use std::time::SystemTime;

use flexlist::{
    FileId, FileState, Level,
    challenge::Challenge,
    internals::{BlockEdit, Bytes, LevelTooHigh, StoredBlock},
    list::{Block, ListState, Operation},
    tag::BlockTag,
};
use pad_core::{Digest, codec::Message, internals::sequence};
use serde::{Deserialize, Serialize};

use crate::count;

/// Maximum number of blocks in one [`Part`].
pub const MAX_PART_BLOCKS: usize = 1 << 11;

/// Maximum number of changes in one [`FileUpdate`].
pub const MAX_EDITS: usize = 1 << 12;

/// Maximum number of blocks in the answer to one audit.
pub const MAX_AUDIT_BLOCKS: usize = 1 << 16;

/// Maximum number of blocks in the answer to one read.
pub const MAX_READ_BLOCKS: usize = 1 << 16;

/// Maximum time in seconds by which [`Begin::expires`] may lie in the future: one day.
pub const MAX_BEGIN_SECONDS: u64 = 86_400;

/// A block, as sent from the owner to the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentBlock {
    /// The tag that the owner's tag scheme computed for the block.
    pub tag: BlockTag,
    /// The block's bytes, at least one.
    pub data: Bytes,
}

impl SentBlock {
    /// Returns the length of the block in bytes.
    pub fn length(&self) -> u64 {
        count(self.data.0.len())
    }

    /// Returns the block with its tag, as input of checks.
    pub(crate) fn tagged(&self) -> StoredBlock<'_> {
        StoredBlock {
            tag: &self.tag,
            data: self.data.as_ref(),
        }
    }

    /// Converts the block to its entry in the block list, with `level` and `label`.
    pub(crate) fn listed(&self, level: Level, label: u64) -> Block {
        Block {
            length: self.length(),
            tag_digest: Digest(self.tag.digest()),
            level,
            label,
        }
    }
}

/// The owner's first request about a file, which begins its upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// The owner's Ed25519 public key.
    pub owner: [u8; 32],
    /// The salt from which, with `owner`, the file's identifier is derived.
    pub salt: [u8; 16],
    /// The parameters with which the server creates proofs for the file's tags (`flexlist::tag`),
    /// encoded.
    pub server_parameters: Bytes,
    /// Time until which this request may begin a file, in seconds since 1970. At most
    /// [`MAX_BEGIN_SECONDS`] ahead of the server's clock. A server needs to remember removed files
    /// only until this time. Ignored if the file exists already.
    pub expires: u64,
}

impl Begin {
    /// Returns the value of `expires` for a request made at time `now`: half of
    /// [`MAX_BEGIN_SECONDS`] later. The clocks of client and server may thus differ by up to the
    /// other half.
    pub fn expires_after(now: SystemTime) -> u64 {
        let now = now
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        now.as_secs().saturating_add(MAX_BEGIN_SECONDS / 2)
    }
}

/// One part of an upload. Parts are numbered from 0 and sent in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The identifier of the file.
    pub file: FileId,
    /// The number of the part.
    pub number: u64,
    /// The blocks of the part, in order: at most [`MAX_PART_BLOCKS`].
    #[serde(deserialize_with = "sequence::<_, _, MAX_PART_BLOCKS>")]
    pub blocks: Vec<SentBlock>,
}

/// The request that ends an upload. It describes version 1 of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finish {
    /// The identifier of the file.
    pub file: FileId,
    /// The number of parts sent.
    pub parts: u64,
    /// The root of the block list over all blocks. The levels are those of `flexlist`'s initial
    /// build.
    pub root: Digest<32>,
    /// The length of the file in bytes.
    pub total: u64,
}

/// One change of a file's block sequence, as sent to the server: blocks include their tags, and new
/// blocks their levels.
pub type SentEdit = BlockEdit<InsertedBlock, SentBlock>;

/// A new block, and its level in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InsertedBlock {
    /// The level that the owner drew. A number that is not a valid [`Level`] makes the edit
    /// invalid, but the message still decodes.
    pub level: u8,
    /// The new block, with its tag.
    pub block: SentBlock,
}

/// Converts an edit into a list operation. The edit's block, if any, gets `label`.
pub(crate) fn operation(edit: &SentEdit, label: u64) -> Result<Operation, LevelTooHigh> {
    Ok(match edit {
        BlockEdit::Insert { index, block } => Operation::Insert {
            index: *index,
            block: block.block.listed(Level::try_from(block.level)?, label),
        },
        BlockEdit::Modify { index, block } => Operation::Modify {
            index: *index,
            length: block.length(),
            tag_digest: Digest(block.tag.digest()),
            label,
        },
        BlockEdit::Remove { index } => Operation::Remove { index: *index },
    })
}

/// A batch of changes that turns version `base_version` into the next version. Applied atomically.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileUpdate {
    /// The identifier of the file.
    pub file: FileId,
    /// The version that the changes apply to.
    pub base_version: u64,
    /// The changes, at least one and at most [`MAX_EDITS`].
    #[serde(deserialize_with = "sequence::<_, _, MAX_EDITS>")]
    pub edits: Vec<SentEdit>,
}

/// The owner's acknowledgement that it has stored the root of `version`. The server may delete data
/// that only earlier versions need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledge {
    /// The identifier of the file.
    pub file: FileId,
    /// The version whose root the owner has stored.
    pub version: u64,
}

/// The owner's request to abandon an unfinished upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abort {
    /// The identifier of the file.
    pub file: FileId,
}

/// The owner's request to remove a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delete {
    /// The identifier of the file.
    pub file: FileId,
    /// The version that the owner knows as the current one. The server refuses the request if
    /// another writer has changed the file since.
    pub version: u64,
}

/// The owner's statement that it has verified `version` and stored its root. The statement has the
/// effect of an [`Acknowledge`]. The server also keeps the statement and sends it to any client
/// that requests it ([`Request::Confirmed`]).
///
/// An owner may find a server at an older version, restored from a backup. The statement tells the
/// owner which version that is, and proves that the owner signed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirm {
    /// The identifier of the file.
    pub file: FileId,
    /// The version that the owner has verified.
    pub version: u64,
    /// The root of the version's block list.
    pub root: Digest<32>,
    /// The length of the file in bytes.
    pub total: u64,
}

/// The owner's signed statement about the contents of a version. Its body contains file identifier,
/// version, root and length, which [`OwnerStatement::open`] returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OwnerStatement {
    /// A signed [`Finish`], which describes version 1.
    Finish(SignedRequest),
    /// A signed [`Confirm`], which describes the version that it names.
    Confirm(SignedRequest),
}

/// An encoded request body, with the owner's signature over these bytes.
///
/// The signature is over `"flexlist/request/v1" || kind || SHA-256(body)`, where `kind` is the byte
/// of a [`crate::signed::RequestKind`]. [`SignedRequest::new`] creates and signs a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedRequest {
    /// The request body, encoded by `codec::encode_body`.
    pub body: Bytes,
    /// The owner's Ed25519 signature, 64 bytes.
    pub signature: Bytes,
}

/// A request from a client to the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// A signed [`Begin`], which begins an upload.
    Begin(SignedRequest),
    /// A signed [`Part`] of an upload.
    Part(SignedRequest),
    /// A signed [`Finish`], which ends an upload.
    Finish(SignedRequest),
    /// A signed [`FileUpdate`], which changes a file.
    Update(SignedRequest),
    /// A signed [`Acknowledge`]: the owner has stored a version's root.
    Acknowledge(SignedRequest),
    /// Requests proof that the server has the challenged blocks.
    Audit {
        /// The identifier of the file.
        file: FileId,
        /// The version of the file that the client knows.
        version: u64,
        /// The challenge, which selects the blocks.
        challenge: Challenge,
    },
    /// Requests the blocks that overlap a range of bytes, with a proof.
    Read {
        /// The identifier of the file.
        file: FileId,
        /// The version of the file that the client knows.
        version: u64,
        /// The index in the file of the first requested byte.
        start: u64,
        /// The index in the file of the byte after the last requested byte.
        end: u64,
    },
    /// Requests the current status of a file.
    Status {
        /// The identifier of the file.
        file: FileId,
    },
    /// A signed [`Abort`], which abandons an upload.
    Abort(SignedRequest),
    /// A signed [`Delete`], which removes a file.
    Delete(SignedRequest),
    /// A signed [`Confirm`]: the owner has verified a version and stored its root.
    Confirm(SignedRequest),
    /// Requests the owner's latest signed statement about a version, and the file's status.
    Confirmed {
        /// The identifier of the file.
        file: FileId,
    },
}

/// The state of a file, as claimed by the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStatus {
    /// The current version; 0 while the upload is not finished.
    pub version: u64,
    /// The root of the file's block list.
    pub root: Digest<32>,
    /// The length of the file in bytes.
    pub total: u64,
    /// The number of blocks of the file.
    pub blocks: u64,
    /// The number of the next part that an unfinished upload needs, counted from 0.
    pub next_part: u64,
}

impl FileStatus {
    /// Returns the claimed version as a [`FileState`] of the file `file`.
    pub const fn state(&self, file: FileId) -> FileState {
        FileState {
            file,
            version: self.version,
            list: ListState {
                root: self.root,
                total: self.total,
            },
        }
    }
}

/// A block in the answer to a read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBlock {
    /// The committed part of the block's tag. The block's leaf in the list stores its digest.
    pub committed: Bytes,
    /// The block's bytes.
    pub data: Bytes,
}

/// A response from the server to a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Response {
    /// The file's status. Answers `Begin`, `Part`, `Finish`, `Acknowledge`, `Confirm` and `Status`.
    State(FileStatus),
    /// Answers `Update`, with the proof from which the client derives the new root.
    Updated {
        /// The status of the file after the update.
        status: FileStatus,
        /// The part of the block list before the update that the changes read. Input of
        /// `flexlist::list::verify_update`.
        witness: Bytes,
    },
    /// Answers `Audit`, with a proof that the server possesses the challenged blocks.
    Audited {
        /// The block list's proof of the blocks that contain the challenged bytes.
        list_proof: Bytes,
        /// The committed part of each challenged block's tag, in file order. At most
        /// [`MAX_AUDIT_BLOCKS`].
        #[serde(deserialize_with = "sequence::<_, _, MAX_AUDIT_BLOCKS>")]
        committed: Vec<Bytes>,
        /// The tag scheme's proof that the server possesses these blocks.
        tag_proof: Bytes,
    },
    /// Answers `Read`, with the requested blocks and a proof.
    Read {
        /// The block list's proof of the blocks that overlap the requested range.
        list_proof: Bytes,
        /// Every block that overlaps the requested range, in file order. At most
        /// [`MAX_READ_BLOCKS`].
        #[serde(deserialize_with = "sequence::<_, _, MAX_READ_BLOCKS>")]
        blocks: Vec<ReadBlock>,
    },
    /// The request was refused. Nothing changed, except that a change may have been made after
    /// [`Refusal::CannotWrite`] or [`Refusal::StoreFailed`].
    Refused(Refusal),
    /// Answers `Abort` and `Delete`: the file is removed. A repeated request gets this answer too,
    /// as long as the server remembers the removal (for [`MAX_BEGIN_SECONDS`] or more).
    Removed,
    /// Answers `Confirmed`, with the owner's latest signed statement.
    Confirmed {
        /// The file's current status. Its version is that of the statement, or a later one that the
        /// owner has not confirmed yet.
        status: FileStatus,
        /// The owner's latest signed statement.
        statement: OwnerStatement,
    },
}

/// The reason for which a server refuses a request. Displayed as one clause of a message, in which
/// text from the server is escaped, so that it cannot inject terminal sequences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no file with this id.
    #[error("no file has this id")]
    UnknownFile,
    /// The requested version is neither the current version nor its predecessor, or the predecessor
    /// is no longer stored.
    #[error("version {requested} is not available, the current version is {current}")]
    UnknownVersion {
        /// The version that the client asked for.
        requested: u64,
        /// The server's current version.
        current: u64,
    },
    /// The upload of this file is not finished.
    #[error("the upload is not finished, its next part is {next_part}")]
    UploadUnfinished {
        /// The number of the next part that the upload needs, counted from 0.
        next_part: u64,
    },
    /// The upload of this file is finished already.
    #[error("the upload is finished already")]
    UploadFinished,
    /// The part sent is not the next one of the upload.
    #[error("the part is out of order, the next part is {expected}")]
    PartOutOfOrder {
        /// The number of the next part that the upload needs, counted from 0.
        expected: u64,
    },
    /// The request's signature is not that of the file's owner.
    #[error("the signature is not the owner's")]
    WrongOwner,
    /// A file of this owner and salt exists already, with other parameters.
    #[error("the file's id is taken by a file with other parameters")]
    WrongFileId,
    /// Another update came first: fetch the new state and base the update on it.
    #[error(
        "the update is outdated: it is for version {base}, but another update led to version \
         {current}"
    )]
    StaleBase {
        /// The version that the update applies to.
        base: u64,
        /// The server's current version.
        current: u64,
    },
    /// The blocks do not match the root and length that the owner signed.
    #[error("the blocks do not match the signed root or length")]
    RootMismatch,
    /// The request (an update or a range, for example) is invalid for this file. Contains the
    /// reason.
    #[error("invalid: {}", .0.escape_debug())]
    Invalid(String),
    /// A message, an answer, or a total (such as the bytes of an owner's files) exceeds a limit of
    /// the server. Contains the reason.
    #[error("too large: {}", .0.escape_debug())]
    TooLarge(String),
    /// The tags sent do not match their blocks.
    #[error("the tags do not match the blocks")]
    TagsInvalid,
    /// The server is busy or stopping: try again.
    #[error("busy or stopping, try again")]
    Unavailable,
    /// The server cannot read its own store. Contains the reason.
    #[error("its store failed: {}", .0.escape_debug())]
    StoreFailed(String),
    /// The server cannot write for now, because its disk is full or fails. Reads and audits of
    /// stored files continue to work. Try again later.
    #[error("it cannot write for now, only read: its disk is full or fails, try again later")]
    CannotWrite,
    /// The owner has removed the file with this identifier. The identifier cannot be reused: to
    /// upload the file again, the owner takes another salt.
    #[error("the file was removed by its owner")]
    Removed,
    /// Only listed owners may begin files on this server, and this owner is not one of them.
    #[error("this owner may not begin files here")]
    OwnerNotAllowed,
    /// The first request about a file has expired, or expires too far ahead. See
    /// [`Begin::expires`].
    #[error(
        "the request to begin the upload has expired, or expires too far ahead: the server's clock \
         is at {now} seconds since 1970"
    )]
    BeginExpired {
        /// The time of the server's clock, in seconds since 1970.
        now: u64,
    },
}

impl Message for Request {
    const KIND: u8 = 96;
    const SUITE: u16 = 0;
}

impl Message for Response {
    const KIND: u8 = 97;
    const SUITE: u16 = 0;
}
