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
            let (mut left, right) = (
                leaves(store, children.left()),
                leaves(store, children.right()),
            );
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
        let is_black = root.kind_is_leaf() || store.balance(root) == Color::Black;
        assert!(is_black, "invariant 1: the root is black");
        black_height(store, root);
    }
}

fn black_height<S: NodeStore<Scheme = RedBlack>>(store: &S, node: NodeId) -> u32 {
    if node.kind_is_leaf() {
        return 1;
    }
    let children = store.children(node).0;
    let is_red = |node: NodeId| !node.kind_is_leaf() && store.balance(node) == Color::Red;
    assert!(
        !(is_red(node) && children.into_iter().any(is_red)),
        "invariant 2: a red node has two black children"
    );
    let [left, right] = children.map(|child| black_height(store, child));
    assert_eq!(
        left, right,
        "invariant 3: every path has the same number of black nodes"
    );
    left + u32::from(!is_red(node))
}

impl<B: SetUnique> Invariants for B {
    fn check<S: NodeStore<Scheme = Self>>(store: &S, root: NodeId) {
        if root.kind_is_leaf() {
            return;
        }
        let (children, separator) = (store.children(root), store.separator(root));
        let right = leaves(store, children.right())[0];
        assert_eq!(
            separator,
            store.entries().key_of(right),
            "the separator is the key on its right"
        );
        let rank = |key: KeyId| store.entries().rank(key);
        if children.left().is_inner() {
            let left = store.separator(children.left());
            assert!(
                rank(left) < rank(separator),
                "of equal ranks the leftmost is the highest"
            );
        }
        if children.right().is_inner() {
            let right = store.separator(children.right());
            assert!(
                rank(right) <= rank(separator),
                "ranks do not increase downwards"
            );
        }
        Self::check(store, children.left());
        Self::check(store, children.right());
    }
}

trait KindIsLeaf {
    fn kind_is_leaf(self) -> bool;
}

impl KindIsLeaf for NodeId {
    fn kind_is_leaf(self) -> bool {
        !self.is_inner()
    }
}
