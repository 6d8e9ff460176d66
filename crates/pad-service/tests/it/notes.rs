//! Tests of unsigned names and dates of versions on servers, mirrors and routers.

use std::{fs, sync::Arc};

use authdict::{
    KeyRange, SchemeName, SigningRecord, Version, VersionNote, VersionNotes,
    internals::version_notes::{
        NameError, last_second, missing_names, newest_at, only_version, sign_page, versions_of,
    },
};
use pad_client::{
    Client,
    internals::{NotesOutcome, notes_to_json, pages_to_json},
};
use pad_service::{Dictionary, Keep, Mirror, Part, Router};
use pad_web::server::{Limits, RunningServer};

use crate::fixture::*;

mod lies;
mod writers;

/// The names and days of the versions. The days do not ascend.
const NOTES: [(Option<&str>, &str); 4] = [
    (Some("first"), "2026-10-20"),
    (Some("second"), "2026-10-25"),
    (None, "2026-10-23"),
    (Some("fourth"), "2026-11-01"),
];

fn note(name: Option<&str>, day: &str) -> VersionNote {
    VersionNote {
        name: name.map(Into::into),
        seconds: last_second(day).unwrap(),
        changes: 1,
        entries: 1,
    }
}

/// The notes of [`NOTES`] on the versions `numbers`.
fn notes(numbers: &[u64]) -> VersionNotes {
    let all = (1..).zip(NOTES);
    all.filter(|(number, _)| numbers.contains(number))
        .map(|(number, (name, day))| (Version::new(number), note(name, day)))
        .collect()
}

/// Signs versions with the notes of [`NOTES`]. The price of apples in each version is its number.
fn noted(author: &Author) {
    let record = SigningRecord::open_or_begin(&author.path("s.pad.signed")).unwrap();
    let mut signer = authdict::Author::of_any(author.path("s.pad"), &author.key, record).unwrap();
    for (number, (name, day)) in (1_u64..).zip(NOTES) {
        let version = signer
            .stage(vec![put("apple", &number.to_string())])
            .unwrap();
        let mut records = missing_names(signer.server().store()).unwrap();
        records.extend(note(name, day).records(version));
        signer.flush(&records).unwrap();
    }
}

/// Sends versions `first` to 4 to a server.
fn push_from(author: &Author, server: &RunningServer, first: u64) {
    for version in first..=4 {
        connect(server)
            .push(&author.update("s.pad", version))
            .unwrap();
    }
}

/// Sends the author's notes on the versions `numbers` to a server.
fn deliver(author: &Author, server: &RunningServer, numbers: &[u64]) -> NotesOutcome {
    let [page] = pages_to_json(&notes(numbers)).try_into().unwrap();
    let signed = sign_page(&(&author.key).into(), page.as_bytes()).expect("a key");
    connect(server).push_notes(&signed).unwrap()
}

/// The outcome of a delivery of `taken` new notes.
fn outcome(taken: u64) -> NotesOutcome {
    NotesOutcome {
        taken,
        different: 0,
    }
}

fn mirror_of(
    author: &Author,
    store: &str,
    upstreams: &[&RunningServer],
) -> (Arc<Dictionary>, Mirror) {
    let dictionary = Arc::new(Dictionary::open(&author.create(store)).unwrap());
    let upstreams = upstreams.iter().map(|server| connect(server)).collect();
    let base = author.path(store);
    let mirror = Mirror::new(Arc::clone(&dictionary), upstreams, base, Arc::default());
    (dictionary, mirror)
}

/// A source of names and dates: a store, or a client of servers.
enum Source {
    Store(authdict::Server),
    Client(Box<Client>),
}

impl Source {
    fn store(author: &Author, name: &str) -> Self {
        Self::Store(authdict::Server::of_any(author.path(name)).unwrap())
    }

    fn client(author: &Author, servers: &[&RunningServer]) -> Self {
        let mut client = author.client(servers, "view");
        client.advance().unwrap();
        Self::Client(Box::new(client))
    }

    fn latest(&self) -> Version {
        match self {
            Self::Store(server) => server.latest(),
            Self::Client(client) => client.view().version(),
        }
    }

    fn notes(&self, first: Version, last: Version) -> VersionNotes {
        match self {
            Self::Store(server) => VersionNotes::read(server.store(), first, last).unwrap(),
            Self::Client(client) => client.notes(first, last).unwrap().into_unverified(),
        }
    }

    fn all(&self) -> VersionNotes {
        self.notes(Version::new(1), self.latest())
    }

    /// Resolves a name or a date to a version.
    fn resolve(&self, text: &str) -> Result<u64, NameError> {
        let named = match self {
            Self::Store(server) => versions_of(server.store(), text).unwrap(),
            Self::Client(client) => match client.named(text) {
                // If a server fails, it is unknown whether a version has this name.
                Err(_) if last_second(text).is_some() => Vec::new(),
                named => named.unwrap().into_unverified(),
            },
        };
        let version = match (only_version(text, named), last_second(text)) {
            (Err(NameError::Unknown(_)), Some(seconds)) => {
                let read = |first, last| Ok::<_, NameError>(self.notes(first, last));
                newest_at((text, seconds), self.latest(), read)?.0
            }
            (found, _) => found?,
        };
        if let Self::Client(client) = self {
            // The answer is about the number, and is verified.
            assert_priced(client, version.number());
        }
        Ok(version.number())
    }
}

fn assert_all_found(source: &Source, case: &str) {
    assert_eq!(source.all(), notes(&[1, 2, 3, 4]), "{case}");
    for (text, version) in [
        ("first", 1),
        ("second", 2),
        ("2026-10-20", 1),
        ("2026-10-22", 1),
        ("2026-10-23", 3),
        ("2026-10-25", 3),
        ("2026-10-25T00:00:00Z", 3),
        ("2026-11-02", 4),
    ] {
        assert_eq!(source.resolve(text), Ok(version), "{case}: {text}");
    }
    let before = source.resolve("2026-10-19").unwrap_err();
    let first = Version::new(1);
    assert!(
        matches!(&before, NameError::Before { version, .. } if *version == first),
        "{case}: {before}"
    );
}

#[test]
fn names_and_dates_are_found_in_every_place() {
    // The contents of the last scheme are kept in memory.
    for scheme in [
        SchemeName::RedBlack,
        SchemeName::TupleSpecLightweight,
        SchemeName::TupleAccumulatorsBilinear,
    ] {
        let author = Author::new(scheme);
        noted(&author);
        assert_all_found(&Source::store(&author, "s.pad"), "author");
        let server = start(service(&author.create("pushed.pad")));
        push_from(&author, &server, 1);
        assert_eq!(deliver(&author, &server, &[1, 2, 3, 4]), outcome(4));
        assert_eq!(deliver(&author, &server, &[1, 2, 3, 4]), outcome(0));
        assert_eq!(connect(&server).versions().unwrap().notes, Some(4));
        let (copy, mut mirror) = mirror_of(&author, "mirror.pad", &[&server]);
        assert!(mirror.round().unwrap().incidents.is_empty());
        let mirrored = start(service_of(copy));
        let upstreams = [&server, &mirrored].map(connect).to_vec();
        let router = Router::new("s".into(), upstreams, None, Limits::default()).unwrap();
        let router = start(router);
        let (copy, mut mirror) = mirror_of(&author, "behind.pad", &[&router]);
        mirror.round().unwrap();
        let behind = start(service_of(copy));
        author.copy("pushed.pad", "copied.pad");
        assert_all_found(&Source::store(&author, "copied.pad"), "copied store");
        for (case, server) in [
            ("server", &server),
            ("mirror", &mirrored),
            ("router", &router),
            ("mirror of the router", &behind),
        ] {
            let source = Source::client(&author, &[server]);
            assert_all_found(&source, case);
            let unknown = NameError::Unknown("nothing".into());
            assert_eq!(source.resolve("nothing"), Err(unknown), "{case}");
        }
        for server in [behind, router, mirrored, server] {
            stop(server);
        }
    }
}

#[test]
fn servers_without_notes_have_no_names_and_dates() {
    let author = Author::of_tree();
    priced(&author, 4);
    let server = start(service(&author.path("s.pad")));
    let source = Source::client(&author, &[&server]);
    let undated = NameError::Undated("2026-10-24".into());
    assert_eq!(source.resolve("2026-10-24"), Err(undated));
    let part = Part::new(
        author.key.public().clone(),
        KeyRange::ALL,
        Keep::All,
        1 << 20,
    )
    .unwrap();
    let dictionaries = [("s".to_owned(), Arc::new(part))].into();
    let part = start(pad_service::Service::new(dictionaries, Limits::default()));
    let signed = sign_page(&(&author.key).into(), b"[]").expect("a key");
    let refused = connect(&part).push_notes(&signed).unwrap_err();
    assert!(refused.is("not_kept"), "{refused}");
    stop(part);
    stop(server);
}

/// Notes that arrive later than the versions must reach a server and its mirror.
#[test]
fn later_deliveries_bring_missing_notes() {
    let author = Author::of_tree();
    noted(&author);
    let server = start(service(&author.create("pushed.pad")));
    push_from(&author, &server, 1);
    let (copy, mut mirror) = mirror_of(&author, "mirror.pad", &[&server]);
    mirror.round().unwrap();
    let mirrored = start(service_of(copy));
    let source = Source::client(&author, &[&mirrored]);
    for numbers in [&[3][..], &[2, 3, 4], &[1]] {
        deliver(&author, &server, numbers);
        assert!(mirror.round().unwrap().incidents.is_empty());
        let found = source.all();
        assert!(
            numbers
                .iter()
                .all(|number| found.get(Version::new(*number)).is_some())
        );
    }
    assert_all_found(&source, "mirror");
    // The server keeps its own note, and tells how many differ.
    let other = [(Version::new(2), note(Some("other"), "2026-10-25"))];
    let page = notes_to_json(&other.into_iter().collect());
    let signed = sign_page(&(&author.key).into(), page.as_bytes()).expect("a key");
    let outcome = connect(&server).push_notes(&signed).unwrap();
    assert_eq!(
        outcome,
        NotesOutcome {
            taken: 0,
            different: 1
        }
    );
    assert_all_found(&source, "mirror");
    stop(mirrored);
    stop(server);
}

/// Notes that arrive after the last version to copy must reach a mirror that stops there.
#[test]
fn later_deliveries_reach_a_mirror_of_a_range() {
    let author = Author::of_tree();
    noted(&author);
    let server = start(service(&author.create("pushed.pad")));
    push_from(&author, &server, 1);
    let upstreams = vec![connect(&server)];
    let (copy, mut mirror) = mirror_keeping(&author.create("mirror.pad"), "0..3", upstreams);
    mirror.round().unwrap();
    assert!(copy.is_complete());
    for numbers in [&[1][..], &[2, 3, 4]] {
        deliver(&author, &server, numbers);
        mirror.round().unwrap();
    }
    let stored = Source::store(&author, "mirror.pad").all();
    assert_eq!(stored, notes(&[1, 2, 3]));
    stop(server);
}

/// A server whose notes cannot be read must still report its versions.
#[test]
fn versions_are_reported_without_unreadable_notes() {
    let author = Author::of_tree();
    noted(&author);
    let server = start(service(&author.path("s.pad")));
    let store = fs::OpenOptions::new()
        .write(true)
        .open(author.path("s.pad"));
    store.unwrap().set_len(0).unwrap();
    let versions = connect(&server).versions().unwrap();
    assert_eq!((versions.latest, versions.notes), (Version::new(4), None));
    stop(server);
}
