//! The server of messages and the HTTP client, over the loopback interface.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::{Arc, Condvar, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use flexlist::{FileId, internals::Bytes};
use flexlist_service::{
    client::{HttpError, HttpOptions, HttpTransport, Roots, Transport, TransportError},
    internals::message::{
        FileStatus, Part, ReadBlock, Refusal, Request, Response, SentBlock, SignedRequest,
    },
    network::{
        Endpoint, Handler, Identity, Limits, Options, PATH, RunningServer, Server, ServerError,
        ShutdownOutcome, Timeouts,
    },
};
use pad_core::{DecodeError, Digest, codec};

mod limits;
mod peers;
mod slow;
mod stopping;

type Answer = Result<Response, TransportError>;

const SECOND: Duration = Duration::from_secs(1);

/// Answers `Status` with the id as root, `Read` with zeros, and `Part` with the length of its body.
struct Echo;

impl Handler for Echo {
    fn handle(&self, request: Request) -> Response {
        let standing = |root, total| FileStatus {
            version: 1,
            root: Digest(root),
            total,
            blocks: 1,
            next_part: 0,
        };
        match request {
            Request::Status { file } => Response::State(standing(file.0, 0)),
            Request::Part(signed) => Response::State(standing(
                [0; 32],
                u64::try_from(signed.body.0.len()).unwrap(),
            )),
            Request::Read { start, end, .. } => Response::Read {
                list_proof: Bytes(Vec::new()),
                blocks: vec![ReadBlock {
                    committed: Bytes(Vec::new()),
                    data: Bytes(vec![0; usize::try_from(end - start).unwrap()]),
                }],
            },
            _ => Response::Refused(Refusal::UnknownFile),
        }
    }
}

/// Answers like [`Echo`], but holds requests until the gate is open.
#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    open: bool,
    inside: usize,
    most_inside: usize,
}

impl Gate {
    fn open(&self) {
        self.state.lock().unwrap().open = true;
        self.changed.notify_all();
    }

    /// Waits until `count` requests are being handled.
    fn wait_inside(&self, count: usize) {
        let state = self.state.lock().unwrap();
        let (_state, waited) = self
            .changed
            .wait_timeout_while(state, 10 * SECOND, |state| state.inside != count)
            .unwrap();
        assert!(!waited.timed_out(), "{count} requests never arrived");
    }
}

impl Handler for Gate {
    fn handle(&self, request: Request) -> Response {
        let mut state = self.state.lock().unwrap();
        state.inside += 1;
        state.most_inside = state.most_inside.max(state.inside);
        self.changed.notify_all();
        let mut state = self.changed.wait_while(state, |state| !state.open).unwrap();
        state.inside -= 1;
        self.changed.notify_all();
        drop(state);
        Echo.handle(request)
    }
}

fn start(options: Options, handler: impl Handler) -> RunningServer {
    let endpoint = Endpoint::new(handler, options.limits);
    let server = Server::bind("127.0.0.1:0", options).unwrap();
    server.start(endpoint).unwrap()
}

fn with_limits(change: impl FnOnce(&mut Limits)) -> Options {
    let mut options = Options::default();
    change(&mut options.limits);
    options
}

fn with_timeouts(timeouts: Timeouts) -> Options {
    Options {
        timeouts,
        ..Options::default()
    }
}

/// The bytes of a request that is posted to the server.
fn posted(request: &Request) -> Vec<u8> {
    let body = codec::encode(request);
    let mut bytes = post_head(body.len());
    bytes.extend(body);
    bytes
}

fn client(server: &RunningServer, options: HttpOptions) -> HttpTransport {
    HttpTransport::new(&format!("http://{}", server.address()), options).unwrap()
}

/// Options with a single attempt, so that retries hide nothing from a test.
fn once() -> HttpOptions {
    HttpOptions {
        attempts: 1,
        ..HttpOptions::default()
    }
}

fn stop(server: RunningServer) {
    server.shutdown(10 * SECOND);
    assert_eq!(server.join().unwrap(), ShutdownOutcome::Drained);
}

fn status(file: u8) -> Request {
    Request::Status {
        file: FileId([file; 32]),
    }
}

fn part(bytes: usize) -> Request {
    let body = codec::encode_body(&Part {
        file: FileId([1; 32]),
        number: 0,
        blocks: Vec::<SentBlock>::new(),
    });
    let mut body = Bytes(body);
    body.0.resize(bytes, 7);
    Request::Part(SignedRequest {
        body,
        signature: Bytes(vec![0; 64]),
    })
}

fn read(bytes: u64) -> Request {
    Request::Read {
        file: FileId([1; 32]),
        version: 1,
        start: 0,
        end: bytes,
    }
}

fn root_of(response: &Response) -> [u8; 32] {
    match response {
        Response::State(standing) => standing.root.0,
        other => panic!("{other:?}"),
    }
}

/// Sends raw bytes and reads until the server closes the connection or `patience` is over.
fn raw(address: SocketAddr, bytes: &[u8], patience: Duration) -> Option<String> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(patience)).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    Some(String::from_utf8_lossy(&answer).into_owned())
}

fn head(method: &str, path: &str, content_type: &str, length: usize) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\
         Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
    )
    .into_bytes()
}

fn post_head(length: usize) -> Vec<u8> {
    head("POST", PATH, "application/octet-stream", length)
}

/// Asserts that the server answers a request for the status of this file.
#[track_caller]
fn assert_echo(client: &HttpTransport, file: u8) {
    let answer = client.exchange(&status(file)).unwrap();
    assert_eq!(root_of(&answer), [file; 32]);
}

fn overloaded() -> Answer {
    Err(TransportError::Http(HttpError::Overloaded { attempts: 1 }))
}

/// Returns the number of attempts, all of which failed to reach the server.
#[track_caller]
fn failed_attempts(answer: Answer) -> u32 {
    match answer {
        Err(TransportError::Http(HttpError::Unreachable { attempts, .. })) => attempts,
        other => panic!("{other:?}"),
    }
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + 10 * SECOND;
    while !condition() {
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn plain_round_trips_share_a_connection() {
    let server = start(Options::default(), Echo);
    let client = client(&server, once());
    for file in 0..20 {
        assert_echo(&client, file);
    }
    assert_eq!(server.connections(), 1);
    // Above the size from which the client sends `Expect: 100-continue`.
    let Response::State(standing) = client.exchange(&part(3 << 20)).unwrap() else {
        panic!("no standing");
    };
    assert_eq!(standing.total, 3 << 20);
    // A refusal is a message too.
    let file = FileId([1; 32]);
    let refused = client.exchange(&Request::Confirmed { file });
    assert_eq!(refused, Ok(Response::Refused(Refusal::UnknownFile)));
    stop(server);
}

macro_rules! key_for_tests {
    ($name:literal) => {
        include_bytes!(concat!("../../../../data/keys-for-tests/", $name))
    };
}

const CERTIFICATE: &[u8] = key_for_tests!("localhost.pem");
const KEY: &[u8] = key_for_tests!("localhost.key");
const OTHER_CERTIFICATE: &[u8] = key_for_tests!("other.pem");
const OTHER_KEY: &[u8] = key_for_tests!("other.key");

fn tls_client(server: &RunningServer, roots: Roots) -> HttpTransport {
    let options = HttpOptions { roots, ..once() };
    HttpTransport::new(&format!("https://{}", server.address()), options).unwrap()
}

#[test]
fn tls_round_trips_with_an_own_root_only() {
    let options = Options {
        identity: Some(Identity::from_pem(CERTIFICATE, KEY).unwrap()),
        ..Options::default()
    };
    let server = start(options, Echo);

    let trusting = tls_client(&server, Roots::Pem(CERTIFICATE.to_vec()));
    for file in 0..5 {
        assert_echo(&trusting, file);
    }
    assert_eq!(server.connections(), 1);
    assert!(trusting.exchange(&part(3 << 20)).is_ok());

    let other = tls_client(&server, Roots::Pem(OTHER_CERTIFICATE.to_vec()));
    assert!(matches!(
        other.exchange(&status(1)),
        Err(TransportError::Http(HttpError::Tls(_)))
    ));
    // A client without TLS gets no response.
    let refused = client(&server, once()).exchange(&status(1));
    assert_eq!(failed_attempts(refused), 1);
    stop(server);
}

#[test]
fn unusable_certificates_and_addresses_are_refused_early() {
    for (certificate, key) in [(&b""[..], &b""[..]), (CERTIFICATE, &b"no key"[..])] {
        let identity = Identity::from_pem(certificate, key);
        assert!(matches!(identity, Err(ServerError::Certificate(_))));
    }
    // A private key that belongs to another certificate.
    let options = Options {
        identity: Some(Identity::from_pem(CERTIFICATE, OTHER_KEY).unwrap()),
        ..Options::default()
    };
    let bound = Server::bind("127.0.0.1:0", options);
    assert!(matches!(bound, Err(ServerError::Certificate(_))));
    for (address, roots) in [
        ("ftp://localhost", Roots::System),
        ("https://localhost", Roots::Pem(Vec::new())),
    ] {
        let options = HttpOptions { roots, ..once() };
        assert!(matches!(
            HttpTransport::new(address, options),
            Err(TransportError::Http(HttpError::Configuration(_)))
        ));
    }
    let server = start(Options::default(), Echo);
    let bound = Server::bind(server.address(), Options::default());
    assert!(matches!(bound, Err(ServerError::Bind(_))));
    stop(server);
}

#[test]
fn what_is_no_request_gets_its_status() {
    let server = start(Options::default(), Echo);
    let octets = "application/octet-stream";
    for (method, path, content_type, expected) in [
        ("POST", PATH, octets, 400),
        ("POST", PATH, "text/plain", 415),
        ("GET", PATH, octets, 405),
        ("POST", "/", octets, 404),
    ] {
        let mut request = head(method, path, content_type, 3);
        request.extend(b"abc");
        let answer = raw(server.address(), &request, 5 * SECOND).unwrap();
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {expected} ")),
            "{method} {path} {content_type}: {answer}"
        );
    }
    // A valid message that is not a request.
    let response = codec::encode(&Response::Refused(Refusal::UnknownFile));
    let mut request = head("POST", PATH, octets, response.len());
    request.extend(response);
    let answer = raw(server.address(), &request, 5 * SECOND).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    stop(server);
}

/// Is busy for this number of requests, then answers like [`Echo`].
struct Busy(Mutex<u32>);

impl Handler for Busy {
    fn handle(&self, request: Request) -> Response {
        let mut left = self.0.lock().unwrap();
        if *left == 0 {
            return Echo.handle(request);
        }
        *left -= 1;
        Response::Refused(Refusal::Unavailable)
    }
}

#[test]
fn a_busy_server_is_asked_again() {
    let left = Arc::new(Busy(Mutex::new(2)));
    let server = start(Options::default(), Arc::clone(&left));
    let options = |attempts| HttpOptions {
        attempts,
        backoff: Duration::from_millis(1),
        ..HttpOptions::default()
    };
    let answer = client(&server, options(3)).exchange(&status(1)).unwrap();
    assert!(matches!(answer, Response::State(_)), "{answer:?}");
    // The caller gets the result of the last attempt.
    *left.0.lock().unwrap() = 3;
    let answer = client(&server, options(3)).exchange(&status(1));
    assert_eq!(answer, Ok(Response::Refused(Refusal::Unavailable)));
    stop(server);
}
