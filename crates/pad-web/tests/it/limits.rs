//! Limits on the length of messages, connections, requests and memory.

use core::time::Duration;
use std::{
    net::TcpStream,
    sync::{Arc, mpsc},
    thread,
};

use pad_web::client::{HttpError, HttpOptions};

use crate::fixture::*;

#[test]
fn oversize_requests_are_refused_by_client_and_server() {
    let server = start_paths(with_limits(|limits| limits.request_bytes = 1 << 20));
    let careful = HttpOptions {
        request_bytes: 1 << 10,
        ..once()
    };
    let too_large = |length| Err(HttpError::RequestTooLarge { length });
    let length = (1 << 10) + 1;
    let refused = post(&client(&server, careful), "/1", length);
    assert_eq!(refused, too_large(length));
    let connections = server.connections();
    assert_eq!(connections, 0, "the client must not have connected");

    // With `Expect: 100-continue`, the server refuses before the body is sent.
    let client = client(&server, once());
    assert_eq!(post(&client, "/1", 20 << 20), too_large(20 << 20));
    assert_eq!(post(&client, "/1", 900 << 10), Ok(1));
    stop(server);
}

#[test]
fn a_body_longer_than_it_was_to_be_is_refused() {
    let server = start_paths(with_limits(|limits| limits.request_bytes = 1 << 10));
    // A smaller body is sent at once. The server discards it before it responds.
    let length = 200 << 10;
    let refused = post(&client(&server, once()), "/1", length);
    assert_eq!(refused, Err(HttpError::RequestTooLarge { length }));
    // Without an announced length, the bytes are counted on arrival.
    let mut request = b"POST /1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\
        Transfer-Encoding: chunked\r\n\r\n800\r\n"
        .to_vec();
    request.extend([0; 0x800]);
    request.extend(b"\r\n0\r\n\r\n");
    let answer = raw(server.address(), &request, 5 * SECOND).unwrap();
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    stop(server);
}

#[test]
fn one_connection_too_many_is_closed() {
    let server = start_paths(with_limits(|limits| limits.connections = 2));
    let idle: Vec<_> = (0..2)
        .map(|_| TcpStream::connect(server.address()).unwrap())
        .collect();
    wait_until("not connected", || server.connections() == 2);
    assert_eq!(failed_attempts(call(&client(&server, once()), "/1")), 1);
    drop(idle);
    wait_until("not disconnected", || server.connections() == 0);
    assert_eq!(call(&client(&server, once()), "/1"), Ok(1));
    stop(server);
}

#[test]
fn overload_is_refused_and_passes() {
    let handler = Arc::new(PathHandler::default());
    let options = with_limits(|limits| (limits.in_flight, limits.waiting) = (1, 1));
    let server = start(options, Arc::clone(&handler));
    thread::scope(|scope| {
        let in_flight = scope.spawn(|| call(&client(&server, once()), "/held/1"));
        handler.gate.wait_inside(1);
        // Of two more requests one is queued. The other is refused, and returns first.
        let (send, receive) = mpsc::channel();
        for _ in 0..2 {
            let send = send.clone();
            let client = client(&server, once());
            scope.spawn(move || send.send(call(&client, "/held/2")).unwrap());
        }
        assert_eq!(receive.recv_timeout(10 * SECOND).unwrap(), overloaded());
        let refused = raw(server.address(), &post_head("/held/3", 0), 5 * SECOND);
        let refused = refused.unwrap().to_lowercase();
        assert!(refused.starts_with("http/1.1 503 "), "{refused}");
        assert!(refused.contains("\r\nretry-after: 1\r\n"), "{refused}");
        // A client that retries gets an answer once there is room.
        let patient = scope.spawn(|| call(&client(&server, HttpOptions::default()), "/held/4"));
        thread::sleep(Duration::from_millis(100));
        handler.gate.open();
        assert_eq!(in_flight.join().unwrap(), Ok(1));
        assert_eq!(receive.recv_timeout(10 * SECOND).unwrap(), Ok(2));
        assert_eq!(patient.join().unwrap(), Ok(4));
    });
    assert_eq!(handler.gate.most_inside(), 1);
    stop(server);
}

#[test]
fn messages_share_a_bounded_memory() {
    let server = start_paths(with_limits(|limits| {
        limits.body_bytes = 2 << 20;
        limits.answer_bytes = 2 << 20;
    }));
    let client = client(&server, once());
    let exchange = |sent: usize, received: usize| post(&client, &format!("/{received}"), sent);
    // Memory for one request or response of a mebibyte, and for none of three.
    assert_eq!(exchange(1 << 20, 1), Ok(1));
    assert_eq!(exchange(1, 1 << 20), Ok(1 << 20));
    assert_eq!(exchange(3 << 20, 1), overloaded());
    assert_eq!(exchange(1, 3 << 20), overloaded());
    // All memory was released.
    for _ in 0..20 {
        assert_eq!(exchange(1, 1 << 20), Ok(1 << 20));
    }
    stop(server);
}
