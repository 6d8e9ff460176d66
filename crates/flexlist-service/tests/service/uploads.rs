//! Uploads in parts, and reads and audits during them.

use flexlist::{challenge::Challenge, tag::TagKind};
use flexlist_service::internals::message::{Refusal, Response};

use crate::{
    owner::{KINDS, Owner, StorePath, check_intact, open, refusal, sample, scene, standing},
    plan::{Plan, count},
};

#[test]
fn an_upload_in_parts_is_read_and_audited() {
    for &kind in KINDS {
        let (path, mut random, mut owner) = scene(1, kind);
        let parts = [random.blocks(20), random.blocks(1), random.blocks(44)];
        let server = open(&path);
        owner.upload(&server, &parts);
        owner.check_all(&server);
        for count in [1, 2, 10, 460, 5000] {
            owner.audit(&server, sample(9, count));
        }
        let total = owner.state.total;
        for round in 0..50 {
            let start = random.below(total);
            let end = start + 1 + random.below(total - start);
            let mut position = 0;
            let mut expected = Vec::new();
            for block in &owner.blocks {
                let next = position + count(block.len());
                if position < end && next > start {
                    expected.push(block.clone());
                }
                position = next;
            }
            assert_eq!(owner.read(&server, start, end), expected);
            if round < 30 {
                let seed = [9; 32];
                owner.audit(&server, Challenge::Every { seed, start, end });
            }
        }
        drop(server);
        let server = open(&path);
        assert_eq!(server.load_all(), []);
        assert_eq!(standing(server.handle(owner.status())), owner.standing(3));
        owner.check_all(&server);
        let report = check_intact(&server);
        assert_eq!((report.files, report.blocks, report.bytes), (1, 65, total));
    }
}

#[test]
fn an_upload_goes_on_after_each_restart() {
    let (path, mut random, mut owner) = scene(2, TagKind::HashOnly);
    let parts: Vec<_> = (0..4).map(|_| random.blocks(5)).collect();
    for (number, request) in owner.upload_requests(&parts).into_iter().enumerate() {
        let server = open(&path);
        let status = server.handle(owner.status());
        if number == 0 {
            assert_eq!(refusal(status), Refusal::UnknownFile);
        } else {
            assert_eq!(standing(status).next_part, count(number) - 1);
            assert_eq!(standing(server.handle(owner.status())).version, 0);
        }
        let report = check_intact(&server);
        assert_eq!(report.blocks, 5 * count(number).saturating_sub(1));
        standing(server.handle(request));
    }
    owner.check_all(&open(&path));
}

#[test]
fn an_empty_file_grows_and_shrinks() {
    let path = StorePath::new();
    let mut owner = Owner::new(3, TagKind::HashOnly);
    let mut server = open(&path);
    owner.upload(&server, &[]);
    for round in 0..2 {
        let read = server.handle(owner.read_request(0, 0));
        assert!(matches!(read, Response::Refused(Refusal::Invalid(_))));
        owner.update(&server, &[Plan::Insert(0, round, b"one".to_vec())]);
        owner.check_all(&server);
        owner.update(&server, &[Plan::Remove(2)]);
        assert_eq!(owner.state.total, 0);
        server = {
            drop(server);
            open(&path)
        };
        assert_eq!(standing(server.handle(owner.status())), owner.standing(0));
    }
}
