//! Primitives: hashes and signatures of the three suites.

use std::hint::black_box;

use bench::{
    fixture::id,
    primitives::{author_key, signing_key},
};
use criterion::{Bencher, Criterion, Throughput};
use ed25519_dalek::Signer;
use pad_core::{Blake3Ed25519, Domain, Paper2010, Sha256Ed25519, Suite};
use pad_tuple::chain;

use crate::{Each, ONE, always, measure, timed};

fn hashes<S: Suite>(criterion: &mut Criterion) {
    let (left, right) = (S::value(b"left"), S::value(b"right"));
    assert_ne!(
        S::node(Domain::TreeNode, &left, &right),
        S::node(Domain::TreeNode, &right, &left),
        "bench: order matters"
    );
    let mut hash = |what: &str, throughput, work: &mut dyn FnMut(&mut Bencher<'_>)| {
        let name = id(&[("suite", &S::NAME), ("of", &what)]);
        let each = Each(throughput, 100);
        measure(criterion, "primitives::hash", &name, each, work);
    };
    hash("node", Throughput::Elements(1), &mut |bencher| {
        timed(bencher, || {
            always(S::node(
                Domain::TreeNode,
                black_box(&left),
                black_box(&right),
            ))
        });
    });
    hash("leaf", Throughput::Elements(1), &mut |bencher| {
        timed(bencher, || {
            always(S::leaf(black_box(b"01234567"), black_box(&left)))
        });
    });
    for length in [32_u32, 1 << 10, 64 << 10] {
        let value: Vec<u8> = (0..length).map(|i| i.to_le_bytes()[0]).collect();
        let rest = S::value(&value[1..]);
        assert_ne!(S::value(&value), rest, "bench: every byte matters");
        let throughput = Throughput::Bytes(length.into());
        hash(&format!("value_{length}"), throughput, &mut |bencher| {
            timed(bencher, || always(S::value(black_box(&value))));
        });
    }
}

fn signatures(criterion: &mut Criterion) {
    let (signer, public, message) = (signing_key(), author_key(), [7; 124]);
    let signature = signer.sign(&message);
    assert_eq!(public.verify(&message, &signature), Ok(()));
    let group = "primitives::signature";
    measure(criterion, group, "do=sign", ONE, &mut |bencher| {
        timed(bencher, || always(signer.sign(black_box(&message))));
    });
    measure(criterion, group, "do=verify", ONE, &mut |bencher| {
        timed(bencher, || {
            public.verify(black_box(&message), black_box(&signature))
        });
    });
}

/// Benches a step of a hash chain, as in tuple designs.
fn chain_step(criterion: &mut Criterion) {
    let start = Sha256Ed25519::value(b"start");
    let group = "primitives::chain";
    measure(criterion, group, "do=step", ONE, &mut |bencher| {
        timed(bencher, || {
            always(chain::walk::<Sha256Ed25519>(black_box(start), &start, 1))
        });
    });
}

pub(crate) fn suites(criterion: &mut Criterion) {
    hashes::<Sha256Ed25519>(criterion);
    hashes::<Blake3Ed25519>(criterion);
    hashes::<Paper2010>(criterion);
    signatures(criterion);
    chain_step(criterion);
}
