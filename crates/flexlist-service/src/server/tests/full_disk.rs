//! Tests with a full or failing disk while the server runs.

use std::time::Instant;

use pad_disk::layer::SimulatedFolder;

use super::*;

/// A server as in [`served`], on a simulated disk.
fn simulated() -> (SimulatedFolder, FileServer, FileId) {
    let disk = SimulatedFolder::new("disk");
    let (server, file) = served((&disk.layer(), "store"));
    (disk, server, file)
}

/// Opens the server of [`simulated`] again.
fn reopened(disk: &SimulatedFolder, reserve_bytes: u64) -> FileServer {
    let settings = Settings {
        workers: Workers::sequential(),
        reserve_bytes,
        ..Settings::default()
    };
    FileServer::open_at((&disk.layer(), "store").into(), settings).unwrap()
}

/// An upload that only grows.
struct Uploader {
    seed: u16,
    parts: u64,
}

impl Uploader {
    fn new(server: &FileServer, seed: u16) -> Self {
        Self::try_new(server, seed).unwrap()
    }

    /// Begins an upload; `None` if the server cannot write.
    fn try_new(server: &FileServer, seed: u16) -> Option<Self> {
        match server.handle(begin(seed)) {
            Response::State(_) => Some(Self { seed, parts: 0 }),
            Response::Refused(Refusal::CannotWrite | Refusal::Unavailable) => None,
            other => panic!("{other:?}"),
        }
    }

    /// Sends one more part of `bytes` bytes.
    fn send(&mut self, server: &FileServer, bytes: usize) -> Response {
        let data = vec![u8::try_from(self.parts % 251).unwrap(); bytes];
        let response = server.handle(part(self.seed, self.parts, vec![sent(data)]));
        if matches!(response, Response::State(_)) {
            self.parts = self.parts.saturating_add(1);
        }
        response
    }

    /// Sends parts until one is refused, and returns the refusal.
    fn fill(&mut self, server: &FileServer) -> Refusal {
        for _ in 0..10_000 {
            if let Response::Refused(refusal) = self.send(server, 64 << 10) {
                return refusal;
            }
        }
        panic!("never refused");
    }
}

/// Asserts that the first owner's file can be read and audited.
fn assert_served(server: &FileServer, file: FileId) {
    let status = server.handle(Request::Status { file });
    assert!(matches!(status, Response::State(_)), "{status:?}");
    let read = server.handle(read(file, VERSIONS));
    assert!(matches!(read, Response::Read { .. }), "{read:?}");
    let audit = server.handle(audit_of(file, 4));
    assert!(matches!(audit, Response::Audited { .. }), "{audit:?}");
}

/// Waits until parts of another upload are accepted. The server frees space in the background.
fn wait_for_room(server: &FileServer, uploader: &mut Uploader) {
    let start = Instant::now();
    while let Response::Refused(refusal) = uploader.send(server, 64 << 10) {
        assert!(
            matches!(refusal, Refusal::CannotWrite | Refusal::Unavailable),
            "{refusal:?}"
        );
        assert!(start.elapsed() < Duration::from_mins(2), "no room");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_full_disk_refuses_writes_and_nothing_else_until_there_is_room() {
    let (disk, server, file) = simulated();
    let mut hostile = Uploader::new(&server, 2);
    let mut honest = Uploader::new(&server, 3);
    disk.set_capacity(disk.used() + (2 << 20));
    for _ in 0..3 {
        assert_eq!(hostile.fill(&server), Refusal::CannotWrite);
        assert_served(&server, file);
    }
    assert!(hostile.parts > 8, "{} parts", hostile.parts);
    // Changes that make the store smaller are accepted.
    let standing = server.handle(acknowledge(file));
    assert!(matches!(standing, Response::State(_)), "{standing:?}");
    assert_eq!(server.handle(abort(hostile.seed)), Response::Removed);
    assert_served(&server, file);
    wait_for_room(&server, &mut honest);
    // The disk is full again. A file can be removed too.
    assert_eq!(honest.fill(&server), Refusal::CannotWrite);
    assert_eq!(server.handle(delete(1)), Response::Removed);
    assert_eq!(server.check().damages, vec![]);
    disk.set_capacity(u64::MAX);
    wait_for_room(&server, &mut honest);
    let parts = honest.parts;
    drop(server);

    let server = reopened(&disk, RESERVE);
    let Response::State(standing) = server.handle(begin(honest.seed)) else {
        panic!("no standing");
    };
    assert_eq!(standing.next_part, parts);
    let report = server.check();
    assert_eq!((report.files, report.stray_blocks), (1, 0));
    assert_eq!(report.damages, vec![]);
}

#[test]
fn what_makes_room_finds_the_reserve() {
    let (disk, server, _) = simulated();
    // Another program took the last page.
    disk.set_capacity(disk.used());
    assert_eq!(server.handle(delete(1)), Response::Removed);
}

#[test]
fn room_made_by_others_is_noticed() {
    let (disk, server, file) = simulated();
    let mut uploader = Uploader::new(&server, 2);
    disk.set_capacity(disk.used() + (1 << 20));
    assert_eq!(uploader.fill(&server), Refusal::CannotWrite);
    disk.set_capacity(u64::MAX);
    wait_for_room(&server, &mut uploader);
    assert_served(&server, file);
}

#[test]
fn without_room_for_the_reserve_a_store_is_only_read() {
    let (disk, server, file) = simulated();
    let mut uploader = Uploader::new(&server, 2);
    drop(server);
    disk.set_capacity(disk.used());
    let server = reopened(&disk, 2 * RESERVE);
    let refused = Response::Refused(Refusal::CannotWrite);
    assert_eq!(uploader.send(&server, 1), refused);
    assert_served(&server, file);
    disk.set_capacity(u64::MAX);
    wait_for_room(&server, &mut uploader);
}

#[test]
fn one_failed_write_costs_one_request() {
    let (disk, server, file) = simulated();
    let mut uploader = Uploader::new(&server, 2);
    for seed in 0..3 {
        disk.fail_next(seed);
        let refused = Response::Refused(Refusal::CannotWrite);
        assert_eq!(uploader.send(&server, 64 << 10), refused);
        assert_served(&server, file);
        let sent = uploader.send(&server, 64 << 10);
        assert!(matches!(sent, Response::State(_)), "{sent:?}");
    }
    assert_eq!(server.check().damages, vec![]);
}

#[test]
fn the_room_of_removed_files_goes_back_to_the_file_system() {
    let (_folder, server, file) = scene();
    server.store.set_slack(1 << 20);
    let before = server.store.file_bytes().unwrap();
    let mut large = Uploader::new(&server, 2);
    let mut small = Uploader::new(&server, 3);
    for _ in 0..64 {
        for _ in 0..4 {
            large.send(&server, 64 << 10);
        }
        // Blocks between the blocks of the other file, so that compaction has to move them.
        small.send(&server, 1 << 10);
    }
    assert!(server.store.file_bytes().unwrap() > before + (16 << 20));
    assert_eq!(server.handle(abort(large.seed)), Response::Removed);
    let start = Instant::now();
    while server.store.file_bytes().unwrap() > before + (2 << 20) {
        let bytes = server.store.file_bytes().unwrap();
        assert!(start.elapsed() < Duration::from_mins(2), "{bytes} bytes");
        assert_served(&server, file);
        thread::sleep(Duration::from_millis(5));
    }
    assert_served(&server, file);
    assert_eq!(small.parts, 64);
    let report = server.check();
    assert_eq!((report.stray_blocks, report.damages), (0, vec![]));
}

fn random(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

/// Nothing acknowledged may be lost when writes fail or the disk is full. Runs 400 steps, or as
/// many as `FLEXLIST_DISK_STEPS` sets.
#[test]
fn a_bad_disk_loses_nothing_that_was_acknowledged() {
    let wanted = std::env::var("FLEXLIST_DISK_STEPS");
    let steps: u64 = wanted.map_or(400, |steps| steps.parse().unwrap());
    let (disk, server, file) = simulated();
    let mut random = random(7);
    let mut next_seed = 2;
    let mut uploaders = Vec::new();
    let mut refused = 0_u64;
    for _ in 0..steps {
        match random(10) {
            0 => disk.set_capacity(disk.used() + random(1 << 20)),
            1 => disk.set_capacity(u64::MAX),
            2 => disk.fail_next(random(100)),
            3 if uploaders.len() < 4 => {
                next_seed += 1;
                uploaders.extend(Uploader::try_new(&server, next_seed));
            }
            4 if !uploaders.is_empty() => {
                let uploader: &Uploader = &uploaders[0];
                match server.handle(abort(uploader.seed)) {
                    Response::Removed => drop(uploaders.remove(0)),
                    Response::Refused(Refusal::CannotWrite | Refusal::Unavailable) => {}
                    other => panic!("{other:?}"),
                }
            }
            5 => match server.handle(Request::Status { file }) {
                Response::State(_) | Response::Refused(Refusal::Unavailable) => {}
                other => panic!("{other:?}"),
            },
            _ => {
                let bytes = usize::try_from(random(200_000)).unwrap() + 1;
                let count = u64::try_from(uploaders.len()).unwrap();
                if count == 0 {
                    continue;
                }
                let uploader = &mut uploaders[usize::try_from(random(count)).unwrap()];
                match uploader.send(&server, bytes) {
                    Response::State(_) => {}
                    Response::Refused(Refusal::CannotWrite | Refusal::Unavailable) => refused += 1,
                    // The change was durable despite the error.
                    Response::Refused(Refusal::PartOutOfOrder { expected }) => {
                        assert_eq!(expected, uploader.parts + 1);
                        uploader.parts = expected;
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }
    disk.set_capacity(u64::MAX);
    println!("{refused} parts were refused");
    wait_until_served(&server, file);
    assert_stands(&server, file, &uploaders);
    drop(server);
    let server = reopened(&disk, RESERVE);
    assert_stands(&server, file, &uploaders);
    let start = Instant::now();
    while server.leftovers().unwrap() > 0 {
        assert!(start.elapsed() < Duration::from_mins(2), "leftovers");
        thread::sleep(Duration::from_millis(5));
    }
    let report = server.check();
    assert_eq!((report.stray_blocks, report.damages), (0, vec![]));
    drop(server);
    let place = (&disk.layer(), "store").into();
    let report = check::check_at(place, Workers::sequential()).unwrap();
    assert!(!report.has_damaged_pages);
    assert_eq!((report.stray_blocks, report.damages), (0, vec![]));
}

/// Waits until a server can read after a failure. Readers reopen its store at most once in two
/// seconds, so the attempts allow for a few failures.
fn wait_until_served(server: &FileServer, file: FileId) {
    for _ in 0..400 {
        if matches!(server.handle(Request::Status { file }), Response::State(_)) {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("not served");
}

/// Asserts that every accepted part is stored, and at most one refused part.
fn assert_stands(server: &FileServer, file: FileId, uploaders: &[Uploader]) {
    assert_served(server, file);
    for uploader in uploaders {
        let file = file_of(uploader.seed);
        let Response::State(standing) = server.handle(Request::Status { file }) else {
            panic!("not there");
        };
        let expected = uploader.parts..=uploader.parts + 1;
        assert!(expected.contains(&standing.next_part), "{standing:?}");
    }
}
