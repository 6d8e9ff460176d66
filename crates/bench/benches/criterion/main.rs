//! All criterion benches in one program. `cargo bench -- server/prove` runs those with that name.
//!
//! Each bench takes at least 0.6 s and its set-up. All benches together take less than 15 minutes
//! on two cores. The commands of `bench` measure other work, next to its limits.

use core::{
    convert::Infallible,
    fmt::{Debug, Display},
};
use std::{sync::LazyLock, time::Duration};

use criterion::{BatchSize, Bencher, Criterion, Throughput};

mod families;
mod primitives;

/// Formats a benchmark's id, for example `scheme=red_black store=cache_median keys=10000`.
fn id(parameters: &[(&str, &dyn Display)]) -> String {
    let parameters: Vec<String> = parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}").replace('-', "_"))
        .collect();
    parameters.join(" ")
}

/// Runs one bench of a group: `samples` samples of calls that process `elements` elements each.
fn measure(
    criterion: &mut Criterion,
    group: &str,
    name: &str,
    (elements, samples): (u64, usize),
    work: &mut dyn FnMut(&mut Bencher<'_>),
) {
    let mut group = criterion.benchmark_group(group);
    let throughput = Throughput::Elements(elements);
    group.throughput(throughput).sample_size(samples);
    group.bench_function(name, work);
    group.finish();
}

/// Times work that succeeds.
///
/// Every bench goes through here or [`timed_batched`]: a dropped error would be timed as a success.
#[expect(clippy::disallowed_methods, reason = "the result is checked")]
fn timed<T, E: Debug>(bencher: &mut Bencher<'_>, mut work: impl FnMut() -> Result<T, E>) {
    bencher.iter(|| work().expect("bench: the work succeeds"));
}

/// Times work on inputs that are prepared before, all of which succeeds.
#[expect(clippy::disallowed_methods, reason = "the result is checked")]
fn timed_batched<I, T, E: Debug>(
    bencher: &mut Bencher<'_>,
    prepare: impl FnMut() -> I,
    mut work: impl FnMut(I) -> Result<T, E>,
    size: BatchSize,
) {
    let work = |input| work(input).expect("bench: the work succeeds");
    bencher.iter_batched(prepare, work, size);
}

/// A result without an error, for work that cannot fail.
#[expect(clippy::unnecessary_wraps, reason = "`timed` takes results")]
fn always<T>(value: T) -> Result<T, Infallible> {
    Ok(value)
}

/// Reports whether every bench runs once as a test: under `cargo test`, or with `--test`.
fn is_test() -> bool {
    static IS_TEST: LazyLock<bool> = LazyLock::new(|| {
        let has = |wanted: &str| std::env::args().any(|argument| argument == wanted);
        has("--test") || !has("--bench")
    });
    *IS_TEST
}

fn configured() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500))
        .nresamples(10_000)
}

fn main() {
    let mut criterion = configured().configure_from_args();
    primitives::products(&mut criterion);
    families::schemes(&mut criterion);
    criterion.final_summary();
}
