//! Tests with missing or mixed-up records, which no client can cause.

use core::time::Duration;
use std::{sync::mpsc, thread};

use ed25519_dalek::SigningKey;
use flexlist::{
    FlexList, Level,
    challenge::Challenge,
    internals::{BlockEdit, Bytes},
    list::Block,
    tag::{OwnerKey, TagKind, WriteId},
};
use pad_core::Workers;

use super::*;
use crate::{
    message::{Abort, Begin, Delete, SentBlock},
    store::{
        FileKey,
        records::{Piece, Record},
        tables::{Change, Table},
    },
};

mod crashes;
mod full_disk;

const VERSIONS: u64 = 5;

/// Bytes of disk space reserved next to the stores of these tests.
const RESERVE: u64 = 256 << 10;

/// Opens a server with one file of three blocks and four updates, with a checkpoint of version 4.
fn served(place: impl Into<Place>) -> (FileServer, FileId) {
    let server = FileServer::open_at(place.into(), settings()).unwrap();
    let (requests, file) = requests(1);
    for request in requests {
        let response = server.handle(request);
        assert!(!matches!(response, Response::Refused(_)), "{response:?}");
    }
    (server, file)
}

/// A server as in [`served`], in a temporary folder.
fn scene() -> (tempfile::TempDir, FileServer, FileId) {
    let folder = tempfile::tempdir().unwrap();
    let (server, file) = served(&folder.path().join("store"));
    (folder, server, file)
}

/// The signing key of the owner `seed`.
fn signer(seed: u16) -> SigningKey {
    let mut secret = [0; 32];
    secret[..2].copy_from_slice(&seed.to_be_bytes());
    SigningKey::from_bytes(&secret)
}

/// The file of the owner `seed`.
fn file_of(seed: u16) -> FileId {
    FileId::derive(&signer(seed).verifying_key().to_bytes(), &[0; 16])
}

/// A body signed by the owner `seed`.
fn signed<T: Serialize>(kind: RequestKind, body: &T, seed: u16) -> SignedRequest {
    SignedRequest::new(kind, body, &signer(seed)).unwrap()
}

fn key() -> OwnerKey {
    OwnerKey::generate(TagKind::HashOnly, &Workers::sequential()).unwrap()
}

fn sent(data: Vec<u8>) -> SentBlock {
    SentBlock {
        tag: key().tag(WriteId([0; 16]), &data).unwrap(),
        data: Bytes(data),
    }
}

fn begin(seed: u16) -> Request {
    let begin = Begin {
        owner: signer(seed).verifying_key().to_bytes(),
        salt: [0; 16],
        server_parameters: Bytes(key().server_parameters().to_bytes()),
        expires: Begin::expires_after(std::time::SystemTime::now()),
    };
    Request::Begin(signed(RequestKind::Begin, &begin, seed))
}

fn part(seed: u16, number: u64, blocks: Vec<SentBlock>) -> Request {
    let part = Part {
        file: file_of(seed),
        number,
        blocks,
    };
    Request::Part(signed(RequestKind::Part, &part, seed))
}

fn abort(seed: u16) -> Request {
    let file = file_of(seed);
    Request::Abort(signed(RequestKind::Abort, &Abort { file }, seed))
}

fn delete(seed: u16) -> Request {
    let (file, version) = (file_of(seed), VERSIONS);
    let delete = Delete { file, version };
    Request::Delete(signed(RequestKind::Delete, &delete, seed))
}

fn acknowledge(file: FileId) -> Request {
    let version = VERSIONS;
    let acknowledge = Acknowledge { file, version };
    Request::Acknowledge(signed(RequestKind::Acknowledge, &acknowledge, 1))
}

/// The first byte of this version of the file.
fn read(file: FileId, version: u64) -> Request {
    Request::Read {
        file,
        version,
        start: 0,
        end: 1,
    }
}

/// An audit of `count` bytes of the current version.
fn audit_of(file: FileId, count: u32) -> Request {
    let seed = [3; 32];
    Request::Audit {
        file,
        version: VERSIONS,
        challenge: Challenge::Sample { seed, count },
    }
}

fn settings() -> Settings {
    let limits = Limits {
        checkpoints: Checkpoints {
            minimum: 2,
            blocks_per_operation: 1,
        },
        ..Limits::default()
    };
    Settings {
        limits,
        workers: Workers::sequential(),
        reserve_bytes: RESERVE,
        ..Settings::default()
    }
}

/// Returns the requests that make such a file of the owner `seed`.
fn requests(seed: u16) -> (Vec<Request>, FileId) {
    let file = file_of(seed);
    let blocks = ["one", "two", "three"].map(|text| sent(text.into()));
    let leaves: Vec<Block> = (1..)
        .zip(&blocks)
        .map(|(position, block)| block.listed(Level::initial(position), 0))
        .collect();
    let list = <FlexList>::build(&leaves, &Workers::sequential()).unwrap();
    let finish = Finish {
        file,
        parts: 1,
        root: list.root(),
        total: list.total(),
    };
    let mut requests = vec![
        begin(seed),
        part(seed, 0, blocks.to_vec()),
        Request::Finish(signed(RequestKind::Finish, &finish, seed)),
    ];
    for base_version in 1..VERSIONS {
        let block = sent(base_version.to_be_bytes().to_vec());
        let update = FileUpdate {
            file,
            base_version,
            edits: vec![BlockEdit::Modify { index: 4, block }],
        };
        requests.push(Request::Update(signed(RequestKind::Update, &update, seed)));
    }
    (requests, file)
}

/// Commits `change` directly to the store, and returns the error of loading the file.
fn after(change: impl FnOnce(FileKey) -> Change) -> (FileId, Option<StoreError>) {
    let (_folder, server, file) = scene();
    let slot = server.slot(file).unwrap();
    server.store.commit(vec![change(slot.key)]).unwrap();
    (file, load::load(&server, slot.key).err())
}

fn remove(table: Table, number: u64) -> impl FnOnce(FileKey) -> Change {
    move |file| Change::Remove {
        table,
        file,
        number,
    }
}

#[test]
fn the_file_is_where_the_tests_think() {
    let (_folder, server, file) = scene();
    let head = server
        .slot(file)
        .unwrap()
        .read(&server, |state| Ok(state.head.clone()));
    let head = head.unwrap();
    let versions = (head.version, head.checkpoint, head.journalled);
    assert_eq!(versions, (VERSIONS, 4, 1));
    assert_eq!((head.first_piece, head.end_piece), (1, 2));
    assert!(head.keeps_previous);
}

#[test]
fn missing_records_are_named() {
    for (table, number, expected) in [
        (
            Table::Journal,
            VERSIONS,
            "the journal of version 5 is missing",
        ),
        (Table::Pieces, 1, "checkpoint piece 1 is missing"),
    ] {
        let (file, error) = after(remove(table, number));
        let Some(StoreError::Damaged { file: named, what }) = error else {
            panic!("{error:?}");
        };
        assert_eq!((named, &*what), (file, expected));
    }
}

#[test]
fn records_of_another_state_do_not_give_the_root() {
    // Well-formed, with a valid digest for its key.
    let (file, error) = after(|file| Piece::default().put(file, 1));
    assert!(
        matches!(&error, Some(StoreError::Damaged { what, .. }) if what.contains("out of range")),
        "{error:?}"
    );
    let block = Block {
        length: 100,
        tag_digest: pad_core::Digest([1; 32]),
        level: Level::try_from(3).unwrap(),
        label: 0,
    };
    let piece = Piece {
        blocks: vec![block],
    };
    let (_, error) = after(|file| piece.put(file, 1));
    match error {
        Some(StoreError::RootDiffers {
            file: named,
            version,
        }) => assert_eq!((named, version), (file, VERSIONS)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn records_do_not_serve_at_other_places() {
    let (_folder, server, file) = scene();
    let key = server.slot(file).unwrap().key;
    let snapshot = server.store.snapshot().unwrap();
    let other = FileKey {
        id: FileId([9; 32]),
        ..key
    };
    // The block with this number, requested as if it belonged to another file.
    let error = snapshot.block(other, 0).unwrap_err();
    assert!(
        matches!(&error, StoreError::Damaged { file, what }
            if *file == other.id && what == "block number 0 is not what was written"),
        "{error:?}"
    );
    let error = snapshot.block(key, 99).unwrap_err();
    assert!(
        matches!(&error, StoreError::Damaged { what, .. } if what == "block number 99 is missing"),
        "{error:?}"
    );
}

#[test]
fn a_missing_block_is_found_by_the_check_and_a_stray_one_counted() {
    let (_folder, server, file) = scene();
    let key = server.slot(file).unwrap().key;
    let block = server.store.snapshot().unwrap().block(key, 0).unwrap();
    let changes = vec![remove(Table::Blocks, 0)(key), block.put(key, 77)];
    server.store.commit(changes).unwrap();
    let report = server.check();
    assert_eq!((report.blocks, report.stray_blocks), (3, 1));
    let [damage] = report.damages.as_slice() else {
        panic!("{:?}", report.damages);
    };
    assert_eq!((damage.file, damage.range.clone()), (file, Some(0..3)));
    assert!(
        damage.what.contains("block number 0 is missing"),
        "{damage}"
    );
}

#[test]
fn a_stored_block_of_another_tag_or_length_is_found() {
    let (_folder, server, file) = scene();
    let key = server.slot(file).unwrap().key;
    let snapshot = server.store.snapshot().unwrap();
    let [first, third] = [0, 2].map(|number| snapshot.block(key, number).unwrap());
    // One block with the right length and tag but other data, and one block of another length.
    let mut damaged = first;
    damaged.data.0[0] ^= 1;
    let changes = vec![damaged.put(key, 0), third.put(key, 6)];
    server.store.commit(changes).unwrap();
    let report = server.check();
    let found: Vec<_> = (report.damages.iter())
        .map(|damage| (damage.range.clone(), damage.what.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (Some(3..11), "length or tag does not match the list"),
            (Some(0..3), "a block does not match its tag"),
        ]
    );
}

#[test]
fn what_cannot_be_made_durable_did_not_happen() {
    let (_folder, server, file) = scene();
    let ask = |request| server.handle(request);
    let state = || {
        [
            ask(Request::Status { file }),
            ask(read(file, VERSIONS)),
            ask(read(file, VERSIONS - 1)),
        ]
    };
    let before = state();
    server.store.stop_writing();
    let edits = vec![BlockEdit::Remove { index: 0 }];
    let update = FileUpdate {
        file,
        base_version: VERSIONS,
        edits,
    };
    for _ in 0..2 {
        for request in [
            Request::Update(signed(RequestKind::Update, &update, 1)),
            acknowledge(file),
        ] {
            assert_eq!(
                ask(request),
                Response::Refused(Refusal::StoreFailed(
                    "the storage engine failed: its thread has ended".into()
                ))
            );
            assert_eq!(state(), before);
        }
    }
}

#[test]
fn a_panic_in_the_middle_of_a_change_leaves_what_the_store_has() {
    let (_folder, server, file) = scene();
    let before = server.handle(Request::Status { file });
    let slot = server.slot(file).unwrap();
    let broken = guarded(|| {
        let _turn = slot.next_turn();
        slot.change(&server, |state| -> Result<(), Refusal> {
            state.head.version = 99;
            panic!("in the middle");
        })
    });
    assert!(broken.is_none());
    assert_eq!(server.handle(Request::Status { file }), before);
    drop(slot.next_turn());
    assert_eq!(server.handle(Request::Status { file }), before);
    assert_eq!(server.check().damages, []);
}

#[test]
fn an_audit_of_a_long_chain_is_one_walk() {
    let (_folder, server, _) = scene();
    // Every path is as long as the list. Separate searches would take 2 * 10^9 steps. The tests of
    // the list verify that one walk finds all blocks.
    let length = crate::message::MAX_AUDIT_BLOCKS;
    let block = Block {
        length: 1,
        tag_digest: pad_core::Digest([1; 32]),
        level: Level::try_from(0).unwrap(),
        label: 0,
    };
    let list = <FlexList>::build(&vec![block; length], &Workers::sequential()).unwrap();
    let samples: Vec<_> = (0..list.total())
        .map(|index| flexlist::challenge::Sample {
            index,
            coefficient: 1,
        })
        .collect();
    let found = audit::find_range(list.current(), 0..list.total(), length).unwrap();
    let sampled = server.meet_samples(list.current(), &samples).unwrap();
    assert_eq!((found.len(), &sampled.found), (length, &found));
}

#[test]
fn a_change_does_not_wait_for_ever() {
    let (_folder, mut server, file) = scene();
    server.limits.turn_wait = Duration::from_millis(20);
    let word = acknowledge(file);
    let slot = server.slot(file).unwrap();
    let turn = slot.next_turn();
    // Runs on another thread, so that a server that waits fails the test.
    let response = thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        let (server, word) = (&server, word.clone());
        scope.spawn(move || send.send(server.handle(word)));
        let response = receive.recv_timeout(Duration::from_secs(20));
        drop(turn);
        response
    });
    assert_eq!(response, Ok(Response::Refused(Refusal::Unavailable)));
    let response = server.handle(word);
    assert!(matches!(response, Response::State(_)), "{response:?}");
}

#[test]
fn a_file_that_cannot_be_loaded_is_not_rebuilt_for_each_request() {
    let (_folder, server, file) = scene();
    let key = server.slot(file).unwrap().key;
    let journal: crate::store::records::JournalEntry = {
        let snapshot = server.store.snapshot().unwrap();
        snapshot.record(key, VERSIONS).unwrap()
    };
    let status = || server.handle(Request::Status { file });
    let before = status();
    let missing = remove(Table::Journal, VERSIONS)(key);
    server.store.commit(vec![missing]).unwrap();
    server.slot(file).unwrap().forget();
    let failed = status();
    assert!(
        matches!(&failed, Response::Refused(Refusal::StoreFailed(words))
            if words.contains("the journal of version 5 is missing")),
        "{failed:?}"
    );
    // A server that reloads the file would find it intact.
    let whole = journal.put(key, VERSIONS);
    server.store.commit(vec![whole]).unwrap();
    assert_eq!(status(), failed);
    server.slot(file).unwrap().forget();
    assert_eq!(status(), before);
}

#[test]
fn parameters_are_read_when_they_are_first_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let (server, file) = served(&path);
    let slot = server.slot(file).unwrap();
    assert!(slot.has_read_parameters());
    let mut record = server.store.file(file).unwrap().unwrap();
    let key = slot.key;
    drop((slot, server));

    let open = || FileServer::open(&path, Limits::default(), Workers::sequential()).unwrap();
    let server = open();
    let read = read(file, VERSIONS);
    let audit = audit_of(file, 1);
    let before = server.handle(read.clone());
    assert!(matches!(before, Response::Read { .. }), "{before:?}");
    assert!(!server.slot(file).unwrap().has_read_parameters());
    let audited = server.handle(audit.clone());
    assert!(matches!(audited, Response::Audited { .. }), "{audited:?}");
    assert!(server.slot(file).unwrap().has_read_parameters());

    // Damaged parameters fail only the requests that need them, and the error names the file.
    record.server_parameters.0.truncate(3);
    server.store.commit(vec![record.put(key, 0)]).unwrap();
    drop(server);
    let server = open();
    assert_eq!(server.handle(read), before);
    let response = server.handle(audit);
    assert!(
        matches!(&response, Response::Refused(Refusal::StoreFailed(words))
            if words.contains(&file.to_string())),
        "{response:?}"
    );
}

/// The engine panics on some corrupt pages. Opening must return an error instead.
#[test]
fn a_damaged_page_does_not_panic_when_a_server_opens() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    drop(served(&path));
    let whole = std::fs::read(&path).unwrap();
    let mut refused = 0;
    // Fills every written page with noise. The header has its own test.
    for start in (4096..whole.len()).step_by(4096) {
        let end = whole.len().min(start + 4096);
        if whole[start..end].iter().all(|byte| *byte == 0) {
            continue;
        }
        // An unknown kind of page, and each known kind with invalid contents.
        for noise in [0xa5, 0x01, 0x02, 0x00] {
            let mut damaged = whole.clone();
            damaged[start..end].fill(noise);
            std::fs::write(&path, &damaged).unwrap();
            let settings = Settings {
                reserve_bytes: RESERVE,
                ..Settings::default()
            };
            refused += usize::from(FileServer::open_with(&path, settings).is_err());
            drop(check::check(&path, Workers::sequential()));
        }
    }
    assert!(refused > 0, "no page of noise was refused");
}
