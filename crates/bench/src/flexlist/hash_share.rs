//! Updates with and without their hashes: figure 8.

use std::time::Instant;

use flexlist::{
    FlexList,
    list::{NodeHash, Operation, Sha256},
};
use pad_core::Workers;

use super::{
    FlexlistLine, Reporter, Setting,
    blocks::{BLOCK_BYTES, blocks, digest, new_block},
    counted::{Counted, Unhashed, count},
    limits::NodeHashLimit,
    record::HashShareRecord,
};
use crate::{
    Outcome,
    timing::{median, microseconds, rounded},
    workload::Random,
};

/// The operations of figure 8, one by one.
const OPERATIONS: [&str; 3] = ["insert", "modify", "remove"];

/// Measures all sizes.
pub fn run(sizes: &[u64], setting: &Setting, reporter: &mut dyn Reporter) -> Outcome<()> {
    for &size in sizes {
        reporter.announce(&format!("updates with and without hashes, {size} blocks"));
        let (blocks, alone) = (blocks(size), Workers::sequential());
        let mut hashed = FlexList::<Sha256>::build(&blocks, &alone)?;
        let mut unhashed = FlexList::<Unhashed>::build(&blocks, &alone)?;
        let mut counted = FlexList::<Counted>::build(&blocks, &alone)?;
        drop(blocks);
        for operation in OPERATIONS {
            let operations = operations(operation, size, setting.rounds(5_000, 20));
            let (update_us, witness_bytes) = update(&mut hashed, &operations)?;
            let (without_us, _) = update(&mut unhashed, &operations)?;
            let (hashes, _) = count(|| update(&mut counted, &operations));
            let hashes = hashes as f64 / operations.len() as f64;
            let limit = NodeHashLimit::measure(&setting.effort());
            let limit_us = limit.us(hashes);
            reporter.line(FlexlistLine::HashShare(HashShareRecord {
                blocks: size,
                operation: operation.to_owned(),
                update_us: rounded(update_us),
                without_hashes_us: rounded(without_us),
                hash_share: rounded(1.0 - without_us / update_us),
                witness_bytes: rounded(witness_bytes),
                hashes: rounded(hashes),
                node_hash_ns: rounded(limit.independent_ns),
                node_hash_chained_ns: rounded(limit.chained_ns),
                limit_us: rounded(limit_us),
                ratio: rounded(update_us / limit_us),
                machine: setting.machine.clone(),
            }))?;
        }
    }
    Ok(())
}

fn operations(name: &str, size: u64, number: usize) -> Vec<Operation> {
    let mut random = Random::new(size);
    let mut operation = || {
        let index = random.below(size) * BLOCK_BYTES;
        match name {
            "insert" => Operation::Insert {
                index,
                block: new_block(&mut random),
            },
            "modify" => Operation::Modify {
                index,
                length: BLOCK_BYTES,
                tag_digest: digest(&mut random),
                label: 0,
            },
            _ => Operation::Remove { index },
        }
    };
    (0..number).map(|_| operation()).collect()
}

/// The median of the updates in microseconds, each undone again, and the mean of their witnesses.
fn update<H: NodeHash>(list: &mut FlexList<H>, operations: &[Operation]) -> Outcome<(f64, f64)> {
    let (mut times, mut bytes, root) = (Vec::new(), 0, list.root());
    for operation in operations {
        let start = Instant::now();
        let change = list.update(core::slice::from_ref(operation))?;
        times.push(microseconds(start.elapsed()));
        bytes += change.witness.len();
        list.undo(change.previous);
    }
    if list.root() != root {
        return Err("undoing leaves another root".into());
    }
    Ok((median(times), bytes as f64 / operations.len() as f64))
}
