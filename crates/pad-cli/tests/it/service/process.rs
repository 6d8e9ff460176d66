//! Servers with TLS in separate processes.

use crate::bench::{Bench, objects, text};
pub(super) use crate::process::Process;
use crate::process::{free_address, until};

/// Writes the certificate of the test servers and its key to `tls.pem` and `tls.key`.
pub(super) fn certify(bench: &Bench) {
    let certificate = include_bytes!("../../../../../data/keys-for-tests/localhost.pem");
    bench.write("tls.pem", certificate);
    let key = include_bytes!("../../../../../data/keys-for-tests/localhost.key");
    bench.write("tls.key", key);
    bench.set_mode("tls.key", 0o600);
}

/// The option with which clients trust the test servers.
pub(super) const ROOTS: &str = "--tls-roots tls.pem";

impl Process {
    /// Starts a server with TLS at a free address. Returns when it listens.
    pub(super) fn start(bench: &Bench, line: &str) -> Self {
        Self::start_at(bench, line, &free_address())
    }

    /// Starts a server with TLS at the address `listen`.
    pub(super) fn start_at(bench: &Bench, line: &str, listen: &str) -> Self {
        let tls = ["--tls-cert", "tls.pem", "--tls-key", "tls.key"];
        let words = line.split(' ').chain(["--listen", listen]).chain(tls);
        Self::spawn(bench, words)
    }

    /// Returns the URL of the server for clients.
    pub(super) fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// Returns the options of a client of this server.
    pub(super) fn asked(&self) -> String {
        format!("--server {} {ROOTS} --public k.pub", self.url())
    }
}

/// Creates the store `pushed`, with the first version of the store `s`, and starts its server.
pub(super) fn pushed_server(bench: &Bench) -> Process {
    begin_store(bench, "pushed");
    Process::start(bench, "serve --store pushed")
}

/// Returns the latest version that a client learns from a server; `None` if there is no answer.
pub(super) fn latest(bench: &Bench, url: &str) -> Option<u64> {
    let line = format!("--json versions --last 1 --server {url} {ROOTS} --public k.pub");
    let output = bench.run(&line);
    let printed = objects(&text(&output.stdout));
    let first = printed.first().filter(|_| output.status.success())?;
    Some(first["version"].as_u64().unwrap_or_default())
}

/// Waits until a server has this version.
pub(super) fn wait_for(bench: &Bench, url: &str, version: u64) {
    until(url, || latest(bench, url) >= Some(version));
}

/// Creates a store with the first version of the store `s`, as a server receives it.
pub(super) fn begin_store(bench: &Bench, store: &str) {
    if !bench.path("first.update").exists() {
        bench.ok("export --store s --at 1 --out first.update");
    }
    // Some logs have parameters of their own.
    let has_own = bench.path("par").exists();
    let with = if has_own { " --parameters par" } else { "" };
    let apply = format!("apply --store {store} --public k.pub{with}");
    bench.ok(&format!("{apply} first.update"));
}
