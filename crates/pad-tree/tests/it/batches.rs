//! Large batches use another code path than single operations. Both must give equal roots, answers
//! and refusals.

use std::num::NonZeroUsize;

use ed25519_dalek::SigningKey;
use pad_conformance::tree::tree_author;
use pad_core::{
    Answer, ApplyError, Dictionary, DictionaryId, Key, Operation, Repository, Sha256Ed25519,
    Untrusted, Update, Value, Workers,
};
use pad_tree::{RedBlack, SkipList, Treap, TreeAuthor, for_each_tree, internals::BalancingScheme};

type Author<B> = TreeAuthor<Sha256Ed25519, B, SigningKey>;

const KEYS: u32 = 3000;

fn key(number: u32) -> Key {
    // Some keys share their first eight bytes, some are shorter.
    let text = match number % 3 {
        0 => format!("{number:05}"),
        1 => format!("shared prefix {number:05}"),
        _ => format!("{number:08}"),
    };
    Key::new(text.into_bytes()).unwrap()
}

fn put(number: u32, value: u32) -> Operation {
    // Values of another length are moved, values of equal length are overwritten.
    let length = usize::try_from(value % 4).unwrap();
    let value = [&value.to_be_bytes()[..], &[7; 3][..length.min(3)]].concat();
    Operation::Put(key(number), Value::new(value).unwrap())
}

/// Returns a load, and then batches of replacements, of insertions and removals, and of both.
fn batches() -> Vec<Vec<Operation>> {
    let scatter = |round: u32, i: u32| (i * 7919 + round * 104_729) % KEYS;
    let replace = |round: u32, count: u32| -> Vec<Operation> {
        let puts = (0..count).map(|i| put(scatter(round, i), i + round));
        puts.collect()
    };
    let load = (0..KEYS).map(|number| put(number, number)).collect();
    let clear = (0..KEYS).map(|number| Operation::Remove(key(number)));
    let mut mixed = replace(3, 700);
    mixed.extend((KEYS..KEYS + 300).map(|number| put(number, 1)));
    mixed.extend((0..300).map(|i| Operation::Remove(key(scatter(4, i)))));
    mixed.push(put(scatter(4, 0), 99));
    vec![
        load,
        replace(1, 2000),
        replace(2, 40),
        mixed,
        replace(5, 1500),
        clear.collect(),
        replace(6, 600),
    ]
}

fn author<B: BalancingScheme>(workers: Workers) -> Author<B> {
    tree_author(DictionaryId::from_name("batches"), 3).with_workers(workers)
}

pub(crate) fn two_threads() -> Workers {
    Workers::new(NonZeroUsize::new(2).unwrap()).unwrap()
}

/// The updates of the batches, each passed as a whole.
fn updates<B: BalancingScheme>(workers: Workers) -> Vec<Update<Sha256Ed25519>> {
    let mut author = author::<B>(workers);
    let batches = batches().into_iter();
    let updates = batches.map(|batch| author.snapshot_of(batch).unwrap());
    updates.collect()
}

fn one_by_one<B: BalancingScheme>() -> Vec<Update<Sha256Ed25519>> {
    let mut author = author::<B>(Workers::sequential());
    let updates = batches().into_iter().map(|batch| {
        for operation in batch {
            match operation {
                Operation::Put(key, value) => author.put(key, value),
                Operation::Remove(key) => drop(author.remove(&key)),
            }
        }
        author.snapshot().unwrap()
    });
    updates.collect()
}

#[test]
fn batches_equal_single_operations_on_any_number_of_threads() {
    fn check<B: BalancingScheme>() {
        let whole = updates::<B>(Workers::sequential());
        assert_eq!(whole, one_by_one::<B>(), "{}", B::NAME);
        assert_eq!(whole, updates::<B>(two_threads()), "{}", B::NAME);
    }
    check::<RedBlack>();
    check::<Treap>();
    check::<SkipList>();
}

macro_rules! repository {
    ($name:ident, $scheme:ty, $repository:path) => {
        mod $name {
            use $repository as TestedRepository;

            use super::*;

            #[test]
            fn applies_batches_and_recovers_from_refused_ones() {
                let updates = updates::<$scheme>(Workers::sequential());
                let authority = author::<$scheme>(Workers::sequential()).authority();
                let new = || TestedRepository::<Sha256Ed25519>::new(authority);
                let mut server = new();
                let mut parallel = new().with_workers(two_threads());
                for update in &updates {
                    for at in [0, update.operations.len() / 2] {
                        let mut forged = update.clone();
                        let key = forged.operations[at].key().clone();
                        forged.operations[at] = Operation::Put(key, Value::default());
                        assert_eq!(server.apply(&forged), Err(ApplyError::RootMismatch));
                    }
                    server.apply(update).unwrap();
                    parallel.apply(update).unwrap();
                    let head = server.head(server.latest());
                    assert_eq!(parallel.head(parallel.latest()), head);
                    assert_eq!(head, Ok(update.head));
                }
                for update in &updates {
                    let version = update.head.head.version;
                    let head = Untrusted::new(update.head).verify(&authority, &version);
                    let head = head.unwrap();
                    for operation in update.operations.iter().step_by(97) {
                        let proof = server.prove(version, operation.key()).unwrap();
                        let lookup = Untrusted::new(proof).verify(&head, operation.key());
                        let expected = match operation {
                            Operation::Put(_, value) => Answer::Present(value.clone()),
                            Operation::Remove(_) => Answer::Absent,
                        };
                        assert_eq!(lookup.unwrap().get().answer, expected);
                    }
                }
            }
        }
    };
}

for_each_tree!(repository);
