//! Servers that lie in one way each, and the expected error for each lie.

use core::ops::Range;

use flexlist::{
    AuditError, FileState, ProofError, audit,
    challenge::{Challenge, Context, Questions},
    internals::Bytes,
};
use flexlist_service::{
    client::{AuditFailure, AuditFault, AuditSubject, Blame, SearchEnd, Silence, UnansweredAudit},
    internals::message::{FileStatus, ReadBlock},
};

use super::*;

mod audits;
mod reads;

/// Removes the last byte.
fn shorten(bytes: &mut Vec<u8>) {
    bytes.pop();
}

/// Makes an update whose answer `tamper` changes, and returns its error. Checks that the update
/// remains in progress and is recovered from an honest answer.
fn lied_update(mut tamper: impl FnMut(&mut Response) + Send + 'static) -> ClientError {
    let (world, mut client) = uploaded(1_000);
    world.wire.tamper(move |request, response| {
        if matches!(request, Request::Update(_)) {
            tamper(response);
        }
    });
    let error = client.apply(&[insert(500, b"new")]).unwrap_err();
    assert!(client.is_pending());
    assert_eq!(client.version().unwrap().version, 1);
    world.wire.be_honest();
    assert!(
        matches!(client.settle().unwrap(), SettleOutcome::Applied(state) if state.version == 2)
    );
    error
}

#[test]
fn lies_about_an_update() {
    let witness = |response: &mut Response, change: fn(&mut Vec<u8>)| match response {
        Response::Updated { witness, .. } => change(&mut witness.0),
        other => panic!("{other:?}"),
    };
    assert!(matches!(
        lied_update(move |response| witness(response, shorten)),
        ClientError::Proof(ProofError::Truncated)
    ));
    assert!(matches!(
        lied_update(move |response| witness(response, |bytes| {
            let last = bytes.len() - 10;
            bytes[last] ^= 1;
        })),
        ClientError::Proof(ProofError::RootMismatch)
    ));
    assert!(matches!(
        lied_update(move |response| witness(response, Vec::clear)),
        ClientError::Proof(ProofError::Truncated)
    ));
    let newer = lied_update(|response| match response {
        Response::Updated {
            status: standing, ..
        } => standing.version += 1,
        other => panic!("{other:?}"),
    });
    // The server cannot show the owner's statement for the version that it claims.
    assert!(matches!(
        newer,
        ClientError::Outdated {
            known: 2,
            current: 3
        }
    ));
    let changes: [fn(&mut FileStatus); 2] = [
        |standing| standing.root.0[0] ^= 1,
        |standing| standing.total += 1,
    ];
    for change in changes {
        let error = lied_update(move |response| match response {
            Response::Updated {
                status: standing, ..
            } => change(standing),
            other => panic!("{other:?}"),
        });
        assert!(matches!(error, ClientError::Forked { version: 2 }));
    }
    assert!(matches!(
        lied_update(|response| {
            if let Response::Updated {
                status: standing, ..
            } = response
            {
                *response = Response::State(*standing);
            }
        }),
        ClientError::Unexpected
    ));
}

#[test]
fn an_old_witness_is_refused() {
    let (world, mut client) = uploaded(1_000);
    let mut first = None;
    world.wire.tamper(move |request, response| {
        if matches!(request, Request::Update(_)) {
            *response = first.get_or_insert_with(|| response.clone()).clone();
        }
    });
    client.apply(&[write(500, b"new")]).unwrap();
    assert!(matches!(
        client.apply(&[write(500, b"old")]),
        Err(ClientError::Proof(ProofError::RootMismatch))
    ));
    world.wire.be_honest();
    assert!(
        matches!(client.settle().unwrap(), SettleOutcome::Applied(state) if state.version == 3)
    );
}

#[test]
fn lies_about_where_a_file_stands() {
    let (world, mut client) = uploaded(1_000);
    let Status::Current(old) = client.status().unwrap() else {
        panic!("not current");
    };
    client.apply(&[write(500, b"new")]).unwrap();
    let Status::Current(current) = client.status().unwrap() else {
        panic!("not current");
    };
    let claim = |standing| {
        world.wire.tamper(move |_, response| {
            *response = Response::State(standing);
        });
    };
    claim(old);
    assert!(matches!(
        client.status(),
        Err(ClientError::Rollback {
            known: 2,
            claimed: 1
        })
    ));
    let mut forked = old;
    forked.version = 2;
    claim(forked);
    assert!(matches!(
        client.status(),
        Err(ClientError::Forked { version: 2 })
    ));
    let mut newer = current;
    newer.version = 7;
    claim(newer);
    assert!(matches!(
        client.status(),
        Err(ClientError::Outdated {
            known: 2,
            current: 7
        })
    ));
    // A server that was rolled back does not have the version.
    world.wire.tamper(|request, response| {
        if matches!(request, Request::Read { .. }) {
            *response = Response::Refused(Refusal::UnknownVersion {
                requested: 2,
                current: 1,
            });
        }
    });
    assert!(matches!(
        client.read(0..1),
        Err(ClientError::Rollback {
            known: 2,
            claimed: 1
        })
    ));
}

#[test]
fn a_file_that_the_server_knows_no_more_is_a_fault_of_the_server() {
    for refusal in [
        Refusal::UnknownFile,
        Refusal::UploadUnfinished { next_part: 3 },
    ] {
        let (world, mut client) = uploaded(1_000);
        let said = refusal.clone();
        world.wire.tamper(move |_, response| {
            *response = Response::Refused(said.clone());
        });
        let lost = |outcome: Result<(), ClientError>| {
            assert!(
                matches!(
                    outcome,
                    Err(ClientError::Rollback {
                        known: 1,
                        claimed: 0
                    })
                ),
                "{outcome:?}"
            );
        };
        lost(client.read(0..1).map(drop));
        lost(client.status().map(drop));
        world.wire.meddle(move |request, server| match request {
            Request::Update(_) => Ok(Response::Refused(refusal.clone())),
            _ => server.exchange(request),
        });
        lost(client.apply(&[write(0, b"new")]).map(drop));
        assert!(client.is_pending());
    }
}

#[test]
fn a_refusal_that_contradicts_itself_or_goes_back_leaves_an_update_under_way() {
    for (current, claimed) in [(2, None), (1, Some(1))] {
        let (world, mut client) = uploaded(1_000);
        client.apply(&[write(5, b"old")]).unwrap();
        world.wire.meddle(move |request, server| match request {
            Request::Update(_) => Ok(Response::Refused(Refusal::StaleBase { base: 2, current })),
            _ => server.exchange(request),
        });
        match (client.apply(&[write(0, b"new")]).unwrap_err(), claimed) {
            (ClientError::Unexpected, None) => {}
            (ClientError::Rollback { known: 2, claimed }, Some(expected)) => {
                assert_eq!(claimed, expected);
            }
            (error, _) => panic!("{current}: {error:?}"),
        }
        assert!(client.is_pending());
        world.wire.be_honest();
        assert!(
            matches!(client.settle().unwrap(), SettleOutcome::Applied(state) if state.version == 3)
        );
    }
}

/// Makes an upload whose answers `tamper` changes, and returns its error. Checks that the upload
/// then succeeds with an honest server.
fn lied_upload(tamper: fn(&Request, &mut Response)) -> ClientError {
    let file = contents(5_000);
    let world = World::new(TagKind::PrivateMac);
    let mut client = world.create();
    world.wire.tamper(tamper);
    let error = client.upload(file.as_slice(), &mut |_| ()).unwrap_err();
    assert_eq!(client.version(), None);
    world.wire.be_honest();
    client.upload(file.as_slice(), &mut |_| ()).unwrap();
    check(&mut client, &file);
    error
}

/// Claims that the server has `parts` parts of an upload that begins.
fn claim(request: &Request, response: &mut Response, parts: u64) {
    if let (Request::Begin(_), Response::State(standing)) = (request, response) {
        standing.next_part = parts;
    }
}

#[test]
fn lies_about_an_upload() {
    let another_root = lied_upload(|request, response| {
        if let (Request::Finish(_), Response::State(standing)) = (request, response) {
            standing.root.0[0] ^= 1;
        }
    });
    assert!(matches!(another_root, ClientError::Forked { version: 1 }));
    let one_part_too_many = lied_upload(|request, response| {
        if let (Request::Part(_), Response::State(standing)) = (request, response) {
            standing.next_part += 1;
        }
    });
    assert!(matches!(one_part_too_many, ClientError::Unexpected));
    // A client that has sent no part rejects any claim of parts.
    for (parts, error) in [
        (
            1_000,
            lied_upload(|request, response| claim(request, response, 1_000)),
        ),
        (
            1,
            lied_upload(|request, response| claim(request, response, 1)),
        ),
    ] {
        assert!(matches!(error, ClientError::MoreParts { sent: 0, claimed } if claimed == parts));
    }
    let unknown = lied_upload(|request, response| {
        if matches!(request, Request::Begin(_)) {
            *response = Response::Refused(Refusal::UnknownFile);
        }
    });
    assert!(matches!(unknown, ClientError::Breach(Refusal::UnknownFile)));
}

#[test]
fn an_upload_is_not_finished_because_the_server_says_so() {
    // A server that had finished the upload would have the owner's statement.
    for tamper in [
        |request: &Request, response: &mut Response| {
            if matches!(request, Request::Begin(_)) {
                *response = Response::Refused(Refusal::UploadFinished);
            }
        },
        |request: &Request, response: &mut Response| {
            if let (Request::Begin(_) | Request::Status { .. }, Response::State(standing)) =
                (request, response)
            {
                standing.version = 1;
            }
        },
    ] {
        let error = lied_upload(tamper);
        assert!(
            matches!(
                error,
                ClientError::Breach(Refusal::UploadUnfinished { next_part: 0 })
            ),
            "{error:?}"
        );
    }
}
