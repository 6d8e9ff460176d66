//! Tests of block directories over HTTP: honest servers, lying servers and hostile clients.

use std::sync::{Arc, Mutex};

use authdict::{
    SchemeName, SecretKey, Sha256Ed25519, StoredView, SuiteName, VerifyError, Version,
    block_directory::{
        BlockDirectory, CacheBudget, DirectoryClient, Entry, EntryId, EntryQuery, EntryRange,
        FullAuthor, internals::RangeRequest,
    },
    pad_core::{Suite, Update, codec},
};
use pad_client::{
    Client, ClientError, Fault, FetchError, HttpError, PushOutcome, internals::Resource,
};
use pad_service::{Directory, Service};
use pad_web::server::Limits;
use tempfile::TempDir;

use crate::{
    fixture::*,
    serve::{assert_unhealthy, posted, raw, text},
};

type S = Sha256Ed25519;

/// An author of a directory in memory, and the folder of a server.
struct Photographs {
    folder: TempDir,
    key: SecretKey,
    author: FullAuthor<S>,
}

impl Photographs {
    /// Creates an author without versions, and a folder that a server can open.
    fn new() -> Self {
        let (suite, scheme) = (SuiteName::Sha256Ed25519, SchemeName::Directory);
        let key = SecretKey::generate_with(None, suite, scheme, None).unwrap();
        let authority = key.public().authority;
        let author = FullAuthor::new(authority.dictionary, key.signer()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d");
        let budget = CacheBudget::default();
        drop(BlockDirectory::<S>::create(&path, authority, 2, budget).unwrap());
        Self {
            folder,
            key,
            author,
        }
    }

    /// Creates an author and a server with three versions of 20, 21 and 21 entries. In the last
    /// version, entry 1 is deleted.
    fn served() -> (Self, TestServer, Vec<Update<S>>) {
        let mut photographs = Self::new();
        let server = start(photographs.service(Limits::default()));
        let mut updates = vec![photographs.append(20), photographs.append(1)];
        photographs.author.delete(EntryId::new(1)).unwrap();
        updates.push(photographs.author.snapshot().unwrap());
        for update in &updates {
            let pushed = connect(&server).push(&codec::encode(update));
            assert_eq!(pushed, Ok(PushOutcome::Taken));
        }
        (photographs, server, updates)
    }

    /// Signs a version with `count` more entries.
    fn append(&mut self, count: u8) -> Update<S> {
        for number in 0..count {
            self.author.append(S::value(&[number])).unwrap();
        }
        self.author.snapshot().unwrap()
    }

    fn service(&self, limits: Limits) -> Service {
        let directory = Directory::open(&self.folder.path().join("d"), &limits).unwrap();
        assert_eq!(directory.public(), self.key.public());
        limited_service(Arc::new(directory), limits)
    }

    /// Creates a client that has followed the server to its latest version.
    fn client(&self, server: &TestServer) -> Client {
        let view = StoredView::new(self.key.public().clone()).authenticated();
        let mut client = Client::new(vec![connect(server)], view, None).unwrap();
        client.advance().unwrap();
        client
    }

    /// Returns the answer of an honest server to a client that knows `known`, or no version.
    fn answer(&self, known: Option<&StoredView>, id: u64) -> Vec<u8> {
        let client = match known {
            Some(view) => view.directory_client::<S>(view.version()).unwrap(),
            None => DirectoryClient::new(self.key.public().authority, 2),
        };
        let (_, request) = client.ask(one(id));
        self.author.directory().answer(&request).unwrap()
    }
}

fn one(id: u64) -> EntryQuery {
    EntryQuery::one(EntryId::new(id))
}

fn range(start: u64, end: u64) -> EntryRange {
    EntryRange::new(EntryId::new(start), EntryId::new(end)).unwrap()
}

fn live(number: u8) -> Entry<<S as Suite>::Digest> {
    Entry::Live(S::value(&[number]))
}

#[test]
fn entries_of_the_latest_version_are_verified() {
    let (mut photographs, server, updates) = Photographs::served();
    let mut client = photographs.client(&server);
    let three = Version::new(3);
    assert_eq!(client.view().version(), three);
    let asked = EntryQuery::new(vec![0, 1, 20, 21]).unwrap();
    let entries = client.entries::<S>(three, &asked).unwrap();
    assert_eq!((entries.version, entries.registered), (three, 21));
    let found = [0, 1, 20, 21].map(|id| entries.of(EntryId::new(id)).unwrap());
    assert_eq!(found, [live(0), Entry::Deleted, live(0), Entry::Unassigned]);
    let entries = client.entry_range::<S>(three, &range(18, 30)).unwrap();
    assert_eq!(entries.registered_entries().count(), 3);
    // Contents of older versions are not kept, but their heads are.
    // Another suite is the caller's fault, not that of a server.
    let other = client.entries::<pad_core::Blake3Ed25519>(three, &one(0));
    assert!(matches!(other, Err(ClientError::Client(_))));
    let older = client.entries::<S>(Version::new(1), &one(0)).unwrap_err();
    assert!(older.is_elsewhere(), "{older}");
    let newer = client.entries::<S>(Version::new(9), &one(0));
    assert!(matches!(newer, Err(ClientError::Ahead { .. })));
    let first = Version::new(1);
    assert_eq!(client.head(first).unwrap().version, first);
    // Updates are available, and a repeated push changes nothing.
    let remote = connect(&server);
    for update in &updates {
        let (version, bytes) = (update.head.head.version, codec::encode(update));
        let fetched = remote.get(&Resource::Update(version), 1 << 20);
        assert_eq!(fetched.as_ref(), Ok(&bytes));
        assert_eq!(remote.push(&bytes), Ok(PushOutcome::Known));
    }
    // A view at an older version advances, and then looks up the newer version.
    let update = codec::encode(&photographs.append(1));
    assert_eq!(remote.push(&update), Ok(PushOutcome::Taken));
    let late = client.entries::<S>(three, &one(21)).unwrap_err();
    assert!(late.is_elsewhere(), "{late}");
    let four = client.advance().unwrap();
    let entries = client.entries::<S>(four, &one(21)).unwrap();
    assert_eq!(entries.of(EntryId::new(21)), Some(live(0)));
    // Questions about keys are refused, and a second process cannot open the folder.
    let refused = client.ask(four, &about("apple")).unwrap_err();
    assert!(refused.is_askers(), "{refused}");
    let path = photographs.folder.path().join("d");
    let opened = Directory::open(&path, &Limits::default()).unwrap_err();
    assert!(opened.to_string().contains("another process"), "{opened}");
    drop(server);
    // The next server has the same versions.
    let server = start(photographs.service(Limits::default()));
    assert_eq!(connect(&server).versions().unwrap().latest, four);
}

#[test]
fn updates_that_the_author_did_not_sign_are_refused() {
    let (mut photographs, server, updates) = Photographs::served();
    let remote = connect(&server);
    let skipped = photographs.append(1);
    let next = photographs.append(1);
    let gap = remote.push(&codec::encode(&next));
    let latest = Version::new(3);
    assert_eq!(gap, Ok(PushOutcome::Gap { latest }));
    // The operations, the signature, and the head of an existing version are changed.
    let mut other_root = skipped.clone();
    other_root.operations.extend(next.operations);
    let mut forged = skipped;
    forged.head.head.root = S::value(b"forged");
    let mut old = updates[0].clone();
    old.head.head.root = S::value(b"forged");
    for update in [other_root, forged, old] {
        assert_code(remote.push(&codec::encode(&update)), "update_refused");
    }
    // The author has signed another version 1.
    let id = photographs.key.public().authority.dictionary;
    let mut fork = FullAuthor::<S>::new(id, photographs.key.signer()).unwrap();
    fork.append(S::value(b"fork")).unwrap();
    let fork = codec::encode(&fork.snapshot().unwrap());
    assert_code(remote.push(&fork), "other_update");
    assert_code(remote.push(&fork[..40]), "unreadable_update");
    assert_eq!(remote.versions().unwrap().latest, latest);
}

/// Servers check an update before they lock the directory. Of the same update at the same time, one
/// is new.
#[test]
fn an_update_that_arrives_several_times_is_applied_once() {
    let (mut photographs, server, _) = Photographs::served();
    drop(server);
    let limits = Limits::default();
    let path = photographs.folder.path().join("d");
    let directory = Directory::open(&path, &limits).unwrap();
    for round in 0..4 {
        let update = codec::encode(&photographs.append(9));
        let latest = Version::new(4 + round);
        let taken: usize = std::thread::scope(|scope| {
            let apply = || directory.apply(&update).unwrap();
            let running = [(); 4].map(|()| scope.spawn(apply));
            let applied = running.map(|thread| thread.join().unwrap());
            assert!(applied.iter().all(|applied| applied.latest == latest));
            applied.iter().map(|applied| applied.taken).sum()
        });
        assert_eq!(taken, 1, "round {round}");
        assert_eq!(directory.latest(), latest);
    }
}

/// A server whose folder was moved away refuses requests until the folder is back, and takes no
/// update that it would lose.
#[cfg(unix)]
#[test]
fn a_removed_folder_is_reported() {
    let (mut photographs, server, _) = Photographs::served();
    drop(server);
    let [path, moved] = ["d", "moved"].map(|name| photographs.folder.path().join(name));
    let directory = Arc::new(Directory::open(&path, &Limits::default()).unwrap());
    let server = start(service_of(Arc::clone(&directory)));
    let remote = connect(&server);
    let update = codec::encode(&photographs.append(1));
    std::fs::rename(&path, &moved).unwrap();
    // The update is refused even before the next check of the folder.
    assert_code(remote.push(&update), "folder_lost");
    directory.follow().unwrap_err();
    assert_unhealthy(&server);
    assert_code(remote.versions(), "folder_lost");
    std::fs::rename(&moved, &path).unwrap();
    assert!(directory.follow().unwrap());
    assert_eq!(raw(&server, "/health", None).status.as_u16(), 200);
    assert_eq!(remote.push(&update), Ok(PushOutcome::Taken));
}

/// The body that a lying server sends instead of an honest answer.
type Lie = Arc<Mutex<Vec<u8>>>;

/// Starts a server whose answers to look-ups are the returned body.
fn liar(photographs: &Photographs) -> (TestServer, Lie) {
    let lie = Lie::default();
    let body = Arc::clone(&lie);
    let service = photographs.service(Limits::default());
    let server = start(Liar::new(service, move |path, mut answer| {
        if path.starts_with("answers/") {
            answer.body.clone_from(&body.lock().unwrap());
        }
        answer
    }));
    (server, lie)
}

#[test]
fn every_lie_about_an_entry_is_refused() {
    let (mut photographs, server, _) = Photographs::served();
    drop(server);
    let (server, lie) = liar(&photographs);
    let client = photographs.client(&server);
    let (view, three) = (client.view(), Version::new(3));
    let lied = |reason: VerifyError| Fault::Lied(reason.to_string());
    let told = |body: Vec<u8>| {
        *lie.lock().unwrap() = body;
        fault(client.entries::<S>(three, &one(0)).unwrap_err())
    };
    let honest = photographs.answer(Some(view), 0);
    for position in 0..honest.len() {
        let mut changed = honest.clone();
        changed[position] ^= 1 << (position % 8);
        let fault = told(changed);
        // The byte at position 4 is the version of the format.
        let is_newer = fault == Fault::Silent(FetchError::NewerFormat { theirs: 17 });
        let is_refused = matches!(fault, Fault::Lied(_)) || (position == 4 && is_newer);
        assert!(is_refused, "{position}: {fault:?}");
    }
    for end in 0..honest.len() {
        assert!(matches!(told(honest[..end].to_vec()), Fault::Lied(_)));
    }
    assert!(matches!(told([&honest[..], &[0]].concat()), Fault::Lied(_)));
    // The answer about another id, and the answer to a range.
    let other = photographs.answer(Some(view), 2);
    assert_eq!(told(other), lied(VerifyError::RootMismatch));
    let follower = view.directory_client::<S>(three).unwrap();
    let (_, request) = follower.ask_range(range(0, 1));
    let of_range = photographs.author.directory().answer(&request).unwrap();
    assert_eq!(told(of_range), lied(VerifyError::AnswerMismatch));
    // An answer that is too long is refused before it is in memory.
    assert!(matches!(
        told(vec![0; 1 << 20]),
        Fault::Silent(FetchError::Http(HttpError::ResponseTooLarge { .. }))
    ));
    // Another directory of the same author, with and without its head.
    let another = Photographs::new();
    let authority = another.key.public().authority;
    let mut theirs = FullAuthor::<S>::new(authority.dictionary, photographs.key.signer()).unwrap();
    theirs.append(S::value(&[0])).unwrap();
    theirs.snapshot().unwrap();
    let (_, request) = DirectoryClient::<S>::new(authority, 2).ask(one(0));
    let elsewhere = theirs.directory().answer(&request).unwrap();
    assert_eq!(told(elsewhere), lied(VerifyError::WrongDictionary));
    // A newer version, with its head and the proof that it continues the client's.
    let four = photographs.append(1).head.head.version;
    let newer = photographs.answer(Some(view), 0);
    let (expected, actual) = (three, four);
    let wrong = lied(VerifyError::WrongVersion { expected, actual });
    assert_eq!(told(newer), wrong);
    *lie.lock().unwrap() = honest;
    let found = client.entries::<S>(three, &one(0)).unwrap();
    assert_eq!(found.of(EntryId::new(0)), Some(live(0)));
}

#[test]
fn hostile_requests_are_refused_with_their_status() {
    let (photographs, server, _) = Photographs::served();
    drop(server);
    let server = start(photographs.service(short((16 << 10) + 10 * 33)));
    let client = photographs.client(&server);
    let three = Version::new(3);
    let follower = client.view().directory_client::<S>(three).unwrap();
    let (_, request) = follower.ask(one(0));
    let of_range = |start, end| codec::encode(&RangeRequest::<S>::new(three, range(start, end)));
    let newer = codec::encode(&RangeRequest::<S>::new(Version::new(9), range(0, 1)));
    let mut trailing = request.clone();
    trailing.push(0);
    let garbage = vec![0xff; 1 << 18];
    let requests: [(&str, &[u8], u16); 13] = [
        ("answers/3", &request, 200),
        ("answers/3", &of_range(0, 10), 200),
        ("answers/3", &of_range(11, u64::MAX), 200),
        ("answers/3", &of_range(0, u64::MAX), 422),
        ("answers/3", &newer, 404),
        ("answers/4", &request, 404),
        ("answers/2", &request, 410),
        ("answers/0", &request, 404),
        ("answers/x", &request, 400),
        ("answers/3", &trailing, 400),
        ("answers/3", &garbage, 400),
        ("answers/3", b"", 400),
        ("notes", b"[]", 422),
    ];
    for (path, body, status) in requests {
        let path = format!("/v1/dictionaries/s/{path}");
        let reply = raw(&server, &path, Some(posted(body)));
        let said = String::from_utf8_lossy(&reply.body);
        assert_eq!(reply.status.as_u16(), status, "{path}: {said}");
    }
    let question = Resource::Answer(three, about("apple")).path();
    for (path, status) in [
        ("heads/4", 404),
        ("heads/0", 404),
        ("heads/1/3", 200),
        ("heads/3/1", 404),
        ("consistency/1/3", 200),
        ("consistency/3/9", 404),
        ("past/1/3", 200),
        ("updates/4", 404),
        ("updates/0", 404),
        ("updates/1/3", 422),
        ("values/apple", 422),
        ("files/checkpoint", 422),
        ("notes/1/3", 200),
        (question.as_str(), 422),
    ] {
        let reply = raw(&server, &format!("/v1/dictionaries/s/{path}"), None);
        assert_eq!(reply.status.as_u16(), status, "{path}");
    }
    let health = text(&server, "/health");
    assert_eq!(health, r#"{"latest":{"s":3},"status":"ok"}"#);
    let metrics = text(&server, "/metrics");
    let latest = "pad_latest_version{dictionary=\"s\"} 3";
    assert!(metrics.contains(latest), "{metrics}");
}
