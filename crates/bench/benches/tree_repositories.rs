//! Table 4: all twelve trees. Applying updates, and proofs of the latest and of old versions.

use std::{hint::black_box, time::Duration};

use bench::{
    configuration::StoreOf,
    fixture::{Age, checked_queries, id, repository, updates},
    server::authority,
};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use pad_core::{Repository, Sha256Ed25519, Suite, Update};
use pad_tree::{Authenticated, TreeRepository, TreeScheme, VersionedStore, for_each_tree};

const KEYS: u64 = 2_000;
const QUERIES: usize = 128;

fn prove<S: Suite, St>(criterion: &mut Criterion, repository: &TreeRepository<S, St>)
where
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
{
    let mut group = criterion.benchmark_group("tree::prove");
    group.throughput(Throughput::Elements(1));
    for age in [Age::Latest, Age::Old] {
        let queries = checked_queries(repository, age, QUERIES);
        let mut next = queries.iter().cycle();
        group.bench_function(tree_id::<St>(age.name()), |bencher| {
            bencher.iter(|| {
                let (version, key) = next.next().expect("bench: a cycle has no end");
                black_box(repository.prove(*version, key))
            });
        });
    }
    group.finish();
}

/// Applies the last updates to a repository that has all before.
fn apply<S: Suite, St>(criterion: &mut Criterion, updates: &[Update<S>])
where
    St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync + Clone,
{
    let (before, last) = updates.split_at(updates.len() - 16);
    let base = repository::<S, St>(before);
    let mut group = criterion.benchmark_group("tree::apply");
    group.throughput(Throughput::Elements(16)).sample_size(10);
    group.bench_function(tree_id::<St>("latest"), |bencher| {
        let apply = |mut repository: TreeRepository<S, St>| {
            for update in last {
                black_box(repository.apply(update)).expect("bench: the author's updates apply");
            }
            repository
        };
        bencher.iter_batched(|| base.clone(), apply, BatchSize::LargeInput);
    });
    group.finish();
}

fn tree_id<St: VersionedStore>(version: &str) -> String {
    let (scheme, store) = (St::Scheme::NAME, St::NAME);
    id(&[
        ("scheme", &scheme),
        ("store", &store),
        ("keys", &KEYS),
        ("version", &version),
    ])
}

fn repositories(criterion: &mut Criterion) {
    macro_rules! bench_tree {
        ($name:ident, $scheme:ty, $($repository:tt)+) => {{
            type Store = StoreOf<$($repository)+<Sha256Ed25519>>;
            assert_eq!(authority::<Sha256Ed25519, $scheme>().scheme, <$scheme>::ID);
            let updates = updates::<Sha256Ed25519, $scheme>(KEYS);
            prove(criterion, &repository::<_, Store>(&updates));
            apply::<_, Store>(criterion, &updates);
        }};
    }
    for_each_tree!(bench_tree);
}

fn short() -> Criterion {
    let (warm_up, measurement) = (Duration::from_millis(500), Duration::from_secs(2));
    Criterion::default()
        .warm_up_time(warm_up)
        .measurement_time(measurement)
}

criterion_group!(name = benches; config = short(); targets = repositories);
criterion_main!(benches);
