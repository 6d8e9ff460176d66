//! Runs a check on many random traces, from one printed seed.

use std::{cell::Cell, env};

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use crate::{Action, Random, soak, strategies::arb_trace};

/// Returns the number of random traces that a test runs: `PAD_TRACES`, else `PROPTEST_CASES`, else
/// 10, or 90 under `make soak`. Over the twelve tree PADs, a soak runs more than a thousand.
#[track_caller]
pub fn count() -> u32 {
    let set = |name| env::var(name).ok()?.parse().ok();
    let usual = soak::size(10, 90);
    set("PAD_TRACES")
        .or_else(|| set("PROPTEST_CASES"))
        .unwrap_or(usual)
}

/// Returns the seed of all randomness: `PAD_SEED`, or 1 if it is not set.
pub fn seed() -> u64 {
    env::var("PAD_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

/// Runs `check` on [`count`]` / share` random traces, at least one, of at most `steps` steps. A
/// failing trace is shrunk before it is reported.
#[track_caller]
pub fn check_traces(name: &str, share: u32, steps: usize, check: impl Fn(&[Action])) {
    run(name, (count() / share).max(1), steps, &check);
}

/// Runs `check` on `cases` random traces of at most `steps` steps. This function is not generic, so
/// proptest's runner is compiled only once.
fn run(name: &str, cases: u32, steps: usize, check: &dyn Fn(&[Action])) {
    let seed = seed();
    let mixed = name.bytes().fold(seed, |mixed, byte| {
        Random::new(mixed ^ u64::from(byte)).next_bits()
    });
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &Random::new(mixed).bytes(32));
    let ran = Cell::new(0_u32);
    let outcome = TestRunner::new_with_rng(config, rng).run(&arb_trace(steps), |actions| {
        ran.set(ran.get() + 1);
        check(&actions);
        Ok::<(), TestCaseError>(())
    });
    println!("{name}: {} traces with PAD_SEED={seed}", ran.get());
    if let Err(error) = outcome {
        panic!("{name} with PAD_SEED={seed}: {error}");
    }
}
