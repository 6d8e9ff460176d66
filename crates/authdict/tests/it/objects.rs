//! Dictionaries in object stores: their state after accidents, races between writers, and the
//! number of requests for each question.

use std::{
    future::ready,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use authdict::{
    Author, NodeCache, Operation, Question, RepositoryError, SchemeName, SecretKey, Server,
    SigningRecord, StoreError, SuiteName, Version,
    internals::{
        AnyStore,
        dynamic::{create_store, store_records},
        objects::{ObjectBackend, ObjectFolder},
    },
    verify,
};
use futures_util::{StreamExt as _, stream::BoxStream};
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
    memory::InMemory, path::Path,
};

use crate::{
    memory::{Memory, assert_same},
    shop::{Shop, TREES, batches, follow, key, name, neighbour_questions, put, questions},
};

/// An object store shared by many processes.
#[derive(Debug, Default)]
pub(crate) struct Bucket {
    objects: InMemory,
    /// The number of changes before a change fails; `usize::MAX` for no failure.
    until_failure: AtomicUsize,
    /// Whether failing changes take effect nevertheless, and only report an error.
    only_says_so: bool,
    /// Whether conditional creates replace existing objects.
    replaces: AtomicBool,
    /// The number of creates that still have to fail with a reported conflict.
    conflicts: AtomicUsize,
    /// The suffix of a name that listings omit. A listing of a folder can omit names while the
    /// folder changes.
    unlisted: Mutex<Option<&'static str>>,
}

impl core::fmt::Display for Bucket {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str("bucket")
    }
}

impl Bucket {
    pub(crate) fn new() -> Arc<Self> {
        Self::failing(usize::MAX, false)
    }

    fn failing(after: usize, only_says_so: bool) -> Arc<Self> {
        Arc::new(Self {
            until_failure: AtomicUsize::new(after),
            only_says_so,
            ..Self::default()
        })
    }

    /// Returns whether this change fails. After the first failure, all changes fail.
    fn fails(&self) -> bool {
        let left = self.until_failure.load(Ordering::Relaxed);
        if left != usize::MAX && left > 0 {
            self.until_failure.store(left - 1, Ordering::Relaxed);
        }
        left == 0
    }

    fn mend(&self) {
        self.until_failure.store(usize::MAX, Ordering::Relaxed);
    }

    pub(crate) fn folder(self: &Arc<Self>) -> ObjectFolder {
        let store: Arc<dyn ObjectStore> = self.clone();
        ObjectFolder::new(store, Path::from("a/prices")).unwrap()
    }

    pub(crate) fn create(
        self: &Arc<Self>,
        key: &SecretKey,
    ) -> core::result::Result<(), StoreError> {
        ObjectBackend::create(&self.folder(), "prices", &store_records(key.public()))
    }

    fn store(self: &Arc<Self>) -> AnyStore {
        AnyStore::Objects(ObjectBackend::open(self.folder(), "prices").unwrap())
    }

    pub(crate) fn repository(self: &Arc<Self>) -> Server {
        Server::in_store(self.store(), NodeCache::default()).unwrap()
    }

    /// Returns the names and contents of all objects.
    pub(crate) fn contents(&self) -> Vec<(Path, Vec<u8>)> {
        let read = async {
            let mut found = Vec::new();
            let mut listed = self.objects.list(None);
            while let Some(meta) = listed.next().await {
                let path = meta.unwrap().location;
                let object = self.objects.get(&path).await.unwrap();
                found.push((path, object.bytes().await.unwrap().to_vec()));
            }
            found
        };
        let mut found = wait(read);
        found.sort();
        found
    }

    pub(crate) fn write(&self, path: &Path, bytes: Vec<u8>) {
        wait(self.objects.put(path, bytes.into())).unwrap();
    }

    pub(crate) fn remove(&self, path: &Path) {
        wait(self.objects.delete(path)).unwrap();
    }
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(work)
}

fn broken() -> object_store::Error {
    object_store::Error::Generic {
        store: "bucket",
        source: "the network is gone".into(),
    }
}

#[async_trait]
impl ObjectStore for Bucket {
    async fn put_opts(
        &self,
        path: &Path,
        payload: PutPayload,
        mut options: PutOptions,
    ) -> Result<PutResult> {
        if self.replaces.load(Ordering::Relaxed) {
            options.mode = PutMode::Overwrite;
        }
        let conflicts = &self.conflicts;
        let left = conflicts.load(Ordering::Relaxed);
        if left > 0 {
            conflicts.store(left - 1, Ordering::Relaxed);
            return Err(object_store::Error::AlreadyExists {
                path: path.to_string(),
                source: "another request is under way".into(),
            });
        }
        if self.fails() {
            if self.only_says_so {
                self.mend();
                self.objects.put_opts(path, payload, options).await?;
            }
            return Err(broken());
        }
        self.objects.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.objects.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        self.objects.get_opts(path, options).await
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.objects.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let unlisted = *self.unlisted.lock().unwrap();
        let is_listed = move |found: &Result<ObjectMeta>| {
            let name = found.as_ref().unwrap().location.as_ref();
            unlisted.is_none_or(|end| !name.ends_with(end))
        };
        let listed = self.objects.list(prefix);
        listed.filter(move |found| ready(is_listed(found))).boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.objects.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.objects.copy_opts(from, to, options).await
    }
}

/// Returns the author's own store, with at least `until` versions.
pub(crate) fn signed(shop: &Shop, until: u64) -> Server {
    let mut author = shop.author().unwrap();
    let latest = usize::try_from(author.server().latest().number()).unwrap();
    for batch in batches(shop.key.public().scheme.id().0.into(), until).skip(latest) {
        author.stage(batch).unwrap();
    }
    author.flush(&[]).unwrap();
    drop(author);
    shop.repository()
}

/// Copies updates to objects, three versions at a time.
pub(crate) fn bring(
    from: &Server,
    to: &mut Server,
    until: u64,
) -> core::result::Result<(), RepositoryError> {
    let missing: Vec<_> = (to.latest().number() + 1..=until)
        .map(Version::new)
        .collect();
    for group in missing.chunks(3) {
        for version in group {
            to.stage_message(&from.update_message(*version).unwrap().unwrap())?;
        }
        to.flush(&[])?;
    }
    Ok(())
}

pub(crate) fn publish(
    bucket: &Arc<Bucket>,
    shop: &Shop,
    until: u64,
) -> core::result::Result<(), RepositoryError> {
    bring(&signed(shop, until), &mut bucket.repository(), until)
}

/// Creates an author's own store, and objects with its first `until` versions.
pub(crate) fn published(scheme: SchemeName, until: u64) -> (Shop, Arc<Bucket>) {
    let (shop, bucket) = (Shop::new(scheme), Bucket::new());
    bucket.create(&shop.key).unwrap();
    publish(&bucket, &shop, until).unwrap();
    (shop, bucket)
}

/// Signs one more version with value `number`, which the author of a copy does not know.
fn fork(shop: &Shop, number: u64) -> Vec<u8> {
    let mut author = shop.author().unwrap();
    author.stage(vec![put(1, number)]).unwrap();
    let version = author.flush(&[]).unwrap();
    author.server().update_message(version).unwrap().unwrap()
}

fn copy(from: &Shop, to: &Shop) {
    for file in std::fs::read_dir(from.folder.path()).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), to.folder.path().join(file.file_name())).unwrap();
    }
}

/// Lets two writers apply their updates concurrently. Exactly one must succeed.
fn race(writers: [Server; 2], updates: &[Vec<u8>; 2]) {
    let start = std::sync::Barrier::new(2);
    let mut updates = updates.iter();
    let ends = std::thread::scope(|scope| {
        let running = writers.map(|mut writer| {
            let (start, update) = (&start, updates.next().unwrap());
            scope.spawn(move || {
                start.wait();
                writer.apply_message(update)
            })
        });
        running.map(|thread| thread.join().unwrap())
    });
    let won = ends.iter().filter(|end| end.is_ok()).count();
    assert_eq!(won, 1, "{ends:?}");
    let is_clear = |end: &core::result::Result<Version, RepositoryError>| {
        matches!(
            end,
            Err(RepositoryError::Store(
                StoreError::Gap { .. } | StoreError::Overtaken
            ))
        )
    };
    assert!(ends.iter().any(is_clear), "{ends:?}");
}

#[test]
fn every_answer_is_that_of_the_repository_in_files() {
    for scheme in TREES {
        let ((shop, bucket), mirror) = (published(scheme, 20), Bucket::new());
        mirror.create(&shop.key).unwrap();
        publish(&bucket, &shop, 33).unwrap();
        let objects = bucket.repository();
        let memory = Memory::of(shop.key.public(), &objects);
        let mut follower = mirror.repository();
        follow(&mut follower, &objects);
        assert_same(&memory, &objects);
        assert_same(&memory, &follower);
        let checked = bucket.repository().check().unwrap();
        assert_eq!((checked.heads, checked.proved), (33, 33));
        assert!(bucket.repository().prune(Version::new(4)).is_err());
        let again = bucket.create(&shop.key);
        assert!(matches!(again, Err(StoreError::Exists(_))));
    }
}

#[test]
fn of_two_writers_one_wins_each_time() {
    for round in 0..pad_conformance::soak::size(8, 25) {
        let (shop, bucket) = published(SchemeName::RedBlack, 3);
        let shops = [shop, Shop::new(SchemeName::RedBlack)];
        copy(&shops[0], &shops[1]);
        let mut numbers = [100, 200].map(|number| number + round).into_iter();
        let updates = shops
            .each_ref()
            .map(|shop| fork(shop, numbers.next().unwrap()));
        // Both writers have opened the latest version.
        race([bucket.repository(), bucket.repository()], &updates);
        let mut repository = bucket.repository();
        assert_eq!(repository.latest(), Version::new(4));
        repository.check().unwrap();
        // The writer that succeeded continues.
        let head = repository.head_message(Version::new(4)).unwrap();
        let mut shops = shops.iter();
        let winner = shops.find(|shop| {
            let own = shop.repository();
            own.head_message(Version::new(4)).unwrap() == head
        });
        publish(&bucket, winner.unwrap(), 6).unwrap();
        assert_eq!(bucket.repository().latest(), Version::new(6));
    }
}

/// A medium without conditional creates must be refused. Two writers would both succeed, and one
/// version would be lost.
#[test]
fn a_medium_that_replaces_what_is_to_be_created_is_refused_at_once() {
    let refused = |ended: RepositoryError| {
        assert!(
            matches!(&ended, RepositoryError::Store(StoreError::Io(error))
                if error.to_string().contains("If-None-Match")),
            "{ended}"
        );
    };
    let bucket = Bucket::new();
    bucket.replaces.store(true, Ordering::Relaxed);
    let created = bucket.create(&key(SchemeName::RedBlack));
    refused(created.unwrap_err().into());
    // The medium stops supporting conditional creates after the store was created.
    let (shop, bucket) = published(SchemeName::RedBlack, 3);
    bucket.replaces.store(true, Ordering::Relaxed);
    refused(publish(&bucket, &shop, 6).unwrap_err());
}

#[test]
fn nobody_signs_in_objects() {
    let folder = tempfile::tempdir().unwrap();
    let (address, key) = (address(folder.path(), "author"), key(SchemeName::Treap));
    let path = std::path::Path::new(&address);
    create_store(path, key.public()).unwrap();
    let record = SigningRecord::open_or_begin(&folder.path().join("signed")).unwrap();
    let refused = Author::of_any(path, &key, record).unwrap_err().to_string();
    assert!(refused.contains("accepts only signed updates"), "{refused}");
}

#[test]
fn addresses_of_no_objects_are_refused() {
    for address in [
        "file://prices",
        "file://data/prices",
        "file:///prices?x",
        "file:///prices#1",
        "memory:///prices",
        "https://example.org/prices",
        "://",
    ] {
        let refused = ObjectFolder::at(address).unwrap_err().to_string();
        assert!(refused.contains("no address"), "{refused}");
    }
}

/// A listing of a folder is unordered, and may omit files while the folder changes.
#[test]
fn a_head_that_a_listing_leaves_out_is_found() {
    let (_shop, bucket) = published(SchemeName::SkipList, 6);
    bucket.remove(&Path::from("a/prices/newest"));
    *bucket.unlisted.lock().unwrap() = Some("00000000000000000004");
    assert_eq!(bucket.repository().latest(), Version::new(6));
    bucket.remove(&Path::from("a/prices/heads/00000000000000000004"));
    assert!(Server::in_store(bucket.store(), NodeCache::default()).is_err());
}

/// The latest version must be found with any hint in the object `newest`, and without a hint.
#[test]
fn the_latest_version_is_found_from_anywhere() {
    let (shop, bucket) = published(SchemeName::RedBlack, 0);
    let newest = Path::from("a/prices/newest");
    // Objects that do not have the name of a head are ignored.
    for stray in ["000", "zz"] {
        let stray = Path::from(format!("a/prices/heads/{stray}"));
        bucket.write(&stray, b"stray".to_vec());
    }
    for until in [1, 2, 3, 4, 7, 8, 9, 20, 33] {
        publish(&bucket, &shop, until).unwrap();
        for hint in [0, 1, until / 2, until, until + 1, u64::MAX] {
            bucket.write(&newest, format!("{hint:020}").into_bytes());
            assert_eq!(bucket.repository().latest(), Version::new(until), "{hint}");
        }
        bucket.write(&newest, b"nonsense".to_vec());
        assert_eq!(bucket.repository().latest(), Version::new(until));
        bucket.remove(&newest);
        assert_eq!(bucket.repository().latest(), Version::new(until));
    }
}

/// A service may refuse a create because of a concurrent create, although no object exists.
#[test]
fn what_is_refused_without_an_object_is_tried_again() {
    let (shop, bucket) = published(SchemeName::RedBlack, 0);
    for until in [1, 2] {
        bucket.conflicts.store(3, Ordering::Relaxed);
        publish(&bucket, &shop, until).unwrap();
        assert_eq!(bucket.repository().latest(), Version::new(until));
    }
}

#[test]
fn after_a_failure_at_any_object_what_was_acknowledged_is_there() {
    let (shop, whole) = published(SchemeName::Treap, 12);
    let (own, whole) = (shop.repository(), whole.repository());
    for only_says_so in [false, true] {
        let mut failed = 0;
        for after in 0.. {
            let bucket = Bucket::failing(after, only_says_so);
            let created = bucket.create(&shop.key);
            let mut acknowledged = Version::EMPTY;
            let is_done = created.is_ok()
                && Server::in_store(bucket.store(), NodeCache::default()).is_ok_and(
                    |mut objects| {
                        let done = bring(&own, &mut objects, 12);
                        acknowledged = objects.latest();
                        done.is_ok()
                    },
                );
            let left = bucket.until_failure.load(Ordering::Relaxed);
            let is_whole = is_done && left > 0 && left != usize::MAX;
            bucket.mend();
            if created.is_err() {
                drop(bucket.create(&shop.key));
            }
            let mut repository = bucket.repository();
            repository.check().unwrap();
            assert!(repository.latest() >= acknowledged, "{after}");
            drop(repository);
            bring(&own, &mut bucket.repository(), 12).unwrap();
            assert_same(&bucket.repository(), &whole);
            if is_whole {
                break;
            }
            failed += 1;
        }
        assert!(failed > 10, "{failed}");
    }
}

#[test]
fn what_a_killed_writer_left_behind_is_collected_and_nothing_else() {
    let (shop, bucket) = published(SchemeName::SkipList, 4);
    let whole = bucket.contents();
    // A writer is killed after it has created a segment, and before it creates the head.
    let mut names = whole.iter().map(|(path, _)| path.as_ref());
    let last = names.rfind(|name| name.contains("/nodes/")).unwrap();
    let number = u64::from_str_radix(&last[last.len() - 16..], 16).unwrap();
    let orphan = format!("{}{:016x}", &last[..last.len() - 16], number + 1);
    bucket.write(&Path::from(orphan.as_str()), vec![1; 4096]);
    // A running writer may still use the segment.
    assert_eq!(bucket.folder().collect().unwrap(), 0);
    publish(&bucket, &shop, 7).unwrap();
    assert_eq!(bucket.folder().collect().unwrap(), 1);
    assert_eq!(bucket.folder().collect().unwrap(), 0);
    let names = bucket.contents();
    assert!(names.iter().all(|(path, _)| path.as_ref() != orphan));
    bucket.repository().check().unwrap();
}

/// No answer may be wrong if an object is changed, truncated, emptied, removed or replaced by
/// another object. Tries this with every object in turn.
#[test]
fn damaged_objects_make_no_wrong_answer() {
    let (shop, bucket) = published(SchemeName::RedBlack, 10);
    let whole = bucket.contents();
    let (latest, public) = (Version::new(10), shop.key.public());
    let repository = bucket.repository();
    let asked = questions().chain(neighbour_questions());
    let answers = asked.map(|asked| (shop.ask(&repository, latest, &asked), asked));
    let answers: Vec<_> = answers.collect();
    drop(repository);
    let mut refused = 0;
    for (index, (path, bytes)) in whole.iter().enumerate() {
        let other = &whole[(index + 1) % whole.len()].1;
        let middle = bytes.len() / 2;
        let [mut flipped, mut zeroed] = [(); 2].map(|()| bytes.clone());
        flipped[middle] ^= 1;
        zeroed[middle..].fill(0);
        let damages = [
            Some(flipped),
            Some(zeroed),
            Some(bytes[..middle].to_vec()),
            Some(Vec::new()),
            Some(other.clone()),
            Some(vec![b'9'; 20]),
            None,
        ];
        for damage in damages {
            match damage {
                Some(damage) => bucket.write(path, damage),
                None => bucket.remove(path),
            }
            let opened = ObjectBackend::open(bucket.folder(), "prices");
            let opened = opened
                .map(|store| Server::in_store(AnyStore::Objects(store), NodeCache::default()));
            let Ok(Ok(mut repository)) = opened else {
                refused += 1;
                bucket.write(path, bytes.clone());
                continue;
            };
            for (expected, question) in &answers {
                if let Ok(answer) = repository.answer(latest, question)
                    && let Ok(found) = verify(public, latest, question, &answer)
                {
                    assert_eq!(found, *expected, "{path}");
                }
            }
            refused += usize::from(repository.check().is_err());
            bucket.write(path, bytes.clone());
        }
    }
    assert!(refused > whole.len() * 3, "{refused}");
    bucket.repository().check().unwrap();
}

#[test]
fn a_look_up_takes_few_requests_and_an_opening_too() {
    let (shop, bucket) = published(SchemeName::RedBlack, 0);
    let mut author = shop.author().unwrap();
    let named = |number: u64| authdict::Key::new(number.to_be_bytes().repeat(2)).unwrap();
    let value = authdict::Value::new([7; 32]).unwrap();
    let load = (0..100_000).map(|number| Operation::Put(named(number), value.clone()));
    author.stage(load.collect()).unwrap();
    for version in 2..40 {
        let change = Operation::Put(named(version * 1000), value.clone());
        author.stage(vec![change]).unwrap();
    }
    author.flush(&[]).unwrap();
    drop(author);
    bring(&shop.repository(), &mut bucket.repository(), 39).unwrap();
    let store = ObjectBackend::open(bucket.folder(), "prices").unwrap();
    let objects = Arc::clone(store.folder());
    let repository = Server::in_store(AnyStore::Objects(store), NodeCache::default()).unwrap();
    // The requests are for the description, the last known version, its existence, later versions,
    // and the first and the latest head.
    assert!(objects.requests() <= 10, "{}", objects.requests());
    assert_eq!(repository.store().latest().unwrap(), Version::new(39));
    let requests = |number| {
        let (before, question) = (objects.requests(), Question::Key(named(number)));
        repository.answer(Version::new(39), &question).unwrap();
        objects.requests() - before
    };
    let first: u64 = (0..100_000).step_by(997).map(requests).sum();
    assert!(first > 0);
    let most = (500..100_000).step_by(4999).map(requests).max();
    assert!(most <= Some(5), "{most:?}");
}

#[test]
fn a_folder_is_a_store_of_objects_by_its_address() {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("file://{}/prices", folder.path().display());
    let (path, shop) = (
        std::path::Path::new(&address),
        Shop::new(SchemeName::RedBlack),
    );
    let tuples =
        SecretKey::generate(SuiteName::Sha256Ed25519, SchemeName::TupleBase, None).unwrap();
    let refused = create_store(path, tuples.public());
    assert!(matches!(refused, Err(StoreError::OnlyTrees)));
    let missing = Server::of_any(path);
    assert!(matches!(
        missing,
        Err(RepositoryError::Store(StoreError::Missing(_)))
    ));
    create_store(path, shop.key.public()).unwrap();
    let update = fork(&shop, 10);
    let mut objects = Server::of_any(path).unwrap();
    objects.apply_message(&update).unwrap();
    let repository = Server::of_any(path).unwrap();
    shop.ask(&repository, Version::new(1), &Question::Key(name(1)));
    assert!(repository.file_bytes().unwrap() >= 4096);
}

/// Returns an address of objects under `PAD_OBJECTS` or, if it is not set, in a folder.
pub(crate) fn address(folder: &std::path::Path, name: &str) -> String {
    let base = std::env::var("PAD_OBJECTS");
    let base = base.unwrap_or_else(|_| format!("file://{}", folder.display()));
    let unique = folder.file_name().unwrap().to_str().unwrap();
    format!("{base}/{}-{name}", unique.trim_start_matches('.'))
}

/// Objects at `PAD_OBJECTS` must behave like objects in memory. Two processes race for each of 25
/// versions, and three readers without caches answer about all of them.
#[test]
fn what_is_at_an_address_is_raced_for_and_read_by_many() {
    let folder = tempfile::tempdir().unwrap();
    let (address, key) = (address(folder.path(), "race"), key(SchemeName::RedBlack));
    let path = std::path::Path::new(&address);
    create_store(path, key.public()).unwrap();
    let again = create_store(path, key.public());
    assert!(matches!(again, Err(StoreError::Exists(_))));
    let own = [SchemeName::RedBlack; 2].map(Shop::new);
    for round in 1..=25 {
        copy(&own[0], &own[1]);
        let mut numbers = round * 2..;
        let updates = own
            .each_ref()
            .map(|shop| fork(shop, numbers.next().unwrap()));
        race([(); 2].map(|()| Server::of_any(path).unwrap()), &updates);
        let won = Server::of_any(path).unwrap();
        let head = won.head_message(Version::new(round)).unwrap();
        let second = own[1].repository();
        if second.head_message(Version::new(round)).unwrap() == head {
            drop(second);
            copy(&own[1], &own[0]);
        }
    }
    let readers = [(); 3].map(|()| Server::of_any(path).unwrap());
    for reader in &readers {
        assert_eq!(reader.latest(), Version::new(25));
        for version in (1..=25).map(Version::new) {
            let question = Question::Key(name(1));
            let answer = reader.answer(version, &question).unwrap();
            verify(key.public(), version, &question, &answer).unwrap();
        }
    }
    let mut reader = Server::of_any(path).unwrap();
    assert_eq!(reader.check().unwrap().heads, 25);
}
