//! Honest clients next to hostile ones.
//!
//! Each honest client has its own address, asks one question at a time, and retries when the server
//! is busy. The hostile clients share four addresses. At the same time, an author publishes
//! versions.

use core::fmt;
use std::{
    collections::BTreeMap,
    io::{BufReader, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use authdict::{Question, StoredView, Version, internals::dynamic::client_of};
use pad_client::{HttpOptions, internals::Resource};
use pad_service::{Dictionary, Service};
use pad_web::server::{Limits, Options, Server};

use super::{
    attacks::{ATTACKS, Attacker},
    connection::{connect_from, read_answer},
    store::{Outcome, Store, key_of, step, verify},
};

/// Numbers of clients, and the duration of the run.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) span: Duration,
    /// Number of all clients, hostile ones included.
    pub(crate) clients: u64,
    pub(crate) hostile: u64,
    pub(crate) keys: u64,
    /// Pause between two questions of an honest client.
    pub(crate) pause: Duration,
}

/// Result of a run.
#[derive(Debug)]
pub(crate) struct Report {
    /// Number of questions of honest clients.
    pub(crate) asked: usize,
    /// Number of questions without a verified answer.
    pub(crate) lost: usize,
    /// Number of retries.
    pub(crate) again: usize,
    pub(crate) median: Duration,
    pub(crate) slowest_of_hundred: Duration,
    /// Longest time for an answer.
    pub(crate) slowest: Duration,
    /// Latest version that the server acknowledged to the author as durable.
    pub(crate) acknowledged: Version,
    /// Latest version of the server at the end.
    pub(crate) latest: Version,
    pub(crate) attacks: Vec<(&'static str, usize)>,
}

impl Report {
    /// Checks that no question and no version was lost.
    pub(crate) fn check(&self) -> Outcome<()> {
        if self.lost > 0 || self.latest < self.acknowledged {
            return Err("honest clients have lost something".into());
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "honest clients: {} questions, {} lost, {} asked again; median {:?}, p99 {:?}, slowest \
                {:?}",
            self.asked, self.lost, self.again, self.median, self.slowest_of_hundred, self.slowest
        )?;
        writeln!(
            formatter,
            "the author: version {} acknowledged, {} there in the end",
            self.acknowledged, self.latest
        )?;
        for (attack, count) in &self.attacks {
            writeln!(formatter, "hostile clients: {count:>8} times {attack}")?;
        }
        Ok(())
    }
}

/// Outcomes of the questions of one client.
#[derive(Default)]
struct ClientStats {
    times: Vec<Duration>,
    lost: usize,
    again: usize,
}

/// Runs all clients against one server.
pub(crate) fn run(plan: &Plan) -> Outcome<Report> {
    let folder = tempfile::tempdir()?;
    let store = Store::make(folder.path(), plan.keys)?;
    store.publish(0..100)?;
    let repository = authdict::Server::of_any(&store.path)?;
    let update = |version| repository.update_message(Version::new(version));
    let (first, old) = (update(1)?, update(2)?.unwrap_or_default());
    let served = folder.path().join("served.pad");
    store.create(&served)?;
    let mut copy = authdict::Server::of_any(&served)?;
    copy.apply_message(&first.unwrap_or_default())?;
    let view = StoredView::new(store.key.public().clone()).follow(&copy)?;
    drop((copy, repository));
    let limits = Limits::default();
    let dictionary = Arc::new(Dictionary::open(&served)?);
    let service = Service::new(BTreeMap::from([("d".to_owned(), dictionary)]), limits);
    let options = Options {
        limits,
        ..Options::default()
    };
    let server = Server::bind("127.0.0.1:0", options)?.start(service)?;
    let address = server.address();
    let (done, counts) = (AtomicBool::new(false), ATTACKS.map(|_| AtomicUsize::new(0)));
    let (tallies, acknowledged) = thread::scope(|scope| {
        for (number, (&(_, attack), count)) in
            (0..plan.hostile).zip(ATTACKS.iter().zip(&counts).cycle())
        {
            let attacker = Attacker {
                local: Ipv4Addr::new(127, 0, 0, 2 + u8::try_from(number % 4).unwrap_or(0)),
                server: address,
                done: &done,
                count,
                old_update: &old,
                longest: limits.request_bytes,
            };
            scope.spawn(move || attack(&attacker));
        }
        let author = scope.spawn(|| publish(&store, address, &done));
        let (view, done) = (&view, &done);
        let honest: Vec<_> = (plan.hostile..plan.clients)
            .map(|number| scope.spawn(move || ask(number, plan, address, view, done)))
            .collect();
        thread::sleep(plan.span);
        done.store(true, Ordering::Relaxed);
        let joined = honest.into_iter().map(|client| match client.join() {
            Ok(stats) => stats,
            Err(_) => Err("a client panicked".into()),
        });
        let tallies = joined.collect::<Outcome<Vec<ClientStats>>>();
        let author = author
            .join()
            .unwrap_or_else(|_| Err("the author panicked".into()));
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>((tallies?, author?))
    })?;
    let latest = in_the_end(address)?;
    server.shutdown(Duration::from_secs(5));
    server.join()?;
    let sum = |count: fn(&ClientStats) -> usize| tallies.iter().map(count).sum();
    let (lost, again): (usize, usize) = (sum(|stats| stats.lost), sum(|stats| stats.again));
    let mut times: Vec<_> = tallies.iter().flat_map(|stats| &stats.times).collect();
    times.sort_unstable();
    let at = |place: usize| times.get(place).copied().copied().unwrap_or_default();
    Ok(Report {
        asked: times.len().saturating_add(lost),
        lost,
        again,
        median: at(times.len() / 2),
        slowest_of_hundred: at(times.len().saturating_mul(99) / 100),
        slowest: at(times.len().saturating_sub(1)),
        acknowledged,
        latest,
        attacks: ATTACKS
            .iter()
            .zip(&counts)
            .map(|((name, _), count)| (*name, count.load(Ordering::Relaxed)))
            .collect(),
    })
}

fn connect(address: SocketAddr) -> Outcome<pad_client::Remote> {
    let address = format!("http://{address}/v1/dictionaries/d");
    Ok(pad_client::Remote::connect(
        &address,
        HttpOptions::default(),
    )?)
}

fn in_the_end(address: SocketAddr) -> Outcome<Version> {
    Ok(connect(address)?.versions()?.latest)
}

/// Publishes versions and pushes each to the server, until `done` is set. Returns the last version
/// that the server acknowledged.
fn publish(store: &Store, address: SocketAddr, done: &AtomicBool) -> Outcome<Version> {
    let server = connect(address)?;
    let mut acknowledged = Version::new(1);
    loop {
        let latest = authdict::Server::of_any(&store.path)?.latest();
        while acknowledged < latest {
            let next = Version::new(acknowledged.number() + 1);
            let update = authdict::Server::of_any(&store.path)?.update_message(next)?;
            // A version that the server is too busy to take is pushed again.
            if server.push(&update.unwrap_or_default()).is_ok() {
                acknowledged = next;
            }
        }
        if done.load(Ordering::Relaxed) {
            return Ok(acknowledged);
        }
        thread::sleep(Duration::from_millis(300));
        store.publish(0..10)?;
    }
}

/// Asks one question at a time.
fn ask(
    number: u64,
    plan: &Plan,
    server: SocketAddr,
    view: &StoredView,
    done: &AtomicBool,
) -> Outcome<ClientStats> {
    let client = client_of(view)?;
    let [.., high, low] = number.to_be_bytes();
    let local = Ipv4Addr::new(127, 1, high, low);
    let mut stats = ClientStats::default();
    let (mut line, mut body) = (String::new(), Vec::new());
    let mut stream: Option<BufReader<TcpStream>> = None;
    let mut next = step(number);
    while !done.load(Ordering::Relaxed) {
        next = step(next);
        let key = (next >> 33) % plan.keys;
        let question = Question::Key(key_of(key)?);
        let path = Resource::Answer(Version::new(1), question).path();
        let request = format!("GET /v1/dictionaries/d/{path} HTTP/1.1\r\nhost: load\r\n\r\n");
        let began = Instant::now();
        let mut is_answered = false;
        for _ in 0..ATTEMPTS {
            let mut exchange = || {
                let reader = match &mut stream {
                    Some(reader) => reader,
                    None => stream.insert(BufReader::new(connect_from(local, server, PATIENCE)?)),
                };
                reader.get_mut().write_all(request.as_bytes())?;
                read_answer(reader, &mut line, &mut body)
            };
            match exchange() {
                Ok(200) => {
                    // A question whose answer does not verify is lost, without a retry.
                    is_answered = verify(&*client, key, &body).is_ok();
                    break;
                }
                Ok(503) => thread::sleep(plan.pause),
                Ok(_) => break,
                Err(_) => stream = None,
            }
            stats.again += 1;
        }
        if is_answered {
            stats.times.push(began.elapsed());
        } else {
            stats.lost += 1;
        }
        thread::sleep(plan.pause);
    }
    Ok(stats)
}

/// Maximum number of attempts for a question.
const ATTEMPTS: u32 = 20;
/// Maximum time to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
