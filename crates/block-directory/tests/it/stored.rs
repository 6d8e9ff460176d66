//! Compares directories on disk with directories in memory.

use std::{fs, path::Path};

use block_directory::{
    BlockDirectory, CacheBudget, DirectoryClient, EntryQuery, FullAuthor, StoreError,
};
use pad_core::{ApplyError, LookupError, StoreFault, Suite, Update, codec};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use tempfile::TempDir;

use crate::support::{LAZY, S, accepted, append, id, object, signer};

type Other = pad_core::Blake3Ed25519;

/// A cache so small that blocks are evicted all the time.
pub(crate) const TINY: CacheBudget = CacheBudget {
    bytes: 1,
    log_bytes: 2000,
};

fn open(folder: &Path, budget: CacheBudget) -> BlockDirectory<S> {
    BlockDirectory::open(folder, budget).unwrap()
}

/// An author, a server in memory, and a server in files.
pub(crate) struct Trio {
    pub(crate) author: FullAuthor<S>,
    pub(crate) memory: BlockDirectory<S>,
    pub(crate) stored: Option<BlockDirectory<S>>,
    folder: TempDir,
    budget: CacheBudget,
    random: ChaCha8Rng,
}

impl Trio {
    pub(crate) fn new(step: u32, budget: CacheBudget, seed: u64) -> Self {
        let author = FullAuthor::new("directory", signer()).unwrap();
        let authority = *author.authority();
        let folder = tempfile::tempdir().unwrap();
        let stored = BlockDirectory::create(folder.path(), authority, step, budget).unwrap();
        Self {
            memory: BlockDirectory::new(authority, step).unwrap(),
            author,
            stored: Some(stored),
            folder,
            budget,
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    pub(crate) fn stored(&mut self) -> &mut BlockDirectory<S> {
        self.stored.as_mut().unwrap()
    }

    /// Makes the author's next version, and applies it in memory.
    pub(crate) fn snapshot(&mut self) -> Update<S> {
        let update = self.author.snapshot().unwrap();
        self.memory.apply(&update).unwrap();
        update
    }

    /// Makes a version with `appends` appended entries, and at most `changes` changes and
    /// deletions.
    fn version(&mut self, appends: u64, changes: u64) -> Update<S> {
        let before = self.memory.registered();
        append(&mut self.author, before..before + appends);
        for _ in 0..changes.min(before) {
            let chosen = id(self.random.random_range(0..before));
            let changed = if self.random.random_range(0..5) == 0 {
                self.author.delete(chosen)
            } else {
                let fresh = object::<S>(self.random.random_range(0..1_000_000));
                self.author.update(chosen, fresh)
            };
            assert!(matches!(
                changed,
                Ok(()) | Err(ApplyError::DeletedForGood(_))
            ));
        }
        self.snapshot()
    }

    pub(crate) fn apply(&mut self, appends: u64, changes: u64) {
        let update = self.version(appends, changes);
        self.stored().apply(&update).unwrap();
    }

    /// Reopens the directory without a checkpoint, like after a killed process.
    pub(crate) fn crash(&mut self) {
        drop(self.stored.take());
        self.stored = Some(open(self.folder.path(), self.budget));
    }

    pub(crate) fn close(&mut self) {
        self.stored.take().unwrap().close().unwrap();
        self.stored = Some(open(self.folder.path(), self.budget));
    }

    /// Checks that both servers give equal proofs for every entry.
    pub(crate) fn compare_entries(&self) {
        let (memory, stored) = (&self.memory, self.stored.as_ref().unwrap());
        for number in 0..=memory.registered() {
            let query = EntryQuery::one(id(number));
            assert_eq!(stored.prove_latest(&query), memory.prove_latest(&query));
        }
    }

    /// Checks that both servers give equal proofs for every entry and some queries.
    fn compare(&mut self) {
        let (memory, stored) = (&self.memory, self.stored.as_ref().unwrap());
        assert_eq!(stored.latest(), memory.latest());
        assert_eq!(stored.registered(), memory.registered());
        assert_eq!(stored.heads(), memory.heads());
        self.compare_entries();
        for _ in 0..20 {
            let mut asked: Vec<u64> = (0..5)
                .map(|_| self.random.random_range(0..memory.registered() + 3))
                .collect();
            asked.sort_unstable();
            asked.dedup();
            let query = EntryQuery::new(asked).unwrap();
            assert_eq!(stored.prove_latest(&query), memory.prove_latest(&query));
        }
    }
}

#[test]
fn files_and_memory_agree_after_every_version_and_every_way_to_end() {
    for (step, budget) in [(1, TINY), (2, TINY), (2, LAZY), (3, TINY), (7, LAZY)] {
        let mut trio = Trio::new(step, budget, u64::from(step));
        for (round, appends) in (0..24).zip([0, 1, 3, 9, 1 << step].into_iter().cycle()) {
            trio.apply(appends, round);
            match round % 4 {
                0 => trio.crash(),
                1 => trio.close(),
                _ => {}
            }
            trio.compare();
        }
        trio.close();
        let folder = trio.folder.path().to_path_buf();
        let registered = trio.memory.registered();
        drop(trio.stored.take());
        let mut last = (0, 0);
        let checked = BlockDirectory::<S>::check(&folder, budget, |done, all| last = (done, all));
        assert_eq!(checked.unwrap(), registered);
        assert_eq!(last.0, last.1);
    }
}

/// A level is full at the checkpoint, and more entries follow. The first slot of the new level is
/// above blocks that are not in the log.
#[test]
fn levels_grow_beyond_the_checkpoint() {
    for step in 1..4 {
        for full in [1 << step, 1 << (2 * step), 1 << (3 * step)] {
            for more in [1, 2, 1 << step, (1 << step) + 1] {
                let mut trio = Trio::new(step, LAZY, 1);
                trio.apply(full, 0);
                trio.close();
                trio.apply(more, 0);
                trio.crash();
                trio.compare();
                trio.apply(0, 3);
                trio.apply(1, 0);
                trio.crash();
                trio.compare();
            }
        }
    }
}

#[test]
fn versions_without_changes_and_groups_survive() {
    let mut trio = Trio::new(2, LAZY, 3);
    trio.apply(0, 0);
    trio.crash();
    trio.apply(70, 0);
    trio.close();
    trio.apply(0, 0);
    trio.crash();
    trio.compare();
    let group: Vec<_> = (0..9).map(|round| trio.version(round, 5)).collect();
    trio.stored().apply_all(&group).unwrap();
    trio.compare();
    trio.crash();
    trio.compare();
    // The updates before an invalid one stay and are durable.
    let mut group: Vec<_> = (0..4).map(|_| trio.version(1, 2)).collect();
    let last = group[3].clone();
    group[3].operations.clear();
    let refused = trio.stored().apply_all(&group);
    assert_eq!(refused, Err(ApplyError::RootMismatch));
    trio.crash();
    trio.stored().apply(&last).unwrap();
    trio.compare();
}

#[test]
fn a_loaded_directory_is_the_one_that_was_appended_to() {
    for step in [1, 2, 7] {
        for entries in [0_u64, 1, 2, 3, 4, 5, 127, 128, 129, 1000] {
            let folder = tempfile::tempdir().unwrap();
            let mut author = FullAuthor::<S>::new("directory", signer()).unwrap();
            let authority = *author.authority();
            let head = author.load((0..entries).map(object::<S>)).unwrap();
            let loaded = BlockDirectory::<S>::create_loaded(
                folder.path(),
                authority,
                (step, TINY),
                (0..entries).map(|number| Ok::<_, StoreError>(object::<S>(number))),
                |root| {
                    assert_eq!(root, head.head.root);
                    Ok(head)
                },
            );
            let mut loaded = loaded.unwrap();
            let memory = BlockDirectory::new(authority, step).unwrap();
            let mut memory = memory.load(&head, (0..entries).map(object::<S>)).unwrap();
            author.append(object::<S>(entries)).unwrap();
            let update = author.snapshot().unwrap();
            memory.apply(&update).unwrap();
            loaded.apply(&update).unwrap();
            for number in 0..entries + 2 {
                let query = EntryQuery::one(id(number));
                assert_eq!(loaded.prove_latest(&query), memory.prove_latest(&query));
            }
        }
    }
}

/// Check 26: a block that does not match the block above it is neither shown nor changed.
#[test]
fn damaged_blocks_are_found_before_they_are_used() {
    let mut trio = Trio::new(2, LAZY, 4);
    trio.apply(70, 0);
    trio.close();
    drop(trio.stored.take());
    flip(&trio.folder.path().join("level-0"), 32 * 17 + 3);
    trio.stored = Some(open(trio.folder.path(), LAZY));
    let stored = trio.stored.as_ref().unwrap();
    for number in 0..70 {
        let proof = stored.prove_latest(&EntryQuery::one(id(number)));
        if number / 4 == 17 / 4 {
            assert_eq!(proof, Err(LookupError::Store(StoreFault::Damaged)));
            let said = stored.take_store_error().unwrap().to_string();
            assert!(said.contains("block 4 of level 0"), "{said}");
        } else {
            assert!(proof.is_ok());
        }
    }
    let update = trio.version(1, 40);
    let refused = trio.stored().apply(&update);
    assert_eq!(refused, Err(ApplyError::Store(StoreFault::Damaged)));
    // The medium did not fail, so intact blocks are still served.
    assert!(trio.stored().prove_latest(&EntryQuery::one(id(3))).is_ok());
    drop(trio.stored.take());
    let found = BlockDirectory::<S>::check(trio.folder.path(), LAZY, |_, _| {});
    assert!(matches!(found, Err(StoreError::DamagedBlock { .. })));
}

/// Check 27, and damage above the lowest level. Both are found when the directory is opened.
#[test]
fn damage_is_found_when_a_directory_is_opened() {
    let damages: [fn(&Path); 5] = [
        |folder| flip(&folder.join("level-1"), 40),
        |folder| flip(&folder.join("level-2"), 3),
        |folder| cut(&folder.join("level-0")),
        |folder| cut(&folder.join("level-1")),
        |folder| fs::remove_file(folder.join("level-2")).unwrap(),
    ];
    for damage in damages {
        let mut trio = Trio::new(2, LAZY, 4);
        trio.apply(70, 0);
        trio.close();
        drop(trio.stored.take());
        damage(trio.folder.path());
        let refused = BlockDirectory::<S>::open(trio.folder.path(), LAZY).unwrap_err();
        let is_typed = matches!(
            refused,
            StoreError::DamagedBlock { .. } | StoreError::File { .. } | StoreError::Fault(_)
        );
        assert!(is_typed, "{refused:?}");
    }
    // A neighbour of an entry in the log is hashed with it, so only the root reveals its damage.
    let mut trio = Trio::new(2, LAZY, 4);
    trio.apply(70, 0);
    trio.close();
    let mut author = trio.author;
    author.update(id(16), object::<S>(7)).unwrap();
    let update = author.snapshot().unwrap();
    let mut stored = trio.stored.take().unwrap();
    stored.apply(&update).unwrap();
    drop(stored);
    flip(&trio.folder.path().join("level-0"), 32 * 17);
    let refused = BlockDirectory::<S>::open(trio.folder.path(), LAZY).unwrap_err();
    assert!(
        matches!(refused, StoreError::RootMismatch(_)),
        "{refused:?}"
    );
}

pub(crate) fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn cut(path: &Path) {
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(file.metadata().unwrap().len() - 1).unwrap();
}

#[test]
fn a_look_up_reads_one_block_or_none() {
    let mut trio = Trio::new(2, LAZY, 5);
    trio.apply(1000, 0);
    trio.close();
    let stored = trio.stored();
    let opened = stored.blocks_read();
    let query = EntryQuery::one(id(77));
    stored.prove_latest(&query).unwrap();
    assert_eq!(stored.blocks_read() - opened, 1);
    stored.prove_latest(&query).unwrap();
    assert_eq!(stored.blocks_read() - opened, 1);
    // With a hint, the server reads no block.
    let mut client = DirectoryClient::<S>::new(*trio.author.authority(), 2);
    let asked = client.ask(EntryQuery::one(id(500)));
    let hint = accepted(asked, &trio.memory, &mut client).refreshed;
    let hint = codec::encode(&hint.unwrap());
    let (pending, request) = client.ask_with_hint(id(500), &object::<S>(500), &hint);
    let stored = trio.stored();
    let before = stored.blocks_read();
    let answer = stored.answer(&request).unwrap();
    assert_eq!(stored.blocks_read() - before, 0);
    assert!(client.accept(&pending, &answer).is_ok());
}

#[test]
fn a_folder_belongs_to_one_directory_and_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let author = FullAuthor::<S>::new("directory", signer()).unwrap();
    let authority = *author.authority();
    let missing = BlockDirectory::<S>::open(folder.path(), LAZY).unwrap_err();
    assert!(matches!(missing, StoreError::Missing(_)), "{missing:?}");
    let first = BlockDirectory::<S>::create(folder.path(), authority, 2, LAZY).unwrap();
    let again = BlockDirectory::<S>::create(folder.path(), authority, 2, LAZY).unwrap_err();
    assert!(matches!(again, StoreError::NotEmpty(_)), "{again:?}");
    let second = BlockDirectory::<S>::open(folder.path(), LAZY).unwrap_err();
    assert!(second.to_string().contains("another process"), "{second}");
    drop(first);
    assert!(BlockDirectory::<S>::open(folder.path(), LAZY).is_ok());
    let other = BlockDirectory::<Other>::open(folder.path(), LAZY).unwrap_err();
    assert!(matches!(other, StoreError::OtherFormat { .. }), "{other:?}");
    assert_ne!(Other::ID, S::ID);
}
