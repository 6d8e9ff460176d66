//! What the check of a proof computes, step by step, for people who want to follow it.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use pad_core::{Suite, VerifyError};

use crate::{opened::OpenedLeaf, proof::TreeProof};

/// A step of the check: each makes the digest of a subtree out of what stands in the proof and of earlier steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<'p, S: Suite> {
    /// An opened leaf is hashed.
    Leaf {
        /// The leaf.
        leaf: &'p OpenedLeaf<S>,
        /// The digest of its value.
        value: S::Digest,
        /// Its digest.
        digest: S::Digest,
    },
    /// The subtree made last is the right child of a node whose left child is elided.
    LeftElided {
        /// The digest of the left child, from the proof.
        sibling: S::Digest,
        /// The digest of the node.
        digest: S::Digest,
    },
    /// The subtree made last is the left child of a node whose right child is elided.
    RightElided {
        /// The digest of the right child, from the proof.
        sibling: S::Digest,
        /// The digest of the node.
        digest: S::Digest,
    },
    /// The two subtrees made last are the children of a node, the last one the left.
    Joined {
        /// The digest of the left child.
        left: S::Digest,
        /// The digest of the right child.
        right: S::Digest,
        /// The digest of the node.
        digest: S::Digest,
        /// Whether nothing is elided between the opened leaves of the two: there are no keys between them.
        adjacent: bool,
    },
    /// The proof opens nothing: the tree is empty.
    Empty {
        /// The root of a tree without entries.
        digest: S::Digest,
    },
}

impl<S: Suite, Q> TreeProof<S, Q> {
    /// Says every step of the check against a root, those before a mistake too. What the opened leaves say about a question is not checked:
    /// [`pad_core::Proof::check`] does both.
    ///
    /// # Errors
    /// [`VerifyError`] if the proof is not one of this root.
    ///
    /// Time: that of the check.
    pub fn explain(
        &self,
        root: &S::Digest,
        note: &mut dyn FnMut(Step<'_, S>),
    ) -> Result<(), VerifyError> {
        self.recompute(root, note).map(drop)
    }

    /// The opened leaves from left to right.
    pub fn leaves(&self) -> &[OpenedLeaf<S>] {
        &self.leaves
    }
}
