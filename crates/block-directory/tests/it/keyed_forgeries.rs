//! Proofs of keyed directories, changed by every means, and blocks that are not what they should be.

use core::fmt::Debug;

use block_directory::{
    BlockDamage, BlockRecord, Capacity, KeyedAuthor, KeyedDirectory, KeyedError, KeyedTree,
    keyed::{LONGEST_KEY, LONGEST_VALUE},
};
use conformance::{
    mutation::{Honest, check_mutations},
    pruned::Mirror,
};
use pad_core::{
    ApplyError, Blake3Ed25519, Dictionary, First, Key, KeyRange, Keys, Last, Operation, Paper2010,
    Predecessor, Sha256Ed25519, Successor, Suite, Value,
};
use pad_tree::ProvableQuery;

use crate::support::{S, head_of, signer};

fn entry(number: u32, salt: &str) -> Operation {
    let value = Value::new(format!("{salt} {number}").into_bytes()).unwrap();
    Operation::Put(key(number), value)
}

fn key(number: u32) -> Key {
    Key::new(format!("{number:03}").into_bytes()).unwrap()
}

/// The keys 2, 4, .., 60 in blocks of 4 slots: three levels.
fn tree<S: Suite>(salt: &str) -> KeyedTree<S> {
    let mut tree = KeyedTree::new(Capacity::of(4).unwrap());
    let operations: Vec<_> = (1..=30).map(|number| entry(2 * number, salt)).collect();
    // In the middle and at the end, so that blocks are not all full.
    let (even, odd): (Vec<_>, Vec<_>) = operations
        .into_iter()
        .enumerate()
        .partition(|(at, _)| at % 2 == 0);
    for half in [even, odd] {
        tree.apply(
            &half
                .into_iter()
                .map(|(_, operation)| operation)
                .collect::<Vec<_>>(),
        )
        .unwrap();
    }
    tree
}

fn check_query<S: Suite, Q: ProvableQuery>(query: &Q)
where
    Q::Statement: PartialEq + Debug,
{
    let (tree, other) = (tree::<S>("value"), tree::<S>("another"));
    let head = head_of::<S>(tree.root());
    let honest = Honest::new(&tree.prove(query).unwrap(), &head, query);
    check_mutations(&honest, &Mirror::of(&other.prove(query).unwrap()));
}

fn check_every_question<S: Suite>() {
    check_query::<S, _>(&key(24));
    check_query::<S, _>(&key(25));
    check_query::<S, _>(&key(0));
    check_query::<S, _>(&key(999));
    check_query::<S, _>(&Keys::new(vec![key(4), key(25), key(44)]).unwrap());
    let range = KeyRange {
        start: Some(key(13)),
        end: Some(key(22)),
    };
    check_query::<S, _>(&range);
    check_query::<S, _>(&Predecessor(key(31)));
    check_query::<S, _>(&Successor(key(31)));
    check_query::<S, _>(&First);
    check_query::<S, _>(&Last);
}

#[test]
fn every_mutation_of_a_proof_is_refused() {
    check_every_question::<Sha256Ed25519>();
    check_every_question::<Blake3Ed25519>();
    check_every_question::<Paper2010>();
}

type Records = Vec<(u64, BlockRecord<S>)>;

fn restore(top: Option<u64>, records: &Records) -> Result<KeyedTree<S>, BlockDamage> {
    let capacity = Capacity::of(4).unwrap();
    let restored = KeyedTree::from_records(capacity, top, records.iter().cloned());
    restored.map_err(|error| match error {
        KeyedError::Damaged(damage) => damage,
        other => panic!("{other:?}"),
    })
}

/// The damage found when blocks are changed, and the number of the block that is changed.
fn damaged(
    choose: impl Fn(&BlockRecord<S>) -> bool,
    change: impl Fn(&mut BlockRecord<S>),
) -> (u64, BlockDamage) {
    let tree = tree::<S>("value");
    let mut records: Records = tree.records().collect();
    let (number, block) = records.iter_mut().find(|(_, block)| choose(block)).unwrap();
    let number = *number;
    change(block);
    (number, restore(tree.top(), &records).unwrap_err())
}

fn is_leaf(block: &BlockRecord<S>) -> bool {
    block.level == 0 && block.entries.len() > 1
}

fn is_inner(block: &BlockRecord<S>) -> bool {
    block.level == 1 && block.children.len() > 1
}

#[test]
fn blocks_that_are_none_are_refused() {
    let spoiled = |choose: fn(&BlockRecord<S>) -> bool, change: fn(&mut BlockRecord<S>)| {
        damaged(choose, change)
    };
    for (number, damage) in [
        spoiled(is_leaf, |block| block.entries.clear()),
        spoiled(is_leaf, |block| {
            block.entries.resize(5, (key(3), Value::default()));
        }),
        spoiled(is_leaf, |block| block.separators.push(key(3))),
        spoiled(is_leaf, |block| block.level = 1),
        spoiled(is_inner, |block| drop(block.separators.pop())),
        spoiled(is_inner, |block| block.separators.push(key(500))),
        spoiled(is_inner, |block| block.children.clear()),
        spoiled(is_inner, |block| block.level = 0),
        spoiled(is_inner, |block| {
            block.entries.push((key(3), Value::default()));
        }),
    ] {
        assert_eq!(damage, BlockDamage::SlotCount { number });
    }
    for (number, damage) in [
        spoiled(is_leaf, |block| {
            block.entries[0].0 = Key::new([b'0'; LONGEST_KEY + 1]).unwrap();
        }),
        spoiled(is_leaf, |block| {
            block.entries[0].1 = Value::new([b'0'; LONGEST_VALUE + 1]).unwrap();
        }),
        spoiled(is_inner, |block| {
            block.separators[0] = Key::new([b'0'; LONGEST_KEY + 1]).unwrap();
        }),
    ] {
        assert_eq!(damage, BlockDamage::EntryTooLong { number });
    }
    for (number, damage) in [
        spoiled(is_leaf, |block| block.entries.swap(0, 1)),
        spoiled(is_leaf, |block| block.entries[1] = block.entries[0].clone()),
        spoiled(
            |block| block.separators.len() > 1,
            |block| block.separators.swap(0, 1),
        ),
    ] {
        assert_eq!(damage, BlockDamage::Order { number });
    }
}

#[test]
fn blocks_that_are_others_are_refused() {
    let (number, damage) = damaged(is_leaf, |block| block.entries[0].1 = Value::default());
    assert_eq!(damage, BlockDamage::Digest { number });
    let (number, damage) = damaged(is_leaf, |block| drop(block.entries.remove(0)));
    assert_eq!(damage, BlockDamage::Digest { number });
    let (number, damage) = damaged(is_inner, |block| block.level = 7);
    assert_eq!(damage, BlockDamage::Level { number });
    let tree = tree::<S>("value");
    let mut records: Records = tree.records().collect();
    // Another block's slots in the place of a block.
    let leaves: Vec<usize> = (0..records.len())
        .filter(|at| is_leaf(&records[*at].1))
        .collect();
    let first = records[leaves[0]].1.clone();
    records[leaves[0]].1 = records[leaves[1]].1.clone();
    records[leaves[1]].1 = first;
    assert!(matches!(
        restore(tree.top(), &records),
        Err(BlockDamage::Digest { .. })
    ));
    // A block that is not there, one too many, and one twice.
    let mut records: Records = tree.records().collect();
    let gone = records.remove(leaves[0]);
    let missing = restore(tree.top(), &records).unwrap_err();
    assert_eq!(missing, BlockDamage::Missing { number: gone.0 });
    records.push(gone.clone());
    assert!(restore(tree.top(), &records).is_ok());
    records.push((900, gone.1.clone()));
    assert_eq!(
        restore(tree.top(), &records).unwrap_err(),
        BlockDamage::Count
    );
    records.pop();
    records.push(gone);
    assert_eq!(
        restore(tree.top(), &records).unwrap_err(),
        BlockDamage::Count
    );
    records.pop();
    assert_eq!(
        restore(Some(901), &records).unwrap_err(),
        BlockDamage::Missing { number: 901 }
    );
    assert_eq!(restore(None, &records).map(drop), Err(BlockDamage::Count));
}

/// The root does not change with a separator: only the order of keys on its two sides shows that it is false.
#[test]
fn false_separators_are_found() {
    let tree = tree::<S>("value");
    let records: Records = tree.records().collect();
    let mut found = 0;
    for (at, (_, block)) in records.iter().enumerate() {
        for place in 0..block.separators.len() {
            let between = &block.separators[place];
            for wrong in (0..=61).map(key) {
                let mut forged = records.clone();
                forged[at].1.separators[place] = wrong.clone();
                // A separator may be anything above the last key on its left, up to the first one on its right.
                let number: u32 = between.to_string().parse().unwrap();
                let is_in_the_gap = (number - 1..=number).any(|number| wrong == key(number));
                match restore(tree.top(), &forged) {
                    Ok(restored) => {
                        assert!(is_in_the_gap, "{wrong} for {between}");
                        assert_eq!(restored.root(), tree.root());
                    }
                    Err(
                        BlockDamage::AboveSeparator { .. }
                        | BlockDamage::BelowSeparator { .. }
                        | BlockDamage::Order { .. },
                    ) => {
                        assert!(!is_in_the_gap, "{wrong} for {between}");
                        found += 1;
                    }
                    Err(other) => panic!("{other:?}"),
                }
            }
        }
    }
    let separators = records.iter().map(|(_, block)| block.separators.len());
    assert_eq!(found, separators.sum::<usize>() * 60);
}

/// Why that is checked: with the separator, the next put would go to the wrong place, and the leaves would not ascend. A server that was led
/// astray has another root than the author.
#[test]
fn restored_blocks_have_the_signed_root() {
    let mut author = KeyedAuthor::<S>::new("restored", signer()).unwrap();
    let mut server = KeyedDirectory::<S>::new(author.authority()).unwrap();
    for number in 0..200 {
        author.put(key(number), Value::default()).unwrap();
    }
    server.apply(&author.snapshot().unwrap()).unwrap();
    let (heads, contents) = (server.heads(), server.contents());
    let smaller: KeyedTree<S> = {
        let mut tree = contents.clone();
        tree.apply(&[Operation::Remove(key(7))]).unwrap();
        tree
    };
    let refused = KeyedDirectory::restore(heads.clone(), smaller.top(), smaller.records());
    let refused = refused.map(drop).unwrap_err();
    assert!(matches!(
        refused,
        KeyedError::Apply(ApplyError::RootMismatch)
    ));
    let nothing = KeyedDirectory::<S>::restore(heads.clone(), None, [])
        .map(drop)
        .unwrap_err();
    assert!(matches!(
        nothing,
        KeyedError::Apply(ApplyError::RootMismatch)
    ));
    let blocks: Records = contents.records().skip(1).collect();
    let missing = KeyedDirectory::restore(heads.clone(), contents.top(), blocks).map(drop);
    assert!(matches!(
        missing,
        Err(KeyedError::Damaged(BlockDamage::Missing { .. }))
    ));
    assert!(KeyedDirectory::restore(heads.clone(), contents.top(), contents.records()).is_ok());
}
