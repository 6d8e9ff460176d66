//! State files that another party has written or changed, copies of earlier states, and servers
//! that lie to the owner of such a file.

use std::collections::BTreeSet;

use flexlist::FileId;
use flexlist_service::internals::message::{Confirm, FileStatus, Finish, Part};
use pad_core::Digest;
use sha2::{Digest as _, Sha256};

use super::*;

/// Length of the checksum at the end of a state file, and of the MAC before it.
const HASH: usize = 32;

/// A statement of an owner: file, version, root and length.
type Statement = (FileId, u64, Digest<32>, u64);

/// Collects the statements about versions that an owner signs and sends.
#[derive(Clone, Default)]
struct Signed(Arc<Mutex<BTreeSet<Statement>>>);

impl Signed {
    fn note(&self, request: &Request) {
        let statement = match request {
            Request::Finish(signed) => {
                let finish: Finish = signed.claimed().unwrap();
                (finish.file, 1, finish.root, finish.total)
            }
            Request::Confirm(signed) => {
                let confirm: Confirm = signed.claimed().unwrap();
                (confirm.file, confirm.version, confirm.root, confirm.total)
            }
            _ => return,
        };
        self.0.lock().unwrap().insert(statement);
    }

    fn all(&self) -> BTreeSet<Statement> {
        self.0.lock().unwrap().clone()
    }

    /// Notes all requests, and answers those for which `lie` returns an answer.
    fn watch(
        &self,
        wire: &Wire,
        mut lie: impl FnMut(&Request, &Local) -> Option<Answer> + Send + 'static,
    ) {
        let signed = self.clone();
        wire.meddle(move |request, server| {
            signed.note(request);
            lie(request, server).unwrap_or_else(|| server.exchange(request))
        });
    }
}

/// Answers that a lying server can repeat.
#[derive(Clone)]
struct Recorded {
    /// The status of each version, from version 1 on.
    statuses: Vec<FileStatus>,
    /// The answer to the update of version 1.
    updated: Option<Response>,
}

/// A file at version 3, and a copy of its state at each point before.
struct History {
    world: World,
    signed: Signed,
    recorded: Recorded,
    /// The states before the current one, with names.
    states: Vec<(&'static str, Vec<u8>)>,
    /// The current state.
    current: Vec<u8>,
}

/// The contents of version 1.
fn source() -> Vec<u8> {
    contents(500)
}

impl History {
    fn new() -> Self {
        let world = World::new(TagKind::HashOnly);
        let signed = Signed::default();
        let (mut states, mut statuses) = (Vec::new(), Vec::new());
        let kept = || std::fs::read(world.path()).unwrap();
        let mut client = world.create();
        states.push(("begun", kept()));
        signed.watch(&world.wire, |request, _| match request {
            Request::Part(part) => {
                let part: Part = part.claimed().unwrap();
                (part.number == 2).then(lost)
            }
            _ => None,
        });
        assert!(upload(&mut client, &source()).is_err());
        states.push(("parts sent", kept()));
        signed.watch(&world.wire, |request, server| {
            let is_end = matches!(request, Request::Finish(_));
            is_end.then(|| server.exchange(request).and(lost()))
        });
        assert!(upload(&mut client, &source()).is_err());
        states.push(("end signed", kept()));
        signed.watch(&world.wire, |_, _| None);
        upload(&mut client, &source()).unwrap();
        states.push(("version 1", kept()));
        statuses.push(status(&mut client));

        signed.watch(&world.wire, |request, _| is_update(request).then(lost));
        assert!(client.apply(&[write(5, b"second")]).is_err());
        states.push(("update of version 1", kept()));
        let answer = Arc::new(Mutex::new(None));
        let answered = Arc::clone(&answer);
        signed.watch(&world.wire, move |request, server| {
            is_update(request).then(|| {
                let answer = server.exchange(request);
                *answered.lock().unwrap() = answer.clone().ok();
                answer
            })
        });
        assert!(matches!(client.settle(), Ok(SettleOutcome::Applied(_))));
        states.push(("version 2", kept()));
        statuses.push(status(&mut client));

        let refused = || Ok(Response::Refused(Refusal::TagsInvalid));
        signed.watch(&world.wire, move |request, _| {
            is_update(request).then(refused)
        });
        assert!(client.apply(&[write(9, b"third")]).is_err());
        states.push(("refused update of version 2", kept()));
        signed.watch(&world.wire, |_, _| None);
        client.apply(&[write(9, b"third")]).unwrap();
        statuses.push(status(&mut client));
        drop(client);
        let current = kept();
        let updated = answer.lock().unwrap().clone();
        Self {
            world,
            signed,
            recorded: Recorded { statuses, updated },
            states,
            current,
        }
    }

    /// Replaces the state file by this state, and makes the server tell this lie.
    fn restore(&self, state: &[u8], lie: Lie) {
        std::fs::write(self.world.path(), state).unwrap();
        let recorded = self.recorded.clone();
        let lie = move |request: &Request, _: &Local| lie(request, &recorded).map(Ok);
        self.signed.watch(&self.world.wire, lie);
    }

    fn all_states(&self) -> impl Iterator<Item = &[u8]> {
        let before = self.states.iter().map(|(_, state)| state.as_slice());
        before.chain([self.current.as_slice()])
    }
}

/// Returns the error of opening a state file with these contents.
fn refusal(world: &World, state: &[u8]) -> StateError {
    std::fs::write(world.path(), state).unwrap();
    match FileClient::open(&world.path(), world.owner.clone(), world.wire.clone()) {
        Err(ClientError::State(error)) => error,
        other => panic!("{:?}", other.map(|client| client.version())),
    }
}

/// Appends the checksum, which needs no key.
fn checked(sealed: &[u8]) -> Vec<u8> {
    [sealed, Sha256::digest(sealed).as_slice()].concat()
}

#[track_caller]
fn assert_damaged(world: &World, state: &[u8]) {
    let error = refusal(world, state);
    assert!(matches!(error, StateError::Damaged), "{error:?}");
}

#[track_caller]
fn assert_not_authentic(world: &World, state: &[u8]) {
    let error = refusal(world, state);
    assert!(matches!(error, StateError::NotAuthentic), "{error:?}");
}

/// Asserts that a state whose checksum an attacker has corrected is refused.
fn assert_refused(world: &World, sealed: &[u8], what: &str) {
    let error = refusal(world, &checked(sealed));
    let is_expected = matches!(
        error,
        StateError::NotAuthentic
            | StateError::Malformed(_)
            | StateError::WrongOwner
            | StateError::Damaged
    );
    assert!(is_expected, "{what}: {error:?}");
}

#[test]
fn a_changed_state_is_refused_and_no_server_is_asked() {
    let history = History::new();
    let world = &history.world;
    world
        .wire
        .meddle(|request, _| panic!("a request: {request:?}"));
    for (number, good) in history.all_states().enumerate() {
        let (sealed, _) = good.split_at(good.len() - HASH);
        let message = sealed.len() - HASH;
        for place in 0..good.len() {
            let mut bad = good.to_vec();
            bad[place] ^= 1 << (place % 8);
            if number == 0 || place % 5 == 0 {
                assert_damaged(world, &bad);
            }
            if place < message {
                assert_refused(world, &bad[..sealed.len()], "a flipped bit");
            } else if place < sealed.len() {
                assert_not_authentic(world, &checked(&bad[..sealed.len()]));
            }
        }
        // Each length of some states.
        let step = if number % 4 == 0 { 1 } else { 7 };
        for length in (0..good.len()).step_by(step) {
            assert_damaged(world, &good[..length]);
            if length < sealed.len() {
                assert_refused(world, &sealed[..length], "cut");
            }
        }
        for added in 1..=2 * HASH {
            let mut longer = sealed.to_vec();
            longer.resize(sealed.len() + added, 0);
            assert_refused(world, &longer, "extended");
        }
    }
}

#[test]
fn parts_of_authentic_states_make_no_authentic_state() {
    let history = History::new();
    let world = &history.world;
    let states: Vec<&[u8]> = history.all_states().collect();
    for (place, message) in states.iter().enumerate() {
        for (other, mac) in states.iter().enumerate() {
            let (message, _) = message.split_at(message.len() - 2 * HASH);
            let (sealed, _) = mac.split_at(mac.len() - HASH);
            let spliced = [message, &sealed[sealed.len() - HASH..]].concat();
            std::fs::write(world.path(), checked(&spliced)).unwrap();
            if place == other {
                drop(world.open());
            } else {
                assert_not_authentic(world, &checked(&spliced));
            }
        }
    }
    // An attacker knows the owner's public key, and can write everything except the MAC.
    let mut attacker = world.owner.clone();
    attacker.state_key = StateKey::derive(b"another secret");
    let path = world.directory.path().join("forged.state");
    let wire = world.wire.clone();
    drop(FileClient::create(&path, attacker, wire, Chunker::default()).unwrap());
    let forged = std::fs::read(path).unwrap();
    assert_not_authentic(world, &forged);
}

/// A lie of a server: its answer to a request, or `None` for an honest answer.
type Lie = fn(&Request, &Recorded) -> Option<Response>;

const LIES: [(&str, Lie); 7] = [
    ("none", |_, _| None),
    ("version 1", |request, recorded| {
        let is_asked = matches!(request, Request::Status { .. });
        is_asked.then(|| Response::State(recorded.statuses[0]))
    }),
    ("version 2", |request, recorded| {
        let is_asked = matches!(request, Request::Status { .. });
        is_asked.then(|| Response::State(recorded.statuses[1]))
    }),
    ("no such file", |_, _| {
        Some(Response::Refused(Refusal::UnknownFile))
    }),
    ("an upload from the start", upload_again),
    ("updates refused", |request, _| {
        is_update(request).then_some(Response::Refused(Refusal::TagsInvalid))
    }),
    ("an old answer to updates", |request, recorded| {
        recorded.updated.clone().filter(|_| is_update(request))
    }),
];

/// Claims to have no part of the file, and accepts another upload of it.
fn upload_again(request: &Request, recorded: &Recorded) -> Option<Response> {
    let empty = FileStatus {
        version: 0,
        next_part: 0,
        ..recorded.statuses[0]
    };
    let status = match request {
        Request::Begin(_) | Request::Status { .. } => empty,
        Request::Part(part) => {
            let part: Part = part.claimed().unwrap();
            FileStatus {
                next_part: part.number + 1,
                ..empty
            }
        }
        Request::Finish(_) => recorded.statuses[0],
        _ => return None,
    };
    Some(Response::State(status))
}

/// The MAC does not reveal an older copy. The owner must sign only statements that it has signed
/// before, because the true server has all versions.
#[test]
fn an_older_state_and_a_lie_lead_to_no_other_statement() {
    let history = History::new();
    let (world, true_statements) = (&history.world, history.signed.all());
    let versions: Vec<u64> = true_statements
        .iter()
        .map(|statement| statement.1)
        .collect();
    assert_eq!(versions, [1, 2, 3]);
    for (name, state) in &history.states {
        for (what, lie) in LIES {
            history.restore(state, lie);
            let mut client = world.open();
            drop(client.status());
            drop(upload(&mut client, &source()));
            // An honest server lets the owner of the newest copy go on.
            if (*name, what) != ("refused update of version 2", "none") {
                drop(client.apply(&[write(7, b"another")]));
            }
            drop(client.status());
            assert_eq!(history.signed.all(), true_statements, "{name}: {what}");
        }
    }
    // Once the end of the upload is signed, no other source has an end.
    let (_, state) = &history.states[2];
    for (what, lie) in LIES {
        history.restore(state, lie);
        for other in [contents(499), contents(501), vec![0; 500]] {
            let uploaded = upload(&mut world.open(), &other);
            assert!(uploaded.is_err(), "{what}");
        }
        assert_eq!(history.signed.all(), true_statements, "{what}");
    }
    // The server has lost nothing.
    world.wire.be_honest();
    std::fs::write(world.path(), &history.current).unwrap();
    let mut client = world.open();
    assert_eq!(status(&mut client), history.recorded.statuses[2]);
    let mut expected = source();
    expected[5..11].copy_from_slice(b"second");
    expected[9..14].copy_from_slice(b"third");
    check(&mut client, &expected);
}

/// The state of another file of the owner is authentic. Commands act on that file, and sign no
/// statement about this one.
#[test]
fn the_state_of_another_file_is_of_that_file() {
    let history = History::new();
    let world = &history.world;
    let path = world.directory.path().join("other.state");
    let chunker = Chunker::fixed(64).unwrap();
    let (owner, wire) = (world.owner.clone(), world.wire.clone());
    let mut client = FileClient::create(&path, owner, wire, chunker).unwrap();
    upload(&mut client, b"other").unwrap();
    let other = client.file();
    drop(client);
    let statements = history.signed.all();
    std::fs::copy(&path, world.path()).unwrap();
    let mut client = world.open();
    assert_eq!(client.file(), other);
    assert_eq!(status(&mut client).version, 1);
    assert_eq!(client.read(0..5).unwrap(), b"other");
    assert_eq!(history.signed.all(), statements);
}
