//! The proof type of all tree dictionaries: a pruned tree, and its check.
//!
//! A proof opens some leaves and replaces all other subtrees by their digests (elides them). The
//! check recomputes the root. It also establishes where subtrees are elided: between which opened
//! leaves, and whether before the first or after the last one. A query then draws its conclusion
//! from the opened leaves.
//!
//! # Form
//!
//! A proof has three lists:
//!
//! - The *open* nodes (opened leaves and all their ancestors) in pre-order, two bits each. Codes: 0
//!   for a leaf, and for an inner node 1 with an elided left child, 2 with an elided right child, 3
//!   with two open children.
//! - The digests of the elided children in the order of their parents.
//! - The leaves from left to right.
//!
//! An inner node with two elided children would itself be elided, so it has no code. A given set of
//! leaves therefore has exactly one proof. The number of open nodes follows from the other two
//! lists: with `l` leaves and `d` digests, there are `d + 2 l - 1`.
//!
//! Codes are read backwards, children before parents, with a stack: no recursion.
//!
//! Source: Crosby & Wallach 2010, section 3 (lookup proof, figure 3), for entries in the leaves.

use alloc::{vec, vec::Vec};
use core::marker::PhantomData;

use pad_core::{
    Proof, Suite, VerifyError,
    codec::Message,
    internals::{Domain, SnapshotRoot},
};
use serde::{Deserialize, Serialize};

use crate::{
    opened::{Adjacency, OpenedLeaves},
    query::TreeQuery,
    step::Step,
};

pub use crate::opened::Content;
pub(crate) use crate::opened::OpenedLeaf;

/// The code, in the shape of a proof, of an opened leaf.
pub(crate) const LEAF: u8 = 0;
/// The code of an inner node whose left child is elided (replaced by its digest).
pub(crate) const LEFT_ELIDED: u8 = 1;
/// The code of an inner node whose right child is elided (replaced by its digest).
pub(crate) const RIGHT_ELIDED: u8 = 2;
/// The code of an inner node whose two children are both in the proof.
pub(crate) const BOTH_OPEN: u8 = 3;

/// A pruned tree as evidence for the answer to a query of type `Q`. It contains some leaves and
/// their ancestors, and the digests of all other subtrees next to them.
///
/// Size for a present key: one digest for each level of the tree, the leaf, and a few bytes. Time
/// of the check: one hash for each open inner node, and one or two for each leaf.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TreeProof<S: Suite, Q> {
    /// The codes of the nodes in pre-order: two bits each, four to a byte, lowest bits first,
    /// unused bits zero.
    #[serde(with = "pad_core::codec::bytes")]
    pub(crate) shape: Vec<u8>,
    /// The digests of the elided children (left out of the proof), in pre-order of their parents.
    #[serde(deserialize_with = "pad_core::codec::digests")]
    pub(crate) siblings: Vec<S::Digest>,
    /// The opened leaves from left to right.
    pub(crate) leaves: Vec<OpenedLeaf<S>>,
    #[serde(skip)]
    pub(crate) query: PhantomData<fn() -> Q>,
}

impl<S: Suite, Q: TreeQuery> Message for TreeProof<S, Q> {
    const KIND: u8 = Q::PROOF_KIND;
    const SUITE: u16 = S::ID.0;
    const INJECTIVE: bool = true;
}

/// Verified against the verified root of a version, for a query of type `Q`. The statement is the
/// answer to the query.
impl<S: Suite, Q: TreeQuery> Proof for TreeProof<S, Q> {
    type Commitment = dyn SnapshotRoot<S>;
    type Query = Q;
    type Statement = Q::Statement;
    type Error = VerifyError;

    fn check(self, snapshot: &dyn SnapshotRoot<S>, query: &Q) -> Result<Q::Statement, VerifyError> {
        self.check_noting(snapshot, query, &mut |_| {})
    }
}

impl<S: Suite, Q: TreeQuery> TreeProof<S, Q> {
    /// Checks the proof and reports each step to `note`. If the proof is rejected, the reported
    /// steps prove nothing, so the caller must discard them.
    pub(crate) fn check_noting<N: FnMut(Step<'_, S>) + ?Sized>(
        self,
        snapshot: &dyn SnapshotRoot<S>,
        query: &Q,
        note: &mut N,
    ) -> Result<Q::Statement, VerifyError> {
        let places = self.recompute(&snapshot.root(), note)?;
        check_contents(query, &self.leaves)?;
        let leaves = self.leaves;
        query.conclude(snapshot.version(), OpenedLeaves { leaves, places })
    }
}

/// The digest of an inner node, from the digests of its children.
fn node<S: Suite>(left: &S::Digest, right: &S::Digest) -> S::Digest {
    S::node(Domain::TreeNode, left, right)
}

/// The state that the check of a proof keeps for one subtree, in addition to its digest.
struct Subtree {
    first_leaf: usize,
    starts_elided: bool,
    ends_elided: bool,
}

impl Subtree {
    /// Creates the state for the opened leaf number `first_leaf`.
    const fn of_leaf(first_leaf: usize) -> Self {
        Self {
            first_leaf,
            starts_elided: false,
            ends_elided: false,
        }
    }
}

impl<S: Suite, Q> TreeProof<S, Q> {
    /// The size of the proof's body in bytes, as [`pad_core::codec::encode_body`] encodes it.
    #[doc(hidden)]
    pub fn body_length(&self) -> usize {
        pad_core::codec::body_length(self)
    }

    /// Recomputes the root, reports each step to `note`, and rejects any root other than `root`.
    /// Returns the adjacency of the leaves.
    pub(crate) fn recompute<N: FnMut(Step<'_, S>) + ?Sized>(
        &self,
        root: &S::Digest,
        note: &mut N,
    ) -> Result<Adjacency, VerifyError> {
        let Some(boundaries) = self.leaves.len().checked_sub(1) else {
            return self.recompute_empty(root, note);
        };
        if !self.leaves.is_sorted_by(|a, b| a.key < b.key) {
            return Err(VerifyError::UnorderedLeaves);
        }
        let mut adjacent = vec![false; boundaries];
        let mut siblings = self.siblings.iter().rev();
        let mut leaves = self.leaves.iter().enumerate().rev();
        // The subtree hashed last, and those to its right that wait for a common parent. A proof of
        // one leaf has none that wait, so it needs no memory for them.
        let mut last: Option<Subtree> = None;
        let mut digest = S::Digest::default();
        let mut waiting: Vec<(S::Digest, Subtree)> = Vec::new();
        for code in self.codes_backwards()? {
            match code {
                LEAF => {
                    let (first_leaf, leaf) = leaves.next().ok_or(VerifyError::MalformedShape)?;
                    let value = leaf.value_digest();
                    let right = last.replace(Subtree::of_leaf(first_leaf));
                    waiting.extend(right.map(|right| (digest, right)));
                    digest = S::leaf(leaf.key.as_bytes(), &value);
                    note(Step::Leaf {
                        leaf,
                        value,
                        digest,
                    });
                }
                LEFT_ELIDED | RIGHT_ELIDED => {
                    let open = last.as_mut().ok_or(VerifyError::MalformedShape)?;
                    let sibling = *siblings.next().ok_or(VerifyError::MalformedShape)?;
                    if code == LEFT_ELIDED {
                        digest = node::<S>(&sibling, &digest);
                        open.starts_elided = true;
                        note(Step::LeftElided { sibling, digest });
                    } else {
                        digest = node::<S>(&digest, &sibling);
                        open.ends_elided = true;
                        note(Step::RightElided { sibling, digest });
                    }
                }
                BOTH_OPEN => {
                    let left = last.take().ok_or(VerifyError::MalformedShape)?;
                    let (right_digest, right) = waiting.pop().ok_or(VerifyError::MalformedShape)?;
                    let boundary = right.first_leaf.checked_sub(1);
                    let between = boundary.and_then(|boundary| adjacent.get_mut(boundary));
                    let are_neighbours = !left.ends_elided && !right.starts_elided;
                    *between.ok_or(VerifyError::MalformedShape)? = are_neighbours;
                    let left_digest = digest;
                    digest = node::<S>(&left_digest, &right_digest);
                    note(Step::Joined {
                        left: left_digest,
                        right: right_digest,
                        digest,
                        adjacent: are_neighbours,
                    });
                    last = Some(Subtree {
                        first_leaf: left.first_leaf,
                        starts_elided: left.starts_elided,
                        ends_elided: right.ends_elided,
                    });
                }
                _ => return Err(VerifyError::MalformedShape),
            }
        }
        let whole = last.ok_or(VerifyError::MalformedShape)?;
        if !waiting.is_empty() || siblings.next().is_some() || leaves.next().is_some() {
            return Err(VerifyError::MalformedShape);
        }
        if digest != *root {
            return Err(VerifyError::RootMismatch);
        }
        Ok(Adjacency {
            adjacent,
            at_start: !whole.starts_elided,
            at_end: !whole.ends_elided,
        })
    }

    /// Checks a proof without leaves: `root` must be the root of an empty tree.
    fn recompute_empty<N: FnMut(Step<'_, S>) + ?Sized>(
        &self,
        root: &S::Digest,
        note: &mut N,
    ) -> Result<Adjacency, VerifyError> {
        if !self.shape.is_empty() || !self.siblings.is_empty() {
            return Err(VerifyError::MalformedShape);
        }
        let digest = S::empty_tree();
        note(Step::Empty { digest });
        if *root != digest {
            return Err(VerifyError::RootMismatch);
        }
        Ok(Adjacency {
            adjacent: Vec::new(),
            at_start: true,
            at_end: true,
        })
    }

    /// The two-bit codes of the proof's nodes, from the last to the first.
    fn codes_backwards(&self) -> Result<impl Iterator<Item = u8>, VerifyError> {
        let nodes = self
            .leaves
            .len()
            .checked_mul(2)
            .and_then(|twice| twice.checked_add(self.siblings.len())?.checked_sub(1))
            .ok_or(VerifyError::MalformedShape)?;
        if self.shape.len() != nodes.div_ceil(4) {
            return Err(VerifyError::MalformedShape);
        }
        let mut codes = self
            .shape
            .iter()
            .rev()
            .flat_map(|byte| [byte >> 6, (byte >> 4) & 3, (byte >> 2) & 3, byte & 3]);
        let unused = self.shape.len().saturating_mul(4).saturating_sub(nodes);
        for _ in 0..unused {
            if codes.next() != Some(0) {
                return Err(VerifyError::MalformedShape);
            }
        }
        Ok(codes)
    }
}

/// Checks that each leaf contains its value if the query needs it, and only the value's digest
/// otherwise.
fn check_contents<S: Suite, Q: TreeQuery>(
    query: &Q,
    leaves: &[OpenedLeaf<S>],
) -> Result<(), VerifyError> {
    for leaf in leaves {
        match (&leaf.content, query.reveals(leaf.key.as_bytes())) {
            (Content::Digest(_), true) => return Err(VerifyError::ValueMissing),
            (Content::Value(_), false) => return Err(VerifyError::ValueSurplus),
            _ => {}
        }
    }
    Ok(())
}
