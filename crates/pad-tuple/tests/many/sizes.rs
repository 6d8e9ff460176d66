//! How large proofs for many keys are.

use std::time::{Duration, Instant};

use conformance::{
    Action, TuplePad,
    operation::{key, value},
    pad::{public_key, signing_key},
    repository::play,
    tuple::{TestSecret, expectation},
};
use ed25519_dalek::Signer as _;
use pad_core::{HeadSignature, Proof as _, Repository as _, codec};
use pad_tree::{KeyRange, Keys};
use pad_tuple::{AggregateDesign, Design, ManyProof, designs};

use crate::{Suite, keys};

fn hundred_of_a_thousand() -> (Vec<Action>, Keys) {
    let name = |number: u32| key(format!("key {number:05}"));
    let mut actions: Vec<Action> = (0..1000)
        .map(|number| Action::Put(name(number), value([7; 28])))
        .collect();
    actions.push(Action::Snapshot);
    (actions, keys((0..100).map(|number| name(number * 10))))
}

/// 100 present keys: one signature of 48 bytes more than the bare tuples.
#[test]
fn a_hundred_answers_have_one_bls_signature() {
    type Design = designs::BaseSupersedingBls;
    let (actions, asked) = hundred_of_a_thousand();
    let played = play::<TuplePad<Suite, Design>>(&actions);
    let version = played.oracle.latest();
    let proof = played.server.prove_many(version, &asked).unwrap();
    let full = codec::encode(&proof).len();
    let bare = codec::encode(&ManyProof {
        aggregate: None,
        ..proof.clone()
    })
    .len();
    let alone: usize = asked
        .as_slice()
        .iter()
        .map(|key| codec::encode(&played.server.prove(version, key).unwrap()).len())
        .sum();
    println!("100 of 1000 keys: {full} bytes, {bare} without the signature, {alone} as 100 proofs");
    assert_eq!(full - bare, 48);
    let trusted = expectation::<Suite, Design>(*played.server.authority(), version);
    assert!(proof.check(&trusted, &asked).is_ok());
}

/// Prints what 100 of 1 000 keys cost in each kind of design, and two signatures together or alone.
#[test]
#[ignore = "a measurement: run it alone, in release"]
fn cost_of_a_hundred_answers() {
    measure::<designs::BaseSuperseding>();
    measure::<designs::SpecLightweight>();
    measure::<designs::BaseSupersedingBls>();
    measure::<designs::SpecLightweightBls>();
    let (author, signer) = (public_key(7), signing_key(7));
    let signed: Vec<_> = [b"one", b"two"]
        .map(|message| (message, signer.sign(message)))
        .to_vec();
    let batch: Vec<(&[u8], &HeadSignature)> = signed
        .iter()
        .map(|(message, signature)| (message.as_slice(), signature))
        .collect();
    let together = time(|| author.verify_batch(&batch).unwrap());
    let alone = time(|| {
        for (message, signature) in &batch {
            author.verify(message, signature).unwrap();
        }
    });
    println!("two Ed25519 signatures: {together:?} together, {alone:?} one by one");
}

fn measure<D>()
where
    D: Design<Suite, Secret: TestSecret> + AggregateDesign<Suite>,
{
    let (actions, asked) = hundred_of_a_thousand();
    let played = play::<TuplePad<Suite, D>>(&actions);
    let version = played.oracle.latest();
    let trusted = expectation::<Suite, D>(*played.server.authority(), version);
    let prove = || played.server.prove_many(version, &asked).unwrap();
    let proof = prove();
    let bytes = codec::encode(&proof).len();
    let all = played.server.prove_range(version, &KeyRange::ALL).unwrap();
    let (proving, verifying) = (
        time(|| drop(prove())),
        time(|| drop(proof.clone().check(&trusted, &asked).unwrap())),
    );
    let (range_bytes, range) = (
        codec::encode(&all).len(),
        time(|| drop(all.clone().check(&trusted, &KeyRange::ALL).unwrap())),
    );
    println!(
        "{}: 100 keys {bytes} bytes, proved in {proving:?}, verified in {verifying:?}; \
         all 1000 as a range {range_bytes} bytes, verified in {range:?}",
        D::NAME
    );
}

/// The shortest of some runs.
fn time(work: impl Fn()) -> Duration {
    let run = || {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..10).map(|_| run()).min().unwrap()
}
