//! Indices of keys, entries and nodes: 32 bits each, with a type of its own for each kind.

use core::num::NonZeroU32;

pub(crate) use crate::side::Side;

/// The index of a key in the arena of keys and entries. The leaf and the separator with the same
/// key use the same index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub(crate) u32);

/// The index of an entry, that is, a key with one value, in the arena of keys and entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub(crate) u32);

/// The id of a node: a leaf (the index of its entry) or an inner node of a store.
///
/// The highest bit marks leaves. The id of an inner node is its index plus one. No id is 0, so an
/// `Option` of an id takes no more space than an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(NonZeroU32);

const _: () = assert!(size_of::<Option<NodeId>>() == 4);

/// The kind of node that a [`NodeId`] refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A leaf, identified by the entry that it contains.
    Leaf(EntryId),
    /// An inner node, identified by its index in the store.
    Inner(usize),
}

/// The bit that is set in the ids of leaves, and clear in the ids of inner nodes.
const LEAF: u32 = 1 << 31;
const LEAF_BIT: NonZeroU32 = NonZeroU32::MIN.saturating_add(LEAF - 1);

/// The largest index of an entry or inner node.
pub(crate) const MAX_INDEX: usize = to_usize(LEAF - 2);

impl NodeId {
    /// Returns the id of the leaf that contains `entry`.
    #[inline]
    pub const fn leaf(entry: EntryId) -> Self {
        Self(LEAF_BIT.saturating_add(entry.0))
    }

    /// Returns the id of the inner node at `index` of its store.
    #[inline]
    pub(crate) fn inner(index: usize) -> Self {
        Self(NonZeroU32::MIN.saturating_add(to_u32(index)))
    }

    /// Returns the kind of the node: leaf or inner node.
    #[inline]
    pub const fn kind(self) -> NodeKind {
        let number = self.0.get();
        if number & LEAF == 0 {
            NodeKind::Inner(to_usize(number - 1))
        } else {
            NodeKind::Leaf(EntryId(number & !LEAF))
        }
    }

    /// Whether this is an inner node.
    #[inline]
    pub const fn is_inner(self) -> bool {
        self.0.get() & LEAF == 0
    }

    /// Returns the index of an inner node. Callers must have checked that the node is an inner
    /// node.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        debug_assert!(self.is_inner());
        to_usize(self.0.get() - 1)
    }
}

impl EntryId {
    #[inline]
    pub(crate) const fn index(self) -> usize {
        to_usize(self.0)
    }
}

impl KeyId {
    #[inline]
    pub(crate) const fn index(self) -> usize {
        to_usize(self.0)
    }
}

/// Converts an index to `usize`. Does not compile for targets whose `usize` has fewer than 32 bits.
#[inline]
#[allow(
    clippy::as_conversions,
    reason = "`From` is not const, and a `usize` holds 32 bits here"
)]
pub(crate) const fn to_usize(index: u32) -> usize {
    const {
        assert!(
            usize::BITS >= u32::BITS,
            "indices of 32 bits need as large a usize"
        );
    };
    index as usize
}

/// Converts an index to 32 bits. This cannot fail, because the arenas refuse to grow beyond
/// [`MAX_INDEX`].
#[inline]
pub(crate) fn to_u32(index: usize) -> u32 {
    u32::try_from(index).expect("arena: indices stay below 2^31")
}

/// The two children of an inner node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Children(pub(crate) [NodeId; 2]);

impl Children {
    /// Creates the pair of a left and a right child.
    #[inline]
    pub const fn new(left: NodeId, right: NodeId) -> Self {
        Self([left, right])
    }

    /// Creates a pair of children: `child` on `side`, `sibling` on the other side.
    #[inline]
    #[must_use]
    pub const fn of(side: Side, child: NodeId, sibling: NodeId) -> Self {
        match side {
            Side::Left => Self([child, sibling]),
            Side::Right => Self([sibling, child]),
        }
    }

    /// The child on a side.
    #[inline]
    pub const fn on(self, side: Side) -> NodeId {
        self.0[side.index()]
    }

    /// Returns the pair with `child` on `side` and the other child unchanged.
    #[inline]
    #[must_use]
    pub const fn with(mut self, side: Side, child: NodeId) -> Self {
        self.0[side.index()] = child;
        self
    }

    /// The left child.
    #[inline]
    pub const fn left(self) -> NodeId {
        self.0[0]
    }

    /// The right child.
    #[inline]
    pub const fn right(self) -> NodeId {
        self.0[1]
    }
}
