//! Tests of look-ups without proofs.

use authdict::{Version, verify};
use pad_client::internals::Resource;
use pad_web::client::{Reply, StatusCode, header};

use crate::{fixture::*, second_head::for_each_scheme, serve::raw};

const VALUES: &str = "/v1/dictionaries/s/values/";

fn get(server: &TestServer, path: &str) -> Reply {
    raw(server, &format!("{VALUES}{path}"), None)
}

/// Checks that a path has the value of `key` in `version`, and a link to its proof.
fn assert_value(author: &Author, server: &TestServer, (path, version): (&str, u64), found: &str) {
    let reply = get(server, path);
    let scheme = author.key.public().scheme;
    assert_eq!(reply.status, StatusCode::OK, "{scheme}: {path}");
    assert_eq!(reply.body, found.as_bytes(), "{scheme}: {path}");
    let header = |name| reply.headers.get(name).unwrap().to_str().unwrap();
    assert_eq!(header("content-type"), "application/octet-stream");
    assert_eq!(header("pad-version"), version.to_string());
    let link = header(header::LINK.as_str()).to_owned();
    let proof = link.strip_prefix("<../").unwrap();
    let proof = proof.strip_suffix(">; rel=\"describedby\"").unwrap();
    let Resource::Answer(at, question) = Resource::parse(proof).unwrap() else {
        panic!("{link}");
    };
    assert_eq!(at, Version::new(version));
    let answer = raw(server, &format!("/v1/dictionaries/s/{proof}"), None).body;
    let statement = verify(author.key.public(), at, &question, &answer).unwrap();
    assert_eq!(value(&statement), Some(found.as_bytes()));
}

fn assert_refused(server: &TestServer, path: &str, (status, code): (u16, &str)) {
    let reply = get(server, path);
    let object: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
    let found = (reply.status.as_u16(), object["error"].as_str());
    assert_eq!(found, (status, Some(code)), "{path}");
    assert!(reply.headers.get(header::LINK).is_none());
}

#[test]
fn every_family_with_one_value_per_key_answers() {
    for_each_scheme(|scheme| {
        let author = Author::new(scheme);
        let is_log = scheme.family().is_append_only();
        let price = if scheme.is_set() { "" } else { "3" };
        author.publish(&[("apple", price), ("a/b", price)]);
        let server = author.serve();
        if is_log {
            assert_refused(&server, "apple", (422, "not_offered"));
            assert_refused(&server, "fig", (422, "not_offered"));
        } else {
            author.publish(&[("apple", "4")]);
            let server = author.serve();
            assert_value(&author, &server, ("apple", 2), "4");
            assert_value(&author, &server, ("apple?version=1", 1), "3");
            assert_value(&author, &server, ("%61pple?version=2", 2), "4");
            assert_value(&author, &server, ("a%2Fb", 2), "3");
            for absent in ["fig", "fig?version=1", "%00%FF"] {
                assert_refused(&server, absent, (404, "absent"));
            }
            assert_refused(&server, "apple?version=3", (404, "unknown_version"));
        }
    });
}

#[test]
fn malformed_and_long_requests_are_refused() {
    let author = Author::of_tree();
    let server = author.serve_short(4096);
    assert_refused(&server, "apple", (404, "unknown_version"));
    author.publish(&[("apple", "3"), ("long", &"x".repeat(5000))]);
    let followed = author.serve();
    let longest = "k".repeat(4097);
    for (path, refusal) in [
        ("", (404, "unknown_path")),
        ("a/b", (404, "unknown_path")),
        ("apple?at=1", (404, "unknown_path")),
        ("apple?version=", (400, "unreadable_path")),
        ("apple?version=01", (400, "unreadable_path")),
        ("%4", (400, "unreadable_path")),
        ("%zz", (400, "unreadable_path")),
        (&longest, (400, "unreadable_path")),
    ] {
        assert_refused(&followed, path, refusal);
    }
    drop(server);
    let server = author.serve_short(4096);
    assert_refused(&server, "long", (422, "too_long"));
    assert_value(&author, &server, ("apple", 1), "3");
}

#[test]
fn mirrors_and_routers_answer_with_the_version_that_they_name() {
    let author = Author::of_prices(9);
    let old = author.serve_keeping("old.pad", "0..4");
    let new = author.serve_keeping("new.pad", "4..");
    let router = route(&[&old, &new]);
    assert_value(&author, &new, ("apple", 9), "9");
    assert_value(&author, &old, ("apple?version=2", 2), "2");
    assert_refused(&old, "apple?version=9", (421, "not_kept"));
    assert_value(&author, &router, ("apple", 9), "9");
    for (path, version) in [("apple?version=2", 2), ("%61pple?version=8", 8)] {
        assert_value(&author, &router, (path, version), &version.to_string());
    }
    assert_refused(&router, "fig", (404, "absent"));
    assert_refused(&router, "fig?version=3", (404, "absent"));
    assert_refused(&router, "apple?version=12", (404, "unknown_version"));
    assert_refused(&router, "%", (400, "unreadable_path"));
}
