//! Directories on a simulated disk: a crash at every write and every synchronisation of a scripted
//! run.

use std::env;

use block_directory::{
    BlockDirectory, CacheBudget, EntryProof, EntryQuery, FullAuthor, StoreError,
};
use pad_conformance::soak;
use pad_core::{ApplyError, Authority, StoreFault, Update, Version};
use pad_disk::layer::{Reads, SimulatedFolder};

use crate::support::{S, append, id, object, signer};

/// Blocks of four slots. The budget keeps few of them in memory and makes checkpoints now and then.
const STEP: u32 = 2;
const BUDGET: CacheBudget = CacheBudget {
    bytes: 1,
    log_bytes: 1500,
};

/// Updates, and the proofs of all entries after each of them.
struct Script {
    authority: Authority,
    updates: Vec<Update<S>>,
    proofs: Vec<Vec<EntryProof<S>>>,
}

impl Script {
    /// Appends that fill blocks and levels exactly, with one entry more, and with none. Adds
    /// changes and deletions.
    fn new() -> Self {
        let mut author = FullAuthor::<S>::new("directory", signer()).unwrap();
        let authority = *author.authority();
        let mut server = BlockDirectory::new(authority, STEP).unwrap();
        let (mut updates, mut proofs) = (Vec::new(), vec![all_proofs(&server)]);
        for (round, appended) in [4, 1, 0, 11, 1, 0, 47, 1, 3].into_iter().enumerate() {
            let before = server.registered();
            append(&mut author, before..before + appended);
            for changed in (0..before).step_by(7).take(round) {
                let changed = match round % 3 {
                    0 => author.delete(id(changed)),
                    _ => author.update(id(changed), object::<S>(1000 + changed)),
                };
                assert!(matches!(
                    changed,
                    Ok(()) | Err(ApplyError::DeletedForGood(_))
                ));
            }
            let update = author.snapshot().unwrap();
            server.apply(&update).unwrap();
            updates.push(update);
            proofs.push(all_proofs(&server));
        }
        Self {
            authority,
            updates,
            proofs,
        }
    }

    /// Applies the missing updates.
    fn go_on(&self, mut directory: BlockDirectory<S>) -> usize {
        let mut acknowledged = number(directory.latest());
        for (place, update) in self.updates.iter().enumerate().skip(acknowledged) {
            if directory.apply(update).is_err() {
                assert_is_closed(&directory);
                return acknowledged;
            }
            acknowledged += 1;
            // A checkpoint in the middle, so that some histories begin at full levels.
            if place % 3 == 0 && directory.checkpoint().is_err() {
                assert_is_closed(&directory);
                return acknowledged;
            }
        }
        let _ = directory.close();
        acknowledged
    }

    /// Runs the script in a new folder. Returns the number of acknowledged versions, or `None` if
    /// the directory was not created.
    fn run(&self, folder: &SimulatedFolder) -> Option<usize> {
        let made = BlockDirectory::create_in(folder.layer(), self.authority, STEP, BUDGET);
        Some(self.go_on(made.ok()?))
    }

    /// Returns the number of writes and synchronisations of a run without faults.
    fn operations(&self) -> usize {
        let folder = SimulatedFolder::new("directory");
        assert_eq!(self.run(&folder), Some(self.updates.len()));
        folder.operations().len()
    }

    /// Checks that the directory is whole, at the last acknowledged version or the next one, and
    /// takes further updates.
    fn assert_survived(&self, folder: &SimulatedFolder, acknowledged: Option<usize>, what: &str) {
        let opened = BlockDirectory::<S>::open_in(folder.layer(), BUDGET);
        let directory = match (opened, acknowledged) {
            (Ok(directory), _) => directory,
            (Err(StoreError::Missing(_)), None) => return,
            (Err(error), _) => panic!("{what}: {error}"),
        };
        let latest = number(directory.latest());
        let least = acknowledged.unwrap_or(0);
        assert!(
            (least..=least + 1).contains(&latest),
            "{what}: {least}, {latest}"
        );
        assert_eq!(all_proofs(&directory), self.proofs[latest], "{what}");
        assert_eq!(self.go_on(directory), self.updates.len(), "{what}");
        let reopened = BlockDirectory::<S>::open_in(folder.layer(), BUDGET).unwrap();
        assert_eq!(Some(&all_proofs(&reopened)), self.proofs.last(), "{what}");
    }
}

fn all_proofs(directory: &BlockDirectory<S>) -> Vec<EntryProof<S>> {
    let all = (0..=directory.registered()).map(|number| EntryQuery::one(id(number)));
    all.map(|query| directory.prove_latest(&query).unwrap())
        .collect()
}

fn number(version: Version) -> usize {
    usize::try_from(version.number()).unwrap()
}

/// Returns the seed of the random effects of a fault at this operation.
fn seed_of(operation: usize) -> u64 {
    u64::try_from(operation).unwrap()
}

/// Checks that a directory with a failed write answers nothing.
fn assert_is_closed(directory: &BlockDirectory<S>) {
    let refused = directory.prove_latest(&EntryQuery::one(id(0)));
    assert_eq!(refused, Err(StoreFault::Closed.into()));
}

/// Returns the number of seeds for each fault, from an environment variable.
fn seeds() -> u64 {
    let wanted = env::var("BLOCK_DIRECTORY_CRASH_SEEDS").ok();
    wanted.map_or(1, |wanted| wanted.parse().unwrap())
}

#[test]
fn a_power_cut_at_any_operation_loses_nothing_that_was_acknowledged() {
    let stride = if seeds() > 1 { 1 } else { soak::size(3, 1) };
    let script = Script::new();
    for stop in (1..=script.operations()).step_by(stride) {
        for seed in 0..seeds() {
            let folder = SimulatedFolder::new("directory");
            folder.stop_at(stop, Reads::Work);
            let acknowledged = script.run(&folder);
            let cut = folder.after_power_cut(seed * 1_000_003 + seed_of(stop));
            let what = format!("operation {stop}, seed {seed}");
            script.assert_survived(&cut, acknowledged, &what);
        }
    }
}

/// Only the process ends, so the next process reads its writes. That process applies updates and
/// may make a checkpoint. Then a power cut loses all writes that are not durable.
#[test]
fn a_kill_and_then_a_power_cut_lose_nothing_either() {
    let script = Script::new();
    for stop in (1..=script.operations()).step_by(if seeds() > 1 { 1 } else { 3 }) {
        let folder = SimulatedFolder::new("directory");
        folder.stop_at(stop, Reads::Work);
        let acknowledged = script.run(&folder);
        let killed = folder.after_kill();
        let what = format!("operation {stop}");
        let Ok(mut next) = BlockDirectory::<S>::open_in(killed.layer(), BUDGET) else {
            assert_eq!(acknowledged, None, "{what}");
            continue;
        };
        let mut known = number(next.latest());
        for update in script.updates.iter().skip(known).take(2) {
            next.apply(update).unwrap();
            known += 1;
        }
        if stop % 2 == 0 {
            next.checkpoint().unwrap();
        }
        let cut = killed.after_power_cut(seed_of(stop));
        drop(next);
        script.assert_survived(&cut, Some(known), &what);
    }
}

/// A failed write or synchronisation closes the directory. Acknowledged versions survive.
#[test]
fn failures_close_the_directory_and_lose_nothing() {
    let stride = if seeds() > 1 { 1 } else { soak::size(5, 2) };
    let script = Script::new();
    for failing in (1..=script.operations()).step_by(stride) {
        let folder = SimulatedFolder::new("directory");
        folder.fail_at(failing, seed_of(failing));
        let acknowledged = script.run(&folder);
        let cut = folder.after_power_cut(seed_of(failing));
        script.assert_survived(&cut, acknowledged, &format!("operation {failing}"));
    }
}

/// A full disk is an error and leaves nothing incomplete. With free space the directory continues.
/// The disk is full at each sixteenth of the script's space.
#[test]
fn a_full_disk_loses_nothing() {
    let (script, folder) = (Script::new(), SimulatedFolder::new("directory"));
    script.run(&folder);
    let used = folder.used();
    for part in 1..16 {
        let folder = SimulatedFolder::new("directory");
        folder.set_capacity(used * part / 16);
        let acknowledged = script.run(&folder);
        let room = folder.after_kill();
        room.set_capacity(u64::MAX);
        script.assert_survived(&room, acknowledged, &format!("{part} sixteenths"));
    }
}
