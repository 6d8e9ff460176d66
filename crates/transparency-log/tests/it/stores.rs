//! Logs in folders.

use std::{fs, sync::Arc};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use pad_disk::layer::{Folder, SimulatedFolder};
use transparency_log::{
    Checkpoint, Note,
    store::{LogFiles, LogStore, StoreError, export},
    tile::{BundleError, Fetch, FetchError, ResourcePath, TileReader, grown},
};

use crate::support::{NaiveLog, entry, log_key, other_log_key, time, witness_key};

fn open(folder: &SimulatedFolder) -> LogStore {
    LogStore::open(folder.layer(), &log_key().verifier()).unwrap()
}

fn append(store: &mut LogStore, until: u64) -> Note {
    for index in store.size()..until {
        store.append(&entry(index)).unwrap();
    }
    let note = store.sign(&log_key()).unwrap();
    store.publish(&note).unwrap();
    note
}

#[test]
fn a_log_has_the_resources_of_the_definition() {
    let folder = SimulatedFolder::new("log");
    let naive = NaiveLog::new(1100);
    let mut store = open(&folder);
    let mut published = 0;
    for size in [0, 1, 2, 255, 256, 257, 512, 1023, 1100] {
        let note = append(&mut store, size);
        assert_eq!(note, naive.note(size));
        let files = store.files();
        let fetched = files.fetch(&ResourcePath::Checkpoint).unwrap();
        assert_eq!(fetched, note.encode().as_bytes());
        for path in grown(published, size).chain(grown(0, size)) {
            let [fetched, expected] = [files.fetch(&path), naive.fetch(&path)];
            assert_eq!(fetched.unwrap(), expected.unwrap(), "{path}");
        }
        for path in grown(size, size + 1).chain(grown(size, size + 300)) {
            let refused = files.fetch(&path).unwrap_err();
            assert!(matches!(refused, FetchError::NotFound), "{path}");
        }
        published = size;
        drop(store);
        store = open(&folder);
        assert_eq!(store.size(), size);
        assert_eq!(store.signed(), Some(&note));
    }
}

#[test]
fn what_is_not_published_is_not_given_away() {
    let folder = SimulatedFolder::new("log");
    let mut store = open(&folder);
    append(&mut store, 10);
    store.append(&entry(10)).unwrap();
    let signed = store.sign(&log_key()).unwrap();
    for path in grown(10, 11) {
        let refused = store.files().fetch(&path).unwrap_err();
        assert!(matches!(refused, FetchError::NotFound));
    }
    // A witness cosigns the signed checkpoint. Other readers see this checkpoint only once it is
    // published.
    let mut cosigned = signed.clone();
    let checkpoint = Checkpoint::parse(signed.unverified_text()).unwrap();
    let cosignature = witness_key(1).cosign(&checkpoint, time(1));
    cosigned.add(cosignature).unwrap();
    store.publish(&cosigned).unwrap();
    let fetched = store.files().fetch(&ResourcePath::Checkpoint).unwrap();
    assert_eq!(fetched, cosigned.encode().as_bytes());
    assert_eq!(store.files().published_size().unwrap(), 11);
}

#[test]
fn only_what_the_log_has_signed_is_published() {
    let folder = SimulatedFolder::new("log");
    let mut store = open(&folder);
    append(&mut store, 10);
    let naive = NaiveLog::new(30);
    let mut refused = |note: &Note| store.publish(note).unwrap_err();
    assert!(matches!(refused(&naive.note(11)), StoreError::NotSigned));
    let StoreError::Older { published, size } = refused(&naive.note(9)) else {
        panic!("an older note is published")
    };
    assert_eq!((published, size), (10, 9));
    let forked = Checkpoint::new("example.com/log", 10, naive.head(9).root).unwrap();
    let forked = refused(&forked.sign(&log_key()));
    assert!(matches!(forked, StoreError::NotSigned));
    let unsigned = naive.checkpoint(10).sign(&other_log_key());
    assert!(matches!(refused(&unsigned), StoreError::Note(_)));
    let other = Checkpoint::new("example.com/other", 10, naive.head(10).root).unwrap();
    let other = refused(&other.sign(&log_key()));
    assert!(matches!(other, StoreError::OtherLog(_)));
    let other = store.sign(&other_log_key()).unwrap_err();
    assert!(matches!(other, StoreError::OtherKey));
    let StoreError::Entry(long) = store.append(&vec![0; 65_536]).unwrap_err() else {
        panic!("an entry of 65,536 bytes is appended")
    };
    assert_eq!(long, BundleError::EntryTooLong(65_536));
    append(&mut store, 11);
}

#[test]
fn one_process_writes_and_others_read() {
    let folder = SimulatedFolder::new("log");
    let mut store = open(&folder);
    let refused = LogStore::open(folder.layer(), &log_key().verifier()).unwrap_err();
    assert!(matches!(refused, StoreError::InUse(_)));
    let files = LogFiles::open(folder.layer());
    let missing = files.fetch(&ResourcePath::Checkpoint).unwrap_err();
    assert!(matches!(missing, FetchError::NotFound));
    append(&mut store, 300);
    let checkpoint = NaiveLog::new(300).checkpoint(300);
    let mut reader = TileReader::open(&files, &checkpoint).unwrap();
    append(&mut store, 700);
    assert_eq!(reader.entry(299).unwrap(), entry(299));
    assert_eq!(reader.bundle(0).unwrap().len(), 256);
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    type Damage = fn(&mut Vec<u8>, usize);
    let folder = tempfile::tempdir().unwrap();
    let key = log_key().verifier();
    let layer = || Arc::new(Folder::open(folder.path()).unwrap());
    append(&mut LogStore::open(layer(), &key).unwrap(), 300);
    let other = LogStore::open(layer(), &other_log_key().verifier());
    assert!(matches!(other, Err(StoreError::Note(_))));
    let (cut, flip): (Damage, Damage) = (Vec::truncate, |bytes, place| bytes[place] ^= 1);
    for (name, damage, place) in [
        ("hashes-0", cut, 300 * 32 - 1),
        ("hashes-1", cut, 31),
        ("ends", cut, 299 * 8),
        ("entries", cut, 9),
        ("signed", cut, 40),
        ("hashes-0", flip, 299 * 32),
        ("hashes-0", flip, 256 * 32),
        ("hashes-1", flip, 5),
        ("signed", flip, 30),
    ] {
        let path = folder.path().join(name);
        let whole = fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        damage(&mut damaged, place);
        fs::write(&path, damaged).unwrap();
        assert!(LogStore::open(layer(), &key).is_err(), "{name} {place}");
        fs::write(&path, whole).unwrap();
    }
    let [signed, elsewhere] = ["signed", "elsewhere"].map(|name| folder.path().join(name));
    fs::rename(signed, elsewhere).unwrap();
    let refused = LogStore::open(layer(), &key).unwrap_err();
    assert!(matches!(refused, StoreError::Damaged(_)));
}

/// An exported folder must have the same resources as the log, under their paths.
#[test]
fn exported_logs_have_all_resources() {
    struct ExportFolder<'a>(&'a std::path::Path);
    impl Fetch for ExportFolder<'_> {
        fn fetch(&self, path: &ResourcePath) -> Result<Vec<u8>, FetchError> {
            fs::read(self.0.join(path.to_string())).map_err(|_| FetchError::NotFound)
        }
    }
    let folder = SimulatedFolder::new("log");
    let target = tempfile::tempdir().unwrap();
    let mut store = open(&folder);
    for size in [0, 1, 300, 301, 512, 1000] {
        append(&mut store, size);
        assert_eq!(export(store.files(), target.path()).unwrap(), size);
        let naive = NaiveLog::new(size);
        let exported = ExportFolder(target.path());
        for path in grown(0, size) {
            let [fetched, expected] = [exported.fetch(&path), naive.fetch(&path)];
            assert_eq!(fetched.unwrap(), expected.unwrap());
        }
        let mut reader = TileReader::open(exported, &naive.checkpoint(size)).unwrap();
        for index in (0..size).step_by(97) {
            assert_eq!(reader.entry(index).unwrap(), entry(index));
        }
    }
    let mut shorter = open(&SimulatedFolder::new("log"));
    append(&mut shorter, 7);
    let refused = export(shorter.files(), target.path());
    let Err(StoreError::Older { published, size }) = refused else {
        panic!("a shorter log is exported")
    };
    assert_eq!((published, size), (1000, 7));
}

/// Export rejects resources that do not hash to the checkpoint's root, and logs that do not
/// continue the published log.
#[test]
fn only_what_was_checked_is_exported() {
    struct ForgedSource<'a>(&'a NaiveLog, ResourcePath, u64);
    impl Fetch for ForgedSource<'_> {
        fn fetch(&self, path: &ResourcePath) -> Result<Vec<u8>, FetchError> {
            if *path == ResourcePath::Checkpoint {
                return Ok(self.0.note(self.2).encode().into_bytes());
            }
            let mut bytes = self.0.fetch(path)?;
            if *path == self.1 {
                let place = 40 % bytes.len();
                bytes[place] ^= 1;
            }
            Ok(bytes)
        }
    }
    let naive = NaiveLog::new(700);
    for path in grown(0, 700) {
        let target = tempfile::tempdir().unwrap();
        let refused = export(&ForgedSource(&naive, path, 700), target.path()).unwrap_err();
        assert!(matches!(refused, StoreError::Read(_)), "{path}: {refused}");
        assert!(!target.path().join("checkpoint").exists(), "{path}");
        assert!(!target.path().join(path.to_string()).exists(), "{path}");
    }
    let target = tempfile::tempdir().unwrap();
    let honest = ForgedSource(&naive, ResourcePath::Checkpoint, 700);
    assert_eq!(export(&honest, target.path()).unwrap(), 700);
    let published = fs::read_to_string(target.path().join("checkpoint")).unwrap();
    let lines: Vec<_> = published.lines().collect();
    let forked = published.replace(lines[2], &BASE64_STANDARD.encode([7; 32]));
    fs::write(target.path().join("checkpoint"), forked).unwrap();
    let refused = export(&honest, target.path()).unwrap_err();
    assert!(matches!(refused, StoreError::Forked { published: 700 }));
}

/// The number of writes for an append depends on the number of levels, not on the size of the log.
#[test]
fn appending_does_not_read_the_log() {
    let folder = SimulatedFolder::new("log");
    let mut store = open(&folder);
    append(&mut store, 5000);
    let before = folder.operations().len();
    append(&mut store, 5001);
    let operations = folder.operations().len() - before;
    // Three writes, ten synchronised files, and two atomic replacements.
    assert!(operations <= 3 + 10 + 2 * 6, "{operations}");
}

/// After an I/O error the state of the medium is unknown until the log is reopened.
#[test]
fn a_log_whose_medium_failed_has_to_be_opened_anew() {
    let folder = SimulatedFolder::new("log");
    let mut store = open(&folder);
    append(&mut store, 3);
    folder.fail_at(folder.operations().len() + 1, 1);
    assert!(matches!(store.append(&entry(3)), Err(StoreError::Io(_))));
    assert!(matches!(store.append(&entry(3)), Err(StoreError::Failed)));
    assert!(matches!(store.sign(&log_key()), Err(StoreError::Failed)));
    drop(store);
    assert_eq!(append(&mut open(&folder), 5), NaiveLog::new(5).note(5));
}
