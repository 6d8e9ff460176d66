//! A directory on disk that changes: durable updates, reopening after a crash.

use std::sync::Arc;

use block_directory::{BlockDirectory, CacheBudget, EntryId, FullAuthor};
use pad_core::Update;

use super::{
    counted::CountedFolder,
    digests::S,
    measured,
    operations::{digest, of},
    primitives::Primitives,
    stored::{BUDGET, CAPACITY, STEP, authority},
};
use crate::{line, prelude::*};

/// The updates of one durable version.
const BATCH: usize = 10_000;

/// The most entries: an author keeps them in memory beside.
const MOST: u64 = 1_000_000;

/// A run over directories of so many entries.
struct Durable<'a> {
    entries: u64,
    primitives: &'a Primitives,
}

/// Measures a directory of so many entries, unless there are too many.
pub(super) fn run(entries: u64, primitives: &Primitives, report: &mut Report) -> Outcome<()> {
    let durable = Durable {
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

impl Durable<'_> {
    /// An author in memory with all entries, and the update that registers them.
    fn author(&self) -> Outcome<(FullAuthor<S>, Update<S>)> {
        let mut author = FullAuthor::<S>::new("bench", signing_key())?;
        for id in 0..self.entries {
            author.append(digest(id))?;
        }
        let update = author.snapshot()?;
        Ok((author, update))
    }

    fn batch(&self, author: &mut FullAuthor<S>, random: &mut Random) -> Outcome<Update<S>> {
        for _ in 0..BATCH {
            let id = EntryId::new(random.below(self.entries));
            author.update(id, digest(random.next()))?;
        }
        Ok(author.snapshot()?)
    }

    /// Versions of random updates, each durable before the next one; checkpoints and closing included.
    fn update(&self, report: &mut Report) -> Outcome<()> {
        let (mut author, appended) = self.author()?;
        let folder = tempfile::tempdir()?;
        let (layer, written) = CountedFolder::create(&folder.path().join("directory"))?;
        let mut server =
            BlockDirectory::<S>::create_in(Arc::new(layer), authority()?, STEP, BUDGET)?;
        server.apply(&appended)?;
        server.checkpoint()?;
        let mut random = Random::new(self.entries);
        let (mut us, before, batches) = (0.0, written.bytes(), report.rounds(20, 2));
        for _ in 0..batches {
            let update = self.batch(&mut author, &mut random)?;
            let (batch_us, applied) = stopwatch(|| server.apply(&update));
            applied?;
            us += batch_us;
        }
        let (closing_us, closed) = stopwatch(|| server.close());
        closed?;
        let updated = (batches * BATCH) as f64;
        let nodes = self.entries.next_power_of_two().ilog2() + 1;
        let limit_us = f64::from(nodes) * self.primitives.node_chained_ns / 1e3;
        let line = of(
            "directory_durable",
            self.entries,
            ((us + closing_us) / updated, limit_us),
        )
        .with(
            "written_bytes_per_update",
            (written.bytes() - before) as f64 / updated,
        )
        .with("batch", BATCH)
        .with("block_bytes", 32 * CAPACITY)
        .with("closing_us", closing_us);
        measured(report, ("merkle", self.primitives), line)
    }

    /// Updates that are in the log only, and what opening takes then.
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
        let mut random = Random::new(self.entries);
        let (mut us, batches) = (0.0, report.rounds(100, 2));
        for _ in 0..batches {
            let update = self.batch(&mut author, &mut random)?;
            let (batch_us, applied) = stopwatch(|| server.apply(&update));
            applied?;
            us += batch_us;
        }
        let latest = server.latest();
        // Without closing it, as a crash leaves it.
        drop(server);
        let (open_us, opened) = stopwatch(|| BlockDirectory::<S>::open(&target, lazy));
        if opened?.latest() != latest {
            return Err("a version is lost".into());
        }
        let updated = (batches * BATCH) as f64;
        let line = of(
            "directory_reopen",
            self.entries,
            (open_us / updated, us / updated),
        )
        .with("logged", batches * BATCH);
        measured(report, ("merkle", self.primitives), line)
    }
}

/// A figure of a million entries: of durable updates, and of redb's.
fn beside(lines: &[Line], key: &str) -> Option<[f64; 2]> {
    let of = |(experiment, strategy): (&str, &str)| {
        let is_it =
            |line: &&&Line| line.text("strategy") == strategy && line.count("entries") == 1_000_000;
        line::of(lines, experiment).iter().find(is_it)?.number(key)
    };
    Some([
        of(("directory_durable", "merkle"))?,
        of(("directory_beside", "redb"))?,
    ])
}

/// The time of a durable update, divided by redb's.
pub(super) fn beside_redb(lines: &[Line]) -> Option<f64> {
    let [ours, theirs] = beside(lines, "update_us")?;
    Some(ours / theirs)
}

/// Durable updates a second.
pub(super) fn per_second(lines: &[Line]) -> Option<f64> {
    Some(1e6 / beside(lines, "update_us")?[0])
}

/// The bytes written for a durable update, divided by redb's.
pub(super) fn written_beside_redb(lines: &[Line]) -> Option<f64> {
    let [ours, theirs] = beside(lines, "written_bytes_per_update")?;
    Some(ours / theirs)
}
