//! Tests of `bench::tuple::instrument`.

use bench::{
    cryptography::{Cryptography, TimedSigner},
    tuple::instrument::{CountedSuite, PlainSuite, TimedScheme},
};
use pad_core::Suite as _;
use pad_tuple::internals::{Ed25519, TupleSignature as _, chain};
use signature::Signer as _;

#[test]
fn a_signature_counts_once_however_deep() {
    let signer = TimedSigner::default();
    let (cryptography, ()) = Cryptography::of(|| {
        TimedScheme::<Ed25519>::sign(&(), &signer, b"tuple").unwrap();
        signer.sign(b"head");
    });
    assert_eq!(cryptography.signatures as u64, 2);
    assert!(cryptography.signature_us > 0.0);
}

#[test]
fn steps_of_chains_are_counted() {
    let start = PlainSuite::value(b"start");
    let walk = || chain::walk::<CountedSuite>(start, &start, 7);
    let (cryptography, link) = Cryptography::of(walk);
    assert_eq!(cryptography.chain_steps as u64, 7);
    assert_eq!(link, chain::walk::<PlainSuite>(start, &start, 7));
}
