//! Links from a touched node to its children.

use crate::id::NodeId;

/// A child of a touched node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Link {
    /// The touched node at this position of the list.
    Touched(u32),
    /// A leaf, or an inner node with a known digest.
    Untouched(NodeId),
    /// The leaf of the operation at this position, while a batch is planned.
    Replaced(u32),
}
