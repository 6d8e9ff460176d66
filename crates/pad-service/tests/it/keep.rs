//! Tests of servers that retain only some versions.

use std::{sync::Barrier, thread};

use authdict::{KeyRange, Question, Server, Version};
use pad_client::{FetchError, PushOutcome, Remote, Versions, internals::Resource};
use pad_service::{CannotKeep, Dictionary, Keep};

use crate::fixture::*;

fn versions(oldest: u64, latest: u64, until: Option<u64>) -> Versions {
    Versions {
        keys: None,
        oldest: Version::new(oldest),
        latest: Version::new(latest),
        until: until.map(Version::new),
        notes: Some(0),
    }
}

fn got(server: &Remote, resource: &Resource) -> Result<Vec<u8>, FetchError> {
    server.get(resource, 1 << 20)
}

fn assert_not_kept(server: &Remote, resource: &Resource) {
    match got(server, resource) {
        Err(error) => {
            assert!(error.is("not_kept") && error.is_elsewhere(), "{error}");
            assert!(error.to_string().contains("kept are versions 3 to 6"));
        }
        Ok(_) => panic!("{resource:?} is kept"),
    }
}

#[test]
fn a_snapshot_server_has_its_versions_and_says_so_of_others() {
    for scheme in OF_EACH_KIND {
        let author = Author::new(scheme);
        priced(&author, 9);
        let upstream = author.serve();
        let store = author.create("mirror.pad");
        let (dictionary, mut follower) = mirror_keeping(&store, "3..6", vec![connect(&upstream)]);
        let round = follower.round().unwrap();
        assert_eq!((round.taken, round.latest), (6, Version::new(6)));
        assert!(round.incidents.is_empty() && dictionary.is_complete());
        // The server has all versions of its policy, so it does not need the other server.
        drop(upstream);
        assert!(follower.round().unwrap().incidents.is_empty());
        drop((dictionary, follower));
        // Its store contains exactly these versions.
        let stored = Server::of_any(&store).unwrap();
        let kept = [stored.oldest(), stored.latest()];
        assert_eq!(kept, [3, 6].map(Version::new));
        drop(stored);
        let (dictionary, _) = mirror_keeping(&store, "3..6", Vec::new());
        let server = start(service_of(dictionary));
        let source = connect(&server);
        assert_eq!(source.versions().unwrap(), versions(3, 6, Some(6)));
        let client = author.client_at(&[&server], "view", 6);
        for version in 3..=6 {
            assert_priced(&client, version);
        }
        let at = Version::new;
        for version in [1, 2, 7, 9].map(at) {
            assert_not_kept(&source, &Resource::Answer(version, about("apple")));
            assert_not_kept(&source, &Resource::Page(version, KeyRange::ALL));
            assert_not_kept(&source, &Resource::Update(version));
        }
        assert_not_kept(&source, &Resource::Update(at(3)));
        assert_not_kept(&source, &Resource::Updates(at(3), at(5)));
        assert_not_kept(&source, &Resource::Updates(at(5), at(8)));
        assert_not_kept(&source, &Resource::HeadOf(at(7)));
        assert_not_kept(&source, &Resource::Consistency(at(2), at(8)));
        for resource in [
            Resource::HeadOf(at(1)),
            Resource::Consistency(at(1), at(6)),
            Resource::Update(at(4)),
            Resource::Updates(at(4), at(6)),
        ] {
            assert!(got(&source, &resource).is_ok(), "{scheme} {resource:?}");
        }
        // Other versions that clients send are refused, too.
        assert_code(source.push(&author.update("s.pad", 7)), "not_kept");
        let known = source.push(&author.update("s.pad", 6));
        assert_eq!(known, Ok(PushOutcome::Known));
        assert_eq!(source.versions().unwrap(), versions(3, 6, Some(6)));
    }
}

#[test]
fn older_versions_are_dropped_as_a_mirror_follows() {
    for scheme in OF_EACH_KIND {
        let author = Author::new(scheme);
        let served = service(&author.path("s.pad"));
        let task = served.follow(SECOND / 100);
        let server = start(served);
        let upstream = connect(&server);
        let (mut since, mut last) = (
            mirror_keeping(&author.create("since.pad"), "4..", vec![upstream.clone()]),
            mirror_keeping(&author.create("last.pad"), "last:2", vec![upstream.clone()]),
        );
        for version in 1..=9 {
            author.publish(&[("apple", &version.to_string())]);
            while upstream.versions().unwrap().latest < Version::new(version) {
                thread::sleep(SECOND / 200);
            }
            for (copy, follower) in [&mut since, &mut last] {
                assert_eq!(follower.round().unwrap().taken, 1);
                assert_eq!(copy.latest(), Version::new(version));
            }
            let oldest =
                |dictionary: &Dictionary| dictionary.read(|server| server.oldest().number());
            assert_eq!(oldest(&since.0), if version < 4 { 0 } else { 4 });
            let expected = [0, 0, 0, 3, 3, 3, 6, 6, 6];
            let place = usize::try_from(version).unwrap() - 1;
            assert_eq!(oldest(&last.0), expected[place], "{scheme} {version}");
        }
        let kept = start(service_of(since.0));
        let client = author.client_at(&[&kept], "view", 9);
        for version in 4..=9 {
            assert_priced(&client, version);
        }
        assert!(client.ask(Version::new(3), &about("apple")).is_err());
        drop(task);
    }
}

#[test]
fn clients_ask_the_next_server_and_call_nobody_a_liar() {
    let author = Author::of_prices(9);
    let full = author.serve();
    let store = author.create("mirror.pad");
    let (dictionary, mut follower) = mirror_keeping(&store, "3..6", vec![connect(&full)]);
    follower.round().unwrap();
    let snapshot = start(service_of(dictionary));
    let mut client = author.client(&[&snapshot, &full], "view");
    // The first server's latest version must not count as the newest version.
    assert_eq!(client.advance().unwrap(), Version::new(9));
    for version in [1, 4, 8, 3, 6, 9, 2] {
        assert_priced(&client, version);
    }
    assert_eq!(client.oldest().unwrap(), Version::EMPTY);
    assert!(client.take_incidents().is_empty());
    let view = client.view().clone();
    // Without other servers, it answers about the versions that it retains, and the view does not
    // move back.
    let mut client = author.client_with(&[&snapshot], view, "alone");
    assert_eq!(client.advance().unwrap(), Version::new(9));
    assert_priced(&client, 5);
    let nobody = client.ask(Version::new(9), &about("apple")).unwrap_err();
    assert!(nobody.is_askers() && !nobody.is_lie(), "{nobody}");
    for base in ["view", "alone"] {
        assert!(author.kept(base, ".lie").is_empty());
    }
    // The server with all versions is stopped.
    drop(full);
    author.client_at(&[&snapshot], "new", 6);
}

#[test]
fn copies_of_stores_begin_snapshot_servers() {
    let author = Author::of_prices(9);
    // A store that contains versions newer than the retained ones.
    let store = author.copy("s.pad", "copy.pad");
    let (dictionary, mut follower) = mirror_keeping(&store, "3..6", Vec::new());
    follower.round().unwrap();
    let server = start(service_of(dictionary));
    let source = connect(&server);
    assert_eq!(source.versions().unwrap(), versions(3, 6, Some(6)));
    assert_not_kept(&source, &Resource::HeadOf(Version::new(7)));
    assert_not_kept(&source, &Resource::Answer(Version::new(7), about("apple")));
    let client = author.client_at(&[&server], "view", 6);
    assert_priced(&client, 3);
    let range = Question::Range(KeyRange::ALL);
    assert!(client.ask(Version::new(6), &range).is_ok());
    drop(server);
    // Versions that were pruned cannot be retained again.
    let keep = |keep: Keep| Dictionary::open(&store).unwrap().keeping(keep);
    let (wanted, oldest) = (Version::new(2), Version::new(3));
    let gone = CannotKeep::Gone { wanted, oldest };
    assert_eq!(keep(Keep::From(wanted)).unwrap_err(), gone);
    assert!(keep(Keep::From(oldest)).is_ok());
}

/// A mirror follows each server on its own thread. If two servers provide the last versions at the
/// same time, neither may be refused.
#[test]
fn the_last_versions_may_be_brought_twice_at_once() {
    let author = Author::of_prices(3);
    let updates = [1, 2, 3].map(|version| author.update("s.pad", version));
    for round in 0..8 {
        let store = author.create(&format!("copy{round}.pad"));
        let (dictionary, _) = mirror_keeping(&store, "0..3", Vec::new());
        let start = Barrier::new(2);
        let taken: usize = thread::scope(|scope| {
            let bringers = [(); 2].map(|()| {
                scope.spawn(|| {
                    start.wait();
                    dictionary.apply(&updates).unwrap().taken
                })
            });
            bringers.map(|bringer| bringer.join().unwrap()).iter().sum()
        });
        assert_eq!((taken, dictionary.latest()), (3, Version::new(3)));
    }
}
