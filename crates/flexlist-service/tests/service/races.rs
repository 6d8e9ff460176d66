//! Concurrent clients of one file.

use std::{
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use flexlist::tag::TagKind;
use flexlist_service::internals::message::{Refusal, Response};

use crate::{
    owner::{
        Owner, StorePath, check_intact, open, open_with, sample, scene, small_checkpoints,
        stale_base,
    },
    plan::Random,
};

/// Runs all of this work at the same time, and returns the results in order.
fn at_once<T: Send>(work: impl Iterator<Item = impl FnOnce() -> T + Send>) -> Vec<T> {
    thread::scope(|scope| {
        let threads: Vec<_> = work.map(|work| scope.spawn(work)).collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap());
        results.collect()
    })
}

#[test]
fn of_two_updates_of_one_version_exactly_one_wins() {
    let (path, mut random, mut owner) = scene(1, TagKind::HashOnly);
    let server = open_with(&path, small_checkpoints());
    owner.upload(&server, &[random.blocks(20)]);
    for _ in 0..25 {
        let start = Barrier::new(2);
        let attempts: Vec<_> = (0..2)
            .map(|_| {
                let plan = owner.plan(&mut random, 4);
                let (edits, operations) = owner.edits(&plan);
                (owner.update_of(owner.version, edits), operations, plan)
            })
            .collect();
        let responses = at_once(attempts.iter().map(|(request, ..)| {
            let (server, start, request) = (&server, &start, request.clone());
            move || {
                start.wait();
                server.handle(request)
            }
        }));
        let stale = Response::Refused(stale_base(owner.version, owner.version + 1));
        let winners: Vec<usize> = (0..2)
            .filter(|number| responses[*number] != stale)
            .collect();
        assert_eq!(winners.len(), 1, "{responses:?}");
        let (_, operations, plan) = &attempts[winners[0]];
        owner.accept(&responses[winners[0]], operations, plan);
        owner.check_all(&server);
    }
}

#[test]
fn audits_go_on_beside_updates_of_the_same_file() {
    let (path, mut random, mut owner) = scene(2, TagKind::PrivateMac);
    let server = open_with(&path, small_checkpoints());
    owner.upload(&server, &[random.blocks(60)]);
    let done = AtomicBool::new(false);
    let (send, receive) = std::sync::mpsc::channel::<Owner>();
    let receive = std::sync::Mutex::new(receive);
    let verified = thread::scope(|scope| {
        let auditors: Vec<_> = (0..3_u8)
            .map(|number| {
                let (server, done, receive) = (&server, &done, &receive);
                let mut known = owner.clone();
                scope.spawn(move || {
                    let mut verified = 0_u32;
                    while !done.load(Ordering::Relaxed) {
                        if let Ok(news) = receive.lock().unwrap().try_recv() {
                            known = news;
                        }
                        let challenge = sample(number, 15);
                        let response = server.handle(known.audit_request(challenge));
                        match response {
                            // Two updates were applied since this auditor learned of one.
                            Response::Refused(Refusal::UnknownVersion { .. }) => {}
                            response => {
                                known.verify_audit(&challenge, &response).unwrap();
                                verified += 1;
                            }
                        }
                    }
                    verified
                })
            })
            .collect();
        for _ in 0..60 {
            let plan = owner.plan(&mut random, 5);
            owner.update(&server, &plan);
            for _ in 0..3 {
                send.send(owner.clone()).unwrap();
            }
        }
        done.store(true, Ordering::Relaxed);
        auditors
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum::<u32>()
    });
    assert!(verified > 0);
    owner.check_all(&server);
}

#[test]
fn files_are_begun_and_changed_side_by_side() {
    let path = StorePath::new();
    let server = open(&path);
    let owners = at_once((1..=8_u8).map(|seed| {
        let server = &server;
        move || {
            let mut random = Random(u64::from(seed));
            let mut owner = Owner::new(seed, TagKind::HashOnly);
            owner.upload(server, &[random.blocks(10), random.blocks(10)]);
            for _ in 0..10 {
                let plan = owner.plan(&mut random, 3);
                owner.update(server, &plan);
            }
            owner
        }
    }));
    drop(server);
    let server = open(&path);
    for owner in &owners {
        owner.check_all(&server);
    }
    assert_eq!((server.files().len(), check_intact(&server).files), (8, 8));
}
