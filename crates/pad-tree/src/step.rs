//! Steps of the check of a proof.

use pad_core::Suite;

use crate::opened::OpenedLeaf;

/// A step of the check. Each step computes the digest of a subtree from the proof and from earlier
/// steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<'p, S: Suite> {
    /// An opened leaf is hashed.
    Leaf {
        /// The leaf.
        leaf: &'p OpenedLeaf<S>,
        /// The digest of the leaf's value.
        value: S::Digest,
        /// The digest of the leaf.
        digest: S::Digest,
    },
    /// The latest subtree is the right child of a node whose left child is elided.
    LeftElided {
        /// The digest of the left child, from the proof.
        sibling: S::Digest,
        /// The digest of the node.
        digest: S::Digest,
    },
    /// The latest subtree is the left child of a node whose right child is elided.
    RightElided {
        /// The digest of the right child, from the proof.
        sibling: S::Digest,
        /// The digest of the node.
        digest: S::Digest,
    },
    /// The two latest subtrees are the children of a node. The last one is the left child.
    Joined {
        /// The digest of the left child.
        left: S::Digest,
        /// The digest of the right child.
        right: S::Digest,
        /// The digest of the node.
        digest: S::Digest,
        /// Whether nothing is elided between the opened leaves of the two subtrees, so that no key
        /// lies between them.
        adjacent: bool,
    },
    /// The proof opens no leaf, because the tree is empty.
    Empty {
        /// The root of a tree without entries.
        digest: S::Digest,
    },
}
