//! Servers that lie in one way each, and the expected error for each lie.

use core::ops::Range;

use flexlist::{
    AuditError, ProofError, audit,
    challenge::{Challenge, Context, Questions},
    internals::Bytes,
};
use flexlist_service::{
    client::{AuditFault, AuditSubject, Blame, SearchEnd, Silence, UnansweredAudit},
    internals::message::ReadBlock,
};

use super::*;
use crate::owner::{stale_base, unknown_version};

mod audits;
mod reads;

/// A lie: a change of part of an answer.
type Change<T> = fn(&mut T);

/// Removes the last byte.
fn shorten(bytes: &mut Vec<u8>) {
    bytes.pop();
}

/// Changes a bit near the end.
fn flip(bytes: &mut [u8]) {
    let last = bytes.len() - 10;
    bytes[last] ^= 1;
}

/// Asserts that the update in progress is executed and produces this version.
#[track_caller]
fn assert_settles(client: &mut Client, version: u64) {
    let settled = client.settle().unwrap();
    assert!(
        matches!(settled, SettleOutcome::Applied(state) if state.version == version),
        "{settled:?}"
    );
}

/// Makes an update whose answer `tamper` changes, and returns its error. Checks that the update
/// remains in progress and is recovered from an honest answer.
fn lied_update(mut tamper: impl FnMut(&mut Response) + Send + 'static) -> ClientError {
    let (world, mut client) = uploaded(1_000);
    world.wire.tamper(move |request, response| {
        if is_update(request) {
            tamper(response);
        }
    });
    let error = client.apply(&[insert(500, b"new")]).unwrap_err();
    assert!(client.is_pending());
    assert_eq!(client.version().unwrap().version, 1);
    world.wire.be_honest();
    assert_settles(&mut client, 2);
    error
}

#[test]
fn lies_about_an_update() {
    let witnesses: [(Change<Vec<u8>>, ProofError); 3] = [
        (shorten, ProofError::Truncated),
        (|witness| flip(witness), ProofError::RootMismatch),
        (Vec::clear, ProofError::Truncated),
    ];
    for (change, error) in witnesses {
        let lied = lied_update(move |response| match response {
            Response::Updated { witness, .. } => change(&mut witness.0),
            other => panic!("{other:?}"),
        });
        assert_shown(&lied, &ClientError::Proof(error));
    }
    let statuses: [(Change<FileStatus>, ClientError); 3] = [
        // The server cannot show the owner's statement for the version that it claims.
        (|status| status.version += 1, outdated(2, 3)),
        (|status| status.root.0[0] ^= 1, forked(2)),
        (|status| status.total += 1, forked(2)),
    ];
    for (change, error) in statuses {
        let lied = lied_update(move |response| match response {
            Response::Updated { status, .. } => change(status),
            other => panic!("{other:?}"),
        });
        assert_shown(&lied, &error);
    }
    let other_answer = lied_update(|response| {
        if let Response::Updated { status, .. } = *response {
            *response = Response::State(status);
        }
    });
    assert_shown(&other_answer, &ClientError::Unexpected);
}

#[test]
fn an_old_witness_is_refused() {
    let (world, mut client) = uploaded(1_000);
    let mut first = None;
    world.wire.tamper(move |request, response| {
        if is_update(request) {
            *response = first.get_or_insert_with(|| response.clone()).clone();
        }
    });
    client.apply(&[write(500, b"new")]).unwrap();
    let mismatch = ClientError::Proof(ProofError::RootMismatch);
    assert_fails(client.apply(&[write(500, b"old")]), &mismatch);
    world.wire.be_honest();
    assert_settles(&mut client, 3);
}

#[test]
fn lies_about_where_a_file_stands() {
    let (world, mut client) = uploaded(1_000);
    let old = status(&mut client);
    client.apply(&[write(500, b"new")]).unwrap();
    let current = status(&mut client);
    let (mut forking, mut newer) = (old, current);
    forking.version = 2;
    newer.version = 7;
    for (claimed, error) in [
        (old, rollback(2, 1)),
        (forking, forked(2)),
        (newer, outdated(2, 7)),
    ] {
        world.wire.tamper(move |_, response| {
            *response = Response::State(claimed);
        });
        assert_fails(client.status(), &error);
    }
    // A server that was rolled back does not have the version.
    world.wire.refuse(is_read, unknown_version(2, 1));
    assert_fails(client.read(0..1), &rollback(2, 1));
}

#[test]
fn a_file_that_the_server_knows_no_more_is_a_fault_of_the_server() {
    for refusal in [
        Refusal::UnknownFile,
        Refusal::UploadUnfinished { next_part: 3 },
    ] {
        let (world, mut client) = uploaded(1_000);
        let lost = rollback(1, 0);
        world.wire.refuse(|_| true, refusal.clone());
        assert_fails(client.read(0..1), &lost);
        assert_fails(client.status(), &lost);
        world.wire.refuse(is_update, refusal);
        assert_fails(client.apply(&[write(0, b"new")]), &lost);
        assert!(client.is_pending());
    }
}

#[test]
fn a_refusal_that_contradicts_itself_or_goes_back_leaves_an_update_under_way() {
    for (current, error) in [(2, ClientError::Unexpected), (1, rollback(2, 1))] {
        let (world, mut client) = uploaded(1_000);
        client.apply(&[write(5, b"old")]).unwrap();
        (world.wire).refuse(is_update, Refusal::StaleBase { base: 2, current });
        assert_fails(client.apply(&[write(0, b"new")]), &error);
        assert!(client.is_pending());
        world.wire.be_honest();
        assert_settles(&mut client, 3);
    }
}

/// Makes an upload to a server that `lie` makes lie, and returns its error. Checks that the upload
/// then succeeds with an honest server.
fn lied_upload(lie: impl FnOnce(&Wire)) -> ClientError {
    let file = contents(5_000);
    let world = World::new(TagKind::PrivateMac);
    let mut client = world.create();
    lie(&world.wire);
    let error = upload(&mut client, &file).unwrap_err();
    assert_eq!(client.version(), None);
    world.wire.be_honest();
    upload(&mut client, &file).unwrap();
    check(&mut client, &file);
    error
}

#[test]
fn lies_about_an_upload() {
    let another_root =
        lied_upload(|wire| wire.change_status(is_finish, |status| status.root.0[0] ^= 1));
    assert_shown(&another_root, &forked(1));
    let one_part_too_many =
        lied_upload(|wire| wire.change_status(is_part, |status| status.next_part += 1));
    assert_shown(&one_part_too_many, &ClientError::Unexpected);
    // A client that has sent no part rejects any claim of parts.
    for claimed in [1_000, 1] {
        let error = lied_upload(|wire| {
            wire.change_status(is_begin, move |status| status.next_part = claimed);
        });
        assert_shown(&error, &ClientError::MoreParts { sent: 0, claimed });
    }
    let unknown = lied_upload(|wire| wire.refuse(is_begin, Refusal::UnknownFile));
    assert_shown(&unknown, &ClientError::Breach(Refusal::UnknownFile));
}

#[test]
fn an_upload_is_not_finished_because_the_server_says_so() {
    // A server that had finished the upload would have the owner's statement.
    let begun_or_asked = |request: &Request| is_begin(request) || is_status(request);
    let lies: [&dyn Fn(&Wire); 2] = [
        &|wire| {
            wire.tamper(|request, response| {
                if is_begin(request) {
                    *response = Response::Refused(Refusal::UploadFinished);
                }
            });
        },
        &|wire| wire.change_status(begun_or_asked, |status| status.version = 1),
    ];
    for lie in lies {
        let unfinished = Refusal::UploadUnfinished { next_part: 0 };
        assert_shown(&lied_upload(lie), &ClientError::Breach(unfinished));
    }
}
