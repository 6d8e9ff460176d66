//! Starts and stops the systemd units in `deploy`.

use std::{process::Command, time::Duration};

use pad_web::server::Timeouts;

use super::process::{Process, begin_store, certify, wait_for};
use crate::{
    bench::{Bench, text},
    process::free_address,
};

const COMPOSE: &str = include_str!("../../../../../deploy/compose.yaml");
const MIRROR: &str = include_str!("../../../../../deploy/pad-mirror.service");
const SERVE: &str = include_str!("../../../../../deploy/pad-serve.service");

/// Returns the value of a setting of a unit. A backslash continues a line.
fn setting(unit: &str, name: &str) -> String {
    let unit = unit.replace("\\\n    ", "");
    let value = unit
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    value.unwrap_or_else(|| panic!("no {name}")).to_owned()
}

/// Starts the command of a unit. Its store has the name `store`.
fn start(bench: &Bench, unit: &str, store: &str, upstream: &str) -> Process {
    let command = setting(unit, "ExecStart");
    let command = command.strip_prefix("/usr/local/bin/pad ").unwrap();
    let command = command
        .replace("%S/pad/prices.pad", store)
        .replace("%d/", "")
        .replace("/etc/pad/author.key.pub", "k.pub")
        .replace("0.0.0.0:7440", &free_address())
        .replace("https://prices.example", upstream);
    Process::spawn(bench, command.split(' ').chain(["--tls-roots", "tls.pem"]))
}

#[test]
fn the_units_start_and_stop() {
    let bench = Bench::with_trace();
    certify(&bench);
    begin_store(&bench, "prices.pad");
    let server = start(&bench, SERVE, "prices.pad", "");
    // At the second start, the mirror's store exists.
    for _ in 0..2 {
        let mirror = start(&bench, MIRROR, "mirror.pad", &server.url());
        wait_for(&bench, &mirror.url(), 1);
        mirror.stop();
    }
    server.stop();
}

#[test]
fn the_units_name_options_of_the_program() {
    let bench = Bench::new();
    for (unit, command) in [(SERVE, "serve"), (MIRROR, "mirror")] {
        let help = bench.ok(&format!("{command} --help"));
        let prefix = format!("/usr/local/bin/pad {command} ");
        assert!(setting(unit, "ExecStart").starts_with(&prefix));
        for option in unit
            .split_whitespace()
            .filter(|word| word.starts_with("--"))
        {
            let is_there = help.split_whitespace().any(|word| word == option);
            assert!(is_there, "pad {command} has no {option}");
        }
    }
}

/// systemd and Docker give a server the time to complete its requests.
#[test]
fn stopping_waits_longer_than_the_server() {
    let limit = Timeouts::default().shutdown;
    let (_, grace) = COMPOSE.split_once("stop_grace_period: ").unwrap();
    let grace = grace.split_once("s\n").unwrap().0.to_owned();
    for seconds in [
        grace,
        setting(SERVE, "TimeoutStopSec"),
        setting(MIRROR, "TimeoutStopSec"),
    ] {
        assert!(Duration::from_secs(seconds.parse().unwrap()) > limit);
    }
}

/// Lets systemd verify the units, if it is installed and knows credentials in command lines.
#[test]
fn systemd_accepts_the_units() {
    let version = Command::new("systemd-analyze").arg("--version").output();
    let version = version.map_or_else(|_| String::new(), |output| text(&output.stdout));
    let version = version.split(' ').nth(1).and_then(|it| it.parse().ok());
    if version.is_none_or(|version: u32| version < 250) {
        eprintln!("skipped: needs systemd 250 or later");
        return;
    }
    let bench = Bench::new();
    for (name, unit) in [("pad-serve.service", SERVE), ("pad-mirror.service", MIRROR)] {
        let unit = unit.replace("/usr/local/bin/pad", env!("CARGO_BIN_EXE_pad"));
        bench.write(name, unit.as_bytes());
        let mut verify = Command::new("systemd-analyze");
        verify.args(["verify", "--man=no"]).arg(bench.path(name));
        let output = verify.output().unwrap();
        let errors = text(&output.stderr);
        assert!(output.status.success(), "{errors}");
        assert!(!errors.contains(name), "{errors}");
    }
}
