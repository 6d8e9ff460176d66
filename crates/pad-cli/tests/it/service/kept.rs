//! Tests of servers that keep some versions each, and of a router in front of them, in separate
//! processes.

use super::process::{Process, ROOTS, begin_store, certify, wait_for};
use crate::{
    bench::{Bench, text},
    process::{free_address, until},
};

/// Waits until a store has pruned all versions before this version.
fn wait_for_oldest(bench: &Bench, store: &str, oldest: u64) {
    until(store, || {
        let (lines, _) = bench.list(&format!("versions --store {store} --public k.pub"));
        let kept = lines.iter().find(|line| line["claim"]["kept"] == true);
        kept.is_some_and(|line| line["version"] == oldest)
    });
}

#[test]
fn a_router_asks_whoever_keeps_the_version() {
    let bench = Bench::with_trace();
    certify(&bench);
    for price in 4..=6 {
        bench.publish(&format!("put apple {price}"));
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
    let (old_url, new_url) = (old.url(), new.url());
    let servers = format!("--server {old_url}/v1/dictionaries/old --server {new_url}");
    let line = format!("route {servers} --name s {ROOTS} --every 50");
    let mut router = Process::start(&bench, &line);
    let url = router.url();
    for version in 1..=6 {
        let line = format!("get --public k.pub --at {version} apple");
        let local = bench.ok(&format!("{line} --store s"));
        assert_eq!(bench.ok(&format!("{line} --server {url} {ROOTS}")), local);
        let servers = format!("--server {} --server {} {ROOTS}", new.url(), old.url());
        assert_eq!(bench.ok(&format!("{line} {servers} --view v")), local);
        bench.ok(&format!("{line} --server {url} {ROOTS} --view v"));
    }
    // Mirrors copy names and times, which are unverified.
    let asked = router.asked();
    bench.step(&format!(r#"get {asked} --at b apple -> {{"version": 2}}"#));
    let signed = |line: &str| -> Vec<_> {
        let objects = bench.list(line).0.into_iter();
        let said = objects.map(|object| (object["version"].clone(), object["root"].clone()));
        said.collect()
    };
    let heads = signed("versions --public k.pub --store s");
    assert_eq!(heads.len(), 6);
    assert_eq!(signed(&format!("versions {asked}")), heads);
    for line in ["range --at 2 a z", "range a z"] {
        let line = format!("{line} --public k.pub");
        let local = bench.ok(&format!("{line} --store s"));
        assert_eq!(bench.ok(&format!("{line} --server {url} {ROOTS}")), local);
    }
    let line_of_old = format!("get {} --at 5 apple", old.asked());
    bench.fails(&line_of_old, 2, "version 5 is newer than version 3");
    // The router stores no data, so a kill loses nothing.
    router.kill();
    let router = Process::start_at(&bench, &line, &router.address);
    bench.ok(&format!("get --server {url} {ROOTS} --view v --at 4 apple"));
    drop(new);
    bench.steps(&[
        &format!("get {asked} --at 2 apple"),
        &format!("get --server {url} {ROOTS} --view v --at 5 apple => 4 busy"),
    ]);
    router.stop();
    drop(old);
}

#[test]
fn a_router_starts_while_a_server_is_down_and_asks_it_later() {
    let bench = Bench::with_trace();
    certify(&bench);
    let live = Process::start(&bench, "serve --store s");
    let down = free_address();
    let servers = [live.url(), format!("https://{down}")];
    let line = |[first, second]: [&String; 2]| {
        format!("route --server {first} --server {second} {ROOTS} --every 50")
    };
    let [up, unnamed] = &servers;
    let routers = [[up, unnamed], [unnamed, up]].map(|servers| {
        let router = Process::start(&bench, &line(servers));
        wait_for(&bench, &router.url(), 3);
        router
    });
    let warned = text(&bench.read("log"));
    let taken = format!("--server {unnamed} is taken to be {unnamed}/v1/dictionaries/s: ");
    assert_eq!(warned.matches(&taken).count(), 2, "{warned}");
    let back = Process::start_at(&bench, "serve --store s", &down);
    drop(live);
    for router in &routers {
        let get = format!("get {} apple", router.asked());
        until(&get, || bench.run(&get).status.success());
    }
    drop(back);
    let neither = format!("route --server {unnamed} --server {up} {ROOTS} --public k.pub");
    bench.fails(&neither, 4, &format!("--server {unnamed}: "));
}

#[test]
fn versions_that_cannot_be_kept_are_refused_at_the_start() {
    let bench = Bench::with_trace();
    begin_store(&bench, "copy");
    let line = "mirror --from http://127.0.0.1:1/v1/dictionaries/s --public k.pub";
    let address = format!("file://{}", bench.path("objects/prices").display());
    let keeps_all = "a store in objects keeps all versions";
    bench.steps(&[
        &format!("{line} --store copy --versions 3..2 => usage is empty"),
        &format!("{line} --store copy --versions 7 => usage expected A..B"),
        &format!("{line} --store copy --versions last:0 => usage is empty"),
        "prune --store s --before 3",
        &format!("{line} --store s --versions 2.. => 2 was pruned to version 3"),
        &format!("apply --store {address} --public k.pub first.update"),
        &format!("{line} --store {address} --versions 2.. => 2 {keeps_all}"),
    ]);
    {
        bench.ok("keygen --out k2 --scheme aad-counted");
        let line = line.replace("k.pub", "k2.pub --store appended --versions last:3");
        bench.fails(&line, 2, "scheme aad-counted cannot drop versions");
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
        bench.publish(&format!("put rhubarb {price}"));
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
    bench.step(&format!("get {} rhubarb => 2 not kept", early.asked()));
    // The contents are lost when the process ends, and are fetched again.
    late.kill();
    let late = Process::start_at(&bench, &second, &late.address);
    wait_for(&bench, &late.url(), 6);
    bench.ok(&format!("get rhubarb --at 4 --public k.pub {servers}"));
    let line = "mirror --keys z a --public k.pub --from http://127.0.0.1:1/v1/dictionaries/s";
    bench.fails(line, 2, "range is empty");
}
