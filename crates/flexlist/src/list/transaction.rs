//! An update in progress: nodes are copied before they change, and every node read is recorded.
//!
//! Server and client run the same operations in a transaction: the server on its list, the client
//! on the part that the witness contains. A read outside that part fails.

use alloc::{vec, vec::Vec};

use super::{
    MAX_TOTAL,
    arena::{Arena, Inner, Leaf, Link, Node, NodeId},
    hash::NodeHash,
    node_set::NodeSet,
    prune::prune,
};
use crate::error::UpdateError;

/// The maximum number of nodes of the list before the update that one batch may read.
///
/// Bounds the work and the witness of a batch whose levels were chosen to make paths long.
const MAX_OPENED: usize = 1 << 22;

/// The average number of node reads allowed per operation of a batch, in addition to [`MAX_OPENED`]
/// per batch. Counts old and new nodes, and repeated reads.
///
/// A path of random levels has some 50 nodes in a list of a billion blocks. If an owner chose
/// levels that make paths as long as the list, many small operations would take quadratic time.
const READS_PER_OPERATION: usize = 1 << 10;

/// An update in progress: its new root, the nodes read, created and replaced, and the limits on
/// reads.
pub(super) struct Transaction<'a, H> {
    arena: &'a mut Arena<H>,
    root: Link,
    opened: NodeSet,
    most_opened: usize,
    reads_left: usize,
    created: Vec<NodeId>,
    superseded: Vec<NodeId>,
    /// Nodes that this update created and later discarded.
    dropped: Vec<NodeId>,
}

/// A step of a path from the root: a node and the link followed from it, or an inner node to be
/// created.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Below(NodeId),
    After(NodeId),
    /// An inner node to be created above the rest of the path, with this level and this after link.
    Raise(u8, Link),
}

/// A copy of a node.
#[derive(Clone, Copy, Debug)]
pub(super) enum NodeValue {
    Inner(Inner),
    Leaf(Leaf),
}

impl NodeValue {
    /// Returns the node's level; 0 for a leaf.
    pub(super) const fn level(&self) -> u8 {
        match self {
            Self::Inner(inner) => inner.level,
            Self::Leaf(_) => 0,
        }
    }
}

/// A search for a place between two bytes, and the path that it took.
pub(super) struct Walk {
    /// The node to read next.
    pub(super) node: NodeId,
    /// The number of bytes under `node` to the left of the place.
    pub(super) rest: u64,
    /// The index in the file of the first byte after the place, for errors.
    pub(super) index: u64,
    pub(super) steps: Vec<Step>,
}

impl Walk {
    /// Starts at the root of a subtree, with `rest` of its bytes to the left of the place.
    pub(super) const fn new(node: NodeId, rest: u64, index: u64) -> Self {
        Self {
            node,
            rest,
            index,
            steps: Vec::new(),
        }
    }

    /// Follows the after link of `read`, the current node, if that link starts left of the place.
    /// Returns whether it did.
    #[inline]
    pub(super) fn passes(&mut self, read: &NodeValue) -> bool {
        let (passed, after) = match read {
            NodeValue::Inner(inner) => (inner.below().rank, inner.after()),
            NodeValue::Leaf(leaf) => (leaf.length, leaf.after()),
        };
        match self.rest.checked_sub(passed) {
            None | Some(0) => false,
            Some(beyond) => {
                self.steps.push(Step::After(self.node));
                (self.node, self.rest) = (after.node, beyond);
                true
            }
        }
    }

    /// Follows the link of `inner`, the current node, to the node below.
    pub(super) fn descend(&mut self, inner: &Inner) {
        self.steps.push(Step::Below(self.node));
        self.node = inner.below().node;
    }

    /// Checks that the place is at the end of `leaf`, the current node.
    pub(super) const fn require_end(&self, leaf: &Leaf) -> Result<(), UpdateError> {
        if leaf.length == self.rest {
            Ok(())
        } else {
            let index = self.index;
            Err(UpdateError::NotOnBoundary { index })
        }
    }
}

impl<'a, H: NodeHash> Transaction<'a, H> {
    pub(super) fn new(arena: &'a mut Arena<H>, root: Link) -> Self {
        Self {
            arena,
            root,
            opened: NodeSet::default(),
            most_opened: usize::MAX,
            reads_left: usize::MAX,
            created: Vec::new(),
            superseded: Vec::new(),
            dropped: Vec::new(),
        }
    }

    /// Limits the reads from now on to those of a batch with this number of operations. Server and
    /// client use equal limits.
    pub(super) const fn limit(&mut self, operations: usize) {
        self.most_opened = MAX_OPENED;
        self.reads_left = READS_PER_OPERATION
            .saturating_mul(operations)
            .saturating_add(MAX_OPENED);
    }

    pub(super) const fn root(&self) -> Link {
        self.root
    }

    pub(super) const fn set_root(&mut self, root: Link) {
        self.root = root;
    }

    pub(super) const fn opened(&self) -> &NodeSet {
        &self.opened
    }

    /// Reads a node. Records it for the witness if it belongs to the list before the update.
    #[inline]
    pub(super) fn read(&mut self, id: NodeId) -> Result<NodeValue, UpdateError> {
        let (read, is_old) = match self.arena.node(id)? {
            Node::Inner(inner) => (NodeValue::Inner(*inner), inner.hashed),
            Node::Leaf(leaf) => (NodeValue::Leaf(*leaf), leaf.hashed),
            Node::Right => return Err(UpdateError::Elided),
        };
        self.reads_left = (self.reads_left.checked_sub(1)).ok_or(UpdateError::BatchTooLarge)?;
        if is_old {
            self.opened.insert(id);
            if self.opened.len() > self.most_opened {
                return Err(UpdateError::BatchTooLarge);
            }
        }
        Ok(read)
    }

    /// Creates an inner node; its rank is the sum of its children's ranks.
    pub(super) fn inner(
        &mut self,
        level: u8,
        below: Link,
        after: Link,
    ) -> Result<Link, UpdateError> {
        self.add_inner(Inner::new(level, below, after))
    }

    fn add_inner(&mut self, inner: Inner) -> Result<Link, UpdateError> {
        let rank = add(inner.below().rank, inner.after().rank)?;
        let node = self.arena.add_inner(inner)?;
        self.created.push(node);
        Ok(Link { node, rank })
    }

    /// Creates a leaf.
    pub(super) fn leaf(&mut self, leaf: Leaf) -> Result<Link, UpdateError> {
        let rank = add(leaf.length, leaf.after().rank)?;
        let node = self.arena.add_leaf(leaf)?;
        self.created.push(node);
        Ok(Link { node, rank })
    }

    /// Replaces an inner node: overwrites it if this update created it, else creates a new one.
    pub(super) fn replace_inner(&mut self, id: NodeId, inner: Inner) -> Result<Link, UpdateError> {
        if let Some(fresh) = self.arena.fresh_inner(id) {
            *fresh = inner;
            let rank = add(inner.below().rank, inner.after().rank)?;
            return Ok(Link { node: id, rank });
        }
        self.superseded.push(id);
        self.add_inner(inner)
    }

    /// Replaces a leaf: overwrites it if this update created it, else creates a new one.
    pub(super) fn replace_leaf(&mut self, id: NodeId, leaf: Leaf) -> Result<Link, UpdateError> {
        if let Some(fresh) = self.arena.fresh_leaf(id) {
            *fresh = leaf;
            let rank = add(leaf.length, leaf.after().rank)?;
            return Ok(Link { node: id, rank });
        }
        self.superseded.push(id);
        self.leaf(leaf)
    }

    /// Marks a node as unused by the new list.
    pub(super) fn discard(&mut self, id: NodeId) {
        if self.arena.is_hashed(id) {
            self.superseded.push(id);
        } else {
            self.dropped.push(id);
        }
    }

    /// Rebuilds the path of `steps` upwards after `changed` replaced the target of the last step.
    /// Returns the link to the top of the rebuilt path.
    pub(super) fn rebuild(
        &mut self,
        mut steps: Vec<Step>,
        mut changed: Link,
    ) -> Result<Link, UpdateError> {
        while let Some(step) = steps.pop() {
            changed = match step {
                Step::Raise(level, after) => self.inner(level, changed, after)?,
                Step::Below(id) => match self.arena.node(id)? {
                    Node::Inner(inner) => self.replace_inner(id, inner.with_below(changed))?,
                    Node::Leaf(_) | Node::Right => return Err(UpdateError::Elided),
                },
                Step::After(id) => match self.arena.node(id)? {
                    Node::Inner(inner) => self.replace_inner(id, inner.with_after(changed))?,
                    Node::Leaf(leaf) => self.replace_leaf(id, leaf.with_after(changed))?,
                    Node::Right => return Err(UpdateError::Elided),
                },
            };
        }
        Ok(changed)
    }

    /// Hashes every node of the new list that this update created, each once, children first.
    ///
    /// Source: Esiner et al. 2013, section 3.2 (`calculateMultiHash`).
    pub(super) fn seal(&mut self) -> Result<(), UpdateError> {
        let mut order = Vec::with_capacity(self.created.len());
        let mut stack = vec![self.root.node];
        while let Some(id) = stack.pop() {
            if self.arena.is_hashed(id) {
                continue;
            }
            order.push(id);
            match self.arena.node(id)? {
                Node::Inner(inner) => {
                    stack.push(inner.after().node);
                    stack.push(inner.below().node);
                }
                Node::Leaf(leaf) => stack.push(leaf.after().node),
                Node::Right => {}
            }
        }
        for id in order.into_iter().rev() {
            self.arena.seal(id)?;
        }
        Ok(())
    }

    /// Encodes the witness: the part of the list under `old`, the root before the update, that the
    /// operations read.
    pub(super) fn witness(&self, old: Link) -> Result<Vec<u8>, UpdateError> {
        prune(self.arena, old, &self.opened)
    }

    /// Returns the new root, the nodes that only the new list has, and the nodes that only the old
    /// list has. Frees the nodes in neither list.
    pub(super) fn finish(mut self) -> (Link, Vec<NodeId>, Vec<NodeId>) {
        if !self.dropped.is_empty() {
            let dropped: NodeSet = self.dropped.iter().copied().collect();
            self.created.retain(|node| !dropped.contains(node));
            for node in self.dropped {
                self.arena.remove(node);
            }
        }
        (self.root, self.created, self.superseded)
    }

    /// Frees all nodes that the update created.
    pub(super) fn abandon(self) {
        for node in self.created {
            self.arena.remove(node);
        }
    }
}

/// Adds two ranks (numbers of bytes). Fails above the maximum length of a file.
fn add(first: u64, second: u64) -> Result<u64, UpdateError> {
    first
        .checked_add(second)
        .filter(|rank| *rank <= MAX_TOTAL)
        .ok_or(UpdateError::FileTooLong)
}
