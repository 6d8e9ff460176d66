//! Other people's authenticated dictionaries beside ours: measured by a program of its own, in `peers/`, which nobody has to
//! build who does not ask for it. Its lines pass through here, and get the machine and a table.

use std::{
    env,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use clap::Args;

use crate::{Outcome, line::Line, report::Report};

pub mod table;

/// The command line of `bench peers`.
#[derive(Clone, Debug, Args)]
pub struct PeersArguments {
    /// One JSON object per line instead of tables.
    #[arg(long)]
    json: bool,
    /// The numbers of keys; what is slow is not measured with the larger ones.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 10_000, 100_000])]
    keys: Vec<u64>,
    /// Only these dictionaries, with any number of keys; their names are those in the tables.
    #[arg(long, value_delimiter = ',')]
    peer: Vec<String>,
    /// Measure little: to see that everything works.
    #[arg(long)]
    quick: bool,
}

impl PeersArguments {
    /// Builds the program, runs it, and takes its lines.
    pub fn run(&self) -> Outcome<()> {
        let mut report = Report::new(self.json, self.quick)?;
        report.announce("building peers; the first time takes minutes");
        let mut command = self.command();
        let shown = shown(&command);
        let failed = |why: String| format!("other people's dictionaries: `{shown}` {why}");
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failed(format!("did not start: {error}")))?;
        let out = child.stdout.take().ok_or("no output")?;
        for line in BufReader::new(out).lines() {
            let line: Line = serde_json::from_str(&line?)?;
            let [peer, operation] = ["peer", "operation"].map(|key| line.text(key));
            report.announce(format!("{peer}, {} keys: {operation}", line.count("keys")));
            report.measured(line)?;
        }
        let status = child.wait()?;
        if !status.success() {
            return Err(failed(format!("failed, {status}; it says above why")).into());
        }
        report.finish(table::report)
    }

    /// What is run.
    fn command(&self) -> Command {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command
            .args(["run", "--quiet", "--release", "--locked", "--manifest-path"])
            .arg(manifest());
        let keys: Vec<String> = self.keys.iter().map(u64::to_string).collect();
        command.args(["--", "--keys", &keys.join(",")]);
        if !self.peer.is_empty() {
            command.args(["--peer", &self.peer.join(",")]);
        }
        if self.quick {
            command.arg("--quick");
        }
        command
    }
}

fn manifest() -> PathBuf {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let root = folders.nth(2).unwrap_or_else(|| Path::new("."));
    root.join("peers/Cargo.toml")
}

/// A command as one would type it.
fn shown(command: &Command) -> String {
    let words = [command.get_program()]
        .into_iter()
        .chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_handed_on() {
        let arguments = PeersArguments {
            json: true,
            keys: vec![10, 200],
            peer: vec!["jmt".into(), "treap path copying".into()],
            quick: true,
        };
        let shown = shown(&arguments.command());
        let end = "peers/Cargo.toml -- --keys 10,200 --peer jmt,treap path copying --quick";
        assert!(shown.ends_with(end), "{shown}");
        assert!(manifest().is_file());
    }
}
