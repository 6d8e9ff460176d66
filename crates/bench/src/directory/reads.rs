//! Figure 5: block reads of a trace, counted with an exact cache. Hints from clients end some
//! lookups early.
//!
//! Every object has a hint from the end of the prefill on, and each read or write of the object
//! renews the hint. Memory contains only the hints and blocks that the trace changes. So memory
//! depends on the trace, not on the directory: 10^8 entries need as much as 10^5.

use std::collections::HashMap;

use super::{
    Bench, DirectoryArguments,
    lru::{Before, Lru},
    trace::{Operation, Trace, TraceParameters},
};
use crate::{line, prelude::*};

/// Size of blocks, and size of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Number of slots of a block.
    pub capacity: u64,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Number of blocks in the cache.
    pub frames: usize,
}

impl Geometry {
    /// The paper's geometry: 68 elements of 230 bytes in 16 KiB, 10 MB of cache.
    pub const PAPER: Self = Self {
        capacity: 68,
        block_bytes: 16 << 10,
        frames: 640,
    };

    /// Our geometry: 128 digests in 4 KiB, with a cache of as many bytes as the paper's.
    pub const OURS: Self = Self {
        capacity: 128,
        block_bytes: 4 << 10,
        frames: 2560,
    };
}

/// Cost of a trace: lookups, block reads and sent bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockReads {
    /// Number of lookups in the trace.
    pub lookups: u64,
    /// Number of block accesses by lookups.
    pub touched: u64,
    /// Number of block accesses by lookups that missed the cache.
    pub reads: u64,
    /// Number of block accesses by writes that missed the cache. Excludes blocks that the write
    /// itself created.
    pub write_reads: u64,
    /// Number of lookups that a hint ended before they accessed the block of level 0.
    pub hint_hits: u64,
    /// Bytes of all answers: proofs, and short-circuit answers, which end above a block that the
    /// hint records. 0 unless the capacity is a power of two.
    pub sent_bytes: u64,
}

/// Address of a block: its level, and its number in the level.
type Block = (u32, u64);

/// A client's hint for an object: the number of the operation that made it, and the number of
/// entries at that time.
type HintOf = (u64, u64);

struct Count {
    geometry: Geometry,
    with_hints: bool,
    registered: u64,
    /// Number of the current operation, from 1; 0 is the prefill.
    operation: u64,
    cache: Lru<Block>,
    /// Number of the last operation that changed each block.
    changed: HashMap<Block, u64>,
    hints: HashMap<u64, HintOf>,
    prefill: u64,
    reads: BlockReads,
}

/// Counts the block reads of a trace, with a cache that is empty at the start.
pub fn count(parameters: TraceParameters, geometry: Geometry, with_hints: bool) -> BlockReads {
    let mut count = Count {
        geometry,
        with_hints,
        registered: parameters.prefill,
        operation: 0,
        cache: Lru::new(geometry.frames),
        changed: HashMap::new(),
        hints: HashMap::new(),
        prefill: parameters.prefill,
        reads: BlockReads::default(),
    };
    for operation in Trace::new(parameters) {
        count.run(operation);
    }
    count.reads
}

impl Count {
    fn run(&mut self, operation: Operation) {
        self.operation += 1;
        match operation {
            Operation::Read(id) => self.read(id),
            Operation::Update(id) | Operation::Append(id) => self.write(id),
        }
        if self.with_hints {
            let hint = (self.operation, self.registered);
            self.hints.insert(operation.id(), hint);
        }
    }

    /// Returns the number of levels of blocks, at least 1. The topmost level has one block.
    fn levels(&self) -> u32 {
        let entries = u128::from(self.registered);
        let capacity = u128::from(self.geometry.capacity);
        let mut levels = 1;
        let mut covered = capacity;
        while covered < entries {
            covered *= capacity;
            levels += 1;
        }
        levels
    }

    /// Iterates over the blocks on the path to the entry `id`, from the top down.
    fn path(&self, id: u64) -> impl Iterator<Item = Block> + use<> {
        let capacity = self.geometry.capacity;
        let block = move |level| (level, id / capacity.pow(level + 1));
        (0..self.levels()).rev().map(block)
    }

    fn read(&mut self, id: u64) {
        self.reads.lookups += 1;
        let hint = self.hints.get(&id).copied().unwrap_or((0, self.prefill));
        let top = self.levels() - 1;
        for block in self.path(id) {
            if self.with_hints && block.0 < top && self.matches(hint, block) {
                self.reads.hint_hits += 1;
                self.reads.sent_bytes += self.answer_bytes(id, Some(block.0));
                return;
            }
            self.reads.touched += 1;
            let (_, before) = self.cache.touch(block);
            self.reads.reads += u64::from(before != Before::Hit);
        }
        self.reads.sent_bytes += self.answer_bytes(id, None);
    }

    /// Returns the bytes of the answer to a lookup of the entry `id`: a proof, or its part above
    /// the block at the level `matched`. Returns 0 unless the capacity is a power of two.
    fn answer_bytes(&self, id: u64, matched: Option<u32>) -> u64 {
        let Geometry { capacity, .. } = self.geometry;
        if !capacity.is_power_of_two() {
            return 0;
        }
        let siblings = depth(self.registered, id);
        match matched {
            None => proof_bytes(self.registered, siblings),
            Some(level) => {
                let height = u64::from(capacity.ilog2() * (level + 1));
                short_circuit_bytes(self.registered, siblings - height)
            }
        }
    }

    fn write(&mut self, id: u64) {
        let before = self.registered;
        self.registered = before.max(id + 1);
        // A new level has one block, which this write creates.
        for block in self.path(id) {
            let is_made = id == before && self.is_first(block, id);
            let (_, held) = self.cache.touch(block);
            self.reads.write_reads += u64::from(!is_made && held != Before::Hit);
            self.changed.insert(block, self.operation);
        }
    }

    /// Reports whether a block did not exist before the entry `id` was appended. The topmost block
    /// is new if the level below had only one block.
    fn is_first(&self, (level, number): Block, id: u64) -> bool {
        let covers = self.geometry.capacity.pow(level);
        number * covers * self.geometry.capacity == id || (number == 0 && level > 0 && id == covers)
    }

    /// Reports whether a block was full when the hint was made, and has not changed since then.
    fn matches(&self, (operation, registered): HintOf, block: Block) -> bool {
        let end = (block.1 + 1) * self.geometry.capacity.pow(block.0 + 1);
        let changed = self.changed.get(&block).copied().unwrap_or(0);
        end <= registered && changed <= operation
    }
}

/// Counts the siblings on the path to the entry `id` in the tree of RFC 9162 over `entries`
/// entries.
pub fn depth(mut entries: u64, mut id: u64) -> u64 {
    let mut depth = 0;
    while entries > 1 {
        let left = 1 << (entries - 1).ilog2();
        if id < left {
            entries = left;
        } else {
            (entries, id) = (entries - left, id - left);
        }
        depth += 1;
    }
    depth
}

/// Returns the bytes of the message that proves one live entry. It consists of an envelope, the
/// number of entries, the entry and the siblings.
pub const fn proof_bytes(entries: u64, siblings: u64) -> u64 {
    43 + integer_bytes(entries) + 32 * siblings
}

/// Returns the bytes of the message with only the upper part of a proof. It consists of an
/// envelope, the number of entries, a height and the siblings.
const fn short_circuit_bytes(entries: u64, siblings: u64) -> u64 {
    10 + integer_bytes(entries) + 32 * siblings
}

/// Returns the bytes of an integer in the message encoding.
const fn integer_bytes(number: u64) -> u64 {
    match number {
        0..=250 => 1,
        251..=0xffff => 3,
        0x1_0000..=0xffff_ffff => 5,
        _ => 9,
    }
}

/// Seed of all traces.
const SEED: u64 = 2010;

/// Counts the block reads of all traces, with the paper's and with our block size, with and without
/// hints.
pub(super) fn run(arguments: &DirectoryArguments, bench: &mut Bench) -> Outcome<()> {
    for &update_percent in &arguments.update_percent {
        for &prefill in &arguments.prefill {
            let what = format!("trace over {prefill}, {update_percent} % updates");
            bench.report.announce(what);
            let parameters = TraceParameters {
                seed: SEED,
                prefill,
                operations: arguments.operations,
                first_percent: 25,
                update_percent,
                spread_percent: 50,
            };
            // Lines about blocks of 68 slots name the strategy `flat`. The counts do not depend on
            // the strategy.
            for (strategy, geometry) in [("flat", Geometry::PAPER), ("merkle", Geometry::OURS)] {
                for with_hints in [false, true] {
                    let line = hints_line(parameters, geometry, with_hints);
                    bench.measured(strategy, line)?;
                }
            }
        }
    }
    Ok(())
}

fn hints_line(parameters: TraceParameters, geometry: Geometry, with_hints: bool) -> Line {
    let counted = count(parameters, geometry, with_hints);
    let each = |count: u64| count as f64 / counted.lookups.max(1) as f64;
    let sent = (counted.sent_bytes > 0).then(|| each(counted.sent_bytes));
    let line = line! {
        experiment: "directory_hints", entries: parameters.prefill,
        block_bytes: geometry.block_bytes, seed: parameters.seed,
        operations: parameters.operations, update_percent: parameters.update_percent,
        capacity: geometry.capacity, frames: geometry.frames, hints: with_hints,
        touched: counted.touched, reads: counted.reads,
    };
    let read_bytes = each(counted.reads * geometry.block_bytes);
    line.and("proof_bytes", sent)
        .and("reads_per_lookup", each(counted.reads))
        .and("read_bytes_per_lookup", read_bytes)
        .and("hint_hit_rate", each(counted.hint_hits))
}
