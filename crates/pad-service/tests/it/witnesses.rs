//! Tests over HTTP with TLS of logs of heads, witnesses that cosign them, and clients that require
//! cosignatures.

use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use authdict::{Version, WitnessedError, evidence};
use pad_client::{Client, ClientError, Fault, NotWitnessed, Witnesses, internals::Resource};
use pad_disk::layer::Folder;
use pad_service::{
    CosigningOptions, Dictionary, HeadLog, HeadLogError, PeriodicTask, Service, WitnessService,
    internals::WITNESS_ROUTES,
};
use pad_web::{
    client::{HttpClient, PostBody, Reply, Verdict},
    server::{Admission, Answer, Handler, Head, StatusCode, Work},
};
use sha2::{Digest as _, Sha256};
use transparency_log::{
    Checkpoint, Note, Policy, Timestamp,
    note::{Cosigner, NoteSigner},
    policy::PolicyError,
    proof::LogProofError,
    tree::Hash,
    witness::{AddCheckpoint, FolderRecords},
};

use crate::{fixture::*, openapi::description, second_head::for_each_scheme, serve::text};

const HOUR: Duration = Duration::from_hours(1);

type Clock = fn() -> SystemTime;

/// A wrong clock, with the expected results.
struct LyingClock {
    clock: Clock,
    /// A part of the error of a client with this clock, if the cosignature is recent.
    client: &'static str,
    /// Whether a server publishes a cosignature of a witness with this clock.
    of_witness_is_published: bool,
    /// Whether a server with this clock publishes a recent cosignature.
    by_server_is_published: bool,
}

const fn lying(clock: Clock, client: &'static str, is_published: [bool; 2]) -> LyingClock {
    let [of_witness_is_published, by_server_is_published] = is_published;
    LyingClock {
        clock,
        client,
        of_witness_is_published,
        by_server_is_published,
    }
}

const LYING_CLOCKS: [LyingClock; 7] = [
    lying(|| UNIX_EPOCH - SECOND, "1970", [false, false]),
    lying(|| UNIX_EPOCH, "future", [true, false]),
    lying(|| SystemTime::now() - 24 * HOUR, "future", [true, false]),
    lying(|| SystemTime::now() + HOUR, "old", [false, true]),
    lying(|| SystemTime::now() + 24 * HOUR, "old", [false, true]),
    lying(|| UNIX_EPOCH + UNTIL_2100, "old", [false, true]),
    lying(|| UNIX_EPOCH + UNTIL_THE_END, "old", [false, true]),
];

const UNTIL_2100: Duration = Duration::from_hours(24 * 47_482);
/// The last second that the format can represent.
const UNTIL_THE_END: Duration = Duration::from_secs(u64::MAX >> 1);

fn cosigner(name: &str) -> Cosigner {
    let mut secret = [9; 32];
    secret[..name.len()].copy_from_slice(name.as_bytes());
    Cosigner::new(format!("witness.example/{name}").parse().unwrap(), &secret)
}

/// Returns a policy with this author's log. It requires `quorum` of `witnesses`.
fn policy(author: &Author, quorum: usize, witnesses: &[(&str, &TestServer)]) -> Policy {
    let mut text = format!("log {}\n", author.log_signer().verifier());
    let mut names = String::new();
    for (name, server) in witnesses {
        let (key, address) = (cosigner(name).verifier(), server.address());
        writeln!(text, "witness {name} {key} https://{address}").unwrap();
        write!(names, " {name}").unwrap();
    }
    write!(text, "group all {quorum}{names}\nquorum all\n").unwrap();
    text.parse().unwrap()
}

/// Creates an honest witness with its records in `folder`.
fn witness(author: &Author, name: &str, folder: &str) -> WitnessService {
    let path = author.path(folder);
    std::fs::create_dir_all(&path).unwrap();
    let records = FolderRecords::open(Arc::new(Folder::open(&path).unwrap())).unwrap();
    let logs = [author.log_signer().verifier()];
    WitnessService::new(cosigner(name), records, &logs, "")
}

/// A witness that answers each request with an arbitrary response.
struct Fake<F>(F);

impl<F: Fn(&AddCheckpoint) -> Answer + Send + Sync + 'static> Handler for Fake<F> {
    type Request = ();

    fn admit(&self, _: &Head) -> Result<Admission<()>, Answer> {
        Ok(Admission {
            request: (),
            body_bytes: AddCheckpoint::LONGEST,
            work: Work::Long,
        })
    }

    fn handle(&self, (): (), body: Vec<u8>) -> Answer {
        (self.0)(&AddCheckpoint::parse(&body).unwrap())
    }
}

/// Returns a witness that cosigns every checkpoint at time `seconds`, without checks.
fn careless(name: &'static str, seconds: u64) -> impl Fn(&AddCheckpoint) -> Answer {
    move |request| {
        let checkpoint = Checkpoint::parse(request.note.unverified_text()).unwrap();
        let time = Timestamp::from_seconds(seconds).unwrap();
        let line = cosigner(name).cosign(&checkpoint, time).line();
        Answer::text(StatusCode::OK, line)
    }
}

fn cosigning() -> CosigningOptions {
    CosigningOptions {
        http: http_options(),
        every: Duration::from_millis(5),
        refresh: HOUR,
        pause: Duration::from_millis(5),
    }
}

/// A server of a store, and the log of the store's heads.
struct LogServer {
    // Fields are dropped in this order.
    _tasks: Vec<PeriodicTask>,
    server: TestServer,
    log: Arc<HeadLog>,
}

fn serve(author: &Author, store: &str, policy: &Policy) -> LogServer {
    serve_at(author, store, policy, SystemTime::now)
}

/// Starts a server like [`serve`], with another clock.
fn serve_at(author: &Author, store: &str, policy: &Policy, clock: Clock) -> LogServer {
    let dictionary = Dictionary::open(&author.path(store)).unwrap();
    let (folder, signer) = (author.path(&format!("{store}.log")), author.log_signer());
    let log = HeadLog::open(&folder, signer, Some(policy.clone()), &dictionary);
    let log = Arc::new(log.unwrap().with_clock(clock));
    let dictionary = Arc::new(dictionary.logging(Arc::clone(&log)));
    let mut tasks = log.follow(Arc::clone(&dictionary), &cosigning()).unwrap();
    let service = service_of(dictionary);
    tasks.push(service.follow(Duration::from_millis(5)));
    LogServer {
        _tasks: tasks,
        server: start(service),
        log,
    }
}

/// Starts a server of the store `s.pad`, and waits until its log of `size` heads is cosigned by one
/// of these witnesses.
fn logged(author: &Author, witnesses: &[(&str, &TestServer)], size: u64) -> (LogServer, Policy) {
    let policy = policy(author, 1, witnesses);
    let logged = serve(author, "s.pad", &policy);
    logged.wait_for(size);
    (logged, policy)
}

impl LogServer {
    fn wait_for(&self, size: u64) {
        wait_until(|| self.log.sizes().unwrap()[1] >= size);
    }

    /// Creates a client of this server with a new view that requires cosignatures.
    fn witnessed(&self, author: &Author, base: &str, witnesses: Witnesses) -> Client {
        let client = author.client(&[&self.server], base);
        client.witnessed_by(witnesses).unwrap()
    }

    /// Returns a metric.
    fn metric(&self, name: &str) -> u64 {
        let metrics = text(&self.server, "/metrics");
        let mut found = metrics.lines().filter_map(|found| found.strip_prefix(name));
        found.next().unwrap().trim().parse().unwrap()
    }
}

/// Waits until `is_reached` returns true.
fn wait_until(mut is_reached: impl FnMut() -> bool) {
    while !is_reached() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn http(server: &TestServer) -> HttpClient {
    let url = format!("https://{}", server.address());
    HttpClient::new(&url, http_options()).unwrap()
}

fn post(server: &TestServer, path: &str, body: &[u8]) -> Result<Reply, pad_client::HttpError> {
    post_by(&http(server), path, body)
}

fn post_by(client: &HttpClient, path: &str, body: &[u8]) -> Result<Reply, pad_client::HttpError> {
    let posted = PostBody {
        content_type: "text/plain",
        body,
    };
    client.post(path, posted, 1 << 20, |reply| Ok(Verdict::Done(reply)))
}

fn refusal(error: ClientError) -> WitnessedError {
    match fault(error) {
        Fault::Unwitnessed(NotWitnessed::Refused(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// Starts a witness that tells each lie in turn, and then starts again.
fn lying_witness() -> TestServer {
    let turn = AtomicUsize::new(0);
    start(Fake(move |request: &AddCheckpoint| {
        let other = Checkpoint::new("another.example/log", 7, Hash::of_nothing()).unwrap();
        let time = Timestamp::from_seconds(1_700_000_000).unwrap();
        let own = careless("liar", 1_700_000_000)(request);
        let size = |size: u64| {
            let size = format!("{size}\n");
            Answer::new(StatusCode::CONFLICT, "text/x.tlog.size", size)
        };
        match turn.fetch_add(1, Ordering::SeqCst) % 9 {
            0 => Answer::text(StatusCode::OK, cosigner("liar").cosign(&other, time).line()),
            1 => careless("honest", 1_700_000_000)(request),
            2 => size(request.old_size ^ 1),
            3 => size(u64::MAX),
            4 => Answer::text(StatusCode::OK, "x".repeat(1 << 17)),
            5 => Answer::text(StatusCode::OK, ""),
            6 => {
                let mut line = String::from_utf8(own.body).unwrap();
                let last = line.len() - 10;
                let digit = if &line[last..=last] == "A" { "B" } else { "A" };
                line.replace_range(last..=last, digit);
                Answer::text(StatusCode::OK, line)
            }
            7 => Answer::text(StatusCode::FOUND, "elsewhere"),
            _ => Answer::text(StatusCode::IM_A_TEAPOT, "\u{1b}[2J"),
        }
    }))
}

#[test]
fn a_dead_and_a_lying_witness_keep_nobody_from_the_honest_one() {
    let author = Author::of_three_versions();
    let honest = start(witness(&author, "honest", "w"));
    let dead = start(witness(&author, "dead", "dead"));
    let liar = lying_witness();
    let witnesses = [("honest", &honest), ("dead", &dead), ("liar", &liar)];
    let [one, two] = [1, 2].map(|quorum| policy(&author, quorum, &witnesses));
    drop(dead);
    let logged = serve(&author, "s.pad", &one);
    logged.wait_for(3);
    let mut client = logged.witnessed(&author, "view", Witnesses::new(one, HOUR));
    assert_eq!(client.advance().unwrap(), Version::new(3));
    let cosigned = client.cosigned().unwrap().clone();
    assert_eq!(cosigned.newest, Version::new(3));
    assert_eq!(cosigned.witnesses, 3);
    let names = cosigned.cosignatures.iter().map(|one| &*one.witness);
    assert_eq!(names.collect::<Vec<_>>(), ["honest"]);
    // Further versions are cosigned, whatever the other witnesses answer.
    for version in 4..8 {
        author.publish(&[("fig", &version.to_string())]);
        logged.wait_for(version);
    }
    assert_eq!(client.advance().unwrap(), Version::new(7));
    for version in 1..=7 {
        let answer = client.ask(Version::new(version), &about("apple")).unwrap();
        let expected: &[u8] = if version == 1 { b"3" } else { b"4" };
        assert_eq!(value(&answer), Some(expected));
        let head = client.head(Version::new(version)).unwrap();
        assert_eq!(head.version, Version::new(version));
    }
    assert!(client.take_incidents().is_empty());
    // The client refuses versions that were never cosigned, without sending a request.
    let unseen = client.ask(Version::new(8), &about("apple"));
    assert!(matches!(unseen, Err(ClientError::NotSeen { .. })));
    // With a quorum of two, the error names the witnesses that are missing.
    let mut strict = logged.witnessed(&author, "strict", Witnesses::new(two, HOUR));
    let missing = ["dead", "liar"].map(str::to_owned).to_vec();
    let refused = refusal(strict.advance().unwrap_err());
    let WitnessedError::Log(LogProofError::Policy(PolicyError::QuorumNotMet {
        missing: found,
        old,
        ahead,
        ..
    })) = refused
    else {
        panic!("{refused}");
    };
    assert_eq!((found, old, ahead), (missing, Vec::new(), Vec::new()));
    // Before the first cosigned version, the client accepts no answer.
    let unseen = strict.ask(Version::new(1), &about("apple"));
    assert!(matches!(unseen, Err(ClientError::NotSeen { .. })));
    let count = |name: &str, witness: &str| {
        let of = format!("{{dictionary=\"s\",witness=\"{witness}\"}}");
        logged.metric(&format!("pad_{name}_total{of}"))
    };
    assert!(count("cosignatures", "honest") >= 5);
    for witness in ["liar", "dead"] {
        assert_eq!(count("cosignatures", witness), 0);
        wait_until(|| count("cosignatures_failed", witness) > 0);
    }
    assert_eq!(logged.metric("pad_log_published_size{dictionary=\"s\"}"), 7);
}

/// A server that publishes the log of one service and the answers of another.
struct TwoFacedServer {
    log: Service,
    answers: Service,
}

impl Handler for TwoFacedServer {
    type Request = (bool, <Service as Handler>::Request);

    fn admit(&self, head: &Head) -> Result<Admission<Self::Request>, Answer> {
        let is_of_log = head.uri.path().contains("/files/");
        let service = if is_of_log { &self.log } else { &self.answers };
        let admitted = service.admit(head)?;
        Ok(Admission {
            request: (is_of_log, admitted.request),
            body_bytes: admitted.body_bytes,
            work: Work::Long,
        })
    }

    fn handle(&self, (is_of_log, request): Self::Request, body: Vec<u8>) -> Answer {
        let service = if is_of_log { &self.log } else { &self.answers };
        service.handle(request, body)
    }
}

fn a_private_fork(author: &Author) {
    author.create("fork.pad");
    author.publish_in("fork.pad", &[("apple", "3"), ("pear", "5"), ("plum", "7")]);
    author.publish_in("fork.pad", &[("apple", "66")]);
    author.publish_in("fork.pad", &[("apple", "67")]);
}

#[test]
fn a_private_fork_is_refused_by_who_asks_witnesses_and_by_nobody_else() {
    let author = &Author::of_three_versions();
    a_private_fork(author);
    let first = start(witness(author, "first", "w1"));
    let second = start(witness(author, "second", "w2"));
    let witnesses = [("first", &first), ("second", &second)];
    let policy = policy(author, 2, &witnesses);
    let honest = serve(author, "s.pad", &policy);
    honest.wait_for(3);
    let witnessed = |server: &TestServer, base: &str| {
        author
            .client(&[server], base)
            .witnessed_by(Witnesses::new(policy.clone(), HOUR))
            .unwrap()
    };
    let latest = Version::new(3);

    // An attacker has the author's key and the log's key, but the witnesses have cosigned another
    // history.
    let private = serve(author, "fork.pad", &policy);
    let failed = "pad_cosignatures_failed_total{dictionary=\"s\",witness=\"first\"} 0";
    wait_until(|| !text(&private.server, "/metrics").contains(failed));
    assert_eq!(private.log.sizes().unwrap(), [3, 0]);
    let mut victim = author.client(&[&private.server], "victim");
    assert_eq!(victim.advance().unwrap(), latest);
    assert_value(&victim, latest, "apple", "67");
    let refused = witnessed(&private.server, "asks").advance().unwrap_err();
    assert!(refused.is_lie());
    assert_eq!(fault(refused), Fault::Unwitnessed(NotWitnessed::NoLog));

    // The server has the honest log, but answers from the private history, about the newest version
    // and an older version.
    let log = service_with(author, &honest.log);
    let two_faced = start(TwoFacedServer {
        log,
        answers: service(&author.path("fork.pad")),
    });
    let mut client = witnessed(&two_faced, "two-faced");
    assert_eq!(client.advance().unwrap(), latest);
    for version in [2, 3].map(Version::new) {
        let refused = client.ask(version, &about("apple")).unwrap_err();
        assert!(refused.is_lie(), "{refused}");
        assert!(matches!(fault(refused), Fault::Fork(_)));
    }
    // The first version is the same in both histories.
    assert!(client.ask(Version::new(1), &about("apple")).is_ok());
    // The client takes the head of the older version from the log.
    let logged = client.head(Version::new(2)).unwrap();
    let mut truthful = witnessed(&honest.server, "honest");
    truthful.advance().unwrap();
    assert_eq!(logged.root, truthful.head(Version::new(2)).unwrap().root);
    for file in author.kept("two-faced", ".evidence") {
        let proved = evidence::check(author.key.public(), &std::fs::read(file).unwrap());
        assert!([2, 3].map(Version::new).contains(&proved.unwrap()));
    }
    assert_eq!(author.kept("two-faced", ".evidence").len(), 2);
}

/// Creates a service of the store `s.pad` that publishes the log of another server.
fn service_with(author: &Author, log: &Arc<HeadLog>) -> Service {
    let dictionary = Dictionary::open(&author.path("s.pad")).unwrap();
    service_of(Arc::new(dictionary.logging(Arc::clone(log))))
}

#[test]
fn whatever_is_changed_in_a_log_is_refused_and_the_next_server_asked() {
    let author = Author::of_three_versions();
    let honest = start(witness(&author, "honest", "w"));
    let (logged, policy) = logged(&author, &[("honest", &honest)], 3);
    let length = |path: &str| {
        let file = Resource::File(path.into());
        connect(&logged.server).get(&file, 1 << 20).unwrap().len()
    };
    for (path, step) in [
        ("checkpoint", 5),
        ("tile/0/000.p/3", 7),
        ("tile/entries/000.p/3", 31),
    ] {
        let place = Arc::new(AtomicUsize::new(0));
        let at = Arc::clone(&place);
        let service = service_with(&author, &logged.log);
        let liar = start(Liar::new(service, move |asked, mut answer| {
            if asked == format!("files/{path}") {
                flip(&mut answer.body, at.load(Ordering::SeqCst));
            }
            answer
        }));
        let servers = [&liar, &logged.server].map(connect);
        for byte in (0..length(path)).step_by(step) {
            place.store(byte, Ordering::SeqCst);
            let mut client = author
                .client_of(servers.to_vec(), author.new_view(), "view")
                .witnessed_by(Witnesses::new(policy.clone(), HOUR))
                .unwrap();
            // The client uses the last entry of the bundle at once, and other entries only on
            // request.
            assert_eq!(client.advance().unwrap(), Version::new(3), "{path} {byte}");
            client.head(Version::new(1)).unwrap();
            let incidents = client.take_incidents();
            assert!(!incidents.is_empty(), "{path} {byte}");
            for incident in incidents {
                let is_unwitnessed = matches!(incident.fault, Fault::Unwitnessed(_));
                assert!(is_unwitnessed, "{incident}");
            }
        }
    }
}

#[test]
fn an_old_cosignature_is_refused_by_its_age() {
    let author = Author::of_three_versions();
    let slow = start(Fake(careless("old", 1_000_000)));
    let (logged, policy) = logged(&author, &[("old", &slow)], 3);
    let client = |within| logged.witnessed(&author, "view", Witnesses::new(policy.clone(), within));
    let refused = refusal(client(HOUR).advance().unwrap_err());
    let WitnessedError::Log(LogProofError::Policy(PolicyError::QuorumNotMet { old, .. })) =
        &refused
    else {
        panic!("{refused}");
    };
    let old = old.iter().map(|found| &*found.witness);
    assert_eq!(old.collect::<Vec<_>>(), ["old"]);
    assert_eq!(client(Duration::MAX).advance().unwrap(), Version::new(3));
}

/// A client with a wrong clock accepts no version as the newest, and keeps its view unchanged.
#[test]
fn a_lying_clock_makes_nothing_recent() {
    for_each_scheme(|scheme| {
        if !scheme.binds_answers() {
            return;
        }
        let author = Author::new(scheme);
        author.publish(&[("apple", "")]);
        let server = start(witness(&author, "w", "w"));
        let (logged, policy) = logged(&author, &[("w", &server)], 1);
        for lying in LYING_CLOCKS {
            let witnesses = Witnesses::new(policy.clone(), HOUR / 2).with_clock(lying.clock);
            let mut client = logged.witnessed(&author, "view", witnesses);
            let refused = client.advance().unwrap_err().to_string();
            assert!(refused.contains(lying.client), "{scheme}: {refused}");
            assert!(refused.contains("this machine's clock"), "{refused}");
            assert_eq!(client.view().version(), Version::EMPTY);
        }
        let mut client = logged.witnessed(&author, "view", Witnesses::new(policy, HOUR));
        assert_eq!(client.advance().unwrap(), Version::new(1), "{scheme}");
    });
}

/// If a witness or server has a wrong clock, a client with a correct clock must not accept an old
/// version as recent. A client without witnesses still gets answers.
#[test]
fn witnesses_and_servers_with_lying_clocks_make_nothing_recent() {
    let right: Clock = SystemTime::now;
    let check = |[of_witness, of_server]: [Clock; 2], is_published: bool, is_recent: bool| {
        let author = Author::of_three_versions();
        let server = start(witness(&author, "w", "w").with_clock(of_witness));
        let policy = policy(&author, 1, &[("w", &server)]);
        let logged = serve_at(&author, "s.pad", &policy, of_server);
        let has_failed = || {
            let metrics = text(&logged.server, "/metrics");
            let mut lines = metrics.lines();
            lines.any(|line| {
                line.starts_with("pad_cosignatures_failed_total") && !line.ends_with(" 0")
            })
        };
        wait_until(|| logged.log.sizes().unwrap()[1] >= 3 || has_failed());
        assert_eq!(logged.log.sizes().unwrap()[1] == 3, is_published);
        let mut client = logged.witnessed(&author, "view", Witnesses::new(policy, HOUR / 2));
        match client.advance() {
            Ok(version) => assert!(is_recent && version == Version::new(3)),
            Err(refused) => {
                assert!(!is_recent && client.view().version() == Version::EMPTY);
                let refused = refused.to_string();
                let is_of_clock = refused.contains("this machine's clock");
                assert_eq!(is_published, is_of_clock, "{refused}");
            }
        }
        author.client_at(&[&logged.server], "unwitnessed", 3);
    };
    check([right, right], true, true);
    let [before_1970, .., latest] = LYING_CLOCKS.map(|lying| lying.clock);
    check([latest, before_1970], false, false);
    for lying in LYING_CLOCKS {
        check([lying.clock, right], lying.of_witness_is_published, false);
        let is_published = lying.by_server_is_published;
        check([right, lying.clock], is_published, is_published);
    }
}

#[test]
fn a_witness_whose_clock_is_before_1970_says_so() {
    let author = Author::of_tree();
    let service = witness(&author, "w", "w").with_clock(|| UNIX_EPOCH - SECOND);
    let server = start(service);
    let reply = post(&server, "/add-checkpoint", b"").unwrap();
    assert_eq!(reply.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(reply.body, b"this witness's clock is before 1970\n");
}

/// A server ignores a witness whose clock is ahead of the server's, and does not publish its
/// cosignature.
#[test]
fn a_cosignature_from_the_future_is_not_published() {
    let author = Author::of_three_versions();
    let ahead = start(Fake(careless("ahead", 4_102_444_800)));
    let right = start(witness(&author, "right", "right"));
    let (logged, _) = logged(&author, &[("ahead", &ahead), ("right", &right)], 3);
    let note = text(&logged.server, "/v1/dictionaries/s/files/checkpoint");
    assert!(note.contains("witness.example/right"), "{note}");
    assert!(!note.contains("witness.example/ahead"), "{note}");
}

/// A policy with several logs of one dictionary must be refused. A server could present an
/// abandoned log as the newest.
#[test]
fn a_policy_names_one_log_of_a_dictionary() {
    let author = Author::of_three_versions();
    let server = author.serve();
    let id = author.key.public().authority.dictionary;
    let log = |place: &str, secret: u8| {
        let origin = authdict::internals::witnessed::origin(place, id);
        NoteSigner::new(origin.parse().unwrap(), &[secret; 32]).verifier()
    };
    let witness = cosigner("w").verifier();
    let policy = |logs: [_; 2]| -> Policy {
        let [first, second] = logs;
        format!("log {first}\nlog {second}\nwitness w {witness}\nquorum w\n")
            .parse()
            .unwrap()
    };
    let client = |policy| {
        let client = author.client(&[&server], "view");
        client.witnessed_by(Witnesses::new(policy, HOUR))
    };
    let is_several = |error| matches!(error, ClientError::Policy(WitnessedError::SeveralLogs(_)));
    let refused = client(policy([log("one.example", 1), log("other.example", 2)])).unwrap_err();
    assert!(is_several(refused));
    // The key of one of the logs has an unknown type.
    let new = format!("other.example/{id}+00000000+BgAA");
    let text = format!(
        "log {}\nlog {new}\nwitness w {witness}\nquorum w\n",
        log("one.example", 1)
    );
    let refused = client(text.parse().unwrap()).unwrap_err();
    assert!(is_several(refused));
    // Two keys of one log, and logs of other dictionaries, are accepted.
    assert!(client(policy([log("one.example", 1), log("one.example", 2)])).is_ok());
    let other = authdict::DictionaryId::from_name("other");
    let other = authdict::internals::witnessed::origin("one.example", other);
    let other = NoteSigner::new(other.parse().unwrap(), &[3; 32]).verifier();
    assert!(client(policy([log("one.example", 1), other])).is_ok());
}

#[test]
fn a_log_goes_on_after_a_restart_and_refuses_a_store_of_another_history() {
    let author = Author::of_three_versions();
    a_private_fork(&author);
    let honest = start(witness(&author, "honest", "w"));
    let witnesses = [("honest", &honest)];
    drop(logged(&author, &witnesses, 3));
    author.publish(&[("fig", "1")]);
    let (logged, policy) = logged(&author, &witnesses, 4);
    drop(logged);
    let open = |store: &str, signer: NoteSigner| {
        let dictionary = Dictionary::open(&author.path(store)).unwrap();
        let folder = author.path("s.pad.log");
        HeadLog::open(&folder, signer, Some(policy.clone()), &dictionary).map(drop)
    };
    author.publish_in("fork.pad", &[("fig", "1")]);
    let fork = open("fork.pad", author.log_signer()).unwrap_err();
    assert!(matches!(fork, HeadLogError::OtherHead(_)), "{fork}");
    let stranger = NoteSigner::new("log.example/heads/0".parse().unwrap(), &[3; 32]);
    let other = open("s.pad", stranger).unwrap_err();
    let is_other = matches!(other, HeadLogError::OtherDictionary { .. });
    assert!(is_other, "{other}");
    let name = author.log_signer().name().clone();
    let unnamed = open("s.pad", NoteSigner::new(name, &[4; 32])).unwrap_err();
    assert!(matches!(unnamed, HeadLogError::NotInPolicy), "{unnamed}");
}

#[test]
fn hostile_requests_to_a_witness_get_the_statuses_that_are_described() {
    let author = Author::of_tree();
    let server = start(witness(&author, "honest", "w"));
    let (log, other) = (
        author.log_signer(),
        NoteSigner::new("other.example/log".parse().unwrap(), &[5; 32]),
    );
    let origin = log.name().as_str();
    let note = |origin: &str, size: u64, root: &[u8], signer: &NoteSigner| {
        let checkpoint = Checkpoint::new(origin, size, Hash::of_leaf(root)).unwrap();
        checkpoint.sign(signer)
    };
    let request = |old_size: u64, note: Note, proof: &[Hash]| {
        let proof = proof.to_vec();
        let request = AddCheckpoint {
            old_size,
            proof,
            note,
        };
        request.encode().into_bytes()
    };
    let good = request(0, note(origin, 1, b"a", &log), &[]);
    let mut cut = good.clone();
    cut.pop();
    let leaf = Hash::of_leaf(b"a");
    let of_other_log = note("other.example/log", 1, b"a", &other);
    let largest = note(origin, u64::MAX, b"b", &log);
    let cases = [
        (Vec::new(), 400),
        (vec![0xff; 1000], 400),
        (cut, 400),
        (request(2, note(origin, 1, b"a", &log), &[]), 400),
        (request(0, of_other_log, &[]), 404),
        (request(0, note(origin, 1, b"a", &other), &[]), 403),
        (good.clone(), 200),
        (good.clone(), 409),
        (request(1, note(origin, 1, b"a", &log), &[]), 200),
        (request(1, note(origin, 1, b"b", &log), &[]), 422),
        (request(1, note(origin, 2, b"b", &log), &[leaf]), 422),
        (request(1, largest, &[leaf; 63]), 422),
    ];
    let description = description();
    let [(_, method, template), _] = WITNESS_ROUTES;
    let described = &description["paths"][template][method]["responses"];
    for (place, (body, status)) in cases.iter().enumerate() {
        let reply = post(&server, template, body).unwrap();
        assert_eq!(reply.status.as_u16(), *status, "{place}");
        let kind = reply.headers["content-type"].to_str().unwrap();
        let kind = kind.split(';').next().unwrap();
        let response = &described[reply.status.as_str()];
        assert!(response["content"][kind].is_object(), "{status} {kind}");
    }
    // The last cosigned checkpoint can be fetched, with the signatures of the log and the witness.
    let hash = hex::encode(Sha256::digest(origin));
    let cosigned = Note::parse(text(&server, &format!("/{hash}/checkpoint")).as_bytes()).unwrap();
    let keys = [log.verifier(), cosigner("honest").verifier()];
    let opened = cosigned.open(&keys).unwrap();
    assert_eq!(opened.signed.len(), 2);
    let checkpoint = Checkpoint::new(origin, 1, leaf).unwrap();
    assert_eq!(opened.text, checkpoint.text());
    let unknown = text(&server, &format!("/{}/checkpoint", "0".repeat(64)));
    assert!(unknown.contains("unknown_path"), "{unknown}");
    let first = post(&server, template, &good).unwrap();
    assert_eq!(first.body, b"1\n");
    no_variant_is_cosigned(&server, template, &good);
    let long = vec![b'a'; AddCheckpoint::LONGEST + 1];
    assert!(post(&server, template, &long).is_err());
    for (path, status) in [("/other/add-checkpoint", 404), ("/health", 405)] {
        assert_eq!(post(&server, path, &good).unwrap().status, status, "{path}");
    }
    assert!(text(&server, "/health").contains("\"ok\""));
    assert!(text(&server, template).contains("method_not_allowed"));
    let metrics = text(&server, "/metrics");
    let size = format!("pad_witness_log_size{{origin=\"{origin}\"}} 1");
    for line in ["pad_witness_answers_total{status=\"200\"} 2", &size] {
        assert!(metrics.contains(line), "{metrics}");
    }
}

/// Changes a valid request at every byte, and truncates it at every length.
fn no_variant_is_cosigned(server: &TestServer, template: &str, good: &[u8]) {
    let client = http(server);
    for place in 0..good.len() {
        let mut changed = good.to_vec();
        changed[place] ^= 1;
        // A request for size 1 after size 1 is valid.
        if changed.starts_with(b"old 1") {
            changed = Vec::new();
        }
        for body in [&changed[..], &good[..place]] {
            let reply = post_by(&client, template, body).unwrap();
            assert_ne!(reply.status, StatusCode::OK, "{place}");
        }
    }
}
