//! Third-party authenticated dictionaries, measured by the separate program in `peers/`.
//!
//! That program is only built on request. This module adds the machine to its result lines, and
//! makes tables of them.

use std::{
    env,
    io::{BufRead, BufReader},
    iter,
    path::Path,
    process::{Child, Command, Stdio},
};

use clap::Args;

use crate::prelude::*;

pub mod table;

/// The command line of `bench peers`.
#[derive(Clone, Debug, Args)]
pub struct PeersArguments {
    #[command(flatten)]
    manner: Manner,
    /// Numbers of keys in a dictionary. Slow dictionaries are not measured with the larger numbers.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 10_000, 100_000])]
    keys: Vec<u64>,
    /// Restricts the run to these dictionaries, named as in the tables. They are then measured with
    /// any number of keys.
    #[arg(long, value_delimiter = ',')]
    peer: Vec<String>,
}

impl PeersArguments {
    /// Builds and runs the program in `peers/`, and reports its result lines.
    pub fn run(&self) -> Outcome<()> {
        let mut report = self.manner.report()?;
        report.announce("building peers; the first time takes minutes");
        follow(&mut self.command(), |line| {
            let [peer, operation] = ["peer", "operation"].map(|key| line.text(key));
            report.announce(format!("{peer}, {} keys: {operation}", line.count("keys")));
            report.measured(line)
        })?;
        report.finish(table::report)
    }

    /// Builds the command that measures the requested dictionaries.
    pub fn command(&self) -> Command {
        let mut command = program();
        let keys: Vec<String> = self.keys.iter().map(u64::to_string).collect();
        command.args(["--keys", &keys.join(",")]);
        if !self.peer.is_empty() {
            command.args(["--peer", &self.peer.join(",")]);
        }
        if self.manner.quick {
            command.arg("--quick");
        }
        command
    }
}

/// Builds the command that compiles and runs the program in `peers/`. The caller appends arguments.
fn program() -> Command {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let root = folders.nth(2).unwrap_or_else(|| Path::new("."));
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["run", "--quiet", "--release", "--locked", "--manifest-path"])
        .arg(root.join("peers/Cargo.toml"))
        .arg("--");
    command
}

/// Runs the measurement of a third-party tree that is stored on disk, with `keys` keys. Passes each
/// result line to `take`. It is the counterpart of `bench stored`.
pub(crate) fn stored(keys: u64, quick: bool, take: impl FnMut(Line) -> Outcome<()>) -> Outcome<()> {
    let mut command = program();
    command.args(["--stored", "--keys", &keys.to_string()]);
    if quick {
        command.arg("--quick");
    }
    follow(&mut command, take)
}

/// Runs a command, and passes each result line that it prints to `take`. Kills the process on any
/// failure, and fails if the command fails.
pub fn follow(command: &mut Command, mut take: impl FnMut(Line) -> Outcome<()>) -> Outcome<()> {
    let started = command.stdout(Stdio::piped()).spawn();
    let started = started.map_err(|error| format!("`{}`: did not start: {error}", shown(command)));
    let mut running = ChildGuard(started?);
    let out = running.0.stdout.take().ok_or("no output")?;
    for line in BufReader::new(out).lines() {
        let line = line?;
        let read = serde_json::from_str(&line);
        take(read.map_err(|error| format!("printed '{line}', which is no line: {error}"))?)?;
    }
    let status = running.0.wait()?;
    if status.success() {
        return Ok(());
    }
    Err(format!("`{}` failed, {status}", shown(command)).into())
}

/// Child process that is killed when dropped.
struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        // Fails if the process has ended already.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Formats a command as typed into a shell.
fn shown(command: &Command) -> String {
    let words = iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}
