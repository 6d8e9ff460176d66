//! `bench stored`: trees whose nodes are stored, and read on demand.
//!
//! Measures nodes in a log in memory, stores in files, and a third-party tree on a database.
//!
//! The dictionary is a red-black tree with keys of 16 bytes and values of 32, loaded in one
//! snapshot. Each further snapshot replaces one value: 100 snapshots in memory, 200 in files. The
//! limit of a lookup is the same lookup in a tree in memory. Reads from the log are counted in
//! blocks of 4 KiB.

mod files;

use std::{
    io::{Write as _, stdout},
    path::PathBuf,
};

use clap::{Args, ValueEnum};
use pad_core::{Key, Operation, Repository as _, Sha256Ed25519, Version, Workers};
use pad_tree::{
    CacheSize, MemoryLog, NodeLog as _, RedBlack, RedBlackAuthor, RedBlackPathCopying,
    StoredRepository,
};

use self::files::Once;
use crate::{
    line, peers,
    prelude::*,
    workload::{key_of, value},
};

type S = Sha256Ed25519;

/// The command line of `bench stored`.
#[derive(Clone, Debug, Args)]
pub struct StoredArguments {
    #[command(flatten)]
    manner: Manner,
    /// Numbers of keys in the dictionary; with --quick 1000.
    #[arg(long, sizes("10000,100000,1000000", "1000", within(1..)))]
    keys: Vec<u64>,
    /// Media that the nodes are stored on. Files are in the temporary folder.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "memory,files"
    )]
    medium: Vec<Medium>,
    /// Runs one operation on the store in `--folder`, and prints the peak memory of the process in
    /// bytes.
    #[arg(long, value_enum, requires = "folder", hide = true)]
    once: Option<Once>,
    /// Folder of the store for `--once`.
    #[arg(long, hide = true)]
    folder: Option<PathBuf>,
}

/// Medium that the nodes are stored on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Medium {
    Memory,
    Files,
    /// The third-party tree `jmt` in a redb file; compiles `peers` first.
    Jmt,
}

/// Maximum number of keys for the third-party tree. One snapshot with more keys does not fit into
/// memory.
const MOST_JMT: u64 = 1_000_000;

impl StoredArguments {
    /// Measures each number of keys on each medium, or runs the operation of `--once`.
    pub fn run(&self) -> Outcome<()> {
        if let (Some(once), Some(folder)) = (self.once, &self.folder) {
            let keys = self.keys.first().copied().unwrap_or(1);
            let bytes = files::once(once, folder, keys)?;
            return Ok(writeln!(stdout(), "{bytes}")?);
        }
        let mut report = self.manner.report()?;
        for keys in &self.keys {
            report.announce(format!("stored nodes, {keys} keys"));
            if self.medium.contains(&Medium::Memory) {
                let line = measure(*keys, &report.effort())?;
                report.measured(line)?;
            }
            if self.medium.contains(&Medium::Files) {
                report.announce(format!("stores in files, {keys} keys"));
                let line = files::measure(*keys, &report.effort())?;
                report.measured(line)?;
            }
            if self.medium.contains(&Medium::Jmt) && *keys <= MOST_JMT {
                report.announce(format!("jmt on redb, {keys} keys"));
                peers::stored(*keys, self.manner.quick, |line| report.measured(line))?;
            }
        }
        report.finish(tables)
    }
}

/// Makes the tables of `bench stored` from result lines.
pub fn tables(lines: &[Line]) -> Tables {
    shown("stored", nothing, lines).signed(lines)
}

/// Number of measured snapshots after the snapshot that loads all keys.
const SNAPSHOTS: u64 = 100;

fn measure(keys: u64, effort: &Effort) -> Outcome<Line> {
    let mut author = RedBlackAuthor::<S, _>::new(
        pad_core::DictionaryId::from_name("stored"),
        author_key(),
        signing_key(),
    )
    .with_workers(Workers::all_cores());
    let authority = pad_core::Dictionary::authority(&author);
    let mut memory = RedBlackPathCopying::<S>::new(authority);
    let open = |log, size| -> Outcome<StoredRepository<S, RedBlack>> {
        let opened = StoredRepository::open(authority, log, size)?;
        Ok(opened.with_workers(Workers::all_cores()))
    };
    let mut stored = open(MemoryLog::default(), CacheSize::OfBytes(WHOLE))?;
    let batch = (0..keys).map(|number| Operation::Put(key(number), value(number)));
    let update = author.snapshot_of(batch.collect())?;
    memory.apply(&update)?;
    let (load_us, loaded) = stopwatch(|| stored.apply(&update));
    loaded?;
    drop(update);
    let loaded_bytes = stored.log().end();
    let mut random = Random::new(1);
    let [mut signing, mut applying, mut applying_in_memory] = [(); 3].map(|()| Timings::default());
    for snapshot in 0..SNAPSHOTS {
        let batch = vec![Operation::Put(key(random.below(keys)), value(snapshot))];
        let update = signing.time(1, || author.snapshot_of(batch))?;
        applying.time(1, || stored.apply(&update))?;
        applying_in_memory.time(1, || memory.apply(&update))?;
    }
    let bytes = stored.log().end() - loaded_bytes;
    let latest = stored.latest();
    let mut asked = || key(random.below(keys));
    // The first round fills the cache, which has room for all nodes.
    for _ in 0..20_000.min(keys * 20) {
        stored.prove(latest, &asked())?;
    }
    let prove = |key| stored.prove(latest, &key);
    let proving = effort.try_repeat_each(256, &mut asked, prove)?;
    let prove = |key| memory.prove(latest, &key);
    let proving_in_memory = effort.try_repeat_each(256, &mut asked, prove)?;
    let mut warmed = open(stored.log().clone(), CacheSize::Warmed { most: u64::MAX })?;
    warmed.warm()?;
    let prove = |key| warmed.prove(latest, &key);
    let proving_warmed = effort.try_repeat_each(256, &mut asked, prove)?;
    let reads_latest = reads(&stored, latest, keys)?;
    let reads_old = reads(&stored, Version::new(SNAPSHOTS / 2), keys)?;
    Ok(line! {
        experiment: "stored", scheme: "red-black", keys, snapshots: SNAPSHOTS,
        load_us_per_key: load_us / keys as f64, bytes_per_key: loaded_bytes as f64 / keys as f64,
        bytes_per_snapshot: bytes as f64 / SNAPSHOTS as f64, author_us: signing.median_us(),
        apply_us: applying.median_us(), apply_in_memory_us: applying_in_memory.median_us(),
        prove_us: proving.median_us(), prove_warmed_us: proving_warmed.median_us(),
        prove_in_memory_us: proving_in_memory.median_us(),
        prove_ratio: proving.median_us() / proving_in_memory.median_us(), reads_latest, reads_old,
    })
}

/// Returns the mean number of blocks that a lookup of a random key reads from the log. The cache
/// has room for a twentieth of the log.
fn reads(stored: &StoredRepository<S, RedBlack>, version: Version, keys: u64) -> Outcome<f64> {
    let log = stored.log().clone();
    let share = usize::try_from(log.end())? / 20;
    let few = StoredRepository::<S, RedBlack>::open(*stored.authority(), log, share)?;
    let mut random = Random::new(2);
    let mut round = || -> Outcome<u64> {
        let before = few.blocks_read();
        for _ in 0..LOOKUPS {
            few.prove(version, &key(random.below(keys)))?;
        }
        Ok(few.blocks_read() - before)
    };
    // The first round fills the cache with the most used nodes.
    round()?;
    Ok(round()? as f64 / LOOKUPS as f64)
}

/// Cache size in bytes, larger than the log of any measured dictionary.
const WHOLE: usize = 8 << 30;
/// Number of lookups whose reads are counted.
const LOOKUPS: u64 = 20_000;

/// Returns a key of 16 bytes for a number. The order of keys is not the order of their numbers.
fn key(number: u64) -> Key {
    key_of(number, 16)
}
