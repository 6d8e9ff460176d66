//! What a plan must do when what it is made of changes.

use std::{fs, path::Path};

use super::*;
use crate::{full_report::run::read_lines, scale::recorded::Recorded};

fn file(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn shipped() -> (Coefficients, Assumptions) {
    let recorded = Recorded::new("run", &read_lines(&file("data/scale/run.jsonl"))).unwrap();
    let assumptions = Assumptions::parse("shipped", &file("data/scale/assumptions.toml")).unwrap();
    let lines = read_lines(&file("../../docs/report/measurements.jsonl"));
    let coefficients = Coefficients::new(&lines, &recorded, assumptions.load.keys).unwrap();
    (coefficients, assumptions)
}

#[test]
fn twice_the_look_ups_are_twice_the_bytes_and_more_servers() {
    let (coefficients, mut assumptions) = shipped();
    // Whether caches have an answer depends on how often they are asked.
    assumptions.caches.places = 0;
    let before = Plan::new(&coefficients, &assumptions);
    assumptions.load.lookups_per_second *= 2.0;
    let after = Plan::new(&coefficients, &assumptions);
    for (one, other) in before.continents.iter().zip(&after.continents) {
        assert!((other.to_readers / one.to_readers - 2.0).abs() < 1e-9);
        assert!(
            other.servers >= 2.0 * one.servers - 1.0,
            "{other:?} after {one:?}"
        );
        // No plan uses more than it may.
        for used in [other.cores, other.disk_reads, other.network] {
            assert!(used <= assumptions.machine.used + 1e-9, "{other:?}");
        }
    }
    let prices = Prices::new(0.03, 0.1);
    let sent = |plan: &Plan| plan.dollars(&assumptions, &prices)[0].1;
    assert!((sent(&after) / sent(&before) - 2.0).abs() < 1e-9);
}

#[test]
fn longer_batches_store_less_and_caches_know_more() {
    let (coefficients, mut assumptions) = shipped();
    let before = Plan::new(&coefficients, &assumptions);
    assumptions.author.batch_seconds *= 10.0;
    let after = Plan::new(&coefficients, &assumptions);
    assert!(after.kept_bytes < before.kept_bytes);
    for (one, other) in before.continents.iter().zip(&after.continents) {
        assert!(other.hits > one.hits);
    }
}

#[test]
fn limits_are_in_order_and_grow_with_their_load() {
    let (coefficients, mut assumptions) = shipped();
    let used = |assumptions: &Assumptions| {
        let plan = Plan::new(&coefficients, assumptions);
        let limits = plan.limits(&coefficients, assumptions);
        assert!(limits.is_sorted_by(|one, other| one.used >= other.used));
        let author = limits.iter().find(|limit| limit.what.contains("straight"));
        author.unwrap().used
    };
    let before = used(&assumptions);
    assumptions.load.updates_per_second *= 2.0;
    let after = used(&assumptions);
    assert!(
        (after / before - 2.0).abs() < 0.01,
        "{after} after {before}"
    );
}
