//! The endpoint for messages and the HTTP client, over the loopback interface. The crate `pad-web`
//! tests its server and client themselves.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use flexlist::{FileId, internals::Bytes};
use flexlist_service::{
    client::{HttpError, HttpOptions, HttpTransport, Roots, Transport, TransportError},
    internals::message::{
        FileStatus, Part, ReadBlock, Refusal, Request, Response, SentBlock, SignedRequest,
    },
    network::{Endpoint, Handler, Identity, Options, PATH, RunningServer, Server, ShutdownOutcome},
};
use pad_core::{DecodeError, Digest, codec};

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

fn start(options: Options, handler: impl Handler) -> RunningServer {
    let endpoint = Endpoint::new(handler, options.limits);
    let server = Server::bind("127.0.0.1:0", options).unwrap();
    server.start(endpoint).unwrap()
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

/// Returns the status in a response.
#[track_caller]
fn standing(response: Result<Response, TransportError>) -> FileStatus {
    match response {
        Ok(Response::State(standing)) => standing,
        other => panic!("{other:?}"),
    }
}

#[test]
fn plain_round_trips_share_a_connection() {
    let server = start(Options::default(), Echo);
    let client = client(&server, once());
    for file in 0..20 {
        let standing = standing(client.exchange(&status(file)));
        assert_eq!(standing.root.0, [file; 32]);
    }
    assert_eq!(server.connections(), 1);
    // Above the size from which the client sends `Expect: 100-continue`.
    let total = standing(client.exchange(&part(3 << 20))).total;
    assert_eq!(total, 3 << 20);
    // A refusal is a message too.
    let file = FileId([1; 32]);
    let refused = client.exchange(&Request::Confirmed { file });
    assert_eq!(refused, Ok(Response::Refused(Refusal::UnknownFile)));
    stop(server);
}

#[test]
fn tls_round_trips_with_an_own_root_only() {
    let certificate = include_bytes!("../../../../data/keys-for-tests/localhost.pem");
    let key = include_bytes!("../../../../data/keys-for-tests/localhost.key");
    let other = include_bytes!("../../../../data/keys-for-tests/other.pem");
    let options = Options {
        identity: Some(Identity::from_pem(certificate, key).unwrap()),
        ..Options::default()
    };
    let server = start(options, Echo);
    let address = format!("https://{}", server.address());
    let exchange = |root: &[u8]| {
        let roots = Roots::Pem(root.to_vec());
        let options = HttpOptions { roots, ..once() };
        let client = HttpTransport::new(&address, options).unwrap();
        client.exchange(&status(1))
    };
    assert_eq!(standing(exchange(certificate)).root.0, [1; 32]);
    let refused = exchange(other);
    assert!(
        matches!(refused, Err(TransportError::Http(HttpError::Tls(_)))),
        "{refused:?}"
    );
    stop(server);
}

/// Sends a request with the body `body`, which is announced as `length` bytes. Asserts that the
/// response has the status `expected`.
#[track_caller]
fn assert_status(
    server: SocketAddr,
    [method, path, content_type]: [&str; 3],
    (body, length): (&[u8], usize),
    expected: u16,
) {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\
         Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
    );
    let mut stream = TcpStream::connect(server).unwrap();
    stream.set_read_timeout(Some(5 * SECOND)).unwrap();
    let request = [head.as_bytes(), body].concat();
    stream.write_all(&request).unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    let (answer, expected) = (
        String::from_utf8_lossy(&answer),
        format!("HTTP/1.1 {expected}"),
    );
    assert_eq!(answer, expected, "{method} {path} {content_type}");
}

#[test]
fn what_is_no_request_gets_its_status() {
    let options = Options::default();
    // The server would accept longer requests than the endpoint.
    let mut limits = options.limits;
    limits.request_bytes = 1 << 10;
    let server = Server::bind("127.0.0.1:0", options).unwrap();
    let server = server.start(Endpoint::new(Echo, limits)).unwrap();
    let octets = "application/octet-stream";
    let posted = ["POST", PATH, octets];
    for (asked, expected) in [
        (posted, 400),
        (["POST", PATH, "text/plain"], 415),
        (["GET", PATH, octets], 405),
        (["POST", "/", octets], 404),
    ] {
        assert_status(server.address(), asked, (b"abc", 3), expected);
    }
    // A valid message that is not a request.
    let response = codec::encode(&Response::Refused(Refusal::UnknownFile));
    let length = response.len();
    assert_status(server.address(), posted, (&response, length), 400);
    // A request that is longer than the limit is refused by its head.
    let length = limits.request_bytes;
    assert_status(server.address(), posted, (&vec![0; length], length), 400);
    assert_status(server.address(), posted, (b"", length + 1), 413);
    stop(server);
}

#[test]
fn oversize_requests_and_answers_are_refused() {
    let mut options = Options::default();
    options.limits.response_bytes = 1 << 20;
    let server = start(options, Echo);
    let generous = client(&server, once());
    assert!(generous.exchange(&read((1 << 20) - 100)).is_ok());
    assert!(matches!(
        generous.exchange(&read(1 << 20)),
        Ok(Response::Refused(Refusal::TooLarge(_)))
    ));
    let careful = HttpOptions {
        request_bytes: 1 << 10,
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
    assert!(matches!(
        careful.exchange(&part(1 << 10)),
        Err(TransportError::Http(HttpError::RequestTooLarge { length })) if length > 1 << 10
    ));
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
    standing(client(&server, options(3)).exchange(&status(1)));
    // The caller gets the result of the last attempt.
    *left.0.lock().unwrap() = 3;
    let answer = client(&server, options(3)).exchange(&status(1));
    assert_eq!(answer, Ok(Response::Refused(Refusal::Unavailable)));
    stop(server);
}

/// Returns the client's error for a server that answers one request, whatever its contents, with
/// `answer`.
fn error_of(answer: &'static [u8]) -> TransportError {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        assert_ne!(stream.read(&mut request).unwrap(), 0);
        stream.write_all(answer).unwrap();
    });
    let client = HttpTransport::new(&address, once()).unwrap();
    let error = client.exchange(&status(1)).unwrap_err();
    server.join().unwrap();
    error
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
        assert_eq!(error_of(answer), expected);
    }
    let truncated = error_of(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nPAD1");
    assert!(
        matches!(
            truncated,
            TransportError::Http(HttpError::Unreachable { attempts: 1, .. })
        ),
        "{truncated:?}"
    );
}
