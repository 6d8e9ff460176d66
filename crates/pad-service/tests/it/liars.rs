//! Tests of lying servers. Clients must detect lies, query the next server, and store evidence.

use core::time::Duration;
use std::{
    fs,
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use authdict::{Key, KeyRange, Question, StoredView, Version, evidence};
use pad_client::{Client, ClientError, Fault, HttpOptions, Remote, internals::Resource};
use pad_conformance::soak;
use pad_web::server::{Answer, StatusCode};

use crate::fixture::*;

/// Asserts that every stored record is a JSON object that is marked as not transferable.
fn assert_recorded(author: &Author, base: &str, least: usize) {
    let records = author.kept(base, ".lie");
    assert!(records.len() >= least, "{} of {least}", records.len());
    for record in records {
        let record: serde_json::Value = serde_json::from_slice(&fs::read(record).unwrap()).unwrap();
        assert_eq!(record["transferable"], false);
        assert!(record["refusal"].as_str().unwrap().len() > 3);
        let server = record["server"].as_str().unwrap();
        assert!(server.starts_with("https://127.0.0.1:"));
        assert!(!record["exchanges"].as_array().unwrap().is_empty());
    }
}

#[test]
fn an_answer_with_any_byte_changed_is_refused_and_the_next_server_asked() {
    let author = Author::of_three_versions();
    let place = Arc::default();
    let liar = author.flipper(&["answers/"], &place);
    let honest = author.serve();
    let latest = Version::new(3);
    let resource = Resource::Answer(latest, about("apple"));
    let length = connect(&honest).get(&resource, 1 << 20).unwrap().len();
    let servers = [&liar, &honest].map(connect);
    for (number, byte) in (0..length).step_by(soak::size(5, 1)).enumerate() {
        place.store(byte, Ordering::SeqCst);
        let mut client = author.client_of(servers.to_vec(), author.new_view(), "view");
        assert_eq!(client.advance().unwrap(), latest);
        assert_value(&client, latest, "apple", "4");
        let incidents = client.take_incidents();
        assert_eq!(incidents.len(), 1, "byte {byte}: {incidents:?}");
        let is_lie = matches!(incidents[0].fault, Fault::Lied(_) | Fault::Fork(_));
        assert!(is_lie, "{incidents:?}");
        // Sixteen records are stored. For further records, the incident reports that they were not
        // stored.
        let is_kept = incidents[0].record.is_some();
        assert_eq!(is_kept, number < 16, "{incidents:?}");
        assert_eq!(is_kept, incidents[0].unkept.is_none());
        // The server that has answered is queried first from now on.
        client.ask(latest, &about("plum")).unwrap();
        assert!(client.take_incidents().is_empty());
    }
    assert_recorded(&author, "view", 16);
    // If there is no other server, the lie is an error.
    let alone = author.follower(&[&liar], "alone");
    assert!(alone.ask(latest, &about("apple")).unwrap_err().is_lie());
}

/// A response in a newer format version must be reported as such, and not as a lie.
#[test]
fn answers_of_a_newer_format_are_no_lies() {
    let author = Author::of_three_versions();
    for begin in [&["answers/"], &["heads/"], &["consistency/"]] {
        let honest = author.serve();
        let client = author.follower(&[&honest], "view");
        drop(honest);
        let seen = client.view().clone();
        author.publish(&[("fig", begin[0])]);
        let newer = author.forger(begin, |body| body[4] = 2);
        let mut client = author.client_with(&[&newer], seen, "view");
        let refused = match client.advance() {
            Err(refused) => refused,
            Ok(latest) => client.ask(latest, &about("apple")).unwrap_err(),
        };
        assert!(!refused.is_lie() && !refused.is_askers(), "{refused}");
        let said = refused.to_string();
        for version in ["version 1", "version 2"] {
            assert!(said.contains(version), "{said}");
        }
        assert!(author.kept("view", ".lie").is_empty());
    }
}

#[test]
fn heads_with_any_byte_changed_are_refused() {
    let author = Author::of_three_versions();
    let place = Arc::default();
    let liar = author.flipper(&["heads/", "consistency/"], &place);
    let honest = author.serve();
    let seen = author.follower(&[&honest], "view");
    let view = seen.view().clone();
    author.publish(&[("fig", "2")]);
    // A new server that opens the store again serves the new version.
    let newer = author.serve();
    let fourth = Resource::HeadOf(Version::new(4));
    let head = connect(&newer).get(&fourth, 1 << 20).unwrap();
    let liar_of_new = author.flipper(&["heads/"], &place);
    let (first, later) = (connect(&liar), [&liar_of_new, &newer].map(connect));
    for byte in (0..head.len()).step_by(soak::size(5, 1)) {
        place.store(byte, Ordering::SeqCst);
        let mut fresh = author.client_of(vec![first.clone()], author.new_view(), "fresh");
        assert!(fresh.advance().unwrap_err().is_lie(), "byte {byte}");
        let mut client = author.client_of(later.to_vec(), view.clone(), "later");
        assert_eq!(client.advance().unwrap(), Version::new(4));
        assert_eq!(client.take_incidents().len(), 1);
    }
}

#[test]
fn old_versions_and_answers_to_other_questions_are_refused() {
    let author = Author::of_three_versions();
    author.copy("s.pad", "old.pad");
    author.publish(&[("apple", "9")]);
    let honest = author.serve();
    let old = start(service(&author.path("old.pad")));
    let latest = Version::new(4);
    let mut client = author.client(&[&honest], "view");
    assert_eq!(client.advance().unwrap(), latest);
    // A server serves an old copy as the latest version. The view must not move back.
    let mut client = author.client_with(&[&old, &honest], client.view().clone(), "view");
    assert_eq!(client.advance().unwrap(), latest);
    let behind = only_fault(client.take_incidents());
    assert!(matches!(behind, Fault::Behind(_)), "{behind:?}");
    let mut behind = author.client_with(&[&old], client.view().clone(), "view");
    assert!(behind.advance().unwrap_err().is_lie());
    assert_eq!(behind.view().version(), latest);

    let repository = authdict::Server::of_any(author.path("s.pad")).unwrap();
    let answer = |version, key| repository.answer(version, &about(key)).unwrap();
    for (name, other) in [
        ("another version", answer(Version::new(3), "apple")),
        ("another key", answer(latest, "plum")),
        ("an absent key", answer(latest, "fig")),
        ("nothing", Vec::new()),
        ("a head", repository.head_message(latest).unwrap()),
        ("far too much", vec![0; 1 << 20]),
    ] {
        let liar = author.forger(&["answers/"], move |body| body.clone_from(&other));
        let client = author.follower(&[&liar, &honest], name);
        assert_value(&client, latest, "apple", "9");
        assert_eq!(client.take_incidents().len(), 1, "{name}");
        assert_recorded(&author, name, 1);
    }
}

#[test]
fn forks_leave_evidence_that_convinces_others() {
    let author = Author::of_three_versions();
    author.copy("s.pad", "fork.pad");
    author.publish(&[("apple", "9")]);
    author.publish_in("fork.pad", &[("apple", "10")]);
    let honest = author.serve();
    let forked = start(service(&author.path("fork.pad")));
    let client = author.follower(&[&honest], "view");
    let seen = client.view().clone();
    // The server returns another head for a version that the client has seen.
    let mut same = author.client_with(&[&forked, &honest], seen.clone(), "same");
    assert_eq!(same.advance().unwrap(), Version::new(4));
    // The server returns a longer history that does not continue the client's history.
    author.publish_in("fork.pad", &[("apple", "11")]);
    drop(forked);
    let forked = start(service(&author.path("fork.pad")));
    let mut longer = author.client_with(&[&forked, &honest], seen, "longer");
    assert_eq!(longer.advance().unwrap(), Version::new(4));
    // The server returns honest heads, and answers from the fork.
    let fork = authdict::Server::of_any(author.path("fork.pad")).unwrap();
    let answer = fork.answer(Version::new(4), &about("apple")).unwrap();
    // The heads are honest, so the evidence is in the answer.
    let sly = author.forger(&["answers/"], move |body| body.clone_from(&answer));
    let client = author.follower(&[&sly, &honest], "sly");
    assert_value(&client, Version::new(4), "apple", "9");
    for (client, base) in [(&same, "same"), (&longer, "longer"), (&client, "sly")] {
        let incidents = client.take_incidents();
        let is_fork = matches!(incidents[0].fault, Fault::Fork(_));
        assert!(is_fork, "{base}: {incidents:?}");
        let kept = fs::read(incidents[0].evidence.as_ref().unwrap()).unwrap();
        let version = evidence::check(author.key.public(), &kept).unwrap();
        assert_eq!(version, Version::new(4), "{base}");
        let stranger = Author::of_tree();
        assert!(evidence::check(stranger.key.public(), &kept).is_err());
        assert_recorded(&author, base, 1);
    }
}

/// Pages without entries, and pages that begin after the requested start, must count as lies. The
/// former would never end, the latter would omit entries.
#[test]
fn pages_that_lead_nowhere_are_lies() {
    let author = Author::of_three_versions();
    let latest = Version::new(3);
    let key = |name: &str| Some(Key::try_from(name).unwrap());
    let nowhere = KeyRange {
        start: None,
        end: key("a"),
    };
    let elsewhere = KeyRange {
        start: key("b"),
        end: None,
    };
    for lie in [nowhere, elsewhere] {
        let lie = Question::Range(lie).encode();
        let liar = author.forger(&["pages/"], move |body| body.clone_from(&lie));
        let honest = author.serve();
        let client = author.follower(&[&liar, &honest], "view");
        let (page, contents) = client.page(latest, &KeyRange::ALL).unwrap();
        assert_eq!((page, contents.entries.len()), (KeyRange::ALL, 4));
        let lie = only_fault(client.take_incidents());
        assert!(matches!(lie, Fault::Lied(_)), "{lie:?}");
        let alone = author.follower(&[&liar], "alone");
        assert!(alone.page(latest, &KeyRange::ALL).unwrap_err().is_lie());
    }
}

/// A server's claim that a dictionary has no version is unsigned. So the client must also ask its
/// other servers, and report no version only if all of them make this claim.
#[test]
fn a_server_that_says_there_is_no_version_hides_none() {
    let author = Author::of_three_versions();
    author.create("empty.pad");
    let empty = start(service(&author.path("empty.pad")));
    let honest = author.serve();
    author.client_at(&[&empty, &honest], "view", 3);
    let mut alone = author.client(&[&empty], "alone");
    assert_eq!(alone.advance().unwrap(), Version::EMPTY);
    let liar = author.forger(&["heads/"], |body| *body.last_mut().unwrap() ^= 1);
    let mut both = author.client(&[&empty, &liar], "both");
    assert!(both.advance().unwrap_err().is_lie());
}

#[test]
fn servers_that_fail_are_passed_over() {
    let author = Author::of_three_versions();
    let failing =
        author.liar(|_, _| Answer::text(StatusCode::INTERNAL_SERVER_ERROR, "\u{1b}[31mno"));
    let gone = connect(&author.serve());
    let honest = author.serve();
    let servers = vec![connect(&failing), gone, connect(&honest)];
    let view = StoredView::new(author.key.public().clone());
    let mut client = Client::new(servers, view, None).unwrap();
    assert_eq!(client.advance().unwrap(), Version::new(3));
    let incidents = client.take_incidents();
    assert_eq!(incidents.len(), 2);
    for incident in &incidents {
        assert!(matches!(incident.fault, Fault::Silent(_)), "{incident:?}");
        assert!(!incident.to_string().contains('\u{1b}'));
    }
    assert_value(&client, Version::new(1), "pear", "5");
    assert!(client.take_incidents().is_empty());
}

/// Creates a client with these options.
fn hasty_client(author: &Author, servers: &[&TestServer], options: &HttpOptions) -> Client {
    let servers = servers.iter();
    let servers = servers.map(|server| Remote::connect(&address(server), options.clone()));
    let servers = servers.map(Result::unwrap).collect();
    Client::new(servers, author.new_view(), None).unwrap()
}

/// The client must wait for slow servers only if no other server answers.
#[test]
fn slow_servers_are_waited_for_when_nobody_else_answers() {
    let author = Author::of_three_versions();
    let slow = |asked: &Arc<AtomicUsize>| {
        let asked = Arc::clone(asked);
        author.liar(move |_, answer| {
            asked.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(500));
            answer
        })
    };
    let hasty = HttpOptions {
        wait: Duration::from_millis(20),
        ..http_options()
    };
    let client = |servers: &[&TestServer]| hasty_client(&author, servers, &hasty);
    let asked = Arc::default();
    let (one, two) = (slow(&asked), slow(&asked));
    let mut alone = client(&[&one, &two]);
    alone.advance().unwrap();
    assert_eq!(alone.view().version(), Version::new(3));
    assert!(asked.load(Ordering::SeqCst) > 2);
    let quick = author.serve();
    let mut base = client(&[&one, &quick]);
    // Under load, the fast server may be slow too. Then the client waits for it.
    base.advance().unwrap();
    assert_eq!(base.view().version(), Version::new(3));
}

/// An honest server that is busy at the first request must be asked again before a server that does
/// not answer. The silent server is before it in the list.
#[test]
fn a_busy_server_is_asked_again_before_a_silent_one() {
    let author = Author::of_three_versions();
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let silent = author.liar(move |_, answer| {
        counted.fetch_add(1, Ordering::SeqCst);
        thread::sleep(Duration::from_secs(4));
        answer
    });
    let first = AtomicBool::new(true);
    let busy = author.liar(move |_, answer| {
        if first.swap(false, Ordering::SeqCst) {
            return Answer::text(StatusCode::SERVICE_UNAVAILABLE, "busy");
        }
        answer
    });
    let hasty = HttpOptions {
        wait: Duration::from_secs(2),
        ..http_options()
    };
    let mut client = hasty_client(&author, &[&silent, &busy], &hasty);
    assert_eq!(client.advance().unwrap(), Version::new(3));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

/// Only one of two silent servers is retried, because the handle of the other one already has the
/// longest timeout. The error must name each server once.
#[test]
fn an_error_names_each_server_once() {
    let author = Author::of_tree();
    // Connections are queued, and never accepted.
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let transfer = Duration::from_millis(60);
    let waits = [transfer, transfer / 2].into_iter();
    let servers = listeners.iter().zip(waits).map(|(listener, wait)| {
        let address = listener.local_addr().unwrap();
        let options = HttpOptions {
            wait,
            transfer,
            attempts: 1,
            ..HttpOptions::default()
        };
        Remote::connect(&format!("http://{address}/v1/dictionaries/d"), options).unwrap()
    });
    let servers: Vec<_> = servers.collect();
    let mut expected: Vec<_> = servers.iter().map(Remote::address).collect();
    expected.sort_unstable();
    let view = StoredView::new(author.key.public().clone());
    let mut client = Client::new(servers, view, None).unwrap();
    let Err(ClientError::AllServersFailed(incidents)) = client.advance() else {
        panic!("a server answered");
    };
    let named = incidents.into_iter().map(|incident| incident.server);
    let mut named: Vec<_> = named.collect();
    named.sort_unstable();
    assert_eq!(named, expected);
}
