//! Tests of logs whose author is killed, or has a full disk.

use std::{fs, time::Duration};

use pad_conformance::soak;
use serde_json::Value as Json;

use crate::{
    append_only::with_key_of,
    bench::{Outcome as _, objects, text},
    kill::{kill_after, noise, wanted_rounds},
    small_disk::SmallDisk,
};

/// Kills an import with `kill -9` at random moments. No acknowledged data may be lost.
/// `PAD_KILL_ROUNDS` sets the number of rounds.
#[test]
fn acknowledged_versions_survive_a_kill() {
    survive("aad-counted", soak::size((60, 2), (120, 3)));
}

#[test]
fn acknowledged_versions_with_frontiers_survive_a_kill() {
    survive("aad-frontier", soak::size((9, 1), (36, 2)));
}

fn survive(scheme: &str, (entries, rounds): (u64, u64)) {
    let rounds = wanted_rounds(rounds);
    let bench = with_key_of(scheme);
    let rows = (0..entries).map(|number| {
        let (snapshot, key) = (number / 4, number % 7);
        format!("{snapshot},put,key {key},value {number}\n")
    });
    bench.write_trace("t.csv", rows);
    let import = |store: &str| {
        let record = format!("--record {store}.signed --new-record");
        format!("import --store {store} --key k {record} --parameters par t.csv")
    };
    bench.ok(&import("whole"));
    let whole = bench.signed("whole");
    for round in 0..rounds {
        let store = format!("s{}", round / 4);
        let noise = noise(round);
        let versions = usize::try_from(noise % 9).unwrap();
        let delay = Duration::from_micros(noise / 9 % 30_000);
        let acknowledged = kill_after(&bench, &import(&store), versions, delay).said;
        if !bench.path(&store).exists() {
            assert_eq!(acknowledged, Vec::<Json>::new(), "round {round}");
            continue;
        }
        let found = bench.signed(&store);
        let (last, found) = (acknowledged.last(), roots(&found));
        assert!(roots(&whole).starts_with(&found), "round {round}");
        if let Some(version) = last.and_then(|last| last["version"].as_u64()) {
            let known = u64::try_from(found.len()).unwrap();
            assert!(known >= version, "round {round}: lost a version");
        }
        bench.ok(&format!("check --store {store}"));
    }
    for store in (0..rounds.div_ceil(4)).map(|number| format!("s{number}")) {
        bench.ok(&import(&store));
        assert_eq!(bench.signed(&store), whole);
        let key = bench.first(&format!(
            "get --store {store} --public k.pub --hex 6b65792033"
        ));
        let values = (0..entries).filter(|number| number % 7 == 3).count();
        assert_eq!(key["values"].as_array().unwrap().len(), values);
    }
}

fn roots(versions: &[Json]) -> Vec<Json> {
    let roots = versions.iter().map(|version| version["root"].clone());
    roots.collect()
}

/// An import on a full disk loses no acknowledged version, and continues when there is space.
#[test]
fn a_full_disk_loses_nothing() {
    let bench = with_key_of("aad-counted");
    let Some(_disk) = SmallDisk::mount(bench.path("disk"), "32m") else {
        println!("skipped: only root can mount a small disk");
        return;
    };
    let value = "x".repeat(100_000);
    let rows = (0..60).map(|number| format!("{number},put,key{},{value}\n", number % 7));
    bench.write_trace("t.csv", rows);
    bench.ok(
        "import --store whole --key k --record whole.signed --new-record --parameters par t.csv",
    );
    let whole = bench.signed("whole");
    fs::write(bench.path("disk/filler"), vec![0; 27 << 20]).unwrap();
    // Each version is flushed separately, so that some are acknowledged before the disk is full,
    // even on a slow machine.
    let import = "--json import --group 1 --store disk/s --key k --parameters par t.csv";
    let mut known = 0;
    for _ in 0..soak::size(2, 3) {
        let output = bench.run(import);
        output.fails_with(4, "");
        let objects = objects(&text(&output.stdout)).into_iter();
        let mut acknowledged = objects.filter_map(|object| object["version"].as_u64());
        known = acknowledged.next_back().unwrap_or(known);
        // A reader may find an interrupted write. This command repairs it.
        bench.ok("check --store disk/s");
        let found = bench.signed("disk/s");
        assert!(u64::try_from(found.len()).unwrap() >= known);
        assert!(roots(&whole).starts_with(&roots(&found)));
    }
    let is_part = 0 < known && known < 60;
    assert!(is_part, "{known} versions before the disk was full");
    fs::remove_file(bench.path("disk/filler")).unwrap();
    bench.ok(import);
    assert_eq!(bench.signed("disk/s"), whole);
    bench.ok("check --store disk/s");
}
