//! Storage of the skip list's nodes: records in pools, addressed by 32-bit ids.
//!
//! Nodes of a finished version are immutable. An update creates new nodes and may change them until
//! they are hashed. A node without its hash thus belongs to the running update.

use core::marker::PhantomData;

use pad_core::Digest;

use super::{
    hash::{self, Child, NodeHash},
    pool::Pool,
};
use crate::error::{ProofError, UpdateError};

/// The id of a node of the list. Its two highest bits encode the kind of node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(u32);

const KIND: u32 = 0b11 << 30;
pub(crate) const INNER: u32 = 0b00 << 30;
pub(crate) const LEAF: u32 = 0b01 << 30;
const PRUNED: u32 = 0b10 << 30;

impl NodeId {
    /// The id that stands for no node. It marks the end of a chain of links to the right.
    pub(crate) const NONE: Self = Self(u32::MAX);
    /// The id of the right sentinel, the end of the list. It is the same node in all lists.
    pub(crate) const RIGHT: Self = Self(u32::MAX - 1);

    pub(crate) const fn is_none(self) -> bool {
        self.0 == Self::NONE.0
    }
}

/// A link to a node: the id of the node and its rank, the number of bytes in its subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) node: NodeId,
    pub(crate) rank: u64,
}

impl Link {
    pub(crate) const NONE: Self = Self {
        node: NodeId::NONE,
        rank: 0,
    };
    #[cfg(feature = "std")]
    pub(crate) const RIGHT: Self = Self {
        node: NodeId::RIGHT,
        rank: 0,
    };
}

/// A node of level 1 to 63, with a link to the node below and a link to the node after it. Links
/// are stored as separate fields, so that the node fits into 64 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inner {
    below: NodeId,
    after: NodeId,
    below_rank: u64,
    after_rank: u64,
    digest: Digest<32>,
    pub(crate) level: u8,
    /// Whether the node has its hash, and so is older than the running update.
    pub(crate) hashed: bool,
}

impl Inner {
    /// Creates a node that is not hashed yet.
    #[inline]
    pub(crate) const fn new(level: u8, below: Link, after: Link) -> Self {
        Self {
            below: below.node,
            after: after.node,
            below_rank: below.rank,
            after_rank: after.rank,
            digest: hash::EMPTY,
            level,
            hashed: false,
        }
    }

    /// Returns the node with its hash.
    #[inline]
    pub(crate) const fn with_digest(mut self, digest: Digest<32>) -> Self {
        self.digest = digest;
        self.hashed = true;
        self
    }

    /// Returns a copy with another link to the node below. The copy is not hashed yet.
    #[inline]
    pub(crate) const fn with_below(&self, below: Link) -> Self {
        Self::new(self.level, below, self.after())
    }

    /// Returns a copy with another link to the node after it. The copy is not hashed yet.
    #[inline]
    pub(crate) const fn with_after(&self, after: Link) -> Self {
        Self::new(self.level, self.below(), after)
    }

    #[inline]
    pub(crate) const fn below(&self) -> Link {
        Link {
            node: self.below,
            rank: self.below_rank,
        }
    }

    #[inline]
    pub(crate) const fn after(&self) -> Link {
        Link {
            node: self.after,
            rank: self.after_rank,
        }
    }
}

/// A node of level 0: a block, or the left sentinel, which has length 0. It takes 96 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub(crate) length: u64,
    pub(crate) label: u64,
    after_rank: u64,
    pub(crate) tag_digest: Digest<32>,
    digest: Digest<32>,
    after: NodeId,
    /// Whether the node has its hash, and so is older than the running update.
    pub(crate) hashed: bool,
}

impl Leaf {
    /// Creates a leaf that is not hashed yet.
    #[inline]
    pub(crate) const fn new(length: u64, tag_digest: Digest<32>, label: u64, after: Link) -> Self {
        Self {
            length,
            label,
            after_rank: after.rank,
            tag_digest,
            digest: hash::EMPTY,
            after: after.node,
            hashed: false,
        }
    }

    /// Returns the leaf with its hash.
    #[inline]
    pub(crate) const fn with_digest(mut self, digest: Digest<32>) -> Self {
        self.digest = digest;
        self.hashed = true;
        self
    }

    /// Returns a copy with another link to the node after it. The copy is not hashed yet.
    #[inline]
    pub(crate) const fn with_after(&self, after: Link) -> Self {
        Self::new(self.length, self.tag_digest, self.label, after)
    }

    #[inline]
    pub(crate) const fn after(&self) -> Link {
        Link {
            node: self.after,
            rank: self.after_rank,
        }
    }
}

/// A node of the list that is neither pruned nor missing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node<'a> {
    Inner(&'a Inner),
    Leaf(&'a Leaf),
    Right,
}

/// Error of a search that reaches a subtree that a proof leaves out, or a missing node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ElidedNode;

/// Error returned when no id is left for another node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl From<ElidedNode> for UpdateError {
    fn from(ElidedNode: ElidedNode) -> Self {
        Self::Elided
    }
}

impl From<ElidedNode> for ProofError {
    fn from(ElidedNode: ElidedNode) -> Self {
        Self::Elided
    }
}

impl From<Full> for UpdateError {
    fn from(Full: Full) -> Self {
        Self::ListFull
    }
}

/// All nodes of a list, or of the part of a list that a proof contains.
#[derive(Clone, Debug)]
pub(crate) struct Arena<H> {
    pub(crate) inners: Pool<Inner>,
    pub(crate) leaves: Pool<Leaf>,
    /// The hashes of subtrees that a proof leaves out, because no search entered them.
    pub(crate) pruned: Pool<Digest<32>>,
    /// The hash of the right sentinel.
    pub(crate) right: Digest<32>,
    pub(crate) hash: PhantomData<H>,
}

impl<H: NodeHash> Arena<H> {
    pub(crate) fn new() -> Self {
        Self {
            inners: Pool::default(),
            leaves: Pool::default(),
            pruned: Pool::default(),
            right: hash::right_sentinel::<H>(),
            hash: PhantomData,
        }
    }

    /// Returns the node with this id, or an error if the node was left out or is missing.
    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> Result<Node<'_>, ElidedNode> {
        match id.0 & KIND {
            INNER => self.inners.get(id.0).map(Node::Inner).ok_or(ElidedNode),
            LEAF => self
                .leaves
                .get(id.0 & !KIND)
                .map(Node::Leaf)
                .ok_or(ElidedNode),
            _ if id == NodeId::RIGHT => Ok(Node::Right),
            _ => Err(ElidedNode),
        }
    }

    /// Returns the inner node `id`, mutably, if it belongs to the running update.
    #[inline]
    pub(crate) fn fresh_inner(&mut self, id: NodeId) -> Option<&mut Inner> {
        if id.0 & KIND != INNER {
            return None;
        }
        self.inners.get_mut(id.0).filter(|inner| !inner.hashed)
    }

    /// Returns the leaf `id`, mutably, if it belongs to the running update.
    #[inline]
    pub(crate) fn fresh_leaf(&mut self, id: NodeId) -> Option<&mut Leaf> {
        if id.0 & KIND != LEAF {
            return None;
        }
        self.leaves
            .get_mut(id.0 & !KIND)
            .filter(|leaf| !leaf.hashed)
    }

    /// Returns the rank and hash of a linked node, which are an input of its parent's hash.
    pub(crate) fn child(&self, link: Link) -> Result<Child, ElidedNode> {
        Ok(Child {
            rank: link.rank,
            digest: self.digest(link.node)?,
        })
    }

    /// Returns the hash of a node; [`hash::EMPTY`] for [`NodeId::NONE`].
    #[inline]
    pub(crate) fn digest(&self, id: NodeId) -> Result<Digest<32>, ElidedNode> {
        let digest = match id.0 & KIND {
            INNER => self.inners.get(id.0).map(|inner| inner.digest),
            LEAF => self.leaves.get(id.0 & !KIND).map(|leaf| leaf.digest),
            PRUNED => self.pruned.get(id.0 & !KIND).copied(),
            _ if id == NodeId::RIGHT => Some(self.right),
            _ => Some(hash::EMPTY),
        };
        digest.ok_or(ElidedNode)
    }

    /// Whether a node is older than the running update, and so has its hash. True for the right
    /// sentinel, for subtrees that a proof left out, and for [`NodeId::NONE`].
    #[inline]
    pub(crate) fn is_hashed(&self, id: NodeId) -> bool {
        match id.0 & KIND {
            INNER => self.inners.get(id.0).is_none_or(|inner| inner.hashed),
            LEAF => self.leaves.get(id.0 & !KIND).is_none_or(|leaf| leaf.hashed),
            _ => true,
        }
    }

    pub(crate) fn add_inner(&mut self, inner: Inner) -> Result<NodeId, Full> {
        let index = self.inners.add(inner).ok_or(Full)?;
        id(INNER, index)
    }

    pub(crate) fn add_leaf(&mut self, leaf: Leaf) -> Result<NodeId, Full> {
        let index = self.leaves.add(leaf).ok_or(Full)?;
        id(LEAF, index)
    }

    pub(crate) fn add_pruned(&mut self, pruned: Digest<32>) -> Result<NodeId, Full> {
        let index = self.pruned.add(pruned).ok_or(Full)?;
        id(PRUNED, index)
    }

    /// Removes a node, and frees its slot for another one.
    pub(crate) fn remove(&mut self, id: NodeId) {
        match id.0 & KIND {
            INNER => self.inners.remove(id.0),
            LEAF => self.leaves.remove(id.0 & !KIND),
            _ => {}
        }
    }

    /// Computes and stores the hash of a node. Its children must have their hashes.
    pub(crate) fn seal(&mut self, id: NodeId) -> Result<(), ElidedNode> {
        match self.node(id)? {
            Node::Inner(inner) => {
                let below = self.child(inner.below())?;
                let after = self.child(inner.after())?;
                let digest = hash::inner::<H>(inner.level, below, after);
                if let Some(inner) = self.fresh_inner(id) {
                    *inner = inner.with_digest(digest);
                }
            }
            Node::Leaf(leaf) => {
                let after = self.child(leaf.after())?;
                let digest = hash::leaf::<H>(leaf.length, &leaf.tag_digest, after);
                if let Some(leaf) = self.fresh_leaf(id) {
                    *leaf = leaf.with_digest(digest);
                }
            }
            Node::Right => {}
        }
        Ok(())
    }
}

/// Returns the id of the node at `index` of the pool of its kind, [`INNER`] or [`LEAF`].
#[inline]
pub(crate) fn id(kind: u32, index: u32) -> Result<NodeId, Full> {
    // The last two values of the fourth kind are reserved; no kind with a pool reaches them.
    if index & KIND == 0 {
        Ok(NodeId(kind | index))
    } else {
        Err(Full)
    }
}
