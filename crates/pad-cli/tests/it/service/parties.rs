//! An author, two servers, a mirror, liars and three clients, each a process.

use std::fs;

use super::process::{Process, begin_store, certify, latest, wait_for};
use crate::bench::{Bench, text};

#[test]
fn three_parties_on_several_machines_and_every_lie_is_caught() {
    every_lie_is_caught("red-black");
}

#[test]
fn the_same_with_tuples() {
    every_lie_is_caught("tuple-spec-lightweight");
}

fn every_lie_is_caught(scheme: &str) {
    let bench = Bench::new();
    certify(&bench);
    bench.ok(&format!("keygen --out k --scheme {scheme}"));
    bench.write("t.csv", crate::bench::TRACE.as_bytes());
    bench.ok("import --store s --key k t.csv");
    // The key's owner forks: another history from the second version on, with a memory of its own.
    bench.write("fork.csv", b"snapshot,op,key,value\na,put,apple,3\na,put,pear,5\na,put,plum,7\nb,put,apple,66\nc,put,apple,67\n");
    bench.ok("import --store fork --key k --record fork.signed fork.csv");

    for store in ["one", "two", "old"] {
        begin_store(&bench, store);
    }
    let one = Process::start(&bench, "serve --store one", "127.0.0.1:0");
    let two = Process::start(&bench, "serve --store two --log json", "127.0.0.1:0");
    let old = Process::start(&bench, "serve --store old", "127.0.0.1:0");
    let fork = Process::start(&bench, "serve --store fork", "127.0.0.1:0");
    let roots = "--tls-roots tls.pem";
    let (first, second) = (one.url(), two.url());
    bench.ok(&format!(
        "push --store s --to {first} --to {second} {roots}"
    ));
    let line = format!(
        "mirror --store copy --public k.pub --from {first} --from {second} {roots} --every 20"
    );
    let mirror = Process::start(&bench, &line, "127.0.0.1:0");
    bench.ok("put --store s apple 8");
    bench.ok(&format!(
        "commit --store s --key k --push {first} --push {second} {roots}"
    ));
    wait_for(&bench, &mirror.url(), 4);

    // A client of the two servers, one of the mirror alone, and one that comes to a server that lags behind first.
    let ask = |servers: &[&Process], view: &str, rest: &str| {
        let servers: Vec<_> = servers
            .iter()
            .map(|server| format!("--server {}", server.url()))
            .collect();
        format!(
            "get {} {roots} --public k.pub --view {view} {rest}",
            servers.join(" ")
        )
    };
    for (servers, view) in [
        (&[&one, &two][..], "first"),
        (&[&mirror], "second"),
        (&[&two, &old], "third"),
    ] {
        let answer = bench.ok(&ask(servers, view, "apple"));
        assert_eq!(answer, "present  apple = 8   [version 4, verified]\n");
        let answer = bench.ok(&ask(servers, view, "pear --at 1"));
        assert_eq!(answer, "present  pear = 5   [version 1, verified]\n");
    }
    for line in [
        "range --public k.pub apple r",
        "history --complete --public k.pub apple",
        "versions --public k.pub",
    ] {
        let local = bench.ok(&format!("{line} --store s"));
        let remote = bench.ok(&format!("{line} --server {first} {roots}"));
        assert_eq!(local, remote, "{line}");
    }
    bench.ok(&format!(
        "prove --server {first} {roots} --public k.pub --out proof apple"
    ));
    bench.ok("verify --public k.pub --proof proof --at 4 apple");

    // An old copy as news.
    let output = bench.run(&ask(&[&old, &one], "first", "apple"));
    assert_eq!(
        text(&output.stdout),
        "present  apple = 8   [version 4, verified]\n"
    );
    assert!(text(&output.stderr).contains("offered after version 4 was seen"));
    assert!(bench.path("first.lie").exists());
    bench.fails(
        &ask(&[&old], "first", "apple"),
        3,
        "offered after version 4 was seen",
    );
    // Another history: older than the view first, then as long.
    let line = format!(
        "--server {} {roots} --public k.pub --view third apple",
        fork.url()
    );
    bench.fails(&format!("get {line}"), 3, "verification failed");
    for change in ["70", "71"] {
        bench.ok(&format!("put --store fork apple {change}"));
        bench.ok("commit --store fork --key k --record fork.signed");
        let version = if change == "70" { 4 } else { 5 };
        wait_for(&bench, &fork.url(), version);
        let output = bench.run(&ask(&[&fork, &two], "third", "apple"));
        assert_eq!(
            text(&output.stdout),
            "present  apple = 8   [version 4, verified]\n"
        );
        assert!(
            text(&output.stderr).contains("has signed two histories"),
            "{}",
            text(&output.stderr)
        );
    }
    let evidence: Vec<_> = fs::read_dir(bench.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("third.evidence"))
        .collect();
    assert!(!evidence.is_empty());
    for file in evidence {
        let checked = bench.ok(&format!("evidence --public k.pub {file}"));
        assert!(
            checked.contains("has signed two different things about version 4"),
            "{checked}"
        );
    }
    // The servers and the mirror are as they were.
    for server in [&one, &two, &mirror] {
        assert_eq!(latest(&bench, &server.url()), Some(4));
    }
    #[cfg(unix)]
    for server in [one, two, mirror] {
        server.stop();
    }
    for store in ["one", "two", "copy"] {
        bench.ok(&format!("check --store {store} --public k.pub"));
    }
}

#[test]
fn a_mirror_passes_over_upstreams_that_lie() {
    let bench = Bench::with_trace();
    certify(&bench);
    bench.write("fork.csv", b"snapshot,op,key,value\na,put,apple,3\na,put,pear,5\na,put,plum,7\nb,put,apple,66\nc,put,apple,67\nd,put,apple,68\n");
    bench.ok("import --store fork --key k --record fork.signed fork.csv");
    begin_store(&bench, "copy");
    bench.ok("export --store s --at 2 --out second.update");
    bench.ok("apply --store copy second.update");
    let fork = Process::start(&bench, "serve --store fork", "127.0.0.1:0");
    let honest = Process::start(&bench, "serve --store s", "127.0.0.1:0");
    let line = format!(
        "mirror --store copy --from {} --from {} --tls-roots tls.pem --every 20",
        fork.url(),
        honest.url()
    );
    let mirror = Process::start(&bench, &line, "127.0.0.1:0");
    wait_for(&bench, &mirror.url(), 3);
    let checked = bench.ok("evidence --public k.pub copy.evidence");
    assert!(checked.contains("about version 2"), "{checked}");
    assert!(bench.path("copy.lie").exists());
    let line = format!(
        "get --server {} --tls-roots tls.pem --public k.pub apple",
        mirror.url()
    );
    assert_eq!(
        bench.ok(&line),
        "present  apple = 4   [version 3, verified]\n"
    );
}

#[cfg(feature = "aad")]
#[test]
fn logs_are_served_with_proofs_that_they_only_grow() {
    let bench = Bench::new();
    certify(&bench);
    bench.ok("keygen --out k --scheme aad-counted");
    bench.write(
        "t.csv",
        b"snapshot,op,key,value\na,put,apple,3\nb,put,apple,4\n",
    );
    bench.ok("import --store s --key k t.csv");
    begin_store(&bench, "one");
    let one = Process::start(&bench, "serve --store one", "127.0.0.1:0");
    let (url, roots) = (one.url(), "--tls-roots tls.pem");
    let get = format!("get --server {url} {roots} --public k.pub --view v apple");
    assert!(bench.ok(&get).contains("version 1"));
    bench.ok(&format!("push --store s --to {url} {roots}"));
    // The view follows only if the newer version contains the older one.
    assert!(bench.ok(&get).contains("version 2"));
    bench.ok(&format!(
        "prove-append-only --server {url} {roots} --public k.pub --from 1 --out proof"
    ));
    bench.ok("verify --public k.pub --proof proof --from 1 --to 2");
}
