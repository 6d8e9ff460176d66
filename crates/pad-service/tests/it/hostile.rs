//! Tests of honest clients next to hostile clients, which use another address of the loopback
//! interface.

use std::{
    io::{Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use authdict::Version;
use pad_client::{Client, HttpOptions, Remote, internals::Resource};
use pad_conformance::soak;
use pad_web::server::{Limits, Options};

use crate::{fixture::*, load::connection::connect_from};

/// Sends bytes to a server, and returns all bytes that the server sends until it closes the
/// connection.
pub(crate) fn spoken(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    // The server may have closed the connection before reading all bytes.
    drop(stream.read_to_end(&mut answer));
    String::from_utf8_lossy(&answer).into_owned()
}

const FEW: Limits = Limits {
    request_bytes: 1 << 20,
    response_bytes: 1 << 20,
    in_flight: 2,
    waiting: 8,
    requests_per_peer: 4,
    body_bytes: 8 << 20,
    answer_bytes: 8 << 20,
    bytes_per_peer: 4 << 20,
    reserve_bytes: 2 << 20,
    connections: 64,
    connections_per_peer: 32,
};

/// Connects from an address that honest clients do not use.
fn hostile(server: &TestServer) -> Option<TcpStream> {
    let own = Ipv4Addr::new(127, 0, 0, 2);
    let stream = connect_from(own, server.address(), 600 * SECOND).ok()?;
    stream.set_read_timeout(Some(SECOND / 10)).unwrap();
    Some(stream)
}

/// Sends bytes repeatedly, and ignores the responses.
fn pester(server: &TestServer, done: &AtomicBool, sent: &AtomicUsize, bytes: &[u8]) {
    while !done.load(Ordering::SeqCst) {
        let Some(mut stream) = hostile(server) else {
            continue;
        };
        if stream.write_all(bytes).is_ok() {
            sent.fetch_add(1, Ordering::SeqCst);
        }
        let _ = stream.read(&mut [0; 512]);
    }
}

#[test]
fn honest_clients_lose_nothing_while_hostile_ones_do_their_worst() {
    // Hostile clients have an address of their own.
    drop(TcpListener::bind("127.0.0.2:0").unwrap());
    let author = Author::of_three_versions();
    author.create("copy.pad");
    let served = service(&author.path("s.pad"));
    let limits = Options {
        limits: FEW,
        timeouts: PATIENT,
        ..Options::default()
    };
    let server = start_with(limits, served);
    let post = |length: usize| {
        let head = "POST /v1/dictionaries/s/updates HTTP/1.1\r\nhost: h\r\ncontent-length: ";
        format!("{head}{length}\r\n\r\n")
    };
    let old_update = author.update("s.pad", 1);
    let mut replayed = post(old_update.len()).into_bytes();
    replayed.extend(&old_update);
    let mut forged = replayed.clone();
    *forged.last_mut().unwrap() ^= 1;
    let mut huge = post(1 << 20).into_bytes();
    huge.resize(huge.len() + (1 << 20) - 1, 0);
    let question = Resource::Answer(Version::new(3), about("apple")).path();
    let attacks: Vec<Vec<u8>> = vec![
        // Slow requests, with an unfinished head or an unfinished body.
        b"GET /v1/dictionaries/s/he".to_vec(),
        post(1000).into_bytes(),
        huge,
        post(usize::MAX).into_bytes(),
        vec![0xff; 1 << 16],
        format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(1 << 17)).into_bytes(),
        replayed,
        forged,
        format!("GET /v1/dictionaries/s/{question} HTTP/1.1\r\nhost: h\r\n\r\n")
            .repeat(200)
            .into_bytes(),
    ];
    let least = soak::size(60, 200);
    let done = AtomicBool::new(false);
    let counts: Vec<_> = attacks.iter().map(|_| AtomicUsize::new(0)).collect();
    let answered = AtomicUsize::new(0);
    thread::scope(|scope| {
        for (attack, sent) in attacks.iter().zip(&counts) {
            let (server, done) = (&server, &done);
            scope.spawn(move || pester(server, done, sent, attack));
        }
        let honest: Vec<_> = (0..3)
            .map(|_| {
                let (author, server) = (&author, &server);
                let (answered, counts) = (&answered, &counts);
                scope.spawn(move || {
                    let view = authdict::StoredView::new(author.key.public().clone());
                    let servers = vec![connect_plain(server)];
                    let mut client = Client::new(servers, view, None).unwrap();
                    let latest = client.advance().unwrap();
                    // The test continues until every attack was made at least three times.
                    let mut rounds = 0;
                    let has_all = || counts.iter().all(|sent| sent.load(Ordering::SeqCst) >= 3);
                    while rounds < least || !has_all() {
                        assert_value(&client, latest, "apple", "4");
                        assert_eq!(client.advance().unwrap(), latest);
                        answered.fetch_add(1, Ordering::SeqCst);
                        rounds += 1;
                    }
                    assert!(client.take_incidents().is_empty());
                })
            })
            .collect();
        let outcomes = honest.into_iter().map(thread::ScopedJoinHandle::join);
        let outcomes: Vec<_> = outcomes.collect();
        done.store(true, Ordering::SeqCst);
        assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    });
    assert!(answered.load(Ordering::SeqCst) >= 3 * least);
    // No hostile request has changed anything.
    let versions = connect_plain(&server).versions().unwrap();
    assert_eq!(versions.latest, Version::new(3));
}

fn connect_plain(server: &TestServer) -> Remote {
    let address = format!("http://{}/v1/dictionaries/s", server.address());
    Remote::connect(&address, HttpOptions::default()).unwrap()
}

#[test]
fn a_client_reads_no_more_than_it_may() {
    let author = Author::of_three_versions();
    let endless = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&endless);
    let liar = author.liar(move |path, mut answer| {
        if !path.starts_with("versions") {
            asked.fetch_add(1, Ordering::SeqCst);
            answer.body = vec![b'P'; 32 << 20];
        }
        answer
    });
    let mut client = author.client(&[&liar], "view");
    // The response is longer than any head, and the client must not read it into memory.
    assert!(client.advance().is_err());
    assert_eq!(endless.load(Ordering::SeqCst), 1);
}
