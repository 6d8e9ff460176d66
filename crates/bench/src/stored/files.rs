//! Trees in store files on disk: the cost of one lookup and of one commit. Each of them opens the
//! store first, as a separate process would.

use std::{fs::File, io::Write as _, path::Path};

use authdict::{
    Author, CacheSize, DictionaryId, NodeCache, Question, SchemeName, SecretKey, Server,
    SigningRecord, SuiteName, internals::dynamic::create_store, verify,
};
use clap::ValueEnum;
use pad_core::{Key, Operation};

use super::key;
use crate::{line, memory, prelude::*, workload::value};

/// Number of measured snapshots with one change each, after the snapshot that loads all keys.
const SNAPSHOTS: u64 = 200;
/// Number of changes in each large batch.
const BATCH: u64 = 10_000;
const BATCHES: u64 = 10;

/// A store of `keys` keys, and its author's key, in a folder.
struct Shop<'a> {
    folder: &'a Path,
    key: SecretKey,
    keys: u64,
}

/// Measures a store of `keys` keys, and returns the result line.
pub(super) fn measure(keys: u64, effort: &Effort) -> Outcome<Line> {
    let folder = tempfile::tempdir()?;
    let shop = Shop::new(folder.path(), keys)?;
    create_store(&shop.store(), shop.key.public())?;
    let mut author = shop.author()?;
    let load = (0..keys).map(|number| Operation::Put(key(number), value(number)));
    let load = load.collect();
    let (load_us, loaded) = stopwatch(|| publish(&mut author, load));
    loaded?;
    drop(author);
    let loaded_bytes = shop.bytes()?;
    let mut random = Random::new(3);
    let mut commits = Timings::default();
    for snapshot in 0..SNAPSHOTS {
        let change = Operation::Put(key(random.below(keys)), value(snapshot));
        // Like a commit by a separate process: from opening the store to the last sync.
        commits.time(1, || publish(&mut shop.author()?, vec![change]))?;
    }
    let bytes_per_snapshot = (shop.bytes()? as f64 - loaded_bytes as f64) / SNAPSHOTS as f64;
    let (mut opened, mut looked_up) = (Timings::default(), Timings::default());
    for _ in 0..SNAPSHOTS {
        let asked = key(random.below(keys));
        opened.time(1, || Server::of_any(shop.store()))?;
        looked_up.time(1, || shop.look_up(asked))?;
    }
    let operations = [Once::Open, Once::LookUp, Once::Commit];
    let [open, look_up, commit] = operations.map(|once| shop.as_process(once));
    let proving = shop.proving(&NodeCache::default(), effort)?;
    let warmed = CacheSize::Warmed { most: u64::MAX };
    let proving_warmed = shop.proving(&NodeCache::new(warmed), effort)?;
    let updates_per_second = shop.batches()?;
    let synced = shop.syncs()?;
    Ok(line! {
        experiment: "stored_files", scheme: "red-black", repository: "stored", keys,
        snapshots: SNAPSHOTS, load_seconds: load_us / 1e6,
        file_bytes_per_key: loaded_bytes as f64 / keys as f64,
        file_bytes_per_snapshot: bytes_per_snapshot, open_us: opened.median_us(),
        open_and_look_up_us: looked_up.median_us(), open_and_commit_us: commits.median_us(),
        sync_us: synced, prove_us: proving, prove_warmed_us: proving_warmed,
        open_resident_bytes: open?, look_up_resident_bytes: look_up?,
        commit_resident_bytes: commit?,
        updates_per_second,
    })
}

fn publish(author: &mut Author, batch: Vec<Operation>) -> Outcome<()> {
    author.stage(batch)?;
    author.flush(&[])?;
    Ok(())
}

/// Operation on a store that runs in a separate process, to measure the peak memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Once {
    /// Opens the store as a server.
    Open,
    /// Opens the store as a server, and proves and verifies one look-up.
    LookUp,
    /// Opens the store as its author, and commits one change.
    Commit,
}

/// Runs an operation on the store of `keys` keys in `folder`. Returns the peak memory of this
/// process in bytes, or 0 where the system does not report it.
pub(super) fn once(once: Once, folder: &Path, keys: u64) -> Outcome<u64> {
    let shop = Shop::new(folder, keys)?;
    match once {
        Once::Open => drop(Server::of_any(shop.store())?),
        Once::LookUp => shop.look_up(key(keys / 2))?,
        Once::Commit => publish(
            &mut shop.author()?,
            vec![Operation::Put(key(keys / 2), value(7))],
        )?,
    }
    Ok(memory::peak_resident_bytes())
}

impl<'a> Shop<'a> {
    fn new(folder: &'a Path, keys: u64) -> Outcome<Self> {
        let (suite, scheme) = (SuiteName::Sha256Ed25519, SchemeName::RedBlack);
        let key = SecretKey::from_seed(suite, scheme, DictionaryId::from_name("bench"), &[7; 32])?;
        Ok(Self { folder, key, keys })
    }

    /// Returns the peak memory in bytes of a new process that does only this operation.
    fn as_process(&self, once: Once) -> Outcome<u64> {
        let once = once.to_possible_value().ok_or("no such operation")?;
        let (keys, folder) = (self.keys.to_string(), self.folder.display().to_string());
        let rest = [once.get_name(), "--keys", &keys, "--folder", &folder];
        let output = run_alone(["stored", "--once"].into_iter().chain(rest))?;
        Ok(String::from_utf8(output)?.trim().parse()?)
    }

    fn store(&self) -> std::path::PathBuf {
        self.folder.join("store")
    }

    fn author(&self) -> Outcome<Author> {
        let record = SigningRecord::open_or_begin(&self.folder.join("signed"))?;
        Ok(Author::of_any(self.store(), &self.key, record)?)
    }

    /// Returns the bytes of all files of the store.
    fn bytes(&self) -> Outcome<u64> {
        Ok(Server::of_any(self.store())?.file_bytes()?)
    }

    /// Opens the store as a server, answers one lookup, and verifies the answer.
    fn look_up(&self, key: Key) -> Outcome<()> {
        let repository = Server::of_any(self.store())?;
        let (version, question) = (repository.latest(), Question::Key(key));
        let answer = repository.answer(version, &question)?;
        verify(self.key.public(), version, &question, &answer)?;
        Ok(())
    }

    /// Returns the median microseconds in which a long-running server answers a lookup, with nodes
    /// in `cache`.
    fn proving(&self, cache: &NodeCache, effort: &Effort) -> Outcome<f64> {
        let repository = Server::of_any_with(self.store(), cache.clone())?;
        let (version, mut random) = (repository.latest(), Random::new(4));
        let ask = || Question::Key(key(random.below(self.keys)));
        let answer = |question: Question| repository.answer(version, &question);
        Ok(effort.try_repeat_each(256, ask, answer)?.median_us())
    }

    /// Returns the number of updates of random keys per second that are made durable in large
    /// batches.
    fn batches(&self) -> Outcome<f64> {
        let mut author = self.author()?;
        let (mut random, mut timings) = (Random::new(5), Timings::default());
        for batch in 0..BATCHES {
            let size = BATCH.min(self.keys);
            let mut change = |_| Operation::Put(key(random.below(self.keys)), value(batch));
            let changes = (0..size).map(&mut change).collect();
            timings.time(size as usize, || publish(&mut author, changes))?;
        }
        Ok(1e6 / timings.mean_us())
    }

    /// Returns the median microseconds of six writes of 4 KiB in this folder, each followed by a
    /// sync. A commit makes as many syncs.
    ///
    /// A commit syncs its nodes, the heads, the store twice, the acknowledged state, and the
    /// author's record.
    fn syncs(&self) -> Outcome<f64> {
        let mut file = File::create(self.folder.join("sync"))?;
        let mut write = || file.write_all(&[1; 4096]).and_then(|()| file.sync_data());
        let mut timings = Timings::default();
        for _ in 0..50 {
            timings.time(1, || (0..6).try_for_each(|_| write()))?;
        }
        Ok(timings.median_us())
    }
}
