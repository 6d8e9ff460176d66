//! Tests of the contents, owners and writers of node files.

use pad_disk::layer::SimulatedFolder;
use pad_tree::internals::record_bytes;

use super::*;
use crate::store_log::StoreLog as _;

const ONE: Version = Version::new(1);

fn new(folder: &SimulatedFolder) -> NodeFile {
    let owner = Owner {
        store: [8; 16],
        copy: 0,
    };
    let lengths = RowLengths::of::<Sha256Ed25519>();
    NodeFile::new(folder.layer(), "store".into(), lengths).of(owner)
}

fn record() -> Vec<u8> {
    vec![b'r'; record_bytes::<Sha256Ed25519>(ONE)]
}

fn written(folder: &SimulatedFolder) -> NodeFile {
    let mut file = new(folder);
    file.begin(|| Ok(())).unwrap();
    file.append(b"nodes of one").unwrap();
    file.publish(ONE, &record()).unwrap();
    file.synchronise().unwrap();
    file
}

fn reopened(folder: &SimulatedFolder, row: &[u8]) -> Result<NodeFile, StoreError> {
    new(folder).up_to(ONE, row)
}

#[test]
fn what_was_published_is_there_and_what_was_left_behind_is_not() {
    let folder = SimulatedFolder::new("nodes");
    let mut file = written(&folder);
    let row = file.row(ONE).unwrap();
    file.append(b"left behind").unwrap();
    drop(file);
    let mut file = reopened(&folder, &row).unwrap();
    assert_eq!((file.latest(), file.end()), (ONE, 12));
    assert_eq!(file.record(ONE).unwrap(), record());
    assert_eq!(file.append(b"unlocked"), Err(StoreFault::Closed));
    file.begin(|| Ok(())).unwrap();
    assert_eq!(file.read(12, &mut [0; 4]), Err(StoreFault::Damaged));
    let mut bytes = [0; 12];
    file.read(0, &mut bytes).unwrap();
    assert_eq!(&bytes, b"nodes of one");
}

#[test]
fn one_writes_at_a_time_and_only_after_the_newest_version() {
    let folder = SimulatedFolder::new("nodes");
    let file = written(&folder);
    let row = file.row(ONE).unwrap();
    let mut other = reopened(&folder, &row).unwrap();
    assert!(matches!(other.begin(|| Ok(())), Err(StoreError::InUse(_))));
    drop(file);
    let superseded = || Err(StoreError::Superseded);
    assert!(matches!(
        other.begin(superseded),
        Err(StoreError::Superseded)
    ));
    // The lock is released, so a second writer can begin.
    assert!(reopened(&folder, &row).unwrap().begin(|| Ok(())).is_ok());
}

#[test]
fn files_that_do_not_have_what_the_rows_say_are_refused() {
    let folder = SimulatedFolder::new("nodes");
    let row = written(&folder).row(ONE).unwrap();
    let elsewhere = SimulatedFolder::new("empty");
    let changed = |place: usize| {
        let mut changed = row.clone();
        changed[place] ^= 1;
        changed
    };
    for (folder, row) in [
        (&elsewhere, row.clone()),
        (&folder, row[..7].to_vec()),
        (&folder, [&row[..], &[0; 8]].concat()),
        (&folder, changed(0)),
        (&folder, changed(row.len() - 12)),
        // This row is valid, but it differs from the row in the file.
        (&folder, rows::row(ONE, &[b'x'; 5], 12)),
        (&folder, rows::row(ONE, &record(), 13)),
    ] {
        let refused = reopened(folder, &row).unwrap_err();
        assert!(matches!(refused, StoreError::Damaged(_)), "{refused}");
    }
    assert!(new(&folder).up_to(Version::new(2), &row).is_err());
}

#[test]
fn rows_that_are_not_what_was_written_are_not_read() {
    let folder = SimulatedFolder::new("nodes");
    let mut file = written(&folder);
    let two = Version::new(2);
    file.publish(two, &record()).unwrap();
    file.synchronise().unwrap();
    let last = file.row(two).unwrap();
    drop(file);
    let rows = folder.layer().open("store.nodes.heads").unwrap();
    rows.write_at(4096 + 9, b"!").unwrap();
    let file = new(&folder).up_to(two, &last).unwrap();
    assert_eq!(file.record(ONE), Err(StoreFault::Damaged));
    assert_eq!(file.record(two).unwrap(), record());
    assert_eq!(file.record(Version::new(3)), Err(StoreFault::Damaged));
    assert_eq!(file.record(Version::EMPTY), Err(StoreFault::Damaged));
    rows.set_length(4096 + 50).unwrap();
    assert_eq!(file.record(two), Err(StoreFault::Damaged));
    assert!(new(&folder).up_to(two, &last).is_err());
}

/// Files that belong to another store must be left unchanged, even if they have the same name.
#[test]
fn files_of_other_stores_are_left_as_they_are() {
    let folder = SimulatedFolder::new("nodes");
    let row = written(&folder).row(ONE).unwrap();
    let other = Owner {
        store: [9; 16],
        copy: 0,
    };
    let mut foreign = new(&folder).of(other);
    assert!(foreign.begin(|| Ok(())).is_err());
    assert!(foreign.up_to(ONE, &row).is_err());
    assert!(foreign.remove().is_err());
    let mut whole = [0; 12];
    reopened(&folder, &row)
        .unwrap()
        .read(0, &mut whole)
        .unwrap();
    assert_eq!(&whole, b"nodes of one");
    new(&folder).remove().unwrap();
    assert!(reopened(&folder, &row).is_err());
}

#[test]
fn a_full_disk_says_so_and_leaves_what_was_there() {
    let folder = SimulatedFolder::new("nodes");
    let mut file = written(&folder);
    folder.set_capacity(folder.used());
    assert_eq!(file.append(&[1; 10_000]), Err(StoreFault::Medium));
    file.discard();
    let error = file.system_error().take().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    assert_eq!(file.end(), 12);
    folder.set_capacity(u64::MAX);
    file.append(b"again").unwrap();
    let mut bytes = [0; 5];
    file.read(12, &mut bytes).unwrap();
    assert_eq!(&bytes, b"again");
}
