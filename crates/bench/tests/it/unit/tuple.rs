//! Tests of small modules of `bench::tuple`.

use std::io::Write as _;

use bench::{
    cryptography::{Cryptography, TimedSigner},
    tuple::{
        instrument::{CountedSuite, PlainSuite, TimedScheme},
        macrobenchmark::{Trace, speculation},
        steady::exponent,
    },
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

#[test]
fn the_last_snapshots_begin_with_what_is_there() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let rows = "snapshot,op,key,value\n1,put,a,1\n2,put,b,2\n2,delete,a,\n3,put,c,3\n";
    file.write_all(rows.as_bytes()).unwrap();
    let all = Trace::read(file.path(), None).unwrap();
    assert_eq!(all.snapshots.len(), 3);
    let last = Trace::read(file.path(), Some(1)).unwrap();
    let keys: Vec<&str> = last.snapshots[0]
        .iter()
        .map(|operation| str::from_utf8(operation.key().as_bytes()).unwrap())
        .collect();
    assert_eq!((last.snapshots.len(), keys), (1, vec!["b", "c"]));
}

#[test]
fn epochs_of_six_snapshots_merge_every_sixth() {
    let rule = |snapshot| speculation(Some(6), snapshot);
    assert_eq!(rule(6), rule(0));
    assert!((1..6).all(|snapshot| rule(snapshot) != rule(6)));
}

#[test]
fn exponents_of_powers() {
    let points = [1_000, 10_000, 100_000].map(|n: u64| (n, 7.0 * (n as f64).sqrt()));
    let fitted = exponent("design", "update_bytes", &points).unwrap();
    assert!((fitted.figure("exponent") - 0.5).abs() < 1e-9);
    assert!(exponent("design", "update_bytes", &points[..1]).is_none());
}
