//! Steps of the check of a proof, for traces and for replicas that store verified nodes.

use pad_core::Suite;

use crate::opened::OpenedLeaf;

/// One step of the check of a proof. Each step computes the digest of a subtree from the proof and
/// from the results of earlier steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<'p, S: Suite> {
    /// A leaf in the proof is hashed.
    Leaf {
        /// The leaf that is hashed.
        leaf: &'p OpenedLeaf<S>,
        /// The digest of the leaf's value.
        value: S::Digest,
        /// The digest of the leaf.
        digest: S::Digest,
    },
    /// A node is hashed whose left child is elided: the proof contains only its digest. Its right
    /// child is the subtree of the latest step.
    LeftElided {
        /// The digest of the left child, from the proof.
        sibling: S::Digest,
        /// The computed digest of the node.
        digest: S::Digest,
    },
    /// A node is hashed whose right child is elided: the proof contains only its digest. Its left
    /// child is the subtree of the latest step.
    RightElided {
        /// The digest of the right child, from the proof.
        sibling: S::Digest,
        /// The computed digest of the node.
        digest: S::Digest,
    },
    /// A node is hashed whose children are the two latest subtrees without a parent. The later of
    /// the two is the left child.
    Joined {
        /// The digest of the left child.
        left: S::Digest,
        /// The digest of the right child.
        right: S::Digest,
        /// The computed digest of the node.
        digest: S::Digest,
        /// Whether nothing is elided between the last leaf of the left subtree and the first leaf
        /// of the right one. Then no key lies between these two leaves.
        adjacent: bool,
    },
    /// The proof contains no leaf, because the tree is empty.
    Empty {
        /// The root of a tree without entries.
        digest: S::Digest,
    },
}
