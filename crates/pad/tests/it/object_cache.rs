//! Readers of objects with a cache on a disk: fewer requests, the same answers, and whatever becomes of the cache.

use core::ops::RangeInclusive;
use std::{fs, path::Path, sync::Arc};

use disk::layer::{Reads, SimulatedFolder};
use pad::{
    AnyStore, NodeCache, Operation, RepositoryError, SecretKey, Store as _, StoreError, Version,
    dynamic::{
        AnyRepository, Caches, open_author, open_repository, open_repository_in_with,
        open_repository_with, verify,
    },
    objects::{DiskCache, ObjectBackend, ObjectFolder},
    question::{Question, Statement},
    selection::SchemeName,
};

use crate::{
    memory::assert_same,
    objects::{Bucket, bring, publish, signed},
    stored::{SCHEMES, key, name, questions},
};

mod addresses;

const MIB: u64 = 1 << 20;

/// A reader that has just begun, and the objects that it reads.
struct Reader {
    repository: AnyRepository,
    objects: Arc<ObjectFolder>,
}

impl Reader {
    fn new(bucket: &Arc<Bucket>, disk: Option<&Arc<DiskCache>>, memory: &NodeCache) -> Self {
        let store = ObjectBackend::open_through(bucket.folder(), "prices", disk.cloned()).unwrap();
        let objects = Arc::clone(store.folder());
        let repository = open_repository_in_with(AnyStore::Objects(store), memory).unwrap();
        Self {
            repository,
            objects,
        }
    }

    fn with(bucket: &Arc<Bucket>, disk: &Arc<DiskCache>) -> Self {
        Self::new(bucket, Some(disk), &NodeCache::default())
    }

    /// What is answered to all questions, and how many requests that takes.
    fn asked(&self, version: Version) -> (Vec<Vec<u8>>, u64) {
        let before = self.objects.requests();
        let answer = |question| self.repository.answer(version, &question).unwrap();
        let answers = questions().map(answer).collect();
        (answers, self.objects.requests() - before)
    }
}

fn opened(folder: &Path) -> Arc<DiskCache> {
    DiskCache::open(folder, 4 * MIB).unwrap().into()
}

/// One set of pieces, which hold more than the dictionaries here have.
fn small(folder: &Path) -> Arc<DiskCache> {
    DiskCache::open(folder, MIB).unwrap().into()
}

fn published(scheme: SchemeName, until: u64) -> (Arc<Bucket>, tempfile::TempDir) {
    let (key, bucket) = (key(scheme), Bucket::new());
    bucket.create(&key).unwrap();
    let folder = tempfile::tempdir().unwrap();
    publish(&bucket, &key, folder.path(), until).unwrap();
    (bucket, folder)
}

#[test]
fn answers_are_those_without_a_cache() {
    for scheme in SCHEMES {
        let (bucket, own) = published(scheme, 20);
        let folder = tempfile::tempdir().unwrap();
        for until in [20, 33] {
            publish(&bucket, &key(scheme), own.path(), until).unwrap();
            for _ in 0..2 {
                let reader = Reader::with(&bucket, &opened(folder.path()));
                assert_same(&bucket.repository(), &reader.repository);
            }
        }
        let disk = opened(folder.path());
        let mut reader = Reader::with(&bucket, &disk);
        assert_eq!(reader.repository.check().unwrap().heads, 33);
        assert!(disk.hits() > 100 && disk.misses() < disk.hits());
    }
}

#[test]
fn a_restarted_reader_makes_a_few_requests_however_many_versions_there_are() {
    let folder = tempfile::tempdir().unwrap();
    for until in [10, 40] {
        let (bucket, _own) = published(SchemeName::RedBlack, until);
        let latest = Version::new(until);
        let first = Reader::with(&bucket, &opened(folder.path()));
        let (answers, cold) = first.asked(latest);
        assert!(cold > 0);
        let heads = |reader: &Reader| -> Vec<_> {
            let versions = (1..=until).map(Version::new);
            versions
                .map(|version| reader.repository.head_message(version).unwrap())
                .collect()
        };
        let all = heads(&first);
        drop(first);
        let disk = opened(folder.path());
        let reader = Reader::with(&bucket, &disk);
        // The description, what was the latest once, whether it is there, and what is behind it.
        assert_eq!(reader.objects.requests(), 4, "{until}");
        assert_eq!(reader.asked(latest), (answers, 0));
        assert_eq!(heads(&reader), all);
        assert_eq!((reader.objects.requests(), disk.misses()), (4, 0));
    }
}

/// What was in memory of one version is there for the next, with a disk or without one.
#[test]
fn a_reader_that_follows_reads_what_is_new() {
    let (bucket, own) = published(SchemeName::Treap, 12);
    let folder = tempfile::tempdir().unwrap();
    let disk = opened(folder.path());
    for disk in [None, Some(&disk)] {
        let memory = NodeCache::default();
        let before = Version::new(12);
        let (answers, cold) = Reader::new(&bucket, disk, &memory).asked(before);
        let (again, none) = Reader::new(&bucket, disk, &memory).asked(before);
        assert_eq!((again, none), (answers, 0));
        assert!(cold > 0);
    }
    let memory = NodeCache::default();
    Reader::new(&bucket, None, &memory).asked(Version::new(12));
    publish(&bucket, &key(SchemeName::Treap), own.path(), 14).unwrap();
    let latest = Version::new(14);
    let (answers, new) = Reader::new(&bucket, None, &memory).asked(latest);
    let (expected, all) = Reader::new(&bucket, None, &NodeCache::default()).asked(latest);
    assert_eq!(answers, expected);
    assert!(new < all, "{new} of {all}");
}

/// Every file in turn is changed, cut off, made longer, emptied, and put in the place of the other one.
#[test]
fn a_damaged_cache_costs_requests_and_changes_no_answer() {
    let (bucket, _own) = published(SchemeName::SkipList, 10);
    let latest = Version::new(10);
    let folder = tempfile::tempdir().unwrap();
    let (answers, cold) = Reader::with(&bucket, &small(folder.path())).asked(latest);
    let files = ["pad-cache.pieces", "pad-cache.heads"].map(|name| folder.path().join(name));
    let whole = files.each_ref().map(|path| fs::read(path).unwrap());
    let mut flipped = 0;
    for (file, path) in files.iter().enumerate() {
        let bytes = &whole[file];
        let in_use = (0..bytes.len()).filter(|place| bytes[*place] != 0);
        let in_use: Vec<_> = in_use.collect();
        let flips = in_use.iter().step_by(in_use.len() / 150 + 1).map(|place| {
            let mut bytes = bytes.clone();
            bytes[*place] ^= 0x10;
            bytes
        });
        let half = bytes.len() / 2;
        let others = [
            bytes[..half].to_vec(),
            bytes[..100].to_vec(),
            Vec::new(),
            [bytes.clone(), vec![0xff; 100_000]].concat(),
            vec![0xff; bytes.len()],
            bytes.iter().rev().copied().collect(),
            whole[1 - file].clone(),
        ];
        for damaged in flips.chain(others) {
            fs::write(path, damaged).unwrap();
            let disk = small(folder.path());
            let reader = Reader::with(&bucket, &disk);
            let (found, requests) = reader.asked(latest);
            assert_eq!(found, answers);
            assert!(requests <= cold, "{requests}");
            flipped += disk.misses();
            // And what was found to be damaged is whole again.
            let again = Reader::with(&bucket, &small(folder.path()));
            assert_eq!(again.asked(latest), (answers.clone(), 0));
            fs::write(path, bytes).unwrap();
        }
    }
    assert!(flipped > 20, "{flipped}");
}

/// What was kept of an object while it was damaged is not what an object says that was mended.
#[test]
fn what_was_read_of_a_damaged_object_is_read_again() {
    let (bucket, _own) = published(SchemeName::RedBlack, 6);
    let (latest, public) = (Version::new(6), key(SchemeName::RedBlack).public().clone());
    let question = Question::Key(name(7));
    let folder = tempfile::tempdir().unwrap();
    let whole = bucket.contents();
    let (mut mended, expected) = (0, {
        let answer = bucket.repository().answer(latest, &question).unwrap();
        verify(&public, latest, &question, &answer).unwrap()
    });
    for (path, bytes) in &whole {
        if !path.as_ref().contains("/nodes/") {
            continue;
        }
        for place in (0..bytes.len()).step_by(13) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 4;
            bucket.write(path, damaged);
            let memory = NodeCache::default();
            drop(fs::remove_dir_all(folder.path()));
            let disk = opened(folder.path());
            let reader = Reader::new(&bucket, Some(&disk), &memory);
            let says = |reader: &Reader| -> Option<Statement> {
                let answer = reader.repository.answer(latest, &question).ok()?;
                let says = verify(&public, latest, &question, &answer).ok()?;
                assert_eq!(says, expected);
                Some(says)
            };
            let could_answer = reader.repository.answer(latest, &question).is_ok();
            says(&reader);
            bucket.write(path, bytes.clone());
            if !could_answer {
                // It was seen to be damaged: what is on the disk and in memory is not believed for longer.
                assert!(says(&reader).is_some(), "{path} {place}");
                mended += 1;
            }
        }
    }
    assert!(mended > 3, "{mended}");
}

/// Two dictionaries in one cache, one of which takes the other's place, and copies of one that go on apart.
#[test]
fn pieces_are_those_of_one_dictionary_at_one_address() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = [SchemeName::RedBlack, SchemeName::Treap].map(|scheme| published(scheme, 8));
    let latest = Version::new(8);
    for bucket in [&one.0, &other.0, &one.0] {
        let (expected, _) = Reader::new(bucket, None, &NodeCache::default()).asked(latest);
        let reader = Reader::with(bucket, &opened(folder.path()));
        assert_eq!(reader.asked(latest).0, expected);
    }
}

#[test]
fn two_caches_on_one_folder_at_once_answer_as_one() {
    let (bucket, _own) = published(SchemeName::RedBlack, 25);
    let folder = tempfile::tempdir().unwrap();
    let versions = || (1..=25).map(Version::new);
    let plain = Reader::new(&bucket, None, &NodeCache::default());
    let expected: Vec<_> = versions().map(|version| plain.asked(version).0).collect();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                // The least there is, so that pieces take each other's place.
                let disk = DiskCache::open(folder.path(), MIB).unwrap().into();
                for _ in 0..3 {
                    let reader = Reader::with(&bucket, &disk);
                    let found: Vec<_> = versions().map(|version| reader.asked(version).0).collect();
                    assert_eq!(found, expected);
                }
            });
        }
    });
    let bytes = |name| fs::metadata(folder.path().join(name)).unwrap().len();
    assert!(bytes("pad-cache.pieces") + bytes("pad-cache.heads") <= MIB);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_disk_that_is_full_or_fails_and_a_process_that_is_killed_change_no_answer() {
    let (bucket, _own) = published(SchemeName::Treap, 9);
    let latest = Version::new(9);
    let in_layer = |folder: &SimulatedFolder| DiskCache::in_layer(folder, MIB).map(Arc::new);
    let whole = SimulatedFolder::new("cache");
    let (answers, _) = Reader::with(&bucket, &in_layer(&whole).unwrap()).asked(latest);
    let (_, plain) = Reader::new(&bucket, None, &NodeCache::default()).asked(latest);
    let operations = whole.operations().len();
    for stop in 1..=operations {
        for reads in [Reads::Work, Reads::Fail] {
            let folder = SimulatedFolder::new("cache");
            folder.stop_at(stop, reads);
            if let Ok(disk) = in_layer(&folder) {
                assert_eq!(Reader::with(&bucket, &disk).asked(latest).0, answers);
            }
            for left in [folder.after_kill(), folder.after_power_cut(1)] {
                let disk = in_layer(&left).unwrap();
                assert_eq!(Reader::with(&bucket, &disk).asked(latest).0, answers);
                let disk = in_layer(&left).unwrap();
                assert_eq!(Reader::with(&bucket, &disk).asked(latest).1, 0);
            }
        }
    }
    for room in 0..8 {
        let folder = SimulatedFolder::new("cache");
        folder.set_capacity(room * 8192);
        let disk = in_layer(&folder).unwrap();
        for _ in 0..2 {
            let (found, requests) = Reader::with(&bucket, &disk).asked(latest);
            assert_eq!(found, answers);
            assert!(requests <= plain, "{requests} of {plain}");
        }
    }
}

/// Objects that went back, as when a backup is brought back, and have another history of segments since: what the cache has of the first one
/// is of no harm to readers, and nobody writes behind it.
#[test]
fn a_cache_of_another_past_is_believed_by_nobody() {
    let key = key(SchemeName::RedBlack);
    for forgets_newest in [false, true] {
        let (bucket, own) = published(SchemeName::RedBlack, 5);
        let folder = tempfile::tempdir().unwrap();
        let before = bucket.contents();
        let signed = signed(&key, own.path(), 8);
        for until in 6..=7 {
            let mut writer = Reader::with(&bucket, &opened(folder.path())).repository;
            bring(&signed, &mut writer, until).unwrap();
            drop(writer);
            Reader::with(&bucket, &opened(folder.path())).asked(Version::new(until));
        }
        let expected = statements(&bucket.repository(), &key, 1..=7);
        for (path, _) in bucket.contents() {
            bucket.remove(&path);
        }
        for (path, bytes) in &before {
            bucket.write(path, bytes.clone());
        }
        // Two versions in one segment.
        bring(&signed, &mut bucket.repository(), 7).unwrap();
        bucket.repository().check().unwrap();
        if forgets_newest {
            bucket.remove(&"a/prices/newest".into());
        }
        let reader = Reader::with(&bucket, &opened(folder.path())).repository;
        for (found, expected) in statements(&reader, &key, 1..=7).into_iter().zip(expected) {
            assert!(found.is_none() || found == expected);
        }
        let mut writer = Reader::with(&bucket, &opened(folder.path())).repository;
        let brought = bring(&signed, &mut writer, 8);
        drop(writer);
        match brought {
            Ok(()) => {}
            Err(RepositoryError::Store(StoreError::Damaged(said))) => {
                assert!(forgets_newest && said.contains("cache"), "{said}");
            }
            Err(error) => panic!("{error}"),
        }
        bucket.repository().check().unwrap();
    }
}

/// What answers about all versions establish, where they do.
fn statements(
    repository: &AnyRepository,
    key: &SecretKey,
    versions: RangeInclusive<u64>,
) -> Vec<Option<Statement>> {
    let versions = versions.map(Version::new);
    let asked = versions.flat_map(|version| questions().map(move |question| (version, question)));
    let says = asked.map(|(version, question)| {
        let answer = repository.answer(version, &question).ok()?;
        verify(key.public(), version, &question, &answer).ok()
    });
    says.collect()
}

#[test]
fn a_cache_is_given_by_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (address, _) = addresses::at_an_address(folder.path(), "cached", 12);
    let path = Path::new(&address);
    let cache = folder.path().join("a").join("cache");
    let caches = || Caches::default().with_disk(&cache, 4 * MIB).unwrap();
    for _ in 0..2 {
        let reader = open_repository_with(path, caches()).unwrap();
        assert_same(&open_repository(path).unwrap(), &reader);
    }
    let disk = caches().disk().unwrap().clone();
    assert_same(
        &open_repository(path).unwrap(),
        &open_repository_with(path, Caches::default().with_disk_cache(Arc::clone(&disk))).unwrap(),
    );
    assert!(disk.hits() > disk.misses());
    let small = Caches::default().with_disk(&cache, MIB - 1);
    assert!(matches!(small, Err(StoreError::Io(_))));
    let no_folder = Caches::default().with_disk(&cache.join("pad-cache.pieces"), MIB);
    assert!(matches!(no_folder, Err(StoreError::Io(_))));
}

#[test]
fn a_warm_cache_answers_for_many_keys_without_a_request() {
    let (key, bucket) = (key(SchemeName::RedBlack), Bucket::new());
    bucket.create(&key).unwrap();
    let folder = tempfile::tempdir().unwrap();
    drop(signed(&key, folder.path(), 0));
    let record = pad::SigningRecord::open(&folder.path().join("signed")).unwrap();
    let mut author = open_author(&folder.path().join("files"), &key, record).unwrap();
    let named = |number: u64| pad::Key::new(number.to_be_bytes().repeat(2)).unwrap();
    let value = pad::Value::new([7; 32]).unwrap();
    let load = (0..20_000).map(|number| Operation::Put(named(number), value.clone()));
    author.stage(load.collect()).unwrap();
    author.flush(&[]).unwrap();
    drop(author);
    let own = open_repository(&folder.path().join("files")).unwrap();
    bring(&own, &mut bucket.repository(), 1).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let requests = |disk: Option<&Arc<DiskCache>>| {
        let reader = Reader::new(&bucket, disk, &NodeCache::from(0));
        let before = reader.objects.requests();
        for number in (0..20_000).step_by(61) {
            let question = Question::Key(named(number));
            reader
                .repository
                .answer(Version::new(1), &question)
                .unwrap();
        }
        assert_eq!(reader.repository.store().latest().unwrap(), Version::new(1));
        reader.objects.requests() - before
    };
    // With a set of slots for two pieces: all of them have room.
    let disk = Arc::new(DiskCache::open(cache.path(), 16 * MIB).unwrap());
    let (plain, cold, warm) = (requests(None), requests(Some(&disk)), requests(Some(&disk)));
    // Pieces of 64 KiB of three megabytes, and one listing.
    assert!(
        plain > 500 && cold < 80 && warm == 1,
        "{plain} {cold} {warm}"
    );
}
