//! The owner's side of a file: honest servers here, hostile ones in the modules below.

use core::fmt::Debug;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use ed25519_dalek::SigningKey;
use flexlist::{
    ByteEdit, Chunker, Detection, EditError, FileState,
    challenge::ChallengeError,
    tag::{OwnerKey, TagKind},
};
use flexlist_service::{
    client::{
        ApplyOutcome, AuditFailure, AuditReport, ClientError, ClientOptions, Extent, FileClient,
        HttpError, HttpOptions, HttpTransport, InProcess, Owner, SettleOutcome, StateError,
        StateKey, Status, Transport, TransportError,
    },
    internals::message::{FileStatus, Refusal, Request, Response},
    network::{Endpoint, Options, RunningServer, Server, ShutdownOutcome},
    server::{FileServer, Limits},
};
use pad_conformance::soak;
use pad_core::{AuthorKey, DecodeError, Workers, codec};
use tempfile::TempDir;

mod adopt;
mod bounds;
mod hostile;
mod interrupted;
mod observer;
mod states;
mod sync;

/// A server in this process.
type Local = InProcess<Arc<FileServer>>;

type Answer = Result<Response, TransportError>;

/// An interceptor between client and server.
type Meddle = dyn FnMut(&Request, &Local) -> Answer + Send;

/// A transport whose behaviour a test can change while a client has it.
#[derive(Clone)]
struct Wire {
    server: Local,
    meddle: Arc<Mutex<Option<Box<Meddle>>>>,
}

impl Wire {
    fn new(server: Local) -> Self {
        let meddle = Arc::default();
        Self { server, meddle }
    }

    fn meddle(&self, meddle: impl FnMut(&Request, &Local) -> Answer + Send + 'static) {
        *self.meddle.lock().unwrap() = Some(Box::new(meddle));
    }

    /// Changes responses, and forwards requests unchanged.
    fn tamper(&self, mut tamper: impl FnMut(&Request, &mut Response) + Send + 'static) {
        self.meddle(move |request, server| {
            let mut response = server.exchange(request)?;
            tamper(request, &mut response);
            Ok(response)
        });
    }

    /// Changes the status in the answers to requests of this kind.
    fn change_status(
        &self,
        is_asked: fn(&Request) -> bool,
        change: impl Fn(&mut FileStatus) + Send + 'static,
    ) {
        self.tamper(move |request, response| {
            if let Response::State(status) = response
                && is_asked(request)
            {
                change(status);
            }
        });
    }

    /// Answers the requests of this kind by `answer`, and forwards all others.
    fn answer(
        &self,
        is_asked: fn(&Request) -> bool,
        mut answer: impl FnMut(&Request, &Local) -> Answer + Send + 'static,
    ) {
        self.meddle(move |request, server| {
            if is_asked(request) {
                answer(request, server)
            } else {
                server.exchange(request)
            }
        });
    }

    /// Refuses the requests of this kind without forwarding them.
    fn refuse(&self, is_asked: fn(&Request) -> bool, refusal: Refusal) {
        self.answer(is_asked, move |_, _| Ok(Response::Refused(refusal.clone())));
    }

    /// Loses the requests of this kind.
    fn lose(&self, is_asked: fn(&Request) -> bool) {
        self.answer(is_asked, |_, _| lost());
    }

    fn be_honest(&self) {
        *self.meddle.lock().unwrap() = None;
    }
}

fn lost() -> Answer {
    Err(TransportError::Status(500))
}

/// Functions that tell whether a request is of one kind.
macro_rules! kinds {
    ($($name:ident: $kind:ident,)*) => {$(
        fn $name(request: &Request) -> bool {
            matches!(request, Request::$kind { .. })
        }
    )*};
}

kinds! {
    is_begin: Begin,
    is_part: Part,
    is_finish: Finish,
    is_status: Status,
    is_update: Update,
    is_audit: Audit,
    is_read: Read,
    is_abort: Abort,
    is_confirm: Confirm,
    is_confirmed: Confirmed,
}

impl Debug for Wire {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str("Wire")
    }
}

impl Transport for Wire {
    fn exchange(&self, request: &Request) -> Answer {
        match self.meddle.lock().unwrap().as_mut() {
            Some(meddle) => meddle(request, &self.server),
            None => self.server.exchange(request),
        }
    }

    fn request_limit(&self) -> usize {
        self.server.request_limit()
    }
}

type Client = FileClient<Wire, SigningKey>;

/// A server, an owner, and a folder for state files.
struct World {
    directory: TempDir,
    wire: Wire,
    owner: Owner<SigningKey>,
}

/// Serves the store at `path` in this process.
fn serve(path: &Path, limits: Limits) -> Local {
    let server = FileServer::open(path, limits, Workers::sequential());
    InProcess::new(Arc::new(server.unwrap()), 64 << 20)
}

impl World {
    fn new(kind: TagKind) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let server = serve(&directory.path().join("store"), Limits::default());
        Self {
            directory,
            wire: Wire::new(server),
            owner: owner(1, kind),
        }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("file.state")
    }

    /// Copies the state file to this name, and returns the path of the copy.
    fn copy(&self, name: &str) -> PathBuf {
        let copy = self.directory.path().join(name);
        std::fs::copy(self.path(), &copy).unwrap();
        copy
    }

    /// A client of a new file, cut into blocks of 64 bytes.
    fn create(&self) -> Client {
        self.create_with(Chunker::fixed(64).unwrap())
    }

    fn create_with(&self, chunker: Chunker) -> Client {
        let (owner, wire) = (self.owner.clone(), self.wire.clone());
        let client = FileClient::create(&self.path(), owner, wire, chunker);
        client.unwrap().with_options(small())
    }

    fn open(&self) -> Client {
        self.open_at(&self.path())
    }

    fn open_at(&self, path: &Path) -> Client {
        self.open_with(path, &self.wire)
    }

    fn open_with(&self, path: &Path, wire: &Wire) -> Client {
        let client = FileClient::open(path, self.owner.clone(), wire.clone());
        client.unwrap().with_options(small())
    }

    /// A client whose file is uploaded.
    fn uploaded(&self, contents: &[u8]) -> Client {
        let mut client = self.create();
        upload(&mut client, contents).unwrap();
        client
    }
}

/// A world with tags of a secret key, and a client whose file of `length` bytes is uploaded.
fn uploaded(length: usize) -> (World, Client) {
    let world = World::new(TagKind::PrivateMac);
    let client = world.uploaded(&contents(length));
    (world, client)
}

fn owner(seed: u8, kind: TagKind) -> Owner<SigningKey> {
    let signer = SigningKey::from_bytes(&[seed; 32]);
    Owner {
        key: AuthorKey::from_bytes(&signer.verifying_key().to_bytes()).unwrap(),
        signer,
        tags: OwnerKey::generate(kind, &Workers::sequential()).unwrap(),
        state_key: StateKey::derive(&[seed; 32]),
    }
}

/// Options that make many requests of few bytes.
fn small() -> ClientOptions {
    ClientOptions {
        part_bytes: 1000,
        read_bytes: 500,
        audit_blocks: 4,
        // For tests on slow machines.
        search_time: Duration::MAX,
        workers: Workers::sequential(),
    }
}

/// Contents without repetitions.
fn contents(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}

fn insert(offset: u64, bytes: &[u8]) -> ByteEdit {
    let bytes = bytes.to_vec();
    ByteEdit::Insert { offset, bytes }
}

fn write(offset: u64, bytes: &[u8]) -> ByteEdit {
    let bytes = bytes.to_vec();
    ByteEdit::Write { offset, bytes }
}

/// Uploads a file without looking at the progress.
fn upload(
    client: &mut FileClient<impl Transport, SigningKey>,
    file: &[u8],
) -> Result<FileState, ClientError> {
    client.upload(file, &mut |_| ())
}

/// Audits a file without looking at the progress.
fn run_audit(
    client: &mut FileClient<impl Transport, SigningKey>,
    extent: Extent,
) -> Result<AuditReport, ClientError> {
    client.audit(extent, &mut |_| ())
}

/// Returns the failure of an audit that found damage.
#[track_caller]
fn audit_failure<R: Debug>(outcome: Result<R, ClientError>) -> AuditFailure {
    match outcome {
        Err(ClientError::Audit(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

/// Asserts that an operation fails with this error. Errors of the file system cannot be compared.
#[track_caller]
fn assert_fails<R>(outcome: Result<R, ClientError>, expected: &ClientError) {
    assert_shown(&outcome.map(drop).unwrap_err(), expected);
}

#[track_caller]
fn assert_shown(error: &ClientError, expected: &ClientError) {
    assert_eq!(format!("{error:?}"), format!("{expected:?}"));
}

fn rollback(known: u64, claimed: u64) -> ClientError {
    ClientError::Rollback { known, claimed }
}

fn outdated(known: u64, current: u64) -> ClientError {
    ClientError::Outdated { known, current }
}

fn superseded(known: u64, newer: FileState) -> ClientError {
    ClientError::Superseded { known, newer }
}

fn forked(version: u64) -> ClientError {
    ClientError::Forked { version }
}

/// Audits and reads the whole file.
fn check(client: &mut FileClient<impl Transport, SigningKey>, expected: &[u8]) {
    let total = u64::try_from(expected.len()).unwrap();
    assert_eq!(client.version().unwrap().list.total, total);
    for extent in [Extent::Sample(50), Extent::Everything] {
        run_audit(client, extent).unwrap();
    }
    assert_eq!(client.read(0..total).unwrap(), expected);
}

/// Returns the status that the server claims, which must be of the version that the client knows.
fn status(client: &mut Client) -> FileStatus {
    match client.status().unwrap() {
        Status::Current(status) => status,
        other => panic!("{other:?}"),
    }
}

fn version_of(applied: ApplyOutcome) -> u64 {
    match applied {
        ApplyOutcome::Version(state) => state.version,
        ApplyOutcome::Unchanged(_) => panic!("nothing changed"),
    }
}

#[test]
fn a_file_goes_through_its_life() {
    for kind in [TagKind::HashOnly, TagKind::PrivateMac] {
        let world = World::new(kind);
        let mut file = contents(10_000);
        let mut client = world.create();
        assert_fails(client.read(0..1), &ClientError::NotUploaded);
        assert_fails(
            run_audit(&mut client, Extent::Everything),
            &ClientError::NotUploaded,
        );
        assert_eq!(client.version(), None);

        let mut progress = Vec::new();
        let state = client
            .upload(file.as_slice(), &mut |bytes| progress.push(bytes))
            .unwrap();
        assert_eq!(state.version, 1);
        assert!(progress.len() > 5 && progress.is_sorted());
        assert_eq!(progress.last(), Some(&10_000));
        assert_fails(upload(&mut client, &file), &ClientError::AlreadyUploaded);
        check(&mut client, &file);
        for range in [
            0..0,
            0..1,
            63..65,
            9_999..10_000,
            777..3_333,
            10_000..10_000,
        ] {
            let expected = &file[range.start..range.end];
            let range = u64::try_from(range.start).unwrap()..u64::try_from(range.end).unwrap();
            assert_eq!(client.read(range).unwrap(), expected);
        }
        let beyond = ClientError::OutOfRange {
            end: 10_001,
            total: 10_000,
        };
        assert_fails(client.read(5..10_001), &beyond);
        #[expect(clippy::reversed_empty_ranges, reason = "what is tested")]
        let reversed = client.read(10_001..10_000);
        assert_fails(reversed, &beyond);

        let edits = [
            insert(100, b"some bytes inside a block"),
            write(9_990, b"in place of as many bytes"),
            ByteEdit::Delete {
                start: 3_000,
                end: 4_567,
            },
        ];
        file.splice(100..100, *b"some bytes inside a block");
        // The file has 10 025 bytes here, so the write does not extend it.
        file.splice(9_990..10_015, *b"in place of as many bytes");
        file.drain(3_000..4_567);
        assert_eq!(version_of(client.apply(&edits).unwrap()), 2);
        check(&mut client, &file);

        // A new process needs only the state file and the keys.
        drop(client);
        let mut client = world.open();
        assert_eq!(client.settle().unwrap(), SettleOutcome::Nothing);
        check(&mut client, &file);
        let unchanged = write(50, &file[50..60]);
        assert!(matches!(
            client.apply(&[unchanged]).unwrap(),
            ApplyOutcome::Unchanged(state) if state.version == 2
        ));
        assert!(matches!(client.status().unwrap(), Status::Current(_)));
    }
}

#[test]
fn many_small_updates_keep_pace_with_a_plain_file() {
    let world = World::new(TagKind::PrivateMac);
    let mut file = contents(3_000);
    let mut client = world.uploaded(&file);
    let choices = contents(4 * 60);
    for (round, choice) in choices.chunks(4).enumerate() {
        let position = usize::from(choice[0]) * 256 + usize::from(choice[1]);
        let at = position % file.len();
        let length = usize::from(choice[2]) % 150 + 1;
        let offset = u64::try_from(at).unwrap();
        let bytes = contents(length + round)[round..].to_vec();
        let edit = match choice[3] % 3 {
            0 => {
                file.splice(at..at, bytes.clone());
                ByteEdit::Insert { offset, bytes }
            }
            1 => {
                let end = file.len().min(at + length);
                file.splice(at..end, bytes.clone());
                ByteEdit::Write { offset, bytes }
            }
            _ => {
                let until = file.len().min(at + length);
                file.drain(at..until);
                let end = u64::try_from(until).unwrap();
                ByteEdit::Delete { start: offset, end }
            }
        };
        client.apply(&[edit]).unwrap();
        let state = client.version().unwrap();
        assert_eq!(state.list.total, u64::try_from(file.len()).unwrap());
    }
    check(&mut client, &file);
}

#[test]
fn an_empty_file_is_a_file() {
    let world = World::new(TagKind::PrivateMac);
    let mut client = world.uploaded(b"");
    assert_eq!(client.read(0..0).unwrap(), b"");
    let report = run_audit(&mut client, Extent::Everything).unwrap();
    assert_eq!((report.questions, report.blocks), (1, 0));
    client.apply(&[insert(0, b"something")]).unwrap();
    check(&mut client, b"something");
    let delete = ByteEdit::Delete { start: 0, end: 9 };
    client.apply(&[delete]).unwrap();
    assert_eq!(client.version().unwrap().list.total, 0);
    assert!(matches!(client.status().unwrap(), Status::Current(_)));
}

#[test]
fn audits_ask_for_as_much_as_they_should() {
    let (_world, mut client) = uploaded(6_400);
    let report = run_audit(&mut client, Extent::Sample(7)).unwrap();
    assert_eq!((report.bytes, report.questions), (7, 1));
    assert!(report.blocks <= 7);
    let detection = Detection::new(0.01, 0.99).unwrap();
    let report = run_audit(&mut client, Extent::Detect(detection)).unwrap();
    assert_eq!(report.bytes, 459);
    let mut progress = Vec::new();
    let report = client
        .audit(Extent::Everything, &mut |bytes| progress.push(bytes))
        .unwrap();
    assert_eq!((report.bytes, report.blocks), (6_400, 100));
    assert_eq!(progress.last(), Some(&6_400));
}

#[test]
fn a_server_with_small_answers_is_asked_for_less() {
    let limits = Limits {
        read_blocks: 3,
        audit_blocks: 3,
        ..Limits::default()
    };
    let (_directory, mut client) = bounds::limited(TagKind::PrivateMac, limits, 64);
    let file = contents(2_000);
    upload(&mut client, &file).unwrap();
    assert_eq!(client.read(0..2_000).unwrap(), file);
    let report = run_audit(&mut client, Extent::Everything).unwrap();
    assert!(report.questions > 10, "{}", report.questions);
}

#[test]
fn of_two_writers_one_wins_and_the_other_knows() {
    let (world, mut first) = uploaded(1_000);
    let mut second = world.open_at(&world.copy("copy.state"));

    first.apply(&[insert(0, b"first")]).unwrap();
    let now = first.version().unwrap();
    assert_fails(second.apply(&[insert(0, b"second")]), &superseded(1, now));
    assert!(!second.is_pending());
    assert_fails(second.read(0..1), &superseded(1, now));
    for extent in [Extent::Sample(5), Extent::Everything] {
        assert_fails(run_audit(&mut second, extent), &superseded(1, now));
    }
    assert!(matches!(
        second.status().unwrap(),
        Status::Newer { status: standing, newer } if standing.version == 2 && newer == now
    ));
    assert!(matches!(first.status().unwrap(), Status::Current(_)));

    // Both have read before one of them writes, so the update is refused.
    let mut third = world.open_at(&world.copy("third.state"));
    drop(first);
    let direct = Wire::new(world.wire.server.clone());
    let mut first = world.open_with(&world.path(), &direct);
    world.wire.meddle(move |request, server| {
        if matches!(request, Request::Update(_)) && first.version().unwrap().version == 2 {
            first.apply(&[insert(0, b"first again")]).unwrap();
        }
        server.exchange(request)
    });
    assert!(matches!(
        third.apply(&[insert(0, b"third")]),
        Err(ClientError::Superseded { known: 2, newer }) if newer.version == 3
    ));
    assert!(!third.is_pending());
}

#[test]
fn state_files_are_guarded() {
    let world = World::new(TagKind::PrivateMac);
    let client = world.create();
    let wire = || world.wire.clone();
    let open = |owner: &Owner<SigningKey>| FileClient::open(&world.path(), owner.clone(), wire());
    let create = || {
        let owner = world.owner.clone();
        FileClient::create(&world.path(), owner, wire(), Chunker::default())
    };
    let fails = |owner: &Owner<SigningKey>, error| {
        assert_fails(open(owner), &ClientError::State(error));
    };
    // Fails only after some seconds, because the other process may be about to end.
    if soak::enabled() {
        fails(&world.owner, StateError::InUse);
    }
    drop(client);
    assert_fails(create(), &ClientError::State(StateError::Exists));
    fails(&owner(2, TagKind::PrivateMac), StateError::WrongOwner);
    let mut other_tags = world.owner.clone();
    other_tags.tags = owner(1, TagKind::PrivateMac).tags;
    fails(&other_tags, StateError::WrongTags);
    assert!(open(&world.owner).is_ok());

    let length = std::fs::metadata(world.path()).unwrap().len();
    assert!(length < 382, "{length} bytes");
}

/// Returns the texts in which `bytes` might be printed: hexadecimal digits (upper and lower case),
/// and the format of derived `Debug`.
fn shown(bytes: &[u8]) -> [String; 3] {
    let hex = |byte: &u8| format!("{byte:02x}");
    let digits: String = bytes.iter().map(hex).collect();
    let decimal: Vec<String> = bytes.iter().map(u8::to_string).collect();
    [digits.to_uppercase(), digits, decimal.join(", ")]
}

#[test]
fn nothing_that_a_client_shows_is_secret() {
    for kind in [TagKind::HashOnly, TagKind::PrivateMac, TagKind::PublicBls] {
        let world = World::new(kind);
        let text = b"the contents of a file";
        let mut client = world.create();
        let mut printed = vec![format!("{client:?}{client:#?}")];
        upload(&mut client, text).unwrap();
        world.wire.lose(is_update);
        let lost = client.apply(&[write(0, b"THE")]).unwrap_err();
        assert!(client.is_pending());
        printed.push(format!("{client:?}{client:#?}{lost:?}{lost}"));
        let owner = &world.owner;
        printed.push(format!(
            "{owner:?}{:?}{:?}",
            owner.tags,
            owner.tags.verifier()
        ));
        let printed = printed.concat();

        let state = std::fs::read(world.path()).unwrap();
        let seed = owner.signer.to_bytes();
        let tags = owner.tags.to_bytes();
        // The state contains secrets: the update in progress, and the salt.
        let secrets = [
            seed.as_slice(),
            tags.as_slice(),
            text,
            b"THE contents",
            &state,
        ];
        for secret in secrets {
            for piece in secret.chunks(8).filter(|piece| piece.len() == 8) {
                let is_plain = piece.iter().all(|byte| *byte == piece[0]) && piece[0] == 0;
                for shown in shown(piece) {
                    // The file's id, version and root are in the state, and are public.
                    let public = format!("{:?}{:?}", client.file(), client.version());
                    let public = public.contains(&shown) || format!("{owner:?}").contains(&shown);
                    let leaks = !is_plain && !public && printed.contains(&shown);
                    assert!(!leaks, "{kind}: {shown}");
                }
            }
        }
    }
}

#[test]
fn a_password_in_an_address_is_not_shown() {
    let address = "http://somebody:secret@127.0.0.1:1";
    let transport = HttpTransport::new(address, HttpOptions::default()).unwrap();
    let shown = format!("{transport:?}");
    assert!(shown.contains("127.0.0.1:1"), "{shown}");
    assert!(
        !shown.contains("somebody") && !shown.contains("secret"),
        "{shown}"
    );
    let wrong = HttpTransport::new("ftp://somebody:secret@there", HttpOptions::default());
    let wrong = wrong.unwrap_err();
    assert!(!format!("{wrong:?}{wrong}").contains("secret"), "{wrong}");
}

#[test]
fn what_is_no_state_file_is_refused() {
    use sha2::Digest as _;

    let world = World::new(TagKind::PrivateMac);
    let open = || FileClient::open(&world.path(), world.owner.clone(), world.wire.clone());
    assert!(matches!(
        open(),
        Err(ClientError::State(StateError::Io(error)))
            if error.kind() == std::io::ErrorKind::NotFound
    ));
    let mut bytes = codec::encode(&Response::Refused(Refusal::UnknownFile));
    // In place of the MAC.
    bytes.extend_from_slice(&[0; 32]);
    let hash = sha2::Sha256::digest(&bytes);
    bytes.extend_from_slice(&hash);
    std::fs::write(world.path(), bytes).unwrap();
    assert!(matches!(
        open(),
        Err(ClientError::State(StateError::Malformed(
            DecodeError::WrongKind {
                expected: 112,
                actual: 97
            }
        )))
    ));
}

/// A stream whose reads and writes fail.
struct FailingStream;

impl std::io::Read for FailingStream {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("a test"))
    }
}

impl std::io::Write for FailingStream {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("a test"))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn mistakes_of_the_owner_are_told_from_faults_of_the_server() {
    let world = World::new(TagKind::PrivateMac);
    let mut client = world.create();
    let uploaded = client.upload(FailingStream, &mut |_| ());
    assert!(matches!(uploaded, Err(ClientError::Io(_))));
    upload(&mut client, &contents(1_000)).unwrap();
    let read = client.read_to(0..10, &mut FailingStream);
    assert!(matches!(read, Err(ClientError::Io(_))));
    assert!(matches!(
        client.apply(&[insert(1_001, b"behind the end")]),
        Err(ClientError::Edit(EditError::OffsetOutOfRange { .. }))
    ));
    assert_fails(
        run_audit(&mut client, Extent::Sample(0)),
        &ClientError::Challenge(ChallengeError::NoSamples),
    );
    assert!(!client.is_pending());
    check(&mut client, &contents(1_000));
}

#[test]
fn a_file_goes_through_its_life_over_http() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("store");
    let serve = || {
        let workers = Workers::sequential();
        let files = FileServer::open(&store, Limits::default(), workers).unwrap();
        let options = Options::default();
        let endpoint = Endpoint::new(files, options.limits);
        let server = Server::bind("127.0.0.1:0", options).unwrap();
        server.start(endpoint).unwrap()
    };
    let connect = |server: &RunningServer| {
        let address = format!("http://{}", server.address());
        HttpTransport::new(&address, HttpOptions::default()).unwrap()
    };
    let stop = |server: RunningServer| {
        server.shutdown(Duration::from_secs(10));
        assert_eq!(server.join().unwrap(), ShutdownOutcome::Drained);
    };
    let owner = owner(1, TagKind::PrivateMac);
    let state = directory.path().join("state");
    let mut file = contents(2_000_000);

    let server = serve();
    let mut client =
        FileClient::create(&state, owner.clone(), connect(&server), Chunker::default()).unwrap();
    upload(&mut client, &file).unwrap();
    client
        .apply(&[insert(1_000_000, b"in the middle")])
        .unwrap();
    file.splice(1_000_000..1_000_000, *b"in the middle");
    check(&mut client, &file);
    drop(client);
    stop(server);

    let server = serve();
    let mut client = FileClient::open(&state, owner, connect(&server)).unwrap();
    check(&mut client, &file);
    stop(server);
}
