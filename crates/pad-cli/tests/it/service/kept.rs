//! Tests of servers that keep some versions each, and of a router in front of them, in separate
//! processes.

use super::process::{Process, begin_store, certify, wait_for};
use crate::bench::Bench;

const ROOTS: &str = "--tls-roots tls.pem";

/// Waits until a store has pruned all versions before this version.
fn wait_for_oldest(bench: &Bench, store: &str, oldest: u64) {
    loop {
        let lines = bench
            .list(&format!("versions --store {store} --public k.pub"))
            .0;
        let kept = lines.iter().find(|line| line["claim"]["kept"] == true);
        if kept.is_some_and(|line| line["version"] == oldest) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_router_asks_whoever_keeps_the_version() {
    let bench = Bench::with_trace();
    certify(&bench);
    for price in 4..=6 {
        bench.ok(&format!("put --store s apple {price}"));
        bench.ok("commit --store s --key k");
    }
    let author = Process::start(&bench, "serve --store s");
    let from = author.url();
    let mirror = |store: &str, versions: &str| {
        let line = format!("--versions {versions} --store {store} --from {from} {ROOTS}");
        let line = format!("mirror --public k.pub --every 20 {line}");
        Process::start(&bench, &line)
    };
    let (old, new) = (mirror("old", "0..3"), mirror("new", "3.."));
    wait_for(&bench, &old.url(), 3);
    wait_for(&bench, &new.url(), 6);
    wait_for_oldest(&bench, "new", 3);
    // The two servers together have all the data.
    drop(author);
    let line = format!(
        "route --server {}/v1/dictionaries/old --server {} --name s {ROOTS} --every 50",
        old.url(),
        new.url()
    );
    let mut router = Process::start(&bench, &line);
    let url = router.url();
    for version in 1..=6 {
        let line = format!("get --public k.pub --at {version} apple");
        let local = bench.ok(&format!("{line} --store s"));
        assert_eq!(bench.ok(&format!("{line} --server {url} {ROOTS}")), local);
        let servers = format!("--server {} --server {}", new.url(), old.url());
        assert_eq!(
            bench.ok(&format!("{line} {servers} {ROOTS} --view v")),
            local
        );
        bench.ok(&format!("{line} --server {url} {ROOTS} --view v"));
    }
    // Mirrors copy names and times, which are unverified.
    let named = bench.json(&format!(
        "get --public k.pub --server {url} {ROOTS} --at b apple"
    ));
    assert_eq!(named[0]["version"], 2);
    let signed = |line: &str| -> Vec<_> {
        let objects = bench.list(line).0.into_iter();
        let said = objects.map(|object| (object["version"].clone(), object["root"].clone()));
        said.collect()
    };
    let heads = signed("versions --public k.pub --store s");
    assert_eq!(heads.len(), 6);
    let asked = signed(&format!("versions --public k.pub --server {url} {ROOTS}"));
    assert_eq!(asked, heads);
    for line in ["range --at 2 a z", "range a z"] {
        let line = format!("{line} --public k.pub");
        let local = bench.ok(&format!("{line} --store s"));
        assert_eq!(bench.ok(&format!("{line} --server {url} {ROOTS}")), local);
    }
    bench.fails(
        &format!(
            "get --server {} {ROOTS} --public k.pub --at 5 apple",
            old.url()
        ),
        2,
        "version 5 is newer than version 3",
    );
    // The router stores no data, so a kill loses nothing.
    router.kill();
    let router = Process::start_at(&bench, &line, &router.listens());
    bench.ok(&format!("get --server {url} {ROOTS} --view v --at 4 apple"));
    drop(new);
    bench.ok(&format!(
        "get --server {url} {ROOTS} --public k.pub --at 2 apple"
    ));
    bench.fails(
        &format!("get --server {url} {ROOTS} --view v --at 5 apple"),
        4,
        "busy",
    );
    #[cfg(unix)]
    router.stop();
    drop(old);
}

#[test]
fn versions_that_cannot_be_kept_are_refused_at_the_start() {
    let bench = Bench::with_trace();
    begin_store(&bench, "copy");
    let line = "mirror --from http://127.0.0.1:1/v1/dictionaries/s --public k.pub";
    for (versions, reason) in [
        ("3..2", "is empty"),
        ("7", "expected A..B"),
        ("last:0", "is empty"),
    ] {
        let refused = bench.run(&format!("{line} --store copy --versions {versions}"));
        assert_eq!(refused.status.code(), Some(2));
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(reason), "{said}");
    }
    bench.ok("prune --store s --before 3");
    bench.fails(
        &format!("{line} --store s --versions 2.."),
        2,
        "was pruned to version 3",
    );
    let address = format!("file://{}", bench.path("objects/prices").display());
    bench.ok(&format!(
        "apply --store {address} --public k.pub first.update"
    ));
    bench.fails(
        &format!("{line} --store {address} --versions 2.."),
        2,
        "a store in objects keeps all versions",
    );
    #[cfg(feature = "log")]
    {
        bench.ok("keygen --out k2 --scheme aad-counted");
        bench.fails(
            "mirror --from http://127.0.0.1:1/v1/dictionaries/s --public k2.pub --store appended \
             --versions last:3",
            2,
            "scheme aad-counted cannot drop versions",
        );
    }
}

#[test]
fn partitions_behind_a_router_answer_for_all_keys() {
    let bench = Bench::with_trace();
    certify(&bench);
    let author = Process::start(&bench, "serve --store s");
    let line = |keys: &str| {
        let from = author.url();
        format!("mirror --keys {keys} --public k.pub --from {from} {ROOTS} --every 20")
    };
    let (first, second) = (line("a n"), line("n zz"));
    let early = Process::start(&bench, &first);
    let mut late = Process::start(&bench, &second);
    let versions = |wanted| {
        for partition in [&early, &late] {
            wait_for(&bench, &partition.url(), wanted);
        }
    };
    versions(3);
    for price in 4..=6 {
        bench.ok(&format!("put --store s apple {price}"));
        bench.ok(&format!("put --store s rhubarb {price}"));
        bench.ok("commit --store s --key k");
    }
    versions(6);
    let servers = format!("--server {} --server {} {ROOTS}", early.url(), late.url());
    let router = Process::start(&bench, &format!("route {servers} --every 50"));
    let routed = format!("--server {} {ROOTS}", router.url());
    for asked in [&servers, &routed] {
        for line in [
            "get apple",
            "get plum --at 2",
            "get rhubarb --at 5",
            "range a z --at 4",
            "range nut zz",
            "diff 2 6 --complete",
        ] {
            let line = format!("{line} --public k.pub");
            let local = bench.run(&format!("{line} --store s"));
            let asked = bench.run(&format!("{line} {asked}"));
            // The servers of parts have no keys before `a`, and none from `zz` on.
            if line.contains("--complete") {
                assert_eq!(asked.status.code(), Some(2), "{asked:?}");
            } else {
                assert!(local.status.success(), "{line}: {local:?}");
                assert_eq!(asked.stdout, local.stdout, "{line}: {asked:?}");
            }
        }
    }
    bench.fails(
        &format!(
            "get --server {} {ROOTS} --public k.pub rhubarb",
            early.url()
        ),
        2,
        "not kept",
    );
    // The contents are lost when the process ends, and are fetched again.
    let listens = late.listens();
    late.kill();
    let late = Process::start_at(&bench, &second, &listens);
    wait_for(&bench, &late.url(), 6);
    bench.ok(&format!("get rhubarb --at 4 --public k.pub {servers}"));
    bench.fails(
        "mirror --keys z a --public k.pub --from http://127.0.0.1:1/v1/dictionaries/s",
        2,
        "range is empty",
    );
}
