//! Shutdown of a server, as its clients observe it.

use core::time::Duration;
use std::{
    net::TcpStream,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Instant,
};

use pad_web::{
    client::{HttpError, HttpOptions},
    server::{Options, RunningServer, ShutdownOutcome},
};

use crate::fixture::*;

/// A server, and a request that its handler holds.
fn busy() -> (
    RunningServer,
    Arc<PathHandler>,
    JoinHandle<Result<usize, HttpError>>,
) {
    let handler = Arc::new(PathHandler::default());
    let options = with_limits(|limits| (limits.in_flight, limits.waiting) = (1, 1));
    let server = start(options, Arc::clone(&handler));
    let client = client(&server, once());
    let in_flight = thread::spawn(move || call(&client, "/held/5"));
    handler.gate.wait_inside(1);
    (server, handler, in_flight)
}

#[test]
fn shutdown_answers_what_is_in_flight() {
    let (server, handler, in_flight) = busy();
    let address = server.address();
    let idle = TcpStream::connect(address).unwrap();
    server.shutdown(PATIENCE);
    wait_until("still listening", || TcpStream::connect(address).is_err());
    handler.gate.open();
    assert_eq!(in_flight.join().unwrap(), Ok(5));
    drop(idle);
    assert_eq!(server.join().unwrap(), ShutdownOutcome::Drained);
}

#[test]
fn shutdown_does_not_wait_for_ever() {
    let (server, handler, in_flight) = busy();
    let begun = Instant::now();
    server.shutdown(PATIENCE);
    // A second, shorter limit replaces the first.
    server.shutdown(Duration::from_millis(200));
    let timed_out = ShutdownOutcome::TimedOut { connections: 1 };
    assert_eq!(server.join().unwrap(), timed_out);
    assert!(begun.elapsed() < 50 * SECOND, "the first limit held");
    assert_eq!(failed_attempts(in_flight.join().unwrap()), 1);
    handler.gate.open();
}

/// Uses the program `kill`: a process cannot signal itself without a library.
#[cfg(unix)]
fn signal() {
    let own = std::process::id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-TERM", &own])
        .status();
    assert!(sent.unwrap().success());
}

/// One test, because a signal stops all servers of the process that catch signals.
#[cfg(unix)]
#[test]
fn a_signal_stops_a_server_that_runs_or_is_about_to() {
    let bind = || pad_web::server::Server::bind("127.0.0.1:0", Options::default()).unwrap();
    let server = bind().catch_signals().unwrap();
    signal();
    let stopped = server.run(PathHandler::default()).unwrap();
    assert_eq!(stopped, ShutdownOutcome::Drained);

    let server = bind();
    let address = format!("http://{}", server.address());
    let running = thread::spawn(move || server.run(PathHandler::default()));
    let client = pad_web::client::HttpClient::new(&address, once()).unwrap();
    // A server that answers has installed its signal handlers.
    assert_eq!(call(&client, "/1"), Ok(1));
    signal();
    assert_eq!(running.join().unwrap().unwrap(), ShutdownOutcome::Drained);
}

#[test]
fn a_server_out_of_reach_is_tried_again() {
    let server = start_paths(Options::default());
    let options = HttpOptions {
        attempts: 3,
        backoff: Duration::from_millis(20),
        ..HttpOptions::default()
    };
    let client = client(&server, options);
    stop(server);
    let begun = Instant::now();
    assert_eq!(failed_attempts(call(&client, "/1")), 3);
    // At least half of 20 and half of 40 milliseconds.
    assert!(begun.elapsed() >= Duration::from_millis(30));
}
