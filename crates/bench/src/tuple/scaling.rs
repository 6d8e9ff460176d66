//! Experiment `scaling`: several servers that each store a part of the keys of a dictionary, and
//! several that each store all keys.
//!
//! Only one machine is measured, without a network. The times of several machines are computed from
//! its times.
//!
//! - A *partition* is a mirror of some keys (`pad mirror --keys`, [`TreePart`]), which only trees
//!   support. It receives each head, and the changes of its keys in a proof. So an update takes as
//!   long as on the slowest mirror.
//! - A *replica* is a mirror of all keys behind a router. It receives every update and its share of
//!   the lookups. So `R` replicas with `r` lookups for each update answer one lookup in a time of
//!   `prove / R + apply / r`.
//!
//! Source: Crosby & Wallach 2010, section 9.

use std::{
    hint::black_box,
    num::NonZeroUsize,
    thread,
    time::{Duration, Instant},
};

use pad_core::{Key, KeyRange, Keys, Operation, Repository as _, Untrusted, Version};
use pad_tree::{PartProgress, RedBlackCacheEverywhere, TreePart};
use pad_tuple::{
    TupleRepository,
    designs::{BaseSuperseding, SpecLightweight},
    internals::Design,
};

use super::{Task, instrument::PlainSuite, macrobenchmark::TREE};
use crate::{
    dictionary::{MeasuredRepository, UpdateOf, new_author, new_repository, public_key, publish},
    line,
    prelude::*,
    secret::FixedSecret,
    workload::{hashed_key, put_hashed, value},
};

/// Numbers of threads on which lookups are measured.
type Threads<'a> = &'a [NonZeroUsize];

/// Name of a design, and the function that measures it with each given number of threads.
type ScalingDesign = (
    &'static str,
    fn(&Task<'_>, Threads<'_>, &mut Report) -> Outcome<()>,
);

/// Measured designs: the tuple design with the largest updates, the one with the smallest, and the
/// tree.
pub const DESIGNS: [ScalingDesign; 3] = [
    ("base-superseding", tuples::<BaseSuperseding>),
    ("spec-lightweight", tuples::<SpecLightweight>),
    (TREE, tree),
];

/// Tree of a server with all keys. [`Part`] is a mirror of some keys.
type Tree = RedBlackCacheEverywhere<PlainSuite>;
type Part = TreePart<PlainSuite>;

/// Numbers of machines for which times are reported.
const MACHINES: [usize; 4] = [1, 2, 4, 8];

/// Numbers of lookups per update for which the lookups per second of replicas are computed.
const LOOKUPS_PER_UPDATE: [f64; 3] = [1.0, 100.0, 10_000.0];

fn tuples<D>(task: &Task<'_>, threads: Threads<'_>, report: &mut Report) -> Outcome<()>
where
    D: Design<PlainSuite, Secret: FixedSecret>,
{
    let updates = updates::<TupleRepository<PlainSuite, D>>(task)?;
    Whole::<TupleRepository<PlainSuite, D>>::new(&updates)?.replicas(task, threads, report)
}

fn tree(task: &Task<'_>, threads: Threads<'_>, report: &mut Report) -> Outcome<()> {
    let updates = updates::<Tree>(task)?;
    let whole = Whole::<Tree>::new(&updates)?;
    for machines in MACHINES {
        report.announce(format!("{}, {machines} partitions", task.design));
        let (slowest, memory) = partitions(&updates, machines)?;
        let (snapshots, slowest_us) = (slowest.len(), median(slowest));
        report.measured(line! {
            experiment: "tuple_partitions", design: task.design, keys: task.keys, threads: 1,
            partitions: machines, snapshots, whole_us: whole.apply_us,
            slowest_partition_us: slowest_us, gain: whole.apply_us / slowest_us, limit: machines,
            memory_of_a_partition: memory as f64 / whole.repository.memory_bytes() as f64,
            model: "measured one by one, with the proofs that another server makes; all machines \
                at work at the same time",
        })?;
    }
    whole.replicas(task, threads, report)
}

/// Makes the updates of a workload: first a snapshot of all keys, then snapshots of one new value
/// each.
fn updates<R: MeasuredRepository>(task: &Task<'_>) -> Outcome<Vec<UpdateOf<R>>> {
    let mut author = new_author::<R>(signing_key());
    let load = (0..task.keys).map(put_hashed).collect();
    let mut updates = vec![publish(&mut author, load)?];
    let (mut random, start) = (Random::new(9), Instant::now());
    let most = if task.quick { 3 } else { 200 };
    while updates.len() <= most && start.elapsed() < task.limit {
        let (index, new) = (random.below(task.keys), task.keys + updates.len() as u64);
        let change = Operation::Put(hashed_key(index), value(new));
        updates.push(publish(&mut author, vec![change])?);
    }
    Ok(updates)
}

/// Server with all keys, after all updates, and its median time to apply one.
struct Whole<R: MeasuredRepository> {
    repository: R,
    apply_us: f64,
}

impl<R: MeasuredRepository + Sync> Whole<R> {
    fn new(updates: &[UpdateOf<R>]) -> Outcome<Self> {
        let (mut repository, mut timings) = (new_repository::<R>(), Timings::default());
        let (load, rest) = updates.split_first().ok_or("no updates")?;
        repository.apply(load)?;
        for update in rest {
            timings.time(1, || repository.apply(update))?;
        }
        Ok(Self {
            repository,
            apply_us: timings.median_us(),
        })
    }

    /// Measures lookups on each number of threads of this machine. Computes the lookups per second
    /// of several machines from the time on the first number of threads.
    fn replicas(&self, task: &Task<'_>, threads: Threads<'_>, report: &mut Report) -> Outcome<()> {
        let mut first = None;
        for threads in threads {
            report.announce(format!("{}, look-ups on {threads} threads", task.design));
            let per_second = self.lookups_per_second(task, *threads);
            let first = *first.get_or_insert(per_second);
            report.measured(line! {
                experiment: "tuple_lookup_threads", design: task.design, keys: task.keys, threads,
                lookups_per_second: per_second, gain: per_second / first, limit: threads,
            })?;
        }
        let prove_us = 1e6 / first.ok_or("no number of threads")?;
        for lookups_per_update in LOOKUPS_PER_UPDATE {
            let per_second = |replicas: usize| {
                1e6 / (prove_us / replicas as f64 + self.apply_us / lookups_per_update)
            };
            for replicas in MACHINES {
                report.line(line! {
                    experiment: "tuple_replicas", design: task.design, keys: task.keys, replicas,
                    lookups_per_update, prove_us, apply_us: self.apply_us,
                    lookups_per_second: per_second(replicas),
                    gain: per_second(replicas) / per_second(1), limit: replicas,
                    model: "computed: every replica takes every update and its share of the \
                        look-ups",
                })?;
            }
        }
        Ok(())
    }

    /// Returns the lookups per second of `threads` threads that query one repository in parallel.
    /// No thread waits for another.
    fn lookups_per_second(&self, task: &Task<'_>, threads: NonZeroUsize) -> f64 {
        let budget = if task.quick {
            Duration::from_millis(5)
        } else {
            Duration::from_secs(2)
        };
        let latest = self.repository.latest();
        let ask = |seed: usize| {
            let (mut random, mut asked, start) = (Random::new(seed as u64), 0_u32, Instant::now());
            while start.elapsed() < budget {
                for _ in 0..64 {
                    let key = hashed_key(random.below(task.keys));
                    let proof = self.repository.prove_answer(latest, &key);
                    black_box(proof).expect("bench: the version exists");
                }
                asked += 64;
            }
            f64::from(asked) / start.elapsed().as_secs_f64()
        };
        thread::scope(|scope| {
            let asking: Vec<_> = (0..threads.get())
                .map(|seed| scope.spawn(move || ask(seed)))
                .collect();
            let rates = asking.into_iter().map(thread::ScopedJoinHandle::join);
            rates
                .map(|rate| rate.expect("bench: look-ups do not fail"))
                .sum()
        })
    }
}

/// Measures `machines` mirrors, each of a part of the keys, one after the other. Returns for each
/// update the microseconds of the slowest mirror. Also returns the bytes of memory of the largest
/// mirror.
fn partitions(updates: &[UpdateOf<Tree>], machines: usize) -> Outcome<(Vec<f64>, usize)> {
    let authority = *public_key::<Tree>().authority();
    let part = |number| {
        let [start, end] = [number, number + 1].map(|part| boundary(part, machines));
        Part::new(authority, KeyRange { start, end })
    };
    let mut parts = (0..machines).map(part).collect::<Result<Vec<_>, _>>()?;
    let (mut upstream, mut slowest) = (new_repository::<Tree>(), Vec::new());
    for update in updates {
        let version = upstream.apply(update)?;
        let mut slowest_us = 0.0_f64;
        for part in &mut parts {
            let (us, followed) = stopwatch(|| follow(part, &upstream, update, version));
            followed?;
            slowest_us = slowest_us.max(us);
        }
        slowest.push(slowest_us);
    }
    // The first update loads all keys, and is not counted.
    slowest.remove(0);
    let memory = parts.iter().map(Part::memory_bytes).max();
    Ok((slowest, memory.unwrap_or(0)))
}

/// Updates a mirror to `version`, which `upstream` has. First takes the changed keys in one proof,
/// then the ranges that are still missing.
fn follow(
    part: &mut Part,
    upstream: &Tree,
    update: &UpdateOf<Tree>,
    version: Version,
) -> Outcome<()> {
    let changed = part.follow(update)?;
    part.load(version)?;
    if let Some(keys) = Keys::new(changed) {
        part.take_keys(&keys, Untrusted::new(upstream.prove_query(version, &keys)?))?;
    }
    while let PartProgress::Missing(range) = part.progress()? {
        let proof = upstream.prove_query(version, &range)?;
        part.take_range(&range, Untrusted::new(proof))?;
    }
    Ok(())
}

/// Returns the key at which the part number `part` of `parts` begins; `None` if it has no bound.
/// Parts have about equally many keys, because the keys of these workloads are uniform.
fn boundary(part: usize, parts: usize) -> Option<Key> {
    let start = ((part as u128) << 64) / parts as u128;
    let start = u64::try_from(start).ok().filter(|start| *start > 0)?;
    Some(Key::new(start.to_be_bytes()).expect("bench: eight bytes are a key"))
}
