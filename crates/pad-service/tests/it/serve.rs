//! Tests of the responses of an honest server.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use authdict::{
    Key, KeyRange, Keys, Question, SchemeName, Statement, Version, internals::SchemeFamily,
};
use pad_client::{FetchError, PushOutcome, internals::Resource};
use pad_service::{Dictionary, Service};
use pad_web::client::{HttpClient, HttpError, PostBody, Reply, StatusCode, Verdict, header};
use pad_web::server::{Limits, Options};

use crate::{fixture::*, second_head::for_each_scheme};

/// The tested schemes: trees and tuples.
const SCHEMES: [SchemeName; 4] = [
    SchemeName::RedBlack,
    SchemeName::SkipList,
    SchemeName::TupleSpecLightweight,
    SchemeName::TupleBase,
];

/// Fetches a path from the server, and accepts any status.
pub(crate) fn raw(
    server: &pad_web::server::RunningServer,
    path: &str,
    posted: Option<PostBody<'_>>,
) -> Reply {
    fetched(server, path, posted).unwrap()
}

/// Fetches a path, or returns the client's error.
pub(crate) fn fetched(
    server: &pad_web::server::RunningServer,
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
        let server = start(service(&author.path("s.pad")));
        let mut client = author.client(&[&server], "view");
        assert_eq!(client.advance().unwrap(), Version::new(3));
        for (version, price) in [(1, "3"), (2, "4"), (3, "4")] {
            let answer = client.ask(Version::new(version), &about("apple")).unwrap();
            assert_eq!(value(&answer), Some(price.as_bytes()), "{scheme}");
            let absent = client.ask(Version::new(version), &about("fig")).unwrap();
            assert_eq!(value(&absent), None);
            assert_eq!(
                client.head(Version::new(version)).unwrap().version,
                Version::new(version)
            );
        }
        let Statement::Range(all) = client
            .ask(Version::new(3), &Question::Range(KeyRange::ALL))
            .unwrap()
        else {
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
        stop(server);
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
            let mut client = author.client(&[&server], "view");
            let latest = client.advance().unwrap();
            let answer = client.ask(latest, &about("apple")).unwrap();
            assert_eq!(value(&answer), Some(version.to_string().as_bytes()));
        }
        drop(task);
        stop(server);
    }
}

#[test]
fn updates_are_durable_once_they_are_taken_and_are_taken_once() {
    for scheme in SCHEMES {
        let author = Author::new(scheme);
        three_versions(&author);
        author.create("copy.pad");
        let updates: Vec<_> = (1..=3)
            .map(|version| author.update("s.pad", version))
            .collect();
        let server = start(service(&author.path("copy.pad")));
        let source = connect(&server);
        let latest = Version::EMPTY;
        assert_eq!(
            source.push(&updates[1]).unwrap(),
            PushOutcome::Gap { latest }
        );
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
        assert_eq!(
            value(&client.ask(latest, &about("quince")).unwrap()),
            Some(&b"1"[..])
        );
        stop(server);
    }
}

#[test]
fn updates_that_the_author_has_not_signed_change_nothing() {
    let author = Author::of_tree();
    three_versions(&author);
    author.create("copy.pad");
    let good = author.update("s.pad", 1);
    let server = start(service(&author.path("copy.pad")));
    let source = connect(&server);
    let mut refused = 0;
    for place in 0..good.len() {
        for bad in [
            {
                let mut bad = good.clone();
                bad[place] ^= 1;
                bad
            },
            {
                let mut bad = good.clone();
                bad[place] ^= 0x80;
                bad
            },
            good[..place].to_vec(),
        ] {
            match source.push(&bad) {
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
    let foreign = source.push(&stranger.update("s.pad", 1)).unwrap_err();
    assert!(foreign.is("update_refused"), "{foreign}");
    assert_eq!(source.versions().unwrap().latest, Version::EMPTY);
    assert_eq!(source.push(&good).unwrap(), PushOutcome::Taken);
    // The version exists. This update is unsigned, so its contents are not compared.
    let unsigned = {
        let mut unsigned = good.clone();
        *unsigned.last_mut().unwrap() ^= 1;
        source.push(&unsigned).unwrap_err()
    };
    assert!(unsigned.is("update_refused"), "{unsigned}");
    assert_eq!(source.push(&good).unwrap(), PushOutcome::Known);
    author.create("fork.pad");
    author.publish_in("fork.pad", &[("apple", "5")]);
    let other = source.push(&author.update("fork.pad", 1)).unwrap_err();
    assert!(other.is("other_update"), "{other}");
    stop(server);
}

/// An update is rebuilt from a stored tree only if it is short enough to send.
#[test]
fn an_update_that_is_longer_than_an_answer_is_not_made() {
    let author = Author::of_tree();
    let value = "v".repeat(1000);
    let entries: Vec<_> = (0..100).map(|key| format!("key {key:03}")).collect();
    let entries: Vec<_> = entries
        .iter()
        .map(|key| (key.as_str(), value.as_str()))
        .collect();
    author.publish(&entries);
    author.publish(&[("key 000", "3")]);
    let limits = Limits {
        response_bytes: 50_000,
        ..Limits::default()
    };
    let dictionary = Arc::new(Dictionary::open(&author.path("s.pad")).unwrap());
    let dictionaries = BTreeMap::from([("s".to_owned(), dictionary)]);
    let server = start(Service::new(dictionaries, limits));
    let source = connect(&server);
    for resource in [
        Resource::Update(Version::new(1)),
        Resource::Updates(Version::new(1), Version::new(2)),
    ] {
        let refused = source.get(&resource, 1 << 20).unwrap_err();
        assert!(refused.is("too_long"), "{refused}");
    }
    let second = source.get(&Resource::Update(Version::new(2)), 1 << 20);
    assert_eq!(second.unwrap(), author.update("s.pad", 2));
    stop(server);
}

/// An absent key costs one look-up per version. A page limits the look-ups, and clients request
/// further pages.
#[test]
fn histories_come_in_pages_that_cost_so_much_and_no_more() {
    const VERSIONS: u64 = 1500;
    for scheme in [SCHEMES[0], SCHEMES[3]] {
        let author = Author::new(scheme);
        author.publish_many(VERSIONS, |version| match version {
            5 => vec![("fig", "1")],
            9 => vec![("fig", "2")],
            _ => vec![("pear", "5"), ("fig", "2")],
        });
        let fig = Key::try_from("fig").unwrap();
        let none = Key::try_from("none").unwrap();
        let server = start(service(&author.path("s.pad")));
        let source = connect(&server);
        let page = |resource| {
            let bytes = source.get(&resource, 1 << 20).unwrap();
            let page = authdict::internals::exchange::decode_history(&bytes, 1 << 20).unwrap();
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
        assert_eq!(
            page(Resource::HistoryUntil(Version::EMPTY, none.clone())).since,
            Version::EMPTY
        );
        let client = author.client(&[&server], "view");
        let whole = client.history(&none).unwrap().into_unverified();
        assert_eq!((whole.since, whole.changes.len()), (Version::EMPTY, 0));
        let whole = client.history(&fig).unwrap().into_unverified();
        assert_eq!(whole.since, Version::EMPTY);
        // Version 6 restores the old value, and version 9 does not change it.
        assert_eq!(whole.changes, [1, 5, 6].map(Version::new));
        stop(server);
    }
}

/// Clients refuse histories that never end, and histories whose pages do not go back.
#[test]
fn histories_that_do_not_go_back_are_refused() {
    let author = Author::of_tree();
    three_versions(&author);
    let said = |since: u64, changes: &[u64]| {
        let changes = changes.iter().copied().map(Version::new).collect();
        let since = Version::new(since);
        authdict::internals::exchange::encode_history(authdict::Untrusted::new(
            authdict::KeyHistory { since, changes },
        ))
    };
    for (first, next) in [
        (said(2, &[3]), said(3, &[])),
        (said(2, &[3]), said(0, &[3])),
        (said(2, &[3]), said(1, &[2, 3])),
        (said(2, &[3]), b"PAD1".to_vec()),
    ] {
        let liar = start(Liar::new(
            service(&author.path("s.pad")),
            move |path, mut answer| {
                if let Some(rest) = path.strip_prefix("histories/") {
                    let page = if rest.contains('/') { &next } else { &first };
                    answer.body.clone_from(page);
                }
                answer
            },
        ));
        let client = author.client(&[&liar], "view");
        assert!(client.history(&Key::try_from("apple").unwrap()).is_err());
        stop(liar);
    }
}

#[test]
fn a_question_of_many_keys_with_long_values_is_refused() {
    let author = Author::of_tree();
    let long = "v".repeat(300_000);
    let names: Vec<_> = (0..30).map(|key| format!("key {key:03}")).collect();
    let entries: Vec<_> = names
        .iter()
        .map(|key| (key.as_str(), long.as_str()))
        .collect();
    author.publish(&entries);
    let limits = Limits {
        response_bytes: 1 << 20,
        ..Limits::default()
    };
    let dictionary = Arc::new(Dictionary::open(&author.path("s.pad")).unwrap());
    let dictionaries = BTreeMap::from([("s".to_owned(), dictionary)]);
    let server = start(Service::new(dictionaries, limits));
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
        let refused = ask(count).unwrap_err();
        assert!(refused.is("too_long"), "{refused}");
    }
    stop(server);
}

#[test]
fn what_is_about_a_fixed_version_is_immutable_and_tagged() {
    let author = Author::of_tree();
    three_versions(&author);
    let server = start(service(&author.path("s.pad")));
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
    let all = forever
        .iter()
        .map(|resource| (resource, "public, max-age=31536000, immutable"));
    let all = all.chain(
        momentary
            .iter()
            .map(|resource| (resource, "public, max-age=1")),
    );
    for (resource, lasts) in all {
        let path = format!("/v1/dictionaries/s/{}", resource.path());
        let (first, second) = (raw(&server, &path, None), raw(&server, &path, None));
        assert_eq!(first.status, StatusCode::OK, "{path}");
        assert_eq!(first.headers[header::CACHE_CONTROL], lasts, "{path}");
        assert_eq!(first.headers[header::ETAG], second.headers[header::ETAG]);
        assert_eq!(first.body, second.body);
    }
    // A client that has the response repeats the request. Another sends the question in the body.
    let path = format!("/v1/dictionaries/s/{}", forever[1].path());
    let tag = raw(&server, &path, None).headers[header::ETAG]
        .to_str()
        .unwrap()
        .to_owned();
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nif-none-match: {tag}\r\nconnection: \
            close\r\n\r\n"
    );
    let plain = start_with(
        Options {
            timeouts: PATIENT,
            ..Options::default()
        },
        service(&author.path("s.pad")),
    );
    let answer = crate::hostile::spoken(plain.address(), head.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 304 "), "{answer}");
    assert!(
        answer.to_lowercase().contains(&format!("etag: {tag}")),
        "{answer}"
    );
    let question = about("apple").encode();
    let posted = PostBody {
        content_type: "application/octet-stream",
        body: &question,
    };
    let asked = raw(&server, "/v1/dictionaries/s/answers/3", Some(posted));
    assert_eq!(asked.body, raw(&server, &path, None).body);
    stop(plain);
    stop(server);
}

#[test]
fn requests_that_the_web_server_refuses_are_counted() {
    let author = Author::of_tree();
    three_versions(&author);
    let limits = Limits {
        request_bytes: 100,
        ..Limits::default()
    };
    let server = start_with(options(limits), service(&author.path("s.pad")));
    let posted = PostBody {
        content_type: "application/octet-stream",
        body: &[0; 101],
    };
    let refused = fetched(&server, "/v1/dictionaries/s/updates", Some(posted));
    assert_eq!(
        refused.unwrap_err(),
        HttpError::RequestTooLarge { length: 101 }
    );
    let metrics = String::from_utf8(raw(&server, "/metrics", None).body).unwrap();
    let counted = "pad_requests_total{resource=\"push\",status=\"4xx\"} 1\n";
    assert!(metrics.contains(counted), "{metrics}");
    // Each request has its own connection. The first one may be closed already.
    let mut lines = metrics.lines();
    let accepted = lines.find_map(|line| line.strip_prefix("pad_connections_accepted_total "));
    assert!(accepted.unwrap().parse::<u64>().unwrap() >= 2, "{metrics}");
    assert!(
        metrics.contains("pad_connections_refused_total 0\n"),
        "{metrics}"
    );
    assert!(!metrics.contains("pad_connections_open 0\n"), "{metrics}");
    // The handler spent no time on it.
    assert!(!metrics.contains("resource=\"push\",le="), "{metrics}");
    stop(server);
}

#[test]
fn the_root_path_is_a_page_with_the_latest_versions() {
    let author = Author::of_tree();
    three_versions(&author);
    let server = start(service(&author.path("s.pad")));
    let reply = raw(&server, "/", None);
    assert_eq!(reply.status.as_u16(), 200);
    assert_eq!(
        reply.headers[header::CONTENT_TYPE],
        "text/html; charset=utf-8"
    );
    let page = String::from_utf8(reply.body).unwrap();
    assert!(page.contains("versions\">s</a><td>3\n"), "{page}");
    let posted = PostBody {
        content_type: "application/octet-stream",
        body: b"",
    };
    assert_eq!(raw(&server, "/", Some(posted)).status.as_u16(), 405);
    stop(server);
}

#[test]
fn refusals_have_a_status_and_a_word() {
    let author = Author::of_tree();
    three_versions(&author);
    let mut repository = authdict::Server::of_any(author.path("s.pad")).unwrap();
    repository.prune(Version::new(2)).unwrap();
    drop(repository);
    let server = start(service(&author.path("s.pad")));
    let at = |resource: Resource| format!("/v1/dictionaries/s/{}", resource.path());
    let growth = Resource::Growth(Version::new(2), Version::new(3));
    let unknown = |resource| (at(resource), 404, "unknown_version");
    for (path, status, code) in [
        ("/index.html".to_owned(), 404, "unknown_path"),
        ("/v1".into(), 404, "unknown_path"),
        ("/v1/dictionaries/".into(), 404, "unknown_path"),
        ("/v1/dictionaries/t/head".into(), 404, "unknown_dictionary"),
        ("/v1/dictionaries/s/nothing".into(), 404, "unknown_path"),
        ("/v1/dictionaries/s/heads/x".into(), 400, "unreadable_path"),
        (
            "/v1/dictionaries/s/answers/1/!".into(),
            400,
            "unreadable_path",
        ),
        (
            "/v1/dictionaries/s/answers/1/UEFEMQ".into(),
            400,
            "unreadable_path",
        ),
        unknown(Resource::HeadOf(Version::new(9))),
        unknown(Resource::Answer(Version::new(9), about("apple"))),
        (
            at(Resource::Answer(Version::new(1), about("apple"))),
            410,
            "pruned",
        ),
        (at(Resource::Update(Version::new(1))), 410, "pruned"),
        unknown(Resource::Update(Version::new(9))),
        unknown(Resource::Updates(Version::new(3), Version::new(2))),
        unknown(Resource::Heads(Version::new(3), Version::new(2))),
        (
            at(Resource::Answer(
                Version::new(3),
                Question::Growth(Version::new(2)),
            )),
            422,
            "not_offered",
        ),
        (at(growth), 422, "not_offered"),
        (at(Resource::File("checkpoint".into())), 404, "unknown_file"),
    ] {
        let reply = raw(&server, &path, None);
        let object: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(
            (reply.status.as_u16(), object["error"].as_str()),
            (status, Some(code)),
            "{path}"
        );
        assert_eq!(reply.headers[header::CACHE_CONTROL], "no-store");
    }
    for path in ["/health", "/v1/dictionaries", "/v1/dictionaries/s/head"] {
        let posted = PostBody {
            content_type: "text/plain",
            body: b"",
        };
        let reply = raw(&server, path, Some(posted));
        assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
    }
    stop(server);
}

#[test]
fn the_server_says_how_it_is() {
    let author = Author::of_tree();
    three_versions(&author);
    let server = start(service(&author.path("s.pad")));
    let good = Resource::HeadOf(Version::new(2));
    let bad = Resource::HeadOf(Version::new(9));
    for resource in [&good, &good, &bad] {
        raw(
            &server,
            &format!("/v1/dictionaries/s/{}", resource.path()),
            None,
        );
    }
    raw(&server, "/nothing", None);
    let metrics = raw(&server, "/metrics", None);
    let metrics = String::from_utf8(metrics.body).unwrap();
    for line in [
        "pad_latest_version{dictionary=\"s\"} 3",
        "pad_oldest_version{dictionary=\"s\"} 0",
        "pad_requests_total{resource=\"head_of_version\",status=\"2xx\"} 2",
        "pad_requests_total{resource=\"head_of_version\",status=\"4xx\"} 1",
        "pad_requests_total{resource=\"unknown\",status=\"4xx\"} 1",
    ] {
        assert!(
            metrics.lines().any(|found| found == line),
            "{line} in {metrics}"
        );
    }
    let health = raw(&server, "/health", None);
    assert_eq!(health.body, br#"{"latest":{"s":3},"status":"ok"}"#);
    stop(server);
}

#[test]
fn files_are_published_beside_a_dictionary() {
    let author = Author::of_tree();
    three_versions(&author);
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
    let dictionaries = [("s".to_owned(), Arc::new(dictionary))];
    let server = start(Service::new(dictionaries.into(), Limits::default()));
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
    stop(server);
}

#[test]
fn a_head_is_the_answer_without_its_body() {
    let author = Author::of_tree();
    three_versions(&author);
    let plain = start_with(Options::default(), service(&author.path("s.pad")));
    for (version, status) in [(3, "http/1.1 200"), (9, "http/1.1 404")] {
        let resource = Resource::Answer(Version::new(version), about("apple"));
        let path = format!("/v1/dictionaries/s/{}", resource.path());
        let [(got, body), (head, nothing)] = ["GET", "HEAD"].map(|method| {
            let request =
                format!("{method} {path} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n");
            let answer = crate::hostile::spoken(plain.address(), request.as_bytes());
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
    stop(plain);
}

/// Superseding tuples may be sent with newer signatures about old versions.
#[test]
fn a_tag_belongs_to_one_body() {
    let changed = AtomicUsize::new(0);
    for_each_scheme(|scheme| {
        let author = Author::new(scheme);
        let value = |value| if scheme.is_set() { "" } else { value };
        author.publish(&[("apple", value("3")), ("pear", value("5"))]);
        let resource = Resource::Answer(Version::new(1), about("apple"));
        let path = format!("/v1/dictionaries/s/{}", resource.path());
        let shown = || {
            let server = start(service(&author.path("s.pad")));
            let reply = raw(&server, &path, None);
            stop(server);
            reply
        };
        let first = shown();
        // The new key is not a neighbour of the queried key.
        author.publish(&[("quince", value("1"))]);
        let second = shown();
        let is_same_tag = first.headers[header::ETAG] == second.headers[header::ETAG];
        assert_eq!(is_same_tag, first.body == second.body, "{scheme}");
        changed.fetch_add(usize::from(!is_same_tag), Ordering::SeqCst);
    });
    assert!(changed.into_inner() > 0);
}

/// Lookups of other families wait for a lock, which long reads of other clients may hold.
#[test]
fn only_trees_answer_on_the_thread_of_the_connection() {
    for_each_scheme(|scheme| {
        let author = Author::new(scheme);
        let dictionary = Dictionary::open(&author.path("s.pad")).unwrap();
        let is_tree = scheme.family() == SchemeFamily::Tree;
        assert_eq!(dictionary.answers_at_once(), is_tree, "{scheme}");
    });
}
