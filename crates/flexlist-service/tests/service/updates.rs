//! Updates, and the previous version until it is deleted.

use flexlist::tag::TagKind;
use flexlist_service::internals::message::Response;

use crate::{
    owner::{
        Owner, StorePath, assert_refused, check_intact, open_with, scene, small_checkpoints,
        standing, unknown_version,
    },
    plan::{Plan, count},
};

#[test]
fn random_updates_keep_both_versions_until_the_owner_knows_the_new_one() {
    for (seed, kind) in [(5, TagKind::HashOnly), (6, TagKind::PrivateMac)] {
        let (path, mut random, mut owner) = scene(seed, kind);
        let mut server = open_with(&path, small_checkpoints());
        owner.upload(&server, &[random.blocks(30)]);
        let mut before: Option<Owner> = None;
        for round in 0..60 {
            let edits = 1 + random.index(12);
            let plan = owner.plan(&mut random, edits);
            let old = owner.clone();
            owner.update(&server, &plan);
            if round % 4 == 1 {
                drop(server);
                server = open_with(&path, small_checkpoints());
            }
            owner.check_all(&server);
            old.check_all(&server);
            if let Some(older) = before.replace(old.clone()) {
                let gone = unknown_version(older.version, owner.version);
                assert_refused(&server, older.read_request(0, 1), &gone);
            }
            if round % 3 == 0 {
                let known = standing(server.handle(owner.acknowledge(owner.version)));
                assert_eq!(known, owner.standing(1));
                let gone = unknown_version(old.version, owner.version);
                assert_refused(&server, old.read_request(0, 1), &gone);
                owner.check_all(&server);
            }
            let report = check_intact(&server);
            assert_eq!(report.blocks, count(owner.blocks.len()));
        }
    }
}

#[test]
fn a_block_of_the_same_update_can_be_changed_and_removed() {
    let path = StorePath::new();
    let mut owner = Owner::new(7, TagKind::HashOnly);
    let server = open_with(&path, small_checkpoints());
    owner.upload(&server, &[vec![b"first".to_vec(), b"second".to_vec()]]);
    owner.update(
        &server,
        &[
            Plan::Insert(5, 3, b"new".to_vec()),
            Plan::Modify(6, b"newer".to_vec()),
            Plan::Insert(11 + 5, 0, b"end".to_vec()),
            Plan::Remove(5),
            Plan::Modify(0, b"1".to_vec()),
            Plan::Modify(0, b"one".to_vec()),
        ],
    );
    assert_eq!(owner.blocks, [&b"one"[..], b"second", b"end"]);
    owner.check_all(&server);
    standing(server.handle(owner.acknowledge(2)));
    assert_eq!(check_intact(&server).blocks, 3);
}

#[test]
fn acknowledging_again_or_an_older_version_changes_nothing() {
    let (path, mut random, mut owner) = scene(8, TagKind::HashOnly);
    let server = open_with(&path, small_checkpoints());
    owner.upload(&server, &[random.blocks(4)]);
    standing(server.handle(owner.acknowledge(1)));
    let plan = owner.plan(&mut random, 2);
    let old = owner.clone();
    owner.update(&server, &plan);
    standing(server.handle(owner.acknowledge(1)));
    old.check_all(&server);
    for _ in 0..2 {
        let known = server.handle(owner.acknowledge(2));
        assert_eq!(known, Response::State(owner.standing(1)));
    }
}
