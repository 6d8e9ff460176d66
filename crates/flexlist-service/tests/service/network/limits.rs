//! Limits of the HTTP server.

use super::*;

#[test]
fn oversize_requests_are_refused_by_client_and_server() {
    let options = with_limits(|limits| limits.request_bytes = 1 << 20);
    let server = start(options, Echo);
    let careful = HttpOptions {
        request_bytes: 1 << 10,
        ..once()
    };
    let refused = client(&server, careful).exchange(&part(1 << 10));
    assert!(matches!(
        refused,
        Err(TransportError::Http(HttpError::RequestTooLarge { length })) if length > 1 << 10
    ));
    assert_eq!(
        server.connections(),
        0,
        "the client must not have connected"
    );

    // With `Expect: 100-continue`, the server refuses before the body is sent.
    let client = client(&server, once());
    let refused = client.exchange(&part(20 << 20));
    assert!(matches!(
        refused,
        Err(TransportError::Http(HttpError::RequestTooLarge { length })) if length > 20 << 20
    ));
    assert!(client.exchange(&part(900 << 10)).is_ok());
    stop(server);
}

#[test]
fn a_body_longer_than_it_was_to_be_is_refused() {
    let options = with_limits(|limits| limits.request_bytes = 1 << 10);
    let server = start(options, Echo);
    // A smaller body is sent at once. The server discards it before it responds.
    assert!(matches!(
        client(&server, once()).exchange(&part(200 << 10)),
        Err(TransportError::Http(HttpError::RequestTooLarge { .. }))
    ));
    // Without an announced length, the bytes are counted on arrival.
    let mut request = format!(
        "POST {PATH} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\
         Content-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n"
    )
    .into_bytes();
    request.extend([0; 0x800]);
    request.extend(b"\r\n0\r\n\r\n");
    let answer = raw(server.address(), &request, 5 * SECOND).unwrap();
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    stop(server);
}

#[test]
fn oversize_answers_are_refused_by_server_and_client() {
    let options = with_limits(|limits| limits.response_bytes = 1 << 20);
    let server = start(options, Echo);
    let generous = client(&server, once());
    assert!(generous.exchange(&read((1 << 20) - 100)).is_ok());
    assert!(matches!(
        generous.exchange(&read(1 << 20)),
        Ok(Response::Refused(Refusal::TooLarge(_)))
    ));
    let careful = HttpOptions {
        response_bytes: 1 << 10,
        ..once()
    };
    let careful = client(&server, careful);
    assert_eq!(
        careful.exchange(&read(1 << 10)),
        Err(TransportError::Http(HttpError::ResponseTooLarge {
            limit: 1 << 10
        }))
    );
    assert!(careful.exchange(&read(900)).is_ok());
    stop(server);
}

#[test]
fn one_connection_too_many_is_closed() {
    let options = with_limits(|limits| limits.connections = 2);
    let server = start(options, Echo);
    let idle: Vec<_> = (0..2)
        .map(|_| TcpStream::connect(server.address()).unwrap())
        .collect();
    wait_until("not connected", || server.connections() == 2);
    let refused = client(&server, once()).exchange(&status(1));
    assert_eq!(failed_attempts(refused), 1);
    drop(idle);
    wait_until("not disconnected", || server.connections() == 0);
    assert!(client(&server, once()).exchange(&status(1)).is_ok());
    stop(server);
}

pub(super) fn narrow() -> Options {
    with_limits(|limits| (limits.in_flight, limits.waiting) = (1, 1))
}

#[test]
fn overload_is_refused_and_passes() {
    let gate = Arc::new(Gate::default());
    let server = start(narrow(), Arc::clone(&gate));
    thread::scope(|scope| {
        let in_flight = scope.spawn(|| client(&server, once()).exchange(&status(1)));
        gate.wait_inside(1);
        // Of two more requests one is queued. The other is refused, and returns first.
        let (send, receive) = mpsc::channel();
        for _ in 0..2 {
            let send = send.clone();
            let client = client(&server, once());
            scope.spawn(move || send.send(client.exchange(&status(2))).unwrap());
        }
        assert_eq!(receive.recv_timeout(10 * SECOND).unwrap(), overloaded());
        let bytes = posted(&status(3));
        let refused = raw(server.address(), &bytes, 5 * SECOND);
        let refused = refused.unwrap().to_lowercase();
        assert!(refused.starts_with("http/1.1 503 "), "{refused}");
        assert!(refused.contains("\r\nretry-after: 1\r\n"), "{refused}");
        // A client that retries gets an answer once there is room.
        let patient = scope.spawn(|| client(&server, HttpOptions::default()).exchange(&status(4)));
        thread::sleep(Duration::from_millis(100));
        gate.open();
        assert_eq!(root_of(&in_flight.join().unwrap().unwrap()), [1; 32]);
        let waited = receive.recv_timeout(10 * SECOND).unwrap();
        assert_eq!(root_of(&waited.unwrap()), [2; 32]);
        assert_eq!(root_of(&patient.join().unwrap().unwrap()), [4; 32]);
    });
    assert_eq!(gate.state.lock().unwrap().most_inside, 1);
    stop(server);
}

#[test]
fn messages_share_a_bounded_memory() {
    let options = with_limits(|limits| {
        limits.body_bytes = 2 << 20;
        limits.answer_bytes = 2 << 20;
    });
    let server = start(options, Echo);
    let client = client(&server, once());
    // Memory for one request or response of a mebibyte, and for none of three.
    assert!(client.exchange(&part(1 << 20)).is_ok());
    assert!(client.exchange(&read(1 << 20)).is_ok());
    for too_much in [part(3 << 20), read(3 << 20)] {
        assert_eq!(client.exchange(&too_much), overloaded());
    }
    // All memory was released.
    for _ in 0..20 {
        assert!(client.exchange(&read(1 << 20)).is_ok());
    }
    stop(server);
}
