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
    multi::{Round, Side, Way},
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
        for change in &commit.changes {
            server.follow(change.path, &change.change, &mut figures)?;
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

/// One outsourced file: its content, and the list of its blocks.
struct File {
    content: Vec<u8>,
    list: FlexList<CountingHash>,
}

/// All existing files of the history, by their numbers in the trace.
struct Server {
    files: HashMap<usize, File>,
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
        self.files.insert(path, File { content, list });
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
        let file = self
            .files
            .get_mut(&path)
            .ok_or("a file that is not there")?;
        let edits = byte_edits(edits, &mut self.random)?;
        let total = file.list.total();
        let start = Instant::now();
        let known = known_blocks(file, &needed(&edits, total)?)?;
        let planned = plan(&edits, &known, total, &self.chunker)?;
        figures.plan_us += microseconds(start.elapsed());
        apply_to_content(&mut file.content, &edits)?;
        let operations: Vec<Operation> = planned
            .iter()
            .map(|planned| operation(planned, &mut self.random))
            .collect();
        if operations.is_empty() {
            return Ok(());
        }
        let round = fastest(&mut file.list, &operations)?;
        let change = file.list.update(&operations)?;
        file.list.forget(change.previous);
        figures.batches += 1;
        figures.operations += operations.len() as u64;
        add(&mut figures.round.batch, &round.batch);
        add(&mut figures.round.singles, &round.singles);
        Ok(())
    }

    /// Checks that every file, and its list, has as many bytes as `sizes` states. `None` stands for
    /// a file that does not exist.
    fn check(&self, sizes: &[Option<u64>]) -> Outcome<()> {
        for (path, size) in sizes.iter().enumerate() {
            let file = self.files.get(&path);
            let total = file.map(|file| file.list.total());
            let length = file.map(|file| file.content.len() as u64);
            if total != *size || length != *size {
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
        let next = Round::measure(list, operations, first)?;
        for (best, next) in [
            (&mut best.batch, next.batch),
            (&mut best.singles, next.singles),
        ] {
            best.server_us = best.server_us.min(next.server_us);
            best.client_us = best.client_us.min(next.client_us);
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

fn known_blocks(file: &File, needed: &[core::ops::Range<u64>]) -> Outcome<Vec<KnownBlock>> {
    let mut known: Vec<KnownBlock> = Vec::new();
    for range in needed.iter().filter(|range| !range.is_empty()) {
        for block in file.list.find_range(range.clone())? {
            let bytes = usize::try_from(block.start)?..usize::try_from(block.end())?;
            // One block can lie in two ranges.
            if known.last().is_none_or(|last| last.start < block.start) {
                known.push(KnownBlock {
                    start: block.start,
                    bytes: file.content[bytes].to_vec(),
                });
            }
        }
    }
    Ok(known)
}

fn apply_to_content(content: &mut Vec<u8>, edits: &[ByteEdit]) -> Outcome<()> {
    for edit in edits {
        let (range, bytes): (_, &[u8]) = match edit {
            ByteEdit::Write { offset, bytes } => {
                (*offset..offset + bytes.len() as u64, bytes.as_slice())
            }
            ByteEdit::Insert { offset, bytes } => (*offset..*offset, bytes.as_slice()),
            ByteEdit::Delete { start, end } => (*start..*end, &[]),
        };
        let range = usize::try_from(range.start)?..usize::try_from(range.end)?;
        content.splice(range, bytes.iter().copied());
    }
    Ok(())
}

fn operation(planned: &BlockEdit, random: &mut Random) -> Operation {
    match planned {
        BlockEdit::Insert { index, block } => insert(*index, block.len() as u64, random),
        BlockEdit::Modify { index, block } => modify(*index, block.len() as u64, random),
        BlockEdit::Remove { index } => Operation::Remove { index: *index },
    }
}

fn add(sum: &mut Side, side: &Side) {
    sum.server_us += side.server_us;
    sum.client_us += side.client_us;
    sum.witness_bytes += side.witness_bytes;
    sum.server_hashes += side.server_hashes;
    sum.client_hashes += side.client_hashes;
}

fn summary(commits: &[CommitFigures], node_ns: f64) -> Line {
    let edited: Vec<&CommitFigures> = commits.iter().filter(|it| it.batches > 0).collect();
    let of = |figure: &dyn Fn(&CommitFigures) -> f64| {
        Distribution::of(edited.iter().map(|commit| figure(commit)).collect())
    };
    let side = |time: fn(&Side) -> f64, hashes: fn(&Side) -> u64| {
        let sum = |of: &dyn Fn(&Round) -> f64| -> f64 {
            edited.iter().map(|commit| of(&commit.round)).sum()
        };
        let (batch, singles) = (sum(&|it| time(&it.batch)), sum(&|it| time(&it.singles)));
        let limit_us = sum(&|it| hashes(&it.batch) as f64) * node_ns / 1e3;
        line! {
            batch_us: of(&|it| time(&it.round.batch)),
            singles_us: of(&|it| time(&it.round.singles)), gain: 1.0 - batch / singles,
            batch_hashes: of(&|it| hashes(&it.round.batch) as f64),
            singles_hashes: of(&|it| hashes(&it.round.singles) as f64), ratio: batch / limit_us,
        }
    };
    line! {
        commits_with_edits: edited.len(), batches: edited.iter().map(|it| it.batches).sum::<u64>(),
        operations: edited.iter().map(|it| it.operations).sum::<u64>(),
        operations_per_commit: of(&|it| it.operations as f64), plan_us: of(&|it| it.plan_us),
        server: side(|it| it.server_us, |it| it.server_hashes),
        client: side(|it| it.client_us, |it| it.client_hashes),
        witness_bytes: of(&|it| it.round.batch.witness_bytes as f64),
        singles_witness_bytes: of(&|it| it.round.singles.witness_bytes as f64),
    }
}
