//! Servers that share the keys of a dictionary, and servers that each hold all of it.
//!
//! What one machine takes is measured, on one thread; machines that work at the same time are computed from that. A
//! *partition* takes its part of each update from a splitter, which sees all of it, so updates come as fast as the
//! slower of the splitter and the slowest partition. A *replica* takes every update and its share of the look-ups, so `R`
//! replicas that answer `r` look-ups for each update answer one each `prove / R + apply / r`.
//!
//! Source: Crosby & Wallach 2010, section 9.

use std::{
    hint::black_box,
    num::NonZeroUsize,
    thread,
    time::{Duration, Instant},
};

use pad_core::{Key, Operation, Version};
use pad_tree::RedBlackCacheEverywhere;
use pad_tuple::{
    BaseSuperseding, Design, DivisibleDesign, SpecLightweight, TupleRepository,
    partition::{Partition, Splitter},
};

use super::{Task, instrument::PlainSuite, macrobenchmark::TREE};
use crate::{
    dictionary::{Measured, UpdateOf, new_author, new_repository, public_key, publish},
    line,
    prelude::*,
    primitives::Primitives,
    secret::FixedSecret,
    workload::{hashed_key, put_hashed, value},
};

/// A design's name, and what measures it with so many threads.
type Scaled = (
    &'static str,
    fn(&Task<'_>, &[NonZeroUsize], &mut Report) -> Outcome<()>,
);

/// The designs: the one with the largest updates, the one with the smallest, and the tree, whose partitions need a
/// coordinator for the levels that they share.
pub const DESIGNS: [Scaled; 3] = [
    ("base-superseding", tuples::<BaseSuperseding>),
    ("spec-lightweight", tuples::<SpecLightweight>),
    (TREE, tree),
];

/// The numbers of machines.
const MACHINES: [usize; 4] = [1, 2, 4, 8];

/// Look-ups for each update, of replicas.
const LOOKUPS_PER_UPDATE: [f64; 3] = [1.0, 100.0, 10_000.0];

fn tuples<D>(task: &Task<'_>, threads: &[NonZeroUsize], report: &mut Report) -> Outcome<()>
where
    D: DivisibleDesign<PlainSuite> + Design<PlainSuite, Secret: FixedSecret>,
{
    let updates = updates::<TupleRepository<PlainSuite, D>>(task)?;
    let whole = Whole::<TupleRepository<PlainSuite, D>>::new(&updates)?;
    for machines in MACHINES {
        report.announce(format!("{}, {machines} partitions", task.design));
        let (splitter, slowest, memory) = partitions::<D>(&updates, machines)?;
        let line = line! {
            snapshots: splitter.operations(), splitter_us: splitter.median_us(),
            slowest_partition_us: slowest.median_us(),
            memory_of_a_partition: memory as f64 / whole.repository.memory_bytes() as f64,
            model: "measured one by one; all machines at work at the same time",
        };
        report.measured(whole.partitioned(task, machines, &line))?;
    }
    whole.replicas(task, threads, report)
}

/// Every update concerns one of the equal parts of the keys; the coordinator checks the signature and hashes the levels
/// above the parts.
fn tree(task: &Task<'_>, threads: &[NonZeroUsize], report: &mut Report) -> Outcome<()> {
    let updates = updates::<RedBlackCacheEverywhere<PlainSuite>>(task)?;
    let whole = Whole::<RedBlackCacheEverywhere<PlainSuite>>::new(&updates)?;
    let primitives = Primitives::measure::<PlainSuite>(&task.effort);
    let rest_us = (whole.apply_us - primitives.verify_signature_us).max(0.0);
    for machines in MACHINES {
        let levels = f64::from(machines.ilog2());
        let line = line! {
            snapshots: whole.snapshots,
            splitter_us: levels.mul_add(primitives.node_hash_ns / 1e3, primitives.verify_signature_us),
            slowest_partition_us: rest_us / machines as f64,
            memory_of_a_partition: 1.0 / machines as f64,
            model: "computed: signature and upper levels at one place, the rest where the key is",
        };
        report.measured(whole.partitioned(task, machines, &line))?;
    }
    whole.replicas(task, threads, report)
}

/// A first snapshot of all keys, and further ones of one new value each.
fn updates<R: Measured>(task: &Task<'_>) -> Outcome<Vec<UpdateOf<R>>> {
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

/// A repository that is not divided, after all updates.
struct Whole<R: Measured> {
    repository: R,
    apply_us: f64,
    snapshots: usize,
}

impl<R: Measured + Sync> Whole<R> {
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
            snapshots: timings.operations(),
        })
    }

    /// The line of so many partitions, which took what `measured` says.
    fn partitioned(&self, task: &Task<'_>, machines: usize, measured: &Line) -> Line {
        let [splitter_us, slowest_us] =
            ["splitter_us", "slowest_partition_us"].map(|key| measured.figure(key));
        let line = line! {
            experiment: "tuple_partitions", design: task.design, keys: task.keys, threads: 1,
            partitions: machines, whole_us: self.apply_us,
        };
        line.merged(measured).merged(&line! {
            updates_per_second: 1e6 / splitter_us.max(slowest_us),
            gain: self.apply_us / splitter_us.max(slowest_us),
            gain_of_partitions_alone: self.apply_us / slowest_us, limit: machines,
        })
    }

    /// Look-ups on threads of this machine, and on machines.
    fn replicas(
        &self,
        task: &Task<'_>,
        threads: &[NonZeroUsize],
        report: &mut Report,
    ) -> Outcome<()> {
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
                    model: "computed: every replica takes every update and its share of the look-ups",
                })?;
            }
        }
        Ok(())
    }

    /// The look-ups of so many threads in one repository, none of which waits for another.
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

/// Splitter and partitions one after the other: the splitter's times, those of the slowest partition of each update, and
/// the bytes of the largest partition.
fn partitions<D>(
    updates: &[UpdateOf<TupleRepository<PlainSuite, D>>],
    machines: usize,
) -> Outcome<(Timings, Timings, usize)>
where
    D: DivisibleDesign<PlainSuite> + Design<PlainSuite, Secret: FixedSecret>,
{
    let public = public_key::<TupleRepository<PlainSuite, D>>();
    let authority = *public.authority();
    let boundaries = (1..machines).map(|part| boundary(part, machines)).collect();
    let mut splitter =
        Splitter::<PlainSuite>::new::<D>(authority, boundaries).ok_or("no such boundaries")?;
    let ranges = splitter.ranges().into_iter();
    let partition =
        |range| Partition::<PlainSuite, D>::new(authority, D::key(&D::Secret::fixed()), range);
    let mut partitions: Vec<_> = ranges.map(partition).collect();
    let (mut splitting, mut slowest) = (Timings::default(), Timings::default());
    for (number, update) in updates.iter().enumerate() {
        let mut split = Timings::default();
        let parts = split.time(1, || splitter.split::<D>(update))?;
        let mut of_update: Option<Timings> = None;
        for (partition, part) in partitions.iter_mut().zip(&parts) {
            let mut timings = Timings::default();
            timings.time(1, || partition.apply(part))?;
            let is_slower = |slowest: &Timings| slowest.total() < timings.total();
            if of_update.as_ref().is_none_or(is_slower) {
                of_update = Some(timings);
            }
        }
        // The first one loads.
        if number > 0 {
            splitting.extend(&split);
            slowest.extend(&of_update.ok_or("no partitions")?);
        }
    }
    let latest = Version::new(updates.len() as u64);
    if partitions
        .iter()
        .any(|partition| partition.latest() != latest)
    {
        return Err("a partition lacks an update".into());
    }
    let memory = partitions.iter().map(Partition::memory_bytes).max();
    Ok((splitting, slowest, memory.unwrap_or(0)))
}

/// Where a part of the keys begins: those of these workloads are uniform.
fn boundary(part: usize, parts: usize) -> Key {
    let start = ((part as u128) << 64) / parts as u128;
    let start = u64::try_from(start).unwrap_or(u64::MAX);
    Key::new(start.to_be_bytes()).expect("bench: eight bytes are a key")
}
