//! The command `bench batch`: large snapshots of a red-black tree over path copying. Each updates
//! many existing keys in one version, on several threads.

use std::{collections::HashSet, hint::black_box, num::NonZeroUsize};

use clap::Args;
use pad_core::{
    Dictionary, Digest, Key, Keys, Operation, Repository, Sha256Ed25519, Suite, Update, Value,
    Workers, internals::Domain,
};
use pad_tree::RedBlackPathCopying;
use rayon::prelude::*;

use super::{server::inner_nodes, table};
use crate::{
    dictionary::{new_author, new_repository},
    line,
    prelude::*,
    workload::{key, put, value},
};

type S = Sha256Ed25519;
type Tree = RedBlackPathCopying<S>;

/// The command line of `bench batch`.
#[derive(Clone, Debug, Args)]
pub struct BatchArguments {
    #[command(flatten)]
    manner: Manner,
    /// Numbers of threads on which snapshots are measured.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<NonZeroUsize>,
    /// Number of keys in the tree; with --quick 10000.
    #[arg(long, size("1000000", "10000", within(1..)))]
    keys: u64,
    /// Number of updated keys in each snapshot; with --quick 1000.
    #[arg(long, usually("10000", "1000"))]
    batch: usize,
    /// Number of measured snapshots; with --quick 5.
    #[arg(long, size("100", "5", within(1..)))]
    snapshots: u64,
}

impl BatchArguments {
    /// Measures snapshots on each number of threads, and prints the report.
    pub fn run(&self) -> Outcome<()> {
        let mut report = self.manner.report()?;
        self.measure(&mut report)?;
        report.finish(table::batches)
    }

    /// Makes the updates of one snapshot: new values for distinct random keys, in random order.
    pub fn updates(&self, snapshot: u64) -> Vec<Operation> {
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

    /// Measures snapshots on each number of threads.
    pub fn measure(&self, report: &mut Report) -> Outcome<()> {
        let is_possible = u64::try_from(self.batch)? <= self.keys;
        ensure(
            is_possible,
            "a batch cannot update more keys than there are",
        )?;
        let mut first = None;
        for threads in &self.threads {
            report.announce(format!("{threads} threads"));
            let workers = Workers::new(*threads)?;
            let (updates, [author_load, author]) = self.publish(&workers)?;
            let ([server_load, server, bare, scattered], nodes) = self.apply(&workers, &updates)?;
            let medians =
                [author, server, bare, scattered].map(|timings| timings.median_us() / 1e3);
            let base = *first.get_or_insert(medians);
            let [author, server, bare, scattered] = medians;
            report.measured(line! {
                experiment: "batch", scheme: "red-black", repository: "path-copying",
                suite: S::NAME, keys: self.keys, batch: self.batch, snapshots: self.snapshots,
                threads, author_load_ms: author_load.mean_us() / 1e3,
                server_load_ms: server_load.mean_us() / 1e3, author_snapshot_ms: author,
                apply_ms: server, bare_hashes_ms: bare, scattered_hashes_ms: scattered,
                author_speed: bare / author, apply_speed: bare / server,
                author_speed_up: base[0] / author, apply_speed_up: base[1] / server,
                bare_speed_up: base[2] / bare,
                node_hashes_per_snapshot: nodes as f64 / self.snapshots as f64,
            })?;
        }
        Ok(())
    }

    /// Publishes a snapshot of all keys, then the others. Returns the updates, the time of the
    /// first, and the times of the others.
    fn publish(&self, workers: &Workers) -> Outcome<(Vec<Update<S>>, [Timings; 2])> {
        let [mut load, mut author_times] = [(); 2].map(|()| Timings::default());
        let mut author = new_author::<Tree>(signing_key()).with_workers(workers.clone());
        let all = (0..self.keys).map(put).collect();
        let mut updates = vec![load.time(1, || author.snapshot_of(all))?];
        for snapshot in 1..=self.snapshots {
            let batch = self.updates(snapshot);
            updates.push(author_times.time(1, || author.snapshot_of(batch))?);
        }
        let is_as_large = author.len() as u64 == self.keys;
        ensure(
            is_as_large,
            "an update of an existing key changed the number of keys",
        )?;
        Ok((updates, [load, author_times]))
    }

    /// Applies the updates. Returns the time of the first, the times of the others, and those of
    /// only their hashes, with inputs from the cache and scattered ones. Also returns the number of
    /// hashed nodes in all snapshots.
    fn apply(&self, workers: &Workers, updates: &[Update<S>]) -> Outcome<([Timings; 4], usize)> {
        let [mut load, mut server, mut near, mut scattered] = [(); 4].map(|()| Timings::default());
        let mut repository = new_repository::<Tree>().with_workers(workers.clone());
        let bare = BareHashes::new(self.keys);
        let (first, rest) = updates.split_first().ok_or("there is no update")?;
        load.time(1, || repository.apply(first))?;
        let mut all_nodes = 0;
        for update in rest {
            let version = server.time(1, || repository.apply(update))?;
            // Only values of existing keys changed, so the tree kept its shape. The hashed nodes
            // are those that a proof of all updated keys opens.
            let keys = update.operations.iter().map(|change| change.key().clone());
            let keys = Keys::new(keys.collect()).ok_or("an update is empty")?;
            let nodes = inner_nodes(&repository.prove_query(version, &keys)?)?;
            all_nodes += nodes;
            let hashes = (nodes, self.batch);
            near.time(1, || bare.run(workers, hashes, |i| i % NEAR));
            scattered.time(1, || bare.run(workers, hashes, |i| bare.scatter(i)));
        }
        Ok(([load, server, near, scattered], all_nodes))
    }
}

/// Inputs for computing only the hashes of a snapshot, as the lower bound of its time.
struct BareHashes {
    /// Digests of nodes, about one for each inner node of the tree.
    inputs: Vec<Digest<32>>,
    leaf: (Key, Value),
}

impl BareHashes {
    fn new(keys: u64) -> Self {
        let keys = keys.max(NEAR as u64);
        Self {
            inputs: (0..keys).map(|i| S::value(&i.to_be_bytes())).collect(),
            leaf: (key(0), value(0)),
        }
    }

    /// Returns a random index of `inputs`, for the hash number `i`.
    fn scatter(&self, i: usize) -> usize {
        Random::new(i as u64).below(self.inputs.len() as u64) as usize
    }

    /// Hashes `leaves` leaves, with their values, and `nodes` nodes.
    ///
    /// One child of each node comes from the cache, like a digest that was just computed. The other
    /// child is the input with the index `place(i)`, like an unchanged digest in memory.
    fn run(
        &self,
        workers: &Workers,
        (nodes, leaves): (usize, usize),
        place: impl Fn(usize) -> usize + Sync,
    ) {
        let node = |i: usize| {
            let (left, right) = (&self.inputs[i % NEAR], &self.inputs[place(i)]);
            black_box(S::node(Domain::TreeNode, left, right));
        };
        let leaf = |_| {
            let (key, value) = &self.leaf;
            let digest = S::value(black_box(value.as_bytes()));
            black_box(S::leaf(key.as_bytes(), &digest));
        };
        each_on(workers, leaves, PIECE, leaf);
        each_on(workers, nodes, PIECE, node);
    }
}

/// Calls `work` with each number below `count`, on the threads of `workers`. A thread makes at
/// least `piece` calls in a row.
pub fn each_on(workers: &Workers, count: usize, piece: usize, work: impl Fn(usize) + Send + Sync) {
    if workers.threads() == 1 {
        (0..count).for_each(work);
    } else {
        let numbers = (0..count).into_par_iter().with_min_len(piece);
        workers.run(|| numbers.for_each(work));
    }
}

/// Number of inputs that certainly stay in the fastest cache.
const NEAR: usize = 256;

/// Minimum number of hashes that a thread computes in one piece of work.
const PIECE: usize = 512;
