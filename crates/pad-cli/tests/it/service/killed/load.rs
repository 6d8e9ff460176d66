//! An author that commits and pushes, and clients that query, in a loop. Any running command may be
//! killed.

use std::{
    collections::BTreeMap,
    io::Read as _,
    process::{Child, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::Value as Json;

use crate::{
    bench::{Bench, objects},
    service::process::ROOTS,
};

/// Runs commands one after the other.
#[derive(Default)]
pub(super) struct Runner {
    running: Mutex<Option<Child>>,
    is_killed: AtomicBool,
    cut: AtomicU64,
}

/// The outcome of one command.
struct CommandOutcome {
    /// The objects on complete lines.
    said: Vec<Json>,
    error: String,
    code: Option<i32>,
    /// Whether the command was killed before its end.
    is_cut: bool,
}

impl Runner {
    fn run(&self, bench: &Bench, line: &str) -> CommandOutcome {
        let mut command = bench.command();
        command.arg("--json").args(line.split(' '));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (mut output, mut errors) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        *self.running.lock().unwrap() = Some(child);
        let (mut printed, mut error) = (String::new(), String::new());
        // The few notes on standard error fit into the buffer of the pipe.
        output.read_to_string(&mut printed).unwrap();
        errors.read_to_string(&mut error).unwrap();
        let mut running = self.running.lock().unwrap();
        let status = running.take().unwrap().wait().unwrap();
        let is_cut = self.is_killed.swap(false, Ordering::SeqCst) && !status.success();
        self.cut.fetch_add(u64::from(is_cut), Ordering::SeqCst);
        // The last line may be incomplete.
        let (lines, _) = printed.rsplit_once('\n').unwrap_or_default();
        CommandOutcome {
            said: objects(lines),
            error,
            code: status.code(),
            is_cut,
        }
    }

    /// Returns the number of commands that were killed before their end.
    pub(super) fn cut(&self) -> u64 {
        self.cut.load(Ordering::SeqCst)
    }

    /// Kills the running command, or else the next command. On Unix this is SIGKILL, so no
    /// destructor runs.
    pub(super) fn kill(&self) {
        loop {
            if let Some(child) = self.running.lock().unwrap().as_mut()
                && child.try_wait().unwrap().is_none()
            {
                self.is_killed.store(true, Ordering::SeqCst);
                return child.kill().unwrap();
            }
            thread::sleep(Duration::from_micros(100));
        }
    }
}

/// Returns the arguments that give the option `option` for each of the servers.
pub(super) fn each(option: &str, servers: &[String]) -> String {
    let servers = servers.iter();
    servers
        .map(|url| [" ", option, " ", url].concat())
        .collect()
}

/// An author that commits to the store `s` and pushes to several servers.
pub(super) struct Author {
    pub(super) runner: Runner,
    servers: Vec<String>,
    /// The latest version that each server has acknowledged.
    pushed: Vec<AtomicU64>,
    /// Number of failed pushes to each server.
    failed: Vec<AtomicU64>,
    /// The root of each acknowledged version, and the value of `apple`.
    committed: Mutex<BTreeMap<u64, (String, String)>>,
}

impl Author {
    pub(super) fn new(servers: Vec<String>) -> Self {
        Self {
            runner: Runner::default(),
            pushed: servers.iter().map(|_| AtomicU64::default()).collect(),
            failed: servers.iter().map(|_| AtomicU64::default()).collect(),
            servers,
            committed: Mutex::default(),
        }
    }

    /// Returns the latest version that each server has acknowledged.
    pub(super) fn pushed(&self) -> Vec<u64> {
        let pushed = self.pushed.iter();
        pushed
            .map(|version| version.load(Ordering::SeqCst))
            .collect()
    }

    /// Returns the number of failed pushes to a server.
    pub(super) fn failed(&self, server: usize) -> u64 {
        self.failed[server].load(Ordering::SeqCst)
    }

    /// Returns the value of `apple` in a version, if its commit was acknowledged.
    pub(super) fn value(&self, version: u64) -> Option<String> {
        let committed = self.committed.lock().unwrap();
        Some(committed.get(&version)?.1.clone())
    }

    /// Publishes versions until `done` is set, with a pause after each of them.
    pub(super) fn publish(&self, bench: &Bench, done: &AtomicBool, pause: Duration) {
        let push = each("--push", &self.servers);
        let commit = format!("commit --store s --key k{push} {ROOTS}");
        // The first value is larger than the existing values, so that values grow with the
        // versions.
        let mut number = 100_u64;
        while !done.load(Ordering::SeqCst) {
            number += 1;
            let put = format!("put --store s apple {number}");
            let put = self.runner.run(bench, &put);
            if !put.is_cut {
                assert_eq!(put.code, Some(0), "{}", put.error);
                let ended = self.runner.run(bench, &commit);
                self.note(number, &ended);
                // A server that was unreachable receives the version later. The version is durable
                // in the author's store.
                let is_expected = ended.is_cut || matches!(ended.code, Some(0 | 4));
                assert!(is_expected, "{:?} {}", ended.code, ended.error);
                if !ended.is_cut {
                    thread::sleep(pause);
                    continue;
                }
            }
            self.check(&bench.signed("s"));
        }
    }

    fn note(&self, number: u64, ended: &CommandOutcome) {
        for object in &ended.said {
            if let Some(version) = object["version"].as_u64() {
                let root = object["root"].as_str().unwrap().to_owned();
                let committed = (root, number.to_string());
                self.committed.lock().unwrap().insert(version, committed);
            } else {
                let is_it = |url: &String| object["server"] == url.as_str();
                let server = self.servers.iter().position(is_it).unwrap();
                let latest = object["latest"].as_u64().unwrap();
                self.pushed[server].store(latest, Ordering::SeqCst);
            }
        }
        for (url, failed) in self.servers.iter().zip(&self.failed) {
            failed.fetch_add(ended.error.contains(url).into(), Ordering::SeqCst);
        }
    }

    /// Asserts that a store with these versions contains all committed data.
    pub(super) fn check(&self, versions: &[Json]) {
        for (version, (root, _)) in &*self.committed.lock().unwrap() {
            let found = versions.iter().find(|found| found["version"] == *version);
            assert_eq!(found.unwrap()["root"], root.as_str(), "version {version}");
        }
    }
}

/// A client with a view that queries the newest value of `apple`.
pub(super) struct Asker {
    pub(super) runner: Runner,
    view: &'static str,
    line: String,
    times: Mutex<Vec<Duration>>,
}

impl Asker {
    /// Creates a client of these servers, with further arguments.
    pub(super) fn new(view: &'static str, servers: &[String], words: &str) -> Self {
        let servers = each("--server", servers);
        let options = format!("{ROOTS} --public k.pub --view {view}{words}");
        Self {
            runner: Runner::default(),
            view,
            line: format!("get{servers} {options} apple"),
            times: Mutex::default(),
        }
    }

    /// Returns the number of answers.
    pub(super) fn answers(&self) -> u64 {
        count(&self.times.lock().unwrap())
    }

    /// Formats the delays of the commands that received an answer.
    pub(super) fn times(&self) -> String {
        spread(&self.times.lock().unwrap())
    }

    /// Returns the newest version in the view.
    pub(super) fn seen(&self, bench: &Bench) -> u64 {
        let info = bench.first(&format!("info {}", self.view));
        info["latest"].as_u64().unwrap()
    }

    /// Sends queries until `done` is set. Answers are verified, and no answer may be older than the
    /// previous answer. After each answer, the client pauses.
    pub(super) fn ask(&self, bench: &Bench, author: &Author, done: &AtomicBool, pause: Duration) {
        let mut newest = (0, 0);
        while !done.load(Ordering::SeqCst) {
            let began = Instant::now();
            let ended = self.runner.run(bench, &self.line);
            let took = began.elapsed();
            let name = self.view;
            if ended.is_cut {
                let seen = self.seen(bench);
                assert!(seen >= newest.0, "{name}: {seen} after {newest:?}");
                continue;
            }
            if ended.code != Some(0) {
                // The server is unreachable, or behind the view, so there is no answer.
                let (error, code) = (&ended.error, ended.code);
                assert!(matches!(code, Some(3 | 4)), "{code:?} {error}");
                assert!(!error.contains("two histories"), "{error}");
                continue;
            }
            let answer = &ended.said[0];
            assert_eq!(answer["verified"], true, "{answer}");
            let version = answer["version"].as_u64().unwrap();
            let value = answer["value"].as_str().unwrap();
            if let Some(committed) = author.value(version) {
                assert_eq!(value, committed, "version {version}");
            }
            // Values grow with versions.
            let now = (version, value.parse::<u64>().unwrap());
            let is_newer = now.0 >= newest.0 && now.1 >= newest.1;
            assert!(is_newer, "{name}: {now:?} after {newest:?}");
            newest = now;
            self.times.lock().unwrap().push(took);
            thread::sleep(pause);
        }
    }
}

pub(super) fn count(times: &[Duration]) -> u64 {
    u64::try_from(times.len()).unwrap()
}

/// Formats the median, 99th percentile and maximum.
pub(super) fn spread(times: &[Duration]) -> String {
    let mut times = times.to_vec();
    times.sort_unstable();
    let Some(slowest) = times.last() else {
        return "none".to_owned();
    };
    let [median, p99] = [50, 99].map(|percent| times[times.len() * percent / 100]);
    let length = times.len();
    format!("{length}, p50 {median:.1?}, p99 {p99:.1?}, slowest {slowest:.1?}")
}
