//! Property tests: the sorter agrees with a map, for any memory bound.

use std::collections::BTreeMap;

use pad_conformance::Random;
use pad_core::{Key, Value};

use super::{sorter::SortedOperations, *};

/// Returns up to `most` bytes. All bytes are below 3, which makes equal keys frequent.
fn bytes(random: &mut Random, most: u64) -> Vec<u8> {
    let length = random.below(most + 1);
    (0..length)
        .map(|_| u8::try_from(random.below(3)).unwrap())
        .collect()
}

/// Makes `number` operations, many of them on equal keys. About every fifth operation removes its
/// key.
fn operations(number: u64, longest: u64, random: &mut Random) -> Vec<Operation> {
    let operation = |_| {
        let key = Key::new(bytes(random, 12)).unwrap();
        if random.below(5) == 0 {
            Operation::Remove(key)
        } else {
            Operation::Put(key, Value::new(bytes(random, longest)).unwrap())
        }
    };
    (0..number).map(operation).collect()
}

/// The last operation on each key.
fn last(operations: &[Operation]) -> BTreeMap<Key, Operation> {
    let last = operations.iter();
    last.map(|operation| (operation.key().clone(), operation.clone()))
        .collect()
}

fn sorted(
    operations: &[Operation],
    memory: usize,
    folder: &Path,
    workers: &Workers,
) -> Result<SortedOperations, StoreError> {
    let mut changes = Changes::sorted(&folder.join("store"), memory, workers.clone());
    for operation in operations {
        changes.push(operation.clone())?;
    }
    match changes.0 {
        ChangeStorage::Sorter(sorter) => sorter.sorted(),
        ChangeStorage::InMemory(_) => unreachable!("they are sorted"),
    }
}

fn check(operations: &[Operation], memory: usize, folder: &Path, workers: &Workers) {
    let sorted = sorted(operations, memory, folder, workers).unwrap();
    let expected = last(operations);
    // Every read must return the same operations, so the contents are read twice.
    for _ in 0..2 {
        let batch = sorted.batch().unwrap();
        assert!(batch.iter().eq(expected.values()), "{memory} bytes");
    }
    let entries = sorted.entries().unwrap();
    let entries: Vec<_> = entries.collect::<Result<_, _>>().unwrap();
    assert_eq!(
        u64::try_from(entries.len()).unwrap(),
        sorted.number().unwrap()
    );
    let puts = expected.into_values().filter_map(|last| match last {
        Operation::Put(key, value) => Some((key, value)),
        Operation::Remove(_) => None,
    });
    assert!(entries.into_iter().eq(puts), "{memory} bytes");
    #[cfg(target_os = "linux")]
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
}

#[test]
fn the_last_operation_on_each_key_in_order_whatever_the_bound() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(71);
    for round in 0..60 {
        let number = random.below(if round % 10 == 0 { 6000 } else { 90 });
        let operations = operations(number, 30, &mut random);
        // These limits produce one run per operation, a few runs, or no run.
        for memory in [0, 100, 3000, 1 << 14, 1 << 30] {
            check(&operations, memory, folder.path(), &Workers::sequential());
        }
    }
    check(
        &operations(20_000, 10, &mut random),
        1 << 18,
        folder.path(),
        &Workers::all_cores(),
    );
}

#[test]
fn values_longer_than_the_bound_and_than_what_is_read_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(72);
    let mut operations = operations(40, 20_000, &mut random);
    let long = Value::new(vec![9; 3 << 20]).unwrap();
    for key in [&[][..], &[1], &[2; 40]] {
        operations.push(Operation::Put(Key::new(key).unwrap(), long.clone()));
    }
    for memory in [0, 5000, 1 << 20] {
        check(&operations, memory, folder.path(), &Workers::sequential());
    }
}

#[test]
fn many_runs_are_merged_in_several_passes() {
    let folder = tempfile::tempdir().unwrap();
    let operations = operations(3000, 5, &mut Random::new(73));
    // These limits produce runs of two or three operations, merged two or three at a time.
    for memory in [128, 3 << 12] {
        check(&operations, memory, folder.path(), &Workers::sequential());
    }
}

#[test]
fn without_a_folder_the_error_is_typed() {
    let folder = tempfile::tempdir().unwrap();
    let none = folder.path().join("none");
    let operations = operations(100, 30, &mut Random::new(74));
    let failed = sorted(&operations, 100, &none, &Workers::sequential());
    assert!(matches!(failed, Err(StoreError::Io(_))));
    // Nothing is written as long as the memory suffices.
    sorted(&operations, 1 << 20, &none, &Workers::sequential()).unwrap();
}

/// Gathering, merging and reading need about the same memory for eight times as many operations.
#[test]
fn memory_does_not_grow_with_the_number_of_operations() {
    let folder = tempfile::tempdir().unwrap();
    let bound = 1 << 16;
    let peak = |number: u64| {
        let mut taken = 0;
        let measured = allocation_counter::measure(|| {
            let base = folder.path().join("store");
            let mut changes = Changes::sorted(&base, bound, Workers::sequential());
            for place in 0..number {
                // An odd multiplier: the keys are unordered and distinct.
                let name = place.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
                let key = Key::new(name.as_slice()).unwrap();
                let value = Value::new(vec![1; 32]).unwrap();
                changes.push(Operation::Put(key, value)).unwrap();
            }
            let ChangeStorage::Sorter(sorter) = changes.0 else {
                unreachable!("they are sorted")
            };
            let sorted = sorter.sorted().unwrap();
            taken = sorted.entries().unwrap().map(Result::unwrap).count();
        });
        assert_eq!(u64::try_from(taken).unwrap(), number);
        measured.bytes_max
    };
    let (few, many) = (peak(20_000), peak(160_000));
    // Only the position of each run is kept in memory.
    assert!(many < few + (16 << 10), "{few} bytes, {many} bytes");
    assert!(many < 6 * (1 << 16), "{many} bytes");
}
