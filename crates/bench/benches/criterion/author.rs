//! The author: one key per snapshot, and large snapshots.

#![allow(clippy::as_conversions, reason = "lengths fit 64 bits")]

use bench::{
    dictionary::{new_author, publish},
    fixture::{Tree, id},
    primitives::signing_key,
    workload::{key, put, value},
};
use criterion::{BatchSize, Criterion, Throughput};
use pad_core::{Dictionary, Operation, Sha256Ed25519, Suite, Workers};
use pad_tree::{BalancingScheme, RedBlack, SkipList, Treap};

use crate::{Each, measure};

const KEYS: u64 = 10_000;
const BATCH: u64 = 1_000;

fn insert<S: Suite, B: BalancingScheme>(criterion: &mut Criterion) {
    let mut author = new_author::<Tree<S, B>>(signing_key());
    let loaded = author.snapshot_of((0..KEYS).map(put).collect());
    loaded.expect("bench: a key in memory signs");
    let mut index = KEYS;
    let mut next = || {
        index += 1;
        [put(index), Operation::Remove(key(index))]
    };
    let [insertion, removal] = next();
    let root = author.head().map(|signed| signed.head.root);
    publish(&mut author, vec![insertion]).expect("bench: a key in memory signs");
    assert_ne!(author.head().map(|signed| signed.head.root), root);
    publish(&mut author, vec![removal]).expect("bench: a key in memory signs");
    let left = author.len() as u64;
    assert_eq!(left, KEYS, "bench: what is added is removed again");

    let name = id(&[
        ("scheme", &B::NAME),
        ("keys", &KEYS),
        ("batch", &"insert_remove"),
    ]);
    let each = Each(Throughput::Elements(2), 100);
    measure(criterion, "tree::snapshot", &name, each, |bencher| {
        let prepare = &mut next;
        bencher.iter_batched(
            prepare,
            |operations| operations.map(|operation| publish(&mut author, vec![operation])),
            BatchSize::SmallInput,
        );
    });
}

fn batch<S: Suite, B: BalancingScheme>(criterion: &mut Criterion, workers: &Workers) {
    let mut author = new_author::<Tree<S, B>>(signing_key()).with_workers(workers.clone());
    let loaded = author.snapshot_of((0..KEYS).map(put).collect());
    loaded.expect("bench: a key in memory signs");
    let mut round = 0;
    let mut next = || -> Vec<Operation> {
        round += BATCH;
        let update = |i| Operation::Put(key(i * 7 % KEYS), value(i));
        (round..round + BATCH).map(update).collect()
    };
    let updated = author.snapshot_of(next());
    updated.expect("bench: a key in memory signs");
    let left = author.len() as u64;
    assert_eq!(left, KEYS, "bench: existing keys are updated");

    let threads = workers.threads();
    let name = id(&[
        ("scheme", &B::NAME),
        ("keys", &KEYS),
        ("batch", &BATCH),
        ("threads", &threads),
    ]);
    let each = Each(Throughput::Elements(BATCH), 20);
    measure(criterion, "tree::snapshot", &name, each, |bencher| {
        let prepare = &mut next;
        bencher.iter_batched(
            prepare,
            |batch| author.snapshot_of(batch),
            BatchSize::LargeInput,
        );
    });
}

pub(crate) fn authors(criterion: &mut Criterion) {
    insert::<Sha256Ed25519, Treap>(criterion);
    insert::<Sha256Ed25519, RedBlack>(criterion);
    insert::<Sha256Ed25519, SkipList>(criterion);
    for workers in [Workers::sequential(), Workers::all_cores()] {
        batch::<Sha256Ed25519, RedBlack>(criterion, &workers);
    }
}
