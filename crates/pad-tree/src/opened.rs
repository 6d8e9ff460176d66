//! The leaves that a proof opens (contains), and which of them are neighbours in the tree.

use alloc::vec::Vec;

use pad_core::{Key, Suite, Value};
use serde::{Deserialize, Serialize};

/// A leaf that a proof contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct OpenedLeaf<S: Suite> {
    /// The key of the leaf.
    pub key: Key,
    /// The value of the leaf, or only its digest if the answer does not include the value.
    pub content: Content<S>,
}

/// The value of a leaf in a proof, or its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Content<S: Suite> {
    /// The digest of the value: the leaf only bounds the answer, for example next to an absent key.
    Digest(S::Digest),
    /// The value itself: the leaf is the answer or a part of it.
    Value(Value),
}

impl<S: Suite> OpenedLeaf<S> {
    /// The digest of the leaf's value, as stored or computed from the value.
    pub(crate) fn value_digest(&self) -> S::Digest {
        match &self.content {
            Content::Digest(digest) => *digest,
            Content::Value(value) => S::value(value.as_bytes()),
        }
    }
}

/// The opened leaves of a proof, once the proof was found to hash to the expected root.
#[derive(Debug)]
pub struct OpenedLeaves<S: Suite> {
    pub(crate) leaves: Vec<OpenedLeaf<S>>,
    pub(crate) places: Adjacency,
}

/// Positions of a proof's opened leaves: neighbours in the tree, and its ends.
#[derive(Debug)]
pub(crate) struct Adjacency {
    /// `adjacent[i]` tells whether the leaves `i` and `i + 1` are neighbours in the tree.
    pub(crate) adjacent: Vec<bool>,
    /// Whether the first opened leaf is the first leaf of the tree.
    pub(crate) at_start: bool,
    /// Whether the last opened leaf is the last leaf of the tree.
    pub(crate) at_end: bool,
}
