//! Fairness: an honest client is served while a hostile one uses as much as it can.
//!
//! The two have different addresses of the loopback interface, which are two peers to the server.

use std::net::IpAddr;

use super::*;

/// Options with these limits, under which one peer soon reaches its share.
fn shared(limits: Limits) -> Options {
    Options {
        limits,
        timeouts: Timeouts {
            // No deadline ends a request during the test.
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

/// A connection from this address, which differs from that of other clients.
fn connect_from(from: [u8; 4], server: &RunningServer) -> TcpStream {
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

/// Opens the maximum number of connections for the hostile peer, and sends `bytes` on each.
fn hold(server: &RunningServer, bytes: &[u8]) -> Vec<TcpStream> {
    let mut held = Vec::new();
    for _ in 0..FEW.connections_per_peer {
        let mut stream = connect_from(HOSTILE, server);
        // The server may refuse and close before all bytes are sent.
        drop(stream.write_all(bytes));
        held.push(stream);
    }
    held
}

/// Returns the head of a request that announces a body of `length` bytes, and `sent` of these
/// bytes.
fn begun(length: usize, sent: usize) -> Vec<u8> {
    let mut bytes = post_head(length);
    bytes.resize(bytes.len() + sent, 0);
    bytes
}

/// Checks that an honest client from another address gets its small and large requests answered.
fn assert_served(server: &RunningServer) {
    let honest = client(server, once());
    for file in 0..4 {
        assert_echo(&honest, file);
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
    // A further connection is closed.
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
    // Each body exceeds the peer's share, and lacks its last byte.
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
    let bytes = posted(&read(4 << 20));
    let held = hold(&server, &bytes);
    assert_served(&server);
    drop(held);
    stop(server);
}

/// Answers like [`Echo`]. Requests about the first file wait until the gate is open.
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
    let bytes = posted(&status(1));
    let held = hold(&server, &bytes);
    gate.wait_inside(1);
    for file in 2..20 {
        assert_echo(&client(&server, once()), file);
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
    let bytes = posted(&status(1));
    let held = hold(&server, &bytes);
    gate.wait_inside(1);
    thread::scope(|scope| {
        let honest = scope.spawn(|| client(&server, once()).exchange(&status(2)));
        // Requests of the hostile peer beyond its share of places are refused at once.
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
    // Memory for the bodies of two peers.
    let server = start(shared(FEW), Echo);
    let honest = client(&server, once());
    let mut held = Vec::new();
    wait_until("never full", || {
        // Starts over each time: an honest request in between may have taken the memory of one.
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
        honest.exchange(&part(1 << 20)) == overloaded()
    });
    for file in 0..20 {
        assert_echo(&honest, file);
    }
    drop(held);
    wait_until("not given back", || honest.exchange(&part(1 << 20)).is_ok());
    stop(server);
}

#[test]
fn a_body_that_comes_steadily_has_an_end() {
    let timeouts = Timeouts {
        whole_body: Duration::from_millis(300),
        ..Timeouts::default()
    };
    let server = start(with_timeouts(timeouts), Echo);
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(&begun(30 << 20, 0)).unwrap();
    let begun = Instant::now();
    // Sends more than a mebibyte within each of the other deadlines.
    while stream.write_all(&[0; 1 << 10]).is_ok() {
        assert!(begun.elapsed() < 60 * SECOND, "not cut off");
        thread::sleep(Duration::from_millis(1));
    }
    stop(server);
}

#[test]
fn an_answer_that_is_taken_steadily_has_an_end() {
    let timeouts = Timeouts {
        whole_answer: Duration::from_millis(300),
        ..Timeouts::default()
    };
    let server = start(with_timeouts(timeouts), Echo);
    let bytes = posted(&read(60 << 20));
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
        // Sending does not extend the deadline.
        drop(stream.write_all(b"P"));
        thread::sleep(Duration::from_millis(2));
    }
    assert!(taken < 60 << 20, "{taken} bytes");
    stop(server);
}
