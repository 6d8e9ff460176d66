//! Author of a measured tree, in its own process: builds every update, times it, counts its hashes,
//! and writes it to a file.

use core::ops::Range;
use std::{
    fs::File,
    io::{BufWriter, Write as _},
};

use pad_core::internals::Domain;

use super::process::{HASHES, Order, append_update};
use crate::{
    counting::{HashCounts, NoSignature},
    dictionary::{AuthorOf, MeasuredRepository, new_author, publish},
    line,
    prelude::*,
    primitives::Primitives,
    workload::Workload,
};

/// Number of snapshots that are timed together.
pub const CHUNK: usize = 64;

/// Measures the author of dictionary `R`, and writes its updates to a file. `C` is the same
/// dictionary under a suite that counts hashes.
pub fn measure<R: MeasuredRepository, C: MeasuredRepository>(order: &Order) -> Outcome<Line> {
    let (workload, effort) = (&order.workload, Effort::new(order.quick));
    let last_tenth = workload.last_tenth();
    let mut pass = Pass::<R> {
        workload,
        author: new_author::<R>(signing_key()),
        file: BufWriter::new(File::create(order.updates())?),
        bytes: 0,
    };
    pass.run(1, workload.fill())?;
    pass.bytes = 0;
    pass.run(workload.fill() + 1, last_tenth.start - 1)?;
    let before = Primitives::measure::<R::Suite>(&effort);
    let last = pass.run(last_tenth.start, workload.versions())?;
    let primitives = before.mean(Primitives::measure::<R::Suite>(&effort));
    pass.file.flush()?;
    drop(pass.author);
    let hashes = count_hashes::<C>(workload)?;
    let limit = primitives.sign_us + hashes.cost_us(&primitives);
    let updates = workload.versions() - workload.fill();
    let figures = line! {
        insert_snapshot_us: last.mean_us(), insert_snapshot_median_us: last.median_us(),
        author_limit_us: limit, author_ratio: last.mean_us() / limit,
        author_ratio_median: last.median_us() / limit,
        node_hashes_per_update: hashes.number(&[Domain::TreeNode]),
        history_hashes_per_update: hashes.number(&[Domain::HistoryLeaf, Domain::HistoryNode]),
        update_bytes: pass.bytes as f64 / updates as f64,
    };
    Ok(figures.and(HASHES, hashes))
}

/// Counts the hashes per snapshot, over the last tenth of the snapshots, with an author that does
/// not sign.
fn count_hashes<C: MeasuredRepository>(workload: &Workload) -> Outcome<HashCounts> {
    let mut author = new_author::<C>(NoSignature);
    let last_tenth = workload.last_tenth();
    let mut run = |mut versions: Range<u64>| {
        versions
            .try_for_each(|version| publish(&mut author, workload.operations(version)).map(drop))
    };
    run(1..last_tenth.start)?;
    let (counts, result) = HashCounts::of(last_tenth.end - last_tenth.start, || run(last_tenth));
    result?;
    Ok(counts)
}

struct Pass<'a, R: MeasuredRepository> {
    workload: &'a Workload,
    author: AuthorOf<R>,
    file: BufWriter<File>,
    bytes: usize,
}

impl<R: MeasuredRepository> Pass<'_, R> {
    /// Publishes the versions from `first` to `last`, and appends their updates to the file. Only
    /// publishing is timed.
    fn run(&mut self, first: u64, last: u64) -> Outcome<Timings> {
        let mut timings = Timings::default();
        let versions: Vec<u64> = (first..=last).collect();
        for chunk in versions.chunks(CHUNK) {
            let batches = chunk.iter().map(|it| self.workload.operations(*it));
            let batches: Vec<_> = batches.collect();
            let mut updates = Vec::with_capacity(batches.len());
            timings.time(batches.len(), || -> Outcome<()> {
                for operations in batches {
                    updates.push(publish(&mut self.author, operations)?);
                }
                Ok(())
            })?;
            for update in &updates {
                self.bytes += append_update(&mut self.file, update)?;
            }
        }
        Ok(timings)
    }
}
