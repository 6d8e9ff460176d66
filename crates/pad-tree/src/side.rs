//! The left or right side of a node.

/// The left or the right child of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The child with the smaller keys.
    Left,
    /// The child with the greater keys.
    Right,
}

impl Side {
    /// The opposite side.
    #[cfg(feature = "std")]
    #[inline]
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    #[cfg(feature = "std")]
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Left => 0,
            Self::Right => 1,
        }
    }

    /// Returns the right side if `right` is true, else the left side. Compiles without a branch.
    #[cfg(feature = "std")]
    #[inline]
    pub(crate) const fn right_if(right: bool) -> Self {
        if right { Self::Right } else { Self::Left }
    }
}
