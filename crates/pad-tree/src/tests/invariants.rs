//! The invariants of trees and of each scheme, as checks.

use core::cmp::Ordering;

use crate::{
    balancing::{BalancingScheme, NodeStore, SetUnique, red_black::Color},
    id::{EntryId, KeyId, NodeId, NodeKind},
    scheme::RedBlack,
};

/// The invariants that a scheme guarantees for every tree.
pub(super) trait Invariants: BalancingScheme {
    /// Panics if a tree breaks the scheme's invariants.
    fn check<S: NodeStore<Scheme = Self>>(store: &S, root: NodeId);
}

/// The leaves of a subtree from left to right; every separator is above all keys on its left, and
/// not above any key on its right.
pub(super) fn leaves<S: NodeStore>(store: &S, node: NodeId) -> Vec<EntryId> {
    match node.kind() {
        NodeKind::Leaf(entry) => vec![entry],
        NodeKind::Inner(_) => {
            let children = store.children(node);
            let mut left = leaves(store, children.left());
            let right = leaves(store, children.right());
            let entries = store.entries();
            let order =
                |leaf: &EntryId| entries.compare_keys(entries.key_of(*leaf), store.separator(node));
            assert!(left.iter().all(|leaf| order(leaf) == Ordering::Less));
            assert!(right.iter().all(|leaf| order(leaf) != Ordering::Less));
            left.extend(right);
            left
        }
    }
}

impl Invariants for RedBlack {
    fn check<S: NodeStore<Scheme = Self>>(store: &S, root: NodeId) {
        let is_black = !root.is_inner() || store.balance(root) == Color::Black;
        assert!(is_black, "invariant 1: the root is black");
        black_height(store, root);
    }
}

fn black_height<S: NodeStore<Scheme = RedBlack>>(store: &S, node: NodeId) -> u32 {
    if !node.is_inner() {
        return 1;
    }
    let children = store.children(node).0;
    let is_red = |node: NodeId| node.is_inner() && store.balance(node) == Color::Red;
    let is_below_red = is_red(node) && children.into_iter().any(is_red);
    assert!(!is_below_red, "invariant 2: a red node has black children");
    let [left, right] = children.map(|child| black_height(store, child));
    assert_eq!(left, right, "invariant 3: equally many black nodes");
    left + u32::from(!is_red(node))
}

impl<B: SetUnique> Invariants for B {
    fn check<S: NodeStore<Scheme = Self>>(store: &S, root: NodeId) {
        if !root.is_inner() {
            return;
        }
        let (children, separator) = (store.children(root), store.separator(root));
        let right = leaves(store, children.right())[0];
        let right = store.entries().key_of(right);
        assert_eq!(separator, right, "the separator is the key on its right");
        let rank = |key: KeyId| store.entries().rank(key);
        if children.left().is_inner() {
            let is_lower = rank(store.separator(children.left())) < rank(separator);
            assert!(is_lower, "of equal ranks the leftmost is the highest");
        }
        if children.right().is_inner() {
            let is_no_higher = rank(store.separator(children.right())) <= rank(separator);
            assert!(is_no_higher, "ranks do not increase downwards");
        }
        Self::check(store, children.left());
        Self::check(store, children.right());
    }
}
