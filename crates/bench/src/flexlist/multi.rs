//! Batches of updates, and the same updates one by one: figures 9 and 10, table 2.

use flexlist::{
    FlexList,
    internals::NodeHash,
    list::{ListState, Operation, Sha256, verify_update},
};
use pad_core::Workers;

use super::{
    blocks::{BLOCK_BYTES, Order, blocks, insert, modify},
    counted::{CountingHash, count},
    limits::node_hash_ns,
};
use crate::{line, prelude::*};

/// Measures batches of each size in `numbers`, of consecutive and of random updates, on a file of
/// `size` blocks.
pub fn run(size: u64, numbers: &[u64], report: &mut Report) -> Outcome<()> {
    let most = numbers.iter().copied().max().unwrap_or(0);
    ensure(
        most.saturating_mul(4) <= size,
        "the experiment multi needs four blocks for each update",
    )?;
    let (blocks, alone) = (blocks(size), Workers::sequential());
    let mut list = FlexList::<Sha256>::build(&blocks, &alone)?;
    let mut counted = FlexList::<CountingHash>::build(&blocks, &alone)?;
    drop(blocks);
    for order in [Order::Consecutive, Order::Random] {
        for &updates in numbers {
            report.announce(format!("{updates} {} updates", order.name()));
            let mut random = Random::new(updates);
            let (mut times, mut counts) = (Vec::new(), Vec::new());
            for _ in 0..report.rounds(20, 2) {
                let mut draw = || operations(order, size, updates, &mut random);
                let (some, others) = (draw(), draw());
                // A second measurement of the same operations finds its nodes in the caches. So the
                // time of each way is taken from operations that this way applied first.
                let round = Round::measure(&mut list, &some, Way::Batch)?;
                let cold = Round::measure(&mut list, &others, Way::Singles)?;
                let count = Round::measure(&mut counted, &some, Way::Batch)?;
                let bytes = |round: &Round| [round.batch, round.singles].map(|it| it.witness_bytes);
                let is_same = bytes(&round) == bytes(&count);
                ensure(is_same, "counting hashes changes a witness")?;
                times.push(Round {
                    singles: cold.singles,
                    ..round
                });
                counts.push(count);
            }
            let node_ns = node_hash_ns(&report.effort());
            let line = line! {
                experiment: "flexlist_multi", blocks: size, block_bytes: BLOCK_BYTES, updates,
                order: order.name(),
            };
            report.measured(line.merged(&summary(&times, &counts, node_ns)))?;
        }
    }
    Ok(())
}

/// Makes a batch of `updates` operations: an even mix of modifications, insertions and removals.
///
/// - Consecutive: modifies neighbouring blocks, inserts new ones behind them, and removes the
///   blocks behind those.
/// - Random: modifies, inserts and removes in turns, each at a random position.
pub fn operations(order: Order, size: u64, updates: u64, random: &mut Random) -> Vec<Operation> {
    let third = updates / 3;
    let modified = updates - 2 * third;
    // All blocks have the same length, so the indices of blocks stay multiples of this length.
    let start = random.below(size - updates) * BLOCK_BYTES;
    let update = |number| match order {
        Order::Consecutive if number < modified => {
            modify(start + number * BLOCK_BYTES, BLOCK_BYTES, random)
        }
        Order::Consecutive if number < modified + third => {
            insert(start + number * BLOCK_BYTES, BLOCK_BYTES, random)
        }
        Order::Consecutive => Operation::Remove {
            index: start + (modified + third) * BLOCK_BYTES,
        },
        Order::Random => {
            let index = random.below(size - updates) * BLOCK_BYTES;
            match number % 3 {
                0 => modify(index, BLOCK_BYTES, random),
                1 => insert(index, BLOCK_BYTES, random),
                _ => Operation::Remove { index },
            }
        }
    };
    (0..updates).map(update).collect()
}

/// Measurement of one batch of updates, applied as a whole and one by one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Round {
    /// Cost of applying the batch as a whole.
    pub batch: Side,
    /// Total cost of applying its updates one by one.
    pub singles: Side,
}

/// Way of applying several updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// All in one batch.
    Batch,
    /// One by one.
    Singles,
}

/// Cost of one way of applying several updates, summed over the updates.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side {
    /// Server's work: it updates the list and makes witnesses.
    pub server: Work,
    /// Client's work: it checks the witnesses and derives the new root.
    pub client: Work,
    /// Bytes of all witnesses.
    pub witness_bytes: usize,
}

/// Work of the server or of the client.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Time in microseconds.
    pub us: f64,
    /// Number of hashes, if the list counts them.
    pub hashes: u64,
}

impl Work {
    /// Adds the time and the hashes of `work`, and returns its result.
    fn add<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let (us, (hashes, result)) = stopwatch(|| count(work));
        self.us += us;
        self.hashes += hashes;
        result
    }
}

impl Round {
    /// Measures a batch of `operations`, and the same operations one by one. `first` is the way
    /// that is measured first. Leaves the list unchanged.
    pub fn measure<H: NodeHash>(
        list: &mut FlexList<H>,
        operations: &[Operation],
        first: Way,
    ) -> Outcome<Self> {
        let root = list.root();
        let single: Vec<&[Operation]> = operations.chunks(1).collect();
        let ((batch, after), (singles, same)) = match first {
            Way::Batch => (side(list, &[operations])?, side(list, &single)?),
            Way::Singles => {
                let singles = side(list, &single)?;
                (side(list, &[operations])?, singles)
            }
        };
        if after != same || list.root() != root {
            return Err("a batch and single updates lead to different lists".into());
        }
        Ok(Self { batch, singles })
    }

    /// Adds the cost of another round.
    pub fn add(&mut self, mut other: Self) {
        self.batch.witness_bytes += other.batch.witness_bytes;
        self.singles.witness_bytes += other.singles.witness_bytes;
        for (sum, work) in self.works().into_iter().zip(other.works()) {
            sum.us += work.us;
            sum.hashes += work.hashes;
        }
    }

    /// Returns the work of server and client, in the batch and one by one.
    pub fn works(&mut self) -> [&mut Work; 4] {
        let Self { batch, singles } = self;
        [
            &mut batch.server,
            &mut batch.client,
            &mut singles.server,
            &mut singles.client,
        ]
    }
}

/// Applies each of `batches` on server and client, and then undoes all. Returns the total cost, and
/// the state of the list before undoing.
fn side<H: NodeHash>(
    list: &mut FlexList<H>,
    batches: &[&[Operation]],
) -> Outcome<(Side, ListState)> {
    let (mut side, mut state, mut undone) = (Side::default(), list.state(), Vec::new());
    for operations in batches {
        let change = side.server.add(|| list.update(operations))?;
        side.witness_bytes += change.witness.len();
        let verify = || verify_update::<H>(&change.witness, &state, operations);
        state = *side.client.add(verify)?.get();
        undone.push(change.previous);
    }
    ensure(
        state == list.state(),
        "the client derives another root than the server",
    )?;
    for previous in undone.into_iter().rev() {
        list.undo(previous);
    }
    Ok((side, state))
}

/// Makes the medians of the rounds `times`, and of the hashes and witnesses of the rounds `counts`.
fn summary(times: &[Round], counts: &[Round], node_ns: f64) -> Line {
    let medians = |rounds: &[Round], of: &dyn Fn(&Side) -> f64| {
        let median_of =
            |way: fn(&Round) -> &Side| median(rounds.iter().map(|round| of(way(round))).collect());
        [
            median_of(|round| &round.batch),
            median_of(|round| &round.singles),
        ]
    };
    let side = |work: fn(&Side) -> Work| {
        let [batch_us, singles_us] = medians(times, &|side| work(side).us);
        let [batch_hashes, singles_hashes] = medians(counts, &|side| work(side).hashes as f64);
        let limit_us = batch_hashes * node_ns / 1e3;
        line! {
            batch_us, singles_us, gain: 1.0 - batch_us / singles_us, batch_hashes, singles_hashes,
            limit_us, ratio: batch_us / limit_us,
        }
    };
    let [witness_bytes, singles_witness_bytes] = medians(counts, &|side| side.witness_bytes as f64);
    line! {
        rounds: times.len(), server: side(|side| side.server), client: side(|side| side.client),
        witness_bytes, singles_witness_bytes,
    }
}
