//! Search by byte index: the one way down, for server and client alike.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use super::{
    arena::{Arena, Elided, Leaf, Link, Node, NodeId},
    hash::NodeHash,
};

/// The block that contains the byte at `index`, which is below the root's rank, and where it starts.
///
/// `visit` sees every node on the way. `None` if there is no such byte after all.
///
/// Source: section 2, search.
#[inline]
pub(super) fn search<H: NodeHash>(
    arena: &Arena<H>,
    root: Link,
    index: u64,
    mut visit: impl FnMut(NodeId),
) -> Result<Option<(u64, &Leaf)>, Elided> {
    let mut node = root.node;
    let mut rest = index;
    while !node.is_none() {
        let read = arena.node(node)?;
        visit(node);
        node = match read {
            Node::Inner(inner) => match rest.checked_sub(inner.below().rank) {
                None => inner.below().node,
                Some(beyond) => {
                    rest = beyond;
                    inner.after().node
                }
            },
            Node::Leaf(leaf) => match rest.checked_sub(leaf.length) {
                // `rest` never exceeds `index`.
                None => return Ok(index.checked_sub(rest).map(|start| (start, leaf))),
                Some(beyond) => {
                    rest = beyond;
                    leaf.after().node
                }
            },
            Node::Right => return Ok(None),
        };
    }
    Ok(None)
}
