//! The accumulators' operations over a set of 1000, on one thread: Tremel 2013, section 5.
//!
//! `bench accumulators` measures other sizes and thread counts, each beside its primitive.

use std::{hint::black_box, time::Duration};

use accumulators::{
    Accumulator, Authority, ElementSet, SecretKey, Snapshot, Universal, Witnessed,
    rsa::RepresentativeRule,
};
use bench::{
    accumulators::{Bench, BilinearBench, Plan, RsaBench},
    fixture::id,
    primitives::{author_key, signing_key},
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pad_core::{Proof, Untrusted, Verified, Version, Workers};

const ELEMENTS: usize = 1000;

fn verified<A: Accumulator>(key: &A::PublicKey, value: A::Value) -> Verified<Snapshot<A>> {
    let version = Version::new(1);
    let snapshot = Snapshot::<A> {
        key: key.clone(),
        version,
        value,
    };
    let signed = snapshot
        .sign(&signing_key())
        .expect("a key in memory signs");
    let authority = Authority {
        author: author_key(),
        key: key.clone(),
    };
    Untrusted::new(signed)
        .verify(&authority, &version)
        .expect("an honest signature")
}

fn scheme<B: Bench>(criterion: &mut Criterion, bench: &B) {
    let alone = &Workers::sequential();
    let secret = bench.secret(ELEMENTS).expect("a secret key");
    let key = secret.public_key();
    let names: Vec<Vec<u8>> = (0..ELEMENTS).map(|i| i.to_be_bytes().to_vec()).collect();
    let set = ElementSet::<B::Scheme>::from_elements(key, &names, alone).expect("distinct");
    let value = B::Scheme::accumulate(&secret, &set, alone).expect("a value");
    let witnesses = B::Scheme::witnesses(&secret, &set, alone).expect("witnesses");
    assert_eq!(B::Scheme::accumulate(key, &set, alone).as_ref(), Ok(&value));
    let snapshot = verified::<B::Scheme>(key, value);
    let name = |what: &str| id(&[("accumulator", &bench.name()), ("do", &what)]);

    let mut group = criterion.benchmark_group("accumulators::set");
    group.sample_size(10).throughput(Throughput::Elements(1000));
    group.bench_function(name("representatives"), |bencher| {
        bencher.iter(|| ElementSet::<B::Scheme>::from_elements(key, black_box(&names), alone));
    });
    group.bench_function(name("accumulate_secret"), |bencher| {
        bencher.iter(|| B::Scheme::accumulate(&secret, black_box(&set), alone));
    });
    group.bench_function(name("accumulate_public"), |bencher| {
        bencher.iter(|| B::Scheme::accumulate(key, black_box(&set), alone));
    });
    group.bench_function(name("witnesses_secret"), |bencher| {
        bencher.iter(|| B::Scheme::witnesses(&secret, black_box(&set), alone));
    });
    group.bench_function(name("witnesses_public"), |bencher| {
        bencher.iter(|| B::Scheme::witnesses(key, black_box(&set), alone));
    });
    let batch = <B::Scheme as Witnessed>::WitnessBatch::from(witnesses.clone());
    group.bench_function(name("verify_batch"), |bencher| {
        bencher.iter(|| black_box(&batch).clone().check(&snapshot, &names));
    });
    group.finish();

    let absence = B::Scheme::non_membership_witness(&secret, &set, b"", alone);
    let absence = absence.expect("the empty element is not in the set");
    let mut group = criterion.benchmark_group("accumulators::one");
    group.throughput(Throughput::Elements(1));
    group.bench_function(name("verify"), |bencher| {
        bencher.iter(|| black_box(&witnesses[0]).clone().check(&snapshot, &names[0]));
    });
    group.bench_function(name("verify_absence"), |bencher| {
        bencher.iter(|| black_box(&absence).clone().check(&snapshot, b""));
    });
    group.finish();
}

fn schemes(criterion: &mut Criterion) {
    let plan = Plan {
        sizes: vec![ELEMENTS],
        threads: Vec::new(),
        longest: Duration::ZERO,
        quick: true,
    };
    scheme(criterion, &BilinearBench::new(&plan).expect("a thread"));
    let rsa = RsaBench::new(RepresentativeRule::Wide, &plan).expect("a key");
    scheme(criterion, &rsa);
}

fn short() -> Criterion {
    let (warm_up, measurement) = (Duration::from_millis(500), Duration::from_secs(2));
    Criterion::default()
        .warm_up_time(warm_up)
        .measurement_time(measurement)
}

criterion_group! {
    name = benches;
    config = short();
    targets = schemes
}
criterion_main!(benches);
