//! The leaves that a proof opens, and their known adjacency.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use alloc::vec::Vec;

use pad_core::{Key, Suite, Value};
use serde::{Deserialize, Serialize};

/// A leaf that a proof contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct OpenedLeaf<S: Suite> {
    /// The key.
    pub key: Key,
    /// The value, or its digest where only the key matters.
    pub content: Content<S>,
}

/// The value of a leaf in a proof, or its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Content<S: Suite> {
    /// The digest: the leaf only bounds the answer.
    Digest(S::Digest),
    /// The value: the leaf is the answer or a part of it.
    Value(Value),
}

impl<S: Suite> OpenedLeaf<S> {
    /// The digest of the leaf's value.
    pub(crate) fn value_digest(&self) -> S::Digest {
        match &self.content {
            Content::Digest(digest) => *digest,
            Content::Value(value) => S::value(value.as_bytes()),
        }
    }
}

/// The opened leaves of a proof that hashes to the expected root.
#[derive(Debug)]
pub struct OpenedLeaves<S: Suite> {
    pub(crate) leaves: Vec<OpenedLeaf<S>>,
    /// Whether the leaves `i` and `i + 1` are neighbours in the tree.
    pub(crate) adjacent: Vec<bool>,
    /// Whether the first opened leaf is the first of the tree.
    pub(crate) at_start: bool,
    /// Whether the last opened leaf is the last of the tree.
    pub(crate) at_end: bool,
}
