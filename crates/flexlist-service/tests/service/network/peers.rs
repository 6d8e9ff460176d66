//! A client is served while another one takes all that it can get.
//!
//! The two have different addresses of the loopback interface, which are two peers to the server.

use std::net::IpAddr;

use super::*;

/// As much as one peer may have is soon had.
fn shared(limits: Limits) -> Options {
    Options {
        limits,
        timeouts: Timeouts {
            // Nobody is saved by a deadline.
            header: 600 * SECOND,
            body: 600 * SECOND,
            write: 600 * SECOND,
            whole_body: 600 * SECOND,
            whole_answer: 600 * SECOND,
            ..Timeouts::default()
        },
        ..Options::default()
    }
}

const FEW: Limits = Limits {
    request_bytes: 32 << 20,
    response_bytes: 64 << 20,
    in_flight: 2,
    waiting: 8,
    requests_per_peer: 4,
    body_bytes: 16 << 20,
    answer_bytes: 16 << 20,
    bytes_per_peer: 8 << 20,
    reserve_bytes: 2 << 20,
    connections: 24,
    connections_per_peer: 16,
};

/// A connection from another address than the one that clients have.
fn connect_from(from: [u8; 4], server: &Running) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((IpAddr::from(from), 0).into()).unwrap();
        let stream = socket.connect(server.address()).await.unwrap();
        stream.into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    stream
}

const HOSTILE: [u8; 4] = [127, 0, 0, 2];

/// As many connections of the hostile peer as it may have, each with these bytes sent.
fn hold(server: &Running, bytes: &[u8]) -> Vec<TcpStream> {
    let mut held = Vec::new();
    for _ in 0..FEW.connections_per_peer {
        let mut stream = connect_from(HOSTILE, server);
        // The server may refuse, and close, before all is sent.
        drop(stream.write_all(bytes));
        held.push(stream);
    }
    held
}

/// The start of a request with a body of this length.
fn begun(length: usize, sent: usize) -> Vec<u8> {
    let mut bytes = head("POST", PATH, "application/octet-stream", length);
    bytes.resize(bytes.len() + sent, 0);
    bytes
}

/// An honest client from another address is served, small and large.
fn assert_served(server: &Running) {
    let honest = client(server, once());
    for file in 0..4 {
        assert_eq!(
            root_of(&honest.exchange(&status(file)).unwrap()),
            [file; 32]
        );
        let sent = honest.exchange(&part(3 << 20)).unwrap();
        assert!(matches!(sent, Response::State(_)), "{sent:?}");
        let read = honest.exchange(&read(6 << 20)).unwrap();
        assert!(matches!(read, Response::Read { .. }), "no read");
    }
}

#[test]
fn idle_connections_are_shared_out() {
    let server = start(shared(FEW), Echo);
    let held = hold(&server, b"");
    wait_until("not connected", || {
        server.connections() == FEW.connections_per_peer
    });
    // One more is closed.
    let mut more = connect_from(HOSTILE, &server);
    more.set_read_timeout(Some(10 * SECOND)).unwrap();
    assert!(matches!(more.read(&mut [0]), Ok(0) | Err(_)));
    assert_served(&server);
    drop(held);
    stop(server);
}

#[test]
fn bodies_that_do_not_end_are_shared_out() {
    let server = start(shared(FEW), Echo);
    // Of each of them more than its part, and all but the last byte.
    let held = hold(&server, &begun(1 << 20, (1 << 20) - 1));
    assert_served(&server);
    let small = hold(&server, &begun(1000, 999));
    assert_served(&server);
    drop((held, small));
    stop(server);
}

#[test]
fn answers_that_are_not_taken_are_shared_out() {
    let server = start(shared(FEW), Echo);
    let request = codec::encode(&read(4 << 20));
    let mut bytes = head("POST", PATH, "application/octet-stream", request.len());
    bytes.extend(request);
    let held = hold(&server, &bytes);
    assert_served(&server);
    drop(held);
    stop(server);
}

/// Answers like [`Echo`], but for the first file only while the gate is open.
struct Slow(Arc<Gate>);

impl Handler for Slow {
    fn handle(&self, request: Request) -> Response {
        if request == status(1) {
            return self.0.handle(request);
        }
        Echo.handle(request)
    }
}

#[test]
fn nobody_keeps_everybody_at_work() {
    let gate = Arc::new(Gate::default());
    let server = start(shared(FEW), Slow(Arc::clone(&gate)));
    let request = codec::encode(&status(1));
    let mut bytes = head("POST", PATH, "application/octet-stream", request.len());
    bytes.extend(request);
    let held = hold(&server, &bytes);
    gate.wait_inside(1);
    for file in 2..20 {
        assert_eq!(
            root_of(&client(&server, once()).exchange(&status(file)).unwrap()),
            [file; 32]
        );
    }
    gate.open();
    drop(held);
    stop(server);
    assert_eq!(gate.state.lock().unwrap().most_inside, 1);
}

#[test]
fn requests_that_take_long_are_shared_out() {
    let gate = Arc::new(Gate::default());
    let options = shared(Limits {
        in_flight: 1,
        ..FEW
    });
    let server = start(options, Arc::clone(&gate));
    let request = codec::encode(&status(1));
    let mut bytes = head("POST", PATH, "application/octet-stream", request.len());
    bytes.extend(request);
    let held = hold(&server, &bytes);
    gate.wait_inside(1);
    thread::scope(|scope| {
        let honest = scope.spawn(|| client(&server, once()).exchange(&status(2)));
        // All that the hostile one may not have in flight or waiting is refused at once.
        let refused = held
            .iter()
            .map(|stream| {
                let mut stream = stream.try_clone().unwrap();
                scope.spawn(move || {
                    let mut answer = [0; 12];
                    stream.read_exact(&mut answer).unwrap();
                    answer
                })
            })
            .collect::<Vec<_>>();
        let patience = Instant::now();
        while refused.iter().filter(|answer| answer.is_finished()).count()
            < FEW.connections_per_peer - FEW.requests_per_peer
        {
            assert!(patience.elapsed() < 60 * SECOND, "not refused");
            thread::sleep(Duration::from_millis(5));
        }
        gate.open();
        assert_eq!(root_of(&honest.join().unwrap().unwrap()), [2; 32]);
        let mut statuses: Vec<[u8; 12]> = refused
            .into_iter()
            .map(|answer| answer.join().unwrap())
            .collect();
        statuses.sort_unstable();
        let busy = statuses.iter().filter(|status| status.ends_with(b" 503"));
        assert_eq!(busy.count(), 12);
    });
    drop(held);
    stop(server);
}

#[test]
fn small_requests_have_a_reserve() {
    // Room for the bodies of two peers.
    let server = start(shared(FEW), Echo);
    let honest = client(&server, once());
    let mut held = Vec::new();
    wait_until("never full", || {
        // Anew each time: what was asked for in between may have taken the room of one of them.
        held.clear();
        wait_until("not disconnected", || server.connections() <= 1);
        for from in [HOSTILE, [127, 0, 0, 3]] {
            for _ in 0..4 {
                let mut stream = connect_from(from, &server);
                drop(stream.write_all(&begun(2 << 20, (2 << 20) - 1)));
                held.push(stream);
            }
        }
        thread::sleep(Duration::from_millis(100));
        honest.exchange(&part(1 << 20))
            == Err(TransportError::Http(HttpError::Overloaded { attempts: 1 }))
    });
    for file in 0..20 {
        assert_eq!(
            root_of(&honest.exchange(&status(file)).unwrap()),
            [file; 32]
        );
    }
    drop(held);
    wait_until("not given back", || honest.exchange(&part(1 << 20)).is_ok());
    stop(server);
}

#[test]
fn a_body_that_comes_steadily_has_an_end() {
    let options = Options {
        timeouts: Timeouts {
            whole_body: Duration::from_millis(300),
            ..Timeouts::default()
        },
        ..Options::default()
    };
    let server = start(options, Echo);
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(&begun(30 << 20, 0)).unwrap();
    let begun = Instant::now();
    // More than a mebibyte in each of the other deadlines' spans.
    while stream.write_all(&[0; 1 << 10]).is_ok() {
        assert!(begun.elapsed() < 60 * SECOND, "not cut off");
        thread::sleep(Duration::from_millis(1));
    }
    stop(server);
}

#[test]
fn an_answer_that_is_taken_steadily_has_an_end() {
    let options = Options {
        timeouts: Timeouts {
            whole_answer: Duration::from_millis(300),
            ..Timeouts::default()
        },
        ..Options::default()
    };
    let server = start(options, Echo);
    let request = codec::encode(&read(60 << 20));
    let mut bytes = head("POST", PATH, "application/octet-stream", request.len());
    bytes.extend(request);
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(&bytes).unwrap();
    let mut taken = 0_usize;
    let mut buffer = vec![0; 16 << 10];
    let begun = Instant::now();
    loop {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(count) => taken += count,
        }
        assert!(begun.elapsed() < 60 * SECOND, "not cut off");
        // What it sends meanwhile does not help.
        drop(stream.write_all(b"P"));
        thread::sleep(Duration::from_millis(2));
    }
    assert!(taken < 60 << 20, "{taken} bytes");
    stop(server);
}
