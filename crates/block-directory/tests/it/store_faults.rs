//! Faults of stored directories: a cache that is too small, a failing medium, and files or a log of
//! another version.

use std::{collections::BTreeSet, path::Path, thread};

use block_directory::{
    AuthorError, BlockDirectory, CacheBudget, DirectoryClient, EntryQuery, EntryRange, FullAuthor,
    RequestError, StoreError,
};
use pad_core::{ApplyError, Authority, HeadSigner, LookupError, StoreFault, Version, codec};
use pad_disk::layer::{Reads, SimulatedFolder};
use redb::{Database, ReadableTable as _, TableDefinition, WriteTransaction};

use crate::{
    stored::Trio,
    support::{LAZY, S, accepted, append, id, object, signer},
};

fn authority() -> Authority {
    *FullAuthor::<S>::new("directory", signer())
        .unwrap()
        .authority()
}

/// The author of a directory in this folder.
fn author(stored: BlockDirectory<S>) -> FullAuthor<S> {
    FullAuthor::resume(stored, HeadSigner::new(signer()))
}

fn create(folder: &Path) -> BlockDirectory<S> {
    BlockDirectory::create(folder, authority(), 2, LAZY).unwrap()
}

/// Applies a version that changes every entry at a multiple of `stride` among the first ones, and
/// appends others. The cache is so small that blocks are evicted meanwhile. In the second run the
/// directory is reopened first, so blocks above the lowest level are evicted too.
fn flood(step: u32, first: u64, stride: usize, appends: u64, bytes: usize) {
    let budget = CacheBudget { bytes, ..LAZY };
    for (is_opened_again, is_group) in [(false, false), (true, false), (true, true)] {
        let mut trio = Trio::new(step, budget, 0);
        trio.apply(first, 0);
        trio.stored().checkpoint().unwrap();
        if is_opened_again {
            trio.crash();
        }
        for number in (0..first).step_by(stride) {
            let changed = object::<S>(9000 + number);
            trio.author.update(id(number), changed).unwrap();
        }
        append(&mut trio.author, first..first + appends);
        let update = trio.snapshot();
        if is_group {
            trio.stored().apply_all(&[update]).unwrap();
        } else {
            trio.stored().apply(&update).unwrap();
        }
        trio.compare_entries();
        trio.close();
        trio.compare_entries();
    }
}

#[test]
fn updates_of_more_blocks_than_fit_into_memory_are_applied() {
    let changes = [(1, 0), (1, 5), (3, 1), (17, 40), (33, 0)];
    let all = [(1, 100), (1, 301), (2, 300), (2, 1001), (3, 1000)]
        .into_iter()
        .flat_map(|size| changes.map(|change| (size, change)));
    // Every third pair has each size and each change at least once.
    for ((step, first), (stride, appends)) in all.step_by(pad_conformance::soak::size(3, 1)) {
        flood(step, first, stride, appends, 1);
    }
    // A cache below the minimum.
    flood(2, 4000, 4, 9, 60_000);
    flood(2, 4000, 5, 9, 50_000);
}

#[test]
fn readers_beside_each_other_agree_with_the_oracle() {
    let budget = CacheBudget {
        bytes: 64 * 4 * 40,
        ..LAZY
    };
    let mut trio = Trio::new(2, budget, 0);
    trio.apply(1000, 0);
    trio.close();
    for round in 0..8_u64 {
        for number in 0..6 {
            let changed = id((round * 331 + number * 97) % 1000);
            let fresh = object::<S>(round * 7 + number);
            trio.author.update(changed, fresh).unwrap();
        }
        let update = trio.snapshot();
        trio.stored().apply(&update).unwrap();
        thread::scope(|scope| {
            for reader in 0..4_u64 {
                let (memory, stored) = (&trio.memory, trio.stored.as_ref().unwrap());
                scope.spawn(move || {
                    for number in 0..200_u64 {
                        let asked = id((number * (2 * reader + 3) * 37 + round) % 1000);
                        let query = EntryQuery::one(asked);
                        assert_eq!(stored.prove_latest(&query), memory.prove_latest(&query));
                    }
                });
            }
        });
    }
}

/// Loading into an existing directory is refused, because it would store nothing.
#[test]
fn what_is_in_files_is_loaded_when_it_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let mut author = author(create(folder.path()));
    let refused = author.load((0..10).map(object::<S>)).unwrap_err();
    let fault = StoreFault::LoadedWhenMade;
    assert!(matches!(refused, AuthorError::Store(found) if found == fault));
    let mut other = FullAuthor::<S>::new("directory", signer()).unwrap();
    let head = other.load((0..10).map(object::<S>)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let server = create(folder.path());
    let refused = server.load(&head, (0..10).map(object::<S>)).unwrap_err();
    assert_eq!(refused, ApplyError::Store(fault));
}

/// An author with a version that could not be stored signs no more. The log has no gap.
#[test]
fn an_author_whose_store_failed_signs_nothing_more() {
    for failing in 1..12 {
        let folder = SimulatedFolder::new("directory");
        let stored = BlockDirectory::<S>::create_in(folder.layer(), authority(), 2, LAZY).unwrap();
        let mut author = author(stored);
        append(&mut author, 0..16);
        author.snapshot().unwrap();
        folder.fail_at(folder.operations().len() + failing, 1);
        append(&mut author, 16..20);
        if author.snapshot().is_ok() {
            continue;
        }
        assert_eq!(author.version(), Version::new(1));
        // Reading the log reopens its database. The directory stays closed.
        drop(author.directory().logged_update(Version::new(2)));
        append(&mut author, 30..34);
        let refused = author.snapshot().unwrap_err();
        assert!(
            matches!(refused, AuthorError::Store(StoreFault::Closed)),
            "{refused}"
        );
        drop(author);
        let opened = BlockDirectory::<S>::open_in(folder.after_power_cut(7).layer(), LAZY).unwrap();
        let latest = opened.latest().number();
        assert!((1..=2).contains(&latest));
        assert_eq!(opened.registered(), if latest == 1 { 16 } else { 20 });
    }
}

/// The log keeps the latest update, because the author may have crashed before sending it.
#[test]
fn the_latest_update_can_be_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = author(create(folder.path()));
    append(&mut first, 0..5);
    first.snapshot().unwrap();
    append(&mut first, 5..9);
    let update = first.snapshot().unwrap();
    drop(first);
    for _ in 0..3 {
        let stored = BlockDirectory::<S>::open(folder.path(), LAZY).unwrap();
        let logged = stored.logged_update(Version::new(2)).unwrap();
        assert_eq!(logged, Some(codec::encode(&update)));
        assert_eq!(stored.logged_update(Version::new(1)).unwrap(), None);
        stored.close().unwrap();
    }
}

/// A closed directory answers neither with nor without a hint, and returns no head that was never
/// durable.
#[test]
fn a_closed_directory_answers_nothing() {
    let folder = SimulatedFolder::new("directory");
    let mut author = FullAuthor::<S>::new("directory", signer()).unwrap();
    let stored = BlockDirectory::<S>::create_in(folder.layer(), authority(), 2, LAZY);
    let mut stored = stored.unwrap();
    append(&mut author, 0..70);
    stored.apply(&author.snapshot().unwrap()).unwrap();
    let mut client = DirectoryClient::<S>::new(authority(), 2);
    let found = accepted(client.ask(EntryQuery::one(id(0))), &stored, &mut client);
    let hint = codec::encode(&found.refreshed.unwrap());
    author.update(id(69), object::<S>(1)).unwrap();
    let update = author.snapshot().unwrap();
    folder.stop_at(folder.operations().len() + 1, Reads::Work);
    assert!(stored.apply_all(&[update]).is_err());
    let closed = LookupError::Store(StoreFault::Closed);
    let (_, plain) = client.ask(EntryQuery::one(id(0)));
    let (_, with_hint) = client.ask_with_hint(id(0), &object::<S>(0), &hint);
    let (_, of_range) = client.ask_range(EntryRange::new(id(0), id(3)).unwrap());
    for request in [plain, with_hint, of_range] {
        assert_eq!(stored.answer(&request), Err(RequestError::Lookup(closed)));
    }
    let head = pad_core::Repository::head(&stored, Version::new(2));
    assert_eq!(head, Err(closed));
    let said = stored.take_store_error().unwrap();
    assert!(!matches!(said, StoreError::Fault(_)), "{said:?}");
}

/// A power cut may keep or lose each file name that is not durable. Afterwards the directory must
/// open, or be missing without an acknowledged update.
#[test]
fn names_of_levels_survive_in_any_combination() {
    let mut author = FullAuthor::<S>::new("directory", signer()).unwrap();
    append(&mut author, 0..70);
    let update = author.snapshot().unwrap();
    let run = |folder: &SimulatedFolder| {
        let made = BlockDirectory::<S>::create_in(folder.layer(), authority(), 2, LAZY);
        let mut stored = made.ok()?;
        let applied = stored.apply(&update).is_ok();
        applied.then(|| stored.checkpoint())
    };
    let folder = SimulatedFolder::new("directory");
    run(&folder).unwrap().unwrap();
    let operations = folder.operations().len();
    let mut versions = BTreeSet::new();
    for stop in 1..=operations {
        for seed in 0..4 {
            let folder = SimulatedFolder::new("directory");
            folder.stop_at(stop, Reads::Work);
            let was_applied = run(&folder).is_some();
            let cut = folder.after_power_cut(seed);
            match BlockDirectory::<S>::open_in(cut.layer(), LAZY) {
                Ok(stored) => drop(versions.insert(stored.latest())),
                Err(StoreError::Missing(_)) => assert!(!was_applied),
                Err(error) => panic!("operation {stop}, seed {seed}: {error}"),
            }
        }
    }
    assert_eq!(versions.len(), 2);
}

/// A log with a wrong number of entries is refused on opening, so nothing is signed on top of it.
#[test]
fn a_log_without_entries_is_compared_with_the_root() {
    for entries in [3, 70] {
        let folder = tempfile::tempdir().unwrap();
        let mut author = author(create(folder.path()));
        append(&mut author, 0..entries);
        author.snapshot().unwrap();
        drop(author);
        close(folder.path());
        let state: TableDefinition<'_, &str, (u64, u64)> = TableDefinition::new("state");
        for registered in (0..6).filter(|registered| *registered != entries) {
            change_log(folder.path(), |log| {
                let mut state = log.open_table(state).unwrap();
                state.insert("checkpoint", (1, registered)).unwrap();
            });
            let refused = BlockDirectory::<S>::open(folder.path(), LAZY);
            assert!(refused.is_err(), "{registered} of {entries}");
        }
    }
}

fn close(folder: &Path) {
    let stored = BlockDirectory::<S>::open(folder, LAZY).unwrap();
    stored.close().unwrap();
}

fn change_log(folder: &Path, change: impl FnOnce(&WriteTransaction)) {
    let database = Database::open(folder.join("log.redb")).unwrap();
    let transaction = database.begin_write().unwrap();
    change(&transaction);
    transaction.commit().unwrap();
}

/// A log of an older version is refused before anything in the files changes, also by the check.
#[test]
fn another_log_destroys_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut author = FullAuthor::<S>::new("directory", signer()).unwrap();
    let mut stored = create(folder.path());
    append(&mut author, 0..70);
    stored.apply(&author.snapshot().unwrap()).unwrap();
    stored.checkpoint().unwrap();
    author.update(id(16), object::<S>(100)).unwrap();
    stored.apply(&author.snapshot().unwrap()).unwrap();
    drop(stored);
    let log = folder.path().join("log.redb");
    let old = std::fs::read(&log).unwrap();
    let mut stored = BlockDirectory::<S>::open(folder.path(), LAZY).unwrap();
    author.update(id(16), object::<S>(200)).unwrap();
    author.update(id(40), object::<S>(200)).unwrap();
    stored.apply(&author.snapshot().unwrap()).unwrap();
    stored.close().unwrap();
    let new = std::fs::read(&log).unwrap();
    std::fs::write(&log, old).unwrap();
    let check = || BlockDirectory::<S>::check(folder.path(), LAZY, |_, _| {});
    assert!(matches!(check(), Err(StoreError::RootMismatch(_))));
    std::fs::write(&log, new).unwrap();
    assert_eq!(check().unwrap(), 70);
}

/// A check verifies the signatures of all heads.
#[test]
fn a_check_verifies_earlier_heads() {
    let folder = tempfile::tempdir().unwrap();
    let mut author = author(create(folder.path()));
    for number in 0..2 {
        append(&mut author, number..number + 1);
        author.snapshot().unwrap();
    }
    drop(author);
    close(folder.path());
    let heads: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("heads");
    change_log(folder.path(), |log| {
        let mut table = log.open_table(heads).unwrap();
        let mut row = table.get(1).unwrap().unwrap().value().to_vec();
        row[40] ^= 1;
        table.insert(1, row.as_slice()).unwrap();
    });
    let found = BlockDirectory::<S>::check(folder.path(), LAZY, |_, _| {});
    assert!(matches!(found, Err(StoreError::DamagedLog(_))), "{found:?}");
}

/// Creating a directory replaces the remains of a crashed creation, and refuses a folder with other
/// contents.
#[test]
fn an_unfinished_log_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("log.redb.new"), b"half").unwrap();
    create(folder.path()).close().unwrap();
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("log.redb.new"), b"half").unwrap();
    std::fs::create_dir(other.path().join("photographs")).unwrap();
    let refused = BlockDirectory::<S>::create(other.path(), authority(), 2, LAZY);
    assert!(matches!(refused, Err(StoreError::NotEmpty(_))));
}
