//! The durable repository and author: crashes, damage and refusals, without the command line.

use std::{
    cell::Cell,
    path::{Path, PathBuf},
};

use ed25519_dalek::{Signature, SignatureError, Signer, SigningKey};
use pad::BalancingScheme;
use pad::{
    ApplyError, Authenticated, AuthorError, AuthorKey, Authority, Blake3Ed25519, CacheMedian,
    DictionaryId, DurableAuthor, DurableRepository, Key, Operation, Paper2010, PathCopying,
    RecordChange, RedBlack, RedbStore, RepositoryError, Sha256Ed25519, SigningRecord, Store,
    StoreError, StoredCheckpoint, Suite, Treap, TreeRepository, Update, Value, VerifyError,
    Version, VersionedNodes,
};

type S = Sha256Ed25519;
type Copying = PathCopying<Authenticated<S>, RedBlack>;
type Median = VersionedNodes<Authenticated<S>, Treap, CacheMedian>;
type Repository = DurableRepository<TreeRepository<S, Copying>, RedbStore>;
type Author = DurableAuthor<TreeRepository<S, Copying>, RedbStore, SigningKey>;

fn signer() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn authority<B: BalancingScheme>() -> Authority {
    let author = AuthorKey::from_bytes(&signer().verifying_key().to_bytes()).unwrap();
    Authority {
        author,
        dictionary: DictionaryId::from_name("test"),
        scheme: B::ID,
    }
}

fn put(key: &str, value: &str) -> Operation {
    Operation::Put(Key::try_from(key).unwrap(), Value::try_from(value).unwrap())
}

fn new_store(folder: &Path) -> PathBuf {
    let path = folder.join("s");
    drop(RedbStore::create(&path, &[]).unwrap());
    path
}

fn open(path: &Path) -> Result<Repository, RepositoryError> {
    Repository::open(RedbStore::open(path).unwrap(), authority::<RedBlack>())
}

/// What the author of the store at this path remembers.
fn record(store: &Path) -> SigningRecord {
    SigningRecord::open(&store.with_extension("signed")).unwrap()
}

/// A store with three versions.
fn published(folder: &Path) -> (PathBuf, Vec<Update<S>>) {
    let path = new_store(folder);
    let mut author = Author::resume(open(&path).unwrap(), signer(), record(&path)).unwrap();
    let updates = (1..=3).map(|number: u32| {
        let batch = vec![put("same", "1"), put("changing", &number.to_string())];
        author.publish(batch).unwrap()
    });
    let updates = updates.collect();
    (path, updates)
}

#[test]
fn stores_refuse_gaps_and_keep_batches_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = new_store(folder.path());
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
    let folder = tempfile::tempdir().unwrap();
    let (path, updates) = published(folder.path());
    for with_checkpoint in [false, true] {
        let mut repository = open(&path).unwrap();
        assert_eq!(repository.latest(), Version::new(3));
        for update in &updates {
            assert_eq!(
                repository.head(update.head.head.version).unwrap(),
                update.head
            );
        }
        assert_eq!(repository.check().unwrap().checkpoint, with_checkpoint);
        repository.checkpoint().unwrap();
    }
}

/// Publishes, opens again and checks, under one suite.
fn check_suite<S: Suite>() {
    type Repository<S> = TreeRepository<S, PathCopying<Authenticated<S>, RedBlack>>;
    let folder = tempfile::tempdir().unwrap();
    let path = new_store(folder.path());
    let open = || {
        let store = RedbStore::open(&path).unwrap();
        DurableRepository::<Repository<S>, _>::open(store, authority::<RedBlack>()).unwrap()
    };
    let mut author = DurableAuthor::resume(open(), signer(), record(&path)).unwrap();
    for value in ["1", "2"] {
        author.publish(vec![put("key", value)]).unwrap();
    }
    author.repository_mut().checkpoint().unwrap();
    author.publish(vec![put("key", "3")]).unwrap();
    drop(author);
    let checked = open().check().unwrap();
    assert_eq!(
        (checked.heads, checked.proved, checked.checkpoint),
        (3, 3, true)
    );
}

#[test]
fn every_suite_is_stored_and_checked() {
    check_suite::<Sha256Ed25519>();
    check_suite::<Blake3Ed25519>();
    check_suite::<Paper2010>();
}

#[test]
fn an_author_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = published(folder.path());
    let mut author = Author::resume(open(&path).unwrap(), signer(), record(&path)).unwrap();
    assert_eq!(
        author
            .publish(vec![put("new", "4")])
            .unwrap()
            .head
            .head
            .version,
        Version::new(4)
    );
    // A staged snapshot that a crash takes away was never handed out, so its number is free.
    assert_eq!(
        author.stage(vec![put("lost", "5")]).unwrap(),
        Version::new(5)
    );
    assert_eq!(author.repository().latest(), Version::new(4));
    drop(author);
    let mut author = Author::resume(open(&path).unwrap(), signer(), record(&path)).unwrap();
    assert_eq!(
        author
            .publish(vec![put("kept", "5")])
            .unwrap()
            .head
            .head
            .version,
        Version::new(5)
    );
    assert_eq!(open_latest(&path, author), Version::new(5));
}

fn open_latest(path: &Path, author: Author) -> Version {
    drop(author);
    open(path).unwrap().latest()
}

#[test]
fn an_author_with_the_wrong_key_stores_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = published(folder.path());
    let mut author = Author::resume(
        open(&path).unwrap(),
        SigningKey::from_bytes(&[8; 32]),
        record(&path),
    )
    .unwrap();
    let refused = author.publish(vec![put("x", "1")]).unwrap_err();
    assert!(matches!(
        refused,
        AuthorError::Repository(RepositoryError::Refused(ApplyError::Head(
            VerifyError::SignatureInvalid
        )))
    ));
    assert!(matches!(author.publish(vec![]), Err(AuthorError::Diverged)));
    assert_eq!(open_latest(&path, author), Version::new(3));
}

#[test]
fn staged_updates_are_not_answered_before_they_are_durable() {
    let folder = tempfile::tempdir().unwrap();
    let (_, updates) = published(folder.path());
    let other = tempfile::tempdir().unwrap();
    let path = new_store(other.path());
    let mut repository = open(&path).unwrap();
    repository.stage(&updates[0]).unwrap();
    repository.stage(&updates[1]).unwrap();
    assert!(repository.head(Version::new(1)).is_err());
    assert!(
        repository
            .prove(Version::new(1), &Key::try_from("same").unwrap())
            .is_err()
    );
    assert_eq!(repository.flush(&[]).unwrap(), Version::new(2));
    assert!(repository.head(Version::new(2)).is_ok());
    assert!(matches!(
        repository.apply(&updates[0]),
        Err(RepositoryError::Refused(ApplyError::VersionGap { .. }))
    ));
    let mut wrong = updates[2].clone();
    wrong.operations.remove(0);
    assert!(matches!(
        repository.apply(&wrong),
        Err(RepositoryError::Refused(ApplyError::RootMismatch))
    ));
    repository.apply(&updates[2]).unwrap();
    drop(repository);
    open(&path).unwrap().check().unwrap();
}

#[test]
fn a_damaged_checkpoint_costs_a_replay_or_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = published(folder.path());
    let damage = |path: &Path| {
        let mut store = RedbStore::open(path).unwrap();
        let mut checkpoint = store.checkpoint().unwrap().unwrap();
        let middle = checkpoint.bytes.len() / 2;
        checkpoint.bytes[middle] ^= 1;
        store.put_checkpoint(&checkpoint).unwrap();
    };
    open(&path).unwrap().checkpoint().unwrap();
    damage(&path);
    let mut repository = open(&path).unwrap();
    assert_eq!(repository.latest(), Version::new(3));
    assert!(
        repository
            .check()
            .unwrap_err()
            .to_string()
            .contains("integrity check")
    );
    repository.prune(Version::new(2)).unwrap();
    repository.check().unwrap();
    drop(repository);
    damage(&path);
    assert!(matches!(
        open(&path),
        Err(RepositoryError::Store(StoreError::Damaged(_)))
    ));
}

#[test]
fn damaged_updates_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let (_, updates) = published(folder.path());
    let other = tempfile::tempdir().unwrap();
    let path = new_store(other.path());
    let mut store = RedbStore::open(&path).unwrap();
    let mut wrong = updates[1].clone();
    wrong.operations[0] = put("changing", "9");
    let encoded = [&updates[0], &wrong].map(pad_core::codec::encode);
    store.publish(Version::new(1), &encoded, &[]).unwrap();
    drop(store);
    let refused = open(&path).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the store is damaged: version 2: the update's operations do not lead to its signed root"
    );
}

#[test]
fn a_store_of_another_dictionary_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = published(folder.path());
    open(&path).unwrap().checkpoint().unwrap();
    let mut other = authority::<RedBlack>();
    other.dictionary = DictionaryId::from_name("other");
    let opened = Repository::open(RedbStore::open(&path).unwrap(), other);
    assert!(matches!(opened, Err(RepositoryError::DamagedUpdate(..))));
    let opened = DurableRepository::<TreeRepository<S, Median>, _>::open(
        RedbStore::open(&path).unwrap(),
        authority::<Treap>(),
    );
    assert!(matches!(opened, Err(RepositoryError::DamagedUpdate(..))));
}

/// A signer that fails once, like a hardware module that is away for a moment.
struct Absent {
    key: SigningKey,
    fails: Cell<bool>,
}

impl Signer<Signature> for Absent {
    fn try_sign(&self, message: &[u8]) -> Result<Signature, SignatureError> {
        if self.fails.replace(false) {
            return Err(SignatureError::new());
        }
        self.key.try_sign(message)
    }
}

#[test]
fn a_failed_signature_loses_no_batch() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = published(folder.path());
    let signer = Absent {
        key: signer(),
        fails: Cell::new(true),
    };
    let mut author = DurableAuthor::resume(open(&path).unwrap(), signer, record(&path)).unwrap();
    assert!(matches!(
        author.publish(vec![put("first", "1")]),
        Err(AuthorError::Signing(_))
    ));
    let update = author.publish(vec![put("second", "2")]).unwrap();
    assert_eq!(update.operations, [put("second", "2")]);
    assert_eq!(update.head.head.version, Version::new(5));
    drop(author);
    let repository = open(&path).unwrap();
    let contents = repository.tree().contents();
    for (version, key, value) in [(4, "first", "1"), (5, "first", "1"), (5, "second", "2")] {
        let found = contents.lookup(Version::new(version), key.as_bytes());
        assert_eq!(found, Some(value.as_bytes()));
    }
    assert_eq!(contents.lookup(Version::new(4), b"second"), None);
}
