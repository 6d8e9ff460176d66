//! Counterpart of `bench stored` for a third-party tree on a database.
//!
//! Measures opening, one lookup, one commit, and proofs of a server that stays open.

use std::{
    env,
    hint::black_box,
    path::{Path, PathBuf},
    process::Command,
};

use clap::ValueEnum as _;
use comparison::{
    timing::{Timings, stopwatch},
    workload::Random,
};
use jmt::KeyHash;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::{Outcome, database::JellyfishFile, effort::Effort, lock};

/// Number of measured snapshots with one change each, after the snapshot that loads all keys.
const SNAPSHOTS: u64 = 200;
/// Number of changes in each large batch.
const BATCH: u64 = 10_000;
const BATCHES: u64 = 10;

/// Operation on the store that runs in a separate process, to measure its peak memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Once {
    /// Opens the store.
    Open,
    /// Opens the store, and proves and verifies one look-up.
    LookUp,
    /// Opens the store, and commits one changed key.
    Commit,
}

impl Once {
    /// Runs the operation on a store of `keys` keys, in this process. Returns the peak memory of
    /// the process in bytes, or 0 if the operating system does not report it.
    pub fn run(self, store: &Path, keys: u64) -> Outcome<u64> {
        match self {
            Self::Open => drop(JellyfishFile::open_existing(store)?),
            Self::LookUp => look_up(store, keys / 2)?,
            Self::Commit => drop(commit(store, vec![entry(keys / 2, 7)])?),
        }
        Ok(comparison::memory::peak_resident_bytes())
    }
}

/// Measures the third-party tree in a store of `keys` keys. The JSON keys of the result row are
/// those of `bench stored` for stores on disk.
pub fn measure(keys: u64, effort: Effort) -> Outcome<Value> {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("jmt.redb");
    let load: Vec<_> = (0..keys).map(|number| entry(number, number)).collect();
    let (load_us, loaded) = stopwatch(|| JellyfishFile::open(&store)?.commit(load));
    drop(loaded?);
    let loaded_bytes = store.metadata()?.len();
    let snapshots = SNAPSHOTS.min(u64::try_from(effort.snapshots)?);
    let mut random = Random::new(3);
    let [mut commits, mut opened, mut looked_up] = [(); 3].map(|()| Timings::default());
    for snapshot in 0..snapshots {
        let change = vec![entry(random.below(keys), snapshot)];
        drop(commits.time(1, || commit(&store, change))?);
    }
    let bytes = store.metadata()?.len().saturating_sub(loaded_bytes);
    for _ in 0..snapshots {
        drop(opened.time(1, || JellyfishFile::open_existing(&store))?);
        looked_up.time(1, || look_up(&store, random.below(keys)))?;
    }
    let resident = |once| as_process(once, &store, keys);
    let (open, look, change) = (
        resident(Once::Open)?,
        resident(Once::LookUp)?,
        resident(Once::Commit)?,
    );
    let tree = JellyfishFile::open_existing(&store)?;
    let proving = effort.repeat(
        || key(random.below(keys)),
        |key| Ok(black_box(tree.prove(key)?)),
    )?;
    drop(tree);
    Ok(json!({
        "experiment": "stored_files", "scheme": "jellyfish", "repository": "jmt on redb",
        "version": lock::version("jmt").unwrap_or_default(), "keys": keys, "snapshots": snapshots,
        "load_seconds": load_us / 1e6, "file_bytes_per_key": loaded_bytes as f64 / keys as f64,
        "file_bytes_per_snapshot": bytes as f64 / snapshots as f64, "open_us": opened.median_us(),
        "open_and_look_up_us": looked_up.median_us(), "open_and_commit_us": commits.median_us(),
        "prove_us": proving.median_us(), "updates_per_second": batches(&store, keys)?,
        "open_resident_bytes": open, "look_up_resident_bytes": look,
        "commit_resident_bytes": change,
    }))
}

fn commit(store: &Path, changes: Vec<(KeyHash, Vec<u8>)>) -> Outcome<JellyfishFile> {
    JellyfishFile::open_existing(store)?.commit(changes)
}

/// Opens the store, and proves and verifies a lookup of the key number `number`.
fn look_up(store: &Path, number: u64) -> Outcome<()> {
    let tree = JellyfishFile::open_existing(store)?;
    let (value, proof) = tree.prove(key(number))?;
    let value = value.ok_or("a key is missing")?;
    Ok(proof.verify(tree.root()?, key(number), Some(value))?)
}

/// Returns the number of updates of random keys per second that are made durable in large batches.
fn batches(store: &Path, keys: u64) -> Outcome<f64> {
    let mut tree = JellyfishFile::open_existing(store)?;
    let (mut random, mut us) = (Random::new(5), 0.0);
    let size = BATCH.min(keys);
    for batch in 0..BATCHES {
        let changes = (0..size)
            .map(|_| entry(random.below(keys), batch))
            .collect();
        let (took, done) = stopwatch(|| tree.commit(changes));
        tree = done?;
        us += took;
    }
    Ok((BATCHES * size) as f64 / us * 1e6)
}

fn as_process(once: Once, store: &Path, keys: u64) -> Outcome<u64> {
    let once = once.to_possible_value().ok_or("no such operation")?;
    let (once, keys) = (once.get_name(), keys.to_string());
    let mut command = Command::new(env::current_exe()?);
    command.args(["--once", once, "--keys", &keys, "--store"]);
    let output = command.arg(store).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{once}: {said}").into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Arguments of a separate process that runs one operation on a store.
#[derive(Clone, Debug, clap::Args)]
pub struct OnceArguments {
    /// Run this operation on a store with the given number of keys, and print the peak memory.
    #[arg(long, value_enum, requires = "store", hide = true)]
    pub once: Option<Once>,
    /// Path of the store's file.
    #[arg(long, hide = true)]
    pub store: Option<PathBuf>,
}

/// Returns the hashed key for a number. Keys are not in the order of their numbers.
fn key(number: u64) -> KeyHash {
    let mut random = Random::new(number);
    KeyHash::with::<Sha256>([random.next().to_be_bytes(), number.to_be_bytes()].concat())
}

fn entry(number: u64, value: u64) -> (KeyHash, Vec<u8>) {
    (key(number), [&value.to_be_bytes()[..], &[7; 24]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_committed_is_there_when_it_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("tree");
        let load = (0..300).map(|number| entry(number, number)).collect();
        drop(JellyfishFile::open(&store).unwrap().commit(load).unwrap());
        drop(commit(&store, vec![entry(7, 1_000)]).unwrap());
        let tree = JellyfishFile::open_existing(&store).unwrap();
        let root = tree.root().unwrap();
        for number in 0..300 {
            let expected = if number == 7 { 1_000 } else { number };
            let (key, expected) = (key(number), entry(number, expected).1);
            let (found, proof) = tree.prove(key).unwrap();
            assert_eq!(found.as_ref(), Some(&expected));
            proof.verify(root, key, Some(expected)).unwrap();
            assert!(proof.verify(root, key, Some(vec![1])).is_err());
        }
        let (found, proof) = tree.prove(key(300)).unwrap();
        assert_eq!(found, None);
        proof.verify_nonexistence(root, key(300)).unwrap();
    }
}
