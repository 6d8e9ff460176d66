//! Where a touched node's child is.

use crate::id::NodeId;

/// A child of a touched node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Link {
    /// The touched node at this position of the list.
    Touched(u32),
    /// A leaf, or an inner node whose digest is known.
    Untouched(NodeId),
    /// While a batch is planned: the leaf of the operation at this position.
    Replaced(u32),
}
