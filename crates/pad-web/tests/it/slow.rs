//! Clients that keep a server waiting.

use core::time::Duration;
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    thread,
    time::Instant,
};

use pad_web::server::{Options, RunningServer};

use crate::{fixture::*, tls::identity};

fn hasty() -> Options {
    let soon = Duration::from_millis(300);
    with_timeouts(|timeouts| {
        timeouts.header = soon;
        timeouts.body = soon;
        timeouts.write = soon;
        timeouts.handshake = soon;
    })
}

/// Connects and sends bytes.
fn begin(server: &RunningServer, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(bytes).unwrap();
    stream
}

#[test]
fn slow_heads_and_idle_connections_are_cut_off() {
    let server = start_paths(hasty());
    // Nothing, part of a head, or a whole request followed by nothing.
    for bytes in [Vec::new(), b"POST /flex".to_vec(), request("/9")] {
        let begun = Instant::now();
        let answer = raw(server.address(), &bytes, 5 * SECOND);
        assert!(answer.is_some(), "not cut off after {} bytes", bytes.len());
        assert!(begun.elapsed() >= Duration::from_millis(250));
    }
    stop(server);
}

#[test]
fn a_slow_body_is_cut_off() {
    let server = start_paths(hasty());
    let mut request = post_head("/1", 100);
    request.extend([0; 50]);
    let answer = raw(server.address(), &request, 5 * SECOND).unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");

    // Sending single bytes does not extend the deadline.
    let mut stream = begin(&server, &post_head("/1", 100));
    let mut sent = 0;
    while stream.write_all(&[0]).is_ok() {
        sent += 1;
        assert!(sent < 100, "not cut off");
        thread::sleep(Duration::from_millis(50));
    }
    stop(server);
}

#[test]
fn a_slow_handshake_is_cut_off() {
    let options = Options {
        identity: Some(identity()),
        ..hasty()
    };
    let server = start_paths(options);
    let answer = raw(server.address(), b"\x16\x03", 5 * SECOND);
    assert_eq!(answer.as_deref(), Some(""));
    stop(server);
}

/// A request for 60 MiB.
fn large() -> (usize, String) {
    let bytes = 60 << 20;
    (bytes, format!("/{bytes}"))
}

#[test]
fn a_client_that_does_not_take_its_answer_is_cut_off() {
    let server = start_paths(hasty());
    let (bytes, path) = large();
    let stream = begin(&server, &post_head(&path, 0));
    wait_until("not connected", || server.connections() == 1);
    wait_until("not cut off", || server.connections() == 0);
    drop(stream);

    // A client that reads slowly is served.
    assert_eq!(call(&client(&server, once()), &path), Ok(bytes));
    stop(server);
}

#[test]
fn a_body_that_comes_steadily_has_an_end() {
    let options = with_timeouts(|timeouts| timeouts.whole_body = Duration::from_millis(300));
    let server = start_paths(options);
    let mut stream = begin(&server, &post_head("/1", 30 << 20));
    let begun = Instant::now();
    // Sends more than a mebibyte within each of the other deadlines.
    while stream.write_all(&[0; 1 << 10]).is_ok() {
        assert!(begun.elapsed() < PATIENCE, "not cut off");
        thread::sleep(Duration::from_millis(1));
    }
    stop(server);
}

#[test]
fn an_answer_that_is_taken_steadily_has_an_end() {
    let options = with_timeouts(|timeouts| timeouts.whole_answer = Duration::from_millis(300));
    let server = start_paths(options);
    let (bytes, path) = large();
    let mut stream = begin(&server, &post_head(&path, 0));
    let mut taken = 0_usize;
    let mut buffer = vec![0; 16 << 10];
    let begun = Instant::now();
    loop {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(count) => taken += count,
        }
        assert!(begun.elapsed() < PATIENCE, "not cut off");
        // Sending does not extend the deadline.
        drop(stream.write_all(b"P"));
        thread::sleep(Duration::from_millis(2));
    }
    assert!(taken < bytes, "{taken} bytes");
    stop(server);
}
