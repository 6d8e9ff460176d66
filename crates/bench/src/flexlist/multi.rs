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
            let mut rounds = Vec::new();
            for _ in 0..report.rounds(20, 2) {
                let mut draw = || operations(order, size, updates, &mut random);
                let (some, others) = (draw(), draw());
                // A second measurement of the same operations finds its nodes in the caches. So the
                // time of each way is taken from operations that this way applied first.
                let mut round = Round::measure(&mut list, &some, Way::Batch)?;
                let cold = Round::measure(&mut list, &others, Way::Singles)?;
                round.singles.server_us = cold.singles.server_us;
                round.singles.client_us = cold.singles.client_us;
                round.count(&mut counted, &some)?;
                rounds.push(round);
            }
            let node_ns = node_hash_ns(&report.effort());
            let line = line! {
                experiment: "flexlist_multi", blocks: size, block_bytes: BLOCK_BYTES, updates,
                order: order.name(),
            };
            report.measured(summary(line, &rounds, node_ns))?;
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

/// Cost of one way of applying several updates, summed over the updates. Times are microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side {
    /// Server's time for updating the list and making witnesses.
    pub server_us: f64,
    /// Client's time for checking the witnesses and deriving the new root.
    pub client_us: f64,
    /// Bytes of all witnesses.
    pub witness_bytes: usize,
    /// Number of hashes that the server computes.
    pub server_hashes: u64,
    /// Number of hashes that the client computes.
    pub client_hashes: u64,
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

    /// Sets the numbers of hashes of this round, measured with a list that counts hashes.
    fn count(
        &mut self,
        list: &mut FlexList<CountingHash>,
        operations: &[Operation],
    ) -> Outcome<()> {
        let counted = Self::measure(list, operations, Way::Batch)?;
        for (side, counted) in [
            (&mut self.batch, counted.batch),
            (&mut self.singles, counted.singles),
        ] {
            side.server_hashes = counted.server_hashes;
            side.client_hashes = counted.client_hashes;
            let is_same = side.witness_bytes == counted.witness_bytes;
            ensure(is_same, "counting hashes changes a witness")?;
        }
        Ok(())
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
        let (us, (hashes, change)) = stopwatch(|| count(|| list.update(operations)));
        side.server_us += us;
        side.server_hashes += hashes;
        let change = change?;
        side.witness_bytes += change.witness.len();
        let verify = || verify_update::<H>(&change.witness, &state, operations);
        let (us, (hashes, next)) = stopwatch(|| count(verify));
        side.client_us += us;
        side.client_hashes += hashes;
        state = *next?.get();
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

fn summary(line: Line, rounds: &[Round], node_ns: f64) -> Line {
    let batch =
        |of: fn(&Side) -> f64| median(rounds.iter().map(|round| of(&round.batch)).collect());
    let singles =
        |of: fn(&Side) -> f64| median(rounds.iter().map(|round| of(&round.singles)).collect());
    let side = |time: fn(&Side) -> f64, hashes: fn(&Side) -> f64| {
        let limit_us = batch(hashes) * node_ns / 1e3;
        line! {
            batch_us: batch(time), singles_us: singles(time),
            gain: 1.0 - batch(time) / singles(time), batch_hashes: batch(hashes),
            singles_hashes: singles(hashes), limit_us, ratio: batch(time) / limit_us,
        }
    };
    line.merged(&line! {
        rounds: rounds.len(), server: side(|side| side.server_us, |side| side.server_hashes as f64),
        client: side(|side| side.client_us, |side| side.client_hashes as f64),
        witness_bytes: batch(|side| side.witness_bytes as f64),
        singles_witness_bytes: singles(|side| side.witness_bytes as f64),
    })
}
