//! Every refusal with its exact contents. A refused request changes nothing.

use flexlist::{challenge::Challenge, internals::Bytes, tag::TagKind};
use flexlist_service::{
    internals::{
        message::{InsertedBlock, Refusal, Request, Response, SentBlock, SentEdit},
        signed::RequestKind,
    },
    server::{FileServer, Limits},
};

use crate::{
    owner::{
        Owner, StorePath, assert_refused, check_intact, empty, no_tag, open, open_with, refusal,
        sample, send_all, standing, unknown_version,
    },
    plan::{Plan, Random},
};

/// A server with these limits and one file of ten blocks, which does not exceed them, and its
/// owner.
pub(crate) fn served(limits: Limits) -> (FileServer, Owner) {
    let path = StorePath::new();
    let mut owner = Owner::new(1, TagKind::HashOnly);
    owner.upload(&open(&path), &[Random(1).blocks(10)]);
    (open_with(&path, limits), owner)
}

/// A server that has the first `sent` requests of an upload, of all its `requests` in parts of two
/// blocks. The owner of the unfinished upload, and the owner after it.
fn uploading(parts: u64, sent: usize) -> (FileServer, Vec<Request>, Owner, Owner) {
    let (server, unfinished) = empty(Limits::default(), TagKind::HashOnly);
    let mut owner = unfinished.clone();
    let parts: Vec<_> = (1..=parts).map(|seed| Random(seed).blocks(2)).collect();
    let requests = owner.upload_requests(&parts);
    send_all(&server, &requests[..sent]);
    (server, requests, unfinished, owner)
}

pub(crate) fn invalid(words: &str) -> Refusal {
    Refusal::Invalid(words.into())
}

/// The reason for which a signed body that is no request is invalid.
pub(crate) const UNDECODABLE: &str =
    "the signed body cannot be decoded: the message is truncated or malformed";

/// Sends a request and returns its refusal. Checks that the file is unchanged.
pub(crate) fn refused(server: &FileServer, owner: &Owner, request: Request) -> Refusal {
    let before = server.handle(owner.status());
    let refusal = refusal(server.handle(request));
    assert_eq!(server.handle(owner.status()), before);
    check_intact(server);
    if owner.version > 0 {
        owner.check_all(server);
    }
    refusal
}

#[test]
fn an_unknown_file_is_refused_to_everybody() {
    let (server, _) = served(Limits::default());
    let mut stranger = Owner::new(9, TagKind::HashOnly);
    let requests = stranger.upload_requests(&[vec![b"block".to_vec()]]);
    for request in [
        requests[1].clone(),
        requests[2].clone(),
        stranger.update_of(1, vec![SentEdit::Remove { index: 0 }]),
        stranger.acknowledge(1),
        stranger.audit_request(sample(0, 1)),
        stranger.read_request(0, 1),
        stranger.status(),
    ] {
        assert_refused(&server, request, &Refusal::UnknownFile);
    }
}

#[test]
fn versions_that_are_not_kept_are_refused() {
    let (server, mut owner) = served(Limits::default());
    let good = owner.version;
    for version in [0, 2, 7, u64::MAX] {
        owner.version = version;
        let unknown = unknown_version(version, 1);
        assert_refused(&server, owner.read_request(0, 1), &unknown);
        let audit = owner.audit_request(sample(0, 1));
        assert_refused(&server, audit, &unknown);
        if version > 1 {
            let acknowledge = owner.acknowledge(version);
            assert_refused(&server, acknowledge, &unknown);
        }
    }
    owner.version = good;
    owner.check_all(&server);
}

#[test]
fn an_unfinished_upload_has_no_versions() {
    let (server, requests, file, owner) = uploading(2, 2);
    let unfinished = Refusal::UploadUnfinished { next_part: 1 };
    for request in [
        owner.update_of(1, vec![SentEdit::Remove { index: 0 }]),
        owner.acknowledge(1),
        owner.audit_request(sample(0, 1)),
        owner.read_request(0, 1),
        // Finishes the upload before its last part.
        requests[3].clone(),
    ] {
        assert_eq!(refused(&server, &file, request), unfinished);
    }
    send_all(&server, &requests[2..]);
    owner.check_all(&server);
}

#[test]
fn parts_come_in_order_and_before_the_end() {
    let (server, requests, file, mut owner) = uploading(2, 1);
    let expected = |expected| Refusal::PartOutOfOrder { expected };
    assert_eq!(refused(&server, &file, requests[2].clone()), expected(0));
    standing(server.handle(requests[1].clone()));
    // Repeats the number of the last part, with other contents.
    let block = owner.sent(b"another");
    let other = owner.part_of(0, vec![block.clone()]);
    assert_eq!(refused(&server, &file, other), expected(1));
    let far = owner.part_of(u64::MAX, vec![block.clone()]);
    assert_eq!(refused(&server, &file, far), expected(1));
    standing(server.handle(requests[2].clone()));
    standing(server.handle(requests[3].clone()));
    let late = owner.part_of(2, vec![block]);
    assert_eq!(refused(&server, &owner, late), Refusal::UploadFinished);
    let mut finish = owner.finish_body(2, &[]);
    finish.total = owner.state.total;
    let finish = owner.finish(&finish);
    assert_eq!(refused(&server, &owner, finish), Refusal::UploadFinished);
}

#[test]
fn only_the_owner_changes_a_file() {
    let (server, owner) = served(Limits::default());
    let mut thief = owner.clone();
    thief.signer = Owner::new(2, TagKind::HashOnly).signer;
    let block = thief.sent(b"block");
    let mut requests = vec![
        thief.begin_body_of(&owner),
        thief.part_of(1, vec![block]),
        thief.finish(&owner.finish_body(1, &[])),
        thief.update_of(1, vec![SentEdit::Remove { index: 0 }]),
        thief.acknowledge(1),
    ];
    // A signature for another kind of request.
    let body = flexlist_service::internals::message::Acknowledge {
        file: owner.file,
        version: 1,
    };
    requests.push(Request::Acknowledge(owner.sign(RequestKind::Update, &body)));
    // A public key that is not a point of the curve.
    let mut begin = owner.begin_body();
    begin.owner = [0xff; 32];
    requests.push(Request::Begin(owner.sign(RequestKind::Begin, &begin)));
    for request in requests {
        assert_eq!(refused(&server, &owner, request), Refusal::WrongOwner);
    }
}

#[test]
fn a_file_keeps_its_parameters() {
    let (server, owner) = served(Limits::default());
    let other = Owner {
        key: Owner::new(3, TagKind::PrivateMac).key,
        ..owner.clone()
    };
    let begin = other.begin();
    assert_eq!(refused(&server, &owner, begin), Refusal::WrongFileId);
}

#[test]
fn parameters_are_those_of_a_scheme() {
    let (server, owner) = empty(Limits::default(), TagKind::HashOnly);
    let mut begin = owner.begin_body();
    begin.server_parameters = Bytes(b"no parameters".to_vec());
    let begin = Request::Begin(owner.sign(RequestKind::Begin, &begin));
    let refused = refusal(server.handle(begin));
    assert!(matches!(refused, Refusal::Invalid(_)), "{refused:?}");
    assert_eq!(server.files(), []);
}

#[test]
fn blocks_must_give_the_root_and_length_that_the_owner_signed() {
    let (server, requests, file, owner) = uploading(1, 2);
    let mut body = owner.finish_body(1, &[]);
    body.total = owner.state.total;
    let wrong_root = owner.finish(&body);
    body.root = owner.state.root;
    body.total += 1;
    let wrong_total = owner.finish(&body);
    for request in [wrong_root, wrong_total] {
        assert_eq!(refused(&server, &file, request), Refusal::RootMismatch);
    }
    standing(server.handle(requests[2].clone()));
    owner.check_all(&server);
}

#[test]
fn what_the_file_does_not_allow_is_invalid() {
    let (server, mut owner) = served(Limits::default());
    let total = owner.state.total;
    let block = owner.sent(b"block");
    let insert = |index, level| SentEdit::Insert {
        index,
        block: InsertedBlock {
            level,
            block: block.clone(),
        },
    };
    let empty = SentEdit::Modify {
        index: 0,
        block: SentBlock {
            tag: no_tag(),
            data: Bytes(Vec::new()),
        },
    };
    let outside = format!("byte {total} is out of range, the file has {total} bytes");
    let good = insert(0, 1);
    for (edits, words) in [
        (
            vec![],
            "the update is empty: at least one change is required".to_owned(),
        ),
        (vec![good.clone(), SentEdit::Remove { index: total + 5 }], {
            let total = total + 5;
            format!("byte {total} is out of range, the file has {total} bytes")
        }),
        (vec![SentEdit::Remove { index: total }], outside),
        (vec![insert(0, 63)], "level 63 is above 62".into()),
        (
            vec![good, insert(1, 1)],
            "byte 1 is inside a block: blocks can be inserted at block boundaries only".into(),
        ),
        (
            vec![empty],
            "a block is empty: at least one byte is required".into(),
        ),
    ] {
        let update = owner.update_of(1, edits);
        assert_eq!(refused(&server, &owner, update), invalid(&words));
    }
    let words = format!("bytes 0 to {} of a file of {total} bytes", total + 1);
    let outside = owner.read_request(0, total + 1);
    assert_eq!(refused(&server, &owner, outside), invalid(&words));
    let words = format!("bytes 5 to 5 of a file of {total} bytes");
    let empty = owner.read_request(5, 5);
    assert_eq!(refused(&server, &owner, empty), invalid(&words));
    for challenge in [
        sample(0, 0),
        Challenge::Every {
            seed: [0; 32],
            start: 0,
            end: total + 1,
        },
    ] {
        let audit = refused(&server, &owner, owner.audit_request(challenge));
        assert!(matches!(audit, Refusal::Invalid(_)), "{audit:?}");
    }
    let garbage = Request::Update(owner.sign(RequestKind::Update, &1_u8));
    assert_eq!(refused(&server, &owner, garbage), invalid(UNDECODABLE));
}

#[test]
fn an_update_of_an_older_version_is_stale() {
    let (server, mut owner) = served(Limits::default());
    owner.update(&server, &[Plan::Remove(0)]);
    for base in [0, 1, 3, u64::MAX] {
        let update = owner.update_of(base, vec![SentEdit::Remove { index: 1 }]);
        let stale = Refusal::StaleBase { base, current: 2 };
        assert_eq!(refused(&server, &owner, update), stale);
    }
}

#[test]
fn tags_that_do_not_fit_are_refused() {
    let (server, mut owner) = served(Limits::default());
    let mut block = owner.sent(b"block");
    block.data.0[0] ^= 1;
    let update = owner.update_of(
        1,
        vec![SentEdit::Modify {
            index: 0,
            block: block.clone(),
        }],
    );
    assert_eq!(refused(&server, &owner, update), Refusal::TagsInvalid);

    let mut other = Owner::new(2, TagKind::HashOnly);
    standing(server.handle(other.begin()));
    let good = other.sent(b"good");
    let part = other.part_of(0, vec![good, block]);
    assert_eq!(refused(&server, &other, part), Refusal::TagsInvalid);
}

#[test]
fn a_damaged_request_gets_an_answer() {
    let (server, owner) = served(Limits::default());
    let Request::Update(signed) = owner.update_of(1, vec![SentEdit::Remove { index: 0 }]) else {
        panic!("an update was made");
    };
    for position in 0..signed.body.0.len() {
        let mut changed = signed.clone();
        changed.body.0[position] ^= 0x41;
        let response = server.handle(Request::Update(changed));
        let expected = matches!(
            response,
            Response::Refused(Refusal::WrongOwner | Refusal::UnknownFile | Refusal::Invalid(_))
        );
        assert!(expected, "byte {position}: {response:?}");
    }
    owner.check_all(&server);
}
