//! Many updates at once and one by one: figures 9 and 10, table 2.

use std::time::Instant;

use flexlist::{
    FlexList,
    list::{ListState, NodeHash, Operation, Sha256, verify_update},
};
use pad_core::Workers;

use super::{
    FlexlistLine, Reporter, Setting,
    blocks::{BLOCK_BYTES, blocks, digest, new_block},
    counted::{Counted, count},
    limits::NodeHashLimit,
    record::{MultiRecord, Order, SideFigures},
};
use crate::{
    Outcome,
    timing::{median, microseconds, rounded},
    workload::Random,
};

/// Measures both orders and all numbers of updates.
pub fn run(
    size: u64,
    numbers: &[u64],
    setting: &Setting,
    reporter: &mut dyn Reporter,
) -> Outcome<()> {
    let (blocks, alone) = (blocks(size), Workers::sequential());
    let mut list = FlexList::<Sha256>::build(&blocks, &alone)?;
    let mut counted = FlexList::<Counted>::build(&blocks, &alone)?;
    drop(blocks);
    for order in [Order::Consecutive, Order::Random] {
        for &updates in numbers {
            reporter.announce(&format!("{updates} {} updates", order.name()));
            let mut random = Random::new(updates);
            let mut rounds = Vec::new();
            for _ in 0..setting.rounds(20, 2) {
                let mut draw = || operations(order, size, updates, &mut random);
                let (some, others) = (draw(), draw());
                // Whatever comes second finds the nodes in the caches, so each comes first once.
                let mut round = Round::measure(&mut list, &some, Way::Batch)?;
                let cold = Round::measure(&mut list, &others, Way::Singles)?;
                round.singles.server_us = cold.singles.server_us;
                round.singles.client_us = cold.singles.client_us;
                round.count(&mut counted, &some)?;
                rounds.push(round);
            }
            let limit = NodeHashLimit::measure(&setting.effort());
            let line = summary(order, size, updates, &rounds, &limit, setting);
            reporter.line(FlexlistLine::Multi(line))?;
        }
    }
    Ok(())
}

/// An even mix of modifications, insertions and removals.
///
/// Consecutive: modified blocks, then new ones behind them, then the blocks behind those removed. Random:
/// each anywhere, in turns.
pub fn operations(order: Order, size: u64, updates: u64, random: &mut Random) -> Vec<Operation> {
    let modify = |index, random: &mut Random| Operation::Modify {
        index,
        length: BLOCK_BYTES,
        tag_digest: digest(random),
        label: 0,
    };
    let insert = |index, random: &mut Random| Operation::Insert {
        index,
        block: new_block(random),
    };
    let third = updates / 3;
    let modified = updates - 2 * third;
    // Blocks all have the same length, so the indices of blocks stay multiples of it.
    let start = random.below(size - updates) * BLOCK_BYTES;
    let update = |number| match order {
        Order::Consecutive if number < modified => modify(start + number * BLOCK_BYTES, random),
        Order::Consecutive if number < modified + third => {
            insert(start + number * BLOCK_BYTES, random)
        }
        Order::Consecutive => Operation::Remove {
            index: start + (modified + third) * BLOCK_BYTES,
        },
        Order::Random => {
            let index = random.below(size - updates) * BLOCK_BYTES;
            match number % 3 {
                0 => modify(index, random),
                1 => insert(index, random),
                _ => Operation::Remove { index },
            }
        }
    };
    (0..updates).map(update).collect()
}

/// One batch both ways. Times in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Round {
    /// At once.
    pub batch: Side,
    /// One by one.
    pub singles: Side,
}

/// The two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// At once.
    Batch,
    /// One by one.
    Singles,
}

/// What one of the two ways takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side {
    /// The server's updates and witnesses.
    pub server_us: f64,
    /// The client's checks, which give it the new root.
    pub client_us: f64,
    /// All witnesses.
    pub witness_bytes: usize,
    /// Hashes of the server.
    pub server_hashes: u64,
    /// Hashes of the client.
    pub client_hashes: u64,
}

impl Round {
    /// Times a batch and the same operations one by one, in the order asked for; the list is as before.
    pub fn measure<H: NodeHash>(
        list: &mut FlexList<H>,
        operations: &[Operation],
        first: Way,
    ) -> Outcome<Self> {
        let root = list.root();
        let mut both = [Way::Batch, Way::Singles];
        both.sort_by_key(|way| *way != first);
        let (mut batch, mut singles) = (None, None);
        for way in both {
            let (batches, measured) = match way {
                Way::Batch => (vec![operations], &mut batch),
                Way::Singles => (operations.chunks(1).collect(), &mut singles),
            };
            *measured = Some(side(list, &batches)?);
        }
        let (Some((batch, after)), Some((singles, same))) = (batch, singles) else {
            return Err("both ways are measured".into());
        };
        if after != same || list.root() != root {
            return Err("a batch and single updates lead to different lists".into());
        }
        Ok(Self { batch, singles })
    }

    /// Counts the hashes of the same.
    fn count(&mut self, list: &mut FlexList<Counted>, operations: &[Operation]) -> Outcome<()> {
        let counted = Self::measure(list, operations, Way::Batch)?;
        for (side, counted) in [
            (&mut self.batch, counted.batch),
            (&mut self.singles, counted.singles),
        ] {
            side.server_hashes = counted.server_hashes;
            side.client_hashes = counted.client_hashes;
            if side.witness_bytes != counted.witness_bytes {
                return Err("counting hashes changes a witness".into());
            }
        }
        Ok(())
    }
}

/// Carries out batch after batch on both sides, and undoes them.
fn side<H: NodeHash>(
    list: &mut FlexList<H>,
    batches: &[&[Operation]],
) -> Outcome<(Side, ListState)> {
    let (mut side, mut state, mut undone) = (Side::default(), list.state(), Vec::new());
    for operations in batches {
        let start = Instant::now();
        let (hashes, change) = count(|| list.update(operations));
        side.server_us += microseconds(start.elapsed());
        side.server_hashes += hashes;
        let change = change?;
        side.witness_bytes += change.witness.len();
        let start = Instant::now();
        let (hashes, next) = count(|| verify_update::<H>(&change.witness, &state, operations));
        side.client_us += microseconds(start.elapsed());
        side.client_hashes += hashes;
        state = *next?.get();
        undone.push(change.previous);
    }
    if state != list.state() {
        return Err("the client derives another root than the server".into());
    }
    for previous in undone.into_iter().rev() {
        list.undo(previous);
    }
    Ok((side, state))
}

fn summary(
    order: Order,
    blocks: u64,
    updates: u64,
    rounds: &[Round],
    limit: &NodeHashLimit,
    setting: &Setting,
) -> MultiRecord {
    let batch =
        |of: fn(&Side) -> f64| median(rounds.iter().map(|round| of(&round.batch)).collect());
    let singles =
        |of: fn(&Side) -> f64| median(rounds.iter().map(|round| of(&round.singles)).collect());
    let figures = |time: fn(&Side) -> f64, hashes: fn(&Side) -> f64| SideFigures {
        batch_us: rounded(batch(time)),
        singles_us: rounded(singles(time)),
        gain: rounded(1.0 - batch(time) / singles(time)),
        batch_hashes: rounded(batch(hashes)),
        singles_hashes: rounded(singles(hashes)),
        limit_us: rounded(limit.us(batch(hashes))),
        ratio: rounded(batch(time) / limit.us(batch(hashes))),
    };
    MultiRecord {
        blocks,
        block_bytes: BLOCK_BYTES,
        updates,
        order,
        rounds: rounds.len(),
        server: figures(|side| side.server_us, |side| side.server_hashes as f64),
        client: figures(|side| side.client_us, |side| side.client_hashes as f64),
        witness_bytes: rounded(batch(|side| side.witness_bytes as f64)),
        singles_witness_bytes: rounded(singles(|side| side.witness_bytes as f64)),
        node_hash_ns: rounded(limit.independent_ns),
        node_hash_chained_ns: rounded(limit.chained_ns),
        machine: setting.machine.clone(),
    }
}
