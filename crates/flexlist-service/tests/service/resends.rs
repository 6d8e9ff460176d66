//! Repeated requests: they get the first answer again, and change nothing.

use flexlist::tag::TagKind;
use flexlist_service::internals::message::{Refusal, Response};

use crate::owner::{
    assert_refused, open, open_with, refusal, scene, small_checkpoints, stale_base,
};

#[test]
fn every_step_of_an_upload_can_be_resent() {
    let (path, mut random, mut owner) = scene(1, TagKind::HashOnly);
    let requests = owner.upload_requests(&[random.blocks(3), random.blocks(4)]);
    for request in &requests {
        let first = open(&path).handle(request.clone());
        assert!(matches!(first, Response::State(_)), "{first:?}");
        let server = open(&path);
        assert_eq!(server.handle(request.clone()), first);
        assert_eq!(server.handle(request.clone()), first);
    }
    let server = open(&path);
    // A repeated begin returns the current status. Repeated parts are refused.
    let again = server.handle(requests[0].clone());
    assert_eq!(again, Response::State(owner.standing(2)));
    for part in &requests[1..3] {
        assert_refused(&server, part.clone(), &Refusal::UploadFinished);
    }
    owner.check_all(&server);
    assert_eq!(server.check().stray_blocks, 0);
}

#[test]
fn the_last_update_can_be_resent_and_no_other_of_its_base() {
    let (path, mut random, mut owner) = scene(2, TagKind::HashOnly);
    let mut server = open_with(&path, small_checkpoints());
    owner.upload(&server, &[random.blocks(9)]);
    let mut last = None;
    for round in 0..10 {
        let before = owner.clone();
        let plan = owner.plan(&mut random, 3);
        let (edits, operations) = owner.edits(&plan);
        let request = owner.update_of(owner.version, edits);
        let response = server.handle(request.clone());
        owner.accept(&response, &operations, &plan);
        if round % 2 == 0 {
            drop(server);
            server = open_with(&path, small_checkpoints());
        }
        assert_eq!(server.handle(request.clone()), response);
        let other = before.plan(&mut random, 2);
        let (other, _) = owner.edits(&other);
        let other = server.handle(owner.update_of(before.version, other));
        let stale = |base| stale_base(base, owner.version);
        assert_eq!(refusal(other), stale(before.version));
        // An owner that has forgotten its acknowledgement can still repeat the update.
        server.handle(owner.acknowledge(owner.version));
        assert_eq!(server.handle(request.clone()), response);
        if let Some(older) = last.replace(request) {
            assert_refused(&server, older, &stale(before.version - 1));
        }
        owner.check_all(&server);
    }
}
