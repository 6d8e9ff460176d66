//! Handlers, servers and clients for tests.

use core::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use std::{
    io::{Read as _, Write as _},
    net::{IpAddr, SocketAddr, TcpStream},
    sync::{Condvar, Mutex},
    thread,
    time::Instant,
};

use pad_web::{
    client::{HttpClient, HttpError, HttpOptions, PostBody, Verdict},
    server::{
        Admission, Answer, Handler, Head, Limits, Options, RunningServer, Server, ShutdownOutcome,
        StatusCode, Timeouts, Work,
    },
};

pub(crate) const SECOND: Duration = Duration::from_secs(1);

pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Answers with as many bytes as the path says: `/N` and `/held/N` on a blocking thread, `/brief/N`
/// on the async runtime. Requests to `/held/N` wait until the gate is open.
///
/// Panics before the body of a request to `/panic` is received, and after that of a request whose
/// path does not end with a number.
#[derive(Default)]
pub(crate) struct PathHandler {
    pub(crate) answered: AtomicUsize,
    pub(crate) gate: Gate,
}

impl Handler for PathHandler {
    type Request = String;

    fn admit(&self, head: &Head) -> Result<Admission<String>, Answer> {
        let path = head.uri.path();
        assert_ne!(path, "/panic");
        Ok(Admission {
            request: path.to_owned(),
            body_bytes: usize::MAX,
            work: if path.starts_with("/brief/") {
                Work::Brief
            } else {
                Work::Long
            },
        })
    }

    fn handle(&self, path: String, _: Vec<u8>) -> Answer {
        let (kind, length) = path.rsplit_once('/').unwrap();
        if kind == "/held" {
            self.gate.pass();
        }
        self.answered.fetch_add(1, Ordering::SeqCst);
        let body = vec![7; length.parse().unwrap()];
        Answer::new(StatusCode::OK, "application/octet-stream", body)
    }
}

/// A gate that holds requests until it is opened.
#[derive(Default)]
pub(crate) struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    is_open: bool,
    inside: usize,
    most_inside: usize,
}

impl Gate {
    pub(crate) fn open(&self) {
        self.state.lock().unwrap().is_open = true;
        self.changed.notify_all();
    }

    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.inside += 1;
        state.most_inside = state.most_inside.max(state.inside);
        self.changed.notify_all();
        let state = self.changed.wait_while(state, |state| !state.is_open);
        state.unwrap().inside -= 1;
        self.changed.notify_all();
    }

    /// Waits until `count` requests are held.
    pub(crate) fn wait_inside(&self, count: usize) {
        let state = self.state.lock().unwrap();
        let (_state, waited) = self
            .changed
            .wait_timeout_while(state, PATIENCE, |state| state.inside != count)
            .unwrap();
        assert!(!waited.timed_out(), "{count} requests never arrived");
    }

    /// Returns the maximum number of requests that were held at the same time.
    pub(crate) fn most_inside(&self) -> usize {
        self.state.lock().unwrap().most_inside
    }
}

pub(crate) fn start(options: Options, handler: impl Handler) -> RunningServer {
    let server = Server::bind("127.0.0.1:0", options).unwrap();
    server.start(handler).unwrap()
}

/// Starts a server of paths.
pub(crate) fn start_paths(options: Options) -> RunningServer {
    start(options, PathHandler::default())
}

pub(crate) fn stop(server: RunningServer) {
    server.shutdown(PATIENCE);
    assert_eq!(server.join().unwrap(), ShutdownOutcome::Drained);
}

pub(crate) fn with_limits(change: impl FnOnce(&mut Limits)) -> Options {
    let mut options = Options::default();
    change(&mut options.limits);
    options
}

pub(crate) fn with_timeouts(change: impl FnOnce(&mut Timeouts)) -> Options {
    let mut options = Options::default();
    change(&mut options.timeouts);
    options
}

/// Options with a single attempt, so that retries hide nothing from a test.
pub(crate) fn once() -> HttpOptions {
    HttpOptions {
        attempts: 1,
        ..HttpOptions::default()
    }
}

pub(crate) fn client(server: &RunningServer, options: HttpOptions) -> HttpClient {
    HttpClient::new(&format!("http://{}", server.address()), options).unwrap()
}

/// Posts a body of `length` bytes. Returns the length of the response.
pub(crate) fn post(client: &HttpClient, path: &str, length: usize) -> Result<usize, HttpError> {
    let body = vec![7; length];
    let posted = PostBody {
        content_type: "application/octet-stream",
        body: &body,
    };
    client.post(path, posted, usize::MAX, |reply| {
        assert_eq!(reply.status.as_u16(), 200);
        Ok(Verdict::Done(reply.body.len()))
    })
}

/// Posts a short body.
pub(crate) fn call(client: &HttpClient, path: &str) -> Result<usize, HttpError> {
    post(client, path, 100)
}

/// Returns the number of attempts, all of which failed to reach the server.
#[track_caller]
pub(crate) fn failed_attempts(answer: Result<usize, HttpError>) -> u32 {
    match answer {
        Err(HttpError::Unreachable { attempts, .. }) => attempts,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn overloaded() -> Result<usize, HttpError> {
    Err(HttpError::Overloaded { attempts: 1 })
}

/// The head of a request to `path` with a body of `length` bytes.
pub(crate) fn post_head(path: &str, length: usize) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    )
    .into_bytes()
}

/// A request without a body, after which the connection stays open.
pub(crate) fn request(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n").into_bytes()
}

/// Sends raw bytes and reads until the server closes the connection or `patience` is over.
pub(crate) fn raw(address: SocketAddr, bytes: &[u8], patience: Duration) -> Option<String> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(patience)).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    Some(String::from_utf8_lossy(&answer).into_owned())
}

/// Connects from this address of the loopback interface.
pub(crate) fn connect_from(last: u8, server: &RunningServer) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        let from = IpAddr::from([127, 0, 0, last]);
        socket.bind((from, 0).into()).unwrap();
        let stream = socket.connect(server.address()).await.unwrap();
        stream.into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Connects from this address, and sends a request.
pub(crate) fn ask(last: u8, server: &RunningServer, request: impl AsRef<[u8]>) -> TcpStream {
    let mut stream = connect_from(last, server);
    stream.write_all(request.as_ref()).unwrap();
    stream
}

/// Returns the first bytes of a response.
pub(crate) fn status(stream: &mut TcpStream) -> String {
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    String::from_utf8(start.into()).unwrap()
}

pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}
