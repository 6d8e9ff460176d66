//! Table 3: the three schemes over path copying. Proofs of the latest and of old versions.

use std::{hint::black_box, time::Duration};

use bench::fixture::{Age, checked_queries, id, repository, updates};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pad_core::{Repository, Sha256Ed25519, Suite};
use pad_tree::{Authenticated, BalancingScheme, PathCopying, RedBlack, SkipList, Treap};

const KEYS: u64 = 2_000;
const QUERIES: usize = 256;

fn prove_scheme<S: Suite, B: BalancingScheme>(criterion: &mut Criterion) {
    type Store<S, B> = PathCopying<Authenticated<S>, B>;
    let repository = repository::<S, Store<S, B>>(&updates::<S, B>(KEYS));
    let mut group = criterion.benchmark_group("tree::prove");
    group.throughput(Throughput::Elements(1));
    for age in [Age::Latest, Age::Old] {
        let queries = checked_queries(&repository, age, QUERIES);
        let mut next = queries.iter().cycle();
        let name = id(&[
            ("scheme", &B::NAME),
            ("keys", &KEYS),
            ("version", &age.name()),
        ]);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let (version, key) = next.next().expect("bench: a cycle has no end");
                black_box(repository.prove(*version, key))
            });
        });
    }
    group.finish();
}

fn schemes(criterion: &mut Criterion) {
    prove_scheme::<Sha256Ed25519, Treap>(criterion);
    prove_scheme::<Sha256Ed25519, RedBlack>(criterion);
    prove_scheme::<Sha256Ed25519, SkipList>(criterion);
}

fn short() -> Criterion {
    let (warm_up, measurement) = (Duration::from_millis(500), Duration::from_secs(2));
    Criterion::default()
        .warm_up_time(warm_up)
        .measurement_time(measurement)
}

criterion_group!(name = benches; config = short(); targets = schemes);
criterion_main!(benches);
