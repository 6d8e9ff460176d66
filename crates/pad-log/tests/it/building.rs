//! Deferred logs whose nodes are built in steps, over many appends ([`Building::Credit`]). The
//! nodes must equal those built within one append ([`Building::AtOnce`]), and no append does much
//! work.

use std::collections::BTreeSet;

use pad_accumulators::wire;
use pad_conformance::soak;
use pad_core::Workers;
use pad_log::{
    AadCounted, AadFrontier, AasCounted, AasFrontier, Building, DictionaryScheme, Entries, Entry,
    Log, Schedule, Scheme, SetScheme,
    internals::{Address, BuildProgress},
};
use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use crate::support::{log, look_up, members, pair};

fn deferred<S: Scheme>(top_level: u8) -> Log<S> {
    log(8, top_level, Schedule::Deferred)
}

fn empty<S: Scheme>(log: &Log<S>, building: Building) -> Entries<S> {
    let entries = Entries::new(log.clone(), Workers::sequential()).unwrap();
    entries.with_building(building)
}

fn size_of(all: &[Entry]) -> u64 {
    u64::try_from(all.len()).unwrap()
}

/// Pairs with 37 different keys in turn.
fn some_pairs(count: usize) -> Vec<Entry> {
    let entry = |i: usize| pair(&format!("key {}", i % 37), &format!("{i}"));
    (0..count).map(entry).collect()
}

/// The top level of a frontier set, and a number of members that fills a tree of that level.
fn frontier_set() -> (u8, usize) {
    soak::size((4, 34), (5, 66))
}

/// Appends the missing entries up to `size`.
fn grow<S: Scheme>(entries: &mut Entries<S>, all: &[Entry], size: u64) {
    let (from, to) = (entries.as_slice().len(), usize::try_from(size).unwrap());
    for entry in &all[from..to] {
        entries.push(entry.clone()).unwrap();
    }
    entries.build().unwrap();
}

/// Checks that digest, roots and proofs at `size` are equal.
fn assert_same<S: Scheme>(made: &Entries<S>, oracle: &Entries<S>, size: u64) {
    assert_eq!(made.digest(size), oracle.digest(size), "{size}");
    assert_eq!(made.roots(size), oracle.roots(size), "{size}");
    let from = size / 3;
    let [made_proof, oracle_proof] =
        [made, oracle].map(|entries| wire::encode(&entries.prove_append_only(from, size)));
    assert_eq!(made_proof, oracle_proof, "{size}");
    for position in [0, size / 2, size.saturating_sub(1)] {
        if position < size {
            let [made, oracle] = [made, oracle]
                .map(|entries| wire::encode(&entries.prove_inclusion(size, position)));
            assert_eq!(made, oracle, "{size}");
        }
    }
}

fn assert_same_values<S: DictionaryScheme>(made: &Entries<S>, oracle: &Entries<S>, size: u64) {
    for asked in ["key 3", "no key"] {
        let [made, oracle] = [made, oracle].map(|entries| look_up(entries, size, asked));
        assert_eq!(made, oracle, "{size} {asked}");
    }
}

fn assert_same_absence<S: SetScheme>(made: &Entries<S>, oracle: &Entries<S>, size: u64) {
    let [made, oracle] = [made, oracle].map(|entries| {
        let proof = entries.prove_absence(size, b"no member").unwrap().unwrap();
        wire::encode(&proof)
    });
    assert_eq!(made, oracle, "{size}");
}

/// Compares random batches, some of them undone, with a log that builds its nodes at once.
fn check_batches<S: Scheme>(
    (log, all): (&Log<S>, &[Entry]),
    longest: u64,
    seed: u64,
    check: impl Fn(&Entries<S>, &Entries<S>, u64),
) {
    println!("seed {seed}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut oracle = empty(log, Building::AtOnce);
    let mut made = empty(log, Building::Credit);
    while made.size() < size_of(all) {
        let size = (made.size() + random.random_range(1..=longest)).min(size_of(all));
        if random.random_range(0..3) == 0 {
            let before = made.size();
            grow(&mut made, all, size);
            made.truncate(before);
        }
        grow(&mut oracle, all, size);
        grow(&mut made, all, size);
        assert_same(&made, &oracle, size);
        if random.random_range(0..4) == 0 {
            check(&made, &oracle, size);
        }
    }
    check(&made, &oracle, size_of(all));
}

#[test]
fn nodes_by_credit_are_those_made_at_once() {
    let all = some_pairs(300);
    let [few, some] = soak::size([70, 150], [300, 300]);
    for (top_level, longest, count) in [(4, 12, few), (6, 40, 300), (8, 5, some), (13, 100, 300)] {
        let log = deferred::<AadCounted>(top_level);
        let seed = u64::from(top_level);
        check_batches((&log, &all[..count]), longest, seed, assert_same_values);
    }
    let log = deferred::<AasCounted>(7);
    check_batches((&log, &members(150)), 20, 5, assert_same_absence);
}

#[test]
fn frontiers_by_credit_are_those_made_at_once() {
    // The first tree is first used at 32 entries. Work on the second one begins at 40, so only the
    // soak test reaches it.
    let all = some_pairs(soak::size(35, 42));
    let log = deferred::<AadFrontier>(4);
    check_batches((&log, &all), 1, 1, assert_same_values);
    // The soak test has trees of 32 too, with higher rows of groups.
    let (top_level, count) = frontier_set();
    let log = deferred::<AasFrontier>(top_level);
    check_batches((&log, &members(count)), 5, 11, assert_same_absence);
}

/// Appends and truncates at every size. The log then continues as if the truncated entries had
/// never been appended.
#[test]
fn logs_go_on_after_every_truncation() {
    let all = some_pairs(140);
    let log = deferred::<AadCounted>(6);
    let mut oracle = empty(&log, Building::AtOnce);
    grow(&mut oracle, &all, size_of(&all));
    let mut made = empty(&log, Building::Credit);
    // The step is odd, so that the sizes end at every place of a block.
    for size in (0..size_of(&all)).step_by(soak::size(3, 1)) {
        grow(&mut made, &all, size);
        for after in [1, 8, 33, 140] {
            grow(&mut made, &all, (size + after).min(size_of(&all)));
            made.truncate(size);
            assert_eq!(made.digest(size), oracle.digest(size));
        }
    }
    for size in (0..=size_of(&all)).rev() {
        made.truncate(size);
        made.build().unwrap();
    }
    grow(&mut made, &all, size_of(&all));
    assert_same(&made, &oracle, size_of(&all));
}

/// Nodes built for a refused update are kept. A party that relays updates therefore cannot cause
/// the work twice.
#[test]
fn a_node_that_was_put_in_and_undone_is_taken_back() {
    let all = some_pairs(64);
    let mut made = empty(&deferred::<AadCounted>(6), Building::Credit);
    grow(&mut made, &all, 63);
    let before = made.progress();
    grow(&mut made, &all, 64);
    made.truncate(63);
    let nodes =
        |progress: &[BuildProgress]| progress.iter().map(|job| job.node).collect::<Vec<_>>();
    assert_eq!(nodes(&made.progress()), nodes(&before));
    assert!(made.progress().iter().all(|job| job.done == job.steps));
}

/// Discarding jobs at any progress and beginning them again must not change the log.
#[test]
fn jobs_may_be_begun_anew_at_any_time() {
    let all = some_pairs(100);
    let log = deferred::<AadCounted>(6);
    let mut oracle = empty(&log, Building::AtOnce);
    let mut made = empty(&log, Building::Credit);
    for size in 0..=size_of(&all) {
        grow(&mut oracle, &all, size);
        grow(&mut made, &all, size);
        assert_same(&made, &oracle, size);
        let building = match size % 3 {
            0 => Building::AtOnce,
            _ => Building::Credit,
        };
        made = made.with_building(building);
    }
}

/// Checks, by counting steps, that an append runs at most the share of each job. Returns the most
/// steps of one append.
fn check_shares<S: Scheme>(log: &Log<S>, all: &[Entry]) -> usize {
    let shape = log.shape();
    let mut entries = empty(log, Building::Credit);
    let mut most = 0;
    for size in 1..=size_of(all) {
        let before = entries.progress();
        grow(&mut entries, all, size);
        let after = entries.progress();
        let levels: BTreeSet<u8> = after.iter().map(|job| job.node.level).collect();
        assert_eq!(levels.len(), after.len(), "one job a level at most");
        let mut run = 0;
        for job in &before {
            let half = usize::try_from(job.node.width() / 2).unwrap();
            let share = job.steps.div_ceil(half);
            let now = after.iter().find(|now| now.node == job.node);
            let done = now.map_or(job.steps, |now| now.done) - job.done;
            assert!(done <= share, "{size}: {done} of {job:?}");
            run += done;
        }
        for job in &after {
            let is_new = before.iter().all(|other| other.node != job.node);
            assert!(!is_new || job.done == 0, "{size}: {job:?}");
        }
        // A node that this append makes available was under construction, and only this append's
        // share was left.
        for level in 4..=shape.top_level() {
            let node = Address::holding(level, size).index.checked_sub(2);
            let node = node.map(|index| Address { level, index });
            if let Some(node) = node.filter(|node| shape.available_from(*node) == size) {
                assert!(before.iter().any(|job| job.node == node), "{node:?}");
                assert!(after.iter().all(|job| job.node != node), "{node:?}");
            }
        }
        most = most.max(run);
    }
    most
}

#[test]
fn no_append_runs_more_than_its_share() {
    // Counted schemes have few steps, so a share is one step of each level.
    let most = check_shares(&deferred::<AadCounted>(8), &some_pairs(600));
    assert!((1..=5).contains(&most), "{most}");
    let (top_level, count) = frontier_set();
    check_shares(&deferred::<AasFrontier>(top_level), &members(count));
}

/// A batch gets the credit of all its appends. A batch that passes a whole window builds the node
/// at once.
#[test]
fn batches_are_in_no_way_behind() {
    let all = some_pairs(500);
    let log = deferred::<AadCounted>(8);
    let mut single = empty(&log, Building::Credit);
    let mut batch = empty(&log, Building::Credit);
    for size in 1..=size_of(&all) {
        grow(&mut single, &all, size);
        if size % 23 == 0 {
            grow(&mut batch, &all, size);
            assert_eq!(batch.progress(), single.progress(), "{size}");
        }
    }
}

#[test]
fn eager_logs_have_no_jobs() {
    let log = log::<AadCounted>(8, 6, Schedule::Eager);
    let all = some_pairs(100);
    let mut entries = empty(&log, Building::Credit);
    for size in 1..=size_of(&all) {
        grow(&mut entries, &all, size);
        assert_eq!(entries.progress(), []);
    }
}
