//! Read access to one version of a part (a replica of one key range).

use core::{cell::Cell, cmp::Ordering};

use pad_core::{LookupError, Suite};

use super::nodes::{Inner, Leaf, Node, Nodes, Split};
use crate::{
    entries::Probe,
    opened::Content,
    search::{HashedTree, Opened, SearchTree},
    side::Side,
};

/// Read access to one version of a part. A search that reaches a missing node ends with
/// [`LookupError::NotKept`].
#[derive(Clone, Copy, Debug)]
pub(super) struct PartView<'p, S: Suite> {
    pub(super) nodes: &'p Nodes<S>,
    pub(super) root: S::Digest,
    /// Set to true when a search reads a leaf's value that the part does not store.
    pub(super) lacks_value: &'p Cell<bool>,
}

/// An inner node, and the boundary between the keys of its two children.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitNode<'p, S: Suite> {
    inner: &'p Inner<S>,
    split: &'p Split,
}

impl<'p, S: Suite> SearchTree for PartView<'p, S> {
    type Node = S::Digest;
    type Inner = SplitNode<'p, S>;
    type Leaf = &'p Leaf<S>;
    type Error = LookupError;

    fn top(self) -> Result<Option<S::Digest>, LookupError> {
        Ok((self.root != S::empty_tree()).then_some(self.root))
    }

    fn open(self, node: &S::Digest) -> Result<Opened<Self>, LookupError> {
        match self.nodes.get(node) {
            Some(Node::Leaf(leaf)) => Ok(Opened::Leaf(leaf)),
            Some(Node::Inner(inner)) => {
                // A search in the range needs only nodes that the walk has reached.
                let split = inner.split.as_ref().ok_or(LookupError::NotKept)?;
                Ok(Opened::Inner(SplitNode { inner, split }))
            }
            None => Err(LookupError::NotKept),
        }
    }

    fn branches(self, parted: &SplitNode<'p, S>) -> [S::Digest; 2] {
        parted.inner.children
    }

    fn side_of(self, probe: &Probe<'_>, parted: &SplitNode<'p, S>) -> Side {
        Side::right_if(!parted.split.is_above(probe.bytes()))
    }

    fn compare(self, probe: &Probe<'_>, leaf: &&'p Leaf<S>) -> Ordering {
        probe.bytes().cmp(&leaf.key)
    }

    fn is_below(self, leaf: &&'p Leaf<S>, parted: &SplitNode<'p, S>) -> bool {
        parted.split.is_above(&leaf.key)
    }

    fn is_before(self, left: &&'p Leaf<S>, right: &&'p Leaf<S>) -> bool {
        left.key < right.key
    }
}

impl<S: Suite> HashedTree for PartView<'_, S> {
    type Suite = S;

    fn digest(self, node: &S::Digest) -> S::Digest {
        *node
    }

    fn key<'l>(&'l self, leaf: &'l Self::Leaf) -> &'l [u8] {
        &leaf.key
    }

    /// The value of a leaf. If the leaf lacks its value, returns an empty value and sets
    /// `lacks_value`.
    fn value<'l>(&'l self, leaf: &'l Self::Leaf) -> &'l [u8] {
        match &leaf.content {
            Content::Value(value) => value.as_bytes(),
            Content::Digest(_) => {
                self.lacks_value.set(true);
                &[]
            }
        }
    }

    fn value_digest(&self, leaf: &Self::Leaf) -> S::Digest {
        match &leaf.content {
            Content::Value(value) => S::value(value.as_bytes()),
            Content::Digest(digest) => *digest,
        }
    }
}
