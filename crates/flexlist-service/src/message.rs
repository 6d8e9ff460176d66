//! Requests and responses exchanged between client and server.
//!
//! Every request that changes a file contains the owner's signature ([`SignedRequest`]). Audits and
//! reads are unsigned: a client needs only the file's id, and a state to verify the answer against.

use core::fmt;
use std::time::SystemTime;

use flexlist::{
    FileId, FileState,
    bytes::Bytes,
    challenge::Challenge,
    edit::BlockEdit,
    level::{Level, LevelTooHigh},
    list::{Block, ListState, Operation},
    tag::BlockTag,
};
use pad_core::{Digest, codec::Message};
use serde::{Deserialize, Serialize};

use crate::bounded;

/// Maximum number of blocks in one [`Part`].
pub const MAX_PART_BLOCKS: usize = 1 << 11;

/// Maximum number of changes in one [`FileUpdate`].
pub const MAX_EDITS: usize = 1 << 12;

/// Maximum number of blocks in the answer to one audit.
pub const MAX_AUDIT_BLOCKS: usize = 1 << 16;

/// Maximum number of blocks in the answer to one read.
pub const MAX_READ_BLOCKS: usize = 1 << 16;

/// Maximum distance of [`Begin::expires`] into the future: one day.
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
    /// The block's length in bytes.
    pub fn length(&self) -> u64 {
        // Lossless on every target of std.
        u64::try_from(self.data.0.len()).unwrap_or(u64::MAX)
    }

    /// The list entry of this block, with `level` and `label`.
    pub(crate) fn listed(&self, level: Level, label: u64) -> Block {
        Block {
            length: self.length(),
            tag_digest: Digest(self.tag.digest()),
            level,
            label,
        }
    }
}

/// The owner's first request about a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// The owner's Ed25519 public key.
    pub owner: [u8; 32],
    /// The salt that, with `owner`, gives the file's id.
    pub salt: [u8; 16],
    /// The tag scheme's parameters for the server (`flexlist::tag`), encoded.
    pub server_parameters: Bytes,
    /// Time until which this request may begin a file, in seconds since 1970. At most
    /// [`MAX_BEGIN_SECONDS`] ahead of the server's clock. A server needs to remember removed files
    /// only until this time. Ignored if the file exists already.
    pub expires: u64,
}

impl Begin {
    /// Returns the `expires` of a first request made at time `now`: half of [`MAX_BEGIN_SECONDS`]
    /// ahead. The clocks of client and server may differ by the other half.
    pub fn expires_after(now: SystemTime) -> u64 {
        let now = now
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        now.as_secs().saturating_add(MAX_BEGIN_SECONDS / 2)
    }
}

/// One part of an upload; parts are numbered from 0 and sent in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The file.
    pub file: FileId,
    /// The number of the part.
    pub number: u64,
    /// The blocks of the part, in order: at most [`MAX_PART_BLOCKS`].
    #[serde(deserialize_with = "bounded::sequence::<_, _, MAX_PART_BLOCKS>")]
    pub blocks: Vec<SentBlock>,
}

/// The end of an upload: version 1 of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finish {
    /// The file.
    pub file: FileId,
    /// The number of parts sent.
    pub parts: u64,
    /// The root of the list over all blocks, with the levels of `flexlist`'s initial build.
    pub root: Digest<32>,
    /// The length of the file in bytes.
    pub total: u64,
}

/// One change of the block sequence, as sent: blocks include their tags, and new blocks their
/// levels.
pub type SentEdit = BlockEdit<InsertedBlock, SentBlock>;

/// A new block, and its level in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InsertedBlock {
    /// The level that the owner drew. A number that is not a valid [`Level`] makes the edit
    /// invalid, but the message still decodes.
    pub level: u8,
    /// The block.
    pub block: SentBlock,
}

/// Converts an edit into a list operation. The edit's block, if any, gets `label`.
///
/// # Errors
/// [`LevelTooHigh`] for a level above the maximum.
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
    /// The file.
    pub file: FileId,
    /// The version that the changes apply to.
    pub base_version: u64,
    /// The changes, at least one and at most [`MAX_EDITS`].
    #[serde(deserialize_with = "bounded::sequence::<_, _, MAX_EDITS>")]
    pub edits: Vec<SentEdit>,
}

/// The owner's acknowledgement that it has stored this version's root. The server may delete data
/// that only earlier versions need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledge {
    /// The file.
    pub file: FileId,
    /// The version.
    pub version: u64,
}

/// The owner's request to abandon an unfinished upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abort {
    /// The file.
    pub file: FileId,
}

/// The owner's request to remove a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delete {
    /// The file.
    pub file: FileId,
    /// The version that the owner knows as the current one. The server refuses the request if
    /// another writer has changed the file since.
    pub version: u64,
}

/// The owner's statement that this version is verified and stored. It has the effect of an
/// [`Acknowledge`]. The server also keeps the statement and sends it to any client that requests it
/// ([`Request::Confirmed`]).
///
/// An owner may find a server at an older version, restored from a backup. The statement tells the
/// owner which version that is, and proves that the owner signed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirm {
    /// The file.
    pub file: FileId,
    /// The version.
    pub version: u64,
    /// The root of the list.
    pub root: Digest<32>,
    /// The length of the file in bytes.
    pub total: u64,
}

/// The owner's signed statement about the contents of a version. Its body names file, version, root
/// and length, which [`OwnerStatement::open`] returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OwnerStatement {
    /// A signed [`Finish`]: version 1.
    Finish(SignedRequest),
    /// A signed [`Confirm`].
    Confirm(SignedRequest),
}

/// A request body, as the bytes that were signed, with the owner's signature.
///
/// The signature is over `"flexlist/request/v1" || kind || SHA-256(body)`, where `kind` is the byte
/// of a [`crate::signed::RequestKind`]. [`SignedRequest::new`] makes one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedRequest {
    /// The request, encoded by `codec::encode_body`.
    pub body: Bytes,
    /// The Ed25519 signature, 64 bytes.
    pub signature: Bytes,
}

/// A request from a client to the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// A signed [`Begin`].
    Begin(SignedRequest),
    /// A signed [`Part`].
    Part(SignedRequest),
    /// A signed [`Finish`].
    Finish(SignedRequest),
    /// A signed [`FileUpdate`].
    Update(SignedRequest),
    /// A signed [`Acknowledge`].
    Acknowledge(SignedRequest),
    /// Requests proof that the server has the challenged blocks.
    Audit {
        /// The file.
        file: FileId,
        /// The version that the client knows.
        version: u64,
        /// The challenge, which selects the blocks.
        challenge: Challenge,
    },
    /// Requests the bytes of a range, with proof.
    Read {
        /// The file.
        file: FileId,
        /// The version that the client knows.
        version: u64,
        /// The first byte.
        start: u64,
        /// One past the last byte.
        end: u64,
    },
    /// Requests the current status of a file.
    Status {
        /// The file.
        file: FileId,
    },
    /// A signed [`Abort`].
    Abort(SignedRequest),
    /// A signed [`Delete`].
    Delete(SignedRequest),
    /// A signed [`Confirm`].
    Confirm(SignedRequest),
    /// Requests the newest version that the owner has signed a statement about.
    Confirmed {
        /// The file.
        file: FileId,
    },
}

/// The state of a file, as claimed by the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStatus {
    /// The version; 0 while the upload is not finished.
    pub version: u64,
    /// The root of the list.
    pub root: Digest<32>,
    /// The length of the file in bytes.
    pub total: u64,
    /// The number of blocks.
    pub blocks: u64,
    /// The next part that an unfinished upload needs, counted from 0.
    pub next_part: u64,
}

impl FileStatus {
    /// The claimed version, as a [`FileState`] of `file`.
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
    /// The committed part of the block's tag, whose digest is in its leaf.
    pub committed: Bytes,
    /// The block's bytes.
    pub data: Bytes,
}

/// A response from the server to a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Response {
    /// Answers `Begin`, `Part`, `Finish`, `Acknowledge`, `Confirm` and `Status`.
    State(FileStatus),
    /// Answers `Update`, with the evidence from which the client derives the new root.
    Updated {
        /// The status of the file after the update.
        status: FileStatus,
        /// The part of the old list that the changes read.
        witness: Bytes,
    },
    /// Answers `Audit`.
    Audited {
        /// The list's proof for the challenged bytes.
        list_proof: Bytes,
        /// The committed part of each challenged block's tag, in file order. At most
        /// [`MAX_AUDIT_BLOCKS`].
        #[serde(deserialize_with = "bounded::sequence::<_, _, MAX_AUDIT_BLOCKS>")]
        committed: Vec<Bytes>,
        /// The tag scheme's proof.
        tag_proof: Bytes,
    },
    /// Answers `Read`.
    Read {
        /// The list's proof for the range.
        list_proof: Bytes,
        /// Every block that overlaps the range, in file order. At most [`MAX_READ_BLOCKS`].
        #[serde(deserialize_with = "bounded::sequence::<_, _, MAX_READ_BLOCKS>")]
        blocks: Vec<ReadBlock>,
    },
    /// The request was refused. Nothing changed, except that a change may have been made after
    /// [`Refusal::CannotWrite`] or [`Refusal::StoreFailed`].
    Refused(Refusal),
    /// Answers `Abort` and `Delete`: the file is removed. A repeated request gets this answer too,
    /// as long as the server remembers the removal (for [`MAX_BEGIN_SECONDS`] or more).
    Removed,
    /// Answers `Confirmed`.
    Confirmed {
        /// The file's current status: at the version of the statement, or past it if the owner has
        /// not confirmed the current version.
        status: FileStatus,
        /// The owner's latest signed statement.
        statement: OwnerStatement,
    },
}

/// The reason for which a server refuses a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no file with this id.
    UnknownFile,
    /// The version is neither the current version nor its predecessor, or the predecessor is no
    /// longer stored.
    UnknownVersion {
        /// The version that the client asked for.
        requested: u64,
        /// The server's current version.
        current: u64,
    },
    /// The upload of this file is not finished.
    UploadUnfinished {
        /// The next part that the upload needs.
        next_part: u64,
    },
    /// The upload of this file is finished already.
    UploadFinished,
    /// The part is not the next one of the upload.
    PartOutOfOrder {
        /// The next part that the upload needs.
        expected: u64,
    },
    /// The signature is not the owner's.
    WrongOwner,
    /// The file id of this owner and salt is taken, with other parameters.
    WrongFileId,
    /// Another update came first: fetch the new state and rebase.
    StaleBase {
        /// The version that the update applies to.
        base: u64,
        /// The server's current version.
        current: u64,
    },
    /// The blocks do not match the root and length that the owner signed.
    RootMismatch,
    /// An update, range or other request that is invalid for this file, with the reason.
    Invalid(String),
    /// A message or an answer exceeds the server's limits, with the reason.
    TooLarge(String),
    /// The tags do not match the blocks.
    TagsInvalid,
    /// The server is busy or stopping: try again.
    Unavailable,
    /// The server cannot read its own store, with the reason.
    StoreFailed(String),
    /// The server cannot write for now, because its disk is full or fails. Reads and audits of
    /// stored files continue to work. Try again later.
    CannotWrite,
    /// The file with this id was removed by its owner. The id cannot be reused: to upload the file
    /// again, the owner takes another salt.
    Removed,
    /// Only listed owners may begin files on this server, and this owner is not one of them.
    OwnerNotAllowed,
    /// The first request about a file has expired, or expires too far ahead. See
    /// [`Begin::expires`].
    BeginExpired {
        /// The time of the server's clock, in seconds since 1970.
        now: u64,
    },
}

impl fmt::Display for Refusal {
    /// Writes one clause. Text from the server is escaped, so that it cannot inject terminal
    /// sequences.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFile => formatter.write_str("no file has this id"),
            Self::UnknownVersion { requested, current } => write!(
                formatter,
                "version {requested} is not available, the current version is {current}"
            ),
            Self::UploadUnfinished { next_part } => write!(
                formatter,
                "the upload is not finished, its next part is {next_part}"
            ),
            Self::UploadFinished => formatter.write_str("the upload is finished already"),
            Self::PartOutOfOrder { expected } => {
                write!(
                    formatter,
                    "the part is out of order, the next part is {expected}"
                )
            }
            Self::WrongOwner => formatter.write_str("the signature is not the owner's"),
            Self::WrongFileId => {
                formatter.write_str("the file's id is taken by a file with other parameters")
            }
            Self::StaleBase { base, current } => write!(
                formatter,
                "the update is outdated: it is for version {base}, but another update led to \
                 version {current}"
            ),
            Self::RootMismatch => {
                formatter.write_str("the blocks do not match the signed root or length")
            }
            Self::Invalid(words) => write!(formatter, "invalid: {}", words.escape_debug()),
            Self::TooLarge(words) => write!(formatter, "too large: {}", words.escape_debug()),
            Self::TagsInvalid => formatter.write_str("the tags do not match the blocks"),
            Self::Unavailable => formatter.write_str("busy or stopping, try again"),
            Self::StoreFailed(words) => {
                write!(formatter, "its store failed: {}", words.escape_debug())
            }
            Self::CannotWrite => formatter.write_str(
                "it cannot write for now, only read: its disk is full or fails, try again later",
            ),
            Self::Removed => formatter.write_str("the file was removed by its owner"),
            Self::OwnerNotAllowed => formatter.write_str("this owner may not begin files here"),
            Self::BeginExpired { now } => write!(
                formatter,
                "the request to begin the upload has expired, or expires too far ahead: the \
                 server's clock is at {now} seconds since 1970"
            ),
        }
    }
}

impl Message for Request {
    const KIND: u8 = 96;
    const SUITE: u16 = 0;
}

impl Message for Response {
    const KIND: u8 = 97;
    const SUITE: u16 = 0;
}
