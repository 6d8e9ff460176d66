//! A directory on disk that changes: durable updates, and reopening after a crash.

use std::path::Path;

use block_directory::{BlockDirectory, CacheBudget, EntryId, FullAuthor};

use super::{
    Bench,
    digests::S,
    operations::{BATCH, digest},
    stored::{BUDGET, CAPACITY, STEP, authority},
};
use crate::{line, memory, prelude::*};

/// Maximum number of entries that is measured, because the author keeps all entries in memory.
pub(super) const MOST: u64 = 1_000_000;

/// Measures a stored directory of `entries` entries, unless that exceeds [`MOST`].
pub(super) fn run(entries: u64, bench: &mut Bench) -> Outcome<()> {
    if entries <= MOST {
        let what = format!("durable updates of {entries} entries");
        bench.report.announce(what);
        update(entries, bench)?;
        reopen(entries, bench)?;
    }
    Ok(())
}

/// Author with all entries in memory, and a server whose directory on disk has them.
struct Parties {
    author: FullAuthor<S>,
    server: BlockDirectory<S>,
    entries: u64,
}

impl Parties {
    fn new(entries: u64, target: &Path, budget: CacheBudget) -> Outcome<Self> {
        let mut author = FullAuthor::<S>::new("bench", signing_key())?;
        for id in 0..entries {
            author.append(digest(id))?;
        }
        let mut server = BlockDirectory::<S>::create(target, authority()?, STEP, budget)?;
        server.apply(&author.snapshot()?)?;
        server.checkpoint()?;
        Ok(Self {
            author,
            server,
            entries,
        })
    }

    /// Applies `batches` versions of random updates, and returns the server's times.
    fn apply(&mut self, batches: usize) -> Outcome<Timings> {
        let (mut random, mut timings) = (Random::new(self.entries), Timings::default());
        for _ in 0..batches {
            for _ in 0..BATCH {
                let id = EntryId::new(random.below(self.entries));
                self.author.update(id, digest(random.next()))?;
            }
            let update = self.author.snapshot()?;
            timings.time(BATCH, || self.server.apply(&update))?;
        }
        Ok(timings)
    }
}

/// Measures versions of random updates, each durable before the next one starts. The time includes
/// checkpoints and closing the directory.
fn update(entries: u64, bench: &mut Bench) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let mut parties = Parties::new(entries, &folder.path().join("directory"), BUDGET)?;
    let (before, batches) = (memory::written_bytes(), bench.report.rounds(20, 2));
    let mut timings = parties.apply(batches)?;
    timings.time(0, || parties.server.close())?;
    let updated = (batches * BATCH) as f64;
    let nodes = entries.next_power_of_two().ilog2() + 1;
    let limit_us = f64::from(nodes) * bench.primitives.node_chained_ns / 1e3;
    let times = (timings.mean_us(), limit_us);
    let others = line! {
        written_bytes_per_update: (memory::written_bytes() - before) as f64 / updated,
        batch: BATCH, block_bytes: 32 * CAPACITY,
    };
    bench.updated("directory_durable", entries, times, &others)
}

/// Measures opening a directory after a crash, when many updates are only in the log.
fn reopen(entries: u64, bench: &mut Bench) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let target = folder.path().join("directory");
    let lazy = CacheBudget {
        bytes: 4 << 30,
        log_bytes: u64::MAX,
    };
    let mut parties = Parties::new(entries, &target, lazy)?;
    let batches = bench.report.rounds(100, 2);
    let applied = parties.apply(batches)?;
    let latest = parties.server.latest();
    // Without closing it, as a crash leaves it.
    drop(parties);
    let (open_us, opened) = stopwatch(|| BlockDirectory::<S>::open(&target, lazy));
    ensure(opened?.latest() == latest, "a version is lost")?;
    let logged = batches * BATCH;
    let times = (open_us / logged as f64, applied.mean_us());
    bench.updated("directory_reopen", entries, times, &line! { logged })
}

/// Returns the figure `key` of durable updates with a million entries: first ours, then redb's.
pub(super) fn ours_and_redb(lines: &[Line], key: &str) -> Option<[f64; 2]> {
    let of = |experiment, strategy| {
        let mut of_strategy = of(lines, experiment).into_iter();
        let conditions = [("strategy", strategy), ("entries", "1000000")];
        of_strategy.find(|it| it.says(&conditions))?.number(key)
    };
    let ours = of("directory_durable", "merkle")?;
    Some([ours, of("directory_beside", "redb")?])
}
