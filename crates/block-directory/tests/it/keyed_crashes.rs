//! Keyed directories on a simulated disk: a crash at every write and every synchronisation of a scripted run.

use block_directory::{KeyedAuthor, KeyedDirectory, KeyedError, StoreError, StoredKeyedDirectory};
use disk::{engine::EngineError, layer::SimulatedFolder};
use pad_core::{
    Dictionary, Key, KeyRange, LookupError, Repository, StoreFault, Update, Value, head::Authority,
};
use pad_tree::{ProvableQuery, TreeProof};

use crate::{
    accidents::{Scripted, number},
    support::{S, signer},
};

/// Room for little more than a path.
const CACHE: usize = 0;
const NAME: &str = "names.redb";

type Stored = StoredKeyedDirectory<S>;

/// What happens, and the proof of all entries after each version.
struct Script {
    authority: Authority,
    updates: Vec<Update<S>>,
    proofs: Vec<TreeProof<S, KeyRange>>,
}

impl Script {
    /// Growth to two levels, nothing at all, merges, and shrinking to nothing.
    fn new() -> Self {
        let mut author = KeyedAuthor::<S>::new("names", signer()).unwrap();
        let authority = author.authority();
        let mut memory = KeyedDirectory::new(authority).unwrap();
        let (mut updates, mut proofs) = (Vec::new(), vec![all(&memory)]);
        for (first, last, step) in [(0, 200, 1), (0, 0, 1), (0, 150, 2), (150, 400, 3)] {
            for number in (first..last).step_by(step) {
                let value = Value::new(updates.len().to_be_bytes()).unwrap();
                author.put(key(number), value).unwrap();
            }
            publish(&mut author, &mut memory, &mut updates, &mut proofs);
        }
        for (first, last) in [(3, 180), (0, 3), (180, 400)] {
            for number in first..last {
                author.remove(&key(number));
            }
            publish(&mut author, &mut memory, &mut updates, &mut proofs);
        }
        assert!(memory.contents().merges() > 0 && memory.contents().is_empty());
        Self {
            authority,
            updates,
            proofs,
        }
    }

    /// Applies what is missing.
    fn go_on(&self, mut directory: Stored) -> usize {
        let mut acknowledged = number(directory.latest());
        for update in self.updates.iter().skip(acknowledged) {
            if directory.apply(update).is_err() {
                let version = directory.latest();
                let refused = directory.prove(version, &key(0));
                let closed = Err(LookupError::Store(StoreFault::Closed));
                // A directory without entries has no blocks to read.
                assert!(refused == closed || directory.is_empty());
                return acknowledged;
            }
            acknowledged += 1;
        }
        acknowledged
    }
}

impl Scripted for Script {
    fn versions(&self) -> usize {
        self.updates.len()
    }

    fn run(&self, folder: &SimulatedFolder) -> Option<usize> {
        let made = Stored::create_in(&folder.layer(), NAME, &self.authority, CACHE);
        Some(self.go_on(made.ok()?))
    }

    fn assert_survived(&self, folder: &SimulatedFolder, acknowledged: Option<usize>, what: &str) {
        let layer = folder.layer();
        let directory = match (Stored::open_in(&layer, NAME, CACHE), acknowledged) {
            (Ok(directory), _) => directory,
            (Err(KeyedError::Store(StoreError::Log(EngineError::Missing(_)))), None) => return,
            (Err(error), _) => panic!("{what}: {error}"),
        };
        let latest = number(directory.latest());
        let least = acknowledged.unwrap_or(0);
        assert!(
            (least..=least + 1).contains(&latest),
            "{what}: {least}, {latest}"
        );
        assert_eq!(all(&directory), self.proofs[latest], "{what}");
        assert_eq!(self.go_on(directory), self.updates.len(), "{what}");
        let reopened = Stored::open_in(&layer, NAME, CACHE).unwrap();
        assert_eq!(Some(&all(&reopened)), self.proofs.last(), "{what}");
    }
}

fn publish(
    author: &mut KeyedAuthor<S>,
    memory: &mut KeyedDirectory<S>,
    updates: &mut Vec<Update<S>>,
    proofs: &mut Vec<TreeProof<S, KeyRange>>,
) {
    let update = author.snapshot().unwrap();
    memory.apply(&update).unwrap();
    updates.push(update);
    proofs.push(all(memory));
}

/// A directory that proves all of its entries.
trait Proves: Repository<Suite = S> {
    fn prove_all<Q: ProvableQuery>(&self, query: &Q) -> TreeProof<S, Q>;
}

impl Proves for KeyedDirectory<S> {
    fn prove_all<Q: ProvableQuery>(&self, query: &Q) -> TreeProof<S, Q> {
        self.prove_query(self.latest(), query).unwrap()
    }
}

impl Proves for Stored {
    fn prove_all<Q: ProvableQuery>(&self, query: &Q) -> TreeProof<S, Q> {
        self.prove_query(self.latest(), query).unwrap()
    }
}

fn all(directory: &impl Proves) -> TreeProof<S, KeyRange> {
    directory.prove_all(&KeyRange::ALL)
}

fn key(number: u32) -> Key {
    Key::new(number.to_be_bytes()).unwrap()
}

#[test]
fn a_power_cut_at_any_operation_loses_nothing_that_was_acknowledged() {
    Script::new().survives_power_cuts(1);
}

/// A write or a synchronisation that fails closes the directory, and what was acknowledged before is there afterwards.
#[test]
fn failures_close_the_directory_and_lose_nothing() {
    Script::new().survives_failures(1);
}

/// A full disk is said, nothing is half there, and with room again the directory goes on.
#[test]
fn a_full_disk_loses_nothing() {
    Script::new().survives_full_disks();
}

/// One change writes its path and what the engine needs, not the directory.
#[test]
fn a_version_writes_only_the_blocks_that_it_changes() {
    let mut author = KeyedAuthor::<S>::new("names", signer()).unwrap();
    let folder = SimulatedFolder::new("names");
    let mut stored = Stored::create_in(&folder.layer(), NAME, &author.authority(), CACHE).unwrap();
    for number in 0..20_000 {
        author.put(key(number), Value::default()).unwrap();
    }
    stored.apply(&author.snapshot().unwrap()).unwrap();
    let written = || folder.traffic(NAME).bytes_written;
    let loaded = written();
    author
        .put(key(10_001), Value::new(*b"changed").unwrap())
        .unwrap();
    let read = stored.blocks_read();
    stored.apply(&author.snapshot().unwrap()).unwrap();
    assert!(stored.blocks_read() - read <= 3, "a path of three levels");
    let changed = written() - loaded;
    assert!(changed * 4 < loaded, "{changed} bytes after {loaded}");
}
