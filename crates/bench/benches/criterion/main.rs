//! Every criterion bench, in one program: `cargo bench -- tree::prove` runs those with that name.
//!
//! All of them take less than 15 minutes on two cores: some 290 benches with at least 0.6 s each, and what they are prepared with.

use std::{sync::LazyLock, time::Duration};

use bytes::Bytes;
use criterion::{Bencher, Criterion, Throughput};

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
    work: &mut dyn FnMut(&mut Bencher<'_>),
) {
    let mut group = criterion.benchmark_group(group);
    group.throughput(throughput).sample_size(samples);
    group.bench_function(name, work);
    group.finish();
}

/// Whether every bench runs once, to see that it works: with `cargo test`, or if asked for.
fn is_test() -> bool {
    static IS_TEST: LazyLock<bool> = LazyLock::new(|| {
        let has = |wanted: &str| std::env::args().any(|argument| argument == wanted);
        has("--test") || !has("--bench")
    });
    *IS_TEST
}

/// The size of a bench, or a small one where everything runs once.
fn size<T>(measured: T, tried: T) -> T {
    if is_test() { tried } else { measured }
}

fn configured() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500))
        .nresamples(10_000)
}

/// Bytes repeat: few are enough.
fn of_bytes() -> Criterion<Bytes> {
    Criterion::default()
        .with_measurement(Bytes)
        .warm_up_time(Duration::from_millis(1))
        .measurement_time(Duration::from_millis(10))
        .nresamples(2_000)
}

/// Beginnings of the names of groups, and the benches that they are in.
type Benches = (
    &'static [&'static str],
    fn(&mut Criterion, &mut Criterion<Bytes>),
);

const BENCHES: [Benches; 6] = [
    (&["primitives::"], |time, _| primitives::suites(time)),
    (
        &["server/", "client/", "author/", "bytes"],
        families::schemes,
    ),
    (&["tree::snapshot"], |time, _| author::threads(time)),
    (&["tree::verify", "tree::decode"], |time, _| {
        verify::clients(time);
    }),
    (&["accumulators"], |time, _| accumulators::schemes(time)),
    (&["flexlist"], |time, _| flexlist::groups(time)),
];

/// Whether benches are asked for whose names begin so. Others need not be prepared.
fn is_asked_for(beginnings: &[&str]) -> bool {
    std::env::args()
        .skip(1)
        .any(|argument| beginnings.iter().any(|one| argument.starts_with(one)))
}

fn main() {
    let mut time = configured().configure_from_args();
    let mut bytes = of_bytes().configure_from_args();
    let is_one = BENCHES.iter().any(|(groups, _)| is_asked_for(groups));
    for (groups, run) in BENCHES {
        if !is_one || is_asked_for(groups) {
            run(&mut time, &mut bytes);
        }
    }
    time.final_summary();
}
