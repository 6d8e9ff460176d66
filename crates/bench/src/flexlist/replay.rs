//! Replay of a version-control trace, commit by commit.
//!
//! Every file of the history is a `FlexList` of its own. The paper does the same: its directory has
//! one list per file. An added file is built anew and is not timed.
//!
//! All edits of one file in one commit are one batch. The same block operations are also measured
//! one by one. Traces have no content, so files and insertions consist of pseudorandom bytes of the
//! traced lengths. The library's own planner turns the edits into operations on blocks of 2 KiB.

use std::{collections::HashMap, path::Path, time::Instant};

use flexlist::{
    ByteEdit, Chunker, FlexList, Level,
    internals::{BlockEdit, KnownBlock, needed, plan},
    list::{Block, Operation},
};
use pad_core::Workers;

use super::{
    blocks::{BLOCK_BYTES, content, digest, insert, modify},
    counted::CountingHash,
    limits::node_hash_ns,
    multi::{Round, Side, Way, Work},
    trace::{Change, Edit, Trace},
};
use crate::{line, prelude::*};

/// Replays the trace at `path`, and reports the cost of its commits.
pub fn run(path: &Path, report: &mut Report) -> Outcome<()> {
    let name = trace_name(path);
    report.announce(format!("replay of {name}"));
    let trace = Trace::read(path)?;
    let mut server = Server::new(&trace)?;
    let mut commits = Vec::new();
    for commit in &trace.commits {
        let mut figures = CommitFigures::default();
        for (path, change) in &commit.changes {
            server.follow(*path, change, &mut figures)?;
        }
        commits.push(figures);
    }
    server.check(&trace.final_sizes)?;
    let line = line! {
        experiment: "flexlist_replay", trace: name, model: "one list per file",
        block_bytes: BLOCK_BYTES, files: trace.files.len(), commits: trace.commits.len(),
    };
    let node_ns = node_hash_ns(&report.effort());
    report.measured(line.merged(&summary(&commits, node_ns)))
}

/// All existing files of the history, by their numbers in the trace.
struct Server {
    files: HashMap<usize, FlexList<CountingHash>>,
    chunker: Chunker,
    random: Random,
}

/// Cost of one commit, summed over all files that it edits.
#[derive(Clone, Copy, Debug, Default)]
struct CommitFigures {
    batches: u64,
    operations: u64,
    plan_us: f64,
    round: Round,
}

impl Server {
    fn new(trace: &Trace) -> Outcome<Self> {
        let mut server = Self {
            files: HashMap::new(),
            chunker: Chunker::fixed(BLOCK_BYTES as usize)?,
            random: Random::new(1),
        };
        for (path, file) in trace.files.iter().enumerate() {
            if let Some(size) = file.initial_size {
                server.add(path, size)?;
            }
        }
        Ok(server)
    }

    fn add(&mut self, path: usize, size: u64) -> Outcome<()> {
        let content = content(&mut self.random, usize::try_from(size)?);
        let mut blocks = Vec::new();
        for (position, bytes) in (1..).zip(self.chunker.split(&content)) {
            blocks.push(Block {
                length: bytes.len() as u64,
                tag_digest: digest(&mut self.random),
                level: Level::initial(position),
                label: position,
            });
        }
        let list = FlexList::build(&blocks, &Workers::sequential())?;
        self.files.insert(path, list);
        Ok(())
    }

    fn follow(&mut self, path: usize, change: &Change, figures: &mut CommitFigures) -> Outcome<()> {
        match change {
            Change::Add { size } => self.add(path, *size),
            Change::Delete { .. } => {
                self.files.remove(&path);
                Ok(())
            }
            Change::Edit(edits) => self.edit(path, edits, figures),
        }
    }

    fn edit(&mut self, path: usize, edits: &[Edit], figures: &mut CommitFigures) -> Outcome<()> {
        let list = self.files.get_mut(&path);
        let list = list.ok_or("a file that is not there")?;
        let edits = byte_edits(edits, &mut self.random)?;
        let start = Instant::now();
        let known = known_blocks(list, &needed(&edits, list.total())?)?;
        let planned = plan(&edits, &known, list.total(), &self.chunker)?;
        figures.plan_us += microseconds(start.elapsed());
        let operation = |planned| operation(planned, &mut self.random);
        let operations: Vec<Operation> = planned.iter().map(operation).collect();
        if operations.is_empty() {
            return Ok(());
        }
        let round = fastest(list, &operations)?;
        let change = list.update(&operations)?;
        list.forget(change.previous);
        figures.batches += 1;
        figures.operations += operations.len() as u64;
        figures.round.add(round);
        Ok(())
    }

    /// Checks that every file has as many bytes as `sizes` states. `None` stands for a file that
    /// does not exist.
    fn check(&self, sizes: &[Option<u64>]) -> Outcome<()> {
        for (path, size) in sizes.iter().enumerate() {
            let total = self.files.get(&path).map(FlexList::total);
            if total != *size {
                return Err(format!("file {path} has {total:?} bytes instead of {size:?}").into());
            }
        }
        Ok(())
    }
}

/// Measures `operations` three times, and returns the fastest time of each kind of work.
///
/// Lists of single files fit into the caches, so the first measurement warms up. Interruptions
/// rarely hit one piece of work more than once.
fn fastest(list: &mut FlexList<CountingHash>, operations: &[Operation]) -> Outcome<Round> {
    let mut best = Round::measure(list, operations, Way::Batch)?;
    for first in [Way::Singles, Way::Batch] {
        let mut next = Round::measure(list, operations, first)?;
        for (best, next) in best.works().into_iter().zip(next.works()) {
            best.us = best.us.min(next.us);
        }
    }
    Ok(best)
}

/// Converts the edits of a commit to byte edits in sequence. The offsets of each byte edit refer to
/// the file after the preceding ones. Inserted bytes are pseudorandom.
fn byte_edits(edits: &[Edit], random: &mut Random) -> Outcome<Vec<ByteEdit>> {
    let mut made = Vec::new();
    // From the last to the first, so that the offsets in the file before the commit remain valid.
    for edit in edits.iter().rev() {
        let (offset, removed) = (edit.offset, edit.removed);
        let overwritten = removed.min(edit.inserted);
        let mut bytes = content(random, usize::try_from(edit.inserted)?);
        let inserted = bytes.split_off(usize::try_from(overwritten)?);
        let behind = offset + overwritten;
        if overwritten < removed {
            made.push(ByteEdit::Delete {
                start: behind,
                end: offset + removed,
            });
        }
        if !inserted.is_empty() {
            made.push(ByteEdit::Insert {
                offset: behind,
                bytes: inserted,
            });
        }
        if !bytes.is_empty() {
            made.push(ByteEdit::Write { offset, bytes });
        }
    }
    Ok(made)
}

fn known_blocks(
    list: &FlexList<CountingHash>,
    needed: &[core::ops::Range<u64>],
) -> Outcome<Vec<KnownBlock>> {
    let mut known: Vec<KnownBlock> = Vec::new();
    for range in needed.iter().filter(|range| !range.is_empty()) {
        for block in list.find_range(range.clone())? {
            // One block can lie in two ranges.
            if known.last().is_none_or(|last| last.start < block.start) {
                // The bytes do not matter, except that neighbouring blocks differ.
                known.push(KnownBlock {
                    start: block.start,
                    bytes: vec![known.len() as u8; usize::try_from(block.end() - block.start)?],
                });
            }
        }
    }
    Ok(known)
}

fn operation(planned: &BlockEdit, random: &mut Random) -> Operation {
    match planned {
        BlockEdit::Insert { index, block } => insert(*index, block.len() as u64, random),
        BlockEdit::Modify { index, block } => modify(*index, block.len() as u64, random),
        BlockEdit::Remove { index } => Operation::Remove { index: *index },
    }
}

fn summary(commits: &[CommitFigures], node_ns: f64) -> Line {
    let edited: Vec<&CommitFigures> = commits.iter().filter(|it| it.batches > 0).collect();
    let all = |figure: &dyn Fn(&CommitFigures) -> f64| -> Vec<f64> {
        edited.iter().map(|commit| figure(commit)).collect()
    };
    let of = |figure: &dyn Fn(&CommitFigures) -> f64| Distribution::of(all(figure));
    let sum = |figure: &dyn Fn(&CommitFigures) -> f64| all(figure).iter().sum::<f64>();
    let side = |work: fn(&Side) -> Work| {
        let batch_us = |it: &CommitFigures| work(&it.round.batch).us;
        let singles_us = |it: &CommitFigures| work(&it.round.singles).us;
        let batch_hashes = |it: &CommitFigures| work(&it.round.batch).hashes as f64;
        let singles_hashes = |it: &CommitFigures| work(&it.round.singles).hashes as f64;
        line! {
            batch_us: of(&batch_us), singles_us: of(&singles_us),
            gain: 1.0 - sum(&batch_us) / sum(&singles_us), batch_hashes: of(&batch_hashes),
            singles_hashes: of(&singles_hashes),
            ratio: sum(&batch_us) / (sum(&batch_hashes) * node_ns / 1e3),
        }
    };
    line! {
        commits_with_edits: edited.len(), batches: edited.iter().map(|it| it.batches).sum::<u64>(),
        operations: edited.iter().map(|it| it.operations).sum::<u64>(),
        operations_per_commit: of(&|it| it.operations as f64), plan_us: of(&|it| it.plan_us),
        server: side(|it| it.server), client: side(|it| it.client),
        witness_bytes: of(&|it| it.round.batch.witness_bytes as f64),
        singles_witness_bytes: of(&|it| it.round.singles.witness_bytes as f64),
    }
}
