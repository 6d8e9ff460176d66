//! Kills commands that change a directory with `kill -9` at random moments. No acknowledged data
//! may be lost, and no change may be partial.
//!
//! `PAD_KILL_ROUNDS` sets the number of rounds. The default is 6.

use std::{process::Stdio, time::Duration};

use serde_json::Value as Json;

use crate::{
    bench::{Bench, digests},
    kill::{killed, noise, wanted_rounds},
};

const LINES: u64 = 3000;

#[test]
fn acknowledged_entries_survive() {
    let rounds = wanted_rounds(6);
    let bench = Bench::new();
    let lines = usize::try_from(LINES).unwrap();
    bench.write("digests", digests(lines).as_bytes());
    let mut acknowledged = 0;
    for round in 0..rounds {
        let noise = noise(round);
        if round % 3 == 0 {
            // After some rounds a new directory is created, so that kills also occur during
            // creation and loading.
            for file in ["k", "k.pub", "k.signed"] {
                let _ = std::fs::remove_file(bench.path(file));
            }
            let _ = std::fs::remove_dir_all(bench.path("d"));
            bench.ok("keygen --out k --scheme directory");
            acknowledged = 0;
        }
        // The entries are appended in many versions, or loaded as one version.
        let how = ["--updates updates ", ""][usize::from(round / 3 % 2 == 1)];
        let said = kill_after(&bench, &format!("{how}--skip {acknowledged}"), noise);
        let told = said
            .last()
            .map_or(acknowledged, |said| said["entries"].as_u64().unwrap());
        if !bench.path("d/log.redb").exists() {
            assert_eq!(told, 0, "round {round}: an acknowledged directory is gone");
            let _ = std::fs::remove_dir_all(bench.path("d"));
            continue;
        }
        bench.ok("directory check d");
        let status = bench.one("directory status d --public k.pub");
        let entries = status["entries"].as_u64().unwrap();
        let is_lost = entries < told;
        assert!(!is_lost, "round {round}: {entries} entries of {told}");
        for id in [0, told / 2, told.saturating_sub(1)] {
            if id < told {
                let number = id + 1;
                let verify = format!("directory verify --from d --id {id}");
                bench.ok(&format!("{verify} --digest {number:064x}"));
            }
        }
        acknowledged = entries;
    }
    // After the kills, a command continues as usual.
    if acknowledged < LINES {
        let import = format!("directory import d --key k --skip {acknowledged}");
        bench.ok(&format!("{import} --digests digests"));
    }
    assert_eq!(bench.one("directory status d")["entries"], LINES);
    bench.ok("keygen --out other --scheme directory");
    let import = "directory import whole --key other --digests digests";
    let whole = bench.one(import);
    assert_eq!(bench.one("directory status d")["root"], whole["root"]);
}

/// Runs an import, kills it at a random moment, and returns the versions that it acknowledged.
fn kill_after(bench: &Bench, how: &str, noise: u64) -> Vec<Json> {
    let mut command = bench.command();
    let line = format!("--json directory import d --key k --group 250 {how} --digests digests");
    command.args(line.split(' ')).stderr(Stdio::null());
    let lines = usize::try_from(noise % 4).unwrap();
    let mut said = killed(command, lines, Duration::from_micros(noise / 4 % 30_000)).said;
    said.retain(|said| said.get("entries").is_some());
    said
}
