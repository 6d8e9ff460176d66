//! Tests of logs whose author is killed, or has a full disk.

use std::{
    fmt::Write as _,
    fs,
    io::{BufRead, BufReader, Read},
    process::Stdio,
    thread::sleep,
    time::Duration,
};

use pad_conformance::soak;
use serde_json::Value as Json;

use crate::{
    append_only::with_key_of,
    bench::{Bench, text},
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
    survive("aad-frontier", soak::size((12, 1), (36, 2)));
}

fn survive(scheme: &str, (entries, rounds): (u64, u64)) {
    let wanted = std::env::var("PAD_KILL_ROUNDS");
    let rounds: u64 = wanted.map_or(rounds, |rounds| rounds.parse().unwrap());
    let bench = with_key_of(scheme);
    let mut trace = "snapshot,op,key,value\n".to_owned();
    for number in 0..entries {
        let snapshot = number / 4;
        let key = number % 7;
        writeln!(trace, "{snapshot},put,key {key},value {number}").unwrap();
    }
    bench.write("t.csv", trace.as_bytes());
    let import = |store: &str| {
        format!(
            "import --store {store} --key k --record {store}.signed --new-record --parameters par \
             t.csv"
        )
    };
    bench.ok(&import("whole"));
    let whole = bench.signed("whole");
    for round in 0..rounds {
        let store = format!("s{}", round / 4);
        let acknowledged = kill_after(&bench, &import(&store), round);
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
        let key = bench.json(&format!(
            "get --store {store} --public k.pub --hex 6b65792033"
        ));
        let values = (0..entries).filter(|number| number % 7 == 3).count();
        assert_eq!(key[0]["values"].as_array().unwrap().len(), values);
    }
}

fn roots(versions: &[Json]) -> Vec<Json> {
    let roots = versions.iter().map(|version| version["root"].clone());
    roots.collect()
}

/// Runs an import, kills it after some versions and a delay, and returns the acknowledged versions.
fn kill_after(bench: &Bench, line: &str, round: u64) -> Vec<Json> {
    let noise = round.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
    let mut command = bench.command();
    let words = line.split(' ');
    command.arg("--json").args(words).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut printed = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..noise % 9 {
        output.read_line(&mut printed).unwrap();
    }
    sleep(Duration::from_micros(noise / 9 % 30_000));
    // SIGKILL on Unix: no destructor runs.
    child.kill().unwrap();
    child.wait().unwrap();
    output.read_to_string(&mut printed).unwrap();
    acknowledged(&printed)
}

/// Returns the versions that an import has reported.
fn acknowledged(printed: &str) -> Vec<Json> {
    let lines = printed.split_inclusive('\n');
    let whole = lines.filter(|line| line.ends_with('\n'));
    let objects = whole.map(|line| serde_json::from_str::<Json>(line).unwrap());
    objects
        .filter(|object| object.get("version").is_some())
        .collect()
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
    let mut trace = "snapshot,op,key,value\n".to_owned();
    for number in 0..60 {
        writeln!(trace, "{number},put,key{},{value}", number % 7).unwrap();
    }
    bench.write("t.csv", trace.as_bytes());
    bench.ok(
        "import --store whole --key k --record whole.signed --new-record --parameters par t.csv",
    );
    let whole = bench.signed("whole");
    fs::write(bench.path("disk/filler"), vec![0; 27 << 20]).unwrap();
    // Each version is flushed separately, so that some are acknowledged before the disk is full,
    // even on a slow machine.
    let import = "--json import --group 1 --store disk/s --key k --parameters par t.csv";
    let mut known = 0;
    for _ in 0..3 {
        let output = bench.run(import);
        assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
        let last = acknowledged(&text(&output.stdout)).pop();
        known = last.map_or(known, |last| last["version"].as_u64().unwrap());
        // A reader may find an interrupted write. This command repairs it.
        bench.ok("check --store disk/s");
        let found = bench.signed("disk/s");
        assert!(u64::try_from(found.len()).unwrap() >= known);
        assert!(roots(&whole).starts_with(&roots(&found)));
    }
    assert!(
        0 < known && known < 60,
        "{known} versions before the disk was full"
    );
    fs::remove_file(bench.path("disk/filler")).unwrap();
    bench.ok(import);
    assert_eq!(bench.signed("disk/s"), whole);
    bench.ok("check --store disk/s");
}
