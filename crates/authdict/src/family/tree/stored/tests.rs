//! Tests with simulated power cuts and failures at every operation on the node files.

use ed25519_dalek::SigningKey;
use pad_core::{AuthorKey, DictionaryId, Sha256Ed25519, Value};
use pad_disk::layer::{Reads, SimulatedFolder};

use super::*;
use crate::{
    heads::Heads as _,
    store::{Store as _, in_memory::TestStore},
};

type S = Sha256Ed25519;

fn signer() -> SigningKey {
    SigningKey::from_bytes(&[6; 32])
}

fn open(folder: &SimulatedFolder, store: &TestStore) -> Result<Tree<S, RedBlack>, RepositoryError> {
    let author = AuthorKey::from_bytes(&signer().verifying_key().to_bytes()).unwrap();
    let authority = Authority {
        author,
        dictionary: DictionaryId::from_name("cuts"),
        scheme: RedBlack::ID,
    };
    let file = NodeFile::new(folder.layer(), "store".into(), RowLengths::of::<S>());
    let repository = opened::<S, RedBlack>(authority, Box::new(file), NodeCache::default())?;
    let store = AnyStore::Test(Box::new(store.clone()));
    let mut kept = FamilyKeeper::new(authority, repository, store);
    kept.author = Some(HeadSigner::new(signer()));
    kept.open()?;
    Ok(kept)
}

fn batch(version: u64) -> Vec<Operation> {
    let key = |number: u64| Key::new(number.to_be_bytes().as_slice()).unwrap();
    let value = Value::new(vec![7; 40 + usize::try_from(version).unwrap()].as_slice()).unwrap();
    let puts =
        (0..12).map(|place| Operation::Put(key((version * 31 + place * 7) % 60), value.clone()));
    let removals = (version > 2).then(|| Operation::Remove(key(version % 60)));
    puts.chain(removals).collect()
}

/// Publishes ten versions, two for each row, and prunes in the middle. The versions in `store`
/// count as acknowledged. The script returns at the first failure.
fn script(folder: &SimulatedFolder, store: &TestStore) -> Result<(), RepositoryError> {
    let mut kept = open(folder, store)?;
    while kept.latest() < Version::new(10) {
        for _ in 0..2 {
            let signed = kept.sign(&mut batch(kept.staged().number() + 1));
            signed.map_err(|_| StoreError::Superseded)?;
        }
        let before = kept.latest();
        kept.commit(&[])?;
        if before == Version::new(4) {
            kept.prune(Version::new(3))?;
        }
    }
    Ok(())
}

/// Returns entries in ascending order of their keys. Several writes are needed to append them.
fn sorted() -> impl Iterator<Item = Result<(Key, Value), StoreError>> + Send {
    (0..LOADED).map(|number: u64| {
        let value = vec![u8::try_from(number % 251).unwrap(); 5000];
        let key = Key::new(number.to_be_bytes().as_slice()).unwrap();
        Ok((key, Value::new(value).unwrap()))
    })
}

const LOADED: u64 = 500;

/// Runs like [`script`], but loads the first version as a stream and then publishes small versions.
fn loading(folder: &SimulatedFolder, store: &TestStore) -> Result<(), RepositoryError> {
    let mut kept = open(folder, store)?;
    while kept.latest() < Version::new(3) {
        let signed = match kept.latest() {
            Version::EMPTY => kept.load(LOADED, &mut sorted()),
            latest => kept.sign(&mut batch(latest.number() + 1)),
        };
        signed.map_err(|_| StoreError::Superseded)?;
        kept.commit(&[])?;
    }
    Ok(())
}

/// Runs like [`script`], but compacts all or some nodes at intervals, before and after a pruning.
fn compacting(folder: &SimulatedFolder, store: &TestStore) -> Result<(), RepositoryError> {
    let mut kept = open(folder, store)?;
    while kept.latest() < Version::new(8) {
        let signed = kept.sign(&mut batch(kept.latest().number() + 1));
        signed.map_err(|_| StoreError::Superseded)?;
        match kept.commit(&[])?.number() {
            2 | 6 => kept.compact(Version::EMPTY, &mut drop)?,
            3 | 7 => kept.compact(Version::new(2), &mut drop)?,
            4 => kept.prune(Version::new(2)).map(|()| 1)?,
            _ => 1,
        };
    }
    Ok(())
}

#[test]
fn after_a_power_cut_at_any_operation_of_a_compaction_all_versions_are_there() {
    check_cuts(compacting, 8, 25);
}

/// A writer that has not seen a compaction must be refused. With its old state it would truncate
/// nodes that the store refers to.
#[test]
fn a_writer_that_has_not_seen_a_compaction_begins_anew() {
    let (folder, store) = (SimulatedFolder::new("two"), TestStore::of_rows());
    compacting(&folder, &store).unwrap();
    let mut late = open(&folder, &store).unwrap();
    let mut first = open(&folder, &store).unwrap();
    assert!(first.compact(Version::EMPTY, &mut drop).unwrap() > 0);
    assert!(matches!(late.begin(), Err(StoreError::InUse(_))));
    drop(first);
    assert!(matches!(late.begin(), Err(StoreError::Superseded)));
    // Reads of the opened state still work.
    late.repository.check_contents(late.latest()).unwrap();
    drop(late);
    check_script(compacting, &folder, &store, &[]);
}

/// A script of an author. It returns at the first failure.
type Script = fn(&SimulatedFolder, &TestStore) -> Result<(), RepositoryError>;

/// Checks that all kept versions are intact, and that the author can continue to the same final
/// state.
fn check_script(script: Script, folder: &SimulatedFolder, store: &TestStore, expected: &[Vec<u8>]) {
    let store = store.copied();
    let kept = open(folder, &store).unwrap();
    assert_eq!(kept.latest(), store.latest().unwrap());
    let oldest = kept.oldest().number();
    for version in (oldest..=kept.latest().number()).map(Version::new) {
        kept.repository.check_contents(version).unwrap();
    }
    drop(kept);
    script(folder, &store).unwrap();
    let mut end = open(folder, &store).unwrap();
    // The next writer must remove the leftovers of an interrupted pruning.
    end.begin().unwrap();
    let names = pad_disk::layer::FileLayer::names(folder).unwrap();
    assert_eq!(names.len(), 2, "{names:?}");
    for (version, head) in (1..).zip(expected) {
        let version = Version::new(version);
        end.check_head(version).unwrap();
        assert_eq!(end.head_message(version).unwrap(), *head);
    }
    end.repository.check_contents(end.latest()).unwrap();
    end.repository.heads().check().unwrap();
}

#[test]
fn after_a_power_cut_at_any_operation_what_was_acknowledged_is_there() {
    check_cuts(script, 10, 15);
}

#[test]
fn after_a_power_cut_at_any_operation_of_a_load_all_of_it_is_there_or_nothing() {
    check_cuts(loading, 3, 8);
}

/// Runs a script that publishes `versions` versions, and stops it at each of its file operations in
/// turn. The script must have more than `at_least` operations.
fn check_cuts(script: Script, versions: u64, at_least: usize) {
    let folder = SimulatedFolder::new("whole");
    let store = TestStore::of_rows();
    script(&folder, &store).unwrap();
    let whole = open(&folder, &store).unwrap();
    let heads: Vec<_> = (1..=versions)
        .map(|version| {
            let version = Version::new(version);
            whole.head_message(version).unwrap()
        })
        .collect();
    let operations = folder.operations().len();
    assert!(operations > at_least, "{operations}");
    let every = pad_conformance::soak::size(2, 1);
    let is_chosen = |at: &usize| at % every == 1 % every || *at == operations;
    for at in (1..=operations).filter(is_chosen) {
        for seed in 0..pad_conformance::soak::size(1, 4) {
            let (folder, store) = (SimulatedFolder::new("cut"), TestStore::of_rows());
            folder.stop_at(at, Reads::Work);
            // The script may ignore a failure of its last operations.
            drop(script(&folder, &store));
            check_script(script, &folder.after_power_cut(seed), &store, &heads);
            check_script(script, &folder.after_kill(), &store, &heads);
        }
        let (folder, store) = (SimulatedFolder::new("failing"), TestStore::of_rows());
        folder.fail_at(at, 1);
        drop(script(&folder, &store));
        check_script(script, &folder.after_kill(), &store, &heads);
        check_script(script, &folder.after_power_cut(2), &store, &heads);
    }
}

/// After a reported failure the process stops. The next process must find the durable state.
#[test]
fn what_is_durable_and_said_to_have_failed_is_there() {
    let scripts: [(Script, usize); 2] = [(script, 6), (compacting, 12)];
    for (script, changes) in scripts {
        for number in 0..changes {
            let (folder, store) = (SimulatedFolder::new("told"), TestStore::of_rows());
            store.state().until_failure = Some(number);
            assert!(script(&folder, &store).is_err(), "{number}");
            check_script(script, &folder, &store, &[]);
        }
    }
}

#[test]
fn after_a_pruning_of_unknown_end_nothing_is_taken() {
    let (folder, store) = (SimulatedFolder::new("pruned"), TestStore::of_rows());
    script(&folder, &store).unwrap();
    let mut kept = open(&folder, &store).unwrap();
    // The copy was recorded, but it is unknown whether the store has switched to the copy.
    store.state().until_failure = Some(1);
    assert!(kept.prune(Version::new(8)).is_err());
    assert!(matches!(kept.begin(), Err(StoreError::Closed)));
    assert!(kept.prune(Version::new(8)).is_err());
    assert!(kept.sign(&mut batch(11)).is_err());
    drop(kept);
    check_script(script, &folder, &store, &[]);
    // The next writer removes unused files.
    open(&folder, &store).unwrap().begin().unwrap();
    let names = pad_disk::layer::FileLayer::names(&folder).unwrap();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn on_a_full_disk_nothing_is_lost_and_it_goes_on_when_there_is_room() {
    let folder = SimulatedFolder::new("whole");
    let store = TestStore::of_rows();
    script(&folder, &store).unwrap();
    let used = folder.used();
    for capacity in (0..used).step_by(4096) {
        let (folder, store) = (SimulatedFolder::new("full"), TestStore::of_rows());
        folder.set_capacity(capacity);
        drop(script(&folder, &store));
        folder.set_capacity(u64::MAX);
        check_script(script, &folder, &store, &[]);
    }
}

#[test]
fn a_load_for_which_the_disk_has_no_room_leaves_nothing_and_can_be_done_again() {
    let folder = SimulatedFolder::new("whole");
    let store = TestStore::of_rows();
    loading(&folder, &store).unwrap();
    let whole = open(&folder, &store).unwrap();
    let heads = [1, 2, 3].map(|version| whole.head_message(Version::new(version)).unwrap());
    let used = folder.used();
    // At these capacities, both files can contain at least their headers.
    for capacity in (16_384..used).step_by(100_000) {
        let (folder, store) = (SimulatedFolder::new("full"), TestStore::of_rows());
        folder.set_capacity(capacity);
        let mut kept = open(&folder, &store).unwrap();
        let Err(AuthorError::Repository(RepositoryError::Store(StoreError::Io(error)))) =
            kept.load(LOADED, &mut sorted())
        else {
            // The load fitted. The disk was full at the second version.
            continue;
        };
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(kept.staged(), Version::EMPTY);
        folder.set_capacity(u64::MAX);
        // The same process retries with free space.
        kept.load(LOADED, &mut sorted()).unwrap();
        kept.commit(&[]).unwrap();
        drop(kept);
        check_script(loading, &folder, &store, &heads);
    }
}

#[test]
fn what_cannot_be_read_or_is_not_as_announced_is_not_loaded() {
    let (folder, store) = (SimulatedFolder::new("refused"), TestStore::of_rows());
    let mut kept = open(&folder, &store).unwrap();
    let broken = || {
        let failure = || Err(StoreError::Io(io::Error::other("it cannot be read")));
        sorted().take(300).chain(core::iter::once_with(failure))
    };
    let mut backwards: Vec<_> = sorted().collect();
    backwards.reverse();
    let refusals = [
        kept.load(LOADED, &mut broken()),
        kept.load(LOADED - 1, &mut sorted()),
        kept.load(LOADED + 1, &mut sorted()),
        kept.load(LOADED, &mut backwards.into_iter()),
    ];
    for refused in refusals {
        let Err(AuthorError::Repository(RepositoryError::Store(StoreError::Io(_)))) = refused
        else {
            panic!("{refused:?}");
        };
    }
    assert_eq!(kept.staged(), Version::EMPTY);
    kept.load(LOADED, &mut sorted()).unwrap();
    let again = kept.load(LOADED, &mut sorted());
    let Err(AuthorError::Repository(RepositoryError::Store(StoreError::Damaged(_)))) = again else {
        panic!("{again:?}");
    };
    drop(kept);
    loading(&folder, &store).unwrap();
    check_script(loading, &folder, &store, &[]);
}
