//! An update in progress: nodes are copied before they change, and what is read is written down.
//!
//! Server and client run the same operations over a transaction, the server on its list, the client on
//! the part of it that the witness shows. Where the client's copy ends, reading fails.

use alloc::{vec, vec::Vec};

use super::{
    MAX_TOTAL,
    arena::{Arena, Inner, Leaf, Link, Node, NodeId},
    hash::NodeHash,
    node_set::NodeSet,
    prune::prune,
};
use crate::error::UpdateError;

/// The most nodes of the old list that one batch may read.
///
/// Bounds work and witness of a batch whose levels were chosen to make paths long.
const MAX_OPENED: usize = 1 << 22;

/// The most nodes that one batch may read, old or new, each time counted, on average for each
/// operation, and [`MAX_OPENED`] more.
///
/// A path of random levels has some 50 nodes in a list of a billion blocks. Where an owner chose levels
/// that make paths as long as the list, many small operations would cost the square of it.
const READS_PER_OPERATION: usize = 1 << 10;

/// An update in progress.
pub(super) struct Transaction<'a, H> {
    arena: &'a mut Arena<H>,
    root: Link,
    opened: NodeSet,
    most_opened: usize,
    reads_left: usize,
    created: Vec<NodeId>,
    superseded: Vec<NodeId>,
    /// Nodes of this update that it did away with again.
    dropped: Vec<NodeId>,
}

/// A step on the way from the root: which link of which node was followed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Below(NodeId),
    After(NodeId),
    /// Not a node yet: one of this level, with this after link, goes on top.
    Raise(u8, Link),
}

/// A node by value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Read {
    Inner(Inner),
    Leaf(Leaf),
}

impl Read {
    /// The node's level.
    pub(super) const fn level(&self) -> u8 {
        match self {
            Self::Inner(inner) => inner.level,
            Self::Leaf(_) => 0,
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

    /// From now on the limits of a batch of so many operations hold, the same for server and client.
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

    /// Reads a node, and notes it if it is one of the old list.
    #[inline]
    pub(super) fn read(&mut self, id: NodeId) -> Result<Read, UpdateError> {
        let (read, is_old) = match self.arena.node(id)? {
            Node::Inner(inner) => (Read::Inner(*inner), inner.is_hashed()),
            Node::Leaf(leaf) => (Read::Leaf(*leaf), leaf.is_hashed()),
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

    /// A new inner node; its rank is what its children's add up to.
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

    /// A new leaf.
    pub(super) fn leaf(&mut self, leaf: Leaf) -> Result<Link, UpdateError> {
        let rank = add(leaf.length, leaf.after().rank)?;
        let node = self.arena.add_leaf(leaf)?;
        self.created.push(node);
        Ok(Link { node, rank })
    }

    /// Another inner node in the place of this one: in place if it is of this update, else a new one.
    pub(super) fn replace_inner(&mut self, id: NodeId, inner: Inner) -> Result<Link, UpdateError> {
        if let Some(fresh) = self.arena.fresh_inner(id) {
            *fresh = inner;
            let rank = add(inner.below().rank, inner.after().rank)?;
            return Ok(Link { node: id, rank });
        }
        self.superseded.push(id);
        self.add_inner(inner)
    }

    /// Another leaf in the place of this one: in place if it is of this update, else a new one.
    pub(super) fn replace_leaf(&mut self, id: NodeId, leaf: Leaf) -> Result<Link, UpdateError> {
        if let Some(fresh) = self.arena.fresh_leaf(id) {
            *fresh = leaf;
            let rank = add(leaf.length, leaf.after().rank)?;
            return Ok(Link { node: id, rank });
        }
        self.superseded.push(id);
        self.leaf(leaf)
    }

    /// Does away with a node.
    pub(super) fn discard(&mut self, id: NodeId) {
        if self.arena.is_hashed(id) {
            self.superseded.push(id);
        } else {
            self.dropped.push(id);
        }
    }

    /// The subtree after `changed` took the place of what the last of these steps led to.
    pub(super) fn rebuild(
        &mut self,
        steps: &mut Vec<Step>,
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

    /// Hashes every node of this update, each once, children first.
    ///
    /// Source: section 3.2, calculateMultiHash.
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

    /// The part of the list under `old` that the operations read.
    pub(super) fn witness(&self, old: Link) -> Result<Vec<u8>, UpdateError> {
        prune(self.arena, old, &self.opened)
    }

    /// The new root, the nodes that only the new list has, and those that only the old one has.
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

    /// Frees everything that the update made.
    pub(super) fn abandon(self) {
        for node in self.created {
            self.arena.remove(node);
        }
    }
}

/// A sum of ranks, which no file exceeds.
fn add(first: u64, second: u64) -> Result<u64, UpdateError> {
    first
        .checked_add(second)
        .filter(|rank| *rank <= MAX_TOTAL)
        .ok_or(UpdateError::FileTooLong)
}
