//! `kill -9` of every process in turn under load: of two servers, the server that keeps a log of heads, a mirror, a router, a
//! witness, the author and three clients. Nothing that was acknowledged is lost, no view goes back, mirror and router catch up,
//! and the witness goes on with the log that it has cosigned.
//!
//! `PAD_KILL_ROUNDS` sets the number of rounds; one for each process unless set. `PAD_SEED` is the seed of their moments.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use conformance::Random;

use self::load::{Asker, Author, each};
use super::{
    process::{Process, begin_store, certify, latest},
    witnesses::{line, metrics, policy},
};
use crate::bench::Bench;

mod load;

/// A server, which is started again where it was.
struct Server {
    process: Process,
    line: String,
}

impl Server {
    fn begin(bench: &Bench, line: String) -> Self {
        let process = Process::start(bench, &line, "127.0.0.1:0");
        Self { process, line }
    }

    fn start_again(&mut self, bench: &Bench) {
        self.process = Process::start(bench, &self.line, &self.process.listens());
    }

    fn url(&self) -> String {
        self.process.url()
    }
}

/// All who serve.
struct Servers {
    /// Those to which the author pushes: two, and the one that keeps the log of heads.
    pushed: [Server; 3],
    mirror: Server,
    router: Server,
    witness: Server,
}

impl Servers {
    fn begin(bench: &Bench) -> Self {
        certify(bench);
        for store in STORES {
            begin_store(bench, store);
        }
        bench.ok("witness keygen --name log.example/heads --log-of k.pub --out log-key");
        bench.ok("witness keygen --name witness.example/w --out w");
        let start = |line: &str| Server::begin(bench, format!("{line} --follow-every 20"));
        let log = line(bench, "log-key.pub");
        let words = format!("witness --state w.state --key w --known-log {log}");
        let witness = Server::begin(bench, words);
        policy(bench, "policy", 1, &[("w", witness.url())]);
        let [one, two] = ["one", "two"].map(|store| start(&format!("serve --store {store}")));
        let logged = "serve --store logged --publish heads --log-key log-key --witnesses policy";
        let logged = start(&format!("{logged} {ROOTS}"));
        let [first, second] = [one.url(), two.url()];
        let both = |option: &str| format!("{option} {first} {option} {second} {ROOTS} --every 20");
        let from = both("--from");
        let mirror = start(&format!("mirror --store copy --public k.pub {from}"));
        let of = both("--server");
        let router = Server::begin(bench, format!("route --name s --public k.pub {of}"));
        Self {
            pushed: [one, two, logged],
            mirror,
            router,
            witness,
        }
    }

    /// Kills one of them, finds in its files what it has acknowledged, and starts it again: what was lost could be brought again then.
    fn kill(&mut self, bench: &Bench, number: usize, author: &Author, known: &Known) {
        let Self {
            pushed: [one, two, logged],
            mirror,
            router,
            witness,
        } = self;
        let all = [one, two, logged, mirror, router, witness];
        let killed = all.into_iter().nth(number).unwrap();
        killed.process.kill();
        if let (Some(store), Some(version)) = (STORES.get(number), author.pushed().get(number)) {
            let latest = &bench.json(&format!("versions --store {store} --last 1"))[0];
            let found = latest["version"].as_u64();
            assert!(
                found >= Some(*version),
                "{store}: {found:?} after {version}"
            );
        } else if killed.line.starts_with("witness") {
            let (found, known) = (in_state(bench), known.witnessed);
            assert!(found >= known, "the witness: {found} after {known}");
        }
        killed.start_again(bench);
    }
}

/// The stores of those to which the author pushes.
const STORES: [&str; 3] = ["one", "two", "logged"];

/// How many there are of [`Servers`].
const SERVERS: usize = 6;
const CLIENTS: usize = 3;
const ROOTS: &str = "--tls-roots tls.pem";

/// Who is at work, and what is known of it.
struct Load<'l> {
    bench: &'l Bench,
    author: &'l Author,
    clients: &'l [Asker; CLIENTS],
    done: &'l AtomicBool,
    /// How often was looked until mirror or router had caught up, at most.
    looks: usize,
}

/// What may not go back.
struct Known {
    pushed: Vec<u64>,
    seen: [u64; CLIENTS],
    witnessed: u64,
}

#[test]
fn whoever_is_killed_nothing_that_was_acknowledged_is_lost_and_no_view_goes_back() {
    let wanted = std::env::var("PAD_KILL_ROUNDS");
    let all = SERVERS + 1 + CLIENTS;
    let rounds: usize = wanted.map_or(all, |rounds| rounds.parse().unwrap());
    let seed = conformance::traces::seed();
    println!("PAD_KILL_ROUNDS={rounds} PAD_SEED={seed}");
    let bench = &Bench::with_trace();
    let mut servers = Servers::begin(bench);
    let author = &Author::new(servers.pushed.iter().map(Server::url).collect());
    let [one, two, logged] = servers.pushed.each_ref().map(Server::url);
    let clients = &[
        Asker::new("first", &[one, two], ""),
        Asker::new("second", &[servers.router.url(), servers.mirror.url()], ""),
        Asker::new("third", &[logged], " --witnesses policy"),
    ];
    let done = &AtomicBool::new(false);
    let mut load = Load {
        bench,
        author,
        clients,
        done,
        looks: 0,
    };
    let mut random = Random::new(seed);
    thread::scope(|scope| {
        // Also where a check fails, since the others would go on.
        let _end = End(done);
        scope.spawn(|| {
            let _end = End(done);
            author.publish(bench, done);
        });
        for client in clients {
            scope.spawn(move || {
                let _end = End(done);
                client.ask(bench, author, done);
            });
        }
        for round in 0..rounds {
            load.goes_on();
            thread::sleep(Duration::from_micros(random.below(150_000)));
            let known = load.known(&servers);
            match (round % all).checked_sub(SERVERS) {
                None => servers.kill(bench, round % all, author, &known),
                Some(0) => author.kill(),
                Some(number) => clients[number - 1].kill(),
            }
            println!("round {round}: {:?}", known.pushed);
            load.check(&servers, &known);
        }
        load.goes_on();
    });
    load.end(servers);
    let answers: Vec<_> = clients.iter().map(Asker::answers).collect();
    let cut = author.cut() + clients.iter().map(Asker::cut).sum::<u64>();
    println!(
        "{rounds} rounds: {} versions, {answers:?} answers, {cut} commands cut short, caught up within {} looks",
        bench.signed("s").len(),
        load.looks
    );
}

/// Ends the load when it is dropped.
struct End<'d>(&'d AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Load<'_> {
    /// Waits until all servers have acknowledged a version more, and all clients have had an answer more.
    fn goes_on(&self) {
        let counts = || -> Vec<u64> {
            let answers = self.clients.iter().map(Asker::answers);
            self.author.pushed().into_iter().chain(answers).collect()
        };
        let before = counts();
        until("author and clients go on", || {
            assert!(!self.done.load(Ordering::SeqCst), "one of them has stopped");
            let now = counts();
            now.iter().zip(&before).all(|(now, before)| now > before)
        });
    }

    fn known(&self, servers: &Servers) -> Known {
        Known {
            pushed: self.author.pushed(),
            seen: self
                .clients
                .each_ref()
                .map(|client| client.seen(self.bench)),
            witnessed: witnessed(self.bench, &servers.witness),
        }
    }

    fn check(&mut self, servers: &Servers, known: &Known) {
        let bench = self.bench;
        for (server, version) in servers.pushed.iter().zip(&known.pushed) {
            let url = server.url();
            let found = latest(bench, &url);
            assert!(
                found.is_some_and(|found| found >= *version),
                "{found:?} after {version} at {}",
                server.line
            );
            let answer = bench.json(&format!(
                "get --server {url} {ROOTS} --public k.pub --at {version} apple"
            ));
            assert_eq!(
                answer[0]["value"].as_str(),
                self.author.value(*version).as_deref(),
                "version {version}"
            );
        }
        let newest = known.pushed[0].max(known.pushed[1]);
        for server in [&servers.mirror, &servers.router] {
            let looks = until(&server.line, || {
                latest(bench, &server.url()) >= Some(newest)
            });
            self.looks = self.looks.max(looks);
        }
        // The witness cosigns a log that has grown only if it is shown that it has what it had.
        let logged = servers.pushed[2].url();
        let get = format!(
            "--json get --server {logged} {ROOTS} --public k.pub --view checks --witnesses policy apple"
        );
        until("the log of heads goes on", || {
            let output = bench.run(&get);
            let answer = serde_json::from_slice::<serde_json::Value>(&output.stdout);
            answer.is_ok_and(|answer| answer["newest"]["version"].as_u64() >= Some(known.pushed[2]))
        });
        let now = self.known(servers);
        let (before, after) = (known.witnessed, now.witnessed);
        assert!(
            after >= before,
            "the witness went back from {before} to {after}"
        );
        for (before, after) in known.seen.iter().zip(now.seen) {
            assert!(
                after >= *before,
                "a view went back from {before} to {after}"
            );
        }
    }

    /// All have all versions, and nobody was accused.
    fn end(&self, servers: Servers) {
        let bench = self.bench;
        let to = each("--to", &servers.pushed.each_ref().map(Server::url));
        bench.ok(&format!("push --store s {ROOTS}{to}"));
        let expected = bench.signed("s");
        self.author.check(&expected);
        let last = u64::try_from(expected.len()).unwrap();
        until("the mirror has all versions", || {
            latest(bench, &servers.mirror.url()) == Some(last)
        });
        drop(servers);
        for store in STORES.into_iter().chain(["copy"]) {
            assert_eq!(bench.signed(store), expected, "{store}");
            bench.ok(&format!("check --store {store} --public k.pub"));
        }
        for file in fs::read_dir(bench.folder.path()).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            assert!(
                !name.contains(".evidence") && !name.contains(".lie"),
                "{name}"
            );
        }
        let log = String::from_utf8(bench.read("log")).unwrap();
        assert!(!log.contains("panicked"), "{log}");
    }
}

/// The size of the log that the witness has cosigned last.
fn witnessed(bench: &Bench, witness: &Server) -> u64 {
    let metrics = metrics(bench, &witness.process);
    let mut lines = metrics.lines();
    let line = lines.find(|line| line.starts_with("pad_witness_log_size{"));
    line.unwrap().rsplit_once(' ').unwrap().1.parse().unwrap()
}

/// The size of the log in the folder of the witness.
fn in_state(bench: &Bench) -> u64 {
    let files = fs::read_dir(bench.path("w.state")).unwrap();
    let mut paths = files.map(|file| file.unwrap().path());
    // One file for each log, of its origin and its size; its name is a hash. Beside it there may be a draft.
    let is_whole = |path: &PathBuf| path.file_name().is_some_and(|name| name.len() == 64);
    let path = paths.find(is_whole).unwrap();
    let text = fs::read_to_string(path).unwrap();
    text.lines().nth(1).unwrap().parse().unwrap()
}

/// Waits until something holds; how often was looked.
fn until(what: &str, mut holds: impl FnMut() -> bool) -> usize {
    for looks in 1..=MOST_LOOKS {
        if holds() {
            return looks;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("{what}: not after {MOST_LOOKS} looks");
}

const MOST_LOOKS: usize = 3000;
