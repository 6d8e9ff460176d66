//! Proofs for many keys and for ranges: comparison with the oracle, and attacks.

mod attacks;
mod effort;
mod range_attacks;
mod sizes;

use pad_conformance::{
    Action, Random, TuplePad,
    operation::{key, value},
    pad::{Refusal, verify},
    repository::{TraceRun, play},
    soak, traces,
    tuple::{TestSecret, expectation},
};
use pad_core::{
    Answer, DecodeError, Dictionary, Key, KeyRange, Keys, LookupError, Proof, Repository,
    Sha256Ed25519, Untrusted, VerifyError, Version,
    codec::{self, Message},
};
use pad_tuple::{
    Expectation, ManyProof, RangeProof,
    internals::{AggregateDesign, Design},
};

type Suite = Sha256Ed25519;

/// An honest proof that the server changes before sending.
struct Attack<P: Proof<Commitment: Sized, Query: Sized>> {
    honest: P,
    trusted: P::Commitment,
    asked: P::Query,
}

impl<P> Attack<P>
where
    P: Proof<Commitment: Sized, Query: Sized, Error = VerifyError, Statement: core::fmt::Debug>
        + Message
        + Clone,
{
    fn refusal(&self, change: impl FnOnce(&mut P)) -> VerifyError {
        let mut proof = self.honest.clone();
        change(&mut proof);
        let changed = codec::encode(&proof) != codec::encode(&self.honest);
        assert!(changed, "something changed");
        let verified = Untrusted::new(proof).verify(&self.trusted, &self.asked);
        verified.expect_err("a changed proof")
    }
}

/// Returns the expected refusal of missing tuples: a wrong sum of BLS signatures, which hides their
/// number, or a wrong number of other signatures.
fn count_or_sum<D: Design<Suite>>() -> VerifyError {
    if D::NAME.ends_with("bls") {
        VerifyError::SignatureInvalid
    } else {
        VerifyError::CountMismatch
    }
}

/// Returns operations that create every kind of tuple: old values, overridden values, tombstones,
/// several epochs.
fn trace() -> Vec<Action> {
    let mut actions = Vec::new();
    for byte in 0..12_u8 {
        actions.push(Action::Put(key([byte * 20]), value([byte])));
    }
    actions.push(Action::Snapshot);
    for round in 0..3_u8 {
        actions.push(Action::Put(key([round * 40]), value([round, 1])));
        actions.push(Action::Put(key([round * 40 + 1]), value([round, 2])));
        actions.push(Action::Remove(key([round * 40 + 20])));
        actions.push(Action::Snapshot);
    }
    actions
}

fn keys(chosen: impl IntoIterator<Item = Key>) -> Keys {
    Keys::new(chosen.into_iter().collect()).unwrap()
}

fn single(bytes: &[u8]) -> Keys {
    keys(bytes.iter().map(|byte| key([*byte])))
}

fn check_many<D>(played: &TraceRun<TuplePad<Suite, D>>, version: Version, asked: &Keys)
where
    D: Design<Suite, Secret: TestSecret> + AggregateDesign<Suite>,
{
    let expected = played.oracle.at(version);
    let proof = played.server.prove_keys(version, asked).unwrap();
    let trusted = expectation::<Suite, D>(played.author.authority(), version);
    let bytes = codec::encode(&proof);
    let lookups = verify::<ManyProof<Suite, D>>(&bytes, &trusted, asked).unwrap();
    assert_eq!(lookups.version, version);
    let answered: Vec<&Key> = lookups.answers.iter().map(|(key, _)| key).collect();
    assert_eq!(answered, asked.as_slice().iter().collect::<Vec<_>>());
    for (key, answer) in &lookups.answers {
        assert_eq!(answer.value(), expected.get(key), "{key} in {version}");
    }
}

fn check_range<D>(played: &TraceRun<TuplePad<Suite, D>>, version: Version, range: &KeyRange)
where
    D: Design<Suite, Secret: TestSecret> + AggregateDesign<Suite>,
{
    let inside = |key: &Key| {
        range.start.as_ref().is_none_or(|start| key >= start)
            && range.end.as_ref().is_none_or(|end| key < end)
    };
    let mut expected: Vec<_> = played.oracle.at(version).clone().into_iter().collect();
    expected.retain(|(key, _)| inside(key));
    let proof = played.server.prove_range(version, range).unwrap();
    let trusted = expectation::<Suite, D>(played.author.authority(), version);
    let bytes = codec::encode(&proof);
    let contents = verify::<RangeProof<Suite, D>>(&bytes, &trusted, range).unwrap();
    assert_eq!((contents.version, &contents.range), (version, range));
    assert_eq!(contents.entries, expected, "{range:?} in {version}");
}

/// Checks all interesting keys, and some random subsets of them, at every version.
fn check_trace<D>(actions: &[Action])
where
    D: Design<Suite, Secret: TestSecret> + AggregateDesign<Suite>,
{
    let played = play::<TuplePad<Suite, D>>(actions);
    let all: Vec<Key> = played.oracle.interesting_keys().into_iter().collect();
    let mut random = Random::new(traces::seed());
    let mut pick = |count: u64| -> Vec<Key> {
        let keys = (0..count).map(|_| all[random.index(all.len())].clone());
        keys.collect()
    };
    let subsets = [all.clone(), pick(1), pick(4), pick(12)];
    let mut ends: Vec<[Key; 2]> = (0..4)
        .map(|_| [pick(1).remove(0), pick(1).remove(0)])
        .collect();
    for pair in &mut ends {
        pair.sort();
    }
    for (version, _) in played.oracle.versions_from(Version::EMPTY) {
        for subset in &subsets {
            check_many(&played, version, &keys(subset.iter().cloned()));
        }
        check_range(&played, version, &KeyRange::ALL);
        for [start, end] in ends.iter().filter(|[start, end]| start < end) {
            let range = |start: Option<&Key>, end: Option<&Key>| KeyRange {
                start: start.cloned(),
                end: end.cloned(),
            };
            check_range(&played, version, &range(Some(start), Some(end)));
            check_range(&played, version, &range(Some(start), None));
            check_range(&played, version, &range(None, Some(end)));
        }
    }
    check_refusals(&played);
}

/// Checks queries that the server refuses.
fn check_refusals<D>(played: &TraceRun<TuplePad<Suite, D>>)
where
    D: Design<Suite, Secret: TestSecret> + AggregateDesign<Suite>,
{
    let (server, latest) = (&played.server, played.server.latest());
    let version = latest.next().unwrap();
    let unknown = LookupError::UnknownVersion { version, latest };
    let refused = server.prove_keys(version, &single(&[1])).err();
    assert_eq!(refused, Some(unknown));
    let refused = server.prove_range(version, &KeyRange::ALL).err();
    assert_eq!(refused, Some(unknown));
    let empty = KeyRange {
        start: Some(key([5])),
        end: Some(key([5])),
    };
    let refused = server.prove_range(latest, &empty).err();
    assert_eq!(refused, Some(LookupError::InvalidQuery));
}

/// Flips bits of bytes, truncates the message everywhere, and appends a byte.
fn check_bytes<P: Proof<Error = VerifyError> + Message>(
    honest: &P,
    commitment: &P::Commitment,
    query: &P::Query,
) where
    P::Statement: core::fmt::Debug,
{
    let bytes = codec::encode(honest);
    assert!(verify::<P>(&bytes, commitment, query).is_ok());
    for position in (0..bytes.len()).step_by(soak::size(5, 1)) {
        for flip in [1 << (position % 8), 0x80, 0xff] {
            let mut flipped = bytes.clone();
            flipped[position] ^= flip;
            let verdict = verify::<P>(&flipped, commitment, query);
            assert!(verdict.is_err(), "{position} ^ {flip:#x}: {verdict:?}");
        }
        let cut = verify::<P>(&bytes[..position], commitment, query).err();
        assert_eq!(cut, Some(Refusal::Decode(DecodeError::Malformed)));
    }
    let mut longer = bytes;
    longer.push(0);
    let refused = verify::<P>(&longer, commitment, query).err();
    assert_eq!(refused, Some(Refusal::Decode(DecodeError::TrailingBytes)));
}

/// The trace's repository, and a client's expectation of its latest version.
fn fixture<D>() -> (TraceRun<TuplePad<Suite, D>>, Expectation<D::Key>)
where
    D: Design<Suite, Secret: TestSecret>,
{
    let played = play::<TuplePad<Suite, D>>(&trace());
    let trusted = expectation::<Suite, D>(played.author.authority(), played.oracle.latest());
    (played, trusted)
}

/// The trace's repository one version earlier, to make old proofs.
fn one_version_earlier<D>() -> TraceRun<TuplePad<Suite, D>>
where
    D: Design<Suite, Secret: TestSecret>,
{
    let mut actions = trace();
    actions.pop();
    let is_snapshot = |action: &Action| *action == Action::Snapshot;
    let end = actions.iter().rposition(is_snapshot);
    actions.truncate(end.unwrap() + 1);
    play(&actions)
}

macro_rules! many {
    ($name:ident, $($design:tt)+) => {
        mod $name {
            use super::*;

            type Design = $($design)+;

            #[test]
            fn every_answer_matches_the_oracle_at_every_version() {
                let name = concat!(stringify!($name), "::many");
                traces::check_traces(name, 9, 30, check_trace::<Design>);
            }

            #[test]
            fn hostile_bytes_are_refused() {
                let (played, trusted) = fixture::<Design>();
                let asked = single(&[0, 1, 5, 20, 41, 255]);
                let proof = played.server.prove_keys(trusted.version, &asked).unwrap();
                check_bytes(&proof, &trusted, &asked);
                let range = KeyRange { start: Some(key([10])), end: Some(key([61])) };
                let proof = played.server.prove_range(trusted.version, &range).unwrap();
                check_bytes(&proof, &trusted, &range);
            }

            #[test]
            fn every_cheat_for_many_keys_has_its_own_refusal() {
                attacks::check::<Design>();
            }

            #[test]
            fn every_cheat_for_a_range_has_its_own_refusal() {
                range_attacks::check::<Design>();
            }
        }
    };
}

many!(base, pad_tuple::designs::Base);
many!(base_superseding, pad_tuple::designs::BaseSuperseding);
many!(base_lightweight, pad_tuple::designs::BaseLightweight);
many!(spec, pad_tuple::designs::Spec);
many!(spec_superseding, pad_tuple::designs::SpecSuperseding);
many!(spec_lightweight, pad_tuple::designs::SpecLightweight);
many!(spec_lightweight_3, pad_tuple::designs::SpecLightweight3);
many!(base_superseding_bls, pad_tuple::designs::BaseSupersedingBls);
many!(spec_lightweight_bls, pad_tuple::designs::SpecLightweightBls);

/// Only the proof of the empty version may lack a signature.
#[test]
fn the_proof_without_signatures_is_of_version_0_only() {
    type Design = pad_tuple::designs::SpecLightweight;
    let (played, latest) = fixture::<Design>();
    let trusted = Expectation {
        version: Version::EMPTY,
        ..latest
    };
    let asked = single(&[1, 2]);
    let empty = played.server.prove_keys(Version::EMPTY, &asked).unwrap();
    let verified = Untrusted::new(empty.clone()).verify(&trusted, &asked);
    let mut answers = verified.unwrap().into_inner().answers.into_iter();
    assert!(answers.all(|(_, answer)| answer == Answer::Absent));
    let (expected, actual) = (latest.version, Version::EMPTY);
    let other = VerifyError::WrongVersion { expected, actual };
    let refused = Untrusted::new(empty.clone()).verify(&latest, &asked);
    assert_eq!(refused, Err(other));
    let full = played.server.prove_keys(latest.version, &asked).unwrap();
    let refuse =
        |proof: ManyProof<Suite, Design>| Untrusted::new(proof).verify(&trusted, &asked).err();
    let epochs = ManyProof {
        epochs: vec![0],
        ..empty.clone()
    };
    assert_eq!(refuse(epochs), Some(VerifyError::EpochCountMismatch));
    let parts = ManyProof {
        parts: full.parts,
        ..empty
    };
    assert_eq!(refuse(parts), Some(VerifyError::GenerationSurplus));
    let all = KeyRange::ALL;
    let empty = played.server.prove_range(Version::EMPTY, &all).unwrap();
    let refused = Untrusted::new(empty.clone()).verify(&latest, &all);
    assert_eq!(refused, Err(other));
    assert!(Untrusted::new(empty).verify(&trusted, &all).is_ok());
}
