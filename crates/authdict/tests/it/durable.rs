//! Tests of stores of each family without the command line: crashes, damage and refusals.

use std::path::Path;

use authdict::{
    ApplyError, Author, Key, LookupError, Operation, Question, RepositoryError, SchemeName,
    SecretKey, Server, SigningRecord, StoreError, SuiteName, Version,
    internals::{RecordChange, RedbStore, Store, StoredCheckpoint, dynamic::create_store},
};

use crate::shop::Shop;

/// One tree scheme (kept as rows), one tuple scheme (derived from updates), and, if built, one kept
/// in a checkpoint.
const SCHEMES: &[SchemeName] = &[
    SchemeName::RedBlack,
    SchemeName::TupleSpecLightweight,
    #[cfg(feature = "accumulators")]
    SchemeName::TupleAccumulatorsBilinear,
];

fn put(key: &str, value: &str) -> Operation {
    Operation::Put(key.try_into().unwrap(), value.try_into().unwrap())
}

fn key_of(suite: SuiteName, scheme: SchemeName) -> SecretKey {
    SecretKey::generate_for(16, suite, scheme, None).unwrap()
}

/// Creates an empty store with a new key.
fn empty(scheme: SchemeName) -> Shop {
    Shop::of(key_of(SuiteName::Sha256Ed25519, scheme))
}

/// Creates a store with three versions.
fn published(scheme: SchemeName) -> Shop {
    let shop = empty(scheme);
    for number in 1..=3_u32 {
        shop.publish(vec![put("same", "1"), put("changing", &number.to_string())]);
    }
    shop
}

fn updates(shop: &Shop) -> Vec<Vec<u8>> {
    let repository = shop.repository();
    let versions = (1..=repository.latest().number()).map(Version::new);
    let update = |version| repository.update_message(version).unwrap().unwrap();
    versions.map(update).collect()
}

#[test]
fn stores_refuse_gaps_and_keep_batches_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    drop(RedbStore::create(&path, &[]).unwrap());
    let again = RedbStore::create(&path, &[]);
    assert!(matches!(again, Err(StoreError::Exists(_))));
    let mut store = RedbStore::open(&path).unwrap();
    let record = [RecordChange::put("group", "name", "value")];
    let updates = ["one", "two"].map(|update| update.as_bytes().to_vec());
    let [first, second, third] = [1, 2, 3].map(Version::new);
    store.publish(first, &updates, &record).unwrap();
    let removal = [RecordChange::remove("group", "name", "value")];
    for wrong in [0, 1, 2, 4].map(Version::new) {
        let refused = store.publish(wrong, &[b"x".to_vec()], &removal);
        assert!(matches!(refused, Err(StoreError::Gap { expected, .. }) if expected == third));
    }
    assert_eq!(store.latest().unwrap(), second);
    let records = store.records("group").unwrap();
    assert_eq!(records, [(b"name".to_vec(), b"value".to_vec())]);
    assert_eq!(store.update(second).unwrap().unwrap(), b"two");
    assert_eq!(store.update(third).unwrap(), None);
    let checkpoint = StoredCheckpoint {
        version: second,
        oldest: first,
        digest: vec![1],
        bytes: vec![7; 3 << 20],
    };
    store.put_checkpoint(&checkpoint).unwrap();
    drop(store);
    let mut store = RedbStore::open(&path).unwrap();
    assert_eq!(store.checkpoint().unwrap(), Some(checkpoint));
    assert_eq!(store.update(first).unwrap(), None);
    assert_eq!(store.update(second).unwrap().unwrap(), b"two");
    store.compact().unwrap();
    store.check().unwrap();
}

#[test]
fn reopening_gives_the_same_versions() {
    for scheme in SCHEMES {
        let shop = published(*scheme);
        let updates = updates(&shop);
        for with_checkpoint in [false, true] {
            let mut repository = shop.repository();
            assert_eq!(repository.latest(), Version::new(3));
            for update in &updates {
                assert!(repository.has_update(update).unwrap());
            }
            let checked = repository.check().unwrap();
            assert_eq!((checked.heads, checked.proved), (3, 3));
            let is_whole = !scheme.reads_on_demand();
            assert_eq!(checked.checkpoint, with_checkpoint && is_whole, "{scheme}");
            repository.checkpoint().unwrap();
        }
    }
}

#[test]
fn every_suite_is_stored_and_checked() {
    for suite in SuiteName::ALL {
        let shop = Shop::of(key_of(*suite, SchemeName::RedBlack));
        for value in ["1", "2", "3"] {
            shop.publish(vec![put("key", value)]);
        }
        let checked = shop.repository().check().unwrap();
        assert_eq!((checked.heads, checked.proved), (3, 3));
    }
}

#[test]
fn an_author_goes_on_where_it_stopped() {
    for scheme in SCHEMES {
        let shop = published(*scheme);
        let mut author = shop.author().unwrap();
        author.stage(vec![put("new", "4")]).unwrap();
        assert_eq!(author.flush(&[]).unwrap(), Version::new(4));
        // A crash drops a staged version that was never published, so its number can be used again.
        let lost = author.stage(vec![put("lost", "5")]).unwrap();
        assert_eq!(lost, Version::new(5));
        assert_eq!(author.server().latest(), Version::new(4));
        drop(author);
        assert_eq!(shop.publish(vec![put("kept", "5")]), Version::new(5));
        let lost = Key::try_from("lost").unwrap();
        assert_eq!(shop.value(Version::new(5), &lost), None);
    }
}

/// Opening a store with the key of another author must be refused.
#[test]
fn an_author_with_another_key_is_refused() {
    for scheme in SCHEMES {
        let (shop, other) = (published(*scheme), empty(*scheme));
        let record = SigningRecord::open_or_begin(&other.sibling("signed")).unwrap();
        let refused = Author::of_any(&shop.store, &other.key, record).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("belongs to another dictionary"));
        assert_eq!(shop.repository().latest(), Version::new(3));
    }
}

#[test]
fn staged_updates_are_not_answered_before_they_are_durable() {
    for scheme in SCHEMES {
        let shop = published(*scheme);
        let (updates, copy) = (updates(&shop), shop.sibling("copy"));
        create_store(&copy, shop.key.public()).unwrap();
        let mut repository = Server::of_any(&copy).unwrap();
        repository.stage_message(&updates[0]).unwrap();
        repository.stage_message(&updates[1]).unwrap();
        let question = Question::Key(Key::try_from("same").unwrap());
        assert!(repository.head_message(Version::new(1)).is_err());
        assert!(repository.answer(Version::new(1), &question).is_err());
        assert_eq!(repository.flush(&[]).unwrap(), Version::new(2));
        assert!(repository.head_message(Version::new(2)).is_ok());
        assert!(matches!(
            repository.apply_message(&updates[0]),
            Err(RepositoryError::Refused(ApplyError::VersionGap { .. }))
        ));
        repository.stage_message(&updates[2]).unwrap();
        let [durable, staged] = [2, 3].map(Version::new);
        let unknown = LookupError::UnknownVersion {
            version: staged,
            latest: durable,
        };
        let same = Key::try_from("same").unwrap();
        let page = |last| repository.history_page(&same, last, u64::MAX).unwrap();
        let [of_durable, of_staged] = [durable, staged].map(|last| page(last).into_unverified());
        assert_eq!(of_staged, of_durable, "{scheme}");
        let changes = repository.diff(durable, staged);
        assert_eq!(changes.map(drop).unwrap_err(), unknown.into());
        let answered = repository.answer(Version::new(2), &question);
        // A superseding statement of a tuple also covers later versions.
        let is_tuple = *scheme != SchemeName::RedBlack;
        assert_eq!(answered.is_err(), is_tuple, "{scheme}");
        if let Err(error) = answered {
            let version = Version::new(3);
            assert_eq!(error, LookupError::NotDurable { version }.into());
        }
        repository.flush(&[]).unwrap();
        drop(repository);
        Server::of_any(&copy).unwrap().check().unwrap();
    }
}

#[cfg(feature = "accumulators")]
#[test]
fn a_damaged_checkpoint_costs_a_replay_or_is_refused() {
    let shop = published(SchemeName::TupleAccumulatorsBilinear);
    let damage = |path: &Path| {
        let mut store = RedbStore::open(path).unwrap();
        let mut checkpoint = store.checkpoint().unwrap().unwrap();
        let middle = checkpoint.bytes.len() / 2;
        checkpoint.bytes[middle] ^= 1;
        store.put_checkpoint(&checkpoint).unwrap();
    };
    shop.repository().checkpoint().unwrap();
    damage(&shop.store);
    let mut repository = shop.repository();
    assert_eq!(repository.latest(), Version::new(3));
    let refused = repository.check().unwrap_err().to_string();
    assert!(refused.contains("integrity check"), "{refused}");
    repository.prune(Version::new(2)).unwrap();
    repository.check().unwrap();
    drop(repository);
    damage(&shop.store);
    assert!(matches!(
        Server::of_any(&shop.store),
        Err(RepositoryError::Store(StoreError::Damaged(_)))
    ));
}

/// Publishes updates of another author in the store. The first update must be reported as damaged.
#[test]
fn damaged_updates_are_found() {
    for scheme in SCHEMES.iter().skip(1) {
        let (shop, other) = (empty(*scheme), published(*scheme));
        let mut store = RedbStore::open(&shop.store).unwrap();
        store
            .publish(Version::new(1), &updates(&other), &[])
            .unwrap();
        drop(store);
        let refused = Server::of_any(&shop.store).unwrap_err();
        assert!(
            matches!(
                refused,
                RepositoryError::DamagedUpdate(version, ApplyError::Head(_))
                    if version == Version::new(1)
            ),
            "{refused:?}"
        );
    }
}

/// A store of an earlier format, whose trees were read into memory, must be refused.
#[test]
fn a_store_that_keeps_its_versions_otherwise_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let key = key_of(SuiteName::Sha256Ed25519, SchemeName::RedBlack);
    let path = folder.path().join("s");
    let records = [
        RecordChange::put("public-key", "", key.public().to_text()),
        RecordChange::put("repository", "", "path-copying"),
    ];
    drop(RedbStore::create(&path, &records).unwrap());
    let refused = Server::of_any(&path).unwrap_err().to_string();
    let said = "missing or unknown to this program";
    assert!(refused.contains(said), "{refused}");
}
