//! The schemes over the strict store: contract, invariants and contents after every operation.

use std::collections::BTreeMap;

use pad_conformance::{Random, soak};

use crate::{
    balancing::NodeStore,
    id::NodeId,
    scheme::{RedBlack, SkipList, Treap},
    tree::Tree,
};

mod churn;
mod invariants;
mod strict_store;

use invariants::{Invariants, leaves};
use strict_store::StrictStore;

type Contents = BTreeMap<Vec<u8>, Vec<u8>>;

fn check<B: Invariants>(tree: &Tree<StrictStore<B>>, contents: &Contents) {
    assert_eq!(tree.population, contents.len());
    let inner = contents.len().saturating_sub(1);
    let expected = (inner, contents.len());
    assert_eq!(tree.store.live(), expected, "no node is left or missing");
    let entries = tree.store.entries();
    let found = tree
        .root
        .map_or_else(Vec::new, |root| leaves(&tree.store, root));
    let found = found
        .into_iter()
        .map(|leaf| (entries.key(leaf), entries.value(leaf)));
    assert!(found.eq(contents.iter().map(|(key, value)| (&key[..], &value[..]))));
    if let Some(root) = tree.root {
        B::check(&tree.store, root);
    }
}

fn check_operations<B: Invariants>(seed: u64, keys: u64) {
    let mut random = Random::new(seed);
    let mut tree = Tree::<StrictStore<B>>::default();
    let mut contents = Contents::new();
    for step in 0..600 {
        let key = random.below(keys).to_be_bytes()[6..].to_vec();
        // Grows for a while, then shrinks until nothing is left.
        let removes = random.below(10) < if step % 200 < 100 { 2 } else { 8 };
        if removes {
            assert_eq!(tree.remove(&key), Ok(contents.remove(&key).is_some()));
        } else {
            let value = random.bytes(2);
            tree.put(&key, &value);
            contents.insert(key, value);
        }
        check(&tree, &contents);
    }
    for (key, _) in core::mem::take(&mut contents) {
        assert_eq!(tree.remove(&key), Ok(true));
    }
    check(&tree, &contents);
}

fn check_loads<B: Invariants>() {
    for count in 0..70_u16 {
        let contents: Contents = (0..count)
            .map(|key| (key.to_be_bytes().to_vec(), vec![1]))
            .collect();
        let operations: Vec<_> = contents
            .iter()
            .map(|(key, value)| {
                let key = pad_core::Key::new(&key[..]).unwrap();
                pad_core::Operation::Put(key, pad_core::Value::new(&value[..]).unwrap())
            })
            .collect();
        let mut tree = Tree::<StrictStore<B>>::default();
        tree.apply(&operations, &pad_core::Workers::sequential())
            .unwrap();
        check(&tree, &contents);
    }
}

fn check_invariants<B: Invariants>() {
    for seed in (0..8).step_by(soak::size(2, 1)) {
        check_operations::<B>(seed, 8 << seed);
    }
    check_loads::<B>();
}

#[test]
fn the_treap_keeps_its_invariants() {
    check_invariants::<Treap>();
}

#[test]
fn the_red_black_tree_keeps_its_invariants() {
    check_invariants::<RedBlack>();
}

#[test]
fn the_skip_list_keeps_its_invariants() {
    check_invariants::<SkipList>();
}

/// Checks that the strict store panics if a node is read after it was updated.
#[test]
#[should_panic(expected = "a superseded or released node was touched")]
fn the_strict_store_refuses_superseded_nodes() {
    let mut tree = Tree::<StrictStore<RedBlack>>::default();
    tree.put(b"a", b"");
    tree.put(b"b", b"");
    let root: NodeId = tree.root.unwrap();
    let children = tree.store.children(root);
    tree.store.update(root, children);
    tree.store.separator(root);
}
