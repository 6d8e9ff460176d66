//! Servers and states restored from older copies, and recovery with the owner's signed statement.

use flexlist::FileId;
use flexlist_service::{
    client::{AuditFault, Blame},
    internals::{
        message::{Confirm, FileStatus, Finish, OwnerStatement, SignedRequest},
        signed::{OpenError, RequestKind},
    },
};
use pad_core::Digest;

use super::*;
use crate::owner::unknown_version;

/// Serves the store with this name.
fn serve_store(world: &World, name: &str) -> Wire {
    Wire::new(serve(&world.directory.path().join(name), Limits::default()))
}

fn client(world: &World, wire: &Wire) -> Client {
    world.open_with(&world.path(), wire)
}

/// The contents of a version.
fn version(number: u64) -> Vec<u8> {
    let mut file = contents(1_000);
    for version in 2..=number {
        let at = usize::try_from(version).unwrap() * 100;
        file[at..at + 3].copy_from_slice(b"new");
    }
    file
}

fn update(client: &mut Client) {
    let next = client.version().unwrap().version + 1;
    client.apply(&[write(next * 100, b"new")]).unwrap();
    assert_eq!(client.version().unwrap().version, next);
}

/// An owner at version 4, with copies of the store (`old`) and of the state (`old.state`) at
/// version 2.
fn restored() -> World {
    let world = World::new(TagKind::PrivateMac);
    let directory = world.directory.path().to_path_buf();
    let wire = serve_store(&world, "new");
    let chunker = Chunker::fixed(64).unwrap();
    let mut first =
        FileClient::create(&world.path(), world.owner.clone(), wire.clone(), chunker).unwrap();
    upload(&mut first, &version(1)).unwrap();
    update(&mut first);
    drop((first, wire));
    std::fs::copy(directory.join("new"), directory.join("old")).unwrap();
    world.copy("old.state");
    let wire = serve_store(&world, "new");
    let mut first = client(&world, &wire);
    update(&mut first);
    update(&mut first);
    check(&mut first, &version(4));
    world
}

#[test]
fn a_server_that_was_restored_from_a_copy_is_gone_back_to_on_demand_only() {
    let world = restored();
    let wire = serve_store(&world, "old");
    let mut owner = client(&world, &wire);
    let before = std::fs::read(world.path()).unwrap();
    let back = rollback(4, 2);
    for outcome in [
        owner.read(0..1).map(drop),
        owner.status().map(drop),
        owner.apply(&[write(0, b"x")]).map(drop),
    ] {
        assert_fails(outcome, &back);
    }
    let failure = audit_failure(run_audit(&mut owner, Extent::Sample(5)));
    let unknown = AuditFault::Refused(unknown_version(4, 2));
    assert_eq!((failure.version, failure.reason), (4, unknown));
    assert!(!owner.is_pending());
    assert_eq!(std::fs::read(world.path()).unwrap(), before);

    // The server's version can be read without adopting it.
    let vouched = owner.vouched().unwrap();
    assert_eq!((vouched.state().version, vouched.is_current()), (2, true));
    let mut bytes = Vec::new();
    owner
        .read_vouched_to(&vouched, 0..1_000, &mut bytes)
        .unwrap();
    assert_eq!(bytes, version(2));
    assert_eq!(std::fs::read(world.path()).unwrap(), before);

    // Only the server's version can be adopted.
    for wanted in [1, 3, 4] {
        let offered = ClientError::NotOffered { wanted, offered: 2 };
        assert_fails(owner.adopt(wanted), &offered);
    }
    assert_eq!(std::fs::read(world.path()).unwrap(), before);
    assert_eq!(owner.adopt(2).unwrap(), vouched);
    check(&mut owner, &version(2));
    update(&mut owner);
    drop(owner);
    let mut owner = client(&world, &wire);
    check(&mut owner, &version(3));
    assert!(matches!(owner.status().unwrap(), Status::Current(_)));
    drop((owner, wire));

    // A server with the versions that were given up does not count as newer ...
    let wire = serve_store(&world, "new");
    let mut owner = client(&world, &wire);
    assert_fails(owner.read(0..1), &outdated(3, 4));
    let audit = run_audit(&mut owner, Extent::Everything).unwrap_err();
    assert_eq!(audit.blame(), Blame::Server);
    // ... but its version can be adopted again.
    owner.adopt(4).unwrap();
    check(&mut owner, &version(4));
}

#[test]
fn an_older_copy_of_a_state_hears_of_it_and_catches_up() {
    let world = restored();
    let wire = serve_store(&world, "new");
    let newest = client(&world, &wire).version().unwrap();
    let copy = world.directory.path().join("old.state");
    let open = || world.open_with(&copy, &wire);
    let mut older = open();
    for outcome in [
        older.read(0..1).map(drop),
        older.apply(&[write(0, b"x")]).map(drop),
        run_audit(&mut older, Extent::Sample(5)).map(drop),
    ] {
        let error = outcome.unwrap_err();
        assert_eq!(error.blame(), Blame::Owner);
        assert_shown(&error, &superseded(2, newest));
    }
    assert!(matches!(
        older.status().unwrap(),
        Status::Newer { newer, .. } if newer == newest
    ));
    assert_eq!(older.version().unwrap().version, 2);
    older.adopt(4).unwrap();
    drop(older);
    let mut older = open();
    check(&mut older, &version(4));
    // Without the owner's statement, the newer version is only a claim.
    update(&mut older);
    drop(older);
    wire.refuse(is_confirmed, Refusal::UnknownFile);
    let mut first = client(&world, &wire);
    assert_fails(first.read(0..1), &outdated(4, 5));
    let failure = audit_failure(run_audit(&mut first, Extent::Sample(5)));
    assert!(matches!(
        failure.reason,
        AuditFault::Refused(Refusal::UnknownVersion { current: 5, .. })
    ));
}

#[test]
fn a_version_whose_word_did_not_arrive_can_be_read() {
    let world = World::new(TagKind::PrivateMac);
    let mut owner = world.uploaded(&version(1));
    world.wire.lose(is_confirm);
    update(&mut owner);
    world.wire.be_honest();
    let vouched = owner.vouched().unwrap();
    assert_eq!((vouched.state().version, vouched.is_current()), (1, false));
    assert_eq!(vouched.status().version, 2);
    let mut bytes = Vec::new();
    owner
        .read_vouched_to(&vouched, 0..1_000, &mut bytes)
        .unwrap();
    assert_eq!(bytes, version(1));
    // The next request sends the statement again, before the next update at the latest.
    assert!(matches!(owner.status().unwrap(), Status::Current(_)));
    let vouched = owner.vouched().unwrap();
    assert_eq!((vouched.state().version, vouched.is_current()), (2, true));
}

#[test]
fn an_update_under_way_is_given_up_with_its_version() {
    let world = restored();
    let wire = serve_store(&world, "new");
    let mut owner = client(&world, &wire);
    wire.lose(is_update);
    assert!(owner.apply(&[write(0, b"x")]).is_err());
    assert!(owner.is_pending());
    drop((owner, wire));
    let wire = serve_store(&world, "old");
    let mut owner = client(&world, &wire);
    assert_fails(owner.settle(), &rollback(4, 2));
    assert!(owner.is_pending());
    owner.adopt(2).unwrap();
    assert!(!owner.is_pending());
    assert_eq!(owner.settle().unwrap(), SettleOutcome::Nothing);
    check(&mut owner, &version(2));
}

fn standing(version: u64, root: u8, total: u64) -> FileStatus {
    FileStatus {
        version,
        root: Digest([root; 32]),
        total,
        blocks: 16,
        next_part: 0,
    }
}

/// Returns the status of the file as the statements of [`confirm`] state it.
fn there() -> FileStatus {
    standing(9, 7, 5)
}

/// Returns a statement about version 9 of a file, signed with the key of this seed.
fn confirm(file: FileId, seed: u8) -> SignedRequest {
    let body = Confirm {
        file,
        version: 9,
        root: Digest([7; 32]),
        total: 5,
    };
    let signer = SigningKey::from_bytes(&[seed; 32]);
    SignedRequest::new(RequestKind::Confirm, &body, &signer).unwrap()
}

/// Adopts version 9 of a file at version 2, with `response` as the server's answer about the
/// owner's statement. Returns the error. Checks that the state is unchanged, and that a server that
/// refuses a challenge still fails its audit.
fn adopted(world: &World, client: &mut Client, response: Response) -> ClientError {
    let before = std::fs::read(world.path()).unwrap();
    world.wire.meddle(move |request, server| match request {
        Request::Confirmed { .. } => Ok(response.clone()),
        Request::Audit { .. } => Ok(Response::Refused(unknown_version(2, 9))),
        _ => server.exchange(request),
    });
    let error = client.adopt(9).unwrap_err();
    for extent in [Extent::Sample(5), Extent::Everything] {
        let audit = run_audit(client, extent).unwrap_err();
        assert_eq!(audit.blame(), Blame::Server);
    }
    assert_eq!(std::fs::read(world.path()).unwrap(), before);
    error
}

fn confirmed(status: FileStatus, statement: OwnerStatement) -> Response {
    Response::Confirmed { status, statement }
}

fn at_version_2() -> (World, Client) {
    let world = World::new(TagKind::PrivateMac);
    let mut client = world.uploaded(&version(1));
    update(&mut client);
    (world, client)
}

#[test]
fn nobody_else_s_word_is_taken() {
    let (world, mut client) = at_version_2();
    let file = client.file();
    let finish = Finish {
        file,
        parts: 1,
        root: Digest([7; 32]),
        total: 5,
    };
    let signer = SigningKey::from_bytes(&[1; 32]);
    let finish = SignedRequest::new(RequestKind::Finish, &finish, &signer).unwrap();
    // A statement of another owner, about another file, or for another kind of request.
    for statement in [
        OwnerStatement::Confirm(confirm(file, 2)),
        OwnerStatement::Confirm(confirm(FileId([9; 32]), 1)),
        OwnerStatement::Finish(confirm(file, 1)),
        OwnerStatement::Confirm(finish),
    ] {
        let error = adopted(&world, &mut client, confirmed(there(), statement));
        assert_shown(&error, &ClientError::Statement(OpenError::WrongSignature));
    }
    // No statement.
    let error = adopted(&world, &mut client, Response::State(there()));
    assert_shown(&error, &ClientError::Unexpected);
    for refusal in [
        Refusal::UnknownFile,
        Refusal::UploadUnfinished { next_part: 1 },
    ] {
        let error = adopted(&world, &mut client, Response::Refused(refusal));
        assert_shown(&error, &rollback(2, 0));
    }
    let error = adopted(&world, &mut client, Response::Refused(Refusal::Removed));
    assert_shown(&error, &ClientError::Breach(Refusal::Removed));
    let error = adopted(&world, &mut client, Response::Refused(Refusal::Unavailable));
    assert_shown(&error, &ClientError::Refused(Refusal::Unavailable));
}

#[test]
fn a_word_for_a_version_at_which_the_server_does_not_stand_is_refused() {
    let (world, mut client) = at_version_2();
    for standing in [
        standing(8, 7, 5),
        standing(11, 7, 5),
        standing(9, 8, 5),
        standing(9, 7, 6),
        standing(0, 7, 5),
        standing(u64::MAX, 7, 5),
    ] {
        let statement = OwnerStatement::Confirm(confirm(client.file(), 1));
        let error = adopted(&world, &mut client, confirmed(standing, statement));
        assert_shown(&error, &ClientError::Unexpected);
    }
}
