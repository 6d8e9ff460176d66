//! Tests of `bench::flexlist::network::relay`.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use bench::flexlist::network::relay::Relay;

#[test]
fn answers_take_their_time_and_requests_do_not() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let serving = thread::spawn(move || {
        let (mut connection, _) = server.accept().unwrap();
        let mut request = Vec::new();
        connection.read_to_end(&mut request).unwrap();
        connection.write_all(&request).unwrap();
    });
    // 100 kB at 4 Mbit/s: a fifth of a second.
    let relay = Relay::start(address, 4e6).unwrap();
    assert_eq!(relay.answer_bytes(), 0);
    let mut client = TcpStream::connect(relay.address()).unwrap();
    let request = vec![7; 100_000];
    let start = Instant::now();
    client.write_all(&request).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    assert_eq!(answer, request);
    assert!(start.elapsed() >= Duration::from_millis(180));
    assert_eq!(relay.answer_bytes(), 100_000);
    serving.join().unwrap();
    relay.stop();
}
