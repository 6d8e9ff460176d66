//! Sets of nodes: hash sets with `std`, B-tree sets for a `no_std` verifier.

use super::arena::NodeId;

#[cfg(feature = "std")]
pub(super) type NodeSet = rustc_hash::FxHashSet<NodeId>;

#[cfg(not(feature = "std"))]
pub(super) type NodeSet = alloc::collections::BTreeSet<NodeId>;
