//! Removal of files: removed files stay removed, and their space is freed.

use core::time::Duration;
use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::UNIX_EPOCH,
};

use flexlist::{FileState, tag::TagKind};
use flexlist_service::{
    internals::{
        Clock,
        message::{Abort, Begin, Confirm, Delete, Refusal, Request, Response},
        signed::RequestKind,
    },
    server::{FileServer, Limits, Owners, Settings},
};
use pad_core::{AuthorKey, Digest, Workers};

use crate::{
    damage::flip,
    limits::too_large,
    owner::{
        Owner, StorePath, assert_refused, check_intact, empty, limits_with, open, refusal, sample,
        send_all, stale_base, standing, unknown_version,
    },
    plan::{Plan, Random},
};

const DAY: u64 = 86_400;

/// A clock that a test sets.
#[derive(Clone)]
struct Time(Arc<AtomicU64>);

impl Time {
    fn new() -> Self {
        Self(Arc::new(AtomicU64::new(1_000_000_000)))
    }

    fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    fn pass(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }

    fn settings(&self, limits: Limits) -> Settings {
        let time = self.clone();
        Settings {
            limits,
            workers: Workers::sequential(),
            clock: Clock::new(move || time.now()),
            ..Settings::default()
        }
    }

    fn open(&self, path: &Path, limits: Limits) -> FileServer {
        FileServer::open_with(path, self.settings(limits)).unwrap()
    }

    /// The owner's first request about a file, made now.
    fn begin(&self, owner: &Owner) -> Request {
        owner.begin_until(self.now() + DAY / 2)
    }

    /// All requests of an upload that begins now.
    fn upload_requests(&self, owner: &mut Owner, parts: &[Vec<Vec<u8>>]) -> Vec<Request> {
        let mut requests = owner.upload_requests(parts);
        requests[0] = self.begin(owner);
        requests
    }

    /// Uploads a file now.
    fn upload(&self, server: &FileServer, owner: &mut Owner, parts: &[Vec<Vec<u8>>]) {
        send_all(server, &self.upload_requests(owner, parts));
    }
}

/// A clock, and a server by that clock of an empty store at the path.
fn timed(limits: Limits) -> (StorePath, Time, FileServer) {
    let (path, time) = (StorePath::new(), Time::new());
    let server = time.open(&path, limits);
    (path, time, server)
}

fn abort(owner: &Owner) -> Request {
    let file = owner.file;
    Request::Abort(owner.sign(RequestKind::Abort, &Abort { file }))
}

fn delete(owner: &Owner, version: u64) -> Request {
    let file = owner.file;
    Request::Delete(owner.sign(RequestKind::Delete, &Delete { file, version }))
}

fn confirm(owner: &Owner) -> Request {
    let confirm = Confirm {
        file: owner.file,
        version: owner.version,
        root: owner.state.root,
        total: owner.state.total,
    };
    Request::Confirm(owner.sign(RequestKind::Confirm, &confirm))
}

fn is_done(response: &Response) -> bool {
    !matches!(response, Response::Refused(_))
}

/// Waits until the store has no leftovers of removed files.
fn wait_for_sweep(server: &FileServer) {
    for _ in 0..10_000 {
        if server.leftovers().unwrap() == 0 {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("leftovers stay");
}

#[test]
fn mistakes_do_not_lock_an_owner_out() {
    let (server, owner) = empty(Limits::default(), TagKind::HashOnly);
    let uploads: Vec<Owner> = (0..17).map(|salt| owner.another(salt)).collect();
    for upload in &uploads[..16] {
        standing(server.handle(upload.begin()));
    }
    let words = "unfinished uploads of an owner: 17, and the limit is 16";
    assert_refused(&server, uploads[16].begin(), &too_large(words));
    // Only their owner can abort them.
    let stranger = Owner::new(9, TagKind::HashOnly);
    let file = uploads[0].file;
    let forged = Request::Abort(stranger.sign(RequestKind::Abort, &Abort { file }));
    assert_refused(&server, forged, &Refusal::WrongOwner);
    assert_eq!(server.handle(abort(&uploads[0])), Response::Removed);
    standing(server.handle(uploads[16].begin()));
}

#[test]
fn replayed_requests_do_not_bring_an_aborted_upload_back() {
    let (path, time, mut server) = timed(Limits::default());
    let mut owner = Owner::new(1, TagKind::HashOnly);
    let parts = [vec![vec![1; 100], vec![2; 50]], vec![vec![3; 10]]];
    let requests = time.upload_requests(&mut owner, &parts);
    send_all(&server, &requests[..3]);
    let abort = abort(&owner);
    for _ in 0..2 {
        assert_eq!(server.handle(abort.clone()), Response::Removed);
        assert_eq!(server.handle(abort.clone()), Response::Removed);
        for request in requests.iter().chain([&owner.status()]) {
            assert_refused(&server, request.clone(), &Refusal::Removed);
        }
        drop(server);
        server = time.open(&path, Limits::default());
    }
    wait_for_sweep(&server);
    // Once the removal is forgotten, the file's first request has expired.
    time.pass(DAY + 100);
    assert_refused(&server, owner.status(), &Refusal::UnknownFile);
    let now = time.now();
    assert_refused(&server, requests[0].clone(), &Refusal::BeginExpired { now });
    for request in requests[1..].iter().chain([&abort]) {
        assert_refused(&server, request.clone(), &Refusal::UnknownFile);
    }
    drop(server);
    let server = time.open(&path, Limits::default());
    assert_eq!(server.files(), vec![]);
}

#[test]
fn a_deleted_file_is_gone_with_all_that_was_signed_about_it() {
    let path = StorePath::new();
    let mut server = open(&path);
    let mut owner = Owner::new(1, TagKind::HashOnly);
    let mut other = Owner::new(2, TagKind::HashOnly);
    other.upload(&server, &[vec![vec![5; 1000]]]);
    let mut requests = owner.upload_requests(&[vec![vec![1; 100], vec![2; 50]]]);
    send_all(&server, &requests);
    requests.push(owner.update(&server, &[Plan::Modify(0, vec![9; 10])]));
    requests.push(owner.acknowledge(2));
    requests.push(confirm(&owner));
    standing(server.handle(confirm(&owner)));
    requests.push(owner.update(&server, &[Plan::Remove(0)]));
    assert_refused(&server, delete(&owner, 2), &stale_base(2, 3));
    assert_refused(&server, abort(&owner), &Refusal::UploadFinished);
    let file = owner.file;
    let forged = Delete { file, version: 3 };
    let forged = Request::Delete(other.sign(RequestKind::Delete, &forged));
    assert_refused(&server, forged.clone(), &Refusal::WrongOwner);
    owner.check_all(&server);

    for _ in 0..2 {
        assert_eq!(server.handle(delete(&owner, 3)), Response::Removed);
        requests.extend([
            owner.status(),
            owner.read_request(0, 1),
            owner.audit_request(sample(1, 1)),
            Request::Confirmed { file },
        ]);
        for request in &requests {
            assert_refused(&server, request.clone(), &Refusal::Removed);
        }
        assert_refused(&server, forged.clone(), &Refusal::WrongOwner);
        wait_for_sweep(&server);
        assert_eq!(check_intact(&server).files, 1);
        other.check_all(&server);
        drop(server);
        server = open(&path);
    }
}

#[test]
fn an_unfinished_upload_is_not_deleted_but_aborted() {
    let (server, owner) = empty(Limits::default(), TagKind::HashOnly);
    standing(server.handle(owner.begin()));
    assert_refused(
        &server,
        delete(&owner, 0),
        &Refusal::UploadUnfinished { next_part: 0 },
    );
    let unknown = Owner::new(2, TagKind::HashOnly);
    for request in [delete(&unknown, 1), abort(&unknown)] {
        assert_refused(&server, request, &Refusal::UnknownFile);
    }
}

#[test]
fn a_damaged_file_can_be_deleted() {
    let path = StorePath::new();
    let server = open(&path);
    let mut owner = Owner::new(1, TagKind::HashOnly);
    let contents = b"contents that are found again in the store's file".to_vec();
    owner.upload(&server, &[vec![contents.clone()]]);
    drop(server);
    // The list's piece has the digest of the tag, which for hashes is that of the contents.
    assert!(flip(&path, &owner.sent(&contents).tag.digest()) > 0);
    let server = open(&path);
    let failed = refusal(server.handle(owner.read_request(0, 1)));
    assert!(matches!(failed, Refusal::StoreFailed(_)), "{failed:?}");
    assert_eq!(server.handle(delete(&owner, 1)), Response::Removed);
    wait_for_sweep(&server);
    assert_eq!(server.check().files, 0);
}

#[test]
fn first_words_have_their_time() {
    let (_path, time, server) = timed(Limits::default());
    let owner = Owner::new(1, TagKind::HashOnly);
    let now = time.now();
    for expires in [0, now - 1, now + DAY + 1, u64::MAX] {
        let expired = Refusal::BeginExpired { now };
        assert_refused(&server, owner.begin_until(expires), &expired);
    }
    standing(server.handle(owner.begin_until(now)));
    // For an existing file, an expired first request still returns its status.
    standing(server.handle(owner.begin_until(0)));
}

/// Each request is answered under any clock of the server, and a removed file stays removed.
#[test]
fn a_lying_clock_begins_nothing_and_answers_everything() {
    let now = Time::new().now();
    // 1970, a day back, an hour ahead, the year 2100, and the limits of the formats.
    for clock in [
        0,
        now - DAY,
        now + 3600,
        4_102_444_800,
        u64::MAX >> 1,
        u64::MAX,
    ] {
        let path = StorePath::new();
        let time = Time(Arc::new(AtomicU64::new(clock)));
        let server = time.open(&path, Limits::default());
        // An owner with the right time.
        let owner = Owner::new(1, TagKind::HashOnly);
        let response = server.handle(Time::new().begin(&owner));
        if clock.abs_diff(now) <= DAY / 2 {
            standing(response);
        } else {
            let refused = refusal(response);
            assert_eq!(refused, Refusal::BeginExpired { now: clock });
            assert!(refused.to_string().contains("the server's clock"));
        }
        // An owner with the same clock.
        let mut same = Owner::new(2, TagKind::HashOnly);
        let begin = same.begin_until(clock.saturating_add(DAY / 2));
        let mut requests = same.upload_requests(&[vec![vec![1; 100]]]);
        requests[0] = begin.clone();
        send_all(&server, &requests);
        server.tend();
        assert!(is_done(&server.handle(same.read_request(0, 100))));
        assert_eq!(server.handle(delete(&same, 1)), Response::Removed);
        assert_refused(&server, begin.clone(), &Refusal::Removed);
        // After the clock is corrected, the removed file stays removed.
        time.0.store(now, Ordering::SeqCst);
        server.tend();
        let refused = refusal(server.handle(begin));
        let expected = if clock < now - DAY {
            Refusal::BeginExpired { now }
        } else {
            Refusal::Removed
        };
        assert_eq!(refused, expected, "{clock}");
    }
}

/// An owner's clock alone decides when its first request expires. Every clock, even one before
/// 1970, must give an expiry.
#[test]
fn the_first_request_of_an_owner_with_a_lying_clock_has_an_expiry() {
    let hour = Duration::from_hours(1);
    let latest = Duration::from_secs(u64::MAX >> 1);
    for (clock, expires) in [
        (UNIX_EPOCH - hour, DAY / 2),
        (UNIX_EPOCH, DAY / 2),
        (UNIX_EPOCH + hour, DAY / 2 + 3600),
        (UNIX_EPOCH + latest, (u64::MAX >> 1) + DAY / 2),
    ] {
        assert_eq!(Begin::expires_after(clock), expires);
    }
}

#[test]
fn uploads_that_nobody_goes_on_with_expire() {
    let (path, time, server) = timed(Limits::default());
    let week = 7 * DAY;
    let mut whole = Owner::new(3, TagKind::HashOnly);
    time.upload(&server, &mut whole, &[vec![vec![1; 100]]]);
    let idle = Owner::new(1, TagKind::HashOnly);
    let mut busy = Owner::new(2, TagKind::HashOnly);
    let first = busy.sent(&[1; 100]);
    let begin = time.begin(&idle);
    standing(server.handle(begin.clone()));
    standing(server.handle(time.begin(&busy)));
    time.pass(week - 10);
    standing(server.handle(busy.part_of(0, vec![first])));
    standing(server.handle(idle.status()));
    time.pass(20);
    server.tend();
    assert_refused(&server, idle.status(), &Refusal::UnknownFile);
    assert_eq!(standing(server.handle(busy.status())).next_part, 1);
    // Also across a restart, and without a request that triggers it.
    drop(server);
    let server = time.open(&path, Limits::default());
    time.pass(week);
    assert_refused(&server, busy.status(), &Refusal::UnknownFile);
    assert!(is_done(&server.handle(whole.read_request(0, 100))));
    // The owner may begin again.
    standing(server.handle(time.begin(&idle)));
    let now = time.now();
    standing(server.handle(time.begin(&idle)));
    assert_eq!(server.handle(abort(&idle)), Response::Removed);
    time.pass(2 * DAY);
    let now = now + 2 * DAY;
    assert_refused(&server, begin, &Refusal::BeginExpired { now });
}

#[test]
fn many_abandoned_uploads_hold_nobody_up() {
    let limits = limits_with(|limits| limits.unfinished_per_owner = 200);
    let (_path, time, server) = timed(limits);
    let owner = Owner::new(1, TagKind::HashOnly);
    for salt in 0..150 {
        standing(server.handle(time.begin(&owner.another(salt))));
    }
    time.pass(8 * DAY);
    let mut left = vec![server.files().len()];
    while left.last() != Some(&0) {
        server.handle(owner.status());
        left.push(server.files().len());
        time.pass(1);
        assert!(left.len() < 10, "{left:?}");
    }
    assert_eq!(left, [150, 86, 22, 0]);
}

/// Asserts that a request would exceed an owner's limit of 20 000 bytes.
#[track_caller]
fn assert_over_quota(server: &FileServer, request: Request) {
    let refused = refusal(server.handle(request)).to_string();
    let start = "too large: bytes of an owner: ";
    assert!(refused.starts_with(start), "{refused}");
    assert!(refused.ends_with(", and the limit is 20000"), "{refused}");
}

#[test]
fn owners_have_quotas_of_bytes() {
    let limits = limits_with(|limits| limits.bytes_per_owner = 20_000);
    let (path, time, mut server) = timed(limits);
    let mut owner = Owner::new(1, TagKind::HashOnly);
    let mut second = owner.another(7);
    time.upload(&server, &mut owner, &[vec![vec![1; 5000]]]);
    standing(server.handle(time.begin(&second)));
    let insertion = |owner: &mut Owner| {
        let (edits, _) = owner.edits(&[Plan::Insert(0, 0, vec![3; 8000])]);
        owner.update_of(owner.version, edits)
    };
    for _ in 0..2 {
        let block = second.sent(&[2; 8000]);
        assert_over_quota(&server, second.part_of(0, vec![block]));
        assert_over_quota(&server, insertion(&mut owner));
        owner.check_all(&server);
        // A refused update does not block a later one, and the previous version can still be read.
        let before = owner.clone();
        owner.update(&server, &[Plan::Insert(0, 0, vec![4; 10])]);
        assert_over_quota(&server, insertion(&mut owner));
        owner.check_all(&server);
        before.check_all(&server);
        standing(server.handle(owner.acknowledge(owner.version)));
        drop(server);
        server = time.open(&path, limits);
    }
    // Small blocks are charged more than their bytes.
    let blocks = (0..40).map(|_| second.sent(&[1])).collect();
    assert_over_quota(&server, second.part_of(0, blocks));
    // Each owner has a separate limit, and removal frees the space.
    let mut stranger = Owner::new(2, TagKind::HashOnly);
    time.upload(&server, &mut stranger, &[vec![vec![1; 5000]]]);
    let delete = delete(&owner, owner.version);
    assert_eq!(server.handle(delete), Response::Removed);
    let block = second.sent(&[2; 8000]);
    standing(server.handle(second.part_of(0, vec![block])));
}

#[test]
fn removed_files_count_until_they_are_forgotten() {
    let limits = Limits {
        files: 4,
        files_per_owner: 2,
        ..Limits::default()
    };
    let (path, time, server) = timed(limits);
    let owner = Owner::new(1, TagKind::HashOnly);
    let stranger = Owner::new(2, TagKind::HashOnly);
    for owner in [&owner, &stranger] {
        for salt in 0..2 {
            let upload = owner.another(salt);
            standing(server.handle(time.begin(&upload)));
            assert_eq!(server.handle(abort(&upload)), Response::Removed);
        }
    }
    let next = owner.another(3);
    let words = "files: 5, and the limit is 4";
    assert_refused(&server, time.begin(&next), &too_large(words));
    drop(server);
    let limits = Limits { files: 5, ..limits };
    let server = time.open(&path, limits);
    let words = "files of an owner: 3, and the limit is 2";
    assert_refused(&server, time.begin(&next), &too_large(words));
    time.pass(DAY + 100);
    standing(server.handle(time.begin(&next)));
}

#[test]
fn only_some_owners_may_begin_files() {
    let path = StorePath::new();
    let mut old = Owner::new(1, TagKind::HashOnly);
    let server = open(&path);
    old.upload(&server, &[vec![vec![1; 100]]]);
    drop(server);
    let mut friend = Owner::new(2, TagKind::HashOnly);
    let settings = Settings {
        owners: Owners::Only([friend.signer.verifying_key().to_bytes()].into()),
        workers: Workers::sequential(),
        ..Settings::default()
    };
    let server = FileServer::open_with(&path, settings).unwrap();
    let stranger = Owner::new(3, TagKind::HashOnly);
    for owner in [&stranger, &old.another(9)] {
        assert_refused(&server, owner.begin(), &Refusal::OwnerNotAllowed);
    }
    friend.upload(&server, &[vec![vec![1; 100]]]);
    // Existing files are served, changed and removed as before.
    old.update(&server, &[Plan::Modify(0, vec![7; 20])]);
    old.check_all(&server);
    standing(server.handle(old.begin()));
    assert_eq!(server.handle(delete(&old, 2)), Response::Removed);
}

/// The server's current version of the file, and the newest version with the owner's signed
/// statement.
fn vouched(server: &FileServer, owner: &Owner) -> (u64, FileState) {
    let key = AuthorKey::from_bytes(&owner.signer.verifying_key().to_bytes()).unwrap();
    let file = owner.file;
    match server.handle(Request::Confirmed { file }) {
        Response::Confirmed {
            status: standing,
            statement,
        } => (standing.version, statement.open(file, &key).unwrap()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_keeps_its_owners_word_for_a_version() {
    let (server, mut owner) = empty(Limits::default(), TagKind::PrivateMac);
    let file = owner.file;
    let asked = Request::Confirmed { file };
    assert_refused(&server, asked.clone(), &Refusal::UnknownFile);
    let requests = owner.upload_requests(&[vec![vec![1; 100], vec![2; 50]]]);
    for (number, request) in requests.into_iter().enumerate() {
        standing(server.handle(request));
        if number == 0 {
            assert_refused(
                &server,
                asked.clone(),
                &Refusal::UploadUnfinished { next_part: 0 },
            );
        }
    }
    let (_, state) = vouched(&server, &owner);
    assert_eq!((state.version, state.list), (1, owner.state));

    owner.update(&server, &[Plan::Insert(0, 1, vec![9; 10])]);
    // Before the owner confirms the update, the statement is about the previous version.
    let (stands, state) = vouched(&server, &owner);
    assert_eq!((stands, state.version), (2, 1));
    let early = Confirm {
        file,
        version: 3,
        root: owner.state.root,
        total: owner.state.total,
    };
    let unknown = unknown_version(3, 2);
    let confirm_of = |body: &Confirm| Request::Confirm(owner.sign(RequestKind::Confirm, body));
    assert_refused(&server, confirm_of(&early), &unknown);
    let other = Confirm {
        version: 2,
        root: Digest([1; 32]),
        ..early
    };
    assert_refused(&server, confirm_of(&other), &Refusal::RootMismatch);
    for _ in 0..2 {
        standing(server.handle(confirm(&owner)));
    }
    let (stands, state) = vouched(&server, &owner);
    assert_eq!((stands, state.version, state.list), (2, 2, owner.state));
    let old = Confirm {
        version: 1,
        ..other
    };
    assert_eq!(standing(server.handle(confirm_of(&old))).version, 2);
    // The previous version is deleted, as after an acknowledgement.
    assert_eq!(server.check().stray_blocks, 0);
    let before = Request::Read {
        file,
        version: 1,
        start: 0,
        end: 1,
    };
    assert_refused(&server, before, &unknown_version(1, 2));
}

#[test]
fn the_owner_of_a_restored_store_goes_on_with_the_version_that_was_his() {
    let path = StorePath::new();
    let copy = path.sibling("copy");
    let mut owner = Owner::new(1, TagKind::PrivateMac);
    let server = open(&path);
    owner.upload(&server, &[vec![vec![1; 100], vec![2; 50]]]);
    owner.update(&server, &[Plan::Insert(0, 1, vec![9; 10])]);
    standing(server.handle(confirm(&owner)));
    drop(server);
    fs::copy(&path, &copy).unwrap();
    let known = owner.clone();

    let server = open(&path);
    owner.update(&server, &[Plan::Remove(0)]);
    standing(server.handle(confirm(&owner)));
    drop(server);
    // The copy replaces the store. The owner, at version 3, learns that it had signed version 2. It
    // reads that version and continues from it.
    fs::rename(&copy, &path).unwrap();
    let server = open(&path);
    let (stands, state) = vouched(&server, &owner);
    assert_eq!((stands, state.version, state.list), (2, 2, known.state));
    let mut adopted = Owner {
        version: state.version,
        state: state.list,
        ..known
    };
    adopted.check_all(&server);
    adopted.update(&server, &[Plan::Modify(0, vec![4; 4])]);
    adopted.check_all(&server);
}

#[test]
fn removal_beside_audits_reads_and_updates_breaks_none_of_them_badly() {
    let path = StorePath::new();
    let limits = limits_with(|limits| limits.turn_wait = Duration::from_mins(1));
    let server = FileServer::open(&path, limits, Workers::sequential()).unwrap();
    for round in 0..8 {
        let mut owner = Owner::new(round, TagKind::PrivateMac);
        let mut random = Random(u64::from(round));
        owner.upload(&server, &[random.blocks(60)]);
        let stop = AtomicBool::new(false);
        let gone = |response: Response| match response {
            Response::Refused(Refusal::Removed) => true,
            // While the removal is made durable.
            Response::Refused(Refusal::Unavailable) => false,
            Response::Refused(refusal) => panic!("{refusal:?}"),
            _ => false,
        };
        thread::scope(|scope| {
            for request in [
                owner.read_request(0, owner.state.total),
                owner.audit_request(sample(2, 30)),
                owner.begin(),
            ] {
                let (server, stop) = (&server, &stop);
                scope.spawn(move || {
                    while !gone(server.handle(request.clone())) {
                        assert!(!stop.load(Ordering::SeqCst) || server.files().is_empty());
                        thread::yield_now();
                    }
                });
            }
            let (server, owner) = (&server, &owner);
            scope.spawn(move || {
                let mut writer = owner.clone();
                loop {
                    let (edits, _) = writer.edits(&[Plan::Modify(0, vec![1; 30])]);
                    // The version that all readers use stays current, so the update is refused.
                    match server.handle(writer.update_of(7, edits)) {
                        Response::Refused(Refusal::StaleBase { .. } | Refusal::Unavailable) => {
                            thread::yield_now();
                        }
                        Response::Refused(Refusal::Removed) => break,
                        other => panic!("{other:?}"),
                    }
                }
            });
            assert_eq!(server.handle(delete(owner, 1)), Response::Removed);
            stop.store(true, Ordering::SeqCst);
        });
    }
    wait_for_sweep(&server);
    assert_eq!(server.check().files, 0);
    drop(server);
    let report = flexlist_service::internals::check(&path, Workers::sequential()).unwrap();
    assert_eq!((report.files, report.has_damaged_pages), (0, false));
}
