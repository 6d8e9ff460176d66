//! What a verified answer to a [question](crate::question) establishes.

use alloc::vec::Vec;

use crate::{
    key::{Key, Value},
    question::KeyRange,
    version::Version,
};

/// What one version says about one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The version that was asked about.
    pub version: Version,
    /// The key that was asked for.
    pub key: Key,
    /// What the author signed for it.
    pub answer: Answer,
}

/// What a version says about a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The key has this value.
    Present(Value),
    /// The key is not in the dictionary.
    Absent,
}

impl Answer {
    /// The value, if the key is present.
    pub const fn value(&self) -> Option<&Value> {
        match self {
            Self::Present(value) => Some(value),
            Self::Absent => None,
        }
    }
}

/// What one version says about each of several keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookups {
    /// The version that was asked about.
    pub version: Version,
    /// Each key with its answer, in ascending order of keys.
    pub answers: Vec<(Key, Answer)>,
}

/// The contents of a range in one version: all of it, nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeContents {
    /// The version that was asked about.
    pub version: Version,
    /// The range that was asked for.
    pub range: KeyRange,
    /// The entries in ascending order of keys.
    pub entries: Vec<(Key, Value)>,
}

/// The entry at a place in the order of keys of one version, or that there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour<Q> {
    /// The version that was asked about.
    pub version: Version,
    /// The place that was asked for: below or above a key, first or last.
    pub question: Q,
    /// The entry, or `None` if there is none.
    pub entry: Option<(Key, Value)>,
}
