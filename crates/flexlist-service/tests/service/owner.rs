//! An owner for tests: makes requests, and verifies answers with the library's verifiers.

use core::time::Duration;
use std::{
    ops::Deref,
    path::{Path, PathBuf},
    time::SystemTime,
};

use ed25519_dalek::SigningKey;
use flexlist::{
    FileId, FlexList, Level,
    challenge::Challenge,
    internals::{Bytes, tag_digest},
    list::{Block, ListState, Operation, Sha256, verify_update},
    tag::{BlockTag, OwnerKey, TagKind, WriteId},
};
use flexlist_service::{
    internals::{
        message::{
            Acknowledge, Begin, FileStatus, FileUpdate, Finish, InsertedBlock, Part, Refusal,
            Request, Response, SentBlock, SentEdit, SignedRequest,
        },
        signed::RequestKind,
    },
    server::{CheckReport, Checkpoints, FileServer, Limits},
};
use pad_core::Workers;
use tempfile::TempDir;

use crate::plan::{Plan, Random, apply, count};

/// Kinds of tags whose keys are fast to generate.
pub(crate) const KINDS: &[TagKind] = &[
    TagKind::HashOnly,
    TagKind::PrivateMac,
    #[cfg(feature = "bls")]
    TagKind::PublicBls,
];

/// Limits that make a checkpoint of nearly every update.
pub(crate) fn small_checkpoints() -> Limits {
    Limits {
        checkpoints: Checkpoints {
            minimum: 2,
            blocks_per_operation: 1 << 40,
        },
        // For tests with many threads on slow machines.
        turn_wait: Duration::from_mins(1),
        ..Limits::default()
    }
}

/// The default limits with a change.
pub(crate) fn limits_with(change: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits::default();
    change(&mut limits);
    limits
}

/// The path of a store in a temporary folder, which is removed with this value.
pub(crate) struct StorePath(PathBuf, TempDir);

impl StorePath {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self(folder.path().join("store"), folder)
    }

    /// Another path in the folder.
    pub(crate) fn sibling(&self, name: &str) -> PathBuf {
        self.1.path().join(name)
    }
}

impl Deref for StorePath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for StorePath {
    fn as_ref(&self) -> &Path {
        self
    }
}

/// A path for a store, and random numbers and an owner with the seed `seed`.
pub(crate) fn scene(seed: u8, kind: TagKind) -> (StorePath, Random, Owner) {
    (
        StorePath::new(),
        Random(seed.into()),
        Owner::new(seed, kind),
    )
}

/// A server of an empty store with these limits, and an owner with the seed 1.
pub(crate) fn empty(limits: Limits, kind: TagKind) -> (FileServer, Owner) {
    let path = StorePath::new();
    (open_with(&path, limits), Owner::new(1, kind))
}

pub(crate) fn open(path: &Path) -> FileServer {
    open_with(path, Limits::default())
}

pub(crate) fn open_with(path: &Path, limits: Limits) -> FileServer {
    FileServer::open(path, limits, Workers::sequential()).unwrap()
}

/// An owner's state for one file, and the whole file for comparison.
#[derive(Clone)]
pub(crate) struct Owner {
    pub(crate) signer: SigningKey,
    pub(crate) key: OwnerKey,
    pub(crate) salt: [u8; 16],
    pub(crate) file: FileId,
    pub(crate) version: u64,
    pub(crate) state: ListState,
    pub(crate) blocks: Vec<Vec<u8>>,
    pub(crate) writes: u64,
}

impl Owner {
    pub(crate) fn new(seed: u8, kind: TagKind) -> Self {
        let signer = SigningKey::from_bytes(&[seed; 32]);
        let salt = [seed; 16];
        let empty = <FlexList>::build(&[], &Workers::sequential()).unwrap();
        Self {
            file: FileId::derive(&signer.verifying_key().to_bytes(), &salt),
            key: OwnerKey::generate(kind, &Workers::sequential()).unwrap(),
            signer,
            salt,
            version: 0,
            state: empty.state(),
            blocks: Vec::new(),
            writes: 0,
        }
    }

    /// Another file of the same owner.
    pub(crate) fn another(&self, salt: u8) -> Self {
        let salt = [salt; 16];
        let key = self.signer.verifying_key().to_bytes();
        let file = FileId::derive(&key, &salt);
        Self {
            salt,
            file,
            ..self.clone()
        }
    }

    pub(crate) fn sign<T: serde::Serialize>(&self, kind: RequestKind, body: &T) -> SignedRequest {
        SignedRequest::new(kind, body, &self.signer).unwrap()
    }

    pub(crate) fn begin_body(&self) -> Begin {
        Begin {
            owner: self.signer.verifying_key().to_bytes(),
            salt: self.salt,
            server_parameters: Bytes(self.key.server_parameters().to_bytes()),
            expires: Begin::expires_after(SystemTime::now()),
        }
    }

    pub(crate) fn begin(&self) -> Request {
        Request::Begin(self.sign(RequestKind::Begin, &self.begin_body()))
    }

    /// The first request, which expires at this time.
    pub(crate) fn begin_until(&self, expires: u64) -> Request {
        let mut begin = self.begin_body();
        begin.expires = expires;
        Request::Begin(self.sign(RequestKind::Begin, &begin))
    }

    /// The first request of another owner, signed by this one.
    pub(crate) fn begin_body_of(&self, other: &Self) -> Request {
        Request::Begin(self.sign(RequestKind::Begin, &other.begin_body()))
    }

    pub(crate) fn sent(&mut self, data: &[u8]) -> SentBlock {
        self.writes += 1;
        let mut write = [0; 16];
        write[..8].copy_from_slice(&self.writes.to_be_bytes());
        SentBlock {
            tag: self.key.tag(WriteId(write), data).unwrap(),
            data: Bytes(data.to_vec()),
        }
    }

    pub(crate) fn part_of(&self, number: u64, blocks: Vec<SentBlock>) -> Request {
        let file = self.file;
        let part = Part {
            file,
            number,
            blocks,
        };
        Request::Part(self.sign(RequestKind::Part, &part))
    }

    pub(crate) fn finish_body(&self, parts: u64, sent: &[SentBlock]) -> Finish {
        let blocks: Vec<Block> = (1..)
            .zip(sent)
            .map(|(position, block)| leaf(block, Level::initial(position)))
            .collect();
        let list = <FlexList>::build(&blocks, &Workers::sequential()).unwrap();
        Finish {
            file: self.file,
            parts,
            root: list.root(),
            total: list.total(),
        }
    }

    pub(crate) fn finish(&self, body: &Finish) -> Request {
        Request::Finish(self.sign(RequestKind::Finish, body))
    }

    /// All requests of an upload; `self` is at version 1 afterwards.
    pub(crate) fn upload_requests(&mut self, parts: &[Vec<Vec<u8>>]) -> Vec<Request> {
        let mut requests = vec![self.begin()];
        let mut all = Vec::new();
        for (number, part) in (0..).zip(parts) {
            let sent: Vec<SentBlock> = part.iter().map(|data| self.sent(data)).collect();
            all.extend(sent.clone());
            requests.push(self.part_of(number, sent));
        }
        let finish = self.finish_body(u64::try_from(parts.len()).unwrap(), &all);
        requests.push(self.finish(&finish));
        self.version = 1;
        self.blocks = parts.concat();
        self.state = ListState {
            root: finish.root,
            total: finish.total,
        };
        requests
    }

    /// Uploads a file in parts, and compares every answer.
    pub(crate) fn upload(&mut self, server: &FileServer, parts: &[Vec<Vec<u8>>]) {
        let requests = self.upload_requests(parts);
        let last = requests.len() - 1;
        for (number, request) in requests.into_iter().enumerate() {
            let standing = standing(server.handle(request));
            if number == last {
                assert_eq!(standing, self.standing(standing.next_part));
            } else {
                assert_eq!((standing.version, standing.next_part), (0, count(number)));
            }
        }
    }

    /// Returns the status that the server should report for the file.
    pub(crate) fn standing(&self, next_part: u64) -> FileStatus {
        FileStatus {
            version: self.version,
            root: self.state.root,
            total: self.state.total,
            blocks: count(self.blocks.len()),
            next_part,
        }
    }

    /// Returns the edits of `plan` as they are sent, and the list operations that they must cause.
    pub(crate) fn edits(&mut self, plan: &[Plan]) -> (Vec<SentEdit>, Vec<Operation>) {
        let mut tag = |edit: &Plan| match edit.clone() {
            Plan::Insert(index, level, data) => {
                let block = self.sent(&data);
                let new = leaf(&block, Level::try_from(level).unwrap());
                let block = InsertedBlock { level, block };
                let edit = SentEdit::Insert { index, block };
                (edit, Operation::Insert { index, block: new })
            }
            Plan::Modify(index, data) => {
                let block = self.sent(&data);
                let operation = Operation::Modify {
                    index,
                    length: count(data.len()),
                    tag_digest: tag_digest::<Sha256>(&block.tag.committed.0),
                    label: 0,
                };
                (SentEdit::Modify { index, block }, operation)
            }
            Plan::Remove(index) => (SentEdit::Remove { index }, Operation::Remove { index }),
        };
        plan.iter().map(&mut tag).unzip()
    }

    pub(crate) fn update_of(&self, base_version: u64, edits: Vec<SentEdit>) -> Request {
        let file = self.file;
        let update = FileUpdate {
            file,
            base_version,
            edits,
        };
        Request::Update(self.sign(RequestKind::Update, &update))
    }

    /// Verifies the answer to an executed update, and takes over its result.
    pub(crate) fn accept(&mut self, response: &Response, operations: &[Operation], plan: &[Plan]) {
        let Response::Updated {
            status: standing,
            witness,
        } = response
        else {
            panic!("{response:?}");
        };
        let next = verify_update::<Sha256>(&witness.0, &self.state, operations).unwrap();
        self.state = *next.get();
        self.version += 1;
        for edit in plan {
            apply(&mut self.blocks, edit);
        }
        assert_eq!(*standing, self.standing(standing.next_part));
    }

    /// Updates the file.
    pub(crate) fn update(&mut self, server: &FileServer, plan: &[Plan]) -> Request {
        let (edits, operations) = self.edits(plan);
        let request = self.update_of(self.version, edits);
        let response = server.handle(request.clone());
        self.accept(&response, &operations, plan);
        request
    }

    pub(crate) fn acknowledge(&self, version: u64) -> Request {
        let file = self.file;
        let body = Acknowledge { file, version };
        Request::Acknowledge(self.sign(RequestKind::Acknowledge, &body))
    }

    pub(crate) fn status(&self) -> Request {
        Request::Status { file: self.file }
    }

    pub(crate) fn audit_request(&self, challenge: Challenge) -> Request {
        Request::Audit {
            file: self.file,
            version: self.version,
            challenge,
        }
    }

    pub(crate) fn read_request(&self, start: u64, end: u64) -> Request {
        Request::Read {
            file: self.file,
            version: self.version,
            start,
            end,
        }
    }
}

/// The list entry of a block.
fn leaf(block: &SentBlock, level: Level) -> Block {
    Block {
        length: count(block.data.0.len()),
        tag_digest: tag_digest::<Sha256>(&block.tag.committed.0),
        level,
        label: 0,
    }
}

pub(crate) fn standing(response: Response) -> FileStatus {
    match response {
        Response::State(standing) => standing,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn refusal(response: Response) -> Refusal {
    match response {
        Response::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

/// Asserts that the server refuses a request for this reason.
#[track_caller]
pub(crate) fn assert_refused(server: &FileServer, request: Request, expected: &Refusal) {
    assert_eq!(&refusal(server.handle(request)), expected);
}

pub(crate) const fn unknown_version(requested: u64, current: u64) -> Refusal {
    Refusal::UnknownVersion { requested, current }
}

pub(crate) const fn stale_base(base: u64, current: u64) -> Refusal {
    Refusal::StaleBase { base, current }
}

/// Sends requests, all of which the server accepts.
#[track_caller]
pub(crate) fn send_all<'a>(server: &FileServer, requests: impl IntoIterator<Item = &'a Request>) {
    for request in requests {
        standing(server.handle(request.clone()));
    }
}

/// Checks the store, which must be intact and contain no stray blocks.
#[track_caller]
pub(crate) fn check_intact(server: &FileServer) -> CheckReport {
    let report = server.check();
    assert_eq!(report.damages, []);
    assert_eq!(report.stray_blocks, 0);
    report
}

/// A challenge of `count` sampled bytes.
pub(crate) fn sample(seed: u8, count: u32) -> Challenge {
    let seed = [seed; 32];
    Challenge::Sample { seed, count }
}

/// A tag that belongs to no scheme.
pub(crate) fn no_tag() -> BlockTag {
    BlockTag {
        committed: Bytes(vec![1; 32]),
        held: Bytes(Vec::new()),
    }
}
