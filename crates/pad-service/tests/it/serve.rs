//! Tests of the responses of an honest server.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use authdict::{
    Key, KeyHistory, KeyRange, Keys, Question, SchemeName, Statement, Untrusted, Version,
    internals::{
        SchemeFamily,
        exchange::{decode_history, encode_history},
    },
};
use pad_client::{FetchError, PushOutcome, internals::Resource};
use pad_service::Dictionary;
use pad_web::client::{HttpClient, HttpError, PostBody, Reply, StatusCode, Verdict, header};
use pad_web::server::{Limits, Options};

use crate::{fixture::*, hostile::spoken, second_head::for_each_scheme};

/// The tested schemes: trees and tuples.
const SCHEMES: [SchemeName; 4] = [
    SchemeName::RedBlack,
    SchemeName::SkipList,
    SchemeName::TupleSpecLightweight,
    SchemeName::TupleBase,
];

/// Returns the path of a resource on the test servers.
pub(crate) fn path_of(resource: &Resource) -> String {
    format!("/v1/dictionaries/s/{}", resource.path())
}

/// Returns a request body of bytes.
pub(crate) fn posted(body: &[u8]) -> PostBody<'_> {
    let content_type = "application/octet-stream";
    PostBody { content_type, body }
}

/// Fetches a path from the server, and accepts any status.
pub(crate) fn raw(server: &TestServer, path: &str, posted: Option<PostBody<'_>>) -> Reply {
    fetched(server, path, posted).unwrap()
}

/// Sends a request with further headers to a server without TLS, and returns all that it answers.
pub(crate) fn asked(server: &TestServer, method: &str, path: &str, headers: &str) -> String {
    let request =
        format!("{method} {path} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n{headers}\r\n");
    spoken(server.address(), request.as_bytes())
}

/// Fetches a path as text.
pub(crate) fn text(server: &TestServer, path: &str) -> String {
    String::from_utf8(raw(server, path, None).body).unwrap()
}

/// Asserts that a server reports itself as unhealthy.
pub(crate) fn assert_unhealthy(server: &TestServer) {
    let health = fetched(server, "/health", None).unwrap_err();
    assert_eq!(health, HttpError::Overloaded { attempts: 1 }, "status 503");
}

/// Fetches a path, or returns the client's error.
pub(crate) fn fetched(
    server: &TestServer,
    path: &str,
    posted: Option<PostBody<'_>>,
) -> Result<Reply, HttpError> {
    let origin = format!("https://{}", server.address());
    let client = HttpClient::new(&origin, http_options()).unwrap();
    let read = |reply| Ok::<_, HttpError>(Verdict::Done(reply));
    match posted {
        Some(posted) => client.post(path, posted, 1 << 20, read),
        None => client.get(path, 1 << 20, read),
    }
}

#[test]
fn every_family_is_served_and_verified() {
    for scheme in SCHEMES {
        let author = Author::new(scheme);
        three_versions(&author);
        let server = author.serve();
        let client = author.client_at(&[&server], "view", 3);
        for (version, price) in [(1, "3"), (2, "4"), (3, "4")] {
            let version = Version::new(version);
            assert_value(&client, version, "apple", price);
            assert_eq!(value(&client.ask(version, &about("fig")).unwrap()), None);
            assert_eq!(client.head(version).unwrap().version, version);
        }
        let range = Question::Range(KeyRange::ALL);
        let Statement::Range(all) = client.ask(Version::new(3), &range).unwrap() else {
            panic!("no range");
        };
        assert_eq!(all.entries.len(), 4, "{scheme}");
        let several = ["apple", "fig"].map(|key| Key::try_from(key).unwrap());
        let several = Question::Keys(Keys::new(several.to_vec()).unwrap());
        let Statement::Lookups(lookups) = client.ask(Version::new(3), &several).unwrap() else {
            panic!("no look-ups");
        };
        assert_eq!(lookups.answers.len(), 2);
        let history = client.history(&Key::try_from("apple").unwrap()).unwrap();
        assert_eq!(history.into_unverified().changes, [1, 2].map(Version::new));
        assert_eq!(client.oldest().unwrap(), Version::EMPTY);
        assert!(client.take_incidents().is_empty());
    }
}

#[test]
fn what_other_processes_publish_is_served_without_a_restart() {
    for scheme in SCHEMES {
        let author = Author::new(scheme);
        let service = service(&author.path("s.pad"));
        let task = service.follow(SECOND / 100);
        let server = start(service);
        let source = connect(&server);
        for version in 1..=3 {
            author.publish(&[("apple", &version.to_string())]);
            while source.versions().unwrap().latest < Version::new(version) {
                std::thread::sleep(SECOND / 200);
            }
            assert_priced(&author.client_at(&[&server], "view", version), version);
        }
        drop(task);
    }
}

#[test]
fn updates_are_durable_once_they_are_taken_and_are_taken_once() {
    for scheme in SCHEMES {
        let author = Author::new(scheme);
        three_versions(&author);
        author.create("copy.pad");
        let updates = [1, 2, 3].map(|version| author.update("s.pad", version));
        let server = start(service(&author.path("copy.pad")));
        let source = connect(&server);
        let latest = Version::EMPTY;
        assert_eq!(source.push(&updates[1]), Ok(PushOutcome::Gap { latest }));
        for (number, update) in (1..).zip(&updates) {
            assert_eq!(source.push(update).unwrap(), PushOutcome::Taken, "{scheme}");
            assert_eq!(source.push(update).unwrap(), PushOutcome::Known, "{scheme}");
            // Another process opens the store and reads the version.
            let stored = authdict::Server::of_any(author.path("copy.pad")).unwrap();
            assert_eq!(stored.latest(), Version::new(number));
        }
        assert_eq!(source.push(&updates[0]).unwrap(), PushOutcome::Known);
        let mut client = author.client(&[&server], "view");
        let latest = client.advance().unwrap();
        assert_value(&client, latest, "quince", "1");
    }
}

#[test]
fn updates_that_the_author_has_not_signed_change_nothing() {
    let author = Author::of_three_versions();
    author.create("copy.pad");
    let good = author.update("s.pad", 1);
    let server = start(service(&author.path("copy.pad")));
    let source = connect(&server);
    let mut refused = 0;
    for place in 0..good.len() {
        let [mut low, mut high] = [good.clone(), good.clone()];
        low[place] ^= 1;
        high[place] ^= 0x80;
        for bad in [&low[..], &high[..], &good[..place]] {
            match source.push(bad) {
                Err(FetchError::Refused {
                    status: 400 | 409 | 422,
                    ..
                })
                | Ok(PushOutcome::Gap { .. }) => refused += 1,
                other => panic!("{place}: {other:?}"),
            }
        }
    }
    assert_eq!(refused, 3 * good.len());
    // An update of another author, and a conflicting update for an existing version.
    let stranger = Author::of_tree();
    stranger.publish(&[("apple", "3")]);
    assert_code(source.push(&stranger.update("s.pad", 1)), "update_refused");
    assert_eq!(source.versions().unwrap().latest, Version::EMPTY);
    assert_eq!(source.push(&good).unwrap(), PushOutcome::Taken);
    // The version exists. This update is unsigned, so its contents are not compared.
    let mut unsigned = good.clone();
    flip(&mut unsigned, good.len() - 1);
    assert_code(source.push(&unsigned), "update_refused");
    assert_eq!(source.push(&good).unwrap(), PushOutcome::Known);
    author.create("fork.pad");
    author.publish_in("fork.pad", &[("apple", "5")]);
    assert_code(source.push(&author.update("fork.pad", 1)), "other_update");
}

/// An update is rebuilt from a stored tree only if it is short enough to send.
#[test]
fn an_update_that_is_longer_than_an_answer_is_not_made() {
    let author = Author::of_tree();
    let keys: Vec<_> = (0..100).map(|key| format!("key {key:03}")).collect();
    author.publish_all(&keys, &"v".repeat(1000));
    author.publish(&[("key 000", "3")]);
    let server = author.serve_short(50_000);
    let source = connect(&server);
    for resource in [
        Resource::Update(Version::new(1)),
        Resource::Updates(Version::new(1), Version::new(2)),
    ] {
        assert_code(source.get(&resource, 1 << 20), "too_long");
    }
    let second = source.get(&Resource::Update(Version::new(2)), 1 << 20);
    assert_eq!(second.unwrap(), author.update("s.pad", 2));
}

/// An absent key costs one look-up per version. A page limits the look-ups, and clients request
/// further pages.
#[test]
fn histories_come_in_pages_that_cost_so_much_and_no_more() {
    // A page has at most 1024 look-ups.
    const VERSIONS: u64 = 1100;
    for scheme in [SCHEMES[0], SCHEMES[3]] {
        let author = Author::new(scheme);
        let batches = (1..=VERSIONS).map(|version| match version {
            5 => vec![put("fig", "1")],
            9 => vec![put("fig", "2")],
            _ => vec![put("pear", "5"), put("fig", "2")],
        });
        let signed = author.sign("s.pad", batches.collect()).unwrap();
        assert_eq!(signed, Version::new(VERSIONS));
        let fig = Key::try_from("fig").unwrap();
        let none = Key::try_from("none").unwrap();
        let server = author.serve();
        let source = connect(&server);
        let page = |resource| {
            let bytes = source.get(&resource, 1 << 20).unwrap();
            let page = decode_history(&bytes, 1 << 20).unwrap();
            page.into_unverified()
        };
        let first = page(Resource::History(none.clone()));
        assert!(first.changes.is_empty());
        assert!((1..VERSIONS).contains(&first.since.number()), "{first:?}");
        let second = page(Resource::HistoryUntil(first.since, none.clone()));
        assert!(second.since < first.since);
        // For a version after the latest, the server returns the page of the latest version.
        let last = Version::new(u64::MAX);
        assert_eq!(page(Resource::HistoryUntil(last, none.clone())), first);
        let empty = page(Resource::HistoryUntil(Version::EMPTY, none.clone()));
        assert_eq!(empty.since, Version::EMPTY);
        let client = author.client(&[&server], "view");
        let whole = client.history(&none).unwrap().into_unverified();
        assert_eq!((whole.since, whole.changes.len()), (Version::EMPTY, 0));
        let whole = client.history(&fig).unwrap().into_unverified();
        assert_eq!(whole.since, Version::EMPTY);
        // Version 6 restores the old value, and version 9 does not change it.
        assert_eq!(whole.changes, [1, 5, 6].map(Version::new));
    }
}

/// Clients refuse histories that never end, and histories whose pages do not go back.
#[test]
fn histories_that_do_not_go_back_are_refused() {
    let author = Author::of_three_versions();
    let said = |since: u64, changes: &[u64]| {
        let changes = changes.iter().copied().map(Version::new).collect();
        let since = Version::new(since);
        encode_history(Untrusted::new(KeyHistory { since, changes }))
    };
    for (first, next) in [
        (said(2, &[3]), said(3, &[])),
        (said(2, &[3]), said(0, &[3])),
        (said(2, &[3]), said(1, &[2, 3])),
        (said(2, &[3]), b"PAD1".to_vec()),
    ] {
        let liar = author.liar(move |path, mut answer| {
            if let Some(rest) = path.strip_prefix("histories/") {
                let page = if rest.contains('/') { &next } else { &first };
                answer.body.clone_from(page);
            }
            answer
        });
        let client = author.client(&[&liar], "view");
        assert!(client.history(&Key::try_from("apple").unwrap()).is_err());
    }
}

#[test]
fn a_question_of_many_keys_with_long_values_is_refused() {
    let author = Author::of_tree();
    let names: Vec<_> = (0..30).map(|key| format!("key {key:03}")).collect();
    author.publish_all(&names, &"v".repeat(300_000));
    let server = author.serve_short(1 << 20);
    let ask = |count: usize| {
        let keys = names.iter().take(count);
        let keys = keys.map(|key| Key::try_from(key.as_str()).unwrap());
        let question = Question::Keys(Keys::new(keys.collect()).unwrap());
        connect(&server).get(&Resource::Answer(Version::new(1), question), 1 << 24)
    };
    for count in [1, 2, 3] {
        assert!(ask(count).unwrap().len() > count * 300_000);
    }
    for count in [4, 10, 30] {
        assert_code(ask(count), "too_long");
    }
}

#[test]
fn what_is_about_a_fixed_version_is_immutable_and_tagged() {
    let author = Author::of_three_versions();
    let server = author.serve();
    let (one, three) = (Version::new(1), Version::new(3));
    let forever = [
        Resource::HeadOf(one),
        Resource::Answer(three, about("apple")),
        Resource::Page(three, KeyRange::ALL),
        Resource::Consistency(one, three),
        Resource::Past(one, three),
        Resource::Update(three),
        Resource::Updates(one, three),
    ];
    let momentary = [
        Resource::Public,
        Resource::Head,
        Resource::Versions,
        Resource::History(Key::try_from("apple").unwrap()),
    ];
    let immutable = "public, max-age=31536000, immutable";
    let all = forever.iter().map(|resource| (resource, immutable));
    let momentary = momentary.iter();
    for (resource, lasts) in all.chain(momentary.map(|resource| (resource, "public, max-age=1"))) {
        let path = path_of(resource);
        let (first, second) = (raw(&server, &path, None), raw(&server, &path, None));
        assert_eq!(first.status, StatusCode::OK, "{path}");
        assert_eq!(first.headers[header::CACHE_CONTROL], lasts, "{path}");
        assert_eq!(first.headers[header::ETAG], second.headers[header::ETAG]);
        assert_eq!(first.body, second.body);
    }
    // A client that has the response repeats the request. Another sends the question in the body.
    let path = path_of(&forever[1]);
    let tag = raw(&server, &path, None).headers[header::ETAG].clone();
    let tag = tag.to_str().unwrap();
    let plain = start_plain(service(&author.path("s.pad")));
    let answer = asked(&plain, "GET", &path, &format!("if-none-match: {tag}\r\n"));
    assert!(answer.starts_with("HTTP/1.1 304 "), "{answer}");
    let line = format!("etag: {tag}");
    assert!(answer.to_lowercase().contains(&line), "{answer}");
    let question = about("apple").encode();
    let asking = "/v1/dictionaries/s/answers/3";
    let asked = raw(&server, asking, Some(posted(&question)));
    assert_eq!(asked.body, raw(&server, &path, None).body);
}

#[test]
fn requests_that_the_web_server_refuses_are_counted() {
    let author = Author::of_three_versions();
    let limits = Limits {
        request_bytes: 100,
        ..Limits::default()
    };
    let server = start_with(options(limits), service(&author.path("s.pad")));
    let updates = "/v1/dictionaries/s/updates";
    let refused = fetched(&server, updates, Some(posted(&[0; 101])));
    let too_large = HttpError::RequestTooLarge { length: 101 };
    assert_eq!(refused.unwrap_err(), too_large);
    let metrics = text(&server, "/metrics");
    let counted = "pad_requests_total{resource=\"push\",status=\"4xx\"} 1\n";
    assert!(metrics.contains(counted), "{metrics}");
    // Each request has its own connection. The first one may be closed already.
    let mut lines = metrics.lines();
    let accepted = lines.find_map(|line| line.strip_prefix("pad_connections_accepted_total "));
    assert!(accepted.unwrap().parse::<u64>().unwrap() >= 2, "{metrics}");
    let refused = "pad_connections_refused_total 0\n";
    assert!(metrics.contains(refused), "{metrics}");
    assert!(!metrics.contains("pad_connections_open 0\n"), "{metrics}");
    // The handler spent no time on it.
    assert!(!metrics.contains("resource=\"push\",le="), "{metrics}");
}

#[test]
fn refusals_have_a_status_and_a_word() {
    let author = Author::of_three_versions();
    author.prune("s.pad", 2);
    let server = author.serve();
    let [one, two, three, nine] = [1, 2, 3, 9].map(Version::new);
    let answer = Resource::Answer;
    let unknown = (404, "unknown_version");
    let of_resources = [
        (Resource::HeadOf(nine), unknown),
        (answer(nine, about("apple")), unknown),
        (answer(one, about("apple")), (410, "pruned")),
        (Resource::Update(one), (410, "pruned")),
        (Resource::Update(nine), unknown),
        (Resource::Updates(three, two), unknown),
        (Resource::Heads(three, two), unknown),
        (answer(three, Question::Growth(two)), (422, "not_offered")),
        (Resource::Growth(two, three), (422, "not_offered")),
        (Resource::File("checkpoint".into()), (404, "unknown_file")),
    ];
    let of_resources = of_resources.map(|(resource, refusal)| (path_of(&resource), refusal));
    let of_paths = [
        ("/index.html", (404, "unknown_path")),
        ("/v1", (404, "unknown_path")),
        ("/v1/dictionaries/", (404, "unknown_path")),
        ("/v1/dictionaries/t/head", (404, "unknown_dictionary")),
        ("/v1/dictionaries/s/nothing", (404, "unknown_path")),
        ("/v1/dictionaries/s/heads/x", (400, "unreadable_path")),
        ("/v1/dictionaries/s/answers/1/!", (400, "unreadable_path")),
        (
            "/v1/dictionaries/s/answers/1/UEFEMQ",
            (400, "unreadable_path"),
        ),
    ];
    let of_paths = of_paths.map(|(path, refusal)| (path.to_owned(), refusal));
    for (path, (status, code)) in of_paths.into_iter().chain(of_resources) {
        let reply = raw(&server, &path, None);
        let object: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
        let found = (reply.status.as_u16(), object["error"].as_str());
        assert_eq!(found, (status, Some(code)), "{path}");
        assert_eq!(reply.headers[header::CACHE_CONTROL], "no-store");
    }
    for path in ["/health", "/v1/dictionaries", "/v1/dictionaries/s/head"] {
        let reply = raw(&server, path, Some(posted(b"")));
        assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
    }
}

#[test]
fn the_server_says_how_it_is() {
    let author = Author::of_three_versions();
    let server = author.serve();
    let good = Resource::HeadOf(Version::new(2));
    let bad = Resource::HeadOf(Version::new(9));
    for resource in [&good, &good, &bad] {
        raw(&server, &path_of(resource), None);
    }
    raw(&server, "/nothing", None);
    let metrics = text(&server, "/metrics");
    for line in [
        "pad_latest_version{dictionary=\"s\"} 3",
        "pad_oldest_version{dictionary=\"s\"} 0",
        "pad_requests_total{resource=\"head_of_version\",status=\"2xx\"} 2",
        "pad_requests_total{resource=\"head_of_version\",status=\"4xx\"} 1",
        "pad_requests_total{resource=\"unknown\",status=\"4xx\"} 1",
    ] {
        let is_there = metrics.lines().any(|found| found == line);
        assert!(is_there, "{line} in {metrics}");
    }
    let health = raw(&server, "/health", None);
    assert_eq!(health.body, br#"{"latest":{"s":3},"status":"ok"}"#);
    // The root path is a page with the latest versions.
    let reply = raw(&server, "/", None);
    assert_eq!(reply.status.as_u16(), 200);
    let kind = &reply.headers[header::CONTENT_TYPE];
    assert_eq!(kind, "text/html; charset=utf-8");
    let page = String::from_utf8(reply.body).unwrap();
    assert!(page.contains("versions\">s</a><td>3\n"), "{page}");
    assert_eq!(raw(&server, "/", Some(posted(b""))).status.as_u16(), 405);
}

#[test]
fn files_are_published_beside_a_dictionary() {
    let author = Author::of_three_versions();
    let folder = author.path("published");
    std::fs::create_dir_all(folder.join("tile/0")).unwrap();
    std::fs::write(folder.join("tile/0/000"), b"tile").unwrap();
    std::fs::write(folder.join(".secret"), b"secret").unwrap();
    std::fs::write(folder.join("log.key"), b"secret").unwrap();
    std::fs::write(folder.join("tile/notes"), b"secret").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(author.path("s.pad"), folder.join("tile/0/002")).unwrap();
    let dictionary = Dictionary::open(&author.path("s.pad"))
        .unwrap()
        .publishing(folder);
    let server = start(service_of(Arc::new(dictionary)));
    let at = |path: &str| raw(&server, &format!("/v1/dictionaries/s/files/{path}"), None);
    assert_eq!(at("tile/0/000").body, b"tile");
    for path in [
        "tile",
        "tile/0",
        "tile/0/001",
        "tile/0/000/0",
        "tile/0/002",
        "tile/notes",
        "log.key",
        ".secret",
        "../s.pad",
        "tile/../.secret",
        "%2e%2e/s.pad",
    ] {
        assert_eq!(at(path).status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[test]
fn a_head_is_the_answer_without_its_body() {
    let author = Author::of_three_versions();
    let plain = start_with(Options::default(), service(&author.path("s.pad")));
    for (version, status) in [(3, "http/1.1 200"), (9, "http/1.1 404")] {
        let resource = Resource::Answer(Version::new(version), about("apple"));
        let path = path_of(&resource);
        let [(got, body), (head, nothing)] = ["GET", "HEAD"].map(|method| {
            let answer = asked(&plain, method, &path, "");
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            let lines = head.lines().map(str::to_lowercase);
            let lines = lines.filter(|line| !line.starts_with("date:"));
            (lines.collect::<Vec<_>>(), body.to_owned())
        });
        assert!(got[0].starts_with(status), "{got:?}");
        assert!(!body.is_empty() && nothing.is_empty(), "{head:?}");
        assert!(head.iter().all(|line| got.contains(line)), "{head:?}");
        for line in got {
            let is_there = head.contains(&line) || line.starts_with("content-length:");
            assert!(is_there, "{line} is not in {head:?}");
        }
    }
}

/// Superseding tuples may be sent with newer signatures about old versions. Only trees answer on
/// the thread of the connection.
#[test]
fn a_tag_belongs_to_one_body() {
    let changed = AtomicUsize::new(0);
    for_each_scheme(|scheme| {
        let author = Author::new(scheme);
        let value = |value| if scheme.is_set() { "" } else { value };
        author.publish(&[("apple", value("3")), ("pear", value("5"))]);
        let resource = Resource::Answer(Version::new(1), about("apple"));
        let path = path_of(&resource);
        let shown = || raw(&author.serve(), &path, None);
        let first = shown();
        // The new key is not a neighbour of the queried key.
        author.publish(&[("quince", value("1"))]);
        let second = shown();
        let is_same_tag = first.headers[header::ETAG] == second.headers[header::ETAG];
        assert_eq!(is_same_tag, first.body == second.body, "{scheme}");
        changed.fetch_add(usize::from(!is_same_tag), Ordering::SeqCst);
        // Look-ups of other families wait for a lock, which long reads of other clients may hold.
        let dictionary = Dictionary::open(&author.path("s.pad")).unwrap();
        let is_tree = scheme.family() == SchemeFamily::Tree;
        assert_eq!(dictionary.answers_at_once(), is_tree, "{scheme}");
    });
    assert!(changed.into_inner() > 0);
}
