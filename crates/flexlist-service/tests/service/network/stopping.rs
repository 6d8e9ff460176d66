//! Shutdown of a server, as its clients observe it.

use super::*;

#[test]
fn shutdown_answers_what_is_in_flight() {
    let gate = Arc::new(Gate::default());
    let server = start(limits::narrow(), Arc::clone(&gate));
    let address = server.address();
    let idle = TcpStream::connect(address).unwrap();
    let in_flight = {
        let client = client(&server, once());
        thread::spawn(move || client.exchange(&status(5)))
    };
    gate.wait_inside(1);
    server.shutdown(10 * SECOND);
    wait_until("still listening", || TcpStream::connect(address).is_err());
    gate.open();
    assert_eq!(root_of(&in_flight.join().unwrap().unwrap()), [5; 32]);
    drop(idle);
    assert_eq!(server.join().unwrap(), ShutdownOutcome::Drained);
}

#[test]
fn shutdown_does_not_wait_for_ever() {
    let gate = Arc::new(Gate::default());
    let server = start(limits::narrow(), Arc::clone(&gate));
    let in_flight = {
        let client = client(&server, once());
        thread::spawn(move || client.exchange(&status(5)))
    };
    gate.wait_inside(1);
    let begun = Instant::now();
    server.shutdown(60 * SECOND);
    // A second, shorter limit replaces the first.
    server.shutdown(Duration::from_millis(200));
    let timed_out = ShutdownOutcome::TimedOut { connections: 1 };
    assert_eq!(server.join().unwrap(), timed_out);
    assert!(begun.elapsed() < 50 * SECOND, "the first limit held");
    assert_eq!(failed_attempts(in_flight.join().unwrap()), 1);
    gate.open();
}

/// Uses the program `kill`: a process cannot signal itself without a library.
#[cfg(unix)]
#[test]
fn a_signal_stops_a_running_server() {
    let options = Options::default();
    let endpoint = Endpoint::new(Echo, options.limits);
    let server = Server::bind("127.0.0.1:0", options).unwrap();
    let address = format!("http://{}", server.address());
    let running = thread::spawn(move || server.run(endpoint));
    let client = HttpTransport::new(&address, once()).unwrap();
    // A server that answers has installed its signal handlers.
    assert!(client.exchange(&status(1)).is_ok());
    let process = std::process::id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-TERM", &process])
        .status();
    assert!(killed.unwrap().success());
    assert_eq!(running.join().unwrap().unwrap(), ShutdownOutcome::Drained);
}

#[test]
fn a_server_out_of_reach_is_tried_again() {
    let server = start(Options::default(), Echo);
    let options = HttpOptions {
        attempts: 3,
        backoff: Duration::from_millis(20),
        ..HttpOptions::default()
    };
    let client = client(&server, options);
    stop(server);
    let begun = Instant::now();
    assert_eq!(failed_attempts(client.exchange(&status(1))), 3);
    // At least half of 20 and half of 40 milliseconds.
    assert!(begun.elapsed() >= Duration::from_millis(30));
}

/// Answers one request, whatever its contents, with `answer`.
fn answer_once(answer: &'static [u8]) -> (String, thread::JoinHandle<()>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        assert_ne!(stream.read(&mut request).unwrap(), 0);
        stream.write_all(answer).unwrap();
    });
    (address, server)
}

#[test]
fn answers_that_are_no_messages_are_told_apart() {
    for (answer, expected) in [
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nPAD2\x01\x61\0\0".as_slice(),
            TransportError::Undecodable(DecodeError::NotThisFormat),
        ),
        (
            b"HTTP/1.1 302 Found\r\nLocation: http://localhost/\r\nContent-Length: 0\r\n\r\n",
            TransportError::Status(302),
        ),
        (
            b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n",
            TransportError::Status(500),
        ),
    ] {
        let (address, server) = answer_once(answer);
        let client = HttpTransport::new(&address, once()).unwrap();
        assert_eq!(client.exchange(&status(1)), Err(expected));
        server.join().unwrap();
    }
    // A truncated response.
    let (address, server) = answer_once(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nPAD1");
    let client = HttpTransport::new(&address, once()).unwrap();
    assert_eq!(failed_attempts(client.exchange(&status(1))), 1);
    server.join().unwrap();
}
