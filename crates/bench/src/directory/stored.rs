//! A directory on disk: loading it, durable updates, reading blocks, reopening after a crash.

use std::{
    fs::{self, File},
    hint::black_box,
    io::Write as _,
    os::unix::fs::FileExt as _,
    path::Path,
    sync::Arc,
};

use block_directory::{
    BlockDirectory, CacheBudget, DirectoryClient, Entry, EntryId, EntryQuery, FullAuthor,
};
use pad_core::{Digest, SignedHead, SnapshotHead, Update, Version, codec, head::Authority};

use super::{
    counted::CountedFolder,
    digests::S,
    measured,
    operations::{digest, of},
    primitives::Primitives,
};
use crate::{
    Outcome, line,
    line::Line,
    memory,
    primitives::signing_key,
    report::Report,
    timing::{median, stopwatch},
    workload::Random,
};

/// Blocks of 128 slots: 4 096 bytes.
const STEP: u32 = 7;
const CAPACITY: u64 = 1 << STEP;

/// The updates of one durable version.
const BATCH: usize = 10_000;

/// The memory of a server.
const BUDGET: CacheBudget = CacheBudget::bytes(256 << 20);

/// The most entries of directories that authors keep in memory beside.
const MOST_AUTHORED: u64 = 10_000_000;

/// A run over directories of so many entries.
struct Stored<'a> {
    entries: u64,
    primitives: &'a Primitives,
}

/// Measures a directory of so many entries.
pub(super) fn run(entries: u64, primitives: &Primitives, report: &mut Report) -> Outcome<()> {
    let stored = Stored {
        entries,
        primitives,
    };
    report.announce(format!("a directory of {entries} on disk"));
    let folder = tempfile::tempdir()?;
    stored.load(folder.path(), report)?;
    stored.read(folder.path(), report)?;
    drop(folder);
    if entries <= MOST_AUTHORED {
        report.announce(format!("durable updates of {entries} entries"));
        stored.update(report)?;
        stored.reopen(report)?;
    }
    Ok(())
}

impl Stored<'_> {
    /// Loads all entries into a folder, and opens it again: files, memory.
    fn load(&self, folder: &Path, report: &mut Report) -> Outcome<()> {
        let authority = authority()?;
        let objects = (0..self.entries).map(|id| Ok(digest(id)));
        let sign = |root| sign(&authority, root);
        let target = folder.join("directory");
        let before = memory::resident_bytes();
        memory::reset_peak();
        let (us, loaded) = stopwatch(|| {
            BlockDirectory::create_loaded(&target, authority, (STEP, BUDGET), objects, sign)
        });
        let loaded = loaded?;
        let loading = memory::peak_resident_bytes().saturating_sub(before);
        let all_bytes = loaded.file_bytes()?;
        drop(loaded);
        let level_bytes = level_bytes(&target)?;
        let write_us = write_us(folder, level_bytes)?;
        let digest_us = self.digest_us();
        let hashing_us = 2.0 * self.primitives.node_independent_ns / 1e3;
        let limit_us = hashing_us.max(write_us / self.entries as f64) + digest_us;
        let before = memory::resident_bytes();
        let (open_us, opened) = stopwatch(|| BlockDirectory::<S>::open(&target, BUDGET));
        let opened = opened?;
        let mut random = Random::new(self.entries);
        for _ in 0..report.rounds(100_000, 100) {
            _ = black_box(prove(&opened, random.below(self.entries)));
        }
        let memory_bytes = memory::resident_bytes().saturating_sub(before);
        let line = of(
            "directory_load",
            self.entries,
            (us / self.entries as f64, limit_us),
        )
        .with("memory_bytes", memory_bytes)
        .with("loading_bytes", loading)
        .with("open_us", open_us)
        .with("file_bytes", all_bytes)
        .with(
            "level_bytes_per_entry",
            level_bytes as f64 / self.entries as f64,
        )
        .with("write_megabytes_per_second", level_bytes as f64 / write_us)
        .with("block_bytes", 32 * CAPACITY)
        .with("budget_bytes", BUDGET.bytes);
        measured(report, ("merkle", self.primitives), line)
    }

    /// Microseconds of making the digest of an object here, which is no directory's work.
    fn digest_us(&self) -> f64 {
        let number = self.entries.min(1_000_000);
        let (us, ()) = stopwatch(|| (0..number).for_each(|id| _ = black_box(digest(id))));
        us / number as f64
    }

    /// Look-ups whose block of level 0 is not in memory, without and with a hint.
    fn read(&self, folder: &Path, report: &mut Report) -> Outcome<()> {
        let target = folder.join("directory");
        // The levels above stay, and half as much is left for blocks of level 0.
        let upper = self.entries.div_ceil(CAPACITY * CAPACITY) as usize * 64 * CAPACITY as usize;
        let budget = CacheBudget::bytes((3 * upper).max(1 << 20));
        let server = BlockDirectory::<S>::open(&target, budget)?;
        // The last block may be open, and no hint is of it.
        let blocks = self.entries / CAPACITY;
        let sampled = blocks.min(report.rounds(5_000, 12) as u64);
        let ids: Vec<u64> = (0..sampled)
            .map(|it| it * blocks / sampled * CAPACITY)
            .collect();
        let mut client = DirectoryClient::<S>::new(authority()?, STEP);
        let mut hints = Vec::new();
        let before = server.blocks_read();
        for &id in &ids {
            let (pending, request) = client.ask(EntryQuery::one(EntryId::new(id)));
            let found = client.accept(&pending, &server.answer(&request)?)?;
            if found.entries.get().of(EntryId::new(id)) != Some(Entry::Live(digest(id))) {
                return Err(format!("the wrong answer for {id}").into());
            }
            hints.push(codec::encode(&found.refreshed.ok_or("no hint")?));
        }
        let reads = server.blocks_read() - before;
        drop(server);
        let server = BlockDirectory::<S>::open(&target, budget)?;
        let before = server.blocks_read();
        for (&id, hint) in ids.iter().zip(&hints) {
            let (pending, request) = client.ask_with_hint(EntryId::new(id), &digest(id), hint);
            client.accept(&pending, &server.answer(&request)?)?;
        }
        let with_hints = server.blocks_read() - before;
        let mut times = Vec::new();
        let start = server.blocks_read();
        for &id in &ids {
            times.push(stopwatch(|| black_box(prove(&server, id)).is_some()).0);
        }
        let read_us = read_us(&target.join("level-0"), &ids)?;
        let hashes = 2.0 * CAPACITY as f64 - 1.0;
        let limit_us = hashes * self.primitives.node_independent_ns / 1e3;
        let each = |count: u64| count as f64 / sampled as f64;
        let prove_us = median(times);
        let line = line! {
            experiment: "directory_read",
            entries: self.entries,
            block_bytes: 32 * CAPACITY,
            prove_us: prove_us,
            prove_limit_us: limit_us + read_us,
            prove_ratio: (prove_us - read_us) / limit_us,
            read_us: read_us,
            reads_per_lookup: each(reads),
            reads_with_hint: each(with_hints),
            reads_of_timed: each(server.blocks_read() - start),
        };
        measured(report, ("merkle", self.primitives), line)
    }

    /// An author in memory with all entries, and what it has signed.
    fn author(&self) -> Outcome<(FullAuthor<S>, Vec<Update<S>>)> {
        let mut author = FullAuthor::<S>::new("bench", signing_key())?;
        let mut updates = Vec::new();
        for id in 0..self.entries {
            author.append(digest(id))?;
            if id % 1_000_000 == 999_999 {
                updates.push(author.snapshot()?);
            }
        }
        if !self.entries.is_multiple_of(1_000_000) {
            updates.push(author.snapshot()?);
        }
        Ok((author, updates))
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
        for update in &appended {
            server.apply(update)?;
        }
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
        for update in &appended {
            server.apply(update)?;
        }
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

fn prove(server: &BlockDirectory<S>, id: u64) -> Option<Vec<u8>> {
    let proof = server.prove_latest(&EntryQuery::one(EntryId::new(id)));
    Some(codec::encode(&proof.ok()?))
}

/// Whose directory it is.
fn authority() -> Outcome<Authority> {
    Ok(*FullAuthor::<S>::new("bench", signing_key())?.authority())
}

/// The head of version 1.
fn sign(authority: &Authority, root: Digest<32>) -> Outcome<SignedHead<S>> {
    let head = SnapshotHead {
        version: Version::new(1),
        root,
        ..SnapshotHead::<S>::empty(authority.scheme, authority.dictionary)
    };
    Ok(head.sign(&signing_key())?)
}

/// The bytes of all files of blocks.
fn level_bytes(folder: &Path) -> Outcome<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("level-") {
            bytes += entry.metadata()?.len();
        }
    }
    Ok(bytes)
}

/// Microseconds of writing so many bytes one after the other, and making them durable.
fn write_us(folder: &Path, bytes: u64) -> Outcome<f64> {
    let piece = vec![7; 1 << 20];
    let path = folder.join("bytes");
    let (us, written) = stopwatch(|| -> Outcome<()> {
        let mut file = File::create(&path)?;
        let mut left = bytes as usize;
        while left > 0 {
            let length = left.min(piece.len());
            file.write_all(&piece[..length])?;
            left -= length;
        }
        Ok(file.sync_all()?)
    });
    written?;
    fs::remove_file(path)?;
    Ok(us)
}

/// The median time of reading a block of 4 096 bytes, at the places of these entries.
fn read_us(file: &Path, ids: &[u64]) -> Outcome<f64> {
    let file = File::open(file)?;
    let mut block = vec![0; 32 * CAPACITY as usize];
    let mut times = Vec::new();
    for id in ids {
        let start = id / CAPACITY * block.len() as u64;
        // The last block may be shorter.
        let (us, read) = stopwatch(|| file.read_at(&mut block, start));
        read?;
        times.push(us);
    }
    Ok(median(times))
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
