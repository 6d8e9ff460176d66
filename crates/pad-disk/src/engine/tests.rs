//! Refused files, failing media, and conversion of every panic to an error.

use std::{
    fs::{self, OpenOptions},
    io,
    path::Path,
    sync::{Arc, Mutex},
};

use redb::{ReadTransaction, ReadableTable as _, TableDefinition, WriteTransaction};

use super::{guard::is_panic_caught, *};
use crate::{
    Access,
    layer::{FileLayer, Folder, SimulatedFolder},
};

mod crashes;

const TABLE: TableDefinition<'_, &str, u64> = TableDefinition::new("table");

const FORMAT: Format = Format {
    is_ours,
    access: Access::Private,
    cache_bytes: 1 << 20,
};

fn is_ours(transaction: &ReadTransaction) -> Result<bool, EngineError> {
    Ok(value(transaction, "format")? == Some(7))
}

fn value(transaction: &ReadTransaction, key: &str) -> Result<Option<u64>, EngineError> {
    let table = transaction.open_table(TABLE).map_err(EngineError::of)?;
    let value = table.get(key).map_err(EngineError::of)?;
    Ok(value.map(|value| value.value()))
}

fn put(transaction: &WriteTransaction, key: &str, value: u64) -> Result<(), EngineError> {
    let mut table = transaction.open_table(TABLE).map_err(EngineError::of)?;
    table.insert(key, value).map_err(EngineError::of)?;
    Ok(())
}

fn create_shared(path: &Path) -> Result<(), EngineError> {
    SharedDatabase::create(path, &FORMAT, |transaction| put(transaction, "format", 7))
}

fn create_sole(place: impl Into<Place>) -> Result<(), EngineError> {
    SoleDatabase::create(place, &FORMAT, |transaction| put(transaction, "format", 7))
}

/// A new database on a simulated disk.
fn simulated() -> (SimulatedFolder, SoleDatabase) {
    let disk = SimulatedFolder::new("disk");
    let layer = disk.layer();
    create_sole((&layer, "database")).unwrap();
    let database = SoleDatabase::open((&layer, "database"), FORMAT).unwrap();
    (disk, database)
}

#[test]
fn what_is_not_a_database_of_the_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("database");
    let opened = |path: &Path| SharedDatabase::open(path, FORMAT).map(drop).unwrap_err();
    assert!(matches!(opened(&path), EngineError::Missing(_)));
    assert!(matches!(opened(folder.path()), EngineError::Foreign(_)));
    create_shared(&path).unwrap();
    assert!(matches!(create_shared(&path), Err(EngineError::Exists(_))));
    SharedDatabase::open(&path, FORMAT).unwrap();
    let other = folder.path().join("other");
    SharedDatabase::create(&other, &FORMAT, |transaction| put(transaction, "format", 8)).unwrap();
    assert!(matches!(opened(&other), EngineError::Foreign(_)));
    let sole = SoleDatabase::open(&other, FORMAT).unwrap_err();
    assert!(matches!(sole, EngineError::Foreign(_)));
    let length = path.metadata().unwrap().len();
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(length - 4096).unwrap();
    assert!(matches!(opened(&path), EngineError::Foreign(_)));
}

#[test]
fn a_database_in_a_layer_is_the_one_at_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("database");
    let layer: Arc<dyn FileLayer> = Arc::new(Folder::open(folder.path()).unwrap());
    let opened = || SoleDatabase::open((&layer, "database"), FORMAT).map(drop);
    assert!(matches!(opened(), Err(EngineError::Missing(missing)) if missing == path));
    fs::write(folder.path().join("database.new"), "left by a crash").unwrap();
    create_sole((&layer, "database")).unwrap();
    assert_eq!(layer.names().unwrap(), ["database"]);
    let refused = create_sole((&layer, "database")).unwrap_err();
    assert!(matches!(refused, EngineError::Exists(exists) if exists == path));
    let by_path = SoleDatabase::open(&path, FORMAT).unwrap();
    assert!(matches!(opened(), Err(EngineError::InUse(_))));
    by_path.trim().unwrap();
    by_path.write(Repair::Full, |it| put(it, "key", 1)).unwrap();
    drop(by_path);
    let in_layer = SoleDatabase::open((&layer, "database"), FORMAT).unwrap();
    let refused = SoleDatabase::open(&path, FORMAT).unwrap_err();
    assert!(matches!(refused, EngineError::InUse(_)));
    assert_eq!(
        value(&in_layer.begin_read().unwrap(), "key").unwrap(),
        Some(1)
    );
    assert!(in_layer.room().is_some());
    let reserve = in_layer.reserve(5_000).unwrap();
    reserve.fill().unwrap();
    let reserved = folder.path().join("database.reserve");
    assert_eq!(reserved.metadata().unwrap().len(), 5_000);
    reserve.release().unwrap();
    assert!(!reserved.exists());
    drop(in_layer);
    fs::write(&path, "").unwrap();
    assert!(matches!(opened(), Err(EngineError::Foreign(_))));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(opened(), Err(EngineError::Foreign(_))));
}

#[test]
fn a_database_that_could_not_be_filled_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let layer: Arc<dyn FileLayer> = Arc::new(Folder::open(folder.path()).unwrap());
    let refuse = |_: &_| Err(EngineError::NotIntact);
    let refused = SoleDatabase::create((&layer, "database"), &FORMAT, refuse).unwrap_err();
    assert!(matches!(refused, EngineError::NotIntact));
    assert!(layer.names().unwrap().is_empty());
}

#[cfg(unix)]
#[test]
fn a_private_database_is_made_private_and_must_stay_so() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("database");
    create_shared(&path).unwrap();
    let mode = path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o604)).unwrap();
    let refused = SharedDatabase::open(&path, FORMAT).unwrap_err();
    assert!(matches!(refused, EngineError::Exposed { mode: 0o604, .. }));
    let layer: Arc<dyn FileLayer> = Arc::new(Folder::open(folder.path()).unwrap());
    let refused = SoleDatabase::open((&layer, "database"), FORMAT).unwrap_err();
    assert!(matches!(refused, EngineError::Exposed { mode: 0o604, .. }));
}

#[test]
fn what_fails_in_a_transaction_is_not_written_and_the_next_one_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("database");
    create_shared(&path).unwrap();
    let database = SharedDatabase::open(&path, FORMAT).unwrap();
    let failed = database.write(|transaction| {
        put(transaction, "key", 1)?;
        Err::<(), _>(EngineError::NotIntact)
    });
    assert!(matches!(failed, Err(EngineError::NotIntact)));
    let panicked = database.write(|transaction| -> Result<(), EngineError> {
        put(transaction, "key", 2)?;
        panic!("as the engine does on some pages");
    });
    assert!(matches!(panicked, Err(EngineError::Panicked)));
    assert_eq!(database.read(|it| value(it, "key")).unwrap(), None);
    database.write(|it| put(it, "key", 3)).unwrap();
    assert_eq!(database.read(|it| value(it, "key")).unwrap(), Some(3));
    database.check().unwrap();
}

#[test]
fn readers_see_one_state_while_they_have_it_pinned() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("database");
    create_shared(&path).unwrap();
    let reader = SharedDatabase::open(&path, FORMAT).unwrap();
    let writer = SharedDatabase::open(&path, FORMAT).unwrap();
    reader.pin().unwrap();
    writer.write(|it| put(it, "key", 1)).unwrap();
    assert_eq!(reader.read(|it| value(it, "key")).unwrap(), None);
    reader.unpin();
    assert_eq!(reader.read(|it| value(it, "key")).unwrap(), Some(1));
}

#[test]
fn one_handle_has_a_shared_database_in_a_layer_until_it_is_released() {
    let layer = SimulatedFolder::new("disk").layer();
    let place = (&layer, "database");
    SharedDatabase::create(place, &FORMAT, |it| put(it, "format", 7)).unwrap();
    let first = SharedDatabase::open(place, FORMAT).unwrap();
    let refused = SharedDatabase::open(place, FORMAT).unwrap_err();
    assert!(matches!(refused, EngineError::InUse(_)));
    let seen = || first.read(|it| value(it, "key")).unwrap();
    first.pin().unwrap();
    assert_eq!(seen(), None);
    // A write ends the pinned state.
    first.write(|it| put(it, "key", 1)).unwrap();
    assert_eq!(seen(), Some(1));
    first.check().unwrap();
    // So does a release, and another handle can open the database.
    first.pin().unwrap();
    assert_eq!(seen(), Some(1));
    first.release();
    let other = SharedDatabase::open(place, FORMAT).unwrap();
    assert_eq!(other.read(|it| value(it, "key")).unwrap(), Some(1));
    other.release();
    first.check().unwrap();
}

#[test]
fn a_refused_file_of_a_layer_stays_as_it_is() {
    let disk = SimulatedFolder::new("disk");
    let layer = disk.layer();
    let place = (&layer, "database");
    SoleDatabase::create(place, &FORMAT, |it| put(it, "format", 8)).unwrap();
    let operations = disk.operations();
    let refused = SoleDatabase::open(place, FORMAT).unwrap_err();
    assert!(matches!(refused, EngineError::Foreign(_)));
    assert_eq!(disk.operations(), operations);
}

#[test]
fn a_database_is_opened_again_after_an_error_of_its_medium() {
    let (disk, database) = simulated();
    let write = |number| database.write(Repair::Quick, |it| put(it, "key", number));
    write(1).unwrap();
    disk.fail_next(1);
    assert!(matches!(write(2), Err(EngineError::Io(_))));
    assert!(database.has_failed() && !database.can_write());
    let read = database.begin_read().unwrap();
    assert_eq!(value(&read, "key").unwrap(), Some(1));
    drop(read);
    assert!(!database.has_failed() && database.can_write());
    write(3).unwrap();
    let read = database.begin_read().unwrap();
    assert_eq!(value(&read, "key").unwrap(), Some(3));
}

#[test]
fn a_reserve_is_room_that_is_there_when_the_disk_is_full() {
    let (disk, database) = simulated();
    let reserve = database.reserve(1 << 20).unwrap();
    reserve.fill().unwrap();
    disk.set_capacity(disk.used());
    let large = |transaction: &WriteTransaction| {
        let definition = TableDefinition::<u64, &[u8]>::new("large");
        let mut table = transaction
            .open_table(definition)
            .map_err(EngineError::of)?;
        let bytes = vec![1; 64 << 10];
        table.insert(0, bytes.as_slice()).map_err(EngineError::of)?;
        Ok::<(), EngineError>(())
    };
    let full = database.write(Repair::Quick, large).unwrap_err();
    assert!(matches!(full, EngineError::Io(error) if error.kind() == io::ErrorKind::StorageFull));
    reserve.release().unwrap();
    database.reopen().unwrap();
    database.trim().unwrap();
    database.write(Repair::Quick, large).unwrap();
    let refilled = reserve.fill().unwrap_err();
    assert_eq!(refilled.kind(), io::ErrorKind::StorageFull);
}

#[test]
fn caught_panics_are_told_once_for_each_place() {
    assert!(!is_panic_caught());
    let told = Arc::new(Mutex::new(Vec::new()));
    let places = Arc::clone(&told);
    report_caught_panics(move |place| places.lock().unwrap().push(place.to_owned()));
    for _ in 0..3 {
        let outcome: Option<()> = guarded(|| {
            assert!(is_panic_caught());
            panic!("here");
        });
        assert_eq!(outcome, None);
    }
    assert!(!is_panic_caught());
    let told = told.lock().unwrap();
    let here = told.iter().filter(|place| place.contains(file!()));
    assert!((1..=2).contains(&here.count()), "{told:?}");
}
