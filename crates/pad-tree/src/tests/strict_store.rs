//! A node store that enforces the contract of [`NodeStore`]. It always clones, and panics when a
//! superseded or released node is touched again.

use core::convert::Infallible;
use std::collections::HashSet;

use pad_core::InputError;

use crate::{
    annotation::Plain,
    balancing::{Balance, BalancingScheme, NodeStore},
    entries::Entries,
    id::{Children, EntryId, KeyId, NodeId, NodeKind},
};

#[derive(Debug)]
pub(super) struct StrictStore<B: BalancingScheme> {
    entries: Entries<Plain>,
    nodes: Vec<Node<B>>,
    leaves: HashSet<NodeId>,
}

#[derive(Debug)]
struct Node<B: BalancingScheme> {
    children: Children,
    separator: KeyId,
    balance: B::Balance,
    is_live: bool,
}

impl<B: BalancingScheme> Default for StrictStore<B> {
    fn default() -> Self {
        Self {
            entries: Entries::new(false),
            nodes: Vec::new(),
            leaves: HashSet::new(),
        }
    }
}

impl<B: BalancingScheme> StrictStore<B> {
    /// The numbers of nodes and leaves of the latest snapshot.
    pub(super) fn live(&self) -> (usize, usize) {
        let nodes = self.nodes.iter().filter(|node| node.is_live).count();
        (nodes, self.leaves.len())
    }

    fn node(&self, node: NodeId) -> &Node<B> {
        let node = &self.nodes[node.index()];
        assert!(node.is_live, "a superseded or released node was touched");
        node
    }

    fn check_live(&self, children: Children) {
        for child in children.0 {
            match child.kind() {
                NodeKind::Leaf(_) => assert!(self.leaves.contains(&child), "the leaf is there"),
                NodeKind::Inner(_) => {
                    self.node(child);
                }
            }
        }
    }

    fn push(&mut self, separator: KeyId, balance: B::Balance, children: Children) -> NodeId {
        self.check_live(children);
        self.nodes.push(Node {
            children,
            separator,
            balance,
            is_live: true,
        });
        NodeId::inner(self.nodes.len() - 1)
    }
}

impl<B: BalancingScheme> NodeStore for StrictStore<B> {
    type Annotation = Plain;
    type Scheme = B;
    type Fault = Infallible;
    const IS_WHOLE: bool = true;

    fn entries(&self) -> &Entries<Plain> {
        &self.entries
    }

    fn entries_mut(&mut self) -> &mut Entries<Plain> {
        &mut self.entries
    }

    fn create(&mut self, separator: KeyId, balance: B::Balance, children: Children) -> NodeId {
        self.push(separator, balance, children)
    }

    fn update(&mut self, node: NodeId, children: Children) -> NodeId {
        let &Node {
            separator, balance, ..
        } = self.node(node);
        self.nodes[node.index()].is_live = false;
        self.push(separator, balance, children)
    }

    fn release(&mut self, node: NodeId) {
        self.node(node);
        self.nodes[node.index()].is_live = false;
    }

    fn replace_value(&mut self, entry: EntryId, value: &[u8]) -> NodeId {
        let key = self.entries.key_of(entry);
        let leaf = NodeId::leaf(self.entries.add_entry(key, value));
        self.adopt_leaf(leaf);
        self.release_leaf(NodeId::leaf(entry));
        leaf
    }

    fn adopt_leaf(&mut self, leaf: NodeId) {
        assert!(self.leaves.insert(leaf), "a leaf enters once");
    }

    fn release_leaf(&mut self, leaf: NodeId) {
        assert!(self.leaves.remove(&leaf), "a leaf leaves once");
    }

    fn children(&self, node: NodeId) -> Children {
        self.node(node).children
    }

    fn separator(&self, node: NodeId) -> KeyId {
        self.node(node).separator
    }

    fn balance(&self, node: NodeId) -> Balance<Self> {
        self.node(node).balance
    }

    fn set_balance(&mut self, node: NodeId, balance: Balance<Self>) {
        self.node(node);
        self.nodes[node.index()].balance = balance;
    }

    fn is_touched(&self, node: NodeId) -> bool {
        self.node(node);
        true
    }

    fn latest_digest(&self, _: NodeId) {}

    fn check_capacity(&self, _: usize) -> Result<(), InputError> {
        Ok(())
    }
}
