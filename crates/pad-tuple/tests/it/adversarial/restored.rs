//! Checkpoints written by an attacker. Restoring refuses them, or gives a repository whose
//! operations all terminate, with any result.

use pad_core::{HeadLog, KeyRange, Keys, LookupError, Value};
use pad_tuple::internals::{AggregateDesign, TupleCheckpoint};
use serde::{Deserialize, Serialize};

use super::*;

/// An index in a checkpoint: the oldest instant, and the changes at each instant.
type Index = (Version, Vec<Vec<(Key, Option<u32>)>>);

/// The encoded fields of a checkpoint.
#[derive(Serialize, Deserialize)]
struct CheckpointFields {
    heads: HeadLog<S>,
    indexes: Vec<Index>,
    values: Vec<Value>,
    tuples: Vec<Option<(Option<Key>, Content)>>,
    retired: Vec<(Version, u32)>,
    records: Vec<u8>,
    epochs: Vec<u64>,
    entries: u64,
    operations: u64,
    oldest: Version,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum Content {
    Nothing,
    Value(u32),
    Removed,
}

fn actions() -> Vec<Action> {
    let puts = (0..12).map(|number| Action::Put(key([number * 10]), value([number])));
    let mut actions: Vec<Action> = puts.collect();
    actions.push(Action::Snapshot);
    for round in 0..9_u8 {
        actions.push(Action::Put(key([round * 13]), value([round, 1])));
        actions.push(Action::Remove(key([round * 10])));
        actions.push(Action::Snapshot);
    }
    actions
}

type NextUpdates<D> = Vec<Update<S, TupleAttachment<<D as Design<S>>::Extension>>>;

/// A server of six versions, pruned if `pruned`, and the next updates.
fn served<D: Design<S, Secret: TestSecret>>(
    pruned: bool,
) -> (TupleRepository<S, D>, NextUpdates<D>) {
    let played = pad_conformance::repository::play::<TuplePad<S, D>>(&actions());
    let trusted = expectation::<S, D>(played.author.authority(), Version::EMPTY);
    let mut server = TupleRepository::new(trusted.authority, trusted.key);
    let (first, next) = played.updates.split_at(6);
    for update in first {
        server.apply(update).unwrap();
    }
    if pruned {
        server.prune(Version::new(3)).unwrap();
    }
    (server, next.to_vec())
}

fn restore<D: Design<S, Secret: TestSecret>>(
    server: &TupleRepository<S, D>,
    body: &[u8],
) -> Option<TupleRepository<S, D>> {
    let checkpoint: TupleCheckpoint<S> = codec::decode_body(body).ok()?;
    TupleRepository::restore(checkpoint, *server.authority(), server.key().clone())
}

/// Asserts that an answer about an existing version has no error except damage.
fn answered<T>(answer: &Result<T, LookupError>, version: Version) {
    if let Err(error) = answer {
        assert_eq!(*error, LookupError::Damaged { version });
    }
}

fn ask<D: AggregateDesign<S>>(server: &TupleRepository<S, D>) {
    for version in server.oldest().number()..=server.latest().number() {
        let version = Version::new(version);
        for byte in [0, 5, 13, 40, 110, 255] {
            answered(&server.prove(version, &key([byte])), version);
            answered(&server.lookup(version, &key([byte])), version);
        }
        answered(&server.prove(version, &Key::default()), version);
        let keys = Keys::new(vec![key([3]), key([40]), key([77])]).unwrap();
        answered(&server.prove_keys(version, &keys), version);
        answered(&server.prove_range(version, &KeyRange::ALL), version);
        answered(&server.entries(version), version);
    }
    let _ = server.memory_bytes();
}

fn exercise<D: AggregateDesign<S> + Design<S, Secret: TestSecret>>(
    mut server: TupleRepository<S, D>,
    next: &NextUpdates<D>,
) {
    ask(&server);
    let mut pruned = server.clone();
    for update in next {
        let _ = server.apply(update);
    }
    ask(&server);
    for oldest in [5, 6] {
        let _ = pruned.prune(Version::new(oldest));
        ask(&pruned);
    }
    for update in next {
        let _ = pruned.apply(update);
    }
    ask(&pruned);
    let secret = D::Secret::numbered(AUTHOR);
    if let Ok(mut author) = TupleAuthor::<S, D, _>::resume(&pruned, signing_key(AUTHOR), secret) {
        author.put(key([1]), value("next"));
        let _ = author.snapshot();
    }
}

fn check_spoiled<D: AggregateDesign<S> + Design<S, Secret: TestSecret>>(tries: u64) {
    let (mut refused, mut taken) = (0, 0);
    for pruned in [false, true] {
        let (server, next) = served::<D>(pruned);
        let honest = codec::encode_body(&server.checkpoint());
        let mut restored = restore(&server, &honest).expect("an honest checkpoint fits");
        for update in &next {
            restored.apply(update).unwrap();
        }
        for seed in 0..tries {
            let mut random = Random::new(seed);
            let mut spoiled = honest.clone();
            for _ in 0..=random.below(2) {
                let place = random.index(spoiled.len());
                let byte = &mut spoiled[place];
                *byte = match random.below(4) {
                    0 => byte.wrapping_add(1),
                    1 => byte.wrapping_sub(1),
                    2 => u8::try_from(random.below(251)).unwrap(),
                    _ => *byte ^ (1 << random.below(8)),
                };
            }
            match restore(&server, &spoiled) {
                None => refused += 1,
                Some(restored) => {
                    taken += 1;
                    exercise(restored, &next);
                }
            }
        }
    }
    assert!(refused > 0 && taken > tries / 50, "{refused} {taken}");
}

#[test]
fn spoiled_checkpoints_are_refused_or_harmless() {
    let tries = pad_conformance::soak::size(40, 400);
    check_spoiled::<Base>(tries);
    check_spoiled::<BaseSuperseding>(tries);
    check_spoiled::<SpecLightweight>(tries);
    check_spoiled::<SpecLightweight3>(tries);
}

/// Asserts that an author that resumes from a changed checkpoint signs the unchanged head, or
/// nothing.
///
/// At this version the heads contain a digest of the history; every other try changes the heads.
fn check_resumed<D: Design<S, Secret: TestSecret>>(tries: u64) {
    let played = pad_conformance::repository::play::<TuplePad<S, D>>(&actions());
    let trusted = expectation::<S, D>(played.author.authority(), Version::EMPTY);
    let mut server = TupleRepository::<S, D>::new(trusted.authority, trusted.key);
    for update in &played.updates[..8] {
        server.apply(update).unwrap();
    }
    let sign = |server: &TupleRepository<S, D>| {
        let secret = D::Secret::numbered(AUTHOR);
        let author = TupleAuthor::<S, D, _>::resume(server, signing_key(AUTHOR), secret);
        author.and_then(|mut author| {
            author.put(key([1]), value("next"));
            author.snapshot()
        })
    };
    let honest = sign(&server).unwrap();
    let body = codec::encode_body(&server.checkpoint());
    let heads = codec::encode_body(server.heads()).len();
    let (mut refused, mut signed) = (0, 0);
    for seed in 0.. {
        let mut random = Random::new(seed);
        let mut spoiled = body.clone();
        let length = if seed % 2 == 0 { heads } else { body.len() };
        let place = random.index(length);
        spoiled[place] = spoiled[place].wrapping_add([1, 255][usize::from(seed % 4 < 2)]);
        let Some(restored) = restore(&server, &spoiled) else {
            refused += u64::from(seed % 2 == 0);
            continue;
        };
        match sign(&restored) {
            // The number of operations decides into which generation a version merges. Any choice
            // is valid.
            Ok(update) if update.attachment.merged != honest.attachment.merged => {}
            Ok(update) => {
                assert_eq!(update.operations, honest.operations);
                assert_eq!(update.head.head, honest.head.head, "byte {place}");
                signed += 1;
            }
            Err(_) => refused += 1,
        }
        if refused + signed >= tries {
            break;
        }
    }
    assert!(refused > 0, "{signed}");
}

macro_rules! resumed {
    (base_superseding_bls, $($design:tt)+) => { resumed!(@ base_superseding_bls, 5, $($design)+); };
    (spec_lightweight_bls, $($design:tt)+) => { resumed!(@ spec_lightweight_bls, 5, $($design)+); };
    (@ $name:ident, $tries:expr, $($design:tt)+) => {
        mod $name {
            #[test]
            fn an_author_signs_nothing_of_a_checkpoint_that_others_have_changed() {
                super::check_resumed::<$($design)+>($tries * pad_conformance::soak::size(1, 10));
            }
        }
    };
    ($name:ident, $($design:tt)+) => { resumed!(@ $name, 30, $($design)+); };
}

pad_tuple::for_each_tuple!(resumed);

macro_rules! resumed_accumulated {
    ($name:ident, $($design:tt)+) => {
        resumed!(@ $name, pad_conformance::soak::size(20, 60), $($design)+);
    };
}

pad_tuple::for_each_accumulated_tuple!(resumed_accumulated);

/// Restores a checkpoint of `Spec` with one thing changed.
fn restored(change: impl FnOnce(&mut CheckpointFields)) -> Option<TupleRepository<S, Spec>> {
    let (server, _) = served::<Spec>(false);
    let body = codec::encode_body(&server.checkpoint());
    let mut stored: CheckpointFields = codec::decode_body(&body).unwrap();
    change(&mut stored);
    restore(&server, &codec::encode_body(&stored))
}

#[test]
fn what_does_not_fit_together_is_refused() {
    assert!(restored(|_| {}).is_some());
    let refusals: [&dyn Fn(&mut CheckpointFields); 11] = [
        // The next removal would count below zero.
        &|stored| stored.entries = 0,
        &|stored| stored.entries += 1,
        // A live tuple would be dropped with the retired ones.
        &|stored| stored.retired.push((Version::new(6), 0)),
        &|stored| {
            let live = (0..).zip(&stored.tuples);
            let retired: Vec<u32> = stored.retired.iter().map(|(_, number)| *number).collect();
            let live = live.filter(|(number, tuple)| tuple.is_some() && !retired.contains(number));
            let (number, _) = live.last().unwrap();
            stored.retired.push((Version::new(6), number));
        },
        // Numbers without a tuple would make side tables grow to them.
        &|stored| stored.retired.push((Version::new(1), u32::MAX)),
        &|stored| stored.tuples.clear(),
        &|stored| stored.tuples.reverse(),
        &|stored| stored.values.clear(),
        &|stored| stored.epochs.push(0),
        &|stored| stored.oldest = Version::new(7),
        &|stored| drop(stored.indexes.pop()),
    ];
    for (number, change) in refusals.into_iter().enumerate() {
        assert!(restored(change).is_none(), "{number}");
    }
}

/// Refuses a value that many keys share, because it would be sent once for each key.
#[test]
fn values_of_several_keys_are_refused() {
    let shared = restored(|stored| {
        for (_, content) in stored.tuples.iter_mut().flatten() {
            if matches!(content, Content::Value(_)) {
                *content = Content::Value(0);
            }
        }
        stored.values.truncate(1);
    });
    assert!(shared.is_none());
}

/// Refuses a range over intervals that are not adjacent. Without this check, building the proof
/// would not terminate.
#[test]
fn tuples_that_lead_back_are_damaged() {
    let server = restored(|stored| {
        for (upper, _) in stored.tuples.iter_mut().flatten() {
            *upper = Some(key([0]));
        }
    });
    let server = server.expect("only ranges follow upper ends");
    let version = Version::new(6);
    let damaged = Some(LookupError::Damaged { version });
    assert_eq!(server.prove_range(version, &KeyRange::ALL).err(), damaged);
}

/// A checkpoint that lacks a tuple of old versions must be restored. Queries about these versions
/// must then fail as damaged.
#[test]
fn missing_tuples_are_damaged() {
    let server = restored(|stored| {
        let (_, gone) = stored.retired.remove(0);
        stored.tuples[usize::try_from(gone).unwrap()] = None;
    });
    let server = server.expect("old versions are not read");
    ask(&server);
    let damaged = (1..6).map(Version::new).filter(|version| {
        let lookup = server.entries(*version).err();
        lookup == Some(LookupError::Damaged { version: *version })
    });
    assert!(damaged.count() > 0);
}
