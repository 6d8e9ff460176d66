//! A tree in the paper's layout: entries in all nodes, and `x.H = H(x.key, H(x.value), x.left.H,
//! x.right.H)`.
//!
//! The trees of this workspace have their entries in the leaves. This module measures the costs and
//! savings of the paper's layout for table 3.
//!
//! Trees are in memory, over path copying: a tree is a root, and versions share subtrees. There are
//! only insertions, as in the growing microbenchmark.
//!
//! Source: Crosby & Wallach 2010, sections 3 and 3.2, table 3.

#![allow(clippy::ref_option, reason = "an empty tree is a tree too")]

use std::sync::{Arc, OnceLock};

use pad_core::{Key, Suite, Value, internals::Domain};

mod balance;
mod measure;
mod proof;

pub use balance::{Balance, RedBlack, Treap};
pub use measure::{SCHEMES, measure};
pub use proof::{PathProof, ProofError};

/// Node of a tree in the paper's layout: an entry, and the subtrees on its left and right.
#[derive(Clone, Debug)]
pub struct Node<S: Suite> {
    key: Key,
    value: Value,
    /// Colour (red-black tree) or priority (treap) of the node. Digests do not cover it.
    pub balance: u64,
    /// Subtree of smaller keys.
    pub left: Tree<S>,
    /// Subtree of larger keys.
    pub right: Tree<S>,
    /// `H(value)`, and the authenticator of the subtree under this node. Computed on first use.
    digests: OnceLock<(S::Digest, S::Digest)>,
}

/// Root of a tree or subtree; `None` if it is empty.
pub type Tree<S> = Option<Arc<Node<S>>>;

impl<S: Suite> Node<S> {
    /// Creates a node with an entry above two subtrees.
    fn create(entry: (&Key, &Value), balance: u64, left: Tree<S>, right: Tree<S>) -> Arc<Self> {
        Arc::new(Self {
            key: entry.0.clone(),
            value: entry.1.clone(),
            balance,
            left,
            right,
            digests: OnceLock::new(),
        })
    }

    /// Returns a node with this node's entry above other subtrees.
    fn with(&self, balance: u64, left: Tree<S>, right: Tree<S>) -> Arc<Self> {
        Self::create((&self.key, &self.value), balance, left, right)
    }

    fn value_digest(&self) -> S::Digest {
        self.digests().0
    }

    fn digests(&self) -> (S::Digest, S::Digest) {
        *self.digests.get_or_init(|| {
            let value = S::value(self.value.as_bytes());
            let below = [&self.left, &self.right].map(authenticator);
            (value, combine::<S>(&self.key, &value, &below))
        })
    }

    /// Returns the bytes of a node in memory, without the contents of key and value.
    const fn bytes() -> usize {
        // The counts of an `Arc`; keys and values are boxed.
        size_of::<Self>() + 2 * size_of::<usize>()
    }
}

/// Returns the authenticator (digest) of a subtree; zeros for an empty one.
pub fn authenticator<S: Suite>(tree: &Tree<S>) -> S::Digest {
    tree.as_ref()
        .map_or_else(S::Digest::default, |node| node.digests().1)
}

/// Returns the authenticator `H(key, H(value), left.H, right.H)` of a node. The encoding is
/// injective, because all parts except the key have a fixed width.
fn combine<S: Suite>(key: &Key, value: &S::Digest, [left, right]: &[S::Digest; 2]) -> S::Digest {
    let parts = [
        key.as_bytes(),
        value.as_ref(),
        left.as_ref(),
        right.as_ref(),
    ];
    S::hash(Domain::TreeLeaf, &parts)
}
