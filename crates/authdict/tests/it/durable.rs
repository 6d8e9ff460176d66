//! Tests of stores of each family without the command line: crashes, damage and refusals.

use std::path::Path;

use authdict::{
    ApplyError, Author, AuthorError, Key, LookupError, Operation, Question, RepositoryError,
    SchemeName, SecretKey, Server, SigningRecord, Statement, StoreError, SuiteName, Value, Version,
    internals::{RecordChange, RedbStore, Store, StoredCheckpoint, dynamic::create_store},
    verify,
};
use tempfile::TempDir;

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

/// A store and its author's key.
struct Shop {
    folder: TempDir,
    key: SecretKey,
}

impl Shop {
    fn of(key: SecretKey) -> Self {
        let folder = tempfile::tempdir().unwrap();
        create_store(&folder.path().join("s"), key.public()).unwrap();
        Self { folder, key }
    }

    fn new(scheme: SchemeName) -> Self {
        Self::of(key_of(SuiteName::Sha256Ed25519, scheme))
    }

    /// Creates a store with three versions.
    fn published(scheme: SchemeName) -> Self {
        let shop = Self::new(scheme);
        for number in 1..=3_u32 {
            shop.publish(vec![put("same", "1"), put("changing", &number.to_string())]);
        }
        shop
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("s")
    }

    fn open(&self) -> Result<Server, RepositoryError> {
        Server::of_any(self.path())
    }

    fn author(&self) -> Result<Author, AuthorError> {
        let record = SigningRecord::open_or_begin(&self.folder.path().join("signed")).unwrap();
        Author::of_any(self.path(), &self.key, record)
    }

    fn publish(&self, batch: Vec<Operation>) -> Version {
        let mut author = self.author().unwrap();
        author.stage(batch).unwrap();
        author.flush(&[]).unwrap()
    }

    fn updates(&self) -> Vec<Vec<u8>> {
        let repository = self.open().unwrap();
        let versions = (1..=repository.latest().number()).map(Version::new);
        let update = |version| repository.update_message(version).unwrap().unwrap();
        versions.map(update).collect()
    }

    fn value(&self, version: Version, key: &str) -> Option<Value> {
        let question = Question::Key(Key::try_from(key).unwrap());
        let answer = self.open().unwrap().answer(version, &question).unwrap();
        match verify(self.key.public(), version, &question, &answer).unwrap() {
            Statement::Lookup(lookup) => lookup.answer.value().cloned(),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn stores_refuse_gaps_and_keep_batches_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    drop(RedbStore::create(&path, &[]).unwrap());
    assert!(matches!(
        RedbStore::create(&path, &[]),
        Err(StoreError::Exists(_))
    ));
    let mut store = RedbStore::open(&path).unwrap();
    let record = [RecordChange::put("group", "name", "value")];
    store
        .publish(
            Version::new(1),
            &[b"one".to_vec(), b"two".to_vec()],
            &record,
        )
        .unwrap();
    for wrong in [0, 1, 2, 4] {
        let refused = store.publish(
            Version::new(wrong),
            &[b"x".to_vec()],
            &[RecordChange::remove("group", "name", "value")],
        );
        assert!(
            matches!(refused, Err(StoreError::Gap { expected, .. }) if expected == Version::new(3))
        );
    }
    assert_eq!(store.latest().unwrap(), Version::new(2));
    assert_eq!(
        store.records("group").unwrap(),
        [(b"name".to_vec(), b"value".to_vec())]
    );
    assert_eq!(store.update(Version::new(2)).unwrap().unwrap(), b"two");
    assert_eq!(store.update(Version::new(3)).unwrap(), None);
    let oldest = Version::new(1);
    let bytes = vec![7; 3 << 20];
    let checkpoint = StoredCheckpoint {
        version: Version::new(2),
        oldest,
        digest: vec![1],
        bytes,
    };
    store.put_checkpoint(&checkpoint).unwrap();
    drop(store);
    let mut store = RedbStore::open(&path).unwrap();
    assert_eq!(store.checkpoint().unwrap(), Some(checkpoint));
    assert_eq!(store.update(Version::new(1)).unwrap(), None);
    assert_eq!(store.update(Version::new(2)).unwrap().unwrap(), b"two");
    store.compact().unwrap();
    store.check().unwrap();
}

#[test]
fn reopening_gives_the_same_versions() {
    for scheme in SCHEMES {
        let shop = Shop::published(*scheme);
        let updates = shop.updates();
        for with_checkpoint in [false, true] {
            let mut repository = shop.open().unwrap();
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
        let checked = shop.open().unwrap().check().unwrap();
        assert_eq!((checked.heads, checked.proved), (3, 3));
    }
}

#[test]
fn an_author_goes_on_where_it_stopped() {
    for scheme in SCHEMES {
        let shop = Shop::published(*scheme);
        let mut author = shop.author().unwrap();
        author.stage(vec![put("new", "4")]).unwrap();
        assert_eq!(author.flush(&[]).unwrap(), Version::new(4));
        // A crash drops a staged version that was never published, so its number can be used again.
        assert_eq!(
            author.stage(vec![put("lost", "5")]).unwrap(),
            Version::new(5)
        );
        assert_eq!(author.server().latest(), Version::new(4));
        drop(author);
        assert_eq!(shop.publish(vec![put("kept", "5")]), Version::new(5));
        assert_eq!(shop.value(Version::new(5), "lost"), None);
    }
}

/// Opening a store with the key of another author must be refused.
#[test]
fn an_author_with_another_key_is_refused() {
    for scheme in SCHEMES {
        let (shop, other) = (Shop::published(*scheme), Shop::new(*scheme));
        let record = SigningRecord::open_or_begin(&other.folder.path().join("signed")).unwrap();
        let refused = Author::of_any(shop.path(), &other.key, record).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("belongs to another dictionary")
        );
        assert_eq!(shop.open().unwrap().latest(), Version::new(3));
    }
}

#[test]
fn staged_updates_are_not_answered_before_they_are_durable() {
    for scheme in SCHEMES {
        let shop = Shop::published(*scheme);
        let (updates, copy) = (shop.updates(), shop.folder.path().join("copy"));
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
    let shop = Shop::published(SchemeName::TupleAccumulatorsBilinear);
    let damage = |path: &Path| {
        let mut store = RedbStore::open(path).unwrap();
        let mut checkpoint = store.checkpoint().unwrap().unwrap();
        let middle = checkpoint.bytes.len() / 2;
        checkpoint.bytes[middle] ^= 1;
        store.put_checkpoint(&checkpoint).unwrap();
    };
    shop.open().unwrap().checkpoint().unwrap();
    damage(&shop.path());
    let mut repository = shop.open().unwrap();
    assert_eq!(repository.latest(), Version::new(3));
    let refused = repository.check().unwrap_err().to_string();
    assert!(refused.contains("integrity check"), "{refused}");
    repository.prune(Version::new(2)).unwrap();
    repository.check().unwrap();
    drop(repository);
    damage(&shop.path());
    assert!(matches!(
        shop.open(),
        Err(RepositoryError::Store(StoreError::Damaged(_)))
    ));
}

/// Publishes updates of another author in the store. The first update must be reported as damaged.
#[test]
fn damaged_updates_are_found() {
    for scheme in SCHEMES.iter().skip(1) {
        let (shop, other) = (Shop::new(*scheme), Shop::published(*scheme));
        let mut store = RedbStore::open(&shop.path()).unwrap();
        store
            .publish(Version::new(1), &other.updates(), &[])
            .unwrap();
        drop(store);
        let refused = shop.open().unwrap_err();
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
    assert!(
        refused.contains("missing or unknown to this program"),
        "{refused}"
    );
}
