//! The HTTP client of object stores: the blocking client of `pad-web`, on threads for blocking
//! calls.
//!
//! Another client would bring its own stack of connections, TLS and certificates.

use core::{fmt, task::Poll, time::Duration};
use std::{
    io::{self, ErrorKind, Read as _},
    thread,
};

use futures_util::{future::BoxFuture, stream};
use http::{Method, Request, Response, header::RANGE, uri::Scheme};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use object_store::{
    ClientConfigKey, ClientOptions, Error,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
        HttpResponseBody, HttpService,
    },
};
use pad_web::client::{Agent, HttpOptions, agent, transport};
use tokio::{
    sync::mpsc::{self, Receiver, Sender},
    task,
};

/// Makes clients with the certificate authorities of the operating system. Of the options,
/// `AllowHttp`, `ConnectTimeout` and `Timeout` have an effect.
#[derive(Debug)]
pub(super) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> Result<HttpClient, Error> {
        let option = |key| options.get_config_value(&key);
        let duration = |key| humantime::parse_duration(&option(key)?).ok();
        let allows_plain = option(ClientConfigKey::AllowHttp).is_some_and(|value| {
            ["1", "true", "on", "yes", "y"].contains(&&*value.to_ascii_lowercase())
        });
        let transfer = duration(ClientConfigKey::Timeout).unwrap_or(TRANSFER);
        let options = HttpOptions {
            connect: duration(ClientConfigKey::ConnectTimeout).unwrap_or(CONNECT),
            transfer,
            wait: transfer,
            idle_connections: idle_connections(),
            ..HttpOptions::default()
        };
        let agent = match agent(&options, true) {
            // Plain connections need no certificates, and others then fail.
            Err(_) if allows_plain => agent(&options, false),
            made => made,
        };
        let agent = agent.map_err(|error| Error::Generic {
            store: "objects",
            source: error.into(),
        })?;
        Ok(HttpClient::new(Service {
            agent,
            allows_plain,
        }))
    }
}

struct Service {
    agent: Agent,
    allows_plain: bool,
}

impl fmt::Debug for Service {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Service")
            .field("allows_plain", &self.allows_plain)
            .finish_non_exhaustive()
    }
}

impl HttpService for Service {
    fn call<'s, 'f>(
        &'s self,
        request: HttpRequest,
    ) -> BoxFuture<'f, Result<HttpResponse, HttpError>>
    where
        's: 'f,
    {
        Box::pin(async move {
            if !self.allows_plain && request.uri().scheme() != Some(&Scheme::HTTPS) {
                let error = "plain HTTP is refused unless AWS_ALLOW_HTTP=true is set";
                return Err(HttpError::new(
                    HttpErrorKind::Unknown,
                    io::Error::other(error),
                ));
            }
            let (head, body) = request.into_parts();
            // The reader of a range of an object has its own bound. The object store keeps other
            // responses, such as lists and errors, whole.
            let is_range = head.headers.contains_key(RANGE);
            let request = Request::from_parts(head, body.collect().await?.to_bytes());
            let agent = self.agent.clone();
            let sent = task::spawn_blocking(move || send(&agent, request));
            let response = sent
                .await
                .map_err(|stopped| HttpError::new(HttpErrorKind::Interrupted, stopped))??;
            let (head, body) = response.into_parts();
            let most = if is_range { u64::MAX } else { LONGEST_WHOLE };
            let (sender, receiver) = mpsc::channel(1);
            task::spawn_blocking(move || pass_on(body.into_reader(), most, &sender));
            Ok(Response::from_parts(head, received(receiver)))
        })
    }
}

fn send<B: AsRef<[u8]>>(
    agent: &Agent,
    request: Request<B>,
) -> Result<Response<transport::Body>, HttpError> {
    let (head, body) = request.into_parts();
    let body = body.as_ref();
    if body.is_empty() && ![Method::PUT, Method::POST].contains(&head.method) {
        run(agent, Request::from_parts(head, ()))
    } else {
        // Its length is sent as `Content-Length`, also if it is 0.
        run(agent, Request::from_parts(head, body))
    }
}

fn run<B: transport::AsSendBody>(
    agent: &Agent,
    request: Request<B>,
) -> Result<Response<transport::Body>, HttpError> {
    // Addresses of the local network, such as those that give out credentials, have no proxy.
    let is_direct = request.uri().scheme() != Some(&Scheme::HTTPS);
    let request = if is_direct {
        agent.configure_request(request).proxy(None).build()
    } else {
        request
    };
    agent.run(request).map_err(failure)
}

/// Sends a body in pieces until it ends, fails, exceeds `most` bytes, or the receiver stops. An
/// empty piece is the end.
fn pass_on(mut body: impl io::Read, most: u64, sender: &Sender<Result<Vec<u8>, HttpError>>) {
    let mut rest = most;
    loop {
        let mut bytes = Vec::new();
        let read = body.by_ref().take(PIECE).read_to_end(&mut bytes);
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let piece = match read {
            Ok(_) if length > rest => {
                let error = io::Error::other(format!("a response exceeds {most} bytes"));
                Err(HttpError::new(HttpErrorKind::Unknown, error))
            }
            Ok(_) => Ok(bytes),
            Err(error) => Err(HttpError::new(kind_in_body(&error), error)),
        };
        rest = rest.saturating_sub(length);
        let is_last = piece.as_ref().map_or(true, Vec::is_empty);
        if sender.blocking_send(piece).is_err() || is_last {
            return;
        }
    }
}

fn received(mut receiver: Receiver<Result<Vec<u8>, HttpError>>) -> HttpResponseBody {
    let mut is_ended = false;
    HttpResponseBody::new(StreamBody::new(stream::poll_fn(move |context| {
        // The stream may be polled after its end.
        if is_ended {
            return Poll::Ready(None);
        }
        receiver.poll_recv(context).map(|piece| {
            let piece = match piece {
                Some(Ok(bytes)) if !bytes.is_empty() => {
                    return Some(Ok(Frame::data(bytes.into())));
                }
                Some(Ok(_)) => None,
                Some(Err(error)) => Some(Err(error)),
                // The thread that reads the body has panicked.
                None => {
                    let error = io::Error::from(ErrorKind::UnexpectedEof);
                    Some(Err(HttpError::new(HttpErrorKind::Interrupted, error)))
                }
            };
            is_ended = true;
            piece
        })
    })))
}

fn failure(error: transport::Error) -> HttpError {
    let kind = match &error {
        transport::Error::Timeout(_) => HttpErrorKind::Timeout,
        transport::Error::HostNotFound
        | transport::Error::ConnectionFailed
        | transport::Error::ConnectProxyFailed(_) => HttpErrorKind::Connect,
        transport::Error::Io(error) => kind_before_response(error),
        _ => HttpErrorKind::Unknown,
    };
    HttpError::new(kind, error)
}

/// The object store sends a request again after each of these kinds but `Unknown`. A request that
/// creates an object may be sent twice: equal bytes count as created.
fn kind_before_response(error: &io::Error) -> HttpErrorKind {
    match error.kind() {
        ErrorKind::TimedOut => HttpErrorKind::Timeout,
        ErrorKind::ConnectionAborted
        | ErrorKind::ConnectionReset
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => HttpErrorKind::Request,
        // No certificate that is trusted, or no address that could be right.
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::PermissionDenied => {
            HttpErrorKind::Unknown
        }
        // A name that was not resolved has a kind of its own, which is unstable.
        _ => HttpErrorKind::Connect,
    }
}

fn kind_in_body(error: &io::Error) -> HttpErrorKind {
    match error.kind() {
        ErrorKind::TimedOut => HttpErrorKind::Timeout,
        ErrorKind::ConnectionAborted
        | ErrorKind::ConnectionReset
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => HttpErrorKind::Interrupted,
        _ => HttpErrorKind::Unknown,
    }
}

/// Returns the number of idle connections to keep for reuse: the concurrent reads of a writer, and
/// some more.
fn idle_connections() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    cores.saturating_mul(4).max(16)
}

/// Default timeout for opening a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// Default timeout for each step of a request.
const TRANSFER: Duration = Duration::from_secs(30);
/// Maximum length in bytes of a response that is no range of an object. A list has at most 1,000
/// names of at most 1 KiB.
const LONGEST_WHOLE: u64 = 16 << 20;
/// Maximum length in bytes of a piece of a response.
const PIECE: u64 = 256 << 10;

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead as _, BufReader, Write as _},
        net::{TcpListener, TcpStream},
    };

    use tokio::runtime::Runtime;

    use super::*;

    /// Reads the requests of one connection, each with the length of its body, and responds to all
    /// of them with `response`. Returns the heads and bodies of the requests.
    fn serve(listener: &TcpListener, response: &[u8]) -> Vec<(String, Vec<u8>)> {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut requests = Vec::new();
        while let Some(request) = read_request(&mut reader) {
            requests.push(request);
            (&stream).write_all(response).unwrap();
        }
        requests
    }

    fn read_request(reader: &mut BufReader<TcpStream>) -> Option<(String, Vec<u8>)> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return None;
            }
        }
        let head = head.to_ascii_lowercase();
        let length = head.split_once("content-length: ");
        let length = length.map_or("0", |(_, rest)| rest.lines().next().unwrap());
        let mut body = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        Some((head, body))
    }

    fn client(allows_plain: bool) -> HttpClient {
        let options = ClientOptions::new().with_allow_http(allows_plain);
        Connector.connect(&options).unwrap()
    }

    fn request(method: Method, address: &str, body: &[u8]) -> HttpRequest {
        Request::builder()
            .method(method)
            .uri(address)
            .header("x-amz-date", "20261130T000000Z")
            .body(body.to_vec().into())
            .unwrap()
    }

    #[test]
    fn requests_keep_their_parts_and_responses_arrive_in_pieces() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!(
            "http://{}/bucket/a%20b?list-type=2",
            listener.local_addr().unwrap()
        );
        let long = vec![7; 3 * 256 * 1024 + 5];
        let length = long.len();
        let head =
            format!("HTTP/1.1 206 Partial Content\r\nETag: e\r\nContent-Length: {length}\r\n\r\n");
        let response = [head.as_bytes(), &long].concat();
        let server = thread::spawn(move || serve(&listener, &response));
        let runtime = Runtime::new().unwrap();
        let client = client(true);
        for (method, body) in [
            (Method::GET, &b""[..]),
            (Method::PUT, b"new"),
            (Method::PUT, b""),
        ] {
            let sent = client.execute(request(method, &address, body));
            let response = runtime.block_on(sent).unwrap();
            assert_eq!(response.status(), 206);
            assert_eq!(response.headers()["etag"], "e");
            let received = runtime.block_on(response.into_body().bytes()).unwrap();
            assert_eq!(received, long);
        }
        drop((client, runtime));
        let requests = server.join().unwrap();
        let bodies: Vec<&[u8]> = requests.iter().map(|(_, body)| &body[..]).collect();
        assert_eq!(bodies, [&b""[..], b"new", b""]);
        for (head, _) in &requests {
            assert!(
                head.contains(" /bucket/a%20b?list-type=2 http/1.1\r\n"),
                "{head}"
            );
            assert!(head.contains("x-amz-date: 20261130t000000z\r\n"), "{head}");
        }
        assert!(!requests[0].0.contains("content-length"));
        assert!(requests[2].0.contains("content-length: 0\r\n"));
    }

    #[test]
    fn only_ranges_that_were_asked_for_may_be_longer_than_whole_responses() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/bucket", listener.local_addr().unwrap());
        let length = usize::try_from(LONGEST_WHOLE).unwrap() + 1;
        let head = format!("HTTP/1.1 206 Partial Content\r\nContent-Length: {length}\r\n\r\n");
        let response = [head.as_bytes(), &vec![b' '; length]].concat();
        let server = thread::spawn(move || {
            for _ in 0..2 {
                let (stream, _) = listener.accept().unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                read_request(&mut reader);
                // The client closes the connection when it has read enough.
                drop((&stream).write_all(&response));
            }
        });
        let (runtime, client) = (Runtime::new().unwrap(), client(true));
        for (range, is_accepted) in [(None, false), (Some("bytes=0-"), true)] {
            let mut request = request(Method::GET, &address, b"");
            if let Some(range) = range {
                request.headers_mut().insert(RANGE, range.parse().unwrap());
            }
            let response = runtime.block_on(client.execute(request)).unwrap();
            let received = runtime.block_on(response.into_body().bytes());
            assert_eq!(received.is_ok(), is_accepted, "{range:?}");
        }
        drop((client, runtime));
        server.join().unwrap();
    }

    #[test]
    fn failures_say_whether_another_attempt_may_help() {
        let runtime = Runtime::new().unwrap();
        let plain = request(Method::GET, "http://127.0.0.1:1/", b"");
        let refused = runtime.block_on(client(false).execute(plain.clone()));
        let refused = refused.unwrap_err();
        assert_eq!(refused.kind(), HttpErrorKind::Unknown);
        assert!(
            format!("{refused:?}").contains("AWS_ALLOW_HTTP"),
            "{refused:?}"
        );
        let absent = runtime.block_on(client(true).execute(plain)).unwrap_err();
        assert_eq!(absent.kind(), HttpErrorKind::Connect, "{absent:?}");

        // A response that breaks off.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            read_request(&mut reader);
            (&stream)
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfour")
                .unwrap();
        });
        let client = client(true);
        let sent = client.execute(request(Method::GET, &address, b""));
        let response = runtime.block_on(sent).unwrap();
        let broken = runtime.block_on(response.into_body().bytes()).unwrap_err();
        assert_eq!(broken.kind(), HttpErrorKind::Interrupted, "{broken:?}");
        server.join().unwrap();

        // A list or an error without end.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            read_request(&mut reader);
            let mut stream = &stream;
            let head = b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n";
            let mut written = stream.write_all(head);
            // Until the client closes the connection.
            while written.is_ok() {
                written = stream.write_all(&[b' '; 1 << 12]);
            }
        });
        let sent = client.execute(request(Method::GET, &address, b""));
        let response = runtime.block_on(sent).unwrap();
        let endless = runtime.block_on(response.into_body().bytes()).unwrap_err();
        assert_eq!(endless.kind(), HttpErrorKind::Unknown, "{endless:?}");
        server.join().unwrap();
    }

    #[test]
    fn short_and_empty_responses_arrive_whole() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let chunked =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n0\r\n\r\n";
        let server = thread::spawn(move || serve(&listener, chunked));
        let (runtime, client) = (Runtime::new().unwrap(), client(true));
        for _ in 0..300 {
            let sent = client.execute(request(Method::GET, &address, b""));
            let body = runtime.block_on(sent).unwrap().into_body();
            assert_eq!(runtime.block_on(body.bytes()).unwrap(), &b"short"[..]);
        }
        drop((client, runtime));
        assert_eq!(server.join().unwrap().len(), 300);

        // The store reads the body of an error, which may be empty, to its end.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let empty = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
        let server = thread::spawn(move || serve(&listener, empty));
        let store = object_store::aws::AmazonS3Builder::new()
            .with_bucket_name("bucket")
            .with_region("here")
            .with_access_key_id("id")
            .with_secret_access_key("secret")
            .with_endpoint(address)
            .with_allow_http(true)
            .with_http_connector(Connector)
            .build()
            .unwrap();
        let runtime = Runtime::new().unwrap();
        let found = runtime.block_on(object_store::ObjectStoreExt::get(&store, &"a".into()));
        assert!(matches!(found, Err(Error::NotFound { .. })), "{found:?}");
        let known = runtime.block_on(object_store::ObjectStoreExt::head(&store, &"a".into()));
        assert!(matches!(known, Err(Error::NotFound { .. })), "{known:?}");
        drop((store, runtime));
        let requests = server.join().unwrap();
        assert!(requests[0].0.starts_with("get /bucket/a http/1.1\r\n"));
        assert!(requests[1].0.starts_with("head /bucket/a http/1.1\r\n"));
    }
}
