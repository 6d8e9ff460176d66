//! Attacks of hostile clients, each repeated until the run ends.

use std::{
    io::{Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use authdict::{KeyRange, Question, Version};
use pad_client::internals::Resource;

use super::connection::connect_from;

/// A hostile client with its inputs.
pub(crate) struct Attacker<'a> {
    pub(crate) local: Ipv4Addr,
    pub(crate) server: SocketAddr,
    pub(crate) done: &'a AtomicBool,
    /// Number of attacks made.
    pub(crate) count: &'a AtomicUsize,
    /// An update that the server applied earlier.
    pub(crate) old_update: &'a [u8],
    /// Maximum length of a body that the server accepts.
    pub(crate) longest: usize,
}

type Attack = for<'a> fn(&Attacker<'a>);

/// All attacks with their names.
pub(crate) const ATTACKS: [(&str, Attack); 10] = [
    ("heads that come byte by byte", |own| {
        own.trickle(b"GET /v1/dictionaries/d/versions HTTP/1.1\r\nhost: ");
    }),
    ("bodies that come byte by byte", |own| {
        own.trickle(post(1 << 20).as_bytes());
    }),
    ("long answers that are read byte by byte", |own| {
        own.read_slowly();
    }),
    ("bodies as long as they may be", |own| own.send_much()),
    ("announcements of longer bodies", |own| {
        own.send(post(usize::MAX).as_bytes());
    }),
    ("garbage", |own| own.send(&[0xa5; 1 << 16])),
    ("forged updates", |own| own.forge()),
    ("old updates again", |own| {
        own.send(&[post(own.old_update.len()).as_bytes(), own.old_update].concat());
    }),
    ("connections that say nothing", |own| own.flood()),
    ("questions whose answers are not read", |own| {
        own.send(long_question().repeat(100).as_bytes());
    }),
];

fn post(length: usize) -> String {
    format!(
        "POST /v1/dictionaries/d/updates HTTP/1.1\r\nhost: h\r\ncontent-length: {length}\r\n\r\n"
    )
}

/// Makes two requests with long answers: a page of entries, and all entries.
fn long_question() -> String {
    let page = Resource::Page(Version::new(1), KeyRange::ALL).path();
    let all = Resource::Answer(Version::new(1), Question::Range(KeyRange::ALL)).path();
    let get = |path| format!("GET /v1/dictionaries/d/{path} HTTP/1.1\r\nhost: h\r\n\r\n");
    format!("{}{}", get(page), get(all))
}

/// Maximum number of connections that a hostile client keeps open.
const HELD: usize = 100;
const MOMENT: Duration = Duration::from_millis(100);

impl Attacker<'_> {
    /// Reports whether the run has ended.
    fn is_over(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }

    fn connect(&self) -> Option<TcpStream> {
        connect_from(self.local, self.server, MOMENT).ok()
    }

    fn counted(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Sends `bytes` on new connections, and reads the beginning of each response.
    fn send(&self, bytes: &[u8]) {
        while !self.is_over() {
            if let Some(mut stream) = self.connect() {
                // The server may have closed the connection.
                drop(stream.write_all(bytes));
                drop(stream.read(&mut [0; 512]));
                self.counted();
            }
        }
    }

    /// Begins many requests, and continues each one byte at a time.
    fn trickle(&self, beginning: &[u8]) {
        let mut held: Vec<TcpStream> = Vec::new();
        while !self.is_over() {
            held.retain_mut(|stream| stream.write_all(b"a").is_ok());
            if held.len() < HELD
                && let Some(mut stream) = self.connect()
                && stream.write_all(beginning).is_ok()
            {
                held.push(stream);
                self.counted();
            }
            thread::sleep(MOMENT / 10);
        }
    }

    fn read_slowly(&self) {
        let question = long_question();
        let mut held: Vec<TcpStream> = Vec::new();
        while !self.is_over() {
            held.retain_mut(|stream| {
                // A response may still arrive.
                !matches!(stream.read(&mut [0; 1]), Ok(0))
            });
            if held.len() < HELD / 10
                && let Some(mut stream) = self.connect()
                && stream.write_all(question.as_bytes()).is_ok()
            {
                held.push(stream);
                self.counted();
            }
        }
    }

    fn send_much(&self) {
        let mut bytes = post(self.longest).into_bytes();
        bytes.resize(bytes.len().saturating_add(self.longest), 0);
        self.send(&bytes);
    }

    /// Sends the old update repeatedly, each time with a different byte changed.
    fn forge(&self) {
        let mut place = 0_usize;
        while !self.is_over() {
            let mut forged = self.old_update.to_vec();
            place = place.wrapping_add(7919);
            if let Some(byte) = forged.get_mut(place % self.old_update.len().max(1)) {
                *byte ^= 1;
            }
            if let Some(mut stream) = self.connect() {
                let request = [post(forged.len()).as_bytes(), forged.as_slice()].concat();
                drop(stream.write_all(&request));
                drop(stream.read(&mut [0; 512]));
                self.counted();
            }
        }
    }

    fn flood(&self) {
        while !self.is_over() {
            let held: Vec<_> = (0..HELD).filter_map(|_| self.connect()).collect();
            self.count.fetch_add(held.len(), Ordering::Relaxed);
            thread::sleep(MOMENT);
        }
    }
}
