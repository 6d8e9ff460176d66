//! Balancing schemes of trees in the paper's layout, applied on insertion.

use std::{cmp::Ordering, sync::Arc};

use pad_core::{Key, Suite, Value, internals::Domain};

use super::{Node, Tree};

/// A balancing scheme of the paper's table 3.
pub trait Balance {
    /// Name of the scheme, the same as for the workspace's trees with entries in the leaves.
    const NAME: &'static str;

    /// Returns `tree` with the entry of `key` added or changed. Both trees share unchanged
    /// subtrees.
    fn insert<S: Suite>(tree: &Tree<S>, key: &Key, value: &Value) -> Tree<S>;
}

/// Red-black trees, with the four cases of Okasaki.
#[derive(Clone, Copy, Debug)]
pub struct RedBlack;

/// Treaps whose priorities are digests of the keys, so that equal contents have equal trees.
#[derive(Clone, Copy, Debug)]
pub struct Treap;

const RED: u64 = 0;
const BLACK: u64 = 1;

impl Balance for RedBlack {
    const NAME: &'static str = "red-black";

    fn insert<S: Suite>(tree: &Tree<S>, key: &Key, value: &Value) -> Tree<S> {
        let root = insert_red(tree, key, value);
        // The root is always black. Its digest does not cover the colour.
        let black = match root.balance {
            BLACK => root,
            _ => root.with(BLACK, root.left.clone(), root.right.clone()),
        };
        Some(black)
    }
}

fn insert_red<S: Suite>(tree: &Tree<S>, key: &Key, value: &Value) -> Arc<Node<S>> {
    let Some(node) = tree else {
        return Node::create((key, value), RED, None, None);
    };
    let (left, right) = (node.left.clone(), node.right.clone());
    match key.cmp(&node.key) {
        Ordering::Equal => Node::create((key, value), node.balance, left, right),
        Ordering::Less => balanced(node, Some(insert_red(&left, key, value)), right),
        Ordering::Greater => balanced(node, left, Some(insert_red(&right, key, value))),
    }
}

fn is_red<S: Suite>(tree: &Tree<S>) -> bool {
    tree.as_ref().is_some_and(|node| node.balance == RED)
}

/// Returns the entry of `node` above `left` and `right`, balanced as in a red-black tree. Two red
/// nodes in a row below a black one become a red one above two black ones.
fn balanced<S: Suite>(node: &Node<S>, left: Tree<S>, right: Tree<S>) -> Arc<Node<S>> {
    if node.balance == RED {
        return node.with(RED, left, right);
    }
    if let Some(child) = left.as_ref().filter(|child| child.balance == RED) {
        if let Some(grandchild) = child.left.as_ref().filter(|_| is_red(&child.left)) {
            let low = grandchild.with(BLACK, grandchild.left.clone(), grandchild.right.clone());
            let high = node.with(BLACK, child.right.clone(), right);
            return child.with(RED, Some(low), Some(high));
        }
        if let Some(grandchild) = child.right.as_ref().filter(|_| is_red(&child.right)) {
            let low = child.with(BLACK, child.left.clone(), grandchild.left.clone());
            let high = node.with(BLACK, grandchild.right.clone(), right);
            return grandchild.with(RED, Some(low), Some(high));
        }
    }
    if let Some(child) = right.as_ref().filter(|child| child.balance == RED) {
        if let Some(grandchild) = child.left.as_ref().filter(|_| is_red(&child.left)) {
            let low = node.with(BLACK, left, grandchild.left.clone());
            let high = child.with(BLACK, grandchild.right.clone(), child.right.clone());
            return grandchild.with(RED, Some(low), Some(high));
        }
        if let Some(grandchild) = child.right.as_ref().filter(|_| is_red(&child.right)) {
            let low = node.with(BLACK, left, child.left.clone());
            let high = grandchild.with(BLACK, grandchild.left.clone(), grandchild.right.clone());
            return child.with(RED, Some(low), Some(high));
        }
    }
    node.with(BLACK, left, right)
}

impl Balance for Treap {
    const NAME: &'static str = "treap";

    fn insert<S: Suite>(tree: &Tree<S>, key: &Key, value: &Value) -> Tree<S> {
        let Some(node) = tree else {
            return Some(Node::create((key, value), priority::<S>(key), None, None));
        };
        let (left, right) = (node.left.clone(), node.right.clone());
        Some(match key.cmp(&node.key) {
            Ordering::Equal => Node::create((key, value), node.balance, left, right),
            Ordering::Less => match Self::insert(&left, key, value) {
                Some(child) if child.balance < node.balance => {
                    let below = node.with(node.balance, child.right.clone(), right);
                    child.with(child.balance, child.left.clone(), Some(below))
                }
                left => node.with(node.balance, left, right),
            },
            Ordering::Greater => match Self::insert(&right, key, value) {
                Some(child) if child.balance < node.balance => {
                    let below = node.with(node.balance, left, child.left.clone());
                    child.with(child.balance, Some(below), child.right.clone())
                }
                right => node.with(node.balance, left, right),
            },
        })
    }
}

/// Returns the priority of a key's node. A node has a smaller priority than its descendants.
fn priority<S: Suite>(key: &Key) -> u64 {
    let digest = S::hash(Domain::KeyRank, &[key.as_bytes()]);
    let bytes = digest.as_ref().first_chunk();
    bytes.map_or(0, |bytes| u64::from_be_bytes(*bytes))
}
