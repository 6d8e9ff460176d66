//! Links from a touched node (one whose digest must be recomputed) to its children.

use crate::id::NodeId;

/// A child of a touched node, that is, a node whose digest must be recomputed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Link {
    /// A touched node, by its position in the list of touched nodes.
    Touched(u32),
    /// A leaf, or an inner node with a known digest.
    Untouched(NodeId),
    /// A leaf whose value an operation replaces, by the operation's position in the batch. Only
    /// used while a batch is planned.
    Replaced(u32),
}
