//! Handlers: what they learn of requests, clients and refusals, and what a failure of one costs.

use core::{sync::atomic::Ordering, time::Duration};
use std::{
    io::{Read as _, Write as _},
    net::IpAddr,
    sync::{Arc, Mutex},
    thread,
};

use pad_web::server::{
    Admission, Answer, ClientAddress, Handler, Head, HeaderValue, Limits, Mounted, Options,
    StatusCode, Work,
};

use crate::fixture::*;

/// Answers with the address of the client.
struct AddressEcho;

impl Handler for AddressEcho {
    type Request = ClientAddress;

    fn admit(&self, head: &Head) -> Result<Admission<ClientAddress>, Answer> {
        Ok(Admission {
            request: *head.extensions.get().unwrap(),
            body_bytes: 0,
            work: Work::Brief,
        })
    }

    fn handle(&self, client: ClientAddress, _: Vec<u8>) -> Answer {
        Answer::text(StatusCode::OK, client.0.to_string())
    }
}

/// Checks that pipelined responses need no more memory than socket buffers and one more response.
#[test]
fn who_pipelines_and_takes_nothing_costs_one_answer_and_is_cut_off() {
    let handler = Arc::new(PathHandler::default());
    let options = with_timeouts(|timeouts| timeouts.write = Duration::from_millis(500));
    let server = start(options, Arc::clone(&handler));
    let mut stream = connect_from(2, &server);
    let requests = request("/brief/65536").repeat(10_000);
    // The server reads no further request before it answers, so not all requests can be sent.
    let mut sender = stream.try_clone().unwrap();
    let sending = thread::spawn(move || drop(sender.write_all(&requests)));
    wait_until("not cut off", || {
        handler.answered.load(Ordering::SeqCst) > 0 && server.connections() == 0
    });
    // All responses together would have 655 MB.
    let answered = handler.answered.load(Ordering::SeqCst);
    assert!(answered < 1_000, "{answered} answers");
    let _ = stream.read(&mut [0; 16]);
    drop(stream);
    sending.join().unwrap();
    stop(server);
}

#[test]
fn a_panic_of_the_handler_fails_one_request() {
    let server = start_paths(Options::default());
    for path in ["/panic", "/brief/x", "/x"] {
        let mut stream = ask(1, &server, request(path));
        assert_eq!(status(&mut stream), "HTTP/1.1 500", "{path}");
        let mut stream = ask(1, &server, request("/brief/0"));
        assert_eq!(status(&mut stream), "HTTP/1.1 200", "after {path}");
    }
    stop(server);
}

/// Records which requests the server itself refuses. Refuses the path `/no`.
#[derive(Default)]
struct RefusalRecorder(Mutex<Vec<u16>>);

impl Handler for RefusalRecorder {
    type Request = ();

    fn admit(&self, head: &Head) -> Result<Admission<()>, Answer> {
        if head.uri.path() == "/no" {
            return Err(Answer::text(StatusCode::FORBIDDEN, "no"));
        }
        Ok(Admission {
            request: (),
            body_bytes: 1,
            work: Work::Brief,
        })
    }

    fn handle(&self, (): (), _: Vec<u8>) -> Answer {
        Answer::text(StatusCode::OK, "")
    }

    fn note_refusal(&self, _: &Head, status: StatusCode) {
        self.0.lock().unwrap().push(status.as_u16());
    }
}

#[test]
fn the_handler_learns_which_requests_the_server_refuses() {
    let handler = Arc::new(RefusalRecorder::default());
    let server = start(Options::default(), Arc::clone(&handler));
    for (path, body, expected) in [("/", "1", 200), ("/", "12", 413), ("/no", "1", 403)] {
        let length = body.len();
        let request =
            format!("POST {path} HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\n\r\n{body}");
        let mut stream = ask(1, &server, request);
        assert_eq!(status(&mut stream), format!("HTTP/1.1 {expected}"));
    }
    assert_eq!(*handler.0.lock().unwrap(), [413]);
    stop(server);
}

#[test]
fn only_pages_of_an_allowed_origin_read_responses() {
    let origin = "https://shop.example";
    for allowed in [None, Some(origin), Some("*")] {
        let options = Options {
            allowed_origin: allowed.map(HeaderValue::from_static),
            ..Options::default()
        };
        let server = start(options, AddressEcho);
        for (method, is_read) in [("GET", true), ("HEAD", true), ("POST", false)] {
            let request = format!(
                "{method} / HTTP/1.1\r\nHost: h\r\nOrigin: {origin}\r\nConnection: close\r\n\r\n"
            );
            let mut stream = ask(1, &server, request);
            let mut response = String::new();
            stream.read_to_string(&mut response).unwrap();
            let header = response.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                (name == "access-control-allow-origin").then_some(value)
            });
            assert_eq!(header, allowed.filter(|_| is_read), "{method}");
        }
        stop(server);
    }
}

#[test]
fn what_follows_a_request_keeps_no_answer_back() {
    let server = start_paths(Options::default());
    for stray in ["", "\r\n", "G", "GET /health HTTP/1.1\r\n"] {
        let bytes = [request("/brief/0"), stray.as_bytes().to_vec()].concat();
        let mut stream = ask(1, &server, bytes);
        // The rest of a partial request never arrives. Its deadline is later than this time-out.
        stream.set_read_timeout(Some(10 * SECOND)).unwrap();
        assert_eq!(status(&mut stream), "HTTP/1.1 200", "{stray:?}");
    }
    stop(server);
}

/// A new peer must be served even if five peers use all requests and connections that they may
/// have.
#[test]
fn a_new_peer_finds_a_connection_and_a_thread() {
    let handler = Arc::new(PathHandler::default());
    let limits = Limits {
        in_flight: 16,
        waiting: 32,
        requests_per_peer: 16,
        connections: 80,
        connections_per_peer: 16,
        ..Limits::default()
    };
    let options = with_limits(|all| *all = limits);
    let server = start(options, Arc::clone(&handler));
    let mut held = Vec::new();
    // Two peers use the twelve shared threads. The other four threads are reserved: three peers use
    // one each, and one is free for a new peer.
    for (peer, busy) in (2..7).zip([8, 12, 13, 14, 15]) {
        for _ in 0..limits.connections_per_peer {
            let mut stream = connect_from(peer, &server);
            drop(stream.write_all(&request("/held/0")));
            held.push(stream);
        }
        handler.gate.wait_inside(busy);
    }
    let mut honest = ask(1, &server, request("/brief/0"));
    assert_eq!(status(&mut honest), "HTTP/1.1 200");
    // The response head ends with an empty line, and the body is empty.
    let mut rest = Vec::new();
    while !rest.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        honest.read_exact(&mut byte).unwrap();
        rest.extend(byte);
    }
    honest.write_all(&request("/held/0")).unwrap();
    handler.gate.wait_inside(16);
    handler.gate.open();
    assert_eq!(status(&mut honest), "HTTP/1.1 200");
    drop(held);
    stop(server);
}

#[test]
fn who_waits_for_a_thread_is_told_when_it_takes_too_long() {
    let handler = Arc::new(PathHandler::default());
    let mut options = with_limits(|limits| limits.in_flight = 1);
    options.timeouts.queue = Duration::from_millis(50);
    let server = start(options, Arc::clone(&handler));
    let mut first = ask(1, &server, request("/held/0"));
    handler.gate.wait_inside(1);
    let mut second = ask(2, &server, request("/held/0"));
    assert_eq!(status(&mut second), "HTTP/1.1 503");
    handler.gate.open();
    assert_eq!(status(&mut first), "HTTP/1.1 200");
    stop(server);
}

#[test]
fn a_trusted_proxy_names_the_client_and_nobody_else_does() {
    let proxies = ["127.0.0.2", "10.0.0.1", "2001:db8::1"];
    let options = Options {
        trusted_proxies: proxies.map(|proxy| proxy.parse().unwrap()).into(),
        ..Options::default()
    };
    let server = start(options, AddressEcho);
    let cases: [(u8, &[&str], &str); 15] = [
        (1, &[], "127.0.0.1"),
        (1, &["10.0.0.9"], "127.0.0.1"),
        (2, &[], "127.0.0.2"),
        (2, &["10.0.0.9"], "10.0.0.9"),
        (2, &["::ffff:10.0.0.9"], "10.0.0.9"),
        (2, &["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::"),
        // The client may have written the text before the last address itself.
        (2, &["10.0.0.8, 10.0.0.9"], "10.0.0.9"),
        (2, &["10.0.0.8", " 10.0.0.9 "], "10.0.0.9"),
        (2, &["10.0.0.9, 10.0.0.1"], "10.0.0.9"),
        (2, &["10.0.0.9", "2001:db8::1,10.0.0.1"], "10.0.0.9"),
        (2, &["nobody, 10.0.0.1"], "10.0.0.1"),
        (2, &["10.0.0.9, nobody"], "127.0.0.2"),
        (2, &["10.0.0.9, \u{e9}"], "127.0.0.2"),
        (2, &["\u{e9}, 10.0.0.9"], "10.0.0.9"),
        // Only the proxy's address is trusted, not its network.
        (2, &["10.0.0.9, 2001:db8::2, 2001:db8::1"], "2001:db8::"),
    ];
    for (from, lines, expected) in cases {
        let lines = lines.iter();
        let lines = lines.flat_map(|line| ["X-Forwarded-For: ", line, "\r\n"]);
        let lines = lines.collect::<String>();
        let request = format!("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{lines}\r\n");
        let mut stream = ask(from, &server, request);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, named) = answer.split_once("\r\n\r\n").unwrap();
        assert_eq!(named, expected, "from {from}: {lines}");
    }
    stop(server);
}

#[test]
fn clients_of_a_trusted_proxy_have_shares_of_their_own() {
    let handler = Arc::new(PathHandler::default());
    let mut options = with_limits(|limits| {
        limits.in_flight = 4;
        limits.requests_per_peer = 2;
        limits.connections_per_peer = 3;
    });
    options.trusted_proxies = vec![IpAddr::from([127, 0, 0, 2])];
    let server = start(options, Arc::clone(&handler));
    let ask = |client: &str| {
        let request =
            format!("GET /held/0 HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: {client}\r\n\r\n");
        ask(2, &server, request)
    };
    let mut greedy = [ask("10.0.0.8"), ask("10.0.0.8")];
    handler.gate.wait_inside(2);
    assert_eq!(status(&mut ask("10.0.0.8")), "HTTP/1.1 503");
    // The proxy has more connections than an ordinary peer may have.
    let mut modest = ask("10.0.0.9");
    handler.gate.wait_inside(3);
    handler.gate.open();
    for stream in greedy.iter_mut().chain([&mut modest]) {
        assert_eq!(status(stream), "HTTP/1.1 200");
    }
    stop(server);
}

/// Passes a request with this body to a mounted handler; returns status and body of the response.
fn answer_of<H: Handler>(
    mounted: &Mounted<H>,
    client: Option<IpAddr>,
    body: &'static [u8],
) -> (StatusCode, Vec<u8>) {
    use http_body_util::{BodyExt as _, Full};
    use tower_service::Service as _;

    let mut request = http::Request::new(Full::<hyper::body::Bytes>::from(body));
    if let Some(address) = client {
        request.extensions_mut().insert(ClientAddress(address));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(async {
        let response = mounted.clone().call(request).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap();
        (status, body.to_bytes().to_vec())
    })
}

#[test]
fn a_mounted_handler_answers_and_limits() {
    let mounted = Mounted::new(AddressEcho, &Options::default());
    let (status, body) = answer_of(&mounted, Some([192, 0, 2, 7].into()), b"");
    assert_eq!((status, &body[..]), (StatusCode::OK, &b"192.0.2.7"[..]));
    let (status, body) = answer_of(&mounted, None, b"");
    assert_eq!((status, &body[..]), (StatusCode::OK, &b"0.0.0.0"[..]));
    let (status, _) = answer_of(&mounted, None, b"a body that the handler does not admit");
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}
