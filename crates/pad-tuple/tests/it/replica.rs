//! Replicas under concurrent reads and writes, and replicas that fail.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use conformance::{
    Action, Random, TuplePad,
    operation::{key, value},
    repository::{Played, play},
    tuple::expectation,
};
use pad_core::{
    ApplyError, Dictionary, Key, LookupError, Repository, Sha256Ed25519, SignedHead, Untrusted,
    Update, Version, codec,
};
use pad_tree::{KeyRange, Keys};
use pad_tuple::{
    TupleRepository, designs,
    replica::{Dropped, ReplicaFailure, Replicated},
};

type Suite = Sha256Ed25519;
type Spec = designs::SpecLightweight;
type Server = TupleRepository<Suite, Spec>;
type Attachment = <Server as Repository>::Attachment;

fn trace(snapshots: u8) -> Vec<Action> {
    let mut actions: Vec<Action> = (0..30)
        .map(|number| Action::Put(key([number]), value([number])))
        .collect();
    for round in 0..snapshots {
        actions.push(Action::Snapshot);
        actions.push(Action::Put(key([round % 40]), value([round, 1])));
        actions.push(Action::Remove(key([round % 30 + 1])));
    }
    actions
}

fn played(snapshots: u8) -> Played<TuplePad<Suite, Spec>> {
    play(&trace(snapshots))
}

fn empty(played: &Played<TuplePad<Suite, Spec>>) -> Server {
    TupleRepository::new(played.author.authority(), ())
}

/// Look-ups, look-ups of many keys and ranges while updates come in: every answer is proved and right.
#[test]
fn readers_never_see_a_wrong_answer_while_the_writer_applies() {
    let played = played(40);
    let replicas = Replicated::new((0..3).map(|_| empty(&played))).unwrap();
    let latest = played.oracle.latest();
    let answered = AtomicUsize::new(0);
    thread::scope(|scope| {
        for seed in 0..4 {
            let (replicas, played, answered) = (&replicas, &played, &answered);
            scope.spawn(move || {
                let mut random = Random::new(seed);
                loop {
                    let newest = replicas.latest();
                    let version = Version::new(random.below(newest.number() + 1));
                    for version in [version, newest] {
                        let asked = key([u8::try_from(random.below(50)).unwrap()]);
                        check_one(replicas, played, version, &asked);
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                    if newest == latest {
                        break;
                    }
                }
            });
        }
        for update in &played.updates {
            let published = replicas.publish(update).unwrap();
            assert_eq!(published.version, update.head.head.version);
            assert!(published.dropped.is_empty());
        }
    });
    println!(
        "{} answers while {} updates came in",
        answered.into_inner(),
        played.updates.len()
    );
    assert!(replicas.dropped().is_empty());
}

fn check_one(
    replicas: &Replicated<Server>,
    played: &Played<TuplePad<Suite, Spec>>,
    version: Version,
    asked: &Key,
) {
    let contents = played.oracle.at(version);
    let trusted = expectation::<Suite, Spec>(played.author.authority(), version);
    let proof = replicas.prove(version, asked).unwrap();
    let lookup = Untrusted::new(proof).verify(&trusted, asked).unwrap();
    assert_eq!(lookup.get().answer.value(), contents.get(asked));
    let keys = Keys::new(vec![asked.clone(), key([7]), key([45])]).unwrap();
    let proof = replicas
        .ask(version, |server| server.prove_keys(version, &keys))
        .unwrap();
    let lookups = Untrusted::new(proof).verify(&trusted, &keys).unwrap();
    for (key, answer) in &lookups.get().answers {
        assert_eq!(answer.value(), contents.get(key));
    }
    let range = KeyRange {
        start: Some(asked.clone()),
        end: None,
    };
    let proof = replicas
        .ask(version, |server| server.prove_range(version, &range))
        .unwrap();
    let found = Untrusted::new(proof).verify(&trusted, &range).unwrap();
    let expected = contents.range(asked.clone()..);
    assert!(
        found
            .get()
            .entries
            .iter()
            .map(|(key, value)| (key, value))
            .eq(expected)
    );
}

#[test]
fn replicas_take_turns_and_a_lagging_one_is_passed_over() {
    let played = played(5);
    let mut lagging = empty(&played);
    lagging.apply(&played.updates[0]).unwrap();
    let replicas = Replicated::new([lagging, played.server.clone()]).unwrap();
    let latest = played.oracle.latest();
    assert_eq!(replicas.latest(), latest);
    for _ in 0..4 {
        let proofs = [
            replicas.prove(latest, &key([3])).unwrap(),
            played.server.prove(latest, &key([3])).unwrap(),
        ];
        let [one, other] = proofs.map(|proof| codec::encode(&proof));
        assert_eq!(one, other);
    }
    let old = Version::new(1);
    let seen: Vec<Version> = (0..4)
        .map(|_| replicas.ask(old, |server| Ok(server.latest())).unwrap())
        .collect();
    assert_eq!(seen, [old, latest, old, latest], "reads are spread in turn");
    let next = latest.next().unwrap();
    let refused = replicas.prove(next, &key([3])).err();
    assert!(
        matches!(refused, Some(LookupError::UnknownVersion { version, .. }) if version == next)
    );
    let invalid = KeyRange {
        start: Some(key([1])),
        end: Some(key([1])),
    };
    let refused = replicas.ask(latest, |server| server.prove_range(latest, &invalid));
    assert!(matches!(
        refused.err(),
        Some(LookupError::InvalidQuery | LookupError::UnknownVersion { .. })
    ));
}

/// A replica that refuses an update from some version on, or panics on it.
#[derive(Clone)]
struct Faulty {
    server: Server,
    refuses_after: Option<Version>,
    panics_after: Option<Version>,
}

impl Repository for Faulty {
    type Suite = Suite;
    type Attachment = Attachment;
    type Query = Key;
    type Proof = <Server as Repository>::Proof;

    fn latest(&self) -> Version {
        self.server.latest()
    }

    fn oldest(&self) -> Version {
        self.server.oldest()
    }

    fn apply(&mut self, update: &Update<Suite, Attachment>) -> Result<Version, ApplyError> {
        assert!(self.panics_after != Some(self.latest()), "a planned panic");
        if self.refuses_after == Some(self.latest()) {
            return Err(ApplyError::RootMismatch);
        }
        self.server.apply(update)
    }

    fn head(&self, version: Version) -> Result<SignedHead<Suite>, LookupError> {
        self.server.head(version)
    }

    fn prove(&self, version: Version, key: &Key) -> Result<Self::Proof, LookupError> {
        self.server.prove(version, key)
    }
}

fn replica(played: &Played<TuplePad<Suite, Spec>>) -> Faulty {
    Faulty {
        server: empty(played),
        refuses_after: None,
        panics_after: None,
    }
}

#[test]
fn a_replica_that_refuses_alone_is_dropped_and_a_bad_update_drops_none() {
    let played = played(6);
    let faulty = Faulty {
        refuses_after: Some(Version::new(2)),
        ..replica(&played)
    };
    let replicas = Replicated::new([replica(&played), faulty, replica(&played)]).unwrap();
    let dropped = Dropped {
        replica: 1,
        failure: ReplicaFailure::Refused(ApplyError::RootMismatch),
    };
    for (number, update) in played.updates.iter().enumerate() {
        let mut bad = update.clone();
        bad.operations.clear();
        bad.head = played.updates[0].head;
        assert!(replicas.publish(&bad).is_err(), "all refuse it");
        let published = replicas.publish(update).unwrap();
        let expected = if number == 2 {
            vec![dropped]
        } else {
            Vec::new()
        };
        assert_eq!(published.dropped, expected);
    }
    assert_eq!(replicas.dropped(), [dropped]);
    for _ in 0..3 {
        assert!(replicas.prove(played.oracle.latest(), &key([3])).is_ok());
    }
}

/// An old update is taken by the one that lacks it, and the others stay in service.
#[test]
fn a_lagging_replica_catches_up_and_drops_nobody() {
    let played = played(6);
    let mut lagging = empty(&played);
    let mut healthy = empty(&played);
    for (number, update) in played.updates.iter().enumerate() {
        if number < 1 {
            lagging.apply(update).unwrap();
        }
        if number < 4 {
            healthy.apply(update).unwrap();
        }
    }
    let replicas = Replicated::new([lagging, healthy.clone(), healthy]).unwrap();
    assert_eq!(replicas.lagging(), [(0, Version::new(1))]);
    // The next update: two take it, and the one that lags is left alone.
    let published = replicas.publish(&played.updates[4]).unwrap();
    assert_eq!(published.dropped, []);
    assert_eq!(published.lagging, [(0, Version::new(1))]);
    // What it lacks, again: an old update for the others.
    for update in &played.updates[1..5] {
        let published = replicas.publish(update).unwrap();
        assert_eq!(published.version, update.head.head.version);
        assert_eq!(published.dropped, []);
    }
    assert_eq!(replicas.lagging(), []);
    let published = replicas.publish(&played.updates[5]).unwrap();
    assert_eq!((published.dropped, published.lagging), (vec![], vec![]));
    assert_eq!(replicas.dropped(), []);
    let latest = played.oracle.latest();
    for _ in 0..3 {
        assert_eq!(
            replicas.ask(latest, |server| Ok(server.latest())).unwrap(),
            latest
        );
    }
    // To all of them it is old, and none is dropped.
    let gap = ApplyError::VersionGap {
        expected: latest,
        actual: Version::new(2),
    };
    assert_eq!(replicas.publish(&played.updates[2]), Err(gap));
    assert_eq!(replicas.dropped(), []);
}

/// A genuine update of another fork is no way to lead a lagging replica astray.
#[test]
fn a_lagging_replica_takes_no_other_fork() {
    let played = played(4);
    let mut forked = trace(2);
    forked.push(Action::Put(key([9]), value("another fork")));
    forked.push(Action::Snapshot);
    let forked: Played<TuplePad<Suite, Spec>> = play(&forked);
    let mut lagging = empty(&played);
    for update in &played.updates[..2] {
        lagging.apply(update).unwrap();
    }
    let update = forked.updates.last().unwrap();
    assert!(lagging.clone().apply(update).is_ok(), "alone it would");
    let replicas = Replicated::new([lagging, played.server.clone()]).unwrap();
    assert_eq!(replicas.publish(update), Err(ApplyError::HistoryMismatch));
    assert_eq!(replicas.lagging(), [(0, Version::new(2))]);
    assert_eq!(replicas.dropped(), []);
    let published = replicas.publish(&played.updates[2]).unwrap();
    assert_eq!(published.version, Version::new(3));
}

#[test]
fn a_replica_that_panics_is_dropped() {
    let played = played(4);
    let faulty = Faulty {
        panics_after: Some(Version::new(1)),
        ..replica(&played)
    };
    let replicas = Replicated::new([replica(&played), faulty]).unwrap();
    replicas.publish(&played.updates[0]).unwrap();
    let panicked =
        thread::scope(|scope| scope.spawn(|| replicas.publish(&played.updates[1])).join());
    assert!(panicked.is_err());
    let dropped = Dropped {
        replica: 1,
        failure: ReplicaFailure::Panicked,
    };
    assert_eq!(replicas.dropped(), [dropped]);
    assert!(
        replicas.prove(Version::new(2), &key([3])).is_ok(),
        "the first had it already"
    );
    assert_eq!(
        replicas.publish(&played.updates[2]).unwrap().dropped,
        [dropped]
    );
    assert_eq!(replicas.publish(&played.updates[3]).unwrap().dropped, []);
    assert_eq!(replicas.latest(), played.oracle.latest());
}

#[test]
fn no_replicas_are_refused() {
    assert!(Replicated::<Server>::new([]).is_none());
}
