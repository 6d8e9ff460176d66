//! Tests of `bench::full_report::processors`.

use std::time::{Duration, Instant};

use bench::full_report::processors::ProcessorUse;

/// Counts of ticks: of all processors, and of this process.
fn counts(at: Instant, all: u64, own: u64) -> ProcessorUse {
    let stat = format!("cpu  {all} 0 0 0 0 0 0 0 0 0\n");
    let own = format!("77 (x) S 1 2 3 4 5 6 7 8 9 10 {own} 0 0 0 0 0");
    ProcessorUse::parse(at, &stat, &own).unwrap()
}

#[test]
fn ticks_are_those_of_the_manual() {
    let stat = "cpu  10 1 5 1000 70 2 3 4 9 9\ncpu0 1 2 3\n";
    let own = "77 (a (name) b) S 1 2 3 4 5 6 7 8 9 10 100 20 3 4 0 0";
    let none = "77 (a (name) b) S 1 2 3 4 5 6 7 8 9 10 0 0 0 0 0 0";
    let at = Instant::now();
    let later = at + Duration::from_secs(1);
    let start = counts(at, 0, 0);
    // A second has 100 ticks.
    let busy = ProcessorUse::parse(later, stat, none).unwrap();
    assert_eq!(busy.of_others_since(&start), Some(0.25));
    let all = "cpu  1127 0 0 0 0 0 0 0 0 0\n";
    let both = ProcessorUse::parse(later, all, own).unwrap();
    assert_eq!(both.of_others_since(&start), Some(10.0));
    assert!(ProcessorUse::parse(at, "cpu 1 2", own).is_none());
    assert!(ProcessorUse::parse(at, stat, "77 (x) S 1").is_none());
}

#[test]
fn what_children_use_is_not_of_others() {
    let at = Instant::now();
    let before = counts(at, 100, 10);
    let after = counts(at + Duration::from_secs(2), 500, 210);
    let others = after.of_others_since(&before).unwrap();
    assert!((others - 1.0).abs() < 1e-9, "{others}");
}
