//! Fairness: an honest client is served while a hostile one uses as much as it can.
//!
//! The two have different addresses of the loopback interface, which are two peers to the server.

use core::time::Duration;
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::Arc,
    thread,
};

use pad_web::server::{Limits, Options, RunningServer, Timeouts};

use crate::fixture::*;

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

const HOSTILE: u8 = 2;

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
    let mut bytes = post_head("/1", length);
    bytes.resize(bytes.len() + sent, 0);
    bytes
}

/// Checks that an honest client from another address gets its small and large requests answered.
fn assert_served(server: &RunningServer) {
    let honest = client(server, once());
    let large = 6 << 20;
    for length in 0..4 {
        assert_eq!(call(&honest, &format!("/{length}")), Ok(length));
        assert_eq!(post(&honest, "/1", 3 << 20), Ok(1));
        assert_eq!(call(&honest, &format!("/{large}")), Ok(large));
    }
}

#[test]
fn idle_connections_are_shared_out() {
    let server = start_paths(shared(FEW));
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
    let server = start_paths(shared(FEW));
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
    let server = start_paths(shared(FEW));
    let held = hold(&server, &post_head(&format!("/{}", 4 << 20), 0));
    assert_served(&server);
    drop(held);
    stop(server);
}

#[test]
fn nobody_keeps_everybody_at_work() {
    let handler = Arc::new(PathHandler::default());
    let server = start(shared(FEW), Arc::clone(&handler));
    let held = hold(&server, &post_head("/held/1", 0));
    handler.gate.wait_inside(1);
    for length in 2..20 {
        let answer = call(&client(&server, once()), &format!("/{length}"));
        assert_eq!(answer, Ok(length));
    }
    handler.gate.open();
    drop(held);
    stop(server);
    assert_eq!(handler.gate.most_inside(), 1);
}

#[test]
fn requests_that_take_long_are_shared_out() {
    let handler = Arc::new(PathHandler::default());
    let options = shared(Limits {
        in_flight: 1,
        ..FEW
    });
    let server = start(options, Arc::clone(&handler));
    let held = hold(&server, &post_head("/held/1", 0));
    handler.gate.wait_inside(1);
    thread::scope(|scope| {
        let honest = scope.spawn(|| call(&client(&server, once()), "/held/2"));
        // Requests of the hostile peer beyond its share of places are refused at once.
        let read = |stream: &TcpStream| {
            let mut stream = stream.try_clone().unwrap();
            scope.spawn(move || status(&mut stream))
        };
        let answers: Vec<_> = held.iter().map(read).collect();
        wait_until("not refused", || {
            let refused = answers.iter().filter(|answer| answer.is_finished());
            refused.count() >= FEW.connections_per_peer - FEW.requests_per_peer
        });
        handler.gate.open();
        assert_eq!(honest.join().unwrap(), Ok(2));
        let statuses = answers.into_iter().map(|answer| answer.join().unwrap());
        let busy = statuses.filter(|status| status.ends_with(" 503"));
        assert_eq!(busy.count(), 12);
    });
    drop(held);
    stop(server);
}

#[test]
fn small_requests_have_a_reserve() {
    // Memory for the bodies of two peers.
    let server = start_paths(shared(FEW));
    let honest = client(&server, once());
    let mut held = Vec::new();
    wait_until("never full", || {
        // Starts over each time: an honest request in between may have taken the memory of one.
        held.clear();
        wait_until("not disconnected", || server.connections() <= 1);
        for from in [HOSTILE, 3] {
            for _ in 0..4 {
                let mut stream = connect_from(from, &server);
                drop(stream.write_all(&begun(2 << 20, (2 << 20) - 1)));
                held.push(stream);
            }
        }
        thread::sleep(Duration::from_millis(100));
        post(&honest, "/1", 1 << 20) == overloaded()
    });
    for length in 0..20 {
        assert_eq!(call(&honest, &format!("/{length}")), Ok(length));
    }
    drop(held);
    wait_until("not given back", || post(&honest, "/1", 1 << 20).is_ok());
    stop(server);
}
