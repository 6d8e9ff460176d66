//! Red-black trees over separators.
//!
//! Invariants (leaves count as black):
//! 1. The root is black.
//! 2. A red node has two black children.
//! 3. Every path from the root to a leaf has the same number of black nodes.
//!
//! The scheme is not set-unique: the shape also depends on the order of operations. Source: Crosby
//! & Wallach 2010, section 3.1.3. The cases of insertion and removal follow Guibas & Sedgewick, in
//! bottom-up form. Recolouring creates no node and computes no hash: colours are not hashed, and
//! old versions never read them.

use core::cmp::Ordering;

use super::{
    BalancingScheme, Gap, LeafPair, NodeStore, Step, half_depth, relink, update_both, update_child,
};
use crate::{
    id::{Children, EntryId, NodeId},
    scheme::RedBlack,
};

/// The colour of an inner node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Color {
    /// Counts towards the black height, which is equal on all paths from the root to a leaf.
    #[default]
    Black,
    /// Does not count towards the black height. Both children are black.
    Red,
}

impl BalancingScheme for RedBlack {
    type Balance = Color;
    const RANKED: bool = false;

    fn to_bit(color: Color) -> bool {
        color == Color::Red
    }

    fn from_bit(bit: bool) -> Color {
        if bit { Color::Red } else { Color::Black }
    }

    fn rank(_: u64) -> u32 {
        0
    }

    fn insert<S: NodeStore<Scheme = Self>>(store: &mut S, path: &[Step], pair: LeafPair) -> NodeId {
        let children = Children::new(pair.low, pair.high);
        let mut child = store.create(pair.separator, Color::Red, children);
        let mut path = path;
        // `child` is red; only its parent may be red as well.
        while let [upper @ .., parent] = path {
            if !is_red(store, parent.node) {
                return relink(store, path, child);
            }
            let Some((grandparent, above)) = upper.split_last() else {
                unreachable!("red-black: the root is black");
            };
            let uncle = store
                .children(grandparent.node)
                .on(grandparent.side.other());
            if is_red(store, uncle) {
                store.set_balance(uncle, Color::Black);
                let parent_node = update_child(store, parent.node, parent.side, child);
                store.set_balance(parent_node, Color::Black);
                child = update_child(store, grandparent.node, grandparent.side, parent_node);
                store.set_balance(child, Color::Red);
                path = above;
            } else {
                let top = rotate_for_insert(store, *grandparent, *parent, child);
                return relink(store, above, top);
            }
        }
        store.set_balance(child, Color::Black);
        child
    }

    fn remove<S: NodeStore<Scheme = Self>>(
        store: &mut S,
        path: &[Step],
        _: EntryId,
    ) -> Result<NodeId, S::Fault> {
        let Some((parent, mut path)) = path.split_last() else {
            unreachable!("red-black: the last leaf is not removed by the scheme");
        };
        let mut child = store.children(parent.node).on(parent.side.other());
        let mut short = !is_red(store, parent.node);
        store.release(parent.node);
        if short && is_red(store, child) {
            store.set_balance(child, Color::Black);
            short = false;
        }
        // While `short`, the paths through `child` miss one black node.
        while short && let [above @ .., step] = path {
            (child, short) = lengthen(store, *step, child)?;
            path = above;
        }
        Ok(relink(store, path, child))
    }

    /// Returns the height and colour of a gap in a bulk build. The middle gap of all leaves is the
    /// root, and both halves are built in the same way, the larger one on the left.
    ///
    /// The leaves are then at one depth or at two neighbouring depths. With two depths, the inner
    /// nodes of the deepest level are red.
    fn gap(_: u32, place: u64, leaves: u64) -> Gap<Color> {
        let (mut place, mut size, mut depth) = (place, leaves, 0);
        loop {
            let half = size.div_ceil(2);
            match place.cmp(&half) {
                Ordering::Less if size > 1 => size = half,
                Ordering::Greater if size > 1 => {
                    place -= half;
                    size -= half;
                }
                _ => break,
            }
            depth += 1;
        }
        let is_deepest = leaves.checked_ilog2() == Some(depth);
        Gap {
            height: u32::MAX - depth,
            balance: if is_deepest { Color::Red } else { Color::Black },
        }
    }

    /// The black height: the number of black inner nodes on each path from `node` to a leaf. `None`
    /// if the paths differ, or if a red node has a red child.
    fn shape<S: NodeStore<Scheme = Self>>(
        store: &S,
        node: NodeId,
        [left, right]: [u32; 2],
    ) -> Option<u32> {
        let red = is_red(store, node);
        let red_below = store
            .children(node)
            .0
            .into_iter()
            .any(|child| is_red(store, child));
        let fits = left == right && !(red && red_below);
        fits.then_some(left + u32::from(!red))
    }

    fn is_root<S: NodeStore<Scheme = Self>>(store: &S, root: NodeId) -> bool {
        !is_red(store, root)
    }

    fn in_median_layer(_: u32, depth: u32, population: usize) -> bool {
        depth == half_depth(population)
    }
}

fn is_red<S: NodeStore<Scheme = RedBlack>>(store: &S, node: NodeId) -> bool {
    node.is_inner() && store.balance(node) == Color::Red
}

/// Repairs an insertion by rotation: `child` and its parent are red, and the parent's sibling is
/// black. Returns the new top of the subtree, which is black.
fn rotate_for_insert<S: NodeStore<Scheme = RedBlack>>(
    store: &mut S,
    grandparent: Step,
    parent: Step,
    child: NodeId,
) -> NodeId {
    let outer = grandparent.side;
    let (top, high, middle) = if parent.side == outer {
        let middle = store.children(parent.node).on(outer.other());
        (parent.node, child, middle)
    } else {
        let grandchildren = store.children(child);
        let high = update_child(store, parent.node, parent.side, grandchildren.on(outer));
        (child, high, grandchildren.on(outer.other()))
    };
    let low = update_child(store, grandparent.node, outer, middle);
    store.set_balance(low, Color::Red);
    let top = update_both(store, top, outer, high, low);
    store.set_balance(top, Color::Black);
    top
}

/// Links `child` below `step.node`, on `step.side`. Paths through `child` have one black node too
/// few. Returns the repaired subtree, and whether its paths still have one black node too few.
fn lengthen<S: NodeStore<Scheme = RedBlack>>(
    store: &mut S,
    step: Step,
    child: NodeId,
) -> Result<(NodeId, bool), S::Fault> {
    let Step { node: parent, side } = step;
    let sibling = store.fetch(parent, side.other())?;
    if !is_red(store, sibling) {
        let color = store.balance(parent);
        return lengthen_beside_black(store, step, child, sibling, color);
    }
    // The sibling is red, so the parent is black: rotate the sibling above it first.
    let near = store.fetch(sibling, side)?;
    let far = store.children(sibling).on(side.other());
    let (low, _) = lengthen_beside_black(store, step, child, near, Color::Red)?;
    let top = update_both(store, sibling, side, low, far);
    store.set_balance(top, Color::Black);
    Ok((top, false))
}

/// Performs the repair of [`lengthen`] if the sibling of `child` is black. The top of the new
/// subtree has the colour `color` of the old parent.
fn lengthen_beside_black<S: NodeStore<Scheme = RedBlack>>(
    store: &mut S,
    step: Step,
    child: NodeId,
    sibling: NodeId,
    color: Color,
) -> Result<(NodeId, bool), S::Fault> {
    let Step { node: parent, side } = step;
    if !sibling.is_inner() {
        // In a valid tree, `sibling` is an inner node. Balances in a log are not hashed, and one of
        // them is false here.
        return Ok((update_both(store, parent, side, child, sibling), false));
    }
    let nephews = store.children(sibling);
    let (near, far) = (nephews.on(side), nephews.on(side.other()));
    Ok(if is_red(store, far) {
        store.set_balance(far, Color::Black);
        let low = update_both(store, parent, side, child, near);
        store.set_balance(low, Color::Black);
        let top = update_both(store, sibling, side, low, far);
        store.set_balance(top, color);
        (top, false)
    } else if is_red(store, near) {
        let near = store.fetch(sibling, side)?;
        let inner = store.children(near);
        let low = update_both(store, parent, side, child, inner.on(side));
        store.set_balance(low, Color::Black);
        let high = update_both(store, sibling, side, inner.on(side.other()), far);
        let top = update_both(store, near, side, low, high);
        store.set_balance(top, color);
        (top, false)
    } else {
        store.set_balance(sibling, Color::Red);
        let top = update_both(store, parent, side, child, sibling);
        store.set_balance(top, Color::Black);
        (top, color == Color::Black)
    })
}
