//! Large snapshots: many updates of existing keys at once, on several threads.

use std::{collections::HashSet, hint::black_box, num::NonZeroUsize};

use pad_core::{Dictionary, Domain, Key, Operation, Repository, Suite, Update, Value, Workers};
use pad_tree::{Authenticated, BalancingScheme, Keys, TreeRepository, TreeScheme, VersionedStore};
use rayon::prelude::*;

use crate::{
    Outcome,
    author::new_author,
    configuration::Job,
    machine::Machine,
    memory,
    primitives::signing_key,
    record::BatchRecord,
    server::{authority, inner_nodes},
    timing::{Timings, rounded},
    workload::{Random, key, put, value},
};

/// What to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batches {
    /// The number of keys, loaded in the first snapshot.
    pub keys: u64,
    /// The number of updates of existing keys in each further snapshot.
    pub batch: usize,
    /// The number of further snapshots.
    pub snapshots: u64,
    /// The numbers of threads, one after the other.
    pub threads: Vec<NonZeroUsize>,
}

impl Batches {
    /// All keys, in no order.
    fn load(&self) -> Vec<Operation> {
        (0..self.keys).map(put).collect()
    }

    /// New values for distinct random keys, in no order.
    fn updates(&self, snapshot: u64) -> Vec<Operation> {
        let mut random = Random::new(snapshot);
        let mut chosen = HashSet::with_capacity(self.batch);
        let mut operations = Vec::with_capacity(self.batch);
        while operations.len() < self.batch {
            let index = random.below(self.keys);
            if chosen.insert(index) {
                operations.push(Operation::Put(key(index), value(index ^ (snapshot << 40))));
            }
        }
        operations
    }
}

impl Job for &Batches {
    type Output = Outcome<Vec<BatchRecord>>;

    fn run<S: Suite, St>(self) -> Outcome<Vec<BatchRecord>>
    where
        St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
    {
        if u64::try_from(self.batch)? > self.keys {
            return Err("a batch cannot update more keys than there are".into());
        }
        let passes = self
            .threads
            .iter()
            .map(|threads| Pass::run::<S, St>(self, *threads));
        let passes = passes.collect::<Outcome<Vec<_>>>()?;
        let machine = Machine::current();
        let record = |pass| record::<S, St>(self, &passes[0], pass, &machine);
        Ok(passes.iter().map(record).collect())
    }
}

/// What was measured on one number of threads.
struct Pass {
    threads: usize,
    author_load_ms: f64,
    server_load_ms: f64,
    author: Timings,
    server: Timings,
    bare: Timings,
    scattered: Timings,
    nodes: usize,
    peak: u64,
}

impl Pass {
    fn run<S: Suite, St>(batches: &Batches, threads: NonZeroUsize) -> Outcome<Self>
    where
        St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
    {
        let workers = Workers::new(threads)?;
        let mut pass = Self {
            threads: threads.get(),
            author_load_ms: 0.0,
            server_load_ms: 0.0,
            author: Timings::default(),
            server: Timings::default(),
            bare: Timings::default(),
            scattered: Timings::default(),
            nodes: 0,
            peak: 0,
        };
        let updates = pass.publish::<S, St::Scheme>(batches, &workers)?;
        pass.apply::<S, St>(batches, &workers, &updates)?;
        pass.peak = memory::peak_resident_bytes();
        Ok(pass)
    }

    fn publish<S: Suite, B: BalancingScheme>(
        &mut self,
        batches: &Batches,
        workers: &Workers,
    ) -> Outcome<Vec<Update<S>>> {
        let author = new_author::<S, B, _>(signing_key());
        let mut author = author.with_workers(workers.clone());
        let (mut load, all) = (Timings::default(), batches.load());
        let mut updates = vec![load.time(1, || author.snapshot_of(all))?];
        self.author_load_ms = load.mean_us() / 1e3;
        for snapshot in 1..=batches.snapshots {
            let batch = batches.updates(snapshot);
            updates.push(self.author.time(1, || author.snapshot_of(batch))?);
        }
        if author.len() as u64 != batches.keys {
            return Err("an update of an existing key changed the number of keys".into());
        }
        Ok(updates)
    }

    fn apply<S: Suite, St>(
        &mut self,
        batches: &Batches,
        workers: &Workers,
        updates: &[Update<S>],
    ) -> Outcome<()>
    where
        St: VersionedStore<Annotation = Authenticated<S>> + Send + Sync,
    {
        let repository = TreeRepository::<S, St>::new(authority::<S, St::Scheme>());
        let mut repository = repository.with_workers(workers.clone());
        let bare = BareHashes::<S>::new(batches.keys);
        let mut load = Timings::default();
        let (first, rest) = updates.split_first().ok_or("there is no update")?;
        load.time(1, || repository.apply(first))?;
        self.server_load_ms = load.mean_us() / 1e3;
        for update in rest {
            let version = self.server.time(1, || repository.apply(update))?;
            // Old values of existing keys changed, so the shape did not: the touched nodes are
            // those that a proof of all updated keys opens.
            let keys: Vec<Key> = update
                .operations
                .iter()
                .map(|change| change.key().clone())
                .collect();
            let keys = Keys::new(keys).ok_or("an update is empty")?;
            let nodes = inner_nodes(&repository.prove_query(version, &keys)?)?;
            self.nodes += nodes;
            let leaves = batches.batch;
            self.bare
                .time(1, || bare.run(workers, nodes, leaves, |i| i % NEAR));
            self.scattered
                .time(1, || bare.run(workers, nodes, leaves, |i| bare.scatter(i)));
        }
        Ok(())
    }

    fn nodes_per_snapshot(&self) -> f64 {
        self.nodes as f64 / self.bare.operations().max(1) as f64
    }
}

/// As many hashes as a snapshot needs, and nothing else.
struct BareHashes<S: Suite> {
    /// As many digests as the tree has inner nodes.
    inputs: Vec<S::Digest>,
    leaf: (Key, Value),
}

impl<S: Suite> BareHashes<S> {
    fn new(keys: u64) -> Self {
        let keys = keys.max(NEAR as u64);
        Self {
            inputs: (0..keys).map(|i| S::value(&i.to_be_bytes())).collect(),
            leaf: (key(0), value(0)),
        }
    }

    /// A place anywhere among the inputs.
    fn scatter(&self, i: usize) -> usize {
        Random::new(i as u64).below(self.inputs.len() as u64) as usize
    }

    /// Hashes this many leaves, with their values, and nodes. One child of each node is at hand, as
    /// if it had just been computed; the other one, as if it had not changed, is read at `place`.
    fn run(
        &self,
        workers: &Workers,
        nodes: usize,
        leaves: usize,
        place: impl Fn(usize) -> usize + Sync,
    ) {
        let node = |i: usize| {
            let (left, right) = (&self.inputs[i % NEAR], &self.inputs[place(i)]);
            black_box(S::node(Domain::TreeNode, left, right));
        };
        let leaf = |_| {
            let (key, value) = &self.leaf;
            black_box(S::leaf(
                key.as_bytes(),
                &S::value(black_box(value.as_bytes())),
            ));
        };
        if workers.threads() == 1 {
            (0..leaves).for_each(leaf);
            (0..nodes).for_each(node);
        } else {
            workers.run(|| {
                (0..leaves)
                    .into_par_iter()
                    .with_min_len(PIECE)
                    .for_each(leaf);
                (0..nodes)
                    .into_par_iter()
                    .with_min_len(PIECE)
                    .for_each(node);
            });
        }
    }
}

/// The number of inputs that surely stay in the nearest cache.
const NEAR: usize = 256;

/// The fewest hashes that a thread is given.
const PIECE: usize = 512;

fn record<S: Suite, St: VersionedStore>(
    batches: &Batches,
    base: &Pass,
    pass: &Pass,
    machine: &Machine,
) -> BatchRecord {
    let median_ms = |timings: &Timings| timings.median_us() / 1e3;
    let [author, server] = [&pass.author, &pass.server].map(median_ms);
    let [bare, scattered] = [&pass.bare, &pass.scattered].map(median_ms);
    let [base_author, base_server, base_bare] =
        [&base.author, &base.server, &base.bare].map(median_ms);
    BatchRecord {
        experiment: "batch".to_owned(),
        scheme: St::Scheme::NAME.to_owned(),
        repository: St::NAME.to_owned(),
        suite: S::NAME.to_owned(),
        keys: batches.keys,
        batch: batches.batch,
        snapshots: pass.author.operations(),
        threads: pass.threads,
        author_load_ms: rounded(pass.author_load_ms),
        server_load_ms: rounded(pass.server_load_ms),
        author_snapshot_ms: rounded(author),
        author_snapshot_mean_ms: rounded(pass.author.mean_us() / 1e3),
        apply_ms: rounded(server),
        apply_mean_ms: rounded(pass.server.mean_us() / 1e3),
        bare_hashes_ms: rounded(bare),
        scattered_hashes_ms: rounded(scattered),
        author_speed: rounded(bare / author),
        apply_speed: rounded(bare / server),
        author_speed_scattered: rounded(scattered / author),
        apply_speed_scattered: rounded(scattered / server),
        author_speed_up: rounded(base_author / author),
        apply_speed_up: rounded(base_server / server),
        bare_speed_up: rounded(base_bare / bare),
        node_hashes_per_snapshot: rounded(pass.nodes_per_snapshot()),
        leaf_hashes_per_snapshot: 2.0 * batches.batch as f64,
        peak_resident_bytes: pass.peak,
        machine: machine.clone(),
    }
}

#[cfg(test)]
mod tests {
    use pad_core::Sha256Ed25519;
    use pad_tree::{PathCopying, RedBlack};

    use super::*;

    type Store = PathCopying<Authenticated<Sha256Ed25519>, RedBlack>;

    #[test]
    fn measures_every_number_of_threads() {
        let threads = [1, 2]
            .map(|threads| NonZeroUsize::new(threads).unwrap())
            .to_vec();
        let batches = Batches {
            keys: 2_000,
            batch: 700,
            snapshots: 2,
            threads,
        };
        let records = (&batches).run::<Sha256Ed25519, Store>().unwrap();
        assert_eq!(
            records
                .iter()
                .map(|record| record.threads)
                .collect::<Vec<_>>(),
            [1, 2]
        );
        for record in records {
            assert_eq!((record.snapshots, record.batch), (2, 700));
            // More nodes than a perfect tree's above 700 leaves, fewer than there are.
            assert!((699.0..2_000.0).contains(&record.node_hashes_per_snapshot));
        }
    }

    #[test]
    fn batches_update_distinct_keys() {
        let batches = Batches {
            keys: 50,
            batch: 50,
            snapshots: 1,
            threads: Vec::new(),
        };
        let updates = batches.updates(1);
        let keys: HashSet<_> = updates.iter().map(Operation::key).collect();
        assert_eq!(keys.len(), 50);
    }
}
