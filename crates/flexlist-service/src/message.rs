//! What client and server say to each other.
//!
//! Every request that changes a file carries the owner's signature ([`Signed`]); audits and reads are
//! open to whoever knows the file's id and the state to verify against.

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

/// The most blocks of one [`Part`].
pub const MAX_PART_BLOCKS: usize = 1 << 11;

/// The most changes of one [`FileUpdate`].
pub const MAX_EDITS: usize = 1 << 12;

/// The most blocks that one audit meets.
pub const MAX_AUDIT_BLOCKS: usize = 1 << 16;

/// The most blocks that one read meets.
pub const MAX_READ_BLOCKS: usize = 1 << 16;

/// How far ahead [`Begin::expires`] may be: a day.
pub const MAX_BEGIN_SECONDS: u64 = 86_400;

/// A block as it travels from the owner to the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentBlock {
    /// What the owner's tag scheme made of it.
    pub tag: BlockTag,
    /// Its bytes, at least one.
    pub data: Bytes,
}

impl SentBlock {
    /// How many bytes it has.
    pub fn length(&self) -> u64 {
        // Lossless on every target of std.
        u64::try_from(self.data.0.len()).unwrap_or(u64::MAX)
    }

    /// The block as a list knows it.
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
    /// The tag scheme's parameters for the server (`flexlist::tag`), as bytes.
    pub server_parameters: Bytes,
    /// Until when this request may begin a file, in seconds since 1970: at most
    /// [`MAX_BEGIN_SECONDS`] ahead. A server need not remember for longer than that which files were
    /// removed. Where the file is there already, this does not matter.
    pub expires: u64,
}

impl Begin {
    /// The `expires` of a first request that is made at this time: half of [`MAX_BEGIN_SECONDS`] ahead,
    /// so that the two clocks may differ by as much.
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
    /// How many parts were sent.
    pub parts: u64,
    /// The root of the list over all blocks, with the levels of `flexlist`'s initial build.
    pub root: Digest<32>,
    /// The length of the file in bytes.
    pub total: u64,
}

/// One change of the block sequence as it travels: its blocks have their tags, and new ones their levels.
pub type SentEdit = BlockEdit<InsertedBlock, SentBlock>;

/// A new block, and how high it stands in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InsertedBlock {
    /// The level that the owner drew. A number that is no [`Level`] makes the edit invalid, not unreadable.
    pub level: u8,
    /// The block.
    pub block: SentBlock,
}

/// What the list does for an edit whose block, if it has one, gets this label.
///
/// # Errors
/// [`LevelTooHigh`] for a level that no block has.
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

/// A batch of changes: takes version `base_version` to the next, wholly or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileUpdate {
    /// The file.
    pub file: FileId,
    /// The version that the changes are for.
    pub base_version: u64,
    /// The changes, at least one and at most [`MAX_EDITS`].
    #[serde(deserialize_with = "bounded::sequence::<_, _, MAX_EDITS>")]
    pub edits: Vec<SentEdit>,
}

/// The owner has stored this version's root: what only earlier versions need may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledge {
    /// The file.
    pub file: FileId,
    /// The version.
    pub version: u64,
}

/// The owner gives up an upload that is not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abort {
    /// The file.
    pub file: FileId,
}

/// The owner removes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delete {
    /// The file.
    pub file: FileId,
    /// The version that the owner knows as the current one: what another writer has changed since is
    /// not removed unseen.
    pub version: u64,
}

/// The owner has verified and stored this version: an [`Acknowledge`] that the server keeps, and shows
/// to whoever asks ([`Request::Confirmed`]).
///
/// An owner that finds a server at an older version, restored from a copy, learns from it which
/// version that is, and that the owner has signed it.
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

/// The owner's signed statement about the contents of a version: its body names file, version, root and
/// length, which [`OwnerStatement::open`] gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OwnerStatement {
    /// A signed [`Finish`]: version 1.
    Finish(Signed),
    /// A signed [`Confirm`].
    Confirm(Signed),
}

/// A request body, as the bytes that were signed, with the owner's signature.
///
/// The signature is over `"flexlist/request/v1" || kind || SHA-256(body)`, with the byte of a
/// [`crate::signed::RequestKind`]; [`Signed::new`] makes one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    /// `codec::encode_body` of the request.
    pub body: Bytes,
    /// Ed25519, 64 bytes.
    pub signature: Bytes,
}

/// What a client asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// A signed [`Begin`].
    Begin(Signed),
    /// A signed [`Part`].
    Part(Signed),
    /// A signed [`Finish`].
    Finish(Signed),
    /// A signed [`FileUpdate`].
    Update(Signed),
    /// A signed [`Acknowledge`].
    Acknowledge(Signed),
    /// Proof that the challenged blocks are there.
    Audit {
        /// The file.
        file: FileId,
        /// The version that the client knows.
        version: u64,
        /// What it asks for.
        challenge: Challenge,
    },
    /// The bytes of a range, with proof.
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
    /// Where a file stands.
    Status {
        /// The file.
        file: FileId,
    },
    /// A signed [`Abort`].
    Abort(Signed),
    /// A signed [`Delete`].
    Delete(Signed),
    /// A signed [`Confirm`].
    Confirm(Signed),
    /// The newest version that the owner has vouched for.
    Confirmed {
        /// The file.
        file: FileId,
    },
}

/// The state of a file, as the server claims it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStatus {
    /// 0 while the upload is not finished.
    pub version: u64,
    /// The root of the list.
    pub root: Digest<32>,
    /// The length of the file in bytes.
    pub total: u64,
    /// How many blocks it has.
    pub blocks: u64,
    /// The next part that an unfinished upload needs.
    pub next_part: u64,
}

impl FileStatus {
    /// The version of this file that the server claims.
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

/// A block of an answer to a read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBlock {
    /// What its leaf commits.
    pub committed: Bytes,
    /// Its bytes.
    pub data: Bytes,
}

/// What a server answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Response {
    /// To `Begin`, `Part`, `Finish`, `Acknowledge`, `Confirm` and `Status`.
    State(FileStatus),
    /// To `Update`: the evidence that the client derives the new root from.
    Updated {
        /// Where the file stands now.
        status: FileStatus,
        /// The part of the old list that the changes read.
        witness: Bytes,
    },
    /// To `Audit`.
    Audited {
        /// The list's proof for the challenged bytes.
        list_proof: Bytes,
        /// What each challenged leaf commits, in the order of the file: at most [`MAX_AUDIT_BLOCKS`].
        #[serde(deserialize_with = "bounded::sequence::<_, _, MAX_AUDIT_BLOCKS>")]
        committed: Vec<Bytes>,
        /// The tag scheme's proof.
        tag_proof: Bytes,
    },
    /// To `Read`.
    Read {
        /// The list's proof for the range.
        list_proof: Bytes,
        /// Every block that overlaps the range, in the order of the file: at most [`MAX_READ_BLOCKS`].
        #[serde(deserialize_with = "bounded::sequence::<_, _, MAX_READ_BLOCKS>")]
        blocks: Vec<ReadBlock>,
    },
    /// The request was refused; nothing changed.
    Refused(Refusal),
    /// To `Abort` and `Delete`: the file is gone, now or since the first time that this was asked.
    Removed,
    /// To `Confirmed`.
    Confirmed {
        /// Where the file stands: at the version of the statement, or past it if the owner has not
        /// vouched for the current version.
        status: FileStatus,
        /// What the owner signed last.
        statement: OwnerStatement,
    },
}

/// Why a server refuses a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Refusal {
    /// No file of this id.
    UnknownFile,
    /// Neither the current version nor the one before it.
    UnknownVersion {
        /// What the client asked for.
        requested: u64,
        /// What the server has.
        current: u64,
    },
    /// The upload of this file is not finished.
    UploadUnfinished {
        /// The next part that it needs.
        next_part: u64,
    },
    /// The upload of this file is finished already.
    UploadFinished,
    /// Parts come in order.
    PartOutOfOrder {
        /// The next part that is needed.
        expected: u64,
    },
    /// The signature is not the owner's.
    WrongOwner,
    /// The id of this owner and salt is taken, with other parameters.
    WrongFileId,
    /// Another update came first: fetch the new state and rebase.
    StaleBase {
        /// The version that the update was for.
        base: u64,
        /// The version that the server has.
        current: u64,
    },
    /// The blocks do not give the root and length that the owner signed.
    RootMismatch,
    /// An update or range that the file does not allow, in words.
    Invalid(String),
    /// A message or an answer exceeds the server's limits, in words.
    TooLarge(String),
    /// The tags do not match the blocks.
    TagsInvalid,
    /// The server is busy or stopping: try again.
    Unavailable,
    /// The server cannot read its own store, in words.
    StoreFailed(String),
    /// Nothing can be written for now, because the disk is full or fails. What was stored is there, and
    /// is read and audited as ever: try again later.
    CannotWrite,
    /// The file of this id was removed by its owner. Its id does not come back: a file that is to be
    /// uploaded again takes another salt.
    Removed,
    /// Only some owners may begin files here, and this one is not among them.
    OwnerNotAllowed,
    /// The first request about a file is no longer valid, or not yet: see [`Begin::expires`].
    BeginExpired {
        /// What the server's clock says, in seconds since 1970.
        now: u64,
    },
}

impl fmt::Display for Refusal {
    /// A clause. Words of the server are escaped, so that they cannot do tricks with a terminal.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFile => formatter.write_str("no file of this id"),
            Self::UnknownVersion { requested, current } => write!(
                formatter,
                "version {requested} is not there, the current one is {current}"
            ),
            Self::UploadUnfinished { next_part } => write!(
                formatter,
                "the upload is not finished, part {next_part} comes next"
            ),
            Self::UploadFinished => formatter.write_str("the upload is finished already"),
            Self::PartOutOfOrder { expected } => {
                write!(formatter, "part {expected} of the upload comes next")
            }
            Self::WrongOwner => formatter.write_str("the signature is not the owner's"),
            Self::WrongFileId => {
                formatter.write_str("the file's id is taken, with other parameters")
            }
            Self::StaleBase { base, current } => write!(
                formatter,
                "the update is for version {base}, but another one led to version {current}"
            ),
            Self::RootMismatch => {
                formatter.write_str("the blocks do not give the root that was signed")
            }
            Self::Invalid(words) => write!(formatter, "invalid: {}", words.escape_debug()),
            Self::TooLarge(words) => write!(formatter, "too large: {}", words.escape_debug()),
            Self::TagsInvalid => formatter.write_str("the tags do not match the blocks"),
            Self::Unavailable => formatter.write_str("busy or stopping, try again"),
            Self::StoreFailed(words) => {
                write!(formatter, "its store failed: {}", words.escape_debug())
            }
            Self::CannotWrite => formatter.write_str(
                "it cannot write now, though it can read: its disk is full or fails, try again later",
            ),
            Self::Removed => formatter.write_str("the file was removed by its owner"),
            Self::OwnerNotAllowed => formatter.write_str("this owner may not begin files here"),
            Self::BeginExpired { now } => write!(
                formatter,
                "the upload began at another time than the server's clock allows, which says {now} \
                 seconds since 1970"
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
