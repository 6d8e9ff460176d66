//! Servers with TLS in separate processes.

use crate::bench::Bench;
pub(super) use crate::process::Process;
use crate::process::free_address;

/// Writes the certificate of the test servers and its key to `tls.pem` and `tls.key`.
pub(super) fn certify(bench: &Bench) {
    let certificate = include_bytes!("../../../../../data/keys-for-tests/localhost.pem");
    bench.write("tls.pem", certificate);
    let key = include_bytes!("../../../../../data/keys-for-tests/localhost.key");
    bench.write("tls.key", key);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let private = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(bench.path("tls.key"), private).unwrap();
    }
}

impl Process {
    /// Starts a server with TLS at a free address. Returns when it listens.
    pub(super) fn start(bench: &Bench, line: &str) -> Self {
        Self::start_at(bench, line, &free_address())
    }

    /// Starts a server with TLS at the address `listen`.
    pub(super) fn start_at(bench: &Bench, line: &str, listen: &str) -> Self {
        Self::start_after(bench, line, listen, 0).0
    }

    /// Starts a server like [`Self::start_at`], but first reads `before` JSON objects and returns
    /// them.
    pub(super) fn start_after(
        bench: &Bench,
        line: &str,
        listen: &str,
        before: usize,
    ) -> (Self, Vec<serde_json::Value>) {
        let tls = ["--tls-cert", "tls.pem", "--tls-key", "tls.key"];
        let words = line.split(' ').chain(["--listen", listen]).chain(tls);
        Self::spawn_after(bench, words, before)
    }

    /// Returns the address, so that another server can listen there later.
    pub(super) fn listens(&self) -> String {
        self.address.clone()
    }

    /// Returns the URL of the server for clients.
    pub(super) fn url(&self) -> String {
        format!("https://{}", self.address)
    }
}

/// Returns the latest version that a client learns from a server; `None` if there is no answer.
pub(super) fn latest(bench: &Bench, url: &str) -> Option<u64> {
    let line =
        format!("--json versions --last 1 --server {url} --tls-roots tls.pem --public k.pub");
    let output = bench.run(&line);
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().next().filter(|_| output.status.success())?;
    let object: serde_json::Value = serde_json::from_str(line).unwrap();
    Some(object["version"].as_u64().unwrap_or_default())
}

/// Waits until a server has this version. The duration is not checked.
pub(super) fn wait_for(bench: &Bench, url: &str, version: u64) {
    while latest(bench, url).is_none_or(|latest| latest < version) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// Creates a store with the first version of the store `s`, as a server receives it.
pub(super) fn begin_store(bench: &Bench, store: &str) {
    if !bench.path("first.update").exists() {
        bench.ok("export --store s --at 1 --out first.update");
    }
    bench.ok(&format!(
        "apply --store {store} --public k.pub first.update"
    ));
}
