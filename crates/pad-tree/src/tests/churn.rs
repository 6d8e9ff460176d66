//! The author's memory depends on the number of entries, not on the number of operations.

use pad_core::{Sha256Ed25519, Workers};

use crate::{
    annotation::Authenticated,
    balancing::{BalancingScheme, NodeStore},
    scheme::{RedBlack, SkipList, Treap},
    store::in_place::InPlace,
    tree::Tree,
};

/// Keeps 50 entries while 20 000 others are added and removed, each with its own key and value.
fn memory_after_churn<B: BalancingScheme>() -> usize {
    let mut tree: Tree<InPlace<Authenticated<Sha256Ed25519>, B>> = Tree::default();
    for number in 0..20_000_u32 {
        let key = |number: u32| number.wrapping_mul(2_654_435_761).to_be_bytes();
        tree.put(
            &key(number),
            &vec![7; usize::try_from(number % 90).unwrap()],
        );
        if let Some(old) = number.checked_sub(50) {
            assert_eq!(tree.remove(&key(old)), Ok(true));
        }
        if number % 7 == 0 {
            tree.hash(&Workers::sequential());
            let (store, sealed) = tree.sealed();
            store.commit(&sealed);
        }
    }
    assert_eq!(tree.population, 50);
    tree.store.entries().memory_bytes()
}

#[test]
fn places_of_removed_entries_are_used_again() {
    for memory in [
        memory_after_churn::<RedBlack>(),
        memory_after_churn::<Treap>(),
        memory_after_churn::<SkipList>(),
    ] {
        // Some 50 entries of 100 bytes, twice as many keys, and the garbage that compaction allows.
        assert!(memory < 64 << 10, "{memory} bytes for 50 entries");
    }
}
