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
        if u64::try_from(self.batch)? > self.keys {
            return Err("a batch cannot update more keys than there are".into());
        }
        let mut first = None;
        for threads in &self.threads {
            report.announce(format!("{threads} threads"));
            let pass = Pass::run(self, *threads)?;
            let medians = pass.medians();
            let base = first.get_or_insert(medians);
            let names = line! {
                experiment: "batch", scheme: "red-black", repository: "path-copying",
                suite: S::NAME, keys: self.keys, batch: self.batch,
            };
            report.measured(names.merged(&pass.line(base)))?;
        }
        Ok(())
    }
}

/// Times measured with one number of threads, and the number of hashed nodes in all snapshots.
#[derive(Default)]
struct Pass {
    threads: usize,
    author_load: Timings,
    server_load: Timings,
    author: Timings,
    server: Timings,
    bare: Timings,
    scattered: Timings,
    nodes: usize,
}

impl Pass {
    fn run(batches: &BatchArguments, threads: NonZeroUsize) -> Outcome<Self> {
        let workers = Workers::new(threads)?;
        let mut pass = Self {
            threads: threads.get(),
            ..Self::default()
        };
        let updates = pass.publish(batches, &workers)?;
        pass.apply(batches, &workers, &updates)?;
        Ok(pass)
    }

    fn publish(&mut self, batches: &BatchArguments, workers: &Workers) -> Outcome<Vec<Update<S>>> {
        let mut author = new_author::<Tree>(signing_key()).with_workers(workers.clone());
        let all = (0..batches.keys).map(put).collect();
        let mut updates = vec![self.author_load.time(1, || author.snapshot_of(all))?];
        for snapshot in 1..=batches.snapshots {
            let batch = batches.updates(snapshot);
            updates.push(self.author.time(1, || author.snapshot_of(batch))?);
        }
        if author.len() as u64 != batches.keys {
            return Err("an update of an existing key changed the number of keys".into());
        }
        Ok(updates)
    }

    fn apply(
        &mut self,
        batches: &BatchArguments,
        workers: &Workers,
        updates: &[Update<S>],
    ) -> Outcome<()> {
        let mut repository = new_repository::<Tree>().with_workers(workers.clone());
        let bare = BareHashes::new(batches.keys);
        let (first, rest) = updates.split_first().ok_or("there is no update")?;
        self.server_load.time(1, || repository.apply(first))?;
        for update in rest {
            let version = self.server.time(1, || repository.apply(update))?;
            // Only values of existing keys changed, so the tree kept its shape. The hashed nodes
            // are those that a proof of all updated keys opens.
            let keys = update.operations.iter().map(|change| change.key().clone());
            let keys = Keys::new(keys.collect()).ok_or("an update is empty")?;
            let nodes = inner_nodes(&repository.prove_query(version, &keys)?)?;
            self.nodes += nodes;
            let leaves = batches.batch;
            let near = || bare.run(workers, nodes, leaves, |i| i % NEAR);
            self.bare.time(1, near);
            let scattered = || bare.run(workers, nodes, leaves, |i| bare.scatter(i));
            self.scattered.time(1, scattered);
        }
        Ok(())
    }

    /// Returns four median milliseconds per snapshot: of the author, of the server, of only the
    /// hashes, and of only the hashes with scattered inputs.
    fn medians(&self) -> [f64; 4] {
        let timings = [&self.author, &self.server, &self.bare, &self.scattered];
        timings.map(|timings| timings.median_us() / 1e3)
    }

    /// Builds the result line. `base` contains the medians of the first number of threads, for
    /// speed-ups.
    fn line(&self, base: &[f64; 4]) -> Line {
        let [author, server, bare, scattered] = self.medians();
        line! {
            snapshots: self.author.operations(), threads: self.threads,
            author_load_ms: self.author_load.mean_us() / 1e3,
            server_load_ms: self.server_load.mean_us() / 1e3, author_snapshot_ms: author,
            apply_ms: server, bare_hashes_ms: bare, scattered_hashes_ms: scattered,
            author_speed: bare / author, apply_speed: bare / server,
            author_speed_up: base[0] / author, apply_speed_up: base[1] / server,
            bare_speed_up: base[2] / bare,
            node_hashes_per_snapshot: self.nodes as f64 / self.bare.operations().max(1) as f64,
        }
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
        each_on(workers, leaves, PIECE, leaf);
        each_on(workers, nodes, PIECE, node);
    }
}

/// Calls `work` with each number below `count`, on the threads of `workers`. A thread makes at least
/// `piece` calls in a row.
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
