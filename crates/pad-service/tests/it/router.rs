//! Tests of a router in front of servers that keep different versions.

use std::{
    collections::BTreeSet,
    net::IpAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use authdict::{KeyRange, Question, Version};
use pad_client::{Client, Fault, FetchError, Remote, internals::Resource};
use pad_service::{NotRouted, Router, Service};
use pad_web::{
    client::{HttpError, header},
    server::{Admission, Answer, Handler, Head, HeaderValue, Limits, Options, StatusCode},
};

use crate::{
    fixture::*,
    serve::{asked, assert_unhealthy, fetched, path_of, posted, raw, text},
};

/// The author's nine versions. One server has the first four, another has all from the fourth on.
struct Parts {
    author: Author,
    old: TestServer,
    new: TestServer,
}

impl Parts {
    fn begin() -> Self {
        let author = Author::of_prices(9);
        let old = author.serve_keeping("old.pad", "0..4");
        let new = author.serve_keeping("new.pad", "4..");
        Self { author, old, new }
    }
}

/// Starts a server that has only the first version.
fn late(author: &Author) -> TestServer {
    let late = author.create("late.pad");
    let mut stored = authdict::Server::of_any(&late).unwrap();
    stored.apply_message(&author.update("s.pad", 1)).unwrap();
    drop(stored);
    start(service(&late))
}

/// Returns the path of the look-up of a key.
fn look_up(version: u64, key: &str) -> String {
    path_of(&Resource::Answer(Version::new(version), about(key)))
}

#[test]
fn every_version_is_answered_by_whoever_keeps_it() {
    let Parts { author, old, new } = Parts::begin();
    let router = route(&[&old, &new]);
    let client = author.client_at(&[&router], "view", 9);
    for version in (1..=9).chain([3, 8, 1]) {
        assert_priced(&client, version);
        client.head(Version::new(version)).unwrap();
        let range = Question::Range(KeyRange::ALL);
        client.ask(Version::new(version), &range).unwrap();
    }
    assert_eq!(client.oldest().unwrap(), Version::EMPTY);
    let source = connect(&router);
    for version in 1..=9 {
        let update = Resource::Update(Version::new(version));
        let update = source.get(&update, 1 << 20).unwrap();
        assert_eq!(update, author.update("s.pad", version));
    }
    assert!(client.take_incidents().is_empty());
}

/// Asserts that refusals of the servers are passed on, and that refusals of the router have their
/// own codes.
fn assert_refusals(router: &TestServer, unknown: &str) {
    for (path, status, code) in [
        (unknown, 404, "unknown_version"),
        ("/v1/dictionaries/s/consistency/9/5", 404, "unknown_version"),
        ("/v1/dictionaries/s/answers/1/x", 400, "unreadable_path"),
        ("/v1/dictionaries/t/head", 404, "unknown_dictionary"),
        ("/v1/dictionaries/s/files/nothing", 404, "unknown_file"),
        ("/v1/dictionaries/s/growth/1/3", 422, "not_offered"),
    ] {
        let reply = raw(router, path, None);
        assert_eq!(reply.status.as_u16(), status, "{path}");
        assert!(FetchError::in_reply(&reply).unwrap().is(code), "{path}");
    }
}

#[test]
fn answers_are_those_of_the_servers_to_the_byte_and_caches_revalidate_them() {
    let Parts { author, old, new } = Parts::begin();
    let router = route(&[&old, &new]);
    for (version, server) in [(2, &old), (7, &new)] {
        for key in ["apple", "fig"] {
            let path = look_up(version, key);
            let (direct, routed) = (raw(server, &path, None), raw(&router, &path, None));
            assert_eq!((direct.status, &direct.body), (routed.status, &routed.body));
            let name = header::CONTENT_TYPE;
            assert_eq!(direct.headers[&name], routed.headers[&name]);
            // The router has not verified the response, so caches must revalidate it.
            assert_eq!(routed.headers[header::CACHE_CONTROL], "no-cache");
            let path = format!("/v1/dictionaries/s/answers/{version}");
            let question = about(key).encode();
            let answer = raw(&router, &path, Some(posted(&question)));
            assert_eq!(answer.body, direct.body);
        }
    }
    assert_refusals(&router, &look_up(12, "apple"));
    let update = author.update("s.pad", 9);
    assert_code(connect(&router).push(&update), "method_not_allowed");
    let path = "/v1/dictionaries/s/answers/1";
    let refused = FetchError::in_reply(&raw(&router, path, Some(posted(b"no question")))).unwrap();
    assert!(refused.is("unreadable_question"), "{refused}");
    // A client that already has the current response receives status 304.
    let path = look_up(7, "apple");
    let tag = raw(&router, &path, None).headers[header::ETAG].clone();
    let servers = [&old, &new].map(connect).to_vec();
    let plain = Router::new("s".into(), servers, None, Limits::default()).unwrap();
    let plain = start_plain(plain);
    let tag = format!("if-none-match: {}\r\n", tag.to_str().unwrap());
    let said = asked(&plain, "GET", &path, &tag);
    assert!(said.starts_with("HTTP/1.1 304 "), "{said}");
    assert!(said.contains("no-cache"), "{said}");
}

#[test]
fn servers_that_are_gone_or_late_are_passed_over_and_found_again() {
    let Parts { author, old, new } = Parts::begin();
    let late = late(&author);
    let whole = author.serve();
    let router = route(&[&old, &late, &new, &whole]);
    let client = author.follower(&[&router], "view");
    for version in 1..=9 {
        assert_priced(&client, version);
    }
    drop(new);
    drop(old);
    for version in (1..=9).rev() {
        assert_priced(&client, version);
    }
    assert!(client.take_incidents().is_empty());
    let metrics = text(&router, "/metrics");
    let lines = metrics.lines();
    let up = lines.filter(|line| line.starts_with("pad_upstream_up{"));
    let down = up.filter(|line| line.ends_with(" 0")).count();
    assert_eq!(down, 2, "{metrics}");
    // The only server with the version refuses to prove growth, as servers of trees do.
    let pair = route(&[&late, &whole]);
    let behind = author.follower(&[&late], "behind");
    let mut behind = Client::new(vec![connect(&pair)], behind.view().clone(), None).unwrap();
    assert_eq!(behind.advance().unwrap(), Version::new(9));
    drop(pair);
    drop(whole);
    assert_priced(&client, 1);
    let nobody_answers = || {
        let nobody = client.ask(Version::new(9), &about("apple")).unwrap_err();
        assert!(!nobody.is_lie() && !nobody.is_askers(), "{nobody}");
    };
    // The router has sent this version to a client, so a late server must not make it unknown.
    nobody_answers();
    drop(late);
    nobody_answers();
    let busy = fetched(&router, &look_up(9, "apple"), None).unwrap_err();
    assert_eq!(busy, HttpError::Overloaded { attempts: 1 });
    assert_unhealthy(&router);
}

#[test]
fn a_refusal_without_any_server_says_how_many_failed() {
    let author = Author::of_tree();
    let servers = [1, 2].map(|port| {
        let address = format!("http://127.0.0.1:{port}/v1/dictionaries/s");
        Remote::connect(&address, http_options()).unwrap()
    });
    let public = Some(author.key.public().clone());
    let router = Router::new("s".into(), servers.into(), public, Limits::default()).unwrap();
    let request = hyper::Request::get(look_up(9, "apple"));
    let (head, ()) = request.body(()).unwrap().into_parts();
    let Ok(Admission { request, .. }) = router.admit(&head) else {
        panic!("not admitted");
    };
    let answer = router.handle(request, Vec::new());
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    let object: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    let text = "no server can answer about version 9: 2 of 2 servers failed";
    assert_eq!(object["error"], "no_server");
    assert_eq!(object["message"], text);
}

/// The client chose the length. Its servers must not count as failed, or the router as unhealthy.
#[test]
fn a_request_that_is_too_long_for_the_servers_is_the_clients_fault() {
    let Parts { author, .. } = Parts::begin();
    let servers = [(); 2].map(|()| {
        author.liar(|path, answer| {
            if path.starts_with("answers/") {
                return Answer::text(StatusCode::URI_TOO_LONG, "");
            }
            answer
        })
    });
    let router = route(&servers.each_ref());
    for _ in 0..3 {
        let reply = raw(&router, &look_up(9, "apple"), None);
        assert_eq!(reply.status, StatusCode::URI_TOO_LONG);
        assert_eq!(raw(&router, "/health", None).status, StatusCode::OK);
    }
}

/// A slow server would occupy the permits for large responses.
#[test]
fn a_server_that_answers_slowly_is_asked_after_others_for_a_while() {
    let Parts { author, new, .. } = Parts::begin();
    let answered = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&answered);
    let slow = author.liar(move |path, answer| {
        if path.starts_with("answers/") {
            counted.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(3500));
        }
        answer
    });
    let router = route(&[&slow, &new]);
    for _ in 0..4 {
        assert_eq!(
            raw(&router, &look_up(9, "apple"), None).status,
            StatusCode::OK
        );
    }
    assert_eq!(answered.load(Ordering::Relaxed), 1);
}

/// A server whose latest head does not verify must be reported as down, although it answers.
#[test]
fn a_server_that_forges_its_latest_head_is_not_up() {
    let Parts { author, old, new } = Parts::begin();
    let liar = author.forger(&["heads/"], |body| *body.last_mut().unwrap() ^= 1);
    let router = route(&[&liar, &old, &new]);
    for _ in 0..3 {
        let metrics = text(&router, "/metrics");
        for (server, is_up) in [(&liar, 0), (&old, 1), (&new, 1)] {
            let upstream = connect(server).address();
            let gauge = format!("pad_upstream_up{{upstream=\"{upstream}\"}} {is_up}");
            let is_there = metrics.lines().any(|line| line == gauge);
            assert!(is_there, "{gauge}: {metrics}");
        }
    }
}

#[test]
fn a_server_that_lies_through_a_router_is_caught_by_the_client() {
    let Parts { author, new, .. } = Parts::begin();
    let liar = author.forger(&["answers/"], |body| *body.last_mut().unwrap() ^= 1);
    let router = route(&[&liar]);
    let client = author.follower(&[&router, &new], "view");
    assert_priced(&client, 9);
    let incidents = client.take_incidents();
    assert!(incidents[0].server.contains(&router.address().to_string()));
    assert!(matches!(only_fault(incidents), Fault::Lied(_)));
    // A router does not combine servers with different keys.
    let other = Author::of_tree();
    priced(&other, 1);
    let stranger = start(service(&other.path("s.pad")));
    let servers = vec![connect(&new), connect(&stranger)];
    let refused = Router::new("s".into(), servers, None, Limits::default()).unwrap_err();
    assert!(matches!(refused, NotRouted::OtherKey { .. }));
    let nobody = Router::new("s".into(), Vec::new(), None, Limits::default()).unwrap_err();
    assert_eq!(nobody, NotRouted::NoServer);
}

#[test]
fn what_is_newest_goes_back_for_nobody_and_is_signed() {
    let Parts { author, old, new } = Parts::begin();
    let boaster = author.forger(&["versions"], |body| {
        *body = br#"{"oldest":0,"latest":1000000}"#.to_vec();
    });
    let late = late(&author);
    let router = route(&[&boaster, &late, &old, &new]);
    let mut client = author.client(&[&router], "view");
    for _ in 0..10 {
        assert_eq!(client.advance().unwrap(), Version::new(9));
        for version in 1..=9 {
            assert_priced(&client, version);
        }
    }
    let head = raw(&router, "/v1/dictionaries/s/head", None);
    assert_eq!(head.headers[header::CACHE_CONTROL], "public, max-age=1");
    let ninth = Resource::HeadOf(Version::new(9));
    assert_eq!(head.body, connect(&new).get(&ninth, 1 << 10).unwrap());
    assert!(client.take_incidents().is_empty());
    let other = Author::of_tree().key.public().clone();
    let servers = vec![connect(&new)];
    let refused = Router::new("s".into(), servers, Some(other), Limits::default()).unwrap_err();
    assert!(matches!(refused, NotRouted::OtherKey { .. }));
}

/// A client that has queried the server directly is ahead of the router. The router then learns the
/// version.
#[test]
fn a_client_that_knows_a_newer_version_is_served_through_a_router() {
    let author = Author::of_prices(1);
    let server = start(service(&author.copy("s.pad", "server.pad")));
    let late = author.copy("s.pad", "late.pad");
    let router = route(&[&server]);
    author.publish(&[("apple", "2")]);
    connect(&server).push(&author.update("s.pad", 2)).unwrap();
    let ahead = author.client_at(&[&server], "view", 2);
    let routed = connect(&router);
    assert_eq!(routed.versions().unwrap().latest, Version::new(1));
    let mut client = Client::new(vec![routed], ahead.view().clone(), None).unwrap();
    assert_eq!(client.advance().unwrap(), Version::new(2));
    assert_priced(&client, 2);
    assert!(client.take_incidents().is_empty());
    assert_eq!(connect(&router).versions().unwrap().latest, Version::new(2));
    // A server without the version is late, although the request is valid.
    let late = start(service(&late));
    let view = ahead.view().clone();
    let client = Client::new(vec![connect(&late)], view, None).unwrap();
    let refused = client.ask(Version::new(2), &about("apple")).unwrap_err();
    assert!(!refused.is_askers() && !refused.is_lie(), "{refused}");
    let refused = refused.to_string();
    assert!(refused.contains("does not have version 2 yet"), "{refused}");
}

#[test]
fn what_a_server_refuses_is_not_kept_by_caches_and_what_is_no_refusal_is_not_passed_on() {
    let Parts { author, new, .. } = Parts::begin();
    let path = look_up(9, "apple");
    let documented = r#"{"error":"unreadable_question","message":"no"}"#;
    let documented_as = "unreadable_question";
    for (status, body) in [
        (400, documented),
        (404, "no"),
        (304, ""),
        (302, "<script>"),
        (500, documented),
    ] {
        let liar = author.liar(move |path, mut answer| {
            if path.starts_with("answers/") {
                let status = StatusCode::from_u16(status).unwrap();
                answer = Answer::new(status, "text/html", body);
                let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
                answer = answer.with(header::CACHE_CONTROL, forever);
                answer = answer.with(header::ETAG, HeaderValue::from_static("\"no\""));
            }
            answer
        });
        let alone = route(&[&liar]);
        match fetched(&alone, &path, None) {
            Ok(refused) => {
                let error = FetchError::in_reply(&refused).unwrap();
                assert!(error.is(documented_as) && refused.status.as_u16() == status);
                assert_eq!(refused.headers[header::CACHE_CONTROL], "no-store");
                assert_eq!(refused.headers[header::CONTENT_TYPE], "application/json");
                assert_eq!(refused.headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
                assert!(!refused.headers.contains_key(header::ETAG));
            }
            // No server answers.
            Err(error) => {
                assert!(matches!(error, HttpError::Overloaded { .. }), "{error}");
                assert_ne!(status, 400);
            }
        }
        let both = route(&[&liar, &new]);
        let statuses = [(); 2].map(|()| raw(&both, &path, None).status.as_u16());
        assert_eq!(statuses, [200; 2], "{status}");
    }
}

#[test]
fn a_server_that_names_another_key_than_the_one_given_is_left_out() {
    let Parts { author, old, new } = Parts::begin();
    let other = Author::of_tree();
    priced(&other, 1);
    let stranger = start(service(&other.path("s.pad")));
    let servers = vec![connect(&stranger), connect(&old), connect(&new)];
    let public = author.key.public().clone();
    let router = Router::new("s".into(), servers, Some(public), Limits::default()).unwrap();
    let router = start(router);
    let client = author.client_at(&[&router], "view", 9);
    for version in 1..=9 {
        assert_priced(&client, version);
    }
    let metrics = text(&router, "/metrics");
    assert_eq!(metrics.matches("pad_upstream_up{").count(), 2, "{metrics}");
}

#[test]
fn names_and_addresses_are_what_they_seem() {
    let parts = Parts::begin();
    let new = &parts.new;
    let long = "s".repeat(201);
    for name in ["", ".", ".s", "s/t", "s t", "s\n", "\u{e9}", &long] {
        let servers = vec![connect(new)];
        let refused = Router::new(name.into(), servers, None, Limits::default()).unwrap_err();
        assert_eq!(refused, NotRouted::Name(name.into()));
    }
    // In the metrics, this address would be parsed as two labels if it were not escaped.
    let address = format!("https://{}/v1/dictionaries/s\"}}1", new.address());
    let odd = Remote::connect(&address, http_options()).unwrap();
    let servers = vec![odd, connect(new)];
    let router = start(Router::new("s".into(), servers, None, Limits::default()).unwrap());
    let metrics = text(&router, "/metrics");
    assert!(metrics.contains(r#"/s\"}1"} 0"#), "{metrics}");
}

#[test]
fn answers_that_are_long_come_one_after_the_other() {
    let author = Author::of_tree();
    let long = "x".repeat(3 << 20);
    author.publish(&[("apple", &long), ("pear", "5")]);
    let server = author.serve();
    // The router receives only one long response at a time.
    let limits = Limits {
        response_bytes: 8 << 20,
        answer_bytes: 8 << 20,
        bytes_per_peer: 8 << 20,
        in_flight: 8,
        ..Limits::default()
    };
    let router = Router::new("s".into(), vec![connect(&server)], None, limits).unwrap();
    let router = start(router);
    thread::scope(|scope| {
        for number in 0..6 {
            let (author, router, long) = (&author, &router, &long);
            scope.spawn(move || {
                let client = author.follower(&[router], &format!("view{number}"));
                let answer = client.ask(Version::new(1), &about("apple")).unwrap();
                assert!(value(&answer) == Some(long.as_bytes()));
                assert_value(&client, Version::new(1), "pear", "5");
            });
        }
    });
}

#[test]
fn many_clients_share_a_router_while_a_server_comes_and_goes() {
    let Parts { author, old, new } = Parts::begin();
    let whole = author.serve();
    let limits = Limits {
        in_flight: 8,
        ..Limits::default()
    };
    let servers = [&old, &new, &whole].map(connect).to_vec();
    let router = Router::new("s".into(), servers, None, limits).unwrap();
    let task = router.follow(SECOND / 50);
    let router = start_with(options(limits), router);
    thread::scope(|scope| {
        for number in 0..6 {
            let (author, router) = (&author, &router);
            scope.spawn(move || {
                let client = author.client_at(&[router], &format!("view{number}"), 9);
                for round in 0..60 {
                    assert_priced(&client, 1 + (round * 5 + number) % 9);
                }
                assert!(client.take_incidents().is_empty());
            });
        }
        drop(whole);
    });
    drop(task);
}

#[test]
fn a_client_that_has_used_up_its_share_says_nothing_of_the_server() {
    let author = Author::of_three_versions();
    let server = author.liar(|path, answer| {
        if path.starts_with("answers/") {
            return Answer::text(StatusCode::SERVICE_UNAVAILABLE, "busy");
        }
        answer
    });
    let router = route(&[&server]);
    let refused = fetched(&router, &look_up(3, "apple"), None).unwrap_err();
    assert!(matches!(refused, HttpError::Overloaded { .. }), "{refused}");
    let health = text(&router, "/health");
    assert!(health.contains("\"reached\":1"), "{health}");
}

/// A client cannot set the address under which the router forwards its requests.
#[test]
fn a_router_names_its_client_to_the_server() {
    let author = Author::of_three_versions();
    let named = Arc::new(Mutex::new(BTreeSet::new()));
    let server = start(ClientNames {
        service: service(&author.path("s.pad")),
        named: Arc::clone(&named),
    });
    let router = Router::new("s".into(), vec![connect(&server)], None, Limits::default()).unwrap();
    let address = IpAddr::from([127, 0, 0, 3]);
    let trusting = Options {
        trusted_proxies: vec![IpAddr::from([127, 0, 0, 1])],
        ..Options::default()
    };
    let router = start_with(trusting, router);
    named.lock().unwrap().clear();
    for path in ["updates/1", "updates/2"] {
        let path = format!("/v1/dictionaries/s/{path}");
        let forwarded = format!("X-Forwarded-For: 10.0.0.9, {address}\r\n");
        for header in ["", &forwarded] {
            let answer = asked(&router, "GET", &path, header);
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        }
    }
    let named = named.lock().unwrap().clone();
    let expected = ["127.0.0.1", "127.0.0.3"].map(String::from);
    assert_eq!(named, BTreeSet::from(expected));
}

/// A service that records the client addresses that proxies send.
struct ClientNames {
    service: Service,
    named: Arc<Mutex<BTreeSet<String>>>,
}

impl Handler for ClientNames {
    type Request = <Service as Handler>::Request;

    fn admit(&self, head: &Head) -> Result<Admission<Self::Request>, Answer> {
        let named = head.headers.get_all("x-forwarded-for").iter();
        let named = named.map(|name| name.to_str().unwrap().to_owned());
        self.named.lock().unwrap().extend(named);
        self.service.admit(head)
    }

    fn handle(&self, request: Self::Request, body: Vec<u8>) -> Answer {
        self.service.handle(request, body)
    }
}
