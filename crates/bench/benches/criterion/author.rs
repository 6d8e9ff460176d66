//! The author: large snapshots of trees, on one thread and on all.

#![allow(clippy::as_conversions, reason = "lengths fit 64 bits")]

use bench::{
    dictionary::new_author,
    fixture::id,
    primitives::signing_key,
    workload::{key, put, value},
};
use criterion::{BatchSize, Criterion, Throughput};
use pad_core::{Dictionary, Operation, Sha256Ed25519, Suite, Workers};
use pad_tree::{RedBlack, RedBlackPathCopying, TreeScheme as _};

use crate::{Each, measure, size, timed_batched};

fn batch<S: Suite>(criterion: &mut Criterion, workers: &Workers) {
    let (keys, batch) = size((10_000, 1_000), (200, 20));
    let mut author =
        new_author::<RedBlackPathCopying<S>>(signing_key()).with_workers(workers.clone());
    let loaded = author.snapshot_of((0..keys).map(put).collect());
    loaded.expect("bench: a key in memory signs");
    let mut round = 0;
    let mut next = || -> Vec<Operation> {
        round += batch;
        let update = |i| Operation::Put(key(i * 7 % keys), value(i));
        (round..round + batch).map(update).collect()
    };
    let updated = author.snapshot_of(next());
    updated.expect("bench: a key in memory signs");
    let left = author.len() as u64;
    assert_eq!(left, keys, "bench: existing keys are updated");

    let threads = workers.threads();
    let name = id(&[
        ("scheme", &RedBlack::NAME),
        ("keys", &keys),
        ("batch", &batch),
        ("threads", &threads),
    ]);
    let each = Each(Throughput::Elements(batch), 20);
    measure(
        criterion,
        "tree::snapshot_threads",
        &name,
        each,
        &mut |bencher| {
            let prepare = &mut next;
            timed_batched(
                bencher,
                prepare,
                |batch| author.snapshot_of(batch),
                BatchSize::LargeInput,
            );
        },
    );
}

pub(crate) fn threads(criterion: &mut Criterion) {
    for workers in [Workers::sequential(), Workers::all_cores()] {
        batch::<Sha256Ed25519>(criterion, &workers);
    }
}
