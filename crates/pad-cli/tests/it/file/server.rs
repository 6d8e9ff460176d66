//! A server in a process of its own.

use std::{
    io::{BufRead, BufReader},
    process::{Child, ChildStdout, Stdio},
};

use crate::bench::Bench;

/// A running `pad file serve`; dropped, it is killed.
pub(crate) struct ServerProcess {
    child: Child,
    _output: BufReader<ChildStdout>,
    pub(crate) address: String,
}

impl ServerProcess {
    /// Serves the store in the bench's folder at this address; returns when it listens.
    pub(crate) fn start(bench: &Bench, listen: &str) -> Self {
        Self::start_with(bench, listen, "")
    }

    /// The same with further words, separated by spaces.
    pub(crate) fn start_with(bench: &Bench, listen: &str, words: &str) -> Self {
        let mut command = bench.command();
        command.args([
            "--json", "file", "serve", "--store", "server", "--listen", listen,
        ]);
        command.args(words.split_whitespace());
        command.env("RUST_BACKTRACE", "1");
        command.stderr(std::fs::File::create(bench.path("server.err")).unwrap());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let object: serde_json::Value = serde_json::from_str(&line).unwrap();
        Self {
            child,
            _output: output,
            address: object["address"].as_str().unwrap().to_owned(),
        }
    }

    /// SIGKILL on Unix: no destructor runs.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM: the server finishes what it does.
    #[cfg(unix)]
    pub(crate) fn stop(mut self) {
        let pid = self.child.id().to_string();
        let sent = std::process::Command::new("kill")
            .arg(pid)
            .status()
            .unwrap();
        assert!(sent.success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
