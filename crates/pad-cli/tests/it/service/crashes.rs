//! Kills a server and its mirror with `kill -9` under load. No acknowledged data may be lost, no
//! view may move back, and the mirror must catch up.
//!
//! `PAD_KILL_ROUNDS` sets the number of rounds. The default is 4.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use super::process::{Process, ROOTS, begin_store, certify, latest, wait_for};
use crate::{
    bench::{Bench, Outcome as _, object, objects, text},
    kill::wanted_rounds,
    process::free_address,
};

/// Commits and pushes versions, and records the version of the latest acknowledged push.
fn author(bench: &Bench, url: &str, done: &AtomicBool, acknowledged: &AtomicU64) {
    let mut number = 0_u64;
    while !done.load(Ordering::SeqCst) {
        number += 1;
        bench.ok(&format!("put --store s apple {number}"));
        let commit = format!("--json commit --store s --key k --push {url} --tls-roots tls.pem");
        let output = bench.run(&commit);
        if output.status.success() {
            let object = objects(&text(&output.stdout)).pop().unwrap();
            acknowledged.store(object["latest"].as_u64().unwrap(), Ordering::SeqCst);
        } else {
            // The server was unreachable. The version is durable in the author's store, and the
            // next push sends it.
            output.fails_with(4, "");
        }
    }
}

/// Queries the server and the mirror. No answer may be about an older version than the previous
/// answer.
fn client(bench: &Bench, urls: [&str; 2], view: &str, done: &AtomicBool) -> u64 {
    let (mut newest, mut answers) = (0, 0);
    while !done.load(Ordering::SeqCst) {
        let [first, second] = urls;
        let servers = format!("--server {first} --server {second} {ROOTS}");
        let line = format!("--json get {servers} --public k.pub --view {view} apple");
        let output = bench.run(&line);
        if !output.status.success() {
            // The server is unreachable, or the mirror has not caught up, so there is no answer.
            let error = text(&output.stderr);
            assert!(matches!(output.status.code(), Some(3 | 4)), "{error}");
            assert!(!error.contains("two histories"), "{error}");
            continue;
        }
        let object = object(&text(&output.stdout));
        let version = object["version"].as_u64().unwrap();
        assert!(version >= newest, "{version} after {newest}");
        newest = version;
        answers += 1;
    }
    answers
}

#[test]
fn killed_servers_and_mirrors_lose_nothing_that_was_acknowledged() {
    let rounds = wanted_rounds(4);
    let bench = Bench::with_trace();
    certify(&bench);
    begin_store(&bench, "one");
    let serve =
        |listen: &str| Process::start_at(&bench, "serve --store one --follow-every 20", listen);
    let mut server = serve(&free_address());
    let url = server.url();
    let from = format!("--from {url}/v1/dictionaries/one {ROOTS}");
    let line = format!("mirror --store copy --public k.pub {from} --every 20");
    let follow = |listen: &str| Process::start_at(&bench, &line, listen);
    let mut mirror = follow(&free_address());
    let mirrored = mirror.url();
    wait_for(&bench, &mirrored, 1);
    let (done, acknowledged) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        let author = scope.spawn(|| author(&bench, &url, &done, &acknowledged));
        let clients = [
            scope.spawn(|| client(&bench, [&url, &mirrored], "first", &done)),
            scope.spawn(|| client(&bench, [&mirrored, &url], "second", &done)),
        ];
        for round in 0..rounds {
            // Some pushes have succeeded. The kill is at a random moment during the next pushes.
            let before = acknowledged.load(Ordering::SeqCst);
            while acknowledged.load(Ordering::SeqCst) < before + 2 && !author.is_finished() {
                thread::sleep(Duration::from_millis(5));
            }
            thread::sleep(Duration::from_millis(round * 37 % 150));
            let known = acknowledged.load(Ordering::SeqCst);
            if round % 2 == 0 {
                server.kill();
                server = serve(&server.address);
            } else {
                mirror.kill();
                mirror = follow(&mirror.address);
            }
            let found = latest(&bench, &url);
            assert!(found >= Some(known), "{found:?} after {known}");
        }
        done.store(true, Ordering::SeqCst);
        author.join().unwrap();
        for client in clients {
            assert!(client.join().unwrap() > 0);
        }
    });
    bench.ok(&format!("push --store s --to {url} --tls-roots tls.pem"));
    let last = latest(&bench, &url).unwrap();
    wait_for(&bench, &mirrored, last);
    drop((server, mirror));
    let expected = bench.signed("s");
    assert!(expected.len() > 3);
    for store in ["one", "copy"] {
        assert_eq!(bench.signed(store), expected, "{store}");
        bench.ok(&format!("check --store {store} --public k.pub"));
    }
}
