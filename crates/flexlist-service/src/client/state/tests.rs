//! State files of several processes at once, and those that would be too long.

#![allow(clippy::arithmetic_side_effects, reason = "tests fail by panicking")]

use std::thread;

use flexlist::list::ListState;
use pad_core::Digest;

use super::*;

fn settled(version: u64) -> Stage {
    Stage::Settled(FileState {
        file: FileId([7; 32]),
        version,
        list: ListState {
            root: Digest([1; 32]),
            total: 0,
        },
    })
}

fn record(stage: Stage) -> Record {
    Record {
        file: FileId([7; 32]),
        salt: [3; 16],
        chunker: Chunker::default(),
        stage,
    }
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
    drop(StateFile::create(&path, record(settled(0))).unwrap());
    let write = || {
        let mut left = EACH;
        while left > 0 {
            match StateFile::open(&path) {
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
    // Each has built upon the one before it.
    let file = StateFile::open(&path).unwrap();
    assert_eq!(version_of(file.record()), WRITERS * EACH);
}

/// Whoever opened the file before the lock was his could read what another has replaced meanwhile.
#[cfg(unix)]
#[test]
fn the_lock_comes_before_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state");
    // Something that is there and cannot be opened.
    let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let held = lock(&path).unwrap();
    assert!(matches!(StateFile::open(&path), Err(StateError::InUse)));
    drop(held);
    assert!(matches!(StateFile::open(&path), Err(StateError::Io(_))));
}

#[test]
fn a_name_that_is_mistyped_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    assert!(matches!(
        StateFile::open(&directory.path().join("state")),
        Err(StateError::Io(error)) if error.kind() == io::ErrorKind::NotFound
    ));
    assert_eq!(directory.path().read_dir().unwrap().count(), 0);
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    let record = record(settled(1));
    let length = encode(&record, LIMIT).unwrap().len();
    assert_eq!(decode(&encode(&record, length).unwrap()).unwrap(), record);
    assert!(matches!(
        encode(&record, length - 1),
        Err(StateError::TooLong { length: actual }) if actual == length
    ));
}
