//! Fixtures: an author with a store, and servers of it.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt::Debug,
    fs,
    ops::Deref,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use authdict::{
    AuthorError, DictionaryId, Key, LogParameters, Operation, Question, SchemeName, SecretKey,
    Server, SigningRecord, Statement, StoredView, SuiteName, Value, Version,
    internals::{
        RecordChange,
        dynamic::{create_store, create_store_with},
        witnessed::origin,
    },
    pad_log::{Schedule, Shape},
};
use pad_client::{Client, ClientError, Fault, FetchError, HttpOptions, Incident, Remote, Roots};
use pad_service::{Dictionary, Mirror, Router, ServedDictionary, Service};
use pad_web::server::{
    Answer, Handler, Head, Identity, Limits, Options, RunningServer, ShutdownOutcome, StatusCode,
    Timeouts,
};
use tempfile::TempDir;
use transparency_log::note::NoteSigner;

pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// Time-outs that are so long that no test depends on them.
pub(crate) const PATIENT: Timeouts = Timeouts {
    handshake: Duration::from_mins(10),
    header: Duration::from_mins(10),
    body: Duration::from_mins(10),
    write: Duration::from_mins(10),
    queue: Duration::from_mins(10),
    whole_body: Duration::from_mins(10),
    whole_answer: Duration::from_mins(10),
    shutdown: Duration::from_mins(10),
};

/// The files of a store, by the suffixes of their names.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// An author's folder.
pub(crate) struct Author {
    folder: TempDir,
    pub(crate) key: SecretKey,
}

/// Returns a published key of RSA accumulators, because generating one takes minutes.
fn published_rsa() -> Vec<u8> {
    let text = include_str!("../../../../data/keys-for-tests/rsa-2048.txt");
    let digits = text.lines().find(|line| !line.starts_with('#')).unwrap();
    hex::decode(digits).unwrap()
}

impl Author {
    /// Creates the author of an empty dictionary, of any scheme except directories, with the store
    /// `s.pad`.
    pub(crate) fn new(scheme: SchemeName) -> Self {
        let suite = SuiteName::Sha256Ed25519;
        let of_key = |own: Option<Vec<u8>>| {
            SecretKey::generate_with(own.map(Into::into), suite, scheme, None).unwrap()
        };
        let mut record = None;
        let key = if scheme.family().is_append_only() {
            let parameters = LogParameters::generate_insecure(scheme, 4).unwrap();
            record = Some(parameters.record());
            let shape = Shape::new(4, Schedule::Eager).unwrap();
            of_key(parameters.setup(scheme, shape).map(|own| own.to_vec()))
        } else if scheme.name().ends_with("-rsa") {
            of_key(Some(published_rsa()))
        } else {
            SecretKey::generate_for(16, suite, scheme, None).unwrap()
        };
        Self::with_key(key, record)
    }

    fn with_key(key: SecretKey, record: Option<RecordChange>) -> Self {
        let author = Self {
            folder: tempfile::tempdir().unwrap(),
            key,
        };
        create_store_with(&author.path("s.pad"), author.key.public(), record).unwrap();
        author
    }

    /// Creates the author of another dictionary, with this author's scheme key.
    pub(crate) fn of_another(&self, is_same_author: bool) -> Self {
        let public = self.key.public();
        let (suite, scheme) = (public.suite, public.scheme);
        let own = self.key.scheme_secret().map(|own| own.to_vec().into());
        let key = if is_same_author {
            let id = DictionaryId::from_name("another");
            SecretKey::from_parts(suite, scheme, id, &self.key.signer().to_bytes(), own)
        } else {
            SecretKey::generate_with(own, suite, scheme, None)
        };
        let is_log = scheme.family().is_append_only();
        let record = is_log.then(|| {
            let repository = Server::of_any(self.path("s.pad")).unwrap();
            LogParameters::read(repository.store()).unwrap().record()
        });
        Self::with_key(key.unwrap(), record)
    }

    pub(crate) fn of_tree() -> Self {
        Self::new(SchemeName::RedBlack)
    }

    /// Creates the author of a tree with the versions that `publish` signs. It is called only once
    /// for each `name`, so that all authors of one name have one key.
    pub(crate) fn shared(name: &str, publish: impl FnOnce(&Self)) -> Self {
        static MADE: Mutex<BTreeMap<String, Arc<OnceLock<Files>>>> = Mutex::new(BTreeMap::new());
        let made = Arc::clone(MADE.lock().unwrap().entry(name.to_owned()).or_default());
        let (suite, scheme) = (SuiteName::Sha256Ed25519, SchemeName::RedBlack);
        let id = DictionaryId::from_name(name);
        let key = || SecretKey::from_parts(suite, scheme, id, &[7; 32], None).unwrap();
        let files = made.get_or_init(|| {
            let author = Self::with_key(key(), None);
            publish(&author);
            read_files(author.folder.path())
        });
        let (folder, key) = (tempfile::tempdir().unwrap(), key());
        write_files(folder.path(), files);
        Self { folder, key }
    }

    /// Creates the author of a tree with three versions.
    pub(crate) fn of_three_versions() -> Self {
        Self::shared("three versions", three_versions)
    }

    /// Creates the author of a tree with [`priced`] versions.
    pub(crate) fn of_prices(versions: u64) -> Self {
        let name = format!("{versions} prices");
        Self::shared(&name, |author| priced(author, versions))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the signer of the dictionary's log of heads.
    pub(crate) fn log_signer(&self) -> NoteSigner {
        let id = self.key.public().authority.dictionary;
        let origin = origin("log.example/heads", id);
        NoteSigner::new(origin.parse().unwrap(), &[3; 32])
    }

    /// Drops the versions before `oldest` from a store.
    pub(crate) fn prune(&self, store: &str, oldest: u64) {
        let mut server = Server::of_any(self.path(store)).unwrap();
        server.prune(Version::new(oldest)).unwrap();
    }

    /// Creates an empty store of the dictionary.
    pub(crate) fn create(&self, name: &str) -> PathBuf {
        create_store(&self.path(name), self.key.public()).unwrap();
        self.path(name)
    }

    /// Reads the files of a store, by the suffixes of their names.
    pub(crate) fn files(&self, store: &str) -> Files {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let files = entries.filter_map(|entry| {
            let path = entry.unwrap().path();
            let end = path.file_name()?.to_str()?.strip_prefix(store)?.to_owned();
            (!end.starts_with(".signed")).then(|| (end, fs::read(path).unwrap()))
        });
        files.collect()
    }

    /// Replaces the files of a store.
    pub(crate) fn replace(&self, store: &str, files: &Files) {
        let path = |end: &String| self.path(&format!("{store}{end}"));
        for end in self.files(store).into_keys() {
            fs::remove_file(path(&end)).unwrap();
        }
        for (end, bytes) in files {
            fs::write(path(end), bytes).unwrap();
        }
    }

    /// Copies a store.
    pub(crate) fn copy(&self, from: &str, to: &str) -> PathBuf {
        self.replace(to, &self.files(from));
        self.path(to)
    }

    /// Signs a version that puts `entries`.
    pub(crate) fn publish_in(&self, store: &str, entries: &[(&str, &str)]) -> Version {
        let batch = entries.iter().map(|(key, value)| put(key, value));
        self.sign(store, vec![batch.collect()]).unwrap()
    }

    /// Signs a version that puts `value` for each of `keys`.
    pub(crate) fn publish_all(&self, keys: &[String], value: &str) -> Version {
        let batch = keys.iter().map(|key| put(key, value));
        self.sign("s.pad", vec![batch.collect()]).unwrap()
    }

    /// Signs one version for each batch.
    pub(crate) fn sign(
        &self,
        store: &str,
        batches: Vec<Vec<Operation>>,
    ) -> Result<Version, AuthorError> {
        let record = SigningRecord::open_or_begin(&self.path(&format!("{store}.signed")))?;
        let mut author = authdict::Author::of_any(self.path(store), &self.key, record)?;
        for batch in batches {
            author.stage(batch)?;
        }
        author.flush(&[])
    }

    pub(crate) fn publish(&self, entries: &[(&str, &str)]) -> Version {
        self.publish_in("s.pad", entries)
    }

    /// Reads the update that produced a version.
    pub(crate) fn update(&self, store: &str, version: u64) -> Vec<u8> {
        let repository = Server::of_any(self.path(store)).unwrap();
        repository
            .update_message(Version::new(version))
            .unwrap()
            .unwrap()
    }

    /// Starts a server of the store `s.pad`.
    pub(crate) fn serve(&self) -> TestServer {
        start(service(&self.path("s.pad")))
    }

    /// Starts a server of the store `s.pad` whose answers have at most `response_bytes` bytes.
    pub(crate) fn serve_short(&self, response_bytes: usize) -> TestServer {
        let dictionary = Dictionary::open(&self.path("s.pad")).unwrap();
        start(limited_service(Arc::new(dictionary), short(response_bytes)))
    }

    /// Starts a server of a copy of the store that retains the versions of the policy `keep`.
    pub(crate) fn serve_keeping(&self, copy: &str, keep: &str) -> TestServer {
        let (dictionary, mut mirror) = mirror_keeping(&self.copy("s.pad", copy), keep, Vec::new());
        mirror.round().unwrap();
        start(service_of(dictionary))
    }

    /// Starts a server of the store `s.pad` that changes its responses with `twist`.
    pub(crate) fn liar(
        &self,
        twist: impl Fn(&str, Answer) -> Answer + Send + Sync + 'static,
    ) -> TestServer {
        start(Liar::new(service(&self.path("s.pad")), twist))
    }

    /// Starts a server of the store `s.pad` that applies `change` to the bodies of its successful
    /// responses to paths that begin with one of `paths`.
    pub(crate) fn forger(
        &self,
        paths: &'static [&'static str],
        change: impl Fn(&mut Vec<u8>) + Send + Sync + 'static,
    ) -> TestServer {
        self.liar(move |path, mut answer| {
            let is_changed = paths.iter().any(|begin| path.starts_with(begin));
            if is_changed && answer.status == StatusCode::OK {
                change(&mut answer.body);
            }
            answer
        })
    }

    /// Starts a server like [`Self::forger`] that flips a bit of the byte at `place`.
    pub(crate) fn flipper(
        &self,
        paths: &'static [&'static str],
        place: &Arc<AtomicUsize>,
    ) -> TestServer {
        let place = Arc::clone(place);
        self.forger(paths, move |body| flip(body, place.load(Ordering::SeqCst)))
    }

    /// Creates a client with a new view. It stores evidence of lies next to the file `base`.
    pub(crate) fn client(&self, servers: &[&TestServer], base: &str) -> Client {
        self.client_with(servers, self.new_view(), base)
    }

    /// Creates a client like [`Self::client`] that has followed its servers.
    pub(crate) fn follower(&self, servers: &[&TestServer], base: &str) -> Client {
        let mut client = self.client(servers, base);
        client.advance().unwrap();
        client
    }

    /// Creates a client like [`Self::client`], and asserts that it advances to this version.
    pub(crate) fn client_at(&self, servers: &[&TestServer], base: &str, version: u64) -> Client {
        let mut client = self.client(servers, base);
        assert_eq!(client.advance().unwrap(), Version::new(version));
        client
    }

    pub(crate) fn client_with(
        &self,
        servers: &[&TestServer],
        view: StoredView,
        base: &str,
    ) -> Client {
        let servers = servers.iter().map(|server| connect(server)).collect();
        self.client_of(servers, view, base)
    }

    pub(crate) fn client_of(&self, servers: Vec<Remote>, view: StoredView, base: &str) -> Client {
        Client::new(servers, view, Some(self.path(base))).unwrap()
    }

    /// Returns a view of a client that has seen nothing.
    pub(crate) fn new_view(&self) -> StoredView {
        StoredView::new(self.key.public().clone()).authenticated()
    }

    /// Finds files whose names begin with `base` followed by `suffix`.
    pub(crate) fn kept(&self, base: &str, suffix: &str) -> Vec<PathBuf> {
        let begin = format!("{base}{suffix}");
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let entries = entries.map(Result::unwrap);
        let is_kept = |name: &OsString| name.to_str().unwrap().starts_with(&begin);
        let kept = entries.filter(|entry| is_kept(&entry.file_name()));
        kept.map(|entry| entry.path()).collect()
    }
}

/// Reads the files of a folder, by their names.
pub(crate) fn read_files(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap();
    let files = entries.map(|entry| entry.unwrap().path()).map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read(path).unwrap())
    });
    files.collect()
}

/// Writes files into a folder.
pub(crate) fn write_files(folder: &Path, files: &Files) {
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
}

/// Creates a mirror into `store`.
pub(crate) fn mirror(store: &Path, upstreams: &[&TestServer]) -> (Arc<Dictionary>, Mirror) {
    let upstreams = upstreams.iter().map(|server| connect(server)).collect();
    mirror_of(Dictionary::open(store).unwrap(), store, upstreams)
}

/// Creates a mirror into `store` that retains the versions of the policy `keep`.
pub(crate) fn mirror_keeping(
    store: &Path,
    keep: &str,
    upstreams: Vec<Remote>,
) -> (Arc<Dictionary>, Mirror) {
    let dictionary = Dictionary::open(store).unwrap();
    let dictionary = dictionary.keeping(keep.parse().unwrap()).unwrap();
    mirror_of(dictionary, store, upstreams)
}

fn mirror_of(
    dictionary: Dictionary,
    store: &Path,
    upstreams: Vec<Remote>,
) -> (Arc<Dictionary>, Mirror) {
    let (dictionary, base) = (Arc::new(dictionary), store.to_owned());
    let mirror = Mirror::new(Arc::clone(&dictionary), upstreams, base, Arc::default());
    (dictionary, mirror)
}

/// Schemes whose contents are kept in nodes, in tuples, and in memory only.
pub(crate) const OF_EACH_KIND: [SchemeName; 3] = [
    SchemeName::RedBlack,
    SchemeName::TupleSpecLightweight,
    SchemeName::TupleAccumulatorsBilinear,
];

/// Returns the fault of the only server that failed.
#[track_caller]
pub(crate) fn only_fault(incidents: Vec<Incident>) -> Fault {
    let [incident] = <[_; 1]>::try_from(incidents).unwrap();
    assert!(incident.to_string().starts_with("https://127.0.0.1:"));
    incident.fault
}

/// Returns the fault of the only server that could not answer.
#[track_caller]
pub(crate) fn fault(error: ClientError) -> Fault {
    match error {
        ClientError::AllServersFailed(incidents) => only_fault(incidents),
        other => panic!("{other}"),
    }
}

/// Starts a router of these servers.
pub(crate) fn route(servers: &[&TestServer]) -> TestServer {
    let servers = servers.iter().map(|server| connect(server)).collect();
    start(Router::new("s".into(), servers, None, Limits::default()).unwrap())
}

/// Flips a bit of the byte at `place`, if there is one.
pub(crate) fn flip(bytes: &mut [u8], place: usize) {
    if let Some(byte) = bytes.get_mut(place) {
        *byte ^= 1;
    }
}

/// Publishes `versions` versions. The price of apples in each version is the version's number.
pub(crate) fn priced(author: &Author, versions: u64) {
    for version in 1..=versions {
        author.publish(&[("apple", &version.to_string()), ("pear", "5")]);
    }
}

/// Asserts that a client verifies the price in a version.
pub(crate) fn assert_priced(client: &Client, version: u64) {
    assert_value(client, Version::new(version), "apple", &version.to_string());
}

/// Asserts that a client verifies the value of a key in a version.
#[track_caller]
pub(crate) fn assert_value(client: &Client, version: Version, key: &str, expected: &str) {
    let answer = client.ask(version, &about(key)).unwrap();
    assert_eq!(value(&answer), Some(expected.as_bytes()), "{key} {version}");
}

/// Asserts that a server refuses a request with the code `code`.
#[track_caller]
pub(crate) fn assert_code<T: Debug>(answered: Result<T, FetchError>, code: &str) {
    let refused = answered.unwrap_err();
    assert!(refused.is(code), "{refused}");
}

/// Publishes three versions of a small dictionary.
pub(crate) fn three_versions(author: &Author) {
    author.publish(&[("apple", "3"), ("pear", "5"), ("plum", "7")]);
    author.publish(&[("apple", "4")]);
    author.publish(&[("quince", "1")]);
}

/// The certificate of all servers, which have different ports of the same address.
const CERTIFICATE: &[u8] = include_bytes!("../../../../data/keys-for-tests/localhost.pem");
const CERTIFICATE_KEY: &[u8] = include_bytes!("../../../../data/keys-for-tests/localhost.key");

/// Returns HTTP options of test clients. Each request is attempted once, so that failures are
/// visible.
pub(crate) fn http_options() -> HttpOptions {
    HttpOptions {
        roots: Roots::Pem(CERTIFICATE.to_vec()),
        attempts: 1,
        ..HttpOptions::default()
    }
}

/// Returns server options with TLS.
pub(crate) fn options(limits: Limits) -> Options {
    Options {
        identity: Some(Identity::from_pem(CERTIFICATE, CERTIFICATE_KEY).unwrap()),
        limits,
        timeouts: PATIENT,
        ..Options::default()
    }
}

/// Creates a service of one store, with the name `s`.
pub(crate) fn service(store: &Path) -> Service {
    service_of(Arc::new(Dictionary::open(store).unwrap()))
}

/// Creates a service of one dictionary, with the name `s`.
pub(crate) fn service_of(dictionary: impl Into<ServedDictionary>) -> Service {
    limited_service(dictionary, Limits::default())
}

/// Creates a service like [`service_of`] with other limits.
pub(crate) fn limited_service(dictionary: impl Into<ServedDictionary>, limits: Limits) -> Service {
    Service::new(BTreeMap::from([("s".to_owned(), dictionary)]), limits)
}

/// Returns limits under which answers have at most `response_bytes` bytes.
pub(crate) fn short(response_bytes: usize) -> Limits {
    Limits {
        response_bytes,
        ..Limits::default()
    }
}

/// A running server, which is stopped when it is dropped.
pub(crate) struct TestServer(Option<RunningServer>);

impl Deref for TestServer {
    type Target = RunningServer;

    fn deref(&self) -> &RunningServer {
        self.0.as_ref().unwrap()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let server = self.0.take().unwrap();
        server.shutdown(60 * SECOND);
        // After a failed assertion, requests in progress may never end.
        if !thread::panicking() {
            assert!(matches!(
                server.join().unwrap(),
                ShutdownOutcome::Drained | ShutdownOutcome::TimedOut { .. }
            ));
        }
    }
}

/// Starts a server with TLS on a free port.
pub(crate) fn start(handler: impl Handler) -> TestServer {
    start_with(options(Limits::default()), handler)
}

pub(crate) fn start_with(options: Options, handler: impl Handler) -> TestServer {
    let server = pad_web::server::Server::bind("127.0.0.1:0", options).unwrap();
    TestServer(Some(server.start(handler).unwrap()))
}

/// Starts a server without TLS.
pub(crate) fn start_plain(handler: impl Handler) -> TestServer {
    let options = Options {
        timeouts: PATIENT,
        ..Options::default()
    };
    start_with(options, handler)
}

pub(crate) fn address(server: &TestServer) -> String {
    format!("https://{}/v1/dictionaries/s", server.address())
}

pub(crate) fn connect(server: &TestServer) -> Remote {
    Remote::connect(&address(server), http_options()).unwrap()
}

/// A function that changes an honest server's response to a path.
type Twist = dyn Fn(&str, Answer) -> Answer + Send + Sync;

/// A server that changes the responses of an honest server.
pub(crate) struct Liar {
    honest: Service,
    twist: Box<Twist>,
}

impl Liar {
    pub(crate) fn new(
        honest: Service,
        twist: impl Fn(&str, Answer) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self {
            honest,
            twist: Box::new(twist),
        }
    }
}

impl Handler for Liar {
    type Request = (String, <Service as Handler>::Request);

    fn admit(&self, head: &Head) -> Result<pad_web::server::Admission<Self::Request>, Answer> {
        let admitted = self.honest.admit(head)?;
        let path = head.uri.path().replace("/v1/dictionaries/s/", "");
        Ok(pad_web::server::Admission {
            request: (path, admitted.request),
            body_bytes: admitted.body_bytes,
            work: pad_web::server::Work::Long,
        })
    }

    fn handle(&self, (path, request): Self::Request, body: Vec<u8>) -> Answer {
        (self.twist)(&path, self.honest.handle(request, body))
    }
}

pub(crate) fn put(key: &str, value: &str) -> Operation {
    Operation::Put(key.try_into().unwrap(), value.try_into().unwrap())
}

pub(crate) fn about(key: &str) -> Question {
    Question::Key(Key::try_from(key).unwrap())
}

/// Returns the value in the answer to a lookup.
pub(crate) fn value(statement: &Statement) -> Option<&[u8]> {
    match statement {
        Statement::Lookup(lookup) => lookup.answer.value().map(Value::as_bytes),
        other => panic!("{other:?}"),
    }
}
