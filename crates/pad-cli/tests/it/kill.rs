//! Kills `pad import` with `kill -9` at random moments, and also `pad compact` for stores with a
//! file of nodes. No acknowledged data may be lost.
//!
//! `PAD_KILL_ROUNDS` sets the number of rounds for each scheme. The default is 2; with `make soak`,
//! it is 5 for a tree and 3 for tuples. `PAD_KILL_TRACE` names the trace, a file in `data`. The
//! trace `small-versions` has so many versions that nearly every import is killed before its end.
//! `PAD_SEED` is the seed of the moments.

use std::{
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{Command, Stdio},
    thread::sleep,
    time::Duration,
};

use authdict::{Server, Version};
use pad_conformance::soak;
use serde_json::Value as Json;

use crate::bench::{Bench, OF_TREE, data, prices};

#[test]
fn acknowledged_versions_of_trees_survive() {
    survive("treap", soak::size(2, 5));
}

#[test]
fn acknowledged_versions_of_tuples_survive() {
    survive("tuple-spec-lightweight", soak::size(2, 3));
}

/// Returns the number of rounds that `PAD_KILL_ROUNDS` names; `usual` if it is not set.
pub(crate) fn wanted_rounds(usual: u64) -> u64 {
    std::env::var("PAD_KILL_ROUNDS").map_or(usual, |rounds| rounds.parse().unwrap())
}

/// Returns a number that depends on the round in no simple way.
pub(crate) fn noise(round: u64) -> u64 {
    round.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)
}

fn survive(scheme: &str, rounds: u64) {
    let rounds = wanted_rounds(rounds);
    let compacts = !scheme.starts_with("tuple-");
    let seed = pad_conformance::traces::seed();
    let moment = |round: u64| Moment::of(round.wrapping_add(seed << 32));
    let bench = Bench::with_key(scheme);
    let trace = match std::env::var("PAD_KILL_TRACE") {
        Ok(name) => trace_named(&bench, &name),
        Err(_) if soak::enabled() => prices(),
        Err(_) => few(&bench, if compacts { 200 } else { 40 }),
    };
    // The same author imports on another machine, with its own signing record.
    let import = |store: &str| {
        let trace = trace.display();
        format!("import --store {store} --key k --record {store}.signed --new-record {trace}")
    };
    let whole = bench.json(&import("whole"));
    let versions = whole.iter().filter_map(|object| object.get("version"));
    let last = versions.count();
    // With a long trace, a store is kept for more rounds, so that kills also occur in large stores.
    let rounds_of_a_store = if last > MANY { 8 } else { 4 };
    // Of the imports, some are killed before their end, and some leave out the last version.
    let [
        mut cut,
        mut unfinished,
        mut compactions,
        mut compactions_cut,
    ] = [0; 4];
    let mut acknowledged: Vec<Json> = Vec::new();
    for round in 0..rounds {
        if round % rounds_of_a_store == 0 || acknowledged.len() == last {
            // A new store is created every few rounds, so that kills also occur during creation.
            remove(&bench);
            acknowledged.clear();
        }
        // By default, many small versions are made durable together. Some rounds set the number of
        // versions per group.
        let group = match round % 4 {
            _ if last <= MANY => "",
            0 => " --group 1",
            1 => " --group 3",
            _ => "",
        };
        let line = format!("{}{group}", import("s"));
        let Moment { versions, delay } = moment(round);
        let ended = kill_after(&bench, &line, versions, delay);
        cut += u64::from(ended.is_cut);
        acknowledged.extend(ended.said);
        if !bench.path("s").exists() {
            let is_lost = !acknowledged.is_empty();
            assert!(!is_lost, "round {round}: an acknowledged store is gone");
            continue;
        }
        if compacts && round % 3 == 1 {
            let mut compact = bench.command();
            compact.args(["--json", "compact", "--store", "s"]);
            let ended = killed(compact, 0, moment(round.wrapping_add(1)).delay);
            compactions += 1;
            compactions_cut += u64::from(ended.is_cut);
        }
        let versions = bench.list("versions --store s").0;
        unfinished += u64::from(versions.len() < last);
        has_all(&versions, &acknowledged, round);
        bench.ok("check --store s");
        if round % 1000 == 999 {
            println!("{scheme}: {} rounds", round + 1);
        }
        // A version that is durable counts as acknowledged from now on, even if it was not
        // reported.
        acknowledged = versions;
    }
    let resumed = bench.json(&import("s")).pop().unwrap();
    assert_eq!(resumed["root"], whole.last().unwrap()["root"]);
    assert_eq!(bench.signed("s"), bench.signed("whole"));
    have_the_same(&bench, last);
    bench.ok("check --store s");
    println!(
        "{scheme}, PAD_SEED={seed}: of {rounds} imports {cut} were killed before their end, \
         {unfinished} before the last version; of {compactions} compactions {compactions_cut}"
    );
}

/// Returns a trace of 12 snapshots with `changes` changes each. Importing it takes longer than most
/// delays of a kill, also with fewer changes for tuples than for trees.
fn few(bench: &Bench, changes: u32) -> PathBuf {
    let rows = (0..12 * changes).map(|row| {
        let key = row.wrapping_mul(2_654_435_761) % 1000;
        format!("{},put,key {key},value {row}\n", row / changes)
    });
    bench.write_trace("few.csv", rows);
    bench.path("few.csv")
}

/// Removes the store `s` and its signing record.
fn remove(bench: &Bench) {
    for end in OF_TREE.iter().chain(&[".tuples", ".signed"]) {
        let _ = std::fs::remove_file(bench.path(&format!("s{end}")));
    }
}

/// Asserts that a store with these versions contains all acknowledged versions.
fn has_all(versions: &[Json], acknowledged: &[Json], round: u64) {
    for (known, found) in acknowledged.iter().zip(versions) {
        for field in ["version", "root"] {
            assert_eq!(known[field], found[field], "round {round}");
        }
    }
    let is_complete = versions.len() >= acknowledged.len();
    assert!(is_complete, "round {round}: lost a version");
}

/// Asserts that the stores `s` and `whole` have equal entries in each version.
fn have_the_same(bench: &Bench, last: usize) {
    let [found, expected] = ["s", "whole"].map(|store| Server::of_any(bench.path(store)).unwrap());
    for version in (1..=u64::try_from(last).unwrap()).map(Version::new) {
        let contents = [&found, &expected].map(|store| store.diff(Version::EMPTY, version));
        let [found, expected] = contents.map(Result::unwrap);
        assert_eq!(found, expected, "version {version}");
    }
}

/// Returns the path of the trace with this name. `small-versions` is generated.
fn trace_named(bench: &Bench, name: &str) -> PathBuf {
    if name != "small-versions" {
        return data(name);
    }
    let rows = (0..SMALL_VERSIONS).map(|version| {
        // The snapshot changes a new key, changes a key that may exist, and removes a key.
        let (again, removed) = (version * 7 % (version + 1), version / 3);
        let new = format!("{version},put,key {version},{version}\n");
        let again = format!("{version},put,key {again},again {version}\n");
        let removal = format!("{version},delete,key {removed},\n");
        [new, again, removal][..2 + usize::from(version % 3 == 2)].concat()
    });
    bench.write_trace("small-versions.csv", rows);
    bench.path("small-versions.csv")
}

const SMALL_VERSIONS: u64 = 1500;

/// The number of versions above which a store is still incomplete after a few rounds.
const MANY: usize = 100;

/// The moment of a kill: after a number of acknowledged versions and a delay.
struct Moment {
    versions: usize,
    delay: Duration,
}

impl Moment {
    fn of(round: u64) -> Self {
        let noise = noise(round);
        // Without a version to wait for, the moment is during the start of the program.
        let versions = usize::try_from(noise % 6).unwrap();
        let longest = if versions == 0 { 60_000 } else { 15_000 };
        Self {
            versions,
            delay: Duration::from_micros(noise / 6 % longest),
        }
    }
}

/// Runs an import, kills it after `versions` versions and a delay, and returns the versions that it
/// acknowledged.
pub(crate) fn kill_after(
    bench: &Bench,
    line: &str,
    versions: usize,
    delay: Duration,
) -> KilledProcess {
    let mut command = bench.command();
    command.arg("--json").args(line.split(' '));
    let mut ended = killed(command, versions, delay);
    ended.said.retain(|object| object.get("version").is_some());
    ended
}

/// The result of a killed program.
pub(crate) struct KilledProcess {
    /// The objects on complete lines.
    pub(crate) said: Vec<Json>,
    /// Whether the program was killed before its end.
    pub(crate) is_cut: bool,
}

/// Runs a program until it has printed `lines` lines, and kills it after `delay`.
pub(crate) fn killed(mut command: Command, lines: usize, delay: Duration) -> KilledProcess {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut printed = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..lines {
        output.read_line(&mut printed).unwrap();
    }
    sleep(delay);
    // SIGKILL on Unix: no destructor runs.
    child.kill().unwrap();
    let is_cut = !child.wait().unwrap().success();
    output.read_to_string(&mut printed).unwrap();
    let lines = printed.split_inclusive('\n');
    let whole = lines.filter(|line| line.ends_with('\n'));
    let said = whole.map(|line| serde_json::from_str(line).unwrap());
    KilledProcess {
        said: said.collect(),
        is_cut,
    }
}
