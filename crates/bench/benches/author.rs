//! The author: one key per snapshot, and large snapshots.

#![allow(clippy::as_conversions, reason = "lengths fit 64 bits")]

use std::time::Duration;

use bench::{
    author::{new_author, publish},
    fixture::id,
    primitives::signing_key,
    workload::{key, put, value},
};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use pad_core::{Dictionary, Operation, Sha256Ed25519, Suite, Workers};
use pad_tree::{BalancingScheme, RedBlack, SkipList, Treap};

const KEYS: u64 = 10_000;
const BATCH: u64 = 1_000;

fn insert<S: Suite, B: BalancingScheme>(criterion: &mut Criterion) {
    let mut author = new_author::<S, B, _>(signing_key());
    author
        .snapshot_of((0..KEYS).map(put).collect())
        .expect("bench: a key in memory signs");
    let mut index = KEYS;
    let mut next = || {
        index += 1;
        (put(index), Operation::Remove(key(index)))
    };
    let (insertion, removal) = next();
    let root = author.head().map(|signed| signed.head.root);
    publish(&mut author, vec![insertion]).expect("bench: a key in memory signs");
    assert_ne!(author.head().map(|signed| signed.head.root), root);
    publish(&mut author, vec![removal]).expect("bench: a key in memory signs");
    assert_eq!(
        author.len() as u64,
        KEYS,
        "bench: what is added is removed again"
    );

    let mut group = criterion.benchmark_group("tree::snapshot");
    group.throughput(Throughput::Elements(2));
    let name = id(&[
        ("scheme", &B::NAME),
        ("keys", &KEYS),
        ("batch", &"insert, remove"),
    ]);
    group.bench_function(name.replace(", ", "_"), |bencher| {
        let prepare = &mut next;
        bencher.iter_batched(
            prepare,
            |(insertion, removal)| {
                (
                    publish(&mut author, vec![insertion]),
                    publish(&mut author, vec![removal]),
                )
            },
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

fn batch<S: Suite, B: BalancingScheme>(criterion: &mut Criterion, workers: &Workers) {
    let mut author = new_author::<S, B, _>(signing_key()).with_workers(workers.clone());
    author
        .snapshot_of((0..KEYS).map(put).collect())
        .expect("bench: a key in memory signs");
    let mut round = 0;
    let mut next = || -> Vec<Operation> {
        round += BATCH;
        let update = |i| Operation::Put(key(i * 7 % KEYS), value(i));
        (round..round + BATCH).map(update).collect()
    };
    author
        .snapshot_of(next())
        .expect("bench: a key in memory signs");
    assert_eq!(
        author.len() as u64,
        KEYS,
        "bench: existing keys are updated"
    );

    let threads = workers.threads();
    let mut group = criterion.benchmark_group("tree::snapshot");
    group
        .throughput(Throughput::Elements(BATCH))
        .sample_size(20);
    let name = id(&[
        ("scheme", &B::NAME),
        ("keys", &KEYS),
        ("batch", &BATCH),
        ("threads", &threads),
    ]);
    group.bench_function(name, |bencher| {
        let prepare = &mut next;
        bencher.iter_batched(
            prepare,
            |batch| author.snapshot_of(batch),
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

fn authors(criterion: &mut Criterion) {
    insert::<Sha256Ed25519, Treap>(criterion);
    insert::<Sha256Ed25519, RedBlack>(criterion);
    insert::<Sha256Ed25519, SkipList>(criterion);
    for workers in [Workers::sequential(), Workers::all_cores()] {
        batch::<Sha256Ed25519, RedBlack>(criterion, &workers);
    }
}

fn short() -> Criterion {
    let (warm_up, measurement) = (Duration::from_millis(500), Duration::from_secs(2));
    Criterion::default()
        .warm_up_time(warm_up)
        .measurement_time(measurement)
}

criterion_group!(name = benches; config = short(); targets = authors);
criterion_main!(benches);
