//! Changes applied piece by piece give the same result as the same changes by an in-memory author.

use core::{convert::Infallible, num::NonZeroUsize};

use ed25519_dalek::SigningKey;
use pad_conformance::{
    Random,
    operation::{key, value},
    pad::{Unreliable, dictionary},
    soak,
    tree::tree_author,
};
use pad_core::{ApplyError, Key, Operation, Repository, StoreFault, Version, Workers};
use pad_tree::{
    MemoryLog, NodeLog, PublishError, SortedError, StoredRepository, TreeAuthor,
    internals::BalancingScheme,
};

use crate::{
    batches::two_threads,
    logs::{Twist, TwistedLog},
    sorted::{Full, S, extent, repository, signer},
};

for_each_scheme! {
    versions_are_those_of_an_author_in_memory,
    what_is_emptied_on_the_way_is_not_loaded_anew,
    what_is_refused_leaves_nothing_behind,
    memory_does_not_grow_with_the_number_of_changes,
}

fn together(operations: usize) -> NonZeroUsize {
    NonZeroUsize::new(operations).unwrap()
}

fn numbered(number: u64) -> Key {
    key((number * 7).to_be_bytes())
}

fn all(operations: &[Operation]) -> impl Iterator<Item = Result<Operation, Infallible>> {
    operations.iter().cloned().map(Ok)
}

/// Returns sorted changes of present and absent keys. One of three is a removal.
fn changes(keys: u64, random: &mut Random) -> Vec<Operation> {
    let mut changes = Vec::new();
    for number in 0..keys * 7 {
        let name = key(number.to_be_bytes());
        match random.below(12) {
            0 | 1 => changes.push(Operation::Put(name, value(random.bytes(20)))),
            2 => changes.push(Operation::Remove(name)),
            _ => {}
        }
    }
    changes
}

/// A repository and an author with the same first version.
type FirstVersion<B, L> = (StoredRepository<S, B, L>, TreeAuthor<S, B, SigningKey>);

fn begun<B: BalancingScheme, L: NodeLog>(keys: u64, log: L) -> FirstVersion<B, L> {
    let mut author = tree_author::<S, B>(dictionary(), 7);
    let first = (0..keys).map(|number| Operation::Put(numbered(number), value([1; 30])));
    let first = author.snapshot_of(first.collect()).unwrap();
    let mut repository = repository(log);
    repository.apply(&first).unwrap();
    (repository, author)
}

fn versions_are_those_of_an_author_in_memory<B: BalancingScheme>() {
    let mut random = Random::new(71);
    let many = soak::size((800, 200), (2000, 500));
    for (keys, pieces) in [(1, 1), (3, 1), (40, 3), (300, 64), many, (300, 1 << 20)] {
        for workers in [Workers::sequential(), two_threads()] {
            let (pieced, mut author) = begun::<B, _>(keys, MemoryLog::default());
            let mut pieced = pieced.with_workers(workers);
            for _ in 0..3 {
                let changes = changes(keys, &mut random);
                let update = author.snapshot_of(changes.clone()).unwrap();
                if pieced.is_empty() {
                    // An empty repository is refused.
                    let refused =
                        pieced.publish_changes(all(&changes), together(pieces), &signer());
                    assert!(matches!(refused, Err(SortedError::Empty)));
                    pieced.apply(&update).unwrap();
                    continue;
                }
                let head = pieced.publish_changes(all(&changes), together(pieces), &signer());
                assert_eq!(head.unwrap(), update.head, "{keys} keys");
                let latest = pieced.latest();
                assert_eq!(pieced.check_contents(latest).unwrap(), pieced.len());
            }
            // The next update is applied to the stored nodes.
            let mut opened = repository::<B, _>(pieced.log().clone());
            let changes = changes(keys, &mut random);
            let update = author.snapshot_of(changes).unwrap();
            opened.apply(&update).unwrap();
            opened.heads().check().unwrap();
        }
    }
}

fn what_is_emptied_on_the_way_is_not_loaded_anew<B: BalancingScheme>() {
    let (mut pieced, mut author) = begun::<B, _>(40, MemoryLog::default());
    let removals = (0..40).map(|number| Operation::Remove(numbered(number)));
    let mut changes: Vec<_> = removals.collect();
    // Insertions after all removed keys, in separate pieces.
    changes.extend((100..140).map(|number| Operation::Put(numbered(number), value("new"))));
    let update = author.snapshot_of(changes.clone()).unwrap();
    let head = pieced.publish_changes(all(&changes), together(10), &signer());
    assert_eq!(head.unwrap(), update.head);
    assert_eq!(pieced.len(), 40);
    assert_eq!(pieced.check_contents(pieced.latest()).unwrap(), 40);
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unreadable")]
struct Unreadable;

fn what_is_refused_leaves_nothing_behind<B: BalancingScheme>() {
    let log = TwistedLog(MemoryLog::default(), Full(u64::MAX));
    let (mut pieced, mut author) = begun::<B, _>(2000, log);
    let changes = changes(2000, &mut Random::new(72));
    let end = pieced.log().end();
    let refused = |pieced: &mut StoredRepository<S, B, TwistedLog<Full>>,
                   operations: Vec<Result<Operation, Unreadable>>| {
        let refused = pieced.publish_changes(operations, together(100), &signer());
        assert_eq!(extent(pieced), (end, Version::new(1)));
        // Cached blocks of the discarded nodes are not used.
        assert_eq!(pieced.check_contents(Version::new(1)).unwrap(), 2000);
        refused.unwrap_err()
    };
    let whole = || changes.iter().cloned().map(Ok).collect::<Vec<_>>();
    for place in [1, 99, 100, 101, 1000] {
        let mut swapped = whole();
        swapped.swap(place - 1, place);
        let mut twice = whole();
        let before = twice[place - 1].clone();
        twice[place] = before;
        for unordered in [swapped, twice] {
            let error = refused(&mut pieced, unordered);
            assert!(matches!(error, SortedError::Unordered));
        }
        let mut broken = whole();
        broken[place] = Err(Unreadable);
        let error = refused(&mut pieced, broken);
        assert!(matches!(error, SortedError::Source(Unreadable)));
    }
    for room in [1, 10_000, 100_000] {
        pieced.log_mut().1 = Full(end + room);
        let SortedError::Publish(PublishError::Apply(error)) = refused(&mut pieced, whole()) else {
            panic!("another error")
        };
        assert_eq!(error, ApplyError::Store(StoreFault::Medium));
    }
    pieced.log_mut().1 = Full(u64::MAX);
    let refused = pieced.publish_changes(whole(), together(100), &Unreliable::new(7, || true));
    let error = refused.unwrap_err();
    let is_unsigned = matches!(error, SortedError::Publish(PublishError::Signer(_)));
    assert!(is_unsigned, "{error}");
    assert_eq!(extent(&pieced), (end, Version::new(1)));
    // Afterwards, these changes are accepted.
    let update = author.snapshot_of(changes.clone()).unwrap();
    let head = pieced.publish_changes(whole(), together(100), &signer());
    assert_eq!(head.unwrap(), update.head);
    let checked = pieced.check_contents(Version::new(2));
    assert_eq!(checked.unwrap(), pieced.len());
}

/// Nodes in memory that was allocated before the measurement.
#[derive(Debug)]
struct Reserved(Vec<u8>);

impl Twist for Reserved {
    fn end(&self, _: &MemoryLog) -> u64 {
        u64::try_from(self.0.len()).unwrap()
    }

    fn read(&self, _: &MemoryLog, position: u64, bytes: &mut [u8]) -> Result<(), StoreFault> {
        let start = usize::try_from(position).unwrap();
        bytes.copy_from_slice(&self.0[start..][..bytes.len()]);
        Ok(())
    }

    fn append(&mut self, _: &mut MemoryLog, bytes: &[u8]) -> Result<(), StoreFault> {
        assert!(self.0.len() + bytes.len() <= self.0.capacity());
        self.0.extend(bytes);
        Ok(())
    }
}

fn memory_does_not_grow_with_the_number_of_changes<B: BalancingScheme>() {
    let keys = 40_000;
    let peak = |changed: u64| {
        let reserved = Reserved(Vec::with_capacity(64 << 20));
        let mut pieced = repository::<B, _>(TwistedLog(MemoryLog::default(), reserved));
        let entries =
            (0..keys).map(|number| Ok::<_, Infallible>((numbered(number), value([1; 30]))));
        pieced.publish_sorted(keys, entries, &signer()).unwrap();
        let changes = (0..changed).map(|number| {
            let key = numbered(number * (keys / changed));
            Ok::<_, Infallible>(Operation::Put(key, value([2; 30])))
        });
        let taken = allocation_counter::measure(|| {
            let head = pieced.publish_changes(changes, together(500), &signer());
            head.unwrap();
        });
        taken.bytes_max
    };
    let (few, many) = (peak(2500), peak(20_000));
    assert!(many < few + few / 4, "{few} bytes, {many} bytes");
    assert!(many < 8 << 20, "{many} bytes");
}
