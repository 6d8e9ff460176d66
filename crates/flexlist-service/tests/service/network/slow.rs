//! Clients that keep a server waiting.

use super::*;

fn hasty() -> Options {
    let soon = Duration::from_millis(300);
    with_timeouts(Timeouts {
        header: soon,
        body: soon,
        write: soon,
        handshake: soon,
        ..Timeouts::default()
    })
}

#[test]
fn slow_heads_and_idle_connections_are_cut_off() {
    let server = start(hasty(), Echo);
    // Nothing, part of a head, or a whole request followed by nothing.
    let request = codec::encode(&status(9));
    let mut whole = post_head(request.len());
    whole.extend(&request);
    for bytes in [Vec::new(), b"POST /flex".to_vec(), keep_alive(&whole)] {
        let begun = Instant::now();
        let answer = raw(server.address(), &bytes, 5 * SECOND);
        assert!(answer.is_some(), "not cut off after {} bytes", bytes.len());
        assert!(begun.elapsed() >= Duration::from_millis(250));
    }
    stop(server);
}

/// The request without its header `Connection: close`.
fn keep_alive(request: &[u8]) -> Vec<u8> {
    let wish = b"Connection: close\r\n";
    let at = request
        .windows(wish.len())
        .position(|window| window == wish)
        .unwrap();
    [&request[..at], &request[at + wish.len()..]].concat()
}

#[test]
fn a_slow_body_is_cut_off() {
    let server = start(hasty(), Echo);
    let mut request = post_head(100);
    request.extend([0; 50]);
    let answer = raw(server.address(), &request, 5 * SECOND).unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");

    // Sending single bytes does not extend the deadline.
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(&post_head(100)).unwrap();
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
        identity: Some(Identity::from_pem(CERTIFICATE, KEY).unwrap()),
        ..hasty()
    };
    let server = start(options, Echo);
    let answer = raw(server.address(), b"\x16\x03", 5 * SECOND);
    assert_eq!(answer.as_deref(), Some(""));
    stop(server);
}

#[test]
fn a_client_that_does_not_take_its_answer_is_cut_off() {
    let server = start(hasty(), Echo);
    let bytes = posted(&read(60 << 20));
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(&bytes).unwrap();
    wait_until("not connected", || server.connections() == 1);
    wait_until("not cut off", || server.connections() == 0);
    drop(stream);

    // A client that reads slowly is served.
    let client = client(&server, once());
    let answer = client.exchange(&read(60 << 20));
    assert!(matches!(answer, Ok(Response::Read { .. })));
    stop(server);
}
