//! Load test over loopback: concurrent audits, updates and reads, without errors or wrong bytes.
//!
//! `FLEXLIST_STORM_SECONDS` sets the duration (default 1, under `make soak` 10).
//! `FLEXLIST_STORM_CLIENTS` sets the number of clients (default 16, under `make soak` 50).

use std::{
    thread,
    time::{Duration, Instant},
};

use ed25519_dalek::SigningKey;
use flexlist::{
    ByteEdit, Chunker,
    tag::{OwnerKey, TagKind},
};
use flexlist_service::{
    client::{
        ApplyOutcome, Extent, FileClient, HttpOptions, HttpTransport, Owner, StateKey, Status,
    },
    network::{Endpoint, Options, Server},
    server::{FileServer, Limits},
};
use pad_conformance::soak;
use pad_core::{AuthorKey, Workers};

use crate::plan::Random;

/// The bytes of each client's file.
const LENGTH: usize = 400_000;

#[test]
fn many_clients_agree_with_the_server() {
    let setting = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |value| value.parse().unwrap())
    };
    let duration = Duration::from_secs(setting("FLEXLIST_STORM_SECONDS", soak::size(1, 10)));
    let clients = setting("FLEXLIST_STORM_CLIENTS", soak::size(16, 50));

    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let files = FileServer::open(&store, Limits::default(), Workers::all_cores()).unwrap();
    let options = Options::default();
    let endpoint = Endpoint::new(files, options.limits);
    let server = Server::bind("127.0.0.1:0", options).unwrap();
    let running = server.start(endpoint).unwrap();
    let address = format!("http://{}", running.address());

    let threads: Vec<_> = (0..clients)
        .map(|number| {
            let state = folder.path().join(format!("state-{number}"));
            let address = address.clone();
            thread::spawn(move || Party::new(number, &address, &state).work(duration))
        })
        .collect();
    let mut timings = Timings::default();
    for thread in threads {
        timings.append(thread.join().unwrap());
    }
    running.shutdown(Duration::from_secs(10));
    running.join().unwrap();
    println!("{clients} clients, {duration:?}:");
    report("audits of 460", &mut timings.audits, duration);
    report("updates", &mut timings.updates, duration);
    let clients = usize::try_from(clients).unwrap();
    assert!(timings.audits.len() >= clients && timings.updates.len() >= clients);
}

#[derive(Default)]
struct Timings {
    audits: Vec<Duration>,
    updates: Vec<Duration>,
}

impl Timings {
    fn append(&mut self, mut other: Self) {
        self.audits.append(&mut other.audits);
        self.updates.append(&mut other.updates);
    }
}

fn report(what: &str, times: &mut [Duration], duration: Duration) {
    times.sort_unstable();
    let percentile = |percent: usize| times[(times.len() - 1) * percent / 100];
    let rate = u128::try_from(times.len()).unwrap() * 1000 / duration.as_millis();
    println!(
        "{what}: {rate}/s, latency p50 {:?}, p90 {:?}, p99 {:?}, longest {:?}",
        percentile(50),
        percentile(90),
        percentile(99),
        percentile(100),
    );
}

/// A client, and the expected bytes of its file.
struct Party {
    client: FileClient<HttpTransport, SigningKey>,
    model: Vec<u8>,
    random: Random,
}

impl Party {
    fn new(number: u64, address: &str, state: &std::path::Path) -> Self {
        let mut seed = [7; 32];
        // Each owner has two files.
        seed[..8].copy_from_slice(&(number / 2).to_le_bytes());
        let signer = SigningKey::from_bytes(&seed);
        let owner = Owner {
            key: AuthorKey::from_bytes(signer.verifying_key().as_bytes()).unwrap(),
            state_key: StateKey::derive(&seed),
            signer,
            tags: OwnerKey::generate(TagKind::PrivateMac, &Workers::sequential()).unwrap(),
        };
        let transport = HttpTransport::new(address, HttpOptions::default()).unwrap();
        let chunker = Chunker::fixed(2000).unwrap();
        let mut client = FileClient::create(state, owner, transport, chunker).unwrap();
        let mut random = Random(number + 1);
        let model: Vec<u8> = (0..LENGTH).map(|_| random.byte()).collect();
        client.upload(model.as_slice(), &mut |_| ()).unwrap();
        Self {
            client,
            model,
            random,
        }
    }

    /// Alternates audits and updates, at least one of each, then audits and compares every byte.
    fn work(mut self, duration: Duration) -> Timings {
        let mut timings = Timings::default();
        let start = Instant::now();
        while timings.updates.is_empty() || start.elapsed() < duration {
            let began = Instant::now();
            self.client.audit(Extent::Sample(460), &mut |_| ()).unwrap();
            timings.audits.push(began.elapsed());

            let length = self.model.len();
            let place = self.random.index(length);
            let bytes = vec![self.random.byte(); 1500];
            let offset = u64::try_from(place).unwrap();
            let edit = if length > LENGTH {
                let end = (offset + 2000).min(u64::try_from(length).unwrap());
                ByteEdit::Delete { start: offset, end }
            } else {
                ByteEdit::Insert {
                    offset,
                    bytes: bytes.clone(),
                }
            };
            let began = Instant::now();
            let applied = self.client.apply(core::slice::from_ref(&edit)).unwrap();
            timings.updates.push(began.elapsed());
            assert!(matches!(applied, ApplyOutcome::Version(_)));
            match edit {
                ByteEdit::Delete { start, end } => {
                    let [start, end] = [start, end].map(|index| usize::try_from(index).unwrap());
                    self.model.drain(start..end);
                }
                _ => drop(self.model.splice(place..place, bytes)),
            }
        }
        assert!(matches!(self.client.status().unwrap(), Status::Current(_)));
        self.client.audit(Extent::Everything, &mut |_| ()).unwrap();
        let total = u64::try_from(self.model.len()).unwrap();
        assert!(self.client.read(0..total).unwrap() == self.model);
        timings
    }
}
