//! Tests of `bench::tree::batch`.

use std::collections::HashSet;

use bench::{report::Report, tree::BatchArguments};
use pad_core::Operation;

use crate::arguments::parsed;

fn batches(arguments: &str) -> BatchArguments {
    parsed(&arguments.split(' ').collect::<Vec<_>>())
}

#[test]
fn measures_every_number_of_threads() {
    let batches = batches("--keys 2000 --batch 700 --snapshots 2 --threads 1,2");
    let mut report = Report::new(false, true).unwrap();
    batches.measure(&mut report).unwrap();
    let threads = report.lines().iter().map(|line| line.count("threads"));
    assert_eq!(threads.collect::<Vec<_>>(), [1, 2]);
    for line in report.lines() {
        assert_eq!((line.count("snapshots"), line.count("batch")), (2, 700));
        // More nodes than a perfect tree's above 700 leaves, fewer than there are.
        assert!((699.0..2_000.0).contains(&line.figure("node_hashes_per_snapshot")));
    }
}

#[test]
fn batches_update_distinct_keys() {
    let batches = batches("--keys 50 --batch 50 --snapshots 1");
    let updates = batches.updates(1);
    let keys: HashSet<_> = updates.iter().map(Operation::key).collect();
    assert_eq!(keys.len(), 50);
}
