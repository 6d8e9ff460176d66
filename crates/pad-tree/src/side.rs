//! Left and right.

/// One of two children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The child with the smaller keys.
    Left,
    /// The child with the greater keys.
    Right,
}

impl Side {
    /// The other side.
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

    /// Right if `right`, else left; compiles to no branch.
    #[cfg(feature = "std")]
    #[inline]
    pub(crate) const fn right_if(right: bool) -> Self {
        if right { Self::Right } else { Self::Left }
    }
}
