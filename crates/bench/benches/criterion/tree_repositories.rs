//! Table 4: all twelve trees. Applying updates, and proofs of the latest and of old versions.

use std::{hint::black_box, marker::PhantomData};

use bench::{
    dictionary::Store,
    fixture::{id, repository, updates},
};
use criterion::{BatchSize, Criterion, Throughput};
use pad_core::{Repository, Sha256Ed25519, Suite, Update};
use pad_tree::{TreeRepository, TreeScheme, for_each_tree};

use crate::{Each, measure, tree_schemes::prove};

const KEYS: u64 = 2_000;
const QUERIES: usize = 128;

/// Applies the last updates to a repository that has all before.
fn apply<S: Suite, St: Store<S> + Clone>(criterion: &mut Criterion, updates: &[Update<S>]) {
    let (before, last) = updates.split_at(updates.len() - 16);
    let base = repository::<S, St>(before);
    let each = Each(Throughput::Elements(16), 10);
    let group = "tree::apply";
    let name = tree_id::<S, St>("latest");
    measure(criterion, group, &name, each, |bencher| {
        let apply = |mut repository: TreeRepository<S, St>| {
            for update in last {
                black_box(repository.apply(update)).expect("bench: the author's updates apply");
            }
            repository
        };
        bencher.iter_batched(|| base.clone(), apply, BatchSize::LargeInput);
    });
}

fn tree_id<S: Suite, St: Store<S>>(version: &str) -> String {
    let (scheme, store) = (St::Scheme::NAME, St::NAME);
    id(&[
        ("scheme", &scheme),
        ("store", &store),
        ("keys", &KEYS),
        ("version", &version),
    ])
}

fn tree<S: Suite, St: Store<S> + Clone>(
    criterion: &mut Criterion,
    _: PhantomData<TreeRepository<S, St>>,
) {
    let updates = updates::<S, St::Scheme>(KEYS);
    prove(criterion, &repository::<S, St>(&updates), QUERIES, |age| {
        tree_id::<S, St>(age)
    });
    apply::<S, St>(criterion, &updates);
}

pub(crate) fn repositories(criterion: &mut Criterion) {
    macro_rules! bench_tree {
        ($name:ident, $scheme:ty, $($repository:tt)+) => {
            tree(criterion, PhantomData::<$($repository)+<Sha256Ed25519>>);
        };
    }
    for_each_tree!(bench_tree);
}
