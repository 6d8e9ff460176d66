//! The shape of a log: the perfect binary trees over its elements.
//!
//! The shape follows from the number of elements and three numbers of the log's setup: level of
//! blocks, top level and schedule. A proof states only the number of elements, which the digest
//! covers.

#![deny(clippy::arithmetic_side_effects)]

/// The address of a node in the forest of trees over a log's elements. The node covers the
/// `2^level` positions from `index * 2^level` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// The height of the node above single elements, which have level 0. At most
    /// [`Shape::GREATEST_LEVEL`].
    pub level: u8,
    /// The number of nodes of this level to the left of the node.
    pub index: u64,
}

impl Address {
    /// The node of this level that covers a position.
    pub const fn holding(level: u8, position: u64) -> Self {
        let index = match position.checked_shr(widen(level)) {
            Some(index) => index,
            None => 0,
        };
        Self { level, index }
    }

    /// The number of positions that the node covers.
    pub const fn width(self) -> u64 {
        match 1_u64.checked_shl(widen(self.level)) {
            Some(width) => width,
            None => u64::MAX,
        }
    }

    /// The first position that the node covers.
    pub const fn start(self) -> u64 {
        self.index.saturating_mul(self.width())
    }

    /// The position after the last one that the node covers.
    pub const fn end(self) -> u64 {
        self.index.saturating_add(1).saturating_mul(self.width())
    }

    /// The left and the right child of the node, or `None` for a node of level 0.
    pub const fn children(self) -> Option<(Self, Self)> {
        let Some(level) = self.level.checked_sub(1) else {
            return None;
        };
        let index = self.index.saturating_mul(2);
        let left = Self { level, index };
        let index = index.saturating_add(1);
        Some((left, Self { level, index }))
    }
}

/// Determines when digests and proofs first use a node above the blocks: as soon as its elements
/// are complete, or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// A node is used as soon as its last element is appended. Proofs are shortest. An append that
    /// completes a large tree does all work of that tree.
    Eager,
    /// A node of `n` elements is first used `n` appends after its last element. The work can be
    /// spread over these appends. Proofs are about twice as long.
    Deferred,
}

impl Schedule {
    /// Returns the schedule with this [`Self::number`], or `None` if there is no such schedule.
    #[doc(hidden)]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Eager),
            1 => Some(Self::Deferred),
            _ => None,
        }
    }

    /// The number that identifies this schedule in key files and in the label from which a log's id
    /// is derived.
    #[doc(hidden)]
    pub const fn number(self) -> u8 {
        match self {
            Self::Eager => 0,
            Self::Deferred => 1,
        }
    }
}

/// The arrangement of a log's elements in perfect binary trees, for every size of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    block_level: u8,
    top_level: u8,
    schedule: Schedule,
}

impl Shape {
    /// The level of blocks in the trees, which key files state. Blocks are aligned runs of eight
    /// elements that proofs include in full. Accumulators begin at this level.
    #[doc(hidden)]
    pub const BLOCK_LEVEL: u8 = 3;
    /// The greatest level of any log's trees.
    pub const GREATEST_LEVEL: u8 = 32;
    /// Exclusive upper bound of the number of elements of a log.
    pub const SIZE_LIMIT: u64 = 1 << 48;

    /// Creates the shape of a log with trees of up to `2^top_level` elements. Returns `None` unless
    /// `top_level` is 4 to 32.
    pub const fn new(top_level: u8, schedule: Schedule) -> Option<Self> {
        Self::with_blocks(Self::BLOCK_LEVEL, top_level, schedule)
    }

    /// Like [`Shape::new`], but with blocks of level `block_level` instead of
    /// [`Shape::BLOCK_LEVEL`]. The two differ only in tests.
    pub(crate) const fn with_blocks(
        block_level: u8,
        top_level: u8,
        schedule: Schedule,
    ) -> Option<Self> {
        if top_level <= block_level || top_level > Self::GREATEST_LEVEL {
            return None;
        }
        Some(Self {
            block_level,
            top_level,
            schedule,
        })
    }

    /// The level of blocks. It is [`Shape::BLOCK_LEVEL`], except in tests.
    #[doc(hidden)]
    pub const fn block_level(self) -> u8 {
        self.block_level
    }

    /// The level of the roots of the largest trees, which have `2^top_level` elements.
    pub const fn top_level(self) -> u8 {
        self.top_level
    }

    /// The schedule that states when a node above the blocks is first used.
    pub const fn schedule(self) -> Schedule {
        self.schedule
    }

    /// Whether digests and proofs of a log of `size` elements may use a node.
    #[doc(hidden)]
    pub const fn is_available(self, node: Address, size: u64) -> bool {
        size >= self.available_from(node)
    }

    /// The smallest size of a log whose digests and proofs may use a node.
    #[doc(hidden)]
    pub const fn available_from(self, node: Address) -> u64 {
        let delay = match self.schedule {
            Schedule::Deferred if node.level > self.block_level => node.width(),
            _ => 0,
        };
        node.end().saturating_add(delay)
    }

    /// Whether a node has an accumulator, which its hash covers.
    pub(crate) const fn is_sealed(self, node: Address) -> bool {
        node.level >= self.block_level
    }

    /// Returns whether a look-up contains evidence about the tree of this root, instead of all its
    /// elements. Trees at or below the blocks' level are included in full. Blocks of one element
    /// are proved like larger trees.
    pub(crate) const fn is_proved(self, root: Address) -> bool {
        root.level > self.block_level || self.block_level == 0
    }

    /// The block that covers a position.
    pub(crate) const fn block_holding(self, position: u64) -> Address {
        Address::holding(self.block_level, position)
    }

    /// The root of the tree that covers `position` in a log of `size` elements. `position` must be
    /// below `size`.
    ///
    /// Time: linear in the number of levels.
    #[doc(hidden)]
    pub fn root_holding(self, position: u64, size: u64) -> Address {
        (0..=self.top_level)
            .rev()
            .map(|level| Address::holding(level, position))
            .find(|node| self.is_available(*node, size))
            .unwrap_or(Address::holding(0, position))
    }

    /// Whether a node is the root of a tree in a log of `size` elements.
    #[doc(hidden)]
    pub fn is_root(self, node: Address, size: u64) -> bool {
        node.start() < size && self.root_holding(node.start(), size) == node
    }

    /// Iterates over the roots of the trees of a log of `size` elements, from left to right. Starts
    /// with the root whose tree starts at `position`.
    ///
    /// The iterator is lazy, because an untrusted `size` may be huge.
    pub fn forest_from(self, position: u64, size: u64) -> impl Iterator<Item = Address> {
        let root = move |position| (position < size).then(|| self.root_holding(position, size));
        core::iter::successors(root(position), move |previous| root(previous.end()))
    }

    /// Iterates over the roots of the trees of a log of `size` elements, from left to right: see
    /// [`Shape::forest_from`].
    #[doc(hidden)]
    pub fn forest(self, size: u64) -> impl Iterator<Item = Address> {
        self.forest_from(0, size)
    }

    /// Whether a proof of `length` bytes can be about trees that cover `positions` positions. Each
    /// tree of the greatest size takes 32 bytes of a proof.
    pub fn is_plausible(self, positions: u64, length: usize) -> bool {
        let trees = Address::holding(self.top_level, positions).index;
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        positions < Self::SIZE_LIMIT && trees.saturating_mul(32) <= length
    }
}

/// Converts a level to `u32` in a `const fn`, which cannot call `u32::from`.
#[expect(clippy::as_conversions, reason = "widening in a const fn")]
const fn widen(level: u8) -> u32 {
    level as u32
}

#[cfg(test)]
mod tests;
