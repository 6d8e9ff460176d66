//! Kills every process in turn with `kill -9` under load. The processes are two servers, the server
//! with a log of heads, a mirror, a router, a witness, the author and four clients.
//!
//! No acknowledged data may be lost, and no view may move back. Mirror and router must catch up.
//! The witness must continue with the log that it has cosigned.
//!
//! `PAD_KILL_ROUNDS` sets the number of rounds. The default is one round for each process; without
//! `make soak`, only one of two processes that do the same is killed.
//! `PAD_SEED` is the seed of the moments.
//!
//! Another test kills only a server and its mirror, which has no other server. The default is 2
//! rounds; with `make soak`, it is 4.
//!
//! `PAD_SOAK_SECONDS` selects a soak of this duration, with hostile peers and full disks. It kills
//! one process every ten seconds.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use pad_client::{HttpOptions, Roots};
use pad_conformance::{Random, soak};

use self::{
    hostile::{HostilePeers, Target},
    load::{Asker, Author, Runner, each},
    visitor::{Visitor, look_up},
};
use super::{
    process::{Process, ROOTS, begin_store, certify, latest, wait_for},
    witnesses::{line, policy, witnessed_size},
};
use crate::{
    bench::{Bench, TRACE, object, text},
    kill::wanted_rounds,
    process::until,
    small_disk::SmallDisk,
};

mod connection;
mod hostile;
mod load;
mod visitor;

/// A server that is restarted at the same address after a kill.
struct Server {
    process: Process,
    line: String,
    /// The largest resident set of the killed processes, in KiB.
    peak: Option<u64>,
}

impl Server {
    fn begin(bench: &Bench, line: String) -> Self {
        let process = Process::start(bench, &line);
        Self {
            process,
            line,
            peak: None,
        }
    }

    fn start_again(&mut self, bench: &Bench) {
        self.process = Process::start_at(bench, &self.line, &self.process.address);
    }

    fn kill(&mut self) {
        self.peak = self.peak();
        self.process.kill();
    }

    /// Returns the largest resident set so far, in KiB.
    fn peak(&self) -> Option<u64> {
        self.peak.max(self.process.peak_memory())
    }

    fn url(&self) -> String {
        self.process.url()
    }
}

/// All server processes: those of [`STORES`], to which the author pushes, the last with the log of
/// heads, a mirror, a router, and a witness.
struct Servers([Server; SERVERS]);

const MIRROR: usize = 3;
const ROUTER: usize = 4;
const WITNESS: usize = 5;

impl Servers {
    /// Starts the servers. Mirror and router query other servers every `every` milliseconds.
    fn begin(bench: &Bench, every: u32) -> Self {
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
        let [one, two, logged] =
            STORES.map(|store| format!("serve --store {store} --trusted-proxy 127.0.0.1"));
        let heads = "--publish heads --log-key log-key --witnesses policy";
        let [one, two, logged] =
            [one, two, format!("{logged} {heads} {ROOTS}")].map(|line| start(&line));
        let [first, second] = [one.url(), two.url()];
        let both =
            |option: &str| format!("{option} {first} {option} {second} {ROOTS} --every {every}");
        let from = both("--from");
        let mirror = start(&format!("mirror --store copy --public k.pub {from}"));
        let of = both("--server");
        let router = Server::begin(bench, format!("route --name s --public k.pub {of}"));
        wait_for(bench, &mirror.url(), 1);
        Self([one, two, logged, mirror, router, witness])
    }

    /// Returns the servers to which the author pushes.
    fn pushed(&self) -> &[Server] {
        &self.0[..STORES.len()]
    }

    /// Kills a server, checks that its files contain the acknowledged data, and restarts it. A
    /// later check could miss lost data that the author has sent again.
    fn kill(&mut self, bench: &Bench, number: usize, author: &Author, known: &ObservedState) {
        let killed = &mut self.0[number];
        killed.kill();
        if let (Some(store), Some(version)) = (STORES.get(number), author.pushed().get(number)) {
            let latest = bench.first(&format!("versions --store {store} --last 1"));
            let found = latest["version"].as_u64();
            let has_all = found >= Some(*version);
            assert!(has_all, "{store}: {found:?} after {version}");
        } else if killed.line.starts_with("witness") {
            let (found, known) = (in_state(bench), known.witnessed);
            assert!(found >= known, "the witness: {found} after {known}");
        }
        killed.start_again(bench);
    }
}

/// The stores of the servers to which the author pushes.
const STORES: [&str; 3] = ["one", "small/two", "logged"];
/// The index of the store on a small disk.
const SMALL: usize = 1;

/// Number of [`Servers`].
const SERVERS: usize = 6;
const CLIENTS: usize = 4;

/// The running processes, and the data that they have acknowledged.
struct Load<'l> {
    bench: &'l Bench,
    author: &'l Author,
    clients: &'l [Asker; CLIENTS],
    /// The clients that measure delays; empty without a soak.
    visitors: &'l [Visitor],
    done: &'l AtomicBool,
    /// Maximum number of polls until the mirror or the router had caught up.
    looks: AtomicUsize,
}

/// Values that must never decrease.
struct ObservedState {
    pushed: Vec<u64>,
    seen: [u64; CLIENTS],
    witnessed: u64,
}

#[test]
fn whoever_is_killed_nothing_that_was_acknowledged_is_lost_and_no_view_goes_back() {
    let all = Kills {
        rounds: (0..PROCESSES).collect(),
        pause: Duration::ZERO,
    };
    // The second server, and all clients but the first one, are like others.
    let some = Kills {
        rounds: vec![0, 2, 3, 4, 5, 6, 7],
        pause: Duration::from_millis(150),
    };
    let mut kills = soak::size(some, all);
    if let Ok(rounds) = std::env::var("PAD_KILL_ROUNDS") {
        kills.rounds = (0..rounds.parse().unwrap()).collect();
    }
    println!("PAD_KILL_ROUNDS={}", kills.rounds.len());
    run(&kills, None);
}

/// Runs for `PAD_SOAK_SECONDS` seconds, or for five minutes if `SOAK` selects all cases.
#[cfg(target_os = "linux")]
#[test]
fn honest_clients_lose_nothing_to_hostile_peers_kills_and_full_disks() {
    let seconds = match std::env::var("PAD_SOAK_SECONDS") {
        Ok(seconds) => seconds.parse().unwrap(),
        Err(_) if soak::is_whole() => 300,
        Err(_) => return,
    };
    println!("PAD_SOAK_SECONDS={seconds}");
    run(&Kills::default(), Some(Duration::from_secs(seconds)));
}

/// The kills of a run that is not a soak test.
#[derive(Default)]
struct Kills {
    /// The processes to kill, one in each round.
    rounds: Vec<usize>,
    /// The pause of a client after each answer, and of the author after each commit.
    pause: Duration,
}

/// The pause between two kills in a soak.
const EVERY: Duration = Duration::from_secs(10);
const PROCESSES: usize = SERVERS + 1 + CLIENTS;

/// Kills these processes in turn, or all processes for the duration of a soak.
fn run(kills: &Kills, soak: Option<Duration>) {
    let seed = pad_conformance::traces::seed();
    println!("PAD_SEED={seed}");
    let bench = &Bench::with_trace();
    let disk = SmallDisk::mount(bench.path("small"), "64m");
    if soak.is_some() {
        let long = "x".repeat(LONGEST_VALUE);
        bench.write("long.csv", format!("{TRACE}d,put,long,{long}\n").as_bytes());
        bench.ok("import --store s --key k long.csv");
    }
    // All processes count as one peer. Under attack, frequent polls would exhaust its share.
    let every = if soak.is_some() { 500 } else { 100 };
    let servers = &mut Servers::begin(bench, every);
    let [one, two, logged, mirror, router, _] = servers.0.each_ref().map(Server::url);
    let author = &Author::new(vec![one.clone(), two.clone(), logged.clone()]);
    let clients = &[
        Asker::new("first", &[one, two], ""),
        Asker::new("second", &[router, mirror.clone()], ""),
        Asker::new("third", &[logged], " --witnesses policy"),
        Asker::new("fourth", &[mirror], ""),
    ];
    let attack = &soak.map(|_| Attack::new(bench, servers));
    let done = &AtomicBool::new(false);
    let load = Load {
        bench,
        author,
        clients,
        visitors: attack.as_ref().map_or(&[], |attack| &attack.visitors),
        done,
        looks: AtomicUsize::new(0),
    };
    let rounds = thread::scope(|scope| {
        // The load ends even if a check fails. Otherwise, the other threads would continue.
        let _end = End(done);
        begin(scope, bench, author, clients, done, kills.pause);
        if let Some(Attack { hostile, visitors }) = attack {
            hostile.attack(scope, done);
            for visitor in visitors {
                scope.spawn(move || {
                    let _end = End(done);
                    visitor.visit(&hostile.connector, done);
                });
            }
        }
        match soak {
            None => load.kill(servers, &kills.rounds, Random::new(seed)),
            Some(time) => load.soak(servers, time, disk.as_ref()),
        }
    });
    load.end(servers);
    let answers: Vec<_> = clients.iter().map(Asker::answers).collect();
    let runners = clients.iter().map(|client| &client.runner);
    let cut: u64 = runners.chain([&author.runner]).map(Runner::cut).sum();
    println!(
        "{rounds} rounds: {} versions, {answers:?} answers, {cut} commands cut short, caught up \
         within {} looks",
        bench.signed("s").len(),
        load.looks.into_inner()
    );
    if let Some(attack) = attack {
        attack.report(servers, clients);
    }
}

/// Starts the author and the clients. If one of them fails, the load ends.
fn begin<'scope, 'env>(
    scope: &'scope thread::Scope<'scope, 'env>,
    bench: &'env Bench,
    author: &'env Author,
    clients: &'env [Asker],
    done: &'env AtomicBool,
    pause: Duration,
) {
    scope.spawn(move || {
        let _end = End(done);
        author.publish(bench, done, pause);
    });
    for client in clients {
        scope.spawn(move || {
            let _end = End(done);
            client.ask(bench, author, done, pause);
        });
    }
}

/// Asserts that these stores, whose servers have ended, have all of the author's versions.
fn assert_complete<'s>(bench: &Bench, author: &Author, stores: impl IntoIterator<Item = &'s str>) {
    let expected = bench.signed("s");
    author.check(&expected);
    for store in stores {
        assert_eq!(bench.signed(store), expected, "{store}");
        bench.ok(&format!("check --store {store} --public k.pub"));
    }
}

#[test]
fn killed_servers_and_mirrors_lose_nothing_that_was_acknowledged() {
    let bench = &Bench::with_trace();
    certify(bench);
    begin_store(bench, "one");
    let server = Server::begin(bench, "serve --store one --follow-every 20".to_owned());
    let url = server.url();
    let from = format!("--from {url}/v1/dictionaries/one {ROOTS}");
    let line = format!("mirror --store copy --public k.pub {from} --every 20");
    let mirror = Server::begin(bench, line);
    let mirrored = mirror.url();
    wait_for(bench, &mirrored, 1);
    let mut servers = [server, mirror];
    let author = &Author::new(vec![url.clone()]);
    let clients = &[
        Asker::new("first", &[url.clone(), mirrored.clone()], ""),
        Asker::new("second", &[mirrored.clone(), url.clone()], ""),
    ];
    let done = &AtomicBool::new(false);
    let (rounds, pause) = soak::size((2, 150), (4, 0));
    thread::scope(|scope| {
        let _end = End(done);
        begin(
            scope,
            bench,
            author,
            clients,
            done,
            Duration::from_millis(pause),
        );
        for round in 0..wanted_rounds(rounds) {
            // Some pushes have succeeded. The kill is at a random moment during the next pushes.
            let before = author.pushed()[0];
            until("the author pushes", || {
                assert!(!done.load(Ordering::SeqCst), "a thread has stopped");
                author.pushed()[0] >= before + 2
            });
            thread::sleep(Duration::from_millis(round * 37 % 150));
            let known = author.pushed()[0];
            let killed = &mut servers[usize::from(round % 2 == 1)];
            killed.kill();
            killed.start_again(bench);
            let found = latest(bench, &url);
            assert!(found >= Some(known), "{found:?} after {known}");
        }
    });
    assert!(clients.iter().all(|client| client.answers() > 0));
    bench.ok(&format!("push --store s --to {url} {ROOTS}"));
    let last = latest(bench, &url).unwrap();
    assert!(last > 3);
    wait_for(bench, &mirrored, last);
    servers.iter_mut().for_each(Server::kill);
    assert_complete(bench, author, ["one", "copy"]);
}

/// The maximum length of a value in a dictionary, in bytes.
const LONGEST_VALUE: usize = 16 << 20;

/// The hostile peers of a soak, and the honest clients that measure delays.
struct Attack {
    hostile: HostilePeers,
    /// One client for each server except the witness.
    visitors: Vec<Visitor>,
}

impl Attack {
    fn new(bench: &Bench, servers: &Servers) -> Self {
        let options = HttpOptions {
            roots: Roots::Pem(bench.read("tls.pem")),
            ..HttpOptions::default()
        };
        let (mut targets, mut visitors) = (Vec::new(), Vec::new());
        for server in &servers.0 {
            let url = server.url();
            let address = server.process.address.parse().unwrap();
            let (get, posts) = match pad_client::Remote::connect(&url, options.clone()) {
                Ok(dictionary) => {
                    let dictionary = dictionary.address();
                    let path = dictionary.strip_prefix(&url).unwrap();
                    visitors.push(Visitor::new(address, path));
                    // Version 4 contains the longest value.
                    let get = format!("{path}/{}", look_up(4, "long").path());
                    let posts = ["answers/4", "updates"].map(|end| format!("{path}/{end}"));
                    (get, posts.into())
                }
                // The target is the witness.
                Err(_) => ("/metrics".to_owned(), vec!["/add-checkpoint".to_owned()]),
            };
            targets.push(Target {
                address,
                get,
                posts,
            });
        }
        Self {
            hostile: HostilePeers::new(bench, targets),
            visitors,
        }
    }

    fn report(&self, servers: &Servers, clients: &[Asker; CLIENTS]) {
        for client in clients {
            println!("command: {}", client.times());
        }
        for (place, server) in servers.0.iter().enumerate() {
            let visits = self.visitors.get(place).map(Visitor::report);
            let (name, visits) = (&server.line, visits.unwrap_or_default());
            println!("{name}: at most {:?} KiB; {visits}", server.peak);
        }
        let counts = self.hostile.counts();
        println!("attacks: {counts:?}");
        assert!(counts.iter().all(|(_, count)| *count > 0));
    }
}

/// Ends the load when it is dropped.
struct End<'d>(&'d AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Load<'_> {
    /// Kills these processes in turn at random moments, and returns the number of kills.
    fn kill(&self, servers: &mut Servers, rounds: &[usize], mut random: Random) -> usize {
        for &round in rounds {
            self.goes_on();
            thread::sleep(Duration::from_micros(random.below(150_000)));
            let known = self.kill_one(servers, round);
            self.check(servers, &known);
        }
        self.goes_on();
        rounds.len()
    }

    /// Kills a process every ten seconds and fills the disk every minute, until the time has
    /// passed.
    fn soak(&self, servers: &mut Servers, time: Duration, disk: Option<&SmallDisk>) -> usize {
        if disk.is_none() {
            println!("no full disks: only root can mount a small disk");
        }
        let began = Instant::now();
        let (mut round, mut full, mut checks) = (0, 0, 0);
        while began.elapsed() < time {
            self.goes_on();
            if let Some(disk) = disk
                && began.elapsed() >= Duration::from_secs(30 + 60 * full)
            {
                self.fill(disk);
                full += 1;
            }
            let next = EVERY * u32::try_from(round).unwrap();
            thread::sleep(next.saturating_sub(began.elapsed()));
            let known = self.kill_one(servers, round);
            round += 1;
            // If the run is late, checks are skipped, but no kills.
            if began.elapsed() < next + EVERY {
                self.check(servers, &known);
                checks += 1;
            }
        }
        let known = self.known(servers);
        self.goes_on();
        self.check(servers, &known);
        println!("{full} full disks, {checks} checks before the last one");
        round
    }

    /// Fills the disk of a server for some seconds. Pushes to the server must fail, and look-ups
    /// must succeed. The versions are pushed later.
    fn fill(&self, disk: &SmallDisk) {
        let failed = || self.author.failed(SMALL);
        let before = failed();
        disk.fill();
        until("pushes to a full disk fail", || failed() > before + 1);
        let answers = || self.visitors[SMALL].answers();
        let before = answers();
        thread::sleep(Duration::from_secs(3));
        until("a server with a full disk answers", || answers() > before);
        let room = disk.free();
        println!("{} pushes failed, {room} bytes were taken", failed());
        self.goes_on();
    }

    /// Kills the next process. Returns the state before the kill, which must not move back.
    fn kill_one(&self, servers: &mut Servers, round: usize) -> ObservedState {
        let known = self.known(servers);
        match (round % PROCESSES).checked_sub(SERVERS) {
            None => servers.kill(self.bench, round % PROCESSES, self.author, &known),
            Some(0) => self.author.runner.kill(),
            Some(number) => self.clients[number - 1].runner.kill(),
        }
        println!("round {round}: {:?}", known.pushed);
        known
    }

    /// Waits until all servers have acknowledged another version, and all clients have received
    /// another answer.
    fn goes_on(&self) {
        let counts = || -> Vec<u64> {
            let answers = self.clients.iter().map(Asker::answers);
            let answers = answers.chain(self.visitors.iter().map(Visitor::answers));
            self.author.pushed().into_iter().chain(answers).collect()
        };
        let before = counts();
        until("author and clients go on", || {
            assert!(!self.done.load(Ordering::SeqCst), "one of them has stopped");
            let now = counts();
            now.iter().zip(&before).all(|(now, before)| now > before)
        });
    }

    fn known(&self, servers: &Servers) -> ObservedState {
        let clients = self.clients.each_ref();
        ObservedState {
            pushed: self.author.pushed(),
            seen: clients.map(|client| client.seen(self.bench)),
            witnessed: witnessed_size(self.bench, &servers.0[WITNESS].process),
        }
    }

    /// Checks all servers in parallel.
    fn check(&self, servers: &Servers, known: &ObservedState) {
        let newest = known.pushed[0].max(known.pushed[1]);
        thread::scope(|scope| {
            for (server, version) in servers.pushed().iter().zip(&known.pushed) {
                scope.spawn(|| self.check_pushed(server, *version));
            }
            for server in [MIRROR, ROUTER].map(|place| &servers.0[place]) {
                scope.spawn(move || {
                    let looks = until(&server.line, || {
                        latest(self.bench, &server.url()) >= Some(newest)
                    });
                    self.looks.fetch_max(looks, Ordering::SeqCst);
                });
            }
            // The witness cosigns a larger log only with a proof that the log contains the earlier
            // entries.
            let logged = servers.0[2].url();
            let words = "--view checks --witnesses policy apple";
            until("the log of heads goes on", || {
                let answer = self.get(&format!("--server {logged} {words}"), &[3, 4]);
                answer.is_some_and(|answer| {
                    answer["witnessed"]["version"].as_u64() >= Some(known.pushed[2])
                })
            });
        });
        let now = self.known(servers);
        let witness = ("the witness", (known.witnessed, now.witnessed));
        let views = known.seen.into_iter().zip(now.seen);
        let views = views.map(|seen| ("a view", seen));
        for (what, (before, after)) in views.chain([witness]) {
            assert!(after >= before, "{what} went back from {before} to {after}");
        }
    }

    /// Checks that a server has a version, after waiting until the server is not too busy to
    /// answer.
    fn check_pushed(&self, server: &Server, version: u64) {
        let url = server.url();
        let mut found = None;
        until(&server.line, || {
            found = latest(self.bench, &url);
            found.is_some()
        });
        let has_it = found >= Some(version);
        assert!(has_it, "{found:?} after {version} at {}", server.line);
        until(&server.line, || {
            let answer = self.get(&format!("--server {url} --at {version} apple"), &[4]);
            let value = self.author.value(version);
            if let Some(answer) = &answer {
                let found = answer["value"].as_str();
                assert_eq!(found, value.as_deref(), "version {version}");
            }
            answer.is_some()
        });
    }

    /// Returns the answer to a look-up, or `None` if the exit status is in `none`.
    fn get(&self, line: &str, none: &[i32]) -> Option<serde_json::Value> {
        let line = format!("--json get {ROOTS} --public k.pub {line}");
        let output = self.bench.run(&line);
        let said = text(&output.stdout);
        match output.status.code() {
            Some(0) => Some(object(&said)),
            Some(code) if none.contains(&code) => None,
            other => panic!("{other:?}: {said}"),
        }
    }

    /// Asserts that all servers have all versions, and that no evidence was saved.
    fn end(&self, servers: &mut Servers) {
        let bench = self.bench;
        let urls: Vec<_> = servers.pushed().iter().map(Server::url).collect();
        let to = each("--to", &urls);
        bench.ok(&format!("push --store s {ROOTS}{to}"));
        let last = u64::try_from(bench.signed("s").len()).unwrap();
        until("the mirror has all versions", || {
            latest(bench, &servers.0[MIRROR].url()) == Some(last)
        });
        servers.0.iter_mut().for_each(Server::kill);
        assert_complete(bench, self.author, STORES.into_iter().chain(["copy"]));
        let names = bench.names().join(" ");
        for end in [".evidence", ".lie"] {
            assert!(!names.contains(end), "{names}");
        }
        let log = text(&bench.read("log"));
        assert!(!log.contains("panicked"), "{log}");
    }
}

/// Returns the size of the log in the witness's state folder.
fn in_state(bench: &Bench) -> u64 {
    let files = fs::read_dir(bench.path("w.state")).unwrap();
    let mut paths = files.map(|file| file.unwrap().path());
    // There is one file for each log, with the log's origin and size. The name of the file is a
    // hash. A draft of the file may exist next to it.
    let is_whole = |path: &PathBuf| path.file_name().is_some_and(|name| name.len() == 64);
    let path = paths.find(is_whole).unwrap();
    let text = fs::read_to_string(path).unwrap();
    text.lines().nth(1).unwrap().parse().unwrap()
}
