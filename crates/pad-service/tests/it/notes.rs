//! Tests of unsigned names and dates of versions on servers, mirrors and routers.

use std::fs;

use authdict::{
    KeyRange, SigningRecord, Version, VersionNote, VersionNotes,
    internals::version_notes::{
        NameError, last_second, missing_names, newest_at, only_version, sign_page, versions_of,
    },
};
use pad_client::{
    Client,
    internals::{NotesOutcome, notes_to_json, pages_to_json},
};
use pad_service::{Keep, Part};

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
        signature: None,
    }
}

/// The notes of [`NOTES`] on the versions `numbers`.
fn notes(numbers: &[u64]) -> VersionNotes {
    let all = (1..).zip(NOTES);
    all.filter(|(number, _)| numbers.contains(number))
        .map(|(number, (name, day))| (Version::new(number), note(name, day)))
        .collect()
}

/// Creates the author of a tree with [`noted`] versions.
fn noted_tree() -> Author {
    Author::shared("noted", noted)
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

/// Sends versions 1 to 4 to a server.
fn push_all(author: &Author, server: &TestServer) {
    for version in 1..=4 {
        push(author, server, version);
    }
}

fn push(author: &Author, server: &TestServer, version: u64) {
    let update = author.update("s.pad", version);
    connect(server).push(&update).unwrap();
}

/// Sends the author's notes on the versions `numbers` to a server.
fn deliver(author: &Author, server: &TestServer, numbers: &[u64]) -> NotesOutcome {
    let [page] = pages_to_json(&notes(numbers)).try_into().unwrap();
    connect(server).push_notes(&signed(author, &page)).unwrap()
}

/// Signs a page of notes.
fn signed(author: &Author, page: &str) -> Vec<u8> {
    sign_page(&(&author.key).into(), page.as_bytes()).expect("a key")
}

/// The outcome of a delivery of `taken` new notes. `different` notes differ from those known.
fn outcome(taken: u64, different: u64) -> NotesOutcome {
    NotesOutcome { taken, different }
}

/// A note on one version only.
fn single(version: u64, name: &str, day: &str) -> VersionNotes {
    let noted = [(Version::new(version), note(Some(name), day))];
    noted.into_iter().collect()
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

    fn client(author: &Author, servers: &[&TestServer]) -> Self {
        let client = author.follower(servers, "view");
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
    let is_before = matches!(&before, NameError::Before { version, .. } if *version == first);
    assert!(is_before, "{case}: {before}");
}

#[test]
fn names_and_dates_are_found_in_every_place() {
    for scheme in OF_EACH_KIND {
        let author = Author::new(scheme);
        noted(&author);
        assert_all_found(&Source::store(&author, "s.pad"), "author");
        let server = start(service(&author.create("pushed.pad")));
        push_all(&author, &server);
        for taken in [4, 0] {
            assert_eq!(deliver(&author, &server, &[1, 2, 3, 4]), outcome(taken, 0));
        }
        assert_eq!(connect(&server).versions().unwrap().notes, Some(4));
        let (copy, mut follower) = mirror(&author.create("mirror.pad"), &[&server]);
        assert!(follower.round().unwrap().incidents.is_empty());
        let mirrored = start(service_of(copy));
        let router = route(&[&server, &mirrored]);
        let (copy, mut follower) = mirror(&author.create("behind.pad"), &[&router]);
        follower.round().unwrap();
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
    }
}

#[test]
fn servers_without_notes_have_no_names_and_dates() {
    let author = Author::of_prices(4);
    let server = author.serve();
    let source = Source::client(&author, &[&server]);
    let undated = NameError::Undated("2026-10-24".into());
    assert_eq!(source.resolve("2026-10-24"), Err(undated));
    let public = author.key.public().clone();
    let part = Part::new(public, KeyRange::ALL, Keep::All, 1 << 20).unwrap();
    let part = start(service_of(std::sync::Arc::new(part)));
    let page = signed(&author, "[]");
    assert_code(connect(&part).push_notes(&page), "not_kept");
}

/// Notes that arrive later than the versions must reach a server and its mirror.
#[test]
fn later_deliveries_bring_missing_notes() {
    let author = noted_tree();
    let server = start(service(&author.create("pushed.pad")));
    push_all(&author, &server);
    let (copy, mut mirror) = mirror(&author.create("mirror.pad"), &[&server]);
    mirror.round().unwrap();
    let mirrored = start(service_of(copy));
    let source = Source::client(&author, &[&mirrored]);
    for numbers in [&[3][..], &[2, 3, 4], &[1]] {
        deliver(&author, &server, numbers);
        assert!(mirror.round().unwrap().incidents.is_empty());
        let found = source.all();
        let mut numbers = numbers.iter().copied().map(Version::new);
        assert!(numbers.all(|number| found.get(number).is_some()));
    }
    assert_all_found(&source, "mirror");
    // The server keeps its own note, and tells how many differ.
    let page = signed(&author, &notes_to_json(&single(2, "other", "2026-10-25")));
    let pushed = connect(&server).push_notes(&page).unwrap();
    assert_eq!(pushed, outcome(0, 1));
    assert_all_found(&source, "mirror");
}

/// Notes that arrive after the last version to copy must reach a mirror that stops there.
#[test]
fn later_deliveries_reach_a_mirror_of_a_range() {
    let author = noted_tree();
    let server = start(service(&author.create("pushed.pad")));
    push_all(&author, &server);
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
}

/// A server whose notes cannot be read must still report its versions.
#[test]
fn versions_are_reported_without_unreadable_notes() {
    let author = noted_tree();
    let server = author.serve();
    let store = fs::OpenOptions::new()
        .write(true)
        .open(author.path("s.pad"));
    store.unwrap().set_len(0).unwrap();
    let versions = connect(&server).versions().unwrap();
    assert_eq!((versions.latest, versions.notes), (Version::new(4), None));
}
