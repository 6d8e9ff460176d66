//! Two alternatives to a block directory over the same ids: a plain map on disk without
//! authentication, and an authenticated tree in memory.
//!
//! Both accept any keys, while a directory assigns its ids. So only their costs are comparable.

use std::time::Duration;

use block_directory::EntryId;
use pad_core::{Operation, Repository as _, Value, codec};
use pad_tree::RedBlackPathCopying;
use redb::{Database, ReadableDatabase as _, ReadableTable as _, TableDefinition};

use super::{
    Bench,
    digests::{S, object},
    durable::MOST,
    operations::BATCH,
};
use crate::{dictionary::Run, line, memory, prelude::*};

const ENTRIES: TableDefinition<'_, u64, [u8; 32]> = TableDefinition::new("entries");

/// Measures both alternatives over `entries` entries, unless that exceeds [`MOST`]: loading more
/// takes minutes.
pub(super) fn run(entries: u64, bench: &mut Bench) -> Outcome<()> {
    if entries <= MOST {
        bench.report.announce(format!("redb, {entries} entries"));
        plain_map(entries, bench)?;
        bench
            .report
            .announce(format!("red-black tree, {entries} entries"));
        tree(entries, bench)?;
    }
    Ok(())
}

/// Makes a batch of random updates: ids below `entries`, each with the digest of a new object.
fn updates(random: &mut Random, entries: u64) -> Vec<(u64, [u8; 32])> {
    let mut update = |_| (random.below(entries), object(random.next()).0);
    (0..BATCH).map(&mut update).collect()
}

/// Measures the plain map, redb on disk. Each batch of updates is durable when it returns.
fn plain_map(entries: u64, bench: &mut Bench) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("map.redb");
    let map = Database::create(&path)?;
    let put = |entries: &mut dyn Iterator<Item = (u64, [u8; 32])>| -> Outcome<()> {
        let transaction = map.begin_write()?;
        {
            let mut table = transaction.open_table(ENTRIES)?;
            for (id, object) in entries {
                table.insert(id, object)?;
            }
        }
        Ok(transaction.commit()?)
    };
    put(&mut (0..entries).map(|id| (id, object(id).0)))?;
    let reading = map.begin_read()?;
    let table = reading.open_table(ENTRIES)?;
    let get = |id| table.get(id).ok().flatten().map(|object| object.value());
    let is_right = get(entries - 1) == Some(object(entries - 1).0);
    ensure(is_right, "redb: the wrong object")?;
    let mut random = Random::new(entries);
    let id = || random.below(entries);
    let got = bench.report.effort().repeat_each(1_000, id, get);
    drop((table, reading));
    let (mut putting, before) = (Timings::default(), memory::written_bytes());
    for _ in 0..bench.report.rounds(20, 2) {
        let updates = updates(&mut random, entries);
        putting.time(BATCH, || put(&mut updates.into_iter()))?;
    }
    putting.time(0, || drop(map));
    let written = (memory::written_bytes() - before) as f64 / putting.operations() as f64;
    let line = line! {
        experiment: "directory_beside", entries, update_us: putting.mean_us(),
        prove_us: None::<f64>, written_bytes_per_update: written, get_us: got.median_us(),
        batch: BATCH, file_bytes: std::fs::metadata(&path)?.len(),
    };
    bench.measured("redb", line)
}

/// Measures the authenticated tree, the workspace's red-black tree in memory.
fn tree(entries: u64, bench: &mut Bench) -> Outcome<()> {
    let put = |(id, object): (u64, [u8; 32])| -> Outcome<Operation> {
        let (key, value) = (EntryId::new(id).to_key(), Value::new(object)?);
        Ok(Operation::Put(key, value))
    };
    let mut run = Run::<RedBlackPathCopying<S>>::new(signing_key(), Duration::MAX);
    let filled: Outcome<Vec<_>> = (0..entries).map(|id| put((id, object(id).0))).collect();
    run.publish(filled?)?;
    let mut random = Random::new(entries);
    run.restart();
    for _ in 0..bench.report.rounds(5, 1) {
        let operations: Outcome<Vec<_>> =
            updates(&mut random, entries).into_iter().map(put).collect();
        run.publish(operations?)?;
    }
    let authored = run.samples.iter().map(|sample| sample.author_us);
    let update_us = median(authored.collect()) / BATCH as f64;
    let version = run.roles.repository.latest();
    let mut key = || EntryId::new(random.below(entries)).to_key();
    let mut bytes = Vec::new();
    for key in [(); 100].map(|()| key()) {
        let proof = run.roles.repository.prove(version, &key)?;
        bytes.push(codec::encode(&proof).len() as f64);
    }
    let prove = |key| run.roles.repository.prove(version, &key);
    let proved = bench.report.effort().repeat_each(100, key, prove);
    let line = line! {
        experiment: "directory_beside", entries, update_us, prove_us: proved.median_us(),
        proof_bytes: median(bytes), get_us: None::<f64>, batch: BATCH, file_bytes: None::<u64>,
    };
    bench.measured("red-black", line)
}
