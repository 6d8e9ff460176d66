//! Tests of deliveries that a server refuses, and of servers that send false or malformed notes.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use authdict::{
    Version, VersionNotes,
    internals::version_notes::{LONGEST_NAME, verify_page},
};
use pad_client::internals::notes_to_json;
use pad_service::Mirror;
use pad_web::{client::StatusCode, server::Answer};
use serde_json::{Value as Json, json};

use super::{Source, assert_all_found, note, noted_tree, notes, push_all, signed, single};
use crate::{
    fixture::*,
    serve::{fetched, posted, raw},
};

#[test]
fn notes_of_others_and_pages_that_are_none_are_refused() {
    let author = noted_tree();
    let server = start(service(&author.create("pushed.pad")));
    push_all(&author, &server);
    let good = notes_to_json(&notes(&[1, 2]));
    let own = |page: &str| signed(&author, page);
    let page_of = |of: &[(u64, &str)]| {
        let note = |(version, name): &(u64, &str)| {
            let mut note = json!({ "name": name, "time": 1, "changes": 1, "entries": 1 });
            note["version"] = (*version).into();
            note
        };
        own(&of.iter().map(note).collect::<Json>().to_string())
    };
    let misplaced = note(None, "2026-10-20").sign(&(&author.key).into(), Version::new(2));
    let misplaced = [(Version::new(1), misplaced.unwrap())];
    let misplaced = own(&notes_to_json(&misplaced.into_iter().collect()));
    let many: Vec<_> = (1..=1001).map(|version| (version, "a")).collect();
    let long = "x".repeat(LONGEST_NAME + 1);
    let [negative, untimed] = ["\"time\":-", "\"tame\":"].map(|it| good.replace("\"time\":", it));
    let elsewhere = author.of_another(true);
    let (refused, unreadable) = ((422, "notes_refused"), (400, "unreadable_notes"));
    let unknown = (404, "unknown_version");
    for (case, body, (status, code)) in [
        ("unsigned", good.clone().into_bytes(), refused),
        ("empty", Vec::new(), refused),
        ("stranger", signed(&Author::of_tree(), &good), refused),
        ("other dictionary", signed(&elsewhere, &good), refused),
        ("note of another version", misplaced, refused),
        ("no JSON", own("["), unreadable),
        ("no list", own("{}"), unreadable),
        ("no number", own(&negative), unreadable),
        ("no time", own(&untimed), unreadable),
        ("descending", page_of(&[(2, "b"), (1, "a")]), unreadable),
        ("twice", page_of(&[(1, "b"), (1, "a")]), unreadable),
        ("long name", page_of(&[(1, &long)]), unreadable),
        ("two pages", page_of(&[(1, "a"), (1001, "b")]), unreadable),
        ("too many", page_of(&many), unreadable),
        ("unknown", page_of(&[(4, "a"), (5, "b")]), unknown),
    ] {
        let reply = raw(&server, "/v1/dictionaries/s/notes", Some(posted(&body)));
        assert_eq!(reply.status.as_u16(), status, "{case}");
        let said: Json = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(said["error"], code, "{case}");
    }
    let huge = own(&format!("[{}", " ".repeat(1 << 20)));
    let reply = fetched(&server, "/v1/dictionaries/s/notes", Some(posted(&huge)));
    let is_taken = reply.is_ok_and(|reply| reply.status.is_success());
    assert!(!is_taken);
    assert!(verify_page(author.key.public(), &huge).is_ok());
    assert_eq!(connect(&server).versions().unwrap().notes, Some(0));
}

fn instead(mut answer: Answer, body: impl Into<Vec<u8>>) -> Answer {
    answer.status = StatusCode::OK;
    answer.body = body.into();
    answer
}

#[test]
fn false_names_and_dates_select_another_version_at_most() {
    let author = noted_tree();
    let forged = single(4, "first", "2026-10-19");
    let forger = author.liar(move |path, answer| match path.split_once('/') {
        Some(("names", _)) => instead(answer, "[4]"),
        Some(("notes", _)) => instead(answer, notes_to_json(&forged)),
        _ => answer,
    });
    let source = Source::client(&author, &[&forger]);
    // The answer about the wrong version is the true one, which `resolve` verifies.
    assert_eq!(source.resolve("first"), Ok(4));
    drop(forger);
    let beyond = author.liar(|path, answer| match path.split_once('/') {
        Some(("names", _)) => instead(answer, "[99]"),
        _ => answer,
    });
    let Source::Client(client) = Source::client(&author, &[&beyond]) else {
        panic!("no client");
    };
    let named = client.named("first").unwrap().into_unverified();
    assert_eq!(named, [Version::new(99)]);
    assert!(client.ask(named[0], &about("apple")).is_err());
}

#[test]
fn malformed_notes_are_refused_and_the_next_server_asked() {
    let author = noted_tree();
    let honest = author.serve();
    let good = notes_to_json(&notes(&[1, 2, 3, 4]));
    let [one, two] = [1, 2].map(|number| notes_to_json(&notes(&[number])));
    let [one, two] = [&one, &two].map(|list| list.trim_matches(['[', ']']));
    let both = format!("[{two},{one}]");
    let long = "x".repeat(LONGEST_NAME + 1);
    let moved = good.replace(r#""version":4"#, r#""version":5"#);
    let keys = (&author.key).into();
    let signed = |of| note(Some("first"), "2026-10-20").sign(&keys, Version::new(of));
    let wrong = [(Version::new(1), signed(2).unwrap())];
    let wrong = notes_to_json(&wrong.into_iter().collect());
    for (case, body) in [
        ("descending", both.clone()),
        ("twice", both.replace(r#""version":2"#, r#""version":1"#)),
        ("other version", moved),
        ("long name", good.replace("first", &long)),
        ("no date", good.replace(r#""time":"#, r#""time":"","x":"#)),
        ("huge", format!("[{}]", " ".repeat(25 << 20))),
        ("no JSON", "<html>".into()),
        ("wrong signature", wrong),
    ] {
        let lying = author.liar(move |path, answer| match path.split_once('/') {
            Some(("notes" | "names", _)) => instead(answer, body.clone()),
            _ => answer,
        });
        let alone = author.client_with(&[&lying], author.new_view(), "alone");
        let (first, last) = (Version::new(1), Version::new(4));
        assert!(alone.notes(first, last).is_err(), "{case}");
        assert!(alone.named("first").is_err(), "{case}");
        assert_all_found(&Source::client(&author, &[&lying, &honest]), case);
        // A mirror takes the versions, and the notes of the other server.
        let store = format!("{case}.pad");
        let (copy, mut follower) = mirror(&author.create(&store), &[&lying]);
        let round = follower.round().unwrap();
        assert_eq!((round.latest, round.incidents.len()), (last, 0), "{case}");
        assert_eq!(copy.latest(), last);
        let stored = Source::store(&author, &store).all();
        assert_eq!(stored, VersionNotes::default(), "{case}");
        let upstreams = [&lying, &honest].map(connect).to_vec();
        let mut mirror = Mirror::new(copy, upstreams, author.path(&store), Arc::default());
        mirror.round().unwrap();
        assert_all_found(&Source::store(&author, &store), case);
    }
}

/// A server that claims notes and sends none must not cause many requests.
#[test]
fn claimed_notes_cost_a_mirror_one_request_in_each_round() {
    let author = noted_tree();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let lying = author.liar(move |path, answer| {
        if path == "versions" {
            let text = String::from_utf8(answer.body.clone()).unwrap();
            let claimed = format!("\"notes\":{}", u64::MAX);
            return instead(answer, text.replace("\"notes\":4", &claimed));
        }
        if path.starts_with("notes/") {
            count.fetch_add(1, Ordering::SeqCst);
            return instead(answer, "[]");
        }
        answer
    });
    let (_, mut mirror) = mirror(&author.create("mirror.pad"), &[&lying]);
    mirror.round().unwrap();
    // One request is about the versions that were applied.
    assert_eq!(asked.swap(0, Ordering::SeqCst), 2);
    for _ in 0..3 {
        mirror.round().unwrap();
        assert_eq!(asked.swap(0, Ordering::SeqCst), 1);
    }
}

/// A server that sends one new note for each request must not cause a request for each version in
/// one round.
#[test]
fn notes_sent_one_by_one_are_bounded_in_each_round() {
    let author = Author::of_tree();
    let batches = vec![vec![put("apple", "1")]; 20];
    assert_eq!(author.sign("s.pad", batches).unwrap(), Version::new(20));
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let slow = author.liar(move |path, answer| {
        if path == "versions" {
            let text = String::from_utf8(answer.body.clone()).unwrap();
            let claimed = format!("\"notes\":{}", 1_u64 << 63);
            return instead(answer, text.replace("\"notes\":0", &claimed));
        }
        if path.starts_with("notes/") {
            let sent = count.fetch_add(1, Ordering::SeqCst) + 1;
            let known = (1..=20).take(sent);
            let known = known.map(|version| (Version::new(version), note(None, "2026-10-20")));
            return instead(answer, notes_to_json(&known.collect()));
        }
        answer
    });
    let (_, mut mirror) = mirror(&author.create("mirror.pad"), &[&slow]);
    // The first request is about the versions that were applied. Then a round has 16 pages, and the
    // next round requests the remaining three notes and a page without new ones.
    for requests in [1 + 16, 3 + 1, 1] {
        let before = asked.load(Ordering::SeqCst);
        mirror.round().unwrap();
        assert_eq!(asked.load(Ordering::SeqCst) - before, requests);
    }
    let copied = Source::store(&author, "mirror.pad").all();
    assert_eq!(copied.iter().count(), 20);
}
