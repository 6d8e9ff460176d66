//! A directory on disk: loading it, the sizes of its files and memory, and reading blocks.

use std::{
    fs::{self, File},
    hint::black_box,
    io::{self, BufWriter, Read as _},
    os::unix::fs::FileExt as _,
    path::Path,
};

use block_directory::{
    BlockDirectory, CacheBudget, DirectoryClient, Entry, EntryId, EntryQuery, FullAuthor,
};
use pad_core::{Authority, codec};

use super::{
    Bench,
    digests::{S, first_head},
    operations::digest,
};
use crate::{line, memory, prelude::*};

/// Height of the subtree in a block. A block has `2^STEP` = 128 slots, so 4 096 bytes.
pub(super) const STEP: u32 = 7;
pub(super) const CAPACITY: u64 = 1 << STEP;

/// Memory budget of a server for blocks: 256 MiB.
pub(super) const BUDGET: CacheBudget = CacheBudget::bytes(256 << 20);

/// Measures a directory of `entries` entries on disk.
pub(super) fn run(entries: u64, bench: &mut Bench) -> Outcome<()> {
    let what = format!("a directory of {entries} on disk");
    bench.report.announce(what);
    let folder = tempfile::tempdir()?;
    let target = folder.path().join("directory");
    load(entries, &target, bench)?;
    read(entries, &target, bench)
}

/// Loads all entries into a directory in the folder `target`, and opens it again. Measures the
/// times, the bytes of the files and the memory.
fn load(entries: u64, target: &Path, bench: &mut Bench) -> Outcome<()> {
    let authority = authority()?;
    let objects = (0..entries).map(|id| Ok(digest(id)));
    let sign =
        |root| -> Outcome<_> { Ok(first_head(authority.scheme, root).sign(&signing_key())?) };
    let (us, loaded) = stopwatch(|| {
        BlockDirectory::create_loaded(target, authority, (STEP, BUDGET), objects, sign)
    });
    let file_bytes = loaded?.file_bytes()?;
    let level_bytes = level_bytes(target)?;
    let write_us = write_us(&target.with_extension("bytes"), level_bytes)? / entries as f64;
    // Loading makes the digests of the objects, so its limit includes that.
    let made = entries.min(1_000_000);
    let (digests_us, ()) = stopwatch(|| (0..made).for_each(|id| _ = black_box(digest(id))));
    let hashing_us = 2.0 * bench.primitives.node_independent_ns / 1e3;
    let limit_us = hashing_us.max(write_us) + digests_us / made as f64;
    let before = memory::resident_bytes();
    let opened = BlockDirectory::<S>::open(target, BUDGET)?;
    let mut random = Random::new(entries);
    for _ in 0..bench.report.rounds(100_000, 100) {
        _ = black_box(prove(&opened, random.below(entries)));
    }
    let memory_bytes = memory::resident_bytes().saturating_sub(before);
    let others = line! {
        memory_bytes, file_bytes, block_bytes: 32 * CAPACITY,
        level_bytes_per_entry: level_bytes as f64 / entries as f64,
    };
    let times = (us / entries as f64, limit_us);
    bench.updated("directory_load", entries, times, &others)
}

/// Measures lookups whose block of level 0 is not in the server's memory, so that it is read
/// from the file. Looks up without a hint, and with one from an earlier lookup.
fn read(entries: u64, target: &Path, bench: &mut Bench) -> Outcome<()> {
    // Room for the levels above level 0, and about twice as much for blocks of level 0.
    let upper = entries.div_ceil(CAPACITY * CAPACITY) as usize * 64 * CAPACITY as usize;
    let budget = CacheBudget::bytes((3 * upper).max(1 << 20));
    let server = BlockDirectory::<S>::open(target, budget)?;
    // The last block may be open, and then has no hint. So it is not sampled.
    let blocks = entries / CAPACITY;
    let sampled = blocks.min(bench.report.rounds(5_000, 12) as u64);
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
    let server = BlockDirectory::<S>::open(target, budget)?;
    let before = server.blocks_read();
    for (&id, hint) in ids.iter().zip(&hints) {
        let (pending, request) = client.ask_with_hint(EntryId::new(id), &digest(id), hint);
        client.accept(&pending, &server.answer(&request)?)?;
    }
    let with_hints = server.blocks_read() - before;
    let mut times = Vec::new();
    for &id in &ids {
        times.push(stopwatch(|| black_box(prove(&server, id)).is_some()).0);
    }
    let read_us = read_us(&target.join("level-0"), &ids)?;
    let hashes = 2.0 * CAPACITY as f64 - 1.0;
    let limit_us = hashes * bench.primitives.node_independent_ns / 1e3;
    let each = |count: u64| count as f64 / sampled as f64;
    let prove_us = median(times);
    let line = line! {
        experiment: "directory_read", entries, block_bytes: 32 * CAPACITY,
        prove_us, prove_limit_us: limit_us + read_us,
        prove_ratio: (prove_us - read_us) / limit_us, read_us, reads_per_lookup: each(reads),
        reads_with_hint: each(with_hints),
    };
    bench.measured("merkle", line)
}

fn prove(server: &BlockDirectory<S>, id: u64) -> Option<Vec<u8>> {
    let proof = server.prove_latest(&EntryQuery::one(EntryId::new(id)));
    Some(codec::encode(&proof.ok()?))
}

/// Returns the author's key, name and scheme of the directory, under which heads are verified.
pub(super) fn authority() -> Outcome<Authority> {
    Ok(*FullAuthor::<S>::new("bench", signing_key())?.authority())
}

/// Returns the bytes of all files in `folder` that store blocks.
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

/// Returns the microseconds of writing `bytes` bytes in sequence to a file at `path`, and making
/// them durable.
fn write_us(path: &Path, bytes: u64) -> Outcome<f64> {
    let (us, written) = stopwatch(|| -> Outcome<()> {
        let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
        io::copy(&mut io::repeat(7).take(bytes), &mut file)?;
        Ok(file.into_inner()?.sync_all()?)
    });
    written?;
    fs::remove_file(path)?;
    Ok(us)
}

/// Returns the median microseconds of reading a block of 4 096 bytes from `file`. Reads the blocks
/// that contain the entries `ids`.
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
