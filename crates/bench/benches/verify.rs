//! The client: a proof against a head verified before, head and proof, and decoding.

use std::{hint::black_box, time::Duration};

use bench::{
    fixture::{checked_proof, id, repository, updates},
    workload::key,
};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use pad_core::{
    Blake3Ed25519, Key, Paper2010, Repository, Sha256Ed25519, Suite, Untrusted, Version, codec,
};
use pad_tree::{Authenticated, BalancingScheme, PathCopying, RedBlack, SkipList, Treap, TreeProof};

const KEYS: u64 = 2_000;

fn verify<S: Suite, B: BalancingScheme>(criterion: &mut Criterion) {
    type Store<S, B> = PathCopying<Authenticated<S>, B>;
    let repository = repository::<S, Store<S, B>>(&updates::<S, B>(KEYS));
    let (version, index) = (Version::new(KEYS), KEYS / 3);
    let key = key(index);
    let (head, proof) = checked_proof(&repository, version, &key, index);
    let signed = repository.head(version).expect("bench: the version exists");
    let authority = *repository.authority();

    let mut group = criterion.benchmark_group("tree::verify");
    group.throughput(Throughput::Elements(1));
    let name = |what: &str| {
        id(&[
            ("scheme", &B::NAME),
            ("suite", &S::NAME),
            ("keys", &KEYS),
            ("head", &what),
        ])
    };
    group.bench_function(name("known"), |bencher| {
        let check = |proof: Untrusted<TreeProof<S, Key>>| proof.verify(&head, &key);
        bencher.iter_batched(|| proof.clone(), check, BatchSize::SmallInput);
    });
    group.bench_function(name("new"), |bencher| {
        let check = |proof: Untrusted<TreeProof<S, Key>>| {
            let head = Untrusted::new(black_box(signed)).verify(&authority, &version);
            proof.verify(&head.expect("bench: the head is signed"), &key)
        };
        bencher.iter_batched(|| proof.clone(), check, BatchSize::SmallInput);
    });
    group.finish();

    let bytes = codec::encode(proof.as_unverified());
    assert_eq!(Untrusted::decode(&bytes, bytes.len()), Ok(proof));
    let mut group = criterion.benchmark_group("tree::decode");
    let length = u64::try_from(bytes.len()).expect("bench: lengths fit 64 bits");
    group.throughput(Throughput::Bytes(length));
    let name = id(&[("scheme", &B::NAME), ("suite", &S::NAME), ("keys", &KEYS)]);
    group.bench_function(name, |bencher| {
        bencher.iter(|| Untrusted::<TreeProof<S, Key>>::decode(black_box(&bytes), bytes.len()));
    });
    group.finish();
}

fn clients(criterion: &mut Criterion) {
    verify::<Sha256Ed25519, Treap>(criterion);
    verify::<Sha256Ed25519, RedBlack>(criterion);
    verify::<Sha256Ed25519, SkipList>(criterion);
    verify::<Blake3Ed25519, RedBlack>(criterion);
    verify::<Paper2010, RedBlack>(criterion);
}

fn short() -> Criterion {
    let (warm_up, measurement) = (Duration::from_millis(500), Duration::from_secs(2));
    Criterion::default()
        .warm_up_time(warm_up)
        .measurement_time(measurement)
}

criterion_group!(name = benches; config = short(); targets = clients);
criterion_main!(benches);
