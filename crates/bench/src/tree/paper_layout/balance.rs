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

/// Returns the entry of `node` above `left` and `right`, balanced as in a red-black tree. Two red
/// nodes in a row below a black one become a red one above two black ones.
fn balanced<S: Suite>(node: &Node<S>, left: Tree<S>, right: Tree<S>) -> Arc<Node<S>> {
    if node.balance == RED {
        return node.with(RED, left, right);
    }
    let red = |tree: &Tree<S>| tree.clone().filter(|node| node.balance == RED);
    if let Some(child) = red(&left) {
        if let Some(low) = red(&child.left) {
            let below = [&low.left, &low.right, &child.right, &right];
            return red_above([&low, &child, node], below);
        }
        if let Some(middle) = red(&child.right) {
            let below = [&child.left, &middle.left, &middle.right, &right];
            return red_above([&child, &middle, node], below);
        }
    }
    if let Some(child) = red(&right) {
        if let Some(middle) = red(&child.left) {
            let below = [&left, &middle.left, &middle.right, &child.right];
            return red_above([node, &middle, &child], below);
        }
        if let Some(high) = red(&child.right) {
            let below = [&left, &child.left, &high.left, &high.right];
            return red_above([node, &child, &high], below);
        }
    }
    node.with(BLACK, left, right)
}

/// Returns the entry of the middle node, red, above those of the other two, black, above the
/// subtrees `below`. All are in the order of their keys.
fn red_above<S: Suite>(nodes: [&Node<S>; 3], below: [&Tree<S>; 4]) -> Arc<Node<S>> {
    let ([low, middle, high], [first, second, third, fourth]) = (nodes, below.map(Clone::clone));
    let (low, high) = (
        low.with(BLACK, first, second),
        high.with(BLACK, third, fourth),
    );
    middle.with(RED, Some(low), Some(high))
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
