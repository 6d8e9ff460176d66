//! Sizes of proofs for many keys.

use pad_conformance::{
    Action, TuplePad,
    operation::{key, value},
    repository::play,
    tuple::expectation,
};
use pad_core::{Keys, Proof as _, Repository as _, codec};
use pad_tuple::{ManyProof, designs};

use super::{Suite, keys};

fn hundred_of_a_thousand() -> (Vec<Action>, Keys) {
    let name = |number: u32| key(format!("key {number:05}"));
    let mut actions: Vec<Action> = (0..1000)
        .map(|number| Action::Put(name(number), value([7; 28])))
        .collect();
    actions.push(Action::Snapshot);
    (actions, keys((0..100).map(|number| name(number * 10))))
}

/// For 100 present keys, the proof is longer than the bare tuples only by one signature of 48
/// bytes.
#[test]
fn a_hundred_answers_have_one_bls_signature() {
    type Design = designs::BaseSupersedingBls;
    let (actions, asked) = hundred_of_a_thousand();
    let played = play::<TuplePad<Suite, Design>>(&actions);
    let version = played.oracle.latest();
    let proof = played.server.prove_keys(version, &asked).unwrap();
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
