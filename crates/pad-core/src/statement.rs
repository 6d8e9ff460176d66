//! Statements, established by verified answers to [questions](crate::question).

use alloc::vec::Vec;

use crate::{
    key::{Key, Value},
    key_range::KeyRange,
    version::Version,
};

/// The answer about one key in one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The version in question.
    pub version: Version,
    /// The key that was asked for.
    pub key: Key,
    /// The signed value, or absence.
    pub answer: Answer,
}

impl Lookup {
    /// The value, if the key is present.
    pub const fn value(&self) -> Option<&Value> {
        self.answer.value()
    }
}

/// A key's value in one version, or its absence.
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

/// The answers about several keys in one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookups {
    /// The version in question.
    pub version: Version,
    /// Each key with its answer, in ascending order of keys.
    pub answers: Vec<(Key, Answer)>,
}

/// The complete contents of a range in one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeContents {
    /// The version in question.
    pub version: Version,
    /// The range that was asked for.
    pub range: KeyRange,
    /// The entries in ascending order of keys.
    pub entries: Vec<(Key, Value)>,
}

/// The entry at a position in the key order of one version, or its absence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour<Q> {
    /// The version in question.
    pub version: Version,
    /// The position that was asked for: below or above a key, first or last.
    pub question: Q,
    /// The entry, or `None` if there is none.
    pub entry: Option<(Key, Value)>,
}
