//! Clients other than the owner, with published data only.

use flexlist_service::{
    client::{AuditFault, FileObserver, PublicFile, TagCheck},
    internals::message::{FileStatus, OwnerStatement},
};

use super::*;

const PUBLIC: [TagKind; 2] = [TagKind::HashOnly, TagKind::PublicBls];

fn observer(world: &World, public: &PublicFile) -> FileObserver<Wire> {
    FileObserver::new(public.clone(), world.wire.clone()).with_options(small())
}

/// A world with an uploaded file, its owner's client, and an observer with the published data.
fn published(kind: TagKind, file: &[u8]) -> (World, Client, PublicFile, FileObserver<Wire>) {
    let world = World::new(kind);
    let mut client = world.uploaded(file);
    let public = client.public().unwrap();
    let observer = observer(&world, &public);
    (world, client, public, observer)
}

fn read(observer: &FileObserver<Wire>, state: &FileState) -> Result<Vec<u8>, ClientError> {
    let mut bytes = Vec::new();
    observer.read_to(state, 0..state.list.total, &mut bytes)?;
    Ok(bytes)
}

#[test]
fn anybody_reads_and_audits_what_is_published() {
    for kind in PUBLIC {
        let mut file = contents(5_000);
        let (_world, mut client, public, observer) = published(kind, &file);
        let newest = observer.newest().unwrap();
        assert_eq!(*newest.state(), public.since);
        for extent in [Extent::Sample(50), Extent::Everything] {
            let report = observer.audit(newest.state(), extent, &mut |_| ()).unwrap();
            assert!(report.blocks > 0);
        }
        assert_eq!(read(&observer, newest.state()).unwrap(), file);

        // The owner updates the file, and the observer follows the owner's signature.
        client.apply(&[insert(100, b"more")]).unwrap();
        file.splice(100..100, *b"more");
        let before = newest;
        let newest = observer.newest().unwrap();
        assert_eq!(*newest.state(), client.version().unwrap());
        assert_eq!(read(&observer, newest.state()).unwrap(), file);
        // After a second update, the version seen first is no longer kept.
        client.apply(&[insert(0, b"x")]).unwrap();
        assert!(matches!(
            read(&observer, before.state()),
            Err(ClientError::Superseded { known: 1, .. })
        ));
        assert!(matches!(
            observer.audit(before.state(), Extent::Sample(5), &mut |_| ()),
            Err(ClientError::Superseded { known: 1, .. })
        ));
    }
}

#[test]
fn a_change_is_based_only_on_a_version_that_the_server_can_prove() {
    let (world, mut client, _, observer) = published(TagKind::HashOnly, &contents(5_000));
    // The statements of versions are lost, and nothing else.
    world.wire.lose(is_confirm);
    client.apply(&[insert(0, b"one")]).unwrap();
    let refused = client.apply(&[insert(0, b"two")]).unwrap_err();
    assert!(matches!(refused, ClientError::Transport(_)), "{refused}");
    assert!(!client.is_pending());
    assert_eq!(observer.newest().unwrap().status().version, 2);
    // A server that refuses the statement cannot prove the version either.
    let busy = Refusal::Unavailable;
    world.wire.refuse(is_confirm, busy.clone());
    let refused = client.apply(&[insert(0, b"two")]).unwrap_err();
    assert!(
        matches!(&refused, ClientError::Refused(it) if *it == busy),
        "{refused:?}"
    );
    assert!(!client.is_pending());
    world.wire.be_honest();
    client.apply(&[insert(0, b"two")]).unwrap();
    assert_eq!(
        *observer.newest().unwrap().state(),
        client.version().unwrap()
    );
}

#[test]
fn tags_with_a_secret_key_are_the_owners_to_audit_and_everybodys_to_read() {
    let file = contents(5_000);
    let (world, _client, public, observer) = published(TagKind::PrivateMac, &file);
    assert!(public.tags.key().is_none());
    let state = *observer.newest().unwrap().state();
    assert_eq!(read(&observer, &state).unwrap(), file);
    world.wire.meddle(|request, _| panic!("{request:?}"));
    for extent in [Extent::Sample(5), Extent::Everything] {
        assert_fails(
            observer.audit(&state, extent, &mut |_| ()),
            &ClientError::OwnerAudits,
        );
    }
}

#[test]
fn a_published_root_is_read_and_no_other() {
    let (world, mut client, _, observer) = published(TagKind::PrivateMac, &contents(5_000));
    client.apply(&[write(0, b"new")]).unwrap();
    let root = client.version().unwrap().sealed_root();
    let state = observer.at_root(&root).unwrap();
    assert_eq!(state, client.version().unwrap());
    assert!(read(&observer, &state).unwrap().starts_with(b"new"));
    // The sealed root changes with every field of the state.
    let changes: [fn(&mut FileStatus); 3] = [
        |status| status.version += 1,
        |status| status.total -= 1,
        |status| status.root.0[5] ^= 1,
    ];
    for change in changes {
        world.wire.tamper(move |_, response| match response {
            Response::State(status) => change(status),
            Response::Confirmed { .. } => {
                *response = Response::Refused(Refusal::StoreFailed("a test".into()));
            }
            _ => {}
        });
        let error = observer.at_root(&root).unwrap_err();
        assert!(matches!(error, ClientError::OtherRoot { .. }), "{error:?}");
    }
    world.wire.be_honest();
    // After two updates, the server keeps no version with the old root.
    client.apply(&[write(0, b"old")]).unwrap();
    client.apply(&[write(0, b"one")]).unwrap();
    assert!(matches!(
        observer.at_root(&root),
        Err(ClientError::OtherRoot { version: 4 })
    ));
    let none = observer.at_root(&pad_core::Digest([0; 32]));
    assert!(matches!(none, Err(ClientError::OtherRoot { .. })));
}

#[test]
fn lies_about_the_newest_version() {
    let world = World::new(TagKind::HashOnly);
    let mut client = world.uploaded(&contents(5_000));
    let file = client.file();
    let old = world
        .wire
        .server
        .exchange(&Request::Confirmed { file })
        .unwrap();
    client.apply(&[write(0, b"new")]).unwrap();
    let public = client.public().unwrap();
    let observer = observer(&world, &public);
    // An older version with a valid signature.
    (world.wire).answer(is_confirmed, move |_, _| Ok(old.clone()));
    assert_fails(observer.newest(), &rollback(2, 1));
    // A version 2 that differs from the published one, with the owner's signature.
    world.wire.be_honest();
    let mut other = public.clone();
    other.since.list.root.0[0] ^= 1;
    let other = FileObserver::new(other, world.wire.clone());
    assert_fails(other.newest(), &forked(2));
    // A signature of another owner, or a changed statement.
    let mut strange = public;
    strange.owner = owner(2, TagKind::HashOnly).key;
    let newest = FileObserver::new(strange, world.wire.clone()).newest();
    assert!(matches!(newest, Err(ClientError::Statement(_))));
    for place in [0, 20, 40, 67] {
        world.wire.tamper(move |_, response| {
            if let Response::Confirmed {
                statement: OwnerStatement::Confirm(signed) | OwnerStatement::Finish(signed),
                ..
            } = response
            {
                signed.body.0[place] ^= 1;
            }
        });
        assert!(matches!(observer.newest(), Err(ClientError::Statement(_))));
    }
    // A status that does not match the statement.
    for step in [2, 5] {
        world.wire.tamper(move |_, response| {
            if let Response::Confirmed { status, .. } = response {
                status.version += step;
            }
        });
        assert_fails(observer.newest(), &ClientError::Unexpected);
    }
    // The server claims not to have the file.
    for refusal in [
        Refusal::UnknownFile,
        Refusal::UploadUnfinished { next_part: 1 },
    ] {
        world.wire.refuse(|_| true, refusal);
        assert_fails(observer.newest(), &rollback(2, 0));
    }
}

#[test]
fn lies_about_what_is_read_and_audited() {
    for kind in PUBLIC {
        let (world, _client, public, observer) = published(kind, &contents(2_000));
        let state = public.since;
        world.wire.tamper(|_, response| {
            if let Response::Read { blocks, .. } = response {
                blocks[0].data.0[3] ^= 1;
            }
        });
        let error = read(&observer, &state).unwrap_err();
        assert!(matches!(error, ClientError::Blocks(_)), "{error:?}");
        world.wire.tamper(|_, response| match response {
            Response::Audited { tag_proof, .. } => tag_proof.0[3] ^= 1,
            Response::Read { blocks, .. } => blocks[0].data.0[3] ^= 1,
            _ => {}
        });
        for extent in [Extent::Sample(20), Extent::Everything] {
            let failure = audit_failure(observer.audit(&state, extent, &mut |_| ()));
            assert!(matches!(failure.reason, AuditFault::Answer(_)));
        }
    }
}

/// If the published tag key is not the file's, audits fail. Reads still return only verified bytes.
#[test]
fn a_wrong_key_for_tags_does_not_pass() {
    let file = contents(2_000);
    let (world, _client, mut public, _) = published(TagKind::PublicBls, &file);
    public.tags = TagCheck::public(&owner(1, TagKind::PublicBls).tags);
    let observer = observer(&world, &public);
    let state = public.since;
    audit_failure(observer.audit(&state, Extent::Sample(10), &mut |_| ()));
    assert_eq!(read(&observer, &state).unwrap(), file);
}
