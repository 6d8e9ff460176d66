//! Servers in separate processes, and waiting for what they do.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Child, ChildStdout, Stdio},
    sync::atomic::{AtomicU16, Ordering},
    thread,
    time::Duration,
};

use pad_web::client::{HttpClient, HttpError, HttpOptions, Reply, Verdict};

use crate::bench::{Bench, objects, text};

/// Returns a free address, another one at each call.
///
/// Its port is below the ephemeral ports. The system therefore gives it to no other socket before a
/// server listens there, or while the server is down.
pub(crate) fn free_address() -> String {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let begin = u16::try_from(std::process::id() % 5000).unwrap();
    loop {
        let port = 20_000 + (begin + NEXT.fetch_add(1, Ordering::SeqCst)) % 10_000;
        let address = format!("127.0.0.1:{port}");
        if TcpListener::bind(&address).is_ok() {
            return address;
        }
    }
}

/// Waits until `holds` returns true, at most for some minutes. Returns the number of calls.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) -> usize {
    for looks in 1..=MOST_LOOKS {
        if holds() {
            return looks;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("{what}: not after {MOST_LOOKS} looks");
}

const MOST_LOOKS: usize = 15_000;

/// Returns the metrics of the server with this URL.
pub(crate) fn metrics(url: &str, options: HttpOptions) -> String {
    let client = HttpClient::new(url, options).unwrap();
    let read = |reply: Reply| Ok::<_, HttpError>(Verdict::Done(reply.body));
    text(&client.get("/metrics", 1 << 20, read).unwrap())
}

/// A running server process. Dropping it kills the process.
pub(crate) struct Process {
    child: Child,
    output: BufReader<ChildStdout>,
    /// The address at which it listens.
    pub(crate) address: String,
}

impl Process {
    /// Starts a server command, and returns when the server listens. Standard error is appended to
    /// the file `log`.
    pub(crate) fn spawn<'w>(bench: &Bench, words: impl IntoIterator<Item = &'w str>) -> Self {
        let (process, printed) = Self::spawn_printing(bench, words);
        assert_eq!(printed.lines().count(), 1, "{printed}");
        process
    }

    /// Starts a server like [`Self::spawn`], and also returns what it prints until it listens.
    pub(crate) fn spawn_printing<'w>(
        bench: &Bench,
        words: impl IntoIterator<Item = &'w str>,
    ) -> (Self, String) {
        let mut command = bench.command();
        command.arg("--json").args(words);
        command.env("RUST_BACKTRACE", "1");
        let log = bench.path("log");
        let log = File::options().create(true).append(true).open(log).unwrap();
        command.stderr(log);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut printed = String::new();
        while !printed.contains("\"address\"") {
            let read = output.read_line(&mut printed).unwrap();
            assert!(read > 0, "{printed}: {}", text(&bench.read("log")));
        }
        let ready = objects(&printed).pop().unwrap();
        let address = ready["address"].as_str().unwrap().to_owned();
        let process = Self {
            child,
            output,
            address,
        };
        (process, printed)
    }

    /// Creates a bench with a server of files and the file `original`. It is uploaded with the key
    /// `k` and the state `s`. Also returns the arguments that name all of them.
    pub(crate) fn with_file(contents: &[u8]) -> (Bench, Self, String) {
        let bench = Bench::new();
        bench.write("original", contents);
        let server = Self::of_files(&bench, "");
        let file = format!("--state s --key k --server {}", server.address);
        bench.ok(&format!("file upload {file} original"));
        (bench, server, file)
    }

    /// Serves the outsourced files in the bench's folder `server`. `words` are further arguments,
    /// separated by spaces.
    pub(crate) fn of_files(bench: &Bench, words: &str) -> Self {
        Self::of_files_at(bench, &free_address(), words)
    }

    /// Like [`Self::of_files`], at the address `listen`.
    pub(crate) fn of_files_at(bench: &Bench, listen: &str, words: &str) -> Self {
        let line = format!("file serve --store server --listen {listen} {words}");
        Self::spawn(bench, line.split_whitespace())
    }

    /// Returns the peak resident set in KiB, if the system reports it.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line?.trim().trim_end_matches(" kB").parse().ok()
    }

    /// Kills the process. On Unix this is SIGKILL, so no destructor runs.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends SIGTERM, and returns what the server then prints. It completes its requests.
    pub(crate) fn stop(mut self) -> String {
        let pid = self.child.id().to_string();
        let sent = std::process::Command::new("kill")
            .arg(pid)
            .status()
            .unwrap();
        assert!(sent.success());
        let printed = std::io::read_to_string(&mut self.output).unwrap();
        assert!(self.child.wait().unwrap().success());
        printed
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
