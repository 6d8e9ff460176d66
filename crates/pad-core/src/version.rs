//! Version numbers of snapshots.

use core::fmt;

use serde::{Deserialize, Serialize};

/// The number of a snapshot. Version 0 is the empty dictionary, and each snapshot adds 1.
///
/// Source: Crosby & Wallach 2010, section 2.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Version(u64);

impl Version {
    /// Version 0: the empty dictionary, before the first snapshot.
    pub const EMPTY: Self = Self(0);

    /// The version with this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// This version's number.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The version after this one, or `None` after the last representable number.
    pub const fn next(self) -> Option<Self> {
        match self.0.checked_add(1) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }

    /// The version before this one, or `None` for version 0.
    pub const fn previous(self) -> Option<Self> {
        match self.0.checked_sub(1) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
