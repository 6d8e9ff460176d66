//! Tests of state files: concurrent processes, contents that are too long, and authentication.

use std::thread;

use super::*;
use flexlist::list::ListState;

fn state_of(file: FileId, version: u64) -> FileState {
    FileState {
        file,
        version,
        list: ListState {
            root: Digest([1; 32]),
            total: 0,
        },
    }
}

fn settled(version: u64) -> Stage {
    Stage::Settled(state_of(FileId([7; 32]), version))
}

fn update(body: Vec<u8>) -> SignedRequest {
    SignedRequest {
        body: body.into(),
        signature: vec![0xa7; 64].into(),
    }
}

fn record(stage: Stage) -> Record {
    Record {
        file: FileId([7; 32]),
        salt: [3; 16],
        key: Digest([5; 32]),
        chunker: Chunker::default(),
        server: "localhost:7420".into(),
        given_up: 0,
        stage,
    }
}

fn key() -> StateKey {
    StateKey::derive(&[9; 32])
}

fn create(path: &Path, record: Record, patience: Duration) -> Result<StateFile, StateError> {
    StateFile::create(path, record, key(), patience)
}

fn open(path: &Path, patience: Duration) -> Result<StateFile, StateError> {
    LockedFile::open(path, patience)?.authenticate(key())
}

#[cfg(unix)]
fn is_in_use(path: &Path) -> bool {
    matches!(open(path, Duration::ZERO), Err(StateError::InUse))
}

fn version_of(record: &Record) -> u64 {
    match &record.stage {
        Stage::Settled(state) => state.version,
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_one_sees_a_state_that_another_has_left_behind() {
    const WRITERS: u64 = 4;
    const EACH: u64 = 60;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state");
    drop(create(&path, record(settled(0)), Duration::ZERO).unwrap());
    let write = || {
        let mut left = EACH;
        while left > 0 {
            match open(&path, Duration::ZERO) {
                Ok(mut file) => {
                    let version = version_of(file.record());
                    file.advance(settled(version + 1)).unwrap();
                    left -= 1;
                }
                Err(StateError::InUse) => thread::yield_now(),
                Err(error) => panic!("{error}"),
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(write);
        }
    });
    // Each write is based on the one before.
    let file = open(&path, Duration::ZERO).unwrap();
    assert_eq!(version_of(file.record()), WRITERS * EACH);
}

/// A process must lock the file before it reads it. Otherwise it could read a file that is being
/// replaced.
#[cfg(unix)]
#[test]
fn the_lock_comes_before_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state");
    // A file that exists and cannot be opened.
    let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let held = Lock::exclusive(&path, Duration::ZERO).unwrap();
    assert!(is_in_use(&path));
    drop(held);
    let opened = open(&path, Duration::ZERO);
    assert!(matches!(opened, Err(StateError::Io(_))));
}

#[test]
fn a_name_that_is_mistyped_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    assert!(matches!(
        open(&directory.path().join("state"), Duration::ZERO),
        Err(StateError::Io(error)) if error.kind() == io::ErrorKind::NotFound
    ));
    assert_eq!(directory.path().read_dir().unwrap().count(), 0);
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    let record = record(settled(1));
    let length = encode(&record, &key(), LIMIT).unwrap().len();
    let sealed = SealedRecord::decode(encode(&record, &key(), length).unwrap()).unwrap();
    assert_eq!(sealed.authenticate(&key()).unwrap(), record);
    assert!(matches!(
        encode(&record, &key(), length - 1),
        Err(StateError::TooLong { length: actual }) if actual == length
    ));
}

#[cfg(unix)]
#[test]
fn two_names_of_one_state_are_one_state() {
    let directory = tempfile::tempdir().unwrap();
    let elsewhere = directory.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let (real, link) = (elsewhere.join("state"), directory.path().join("link"));
    std::os::unix::fs::symlink(&real, &link).unwrap();
    // A dangling link counts as an existing file.
    let created = create(&link, record(settled(0)), Duration::ZERO);
    assert!(matches!(created, Err(StateError::Exists)));
    let mut file = create(&real, record(settled(1)), Duration::ZERO).unwrap();
    assert!(is_in_use(&link));
    file.advance(settled(2)).unwrap();
    drop(file);
    let mut linked = open(&link, Duration::ZERO).unwrap();
    assert_eq!(version_of(linked.record()), 2);
    assert!(is_in_use(&real));
    // A link that is changed later does not matter: the file that was opened is used.
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(directory.path().join("other"), &link).unwrap();
    linked.advance(settled(3)).unwrap();
    drop(linked);
    let file = open(&real, Duration::ZERO).unwrap();
    assert_eq!(version_of(file.record()), 3);
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(!directory.path().join("other").exists());
    // State and lock are next to the state file; the folder and the link are next to the link.
    assert_eq!(elsewhere.read_dir().unwrap().count(), 2);
    assert_eq!(directory.path().read_dir().unwrap().count(), 2);
}

/// A child process holds its parent's locks from its fork until it executes another program.
#[test]
fn programs_that_are_started_meanwhile_do_not_keep_a_state() {
    use core::sync::atomic::{AtomicBool, Ordering};

    const ROUNDS: u64 = 200;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state");
    drop(create(&path, record(settled(0)), pad_disk::PATIENCE).unwrap());
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                drop(std::process::Command::new("true").status());
            }
        });
        let opened = (0..ROUNDS).all(|round| {
            // Waits as long as a busy machine needs to start a program.
            let opened = open(&path, Duration::from_mins(1));
            opened.is_ok_and(|mut file| file.advance(settled(round)).is_ok())
        });
        done.store(true, Ordering::Relaxed);
        assert!(opened);
    });
}

#[test]
fn a_record_is_shown_without_its_secrets() {
    let secret = [0xa7; 32];
    let uploading = Stage::Uploading(UploadState::new(secret));
    let update = update(vec![0xa7; 40]);
    let base = state_of(FileId([7; 32]), 1);
    let pending = Stage::Pending {
        base,
        update: update.clone(),
    };
    for stage in [uploading, pending, Stage::Refused { base, update }] {
        let record = record(stage);
        for shown in [format!("{record:?}"), format!("{record:#?}")] {
            for digits in ["167", "a7"] {
                assert!(!shown.contains(digits), "{shown}");
            }
        }
    }
}

#[test]
fn what_begins_as_no_state_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state");
    let state = create(&path, record(settled(7)), Duration::ZERO).unwrap();
    drop(state);
    assert!(is_state(&path).unwrap());
    let bytes = fs::read(&path).unwrap();
    let mut other_context = bytes.clone();
    other_context[7] = 0;
    for other in [
        &bytes[..7],
        &other_context,
        b"PAD1",
        b"",
        b"some text that is no state",
    ] {
        fs::write(&path, other).unwrap();
        assert!(!is_state(&path).unwrap());
        assert!(read(&path).is_err());
    }
}

/// The owner must not sign statements about another file, even if a faulty client of the same owner
/// has written versions of that file into a state file.
#[test]
fn versions_of_another_file_are_found() {
    let own = FileId([7; 32]);
    for (file, updated, is_right) in [
        (own, own, true),
        (FileId([8; 32]), own, false),
        (own, FileId([8; 32]), false),
    ] {
        let base = state_of(file, 3);
        let update = update([&updated.0[..], &[1; 40]].concat());
        let pending = Stage::Pending {
            base,
            update: update.clone(),
        };
        for stage in [pending, Stage::Refused { base, update }] {
            assert_eq!(record(stage).is_of_one_file(), is_right);
        }
        assert_eq!(record(Stage::Settled(base)).is_of_one_file(), file == own);
        let uploaded = Stage::Uploading(UploadState {
            end: Some(base),
            ..UploadState::new([2; 32])
        });
        assert_eq!(record(uploaded).is_of_one_file(), file == own);
    }
    let short = Stage::Pending {
        base: state_of(own, 3),
        update: update(vec![7; 31]),
    };
    assert!(!record(short).is_of_one_file());
}
