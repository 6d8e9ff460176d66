//! Directories on a simulated disk: a crash at every write and every synchronisation of a scripted
//! run.

use std::env;

use block_directory::{
    BlockDirectory, CacheBudget, EntryProof, EntryQuery, FullAuthor, StoreError,
};
use pad_conformance::soak;
use pad_core::{ApplyError, Authority, StoreFault, Update};
use pad_disk::layer::{Reads, SimulatedFolder};

use crate::{
    accidents::{ChangeScript, number, seed_of},
    support::{S, id, object, signer},
};

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
            for number in before..before + appended {
                author.append(object::<S>(number)).unwrap();
            }
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
}

impl ChangeScript for Script {
    fn versions(&self) -> usize {
        self.updates.len()
    }

    fn run(&self, folder: &SimulatedFolder) -> Option<usize> {
        let made = BlockDirectory::create_in(folder.layer(), self.authority, STEP, BUDGET);
        Some(self.go_on(made.ok()?))
    }

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
    let all = 0..=directory.registered();
    all.map(|number| {
        directory
            .prove_latest(&EntryQuery::one(id(number)))
            .unwrap()
    })
    .collect()
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
    Script::new().survives_power_cuts(seeds(), stride);
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
    Script::new().survives_failures(stride);
}

/// A full disk is an error and leaves nothing incomplete. With free space the directory continues.
#[test]
fn a_full_disk_loses_nothing() {
    Script::new().survives_full_disks();
}
