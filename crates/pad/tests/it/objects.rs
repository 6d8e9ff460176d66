//! Dictionaries in objects: what is there after every accident, who wins a race, and how many requests a question takes.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream::BoxStream};
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
    memory::InMemory, path::Path,
};
use pad::{
    AnyStore, AuthorError, Operation, RepositoryError, SecretKey, SigningRecord, Store as _,
    StoreError, Version,
    dynamic::{AnyAuthor, AnyRepository, Description, open_author_in, open_repository_in, verify},
    objects::{ObjectBackend, ObjectFolder},
    question::Question,
    selection::{RepositoryName, SchemeName},
};

use crate::stored::{SCHEMES, assert_same, batches, key, name, put, questions};

/// A store of objects that many processes share.
#[derive(Debug, Default)]
struct Bucket {
    objects: InMemory,
    /// How many changes there are to come before one that fails; none if it is `usize::MAX`.
    until_failure: AtomicUsize,
    /// Whether what fails has been done all the same.
    only_says_so: bool,
}

impl core::fmt::Display for Bucket {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str("bucket")
    }
}

impl Bucket {
    fn new() -> Arc<Self> {
        Self::failing(usize::MAX, false)
    }

    fn failing(after: usize, only_says_so: bool) -> Arc<Self> {
        Arc::new(Self {
            objects: InMemory::new(),
            until_failure: AtomicUsize::new(after),
            only_says_so,
        })
    }

    /// Whether this change is one that fails: from the chosen one on, all do.
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

    fn folder(self: &Arc<Self>) -> ObjectFolder {
        let store: Arc<dyn ObjectStore> = self.clone();
        ObjectFolder::new(store, Path::from("a/prices")).unwrap()
    }

    fn create(self: &Arc<Self>, key: &SecretKey) -> core::result::Result<(), StoreError> {
        let description = Description {
            public: key.public().clone(),
            repository: RepositoryName::Stored,
        };
        ObjectBackend::create(&self.folder(), "prices", &description.records())
    }

    fn store(self: &Arc<Self>) -> AnyStore {
        AnyStore::Objects(ObjectBackend::open(self.folder(), "prices").unwrap())
    }

    fn repository(self: &Arc<Self>) -> AnyRepository {
        open_repository_in(self.store()).unwrap()
    }

    fn author(
        self: &Arc<Self>,
        key: &SecretKey,
        folder: &std::path::Path,
    ) -> core::result::Result<AnyAuthor, AuthorError> {
        let record = SigningRecord::open(&folder.join("signed")).unwrap();
        open_author_in(self.store(), key, record)
    }

    /// The names of all objects and what is in them.
    fn contents(&self) -> Vec<(Path, Vec<u8>)> {
        let read = async {
            let mut found = Vec::new();
            let mut listed = self.objects.list(None);
            while let Some(meta) = listed.next().await {
                let path = meta.unwrap().location;
                let bytes = self
                    .objects
                    .get(&path)
                    .await
                    .unwrap()
                    .bytes()
                    .await
                    .unwrap();
                found.push((path, bytes.to_vec()));
            }
            found
        };
        let mut found = wait(read);
        found.sort();
        found
    }

    fn write(&self, path: &Path, bytes: Vec<u8>) {
        wait(self.objects.put(path, bytes.into())).unwrap();
    }

    fn remove(&self, path: &Path) {
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
        options: PutOptions,
    ) -> Result<PutResult> {
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
        self.objects.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.objects.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.objects.copy_opts(from, to, options).await
    }
}

/// Publishes batches, a few versions at a time.
fn publish(
    bucket: &Arc<Bucket>,
    key: &SecretKey,
    folder: &std::path::Path,
    until: u64,
) -> core::result::Result<(), AuthorError> {
    let mut author = bucket.author(key, folder)?;
    let latest = author.repository().latest().number();
    let all: Vec<_> = batches(key.public().scheme.id().0.into(), until).collect();
    let start = usize::try_from(latest).unwrap();
    for group in all[start..].chunks(3) {
        for batch in group {
            author.stage(batch.clone())?;
        }
        author.flush(&[])?;
    }
    Ok(())
}

#[test]
fn every_answer_is_that_of_the_repository_in_files() {
    for scheme in SCHEMES {
        let folder = tempfile::tempdir().unwrap();
        let (key, bucket, mirror) = (key(scheme), Bucket::new(), Bucket::new());
        bucket.create(&key).unwrap();
        mirror.create(&key).unwrap();
        publish(&bucket, &key, folder.path(), 20).unwrap();
        publish(&bucket, &key, folder.path(), 33).unwrap();
        let path = folder.path().join("files");
        let description = Description {
            public: key.public().clone(),
            repository: RepositoryName::PathCopying,
        };
        description.create(&path).unwrap();
        let mut memory = pad::dynamic::open_repository(&path).unwrap();
        let objects = bucket.repository();
        let mut follower = mirror.repository();
        for version in (1..=33).map(Version::new) {
            let update = objects.update_message(version).unwrap().unwrap();
            memory.apply_message(&update).unwrap();
            follower.apply_message(&update).unwrap();
        }
        assert_same(&memory, &objects);
        assert_same(&memory, &follower);
        let checked = bucket.repository().check().unwrap();
        assert_eq!((checked.heads, checked.proved), (33, 33));
        assert!(bucket.repository().prune(Version::new(4)).is_err());
        assert!(matches!(bucket.create(&key), Err(StoreError::Exists(_))));
    }
}

#[test]
fn of_two_writers_one_wins_each_time() {
    let key = key(SchemeName::RedBlack);
    for round in 0..25 {
        let bucket = Bucket::new();
        bucket.create(&key).unwrap();
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        publish(&bucket, &key, folders[0].path(), 3).unwrap();
        // Both are at the latest version.
        let mut authors = folders
            .each_ref()
            .map(|folder| bucket.author(&key, folder.path()).unwrap());
        let ends = std::thread::scope(|scope| {
            let (mut number, mut running) = (round, Vec::new());
            for author in &mut authors {
                number += 100;
                running.push(scope.spawn(move || {
                    author.stage(vec![put(1, number)])?;
                    author.flush(&[])
                }));
            }
            let ends = running.into_iter().map(|thread| thread.join().unwrap());
            ends.collect::<Vec<_>>()
        });
        let won = ends.iter().filter(|end| end.is_ok()).count();
        assert_eq!(won, 1, "{ends:?}");
        assert!(
            ends.iter().any(|end| matches!(
                end,
                Err(AuthorError::Repository(RepositoryError::Store(
                    StoreError::Gap { .. } | StoreError::Io(_)
                )))
            )),
            "{ends:?}"
        );
        let mut repository = bucket.repository();
        assert_eq!(repository.latest(), Version::new(4));
        repository.check().unwrap();
        // Whoever has lost comes again, and goes on from there.
        drop(authors);
        publish(&bucket, &key, folders[1].path(), 6).unwrap();
        assert_eq!(bucket.repository().latest(), Version::new(6));
    }
}

#[test]
fn after_a_failure_at_any_object_what_was_acknowledged_is_there() {
    let key = key(SchemeName::Treap);
    for only_says_so in [false, true] {
        let mut failed = 0;
        for after in 0.. {
            let folder = tempfile::tempdir().unwrap();
            let bucket = Bucket::failing(after, only_says_so);
            let created = bucket.create(&key);
            let is_done = created.is_ok() && publish(&bucket, &key, folder.path(), 12).is_ok();
            let left = bucket.until_failure.load(Ordering::Relaxed);
            let is_whole = is_done && left > 0 && left != usize::MAX;
            bucket.mend();
            if created.is_err() {
                drop(bucket.create(&key));
            }
            let mut repository = bucket.repository();
            repository.check().unwrap();
            drop(repository);
            // An author whose record knows of a version would be refused if it were gone.
            publish(&bucket, &key, folder.path(), 12).unwrap();
            let (end, whole) = (bucket.repository(), Bucket::new());
            whole.create(&key).unwrap();
            let elsewhere = tempfile::tempdir().unwrap();
            publish(&whole, &key, elsewhere.path(), 12).unwrap();
            assert_same(&end, &whole.repository());
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
    let (key, bucket) = (key(SchemeName::SkipList), Bucket::new());
    bucket.create(&key).unwrap();
    let folder = tempfile::tempdir().unwrap();
    publish(&bucket, &key, folder.path(), 4).unwrap();
    let whole = bucket.contents();
    // Killed between its segment and its head.
    let nodes: Vec<_> = whole
        .iter()
        .filter(|(path, _)| path.as_ref().contains("/nodes/"))
        .collect();
    let last = nodes.last().unwrap().0.as_ref();
    let number = u64::from_str_radix(&last[last.len() - 16..], 16).unwrap();
    let orphan = format!("{}{:016x}", &last[..last.len() - 16], number + 1);
    bucket.write(&Path::from(orphan.as_str()), vec![1; 4096]);
    // It may be one that is being written.
    assert_eq!(bucket.folder().collect().unwrap(), 0);
    publish(&bucket, &key, folder.path(), 7).unwrap();
    assert_eq!(bucket.folder().collect().unwrap(), 1);
    assert_eq!(bucket.folder().collect().unwrap(), 0);
    let names = bucket.contents();
    assert!(names.iter().all(|(path, _)| path.as_ref() != orphan));
    bucket.repository().check().unwrap();
}

/// Every object in turn is changed, cut off, emptied, removed, and put in the place of another one.
#[test]
fn damaged_objects_make_no_wrong_answer() {
    let (key, bucket) = (key(SchemeName::RedBlack), Bucket::new());
    bucket.create(&key).unwrap();
    let folder = tempfile::tempdir().unwrap();
    publish(&bucket, &key, folder.path(), 10).unwrap();
    let whole = bucket.contents();
    let (latest, public) = (Version::new(10), key.public());
    let answers: Vec<_> = questions()
        .map(|question| {
            let answer = bucket.repository().answer(latest, &question).unwrap();
            let says = verify(public, latest, &question, &answer).unwrap();
            (question, says)
        })
        .collect();
    let mut refused = 0;
    for (index, (path, bytes)) in whole.iter().enumerate() {
        let other = &whole[(index + 1) % whole.len()].1;
        let middle = bytes.len() / 2;
        let mut flipped = bytes.clone();
        flipped[middle] ^= 1;
        let mut zeroed = bytes.clone();
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
            let opened = opened.map(|store| open_repository_in(AnyStore::Objects(store)));
            let Ok(Ok(mut repository)) = opened else {
                refused += 1;
                bucket.write(path, bytes.clone());
                continue;
            };
            for (question, expected) in &answers {
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
    let (key, bucket) = (key(SchemeName::RedBlack), Bucket::new());
    bucket.create(&key).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut author = bucket.author(&key, folder.path()).unwrap();
    let named = |number: u64| pad::Key::new(number.to_be_bytes().repeat(2)).unwrap();
    let value = pad::Value::new([7; 32]).unwrap();
    let load = (0..100_000).map(|number| Operation::Put(named(number), value.clone()));
    author.stage(load.collect()).unwrap();
    author.flush(&[]).unwrap();
    for version in 2..40 {
        author
            .stage(vec![Operation::Put(named(version * 1000), value.clone())])
            .unwrap();
        author.flush(&[]).unwrap();
    }
    drop(author);
    let store = ObjectBackend::open(bucket.folder(), "prices").unwrap();
    let objects = Arc::clone(store.folder());
    let repository = open_repository_in(AnyStore::Objects(store)).unwrap();
    // The description, the latest version that was known, whether it is there, those behind it, and the first and the latest head.
    assert!(objects.requests() <= 10, "{}", objects.requests());
    assert_eq!(repository.store().latest().unwrap(), Version::new(39));
    for number in (0..100_000).step_by(997) {
        repository
            .answer(Version::new(39), &Question::Key(named(number)))
            .unwrap();
    }
    let mut most = 0;
    for number in (500..100_000).step_by(4999) {
        let before = objects.requests();
        repository
            .answer(Version::new(39), &Question::Key(named(number)))
            .unwrap();
        most = most.max(objects.requests() - before);
    }
    assert!(most <= 5, "{most}");
}

#[test]
fn a_folder_is_a_store_of_objects_by_its_address() {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("file://{}/prices", folder.path().display());
    let (path, key) = (std::path::Path::new(&address), key(SchemeName::RedBlack));
    let public = key.public().clone();
    let mut description = Description {
        public,
        repository: RepositoryName::PathCopying,
    };
    assert!(matches!(
        description.create(path),
        Err(StoreError::OnlyStored)
    ));
    description.repository = RepositoryName::Stored;
    let missing = pad::dynamic::open_repository(path);
    assert!(matches!(
        missing,
        Err(RepositoryError::Store(StoreError::Missing(_)))
    ));
    description.create(path).unwrap();
    let record = SigningRecord::open(&folder.path().join("signed")).unwrap();
    let mut author = pad::dynamic::open_author(path, &key, record).unwrap();
    author.stage(vec![put(1, 10), put(2, 20)]).unwrap();
    author.flush(&[]).unwrap();
    let repository = pad::dynamic::open_repository(path).unwrap();
    let question = Question::Key(name(1));
    let answer = repository.answer(Version::new(1), &question).unwrap();
    verify(key.public(), Version::new(1), &question, &answer).unwrap();
    assert!(repository.file_bytes().unwrap() >= 4096);
}

/// Objects at the address in `PAD_OBJECTS`, or in a folder.
fn address(folder: &std::path::Path, name: &str) -> String {
    let base = std::env::var("PAD_OBJECTS");
    let base = base.unwrap_or_else(|_| format!("file://{}", folder.display()));
    let unique = folder.file_name().unwrap().to_str().unwrap();
    format!("{base}/{}-{name}", unique.trim_start_matches('.'))
}

/// What `PAD_OBJECTS` leads to is as the one in memory: two processes race for each of 25 versions, and three readers that keep nothing
/// answer for all of them.
#[test]
fn what_is_at_an_address_is_raced_for_and_read_by_many() {
    let folder = tempfile::tempdir().unwrap();
    let (address, key) = (address(folder.path(), "race"), key(SchemeName::RedBlack));
    let path = std::path::Path::new(&address);
    let description = Description {
        public: key.public().clone(),
        repository: RepositoryName::Stored,
    };
    description.create(path).unwrap();
    assert!(matches!(
        description.create(path),
        Err(StoreError::Exists(_))
    ));
    for round in 1..=25 {
        let start = std::sync::Barrier::new(2);
        let writer = |number: u64| {
            let own = folder.path().join(format!("{round}-{number}"));
            let record = SigningRecord::open(&own).unwrap();
            let mut author = pad::dynamic::open_author(path, &key, record).unwrap();
            start.wait();
            author.stage(vec![put(round, number)])?;
            author.flush(&[])
        };
        let ends = std::thread::scope(|scope| {
            let threads = [1, 2].map(|number| {
                let writer = &writer;
                scope.spawn(move || writer(number))
            });
            threads.map(|thread| thread.join().unwrap())
        });
        let won = ends.iter().filter(|end| end.is_ok()).count();
        assert_eq!(won, 1, "round {round}: {ends:?}");
    }
    let readers = [(); 3].map(|()| pad::dynamic::open_repository(path).unwrap());
    for reader in &readers {
        assert_eq!(reader.latest(), Version::new(25));
        for version in (1..=25).map(Version::new) {
            let question = Question::Key(name(version.number()));
            let answer = reader.answer(version, &question).unwrap();
            verify(key.public(), version, &question, &answer).unwrap();
        }
    }
    let mut reader = pad::dynamic::open_repository(path).unwrap();
    assert_eq!(reader.check().unwrap().heads, 25);
}
