//! Ranges of keys.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use core::{cmp::Ordering, ops::Bound};

use crate::key::Key;

/// All entries from a key on (included), up to another (excluded).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// The smallest key in the range; `None` for the first entry.
    pub start: Option<Key>,
    /// The smallest key above the range; `None` for no limit.
    pub end: Option<Key>,
}

impl KeyRange {
    /// Every entry.
    pub const ALL: Self = Self {
        start: None,
        end: None,
    };

    /// Whether a key lies before (`Less`), in (`Equal`) or after (`Greater`) the range.
    pub fn place(&self, key: &[u8]) -> Ordering {
        if self
            .start
            .as_ref()
            .is_some_and(|start| key < start.as_bytes())
        {
            Ordering::Less
        } else if self.end.as_ref().is_some_and(|end| key >= end.as_bytes()) {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }

    /// Whether a key lies in the range.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.place(key).is_eq()
    }

    /// Whether this range can hold a key and is where another one begins: it starts where that one does, and ends there or
    /// before.
    pub fn is_beginning_of(&self, whole: &Self) -> bool {
        let ends_within = |end: &Key| whole.contains(end.as_bytes());
        self.is_valid()
            && self.start == whole.start
            && (self.end == whole.end || self.end.as_ref().is_some_and(ends_within))
    }

    /// Whether all keys of this range lie in another one.
    pub fn lies_in(&self, whole: &Self) -> bool {
        let starts_within = match (&self.start, &whole.start) {
            (Some(start), Some(whole)) => start >= whole,
            (None, Some(_)) => false,
            (_, None) => true,
        };
        let ends_within = match (&self.end, &whole.end) {
            (Some(end), Some(whole)) => end <= whole,
            (None, Some(_)) => false,
            (_, None) => true,
        };
        starts_within && ends_within
    }

    /// Whether the range can hold a key: its start is below its end.
    pub fn is_valid(&self) -> bool {
        match (&self.start, &self.end) {
            (Some(start), Some(end)) => start < end,
            _ => true,
        }
    }

    /// The range as bounds of byte strings.
    pub fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (
            self.start
                .as_ref()
                .map_or(Bound::Unbounded, |key| Bound::Included(key.as_bytes())),
            self.end
                .as_ref()
                .map_or(Bound::Unbounded, |key| Bound::Excluded(key.as_bytes())),
        )
    }
}
