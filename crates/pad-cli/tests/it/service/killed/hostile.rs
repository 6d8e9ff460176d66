//! Hostile peers, each with its own address, that attack all servers at the same time.

use std::{
    io::{Read as _, Write as _},
    net::SocketAddr,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread::{self, Scope},
    time::Duration,
};

use super::connection::Connector;
use crate::bench::Bench;

/// A server that is attacked.
pub(super) struct Target {
    pub(super) address: SocketAddr,
    /// The path of the resource with the longest response.
    pub(super) get: String,
    /// The paths that accept a request body.
    pub(super) posts: Vec<String>,
}

/// Returns the bytes that an attack sends first. The second argument is an update that the target
/// already has.
type FirstBytes = fn(&Target, &[u8]) -> Vec<u8>;

/// A kind of attack, which is repeated until the end of the soak.
#[derive(Clone, Copy)]
struct Attack {
    name: &'static str,
    is_encrypted: bool,
    /// The number of connections that are opened one after the other. A server accepts 64
    /// connections of one peer.
    connections: usize,
    /// The number of seconds for which the connections stay open. Each sends one byte per second.
    seconds: u32,
    bytes: FirstBytes,
}

const fn attack(name: &'static str, connections: usize, seconds: u32, bytes: FirstBytes) -> Attack {
    Attack {
        name,
        is_encrypted: true,
        connections,
        seconds,
        bytes,
    }
}

const fn plain(attack: Attack) -> Attack {
    let is_encrypted = false;
    Attack {
        is_encrypted,
        ..attack
    }
}

const ATTACKS: [Attack; PEERS] = [
    attack("unread answers", 16, 10, |target, _| {
        get("GET", target, "").repeat(1000)
    }),
    attack("a byte a second", 60, 30, |_, _| {
        b"GET /v1/dictionaries/".to_vec()
    }),
    plain(attack("no handshake", 60, 5, |_, _| Vec::new())),
    attack("HEAD and If-None-Match", 1, 0, |target, _| {
        let known = get("GET", target, "if-none-match: *\r\n");
        [get("HEAD", target, ""), known].concat().repeat(8)
    }),
    attack("garbage", 1, 0, |target, _| {
        post(target, &[0xa5; 1 << 12], 1 << 12)
    }),
    attack("announced bodies", 16, 10, |target, _| {
        post(target, &[0; 4 << 20], 64 << 20)
    }),
    plain(attack("no TLS", 1, 0, |_, _| vec![0xa5; 1 << 16])),
    attack("old and forged updates", 1, 0, |target, update| {
        let mut forged = update.to_vec();
        *forged.last_mut().unwrap() ^= 1;
        let old = post(target, update, update.len());
        [old, post(target, &forged, forged.len())].concat()
    }),
];

const PEERS: usize = 8;

fn get(method: &str, target: &Target, headers: &str) -> Vec<u8> {
    let path = &target.get;
    format!("{method} {path} HTTP/1.1\r\nhost: h\r\n{headers}\r\n").into_bytes()
}

/// Returns a POST of `body` to the last path, with the content length `announced`, and POSTs
/// without a body to the other paths.
fn post(target: &Target, body: &[u8], announced: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for path in &target.posts {
        let is_last = Some(path) == target.posts.last();
        let length = if is_last { announced } else { 0 };
        let head = format!("POST {path} HTTP/1.1\r\nhost: h\r\ncontent-length: {length}\r\n\r\n");
        bytes.extend(head.bytes());
        bytes.extend(if is_last { body } else { &[] });
    }
    bytes
}

/// All hostile peers.
pub(super) struct HostilePeers {
    targets: Vec<Target>,
    pub(super) connector: Connector,
    update: Vec<u8>,
    /// The number of connections of each attack.
    counts: [AtomicU64; PEERS],
}

impl HostilePeers {
    pub(super) fn new(bench: &Bench, targets: Vec<Target>) -> Self {
        Self {
            targets,
            connector: Connector::new(bench),
            update: bench.read("first.update"),
            counts: Default::default(),
        }
    }

    /// Runs until `done` is set. Each server faces all attacks at the same time, each from another
    /// peer.
    pub(super) fn attack<'s>(&'s self, scope: &'s Scope<'s, '_>, done: &'s AtomicBool) {
        for peer in 0..PEERS {
            for (place, target) in self.targets.iter().enumerate() {
                scope.spawn(move || {
                    let which = (peer + place) % PEERS;
                    let address = u8::try_from(2 + peer).unwrap();
                    while !done.load(Ordering::SeqCst) {
                        self.repeat(&ATTACKS[which], address, target, &self.counts[which], done);
                    }
                });
            }
        }
    }

    fn repeat(
        &self,
        attack: &Attack,
        address: u8,
        target: &Target,
        count: &AtomicU64,
        done: &AtomicBool,
    ) {
        let bytes = (attack.bytes)(target, &self.update);
        let mut open = Vec::new();
        for _ in 0..attack.connections {
            thread::sleep(PAUSE);
            // The server may be down, or may refuse further connections of this peer.
            let (to, is_encrypted) = (target.address, attack.is_encrypted);
            let stream = self.connector.open(is_encrypted, address, to, PATIENCE);
            if let Ok(mut stream) = stream
                && !done.load(Ordering::SeqCst)
            {
                drop(stream.write_all(&bytes));
                count.fetch_add(1, Ordering::SeqCst);
                open.push(stream);
            }
        }
        for _ in 0..attack.seconds {
            open.retain_mut(|stream| {
                !done.load(Ordering::SeqCst) && stream.write_all(b"a").is_ok()
            });
            if !open.is_empty() {
                thread::sleep(Duration::from_secs(1));
            }
        }
        for stream in &mut open {
            drop(stream.read(&mut [0; 512]));
        }
    }

    /// Returns the number of connections of each attack.
    pub(super) fn counts(&self) -> Vec<(&'static str, u64)> {
        let counts = self.counts.iter();
        ATTACKS
            .iter()
            .zip(counts)
            .map(|(attack, count)| (attack.name, count.load(Ordering::SeqCst)))
            .collect()
    }
}

const PAUSE: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_millis(500);
