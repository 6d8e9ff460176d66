//! Client of trees under each suite: a proof under a known head, head and proof, and decoding.

use std::{hint::black_box, time::Duration};

use bench::{
    dictionary::{Run, check_answers},
    fixture::id,
    primitives::signing_key,
    workload::{key, put, value},
};
use criterion::{BatchSize, Criterion, Throughput};
use pad_core::{
    Answer, Blake3Ed25519, Key, Paper2010, Repository, Sha256Ed25519, Suite, Untrusted, Version,
    codec,
};
use pad_tree::{RedBlack, RedBlackPathCopying, TreeProof, TreeScheme as _};

use crate::{Each, ONE, measure, size, timed, timed_batched};

fn verify<S: Suite>(criterion: &mut Criterion) {
    let keys = size(2_000, 50);
    let mut run = Run::<RedBlackPathCopying<S>>::new(signing_key(), Duration::MAX);
    let loaded = run.publish((0..keys).map(put).collect());
    loaded.expect("bench: the author's updates apply");
    let repository = &run.repository;
    let (version, index) = (Version::new(1), keys / 3);
    let key = key(index);
    let expected = (version, key.clone(), Answer::Present(value(index)));
    check_answers(repository, [expected]).expect("bench: honest proofs verify");
    let signed = repository.head(version).expect("bench: the version exists");
    let authority = *repository.authority();
    let head = Untrusted::new(signed).verify(&authority, &version);
    let head = head.expect("bench: the head is signed");
    let proof = Untrusted::new(repository.prove(version, &key).expect("bench: as before"));

    let name = |what: &str| {
        id(&[
            ("scheme", &RedBlack::NAME),
            ("suite", &S::NAME),
            ("keys", &keys),
            ("head", &what),
        ])
    };
    measure(
        criterion,
        "tree::verify",
        &name("known"),
        ONE,
        &mut |bencher| {
            let check = |proof: Untrusted<TreeProof<S, Key>>| proof.verify(&head, &key);
            timed_batched(bencher, || proof.clone(), check, BatchSize::SmallInput);
        },
    );
    measure(
        criterion,
        "tree::verify",
        &name("new"),
        ONE,
        &mut |bencher| {
            let check = |proof: Untrusted<TreeProof<S, Key>>| {
                let head = Untrusted::new(black_box(signed)).verify(&authority, &version);
                proof.verify(&head.expect("bench: the head is signed"), &key)
            };
            timed_batched(bencher, || proof.clone(), check, BatchSize::SmallInput);
        },
    );

    let bytes = codec::encode(proof.as_unverified());
    assert_eq!(Untrusted::decode(&bytes, bytes.len()), Ok(proof));
    let length = u64::try_from(bytes.len()).expect("bench: lengths fit 64 bits");
    let each = Each(Throughput::Bytes(length), 100);
    let name = id(&[
        ("scheme", &RedBlack::NAME),
        ("suite", &S::NAME),
        ("keys", &keys),
    ]);
    measure(criterion, "tree::decode", &name, each, &mut |bencher| {
        timed(bencher, || {
            Untrusted::<TreeProof<S, Key>>::decode(black_box(&bytes), bytes.len())
        });
    });
}

pub(crate) fn clients(criterion: &mut Criterion) {
    verify::<Sha256Ed25519>(criterion);
    verify::<Blake3Ed25519>(criterion);
    verify::<Paper2010>(criterion);
}
