//! Sets of nodes: quick ones where there is a standard library, sorted ones for a verifier without.

use super::arena::NodeId;

#[cfg(feature = "std")]
pub(super) type NodeSet = rustc_hash::FxHashSet<NodeId>;

#[cfg(not(feature = "std"))]
pub(super) type NodeSet = alloc::collections::BTreeSet<NodeId>;
