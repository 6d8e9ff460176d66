//! What can be asked about one version of a dictionary.
//!
//! A question means the same under every family, and so does its [statement](crate::statement). Which
//! questions a family answers is said by its implementations of [`crate::family::Answers`].

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use alloc::vec::Vec;
use core::{cmp::Ordering, fmt::Debug, ops::Bound};

use crate::{
    key::{Key, MAX_VALUE_LENGTH},
    statement::{Lookup, Lookups, Neighbour, RangeContents},
};

/// A question about one version.
pub trait Question: Clone + Debug {
    /// What a verified answer establishes; it names the question and the version.
    type Statement;

    /// The most values that an answer can have; `usize::MAX` if the contents alone bound it.
    fn most_values(&self) -> usize;

    /// The longest answer that a client reads, in bytes: the values asked for, and for each of them more
    /// than any path or tuple beside it has. At most 1 GiB.
    fn longest_answer(&self) -> usize {
        self.most_values()
            .max(1)
            .saturating_mul(MAX_VALUE_LENGTH.saturating_add(LONGEST_PATH))
            .min(LONGEST_ANSWER)
    }
}

/// The longest answer that is read, in bytes: a range may hold a whole dictionary.
const LONGEST_ANSWER: usize = 1 << 30;
/// A thousand times the path in a tree of a million keys, in bytes.
const LONGEST_PATH: usize = 1 << 20;

/// The value of one key, or that there is none.
impl Question for Key {
    type Statement = Lookup;

    fn most_values(&self) -> usize {
        1
    }
}

/// The values of several keys at once, in strictly ascending order; at least one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys(Vec<Key>);

impl Keys {
    /// The question for these keys, in any order; repeated ones count once. `None` if there are none.
    pub fn new(mut keys: Vec<Key>) -> Option<Self> {
        keys.sort_unstable();
        keys.dedup();
        (!keys.is_empty()).then_some(Self(keys))
    }

    /// The keys in ascending order.
    pub fn as_slice(&self) -> &[Key] {
        &self.0
    }

    /// Whether a key is among them. Time: `O(log n)`.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.0
            .binary_search_by(|asked| asked.as_bytes().cmp(key))
            .is_ok()
    }
}

impl Question for Keys {
    type Statement = Lookups;

    fn most_values(&self) -> usize {
        self.0.len()
    }
}

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

impl Question for KeyRange {
    type Statement = RangeContents;

    fn most_values(&self) -> usize {
        usize::MAX
    }
}

/// The entry with the greatest key below this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predecessor(pub Key);

/// The entry with the smallest key above this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor(pub Key);

/// The entry with the smallest key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First;

/// The entry with the greatest key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last;

macro_rules! neighbours {
    ($($question:ty),+) => { $(
        impl Question for $question {
            type Statement = Neighbour<Self>;

            fn most_values(&self) -> usize {
                1
            }
        }
    )+ };
}

neighbours!(Predecessor, Successor, First, Last);
