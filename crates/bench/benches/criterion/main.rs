//! Every criterion bench, in one program: `cargo bench -p bench -- tree::prove` runs those with that name.

use std::time::Duration;

use bytes::Bytes;
use criterion::{Bencher, Criterion, Throughput, criterion_group, criterion_main};

mod accumulators;
mod author;
mod bytes;
mod families;
mod flexlist;
mod primitives;
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

/// Whether every bench runs once, to see that it works: with `cargo test`, or if asked for.
fn is_test() -> bool {
    let has = |wanted: &str| std::env::args().any(|argument| argument == wanted);
    has("--test") || !has("--bench")
}

fn short() -> Criterion {
    let (warm_up, measurement) = (Duration::from_millis(500), Duration::from_secs(2));
    Criterion::default()
        .warm_up_time(warm_up)
        .measurement_time(measurement)
}

/// Bytes repeat: few are enough.
fn of_bytes() -> Criterion<Bytes> {
    let (warm_up, measurement) = (Duration::from_millis(1), Duration::from_millis(10));
    Criterion::default()
        .with_measurement(Bytes)
        .warm_up_time(warm_up)
        .measurement_time(measurement)
}

criterion_group! {
    name = benches;
    config = short();
    targets =
        primitives::suites,
        families::roles,
        author::threads,
        verify::clients,
        accumulators::schemes,
        flexlist::groups,
}
criterion_group! {
    name = sizes;
    config = of_bytes();
    targets = families::sizes,
}
criterion_main!(benches, sizes);
