//! A directory on disk that changes: durable updates, and reopening after a crash.

use block_directory::{BlockDirectory, CacheBudget, EntryId, FullAuthor};
use pad_core::Update;

use super::{
    digests::S,
    measured,
    operations::{digest, of},
    primitives::Primitives,
    stored::{BUDGET, CAPACITY, STEP, authority},
};
use crate::{line, memory, prelude::*};

/// Number of updates in one durable version.
const BATCH: usize = 10_000;

/// Maximum number of entries that is measured, because the author keeps all entries in memory.
const MOST: u64 = 1_000_000;

/// Measurements of stored directories with `entries` entries.
struct DurableRun<'a> {
    entries: u64,
    primitives: &'a Primitives,
}

/// Measures a stored directory of `entries` entries, unless that exceeds [`MOST`].
pub(super) fn run(entries: u64, primitives: &Primitives, report: &mut Report) -> Outcome<()> {
    let durable = DurableRun {
        entries,
        primitives,
    };
    if entries <= MOST {
        report.announce(format!("durable updates of {entries} entries"));
        durable.update(report)?;
        durable.reopen(report)?;
    }
    Ok(())
}

impl DurableRun<'_> {
    /// Creates an author in memory with all entries, and the update that registers them.
    fn author(&self) -> Outcome<(FullAuthor<S>, Update<S>)> {
        let mut author = FullAuthor::<S>::new("bench", signing_key())?;
        for id in 0..self.entries {
            author.append(digest(id))?;
        }
        let update = author.snapshot()?;
        Ok((author, update))
    }

    /// Applies `batches` versions of random updates, and returns the server's microseconds in
    /// total.
    fn apply(
        &self,
        (author, server): (&mut FullAuthor<S>, &mut BlockDirectory<S>),
        batches: usize,
    ) -> Outcome<f64> {
        let (mut random, mut us) = (Random::new(self.entries), 0.0);
        for _ in 0..batches {
            for _ in 0..BATCH {
                let id = EntryId::new(random.below(self.entries));
                author.update(id, digest(random.next()))?;
            }
            let update = author.snapshot()?;
            let (batch_us, applied) = stopwatch(|| server.apply(&update));
            applied?;
            us += batch_us;
        }
        Ok(us)
    }

    /// Measures versions of random updates, each durable before the next one starts. The time
    /// includes checkpoints and closing the directory.
    fn update(&self, report: &mut Report) -> Outcome<()> {
        let (mut author, appended) = self.author()?;
        let folder = tempfile::tempdir()?;
        let target = folder.path().join("directory");
        let mut server = BlockDirectory::<S>::create(&target, authority()?, STEP, BUDGET)?;
        server.apply(&appended)?;
        server.checkpoint()?;
        let (before, batches) = (memory::written_bytes(), report.rounds(20, 2));
        let us = self.apply((&mut author, &mut server), batches)?;
        let (closing_us, closed) = stopwatch(|| server.close());
        closed?;
        let updated = (batches * BATCH) as f64;
        let nodes = self.entries.next_power_of_two().ilog2() + 1;
        let limit_us = f64::from(nodes) * self.primitives.node_chained_ns / 1e3;
        let times = ((us + closing_us) / updated, limit_us);
        let line = of("directory_durable", self.entries, times).merged(&line! {
            written_bytes_per_update: (memory::written_bytes() - before) as f64 / updated,
            batch: BATCH, block_bytes: 32 * CAPACITY,
        });
        measured(report, ("merkle", self.primitives), line)
    }

    /// Measures opening a directory after a crash, when many updates are only in the log.
    fn reopen(&self, report: &mut Report) -> Outcome<()> {
        let (mut author, appended) = self.author()?;
        let folder = tempfile::tempdir()?;
        let target = folder.path().join("directory");
        let lazy = CacheBudget {
            bytes: 4 << 30,
            log_bytes: u64::MAX,
        };
        let mut server = BlockDirectory::<S>::create(&target, authority()?, STEP, lazy)?;
        server.apply(&appended)?;
        server.checkpoint()?;
        let batches = report.rounds(100, 2);
        let us = self.apply((&mut author, &mut server), batches)?;
        let latest = server.latest();
        // Without closing it, as a crash leaves it.
        drop(server);
        let (open_us, opened) = stopwatch(|| BlockDirectory::<S>::open(&target, lazy));
        ensure(opened?.latest() == latest, "a version is lost")?;
        let updated = (batches * BATCH) as f64;
        let times = (open_us / updated, us / updated);
        let line = of("directory_reopen", self.entries, times).with("logged", batches * BATCH);
        measured(report, ("merkle", self.primitives), line)
    }
}

/// Returns the figure `key` of durable updates with a million entries: first ours, then redb's.
pub(super) fn ours_and_redb(lines: &[Line], key: &str) -> Option<[f64; 2]> {
    let of = |selection| lines.iter().find(|it| it.says(selection))?.number(key);
    let ours = of(&[
        ("experiment", "directory_durable"),
        ("strategy", "merkle"),
        ("entries", "1000000"),
    ]);
    let theirs = of(&[
        ("experiment", "directory_beside"),
        ("strategy", "redb"),
        ("entries", "1000000"),
    ]);
    Some([ours?, theirs?])
}
