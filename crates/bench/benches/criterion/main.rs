//! Every criterion bench, in one program: `cargo bench -p bench -- tree::prove` runs those with that name.

use std::time::Duration;

use criterion::{Bencher, Criterion, Throughput, criterion_group, criterion_main};

mod accumulators;
mod author;
mod flexlist;
mod primitives;
mod tree_repositories;
mod tree_schemes;
mod tuple;
mod verify;

/// How much one call does, and how often it is sampled.
#[derive(Clone)]
struct Each(Throughput, usize);

/// A call that does one thing.
const ONE: Each = Each(Throughput::Elements(1), 100);

/// Runs one bench of a group.
fn measure(
    criterion: &mut Criterion,
    group: &str,
    name: &str,
    Each(throughput, samples): Each,
    work: impl FnMut(&mut Bencher<'_>),
) {
    let mut group = criterion.benchmark_group(group);
    group.throughput(throughput).sample_size(samples);
    group.bench_function(name, work);
    group.finish();
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
    targets =
        primitives::suites,
        author::authors,
        tree_schemes::schemes,
        tree_repositories::repositories,
        verify::clients,
        tuple::designs,
        accumulators::schemes,
        flexlist::groups,
}
criterion_main!(benches);
