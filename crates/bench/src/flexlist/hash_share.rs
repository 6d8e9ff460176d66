//! Single updates with and without the time of hashing: figure 8.

use flexlist::{
    FlexList,
    internals::NodeHash,
    list::{Operation, Sha256},
};
use pad_core::Workers;

use super::{
    blocks::{BLOCK_BYTES, blocks, insert, modify},
    counted::{CountingHash, NoHash, count},
    limits::node_hash_ns,
};
use crate::{line, prelude::*};

/// Operations of figure 8, each measured separately.
const OPERATIONS: [&str; 3] = ["insert", "modify", "remove"];

/// Measures updates of lists with each of `sizes` blocks.
pub fn run(sizes: &[u64], report: &mut Report) -> Outcome<()> {
    for &size in sizes {
        report.announce(format!("updates with and without hashes, {size} blocks"));
        let (blocks, alone) = (blocks(size), Workers::sequential());
        let mut hashed = FlexList::<Sha256>::build(&blocks, &alone)?;
        let mut unhashed = FlexList::<NoHash>::build(&blocks, &alone)?;
        let mut counted = FlexList::<CountingHash>::build(&blocks, &alone)?;
        drop(blocks);
        for operation in OPERATIONS {
            let operations = operations(operation, size, report.rounds(5_000, 20));
            let (update_us, witness_bytes) = update(&mut hashed, &operations)?;
            let (without_us, _) = update(&mut unhashed, &operations)?;
            let (hashes, _) = count(|| update(&mut counted, &operations));
            let hashes = hashes as f64 / operations.len() as f64;
            let limit_us = hashes * node_hash_ns(&report.effort()) / 1e3;
            report.measured(line! {
                experiment: "flexlist_hash_share", blocks: size, operation, update_us,
                without_hashes_us: without_us, hash_share: 1.0 - without_us / update_us,
                witness_bytes, hashes, limit_us, ratio: update_us / limit_us,
            })?;
        }
    }
    Ok(())
}

fn operations(name: &str, size: u64, number: usize) -> Vec<Operation> {
    let mut random = Random::new(size);
    let mut operation = || {
        let index = random.below(size) * BLOCK_BYTES;
        match name {
            "insert" => insert(index, BLOCK_BYTES, &mut random),
            "modify" => modify(index, BLOCK_BYTES, &mut random),
            _ => Operation::Remove { index },
        }
    };
    (0..number).map(|_| operation()).collect()
}

/// Returns the median microseconds of an update, and the mean bytes of its witness. Each update is
/// undone before the next one.
fn update<H: NodeHash>(list: &mut FlexList<H>, operations: &[Operation]) -> Outcome<(f64, f64)> {
    let (mut times, mut bytes, root) = (Timings::default(), 0, list.root());
    for operation in operations {
        let change = times.time(1, || list.update(core::slice::from_ref(operation)))?;
        bytes += change.witness.len();
        list.undo(change.previous);
    }
    ensure(list.root() == root, "undoing leaves another root")?;
    Ok((times.median_us(), bytes as f64 / operations.len() as f64))
}
