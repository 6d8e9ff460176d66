//! The nodes of a part (a replica of one key range), stored by their digests.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use pad_core::Suite;

use crate::{
    opened::{Content, OpenedLeaf},
    step::Step,
};

/// A node from a verified proof.
#[derive(Debug)]
pub(super) enum Node<S: Suite> {
    Leaf(Leaf<S>),
    Inner(Inner<S>),
}

/// A leaf. Its value is missing (only the digest is known) if no proof so far contained the value.
#[derive(Debug)]
pub(super) struct Leaf<S: Suite> {
    pub(super) key: Arc<[u8]>,
    pub(super) content: Content<S>,
}

/// An inner node. Fields other than the children's digests are unknown until the walk in `walk.rs`
/// computes them from the children.
#[derive(Debug)]
pub(super) struct Inner<S: Suite> {
    /// The digests of the left and the right child.
    pub(super) children: [S::Digest; 2],
    /// The boundary between the keys below the two children, computed from the leaves that are
    /// present; `None` before the walk computes it. In a complete version it routes keys of the
    /// part's range like the separator in the whole tree. The leaves next to the range are present
    /// as well.
    pub(super) split: Option<Split>,
    /// The first and the last key of the subtree; `None` unless all its nodes and values are
    /// present.
    pub(super) whole: Option<[Arc<[u8]>; 2]>,
}

/// The boundary between the keys below an inner node's two children.
#[derive(Clone, Debug)]
pub(super) enum Split {
    /// The first key below the right child: smaller keys belong on the left.
    From(Arc<[u8]>),
    /// The last key below the left child: greater keys belong on the right. Used if no leaf below
    /// the right child is present.
    Above(Arc<[u8]>),
}

impl Split {
    /// Whether a search for `key` continues with the left child.
    pub(super) fn is_above(&self, key: &[u8]) -> bool {
        match self {
            Self::From(first) => *key < **first,
            Self::Above(last) => *key <= **last,
        }
    }
}

/// The nodes of all versions of a part, by digest. Below each inner node, at least one leaf is
/// present.
#[derive(Debug, Default)]
pub(super) struct Nodes<S: Suite> {
    nodes: HashMap<S::Digest, Node<S>>,
    /// The total length in bytes of the keys and values in the leaves.
    bytes: usize,
}

impl<S: Suite> Nodes<S> {
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn get(&self, digest: &S::Digest) -> Option<&Node<S>> {
        self.nodes.get(digest)
    }

    pub(super) fn inner_mut(&mut self, digest: &S::Digest) -> Option<&mut Inner<S>> {
        match self.nodes.get_mut(digest) {
            Some(Node::Inner(inner)) => Some(inner),
            _ => None,
        }
    }

    /// The approximate memory, in bytes, of the nodes.
    pub(super) fn memory_bytes(&self) -> usize {
        let slot = size_of::<(S::Digest, Node<S>)>().saturating_add(1);
        // The number of slots in the table is a power of two. The capacity alone would not be
        // reproducible: it excludes slots of removed entries, whose number depends on the hasher's
        // seed.
        let slots = match self.nodes.capacity() {
            0 => 0,
            capacity => capacity.saturating_add(1).next_power_of_two(),
        };
        slots.saturating_mul(slot).saturating_add(self.bytes)
    }

    /// Creates a collector for the nodes that a proof contains, to be used while the proof is
    /// checked.
    pub(super) fn shown(&self) -> NodeCollector<'_, S> {
        NodeCollector {
            known: self,
            nodes: Vec::new(),
            subtrees: Vec::new(),
        }
    }

    /// Stores the nodes of a verified proof, each with its digest. A stored leaf is replaced only
    /// to add its missing value.
    pub(super) fn take(&mut self, shown: Vec<(S::Digest, Node<S>)>) {
        for (digest, node) in shown {
            let is_news = match &node {
                Node::Leaf(leaf) => self.lacks(&digest, &leaf.content),
                Node::Inner(_) => !self.nodes.contains_key(&digest),
            };
            if !is_news {
                continue;
            }
            let new = node.bytes();
            let before = self.nodes.insert(digest, node);
            let before = before.map_or(0, |before| before.bytes());
            self.bytes = self.bytes.saturating_sub(before).saturating_add(new);
        }
    }

    /// Whether a leaf with this digest is not stored, or lacks the value in `content`.
    fn lacks(&self, digest: &S::Digest, content: &Content<S>) -> bool {
        match (self.nodes.get(digest), content) {
            (None, _) => true,
            (Some(Node::Leaf(known)), Content::Value(_)) => {
                matches!(known.content, Content::Digest(_))
            }
            _ => false,
        }
    }

    /// Drops all nodes that are not part of a tree with one of these `roots`.
    pub(super) fn keep_reached(&mut self, roots: impl Iterator<Item = S::Digest>) {
        let mut reached = HashSet::new();
        let mut pending: Vec<S::Digest> = roots.collect();
        while let Some(digest) = pending.pop() {
            if let Some(node) = self.nodes.get(&digest)
                && reached.insert(digest)
                && let Node::Inner(inner) = node
            {
                pending.extend(inner.children);
            }
        }
        self.nodes.retain(|digest, _| reached.contains(digest));
        self.nodes.shrink_to(self.nodes.len().saturating_mul(2));
        let bytes = self.nodes.values().map(Node::bytes);
        self.bytes = bytes.fold(0, usize::saturating_add);
    }
}

impl<S: Suite> Node<S> {
    /// The length in bytes of a leaf's key and value; 0 for an inner node.
    fn bytes(&self) -> usize {
        match self {
            Self::Leaf(Leaf { key, content }) => {
                let value = match content {
                    Content::Value(value) => value.as_bytes().len(),
                    Content::Digest(_) => 0,
                };
                key.len().saturating_add(value)
            }
            Self::Inner(_) => 0,
        }
    }
}

/// Collects the nodes and values of a proof that are not stored yet, while the proof is checked.
pub(super) struct NodeCollector<'n, S: Suite> {
    known: &'n Nodes<S>,
    /// The collected nodes, each with its digest.
    pub(super) nodes: Vec<(S::Digest, Node<S>)>,
    /// The digests of the subtrees whose parent has not been recomputed yet.
    subtrees: Vec<S::Digest>,
}

impl<S: Suite> NodeCollector<'_, S> {
    /// Records one step of the proof's check, and the node that the step computes.
    pub(super) fn note(&mut self, step: &Step<'_, S>) {
        let (digest, children) = match *step {
            Step::Leaf { leaf, digest, .. } => {
                self.subtrees.push(digest);
                return self.show_leaf(digest, leaf);
            }
            Step::LeftElided { sibling, digest } => {
                let open = self.subtrees.pop().unwrap_or_default();
                (digest, [sibling, open])
            }
            Step::RightElided { sibling, digest } => {
                let open = self.subtrees.pop().unwrap_or_default();
                (digest, [open, sibling])
            }
            Step::Joined {
                left,
                right,
                digest,
                ..
            } => {
                self.subtrees.pop();
                self.subtrees.pop();
                (digest, [left, right])
            }
            Step::Empty { .. } => return,
        };
        self.subtrees.push(digest);
        if self.known.get(&digest).is_none() {
            let inner = Inner {
                children,
                split: None,
                whole: None,
            };
            self.nodes.push((digest, Node::Inner(inner)));
        }
    }

    fn show_leaf(&mut self, digest: S::Digest, leaf: &OpenedLeaf<S>) {
        if self.known.lacks(&digest, &leaf.content) {
            let leaf = Leaf {
                key: leaf.key.as_bytes().into(),
                content: leaf.content.clone(),
            };
            self.nodes.push((digest, Node::Leaf(leaf)));
        }
    }
}
