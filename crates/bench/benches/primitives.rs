//! What everything else is made of: hashes and signatures of the three suites.

use std::{hint::black_box, time::Duration};

use bench::{
    fixture::id,
    primitives::{author_key, signing_key},
};
use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use ed25519_dalek::Signer;
use pad_core::{Blake3Ed25519, Domain, Paper2010, Sha256Ed25519, Suite};

fn hashes<S: Suite>(criterion: &mut Criterion) {
    let (left, right) = (S::value(b"left"), S::value(b"right"));
    assert_ne!(
        S::node(Domain::TreeNode, &left, &right),
        S::node(Domain::TreeNode, &right, &left),
        "bench: order matters"
    );
    let mut group = criterion.benchmark_group("primitives::hash");
    group.throughput(Throughput::Elements(1));
    group.bench_function(name::<S>("node"), |bencher| {
        bencher.iter(|| S::node(Domain::TreeNode, black_box(&left), black_box(&right)));
    });
    group.bench_function(name::<S>("leaf"), |bencher| {
        bencher.iter(|| S::leaf(black_box(b"01234567"), black_box(&left)));
    });
    for length in [32, 1 << 10, 64 << 10] {
        value::<S>(&mut group, length);
    }
    group.finish();
}

fn value<S: Suite>(group: &mut BenchmarkGroup<'_, WallTime>, length: u32) {
    let value: Vec<u8> = (0..length).map(|i| i.to_le_bytes()[0]).collect();
    assert_ne!(
        S::value(&value),
        S::value(&value[1..]),
        "bench: every byte matters"
    );
    group.throughput(Throughput::Bytes(length.into()));
    group.bench_function(name::<S>(&format!("value_{length}")), |bencher| {
        bencher.iter(|| S::value(black_box(&value)));
    });
}

fn name<S: Suite>(what: &str) -> String {
    id(&[("suite", &S::NAME), ("of", &what)])
}

fn signatures(criterion: &mut Criterion) {
    let (signer, public, message) = (signing_key(), author_key(), [7; 124]);
    let signature = signer.sign(&message);
    assert_eq!(public.verify(&message, &signature), Ok(()));
    let mut group = criterion.benchmark_group("primitives::signature");
    group.throughput(Throughput::Elements(1));
    group.bench_function("do=sign", |bencher| {
        bencher.iter(|| signer.sign(black_box(&message)));
    });
    group.bench_function("do=verify", |bencher| {
        bencher.iter(|| public.verify(black_box(&message), black_box(&signature)));
    });
    group.finish();
}

fn suites(criterion: &mut Criterion) {
    hashes::<Sha256Ed25519>(criterion);
    hashes::<Blake3Ed25519>(criterion);
    hashes::<Paper2010>(criterion);
    signatures(criterion);
}

fn short() -> Criterion {
    let (warm_up, measurement) = (Duration::from_millis(500), Duration::from_secs(2));
    Criterion::default()
        .warm_up_time(warm_up)
        .measurement_time(measurement)
}

criterion_group!(name = benches; config = short(); targets = suites);
criterion_main!(benches);
