//! The HTTP client of object stores: the blocking client of `pad-web`, on threads for blocking
//! calls.
//!
//! Another client would bring its own stack of connections, TLS and certificates.

use core::fmt;
use std::io::{self, Read as _};

use futures_util::future::BoxFuture;
use http::{Method, Response, uri::Scheme};
use http_body_util::{
    BodyExt as _,
    channel::{Channel, Sender},
};
use object_store::{
    ClientConfigKey, ClientOptions, Error,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
        HttpResponseBody, HttpService,
    },
};
use pad_web::client::{Agent, HttpOptions, agent, transport};
use tokio::{runtime::Handle, task};

/// Makes clients with the certificate authorities of the operating system, and the proxy that the
/// environment names. Of the options, only `AllowHttp` has an effect.
#[derive(Debug)]
pub(super) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> Result<HttpClient, Error> {
        let allowed = options.get_config_value(&ClientConfigKey::AllowHttp);
        let allows_plain = allowed.is_some_and(|value| {
            ["1", "true", "on", "yes", "y"].contains(&&*value.to_ascii_lowercase())
        });
        let options = HttpOptions {
            idle_connections: IDLE_CONNECTIONS,
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
            let body = body.collect().await?.to_bytes();
            let agent = self.agent.clone();
            let sent = task::spawn_blocking(move || {
                let has_body =
                    !body.is_empty() || [Method::PUT, Method::POST].contains(&head.method);
                if has_body {
                    agent.run(http::Request::from_parts(head, &*body))
                } else {
                    agent.run(http::Request::from_parts(head, ()))
                }
            });
            let response = match sent.await {
                Ok(sent) => sent.map_err(failure)?,
                Err(stopped) => return Err(HttpError::new(HttpErrorKind::Interrupted, stopped)),
            };
            let (head, body) = response.into_parts();
            let (sender, pieces) = Channel::new(1);
            let runtime = Handle::current();
            task::spawn_blocking(move || pass_on(body.into_reader(), sender, &runtime));
            Ok(Response::from_parts(head, HttpResponseBody::new(pieces)))
        })
    }
}

/// Sends a body in pieces until it ends, fails, or the receiver stops.
fn pass_on<D: From<Vec<u8>>>(
    mut body: impl io::Read,
    mut sender: Sender<D, HttpError>,
    runtime: &Handle,
) {
    loop {
        let mut piece = Vec::new();
        match body.by_ref().take(PIECE).read_to_end(&mut piece) {
            Ok(0) => return,
            Ok(_) => {
                if runtime.block_on(sender.send_data(piece.into())).is_err() {
                    return;
                }
            }
            Err(error) => {
                sender.abort(HttpError::new(kind_of(&error), error));
                return;
            }
        }
    }
}

fn failure(error: transport::Error) -> HttpError {
    let kind = match &error {
        transport::Error::Timeout(_) => HttpErrorKind::Timeout,
        transport::Error::HostNotFound | transport::Error::ConnectionFailed => {
            HttpErrorKind::Connect
        }
        transport::Error::Io(error) => kind_of(error),
        _ => HttpErrorKind::Unknown,
    };
    HttpError::new(kind, error)
}

/// Requests that failed of a lost connection or a timeout are sent again by the object store.
fn kind_of(error: &io::Error) -> HttpErrorKind {
    match error.kind() {
        io::ErrorKind::TimedOut => HttpErrorKind::Timeout,
        io::ErrorKind::ConnectionRefused => HttpErrorKind::Connect,
        io::ErrorKind::ConnectionAborted
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof => HttpErrorKind::Interrupted,
        _ => HttpErrorKind::Unknown,
    }
}

/// The number of idle connections kept for reuse.
const IDLE_CONNECTIONS: usize = 16;
/// Maximum length in bytes of a piece of a response.
const PIECE: u64 = 256 << 10;

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead as _, BufReader, Write as _},
        net::{TcpListener, TcpStream},
        thread,
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
        http::Request::builder()
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
    }
}
