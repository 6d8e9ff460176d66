//! Statements: the verified answers to [questions](crate::question).

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    key::{Key, Value},
    key_range::KeyRange,
    version::Version,
};

/// The verified answer about one key in one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookup {
    /// The version that the answer is about.
    pub version: Version,
    /// The requested key.
    pub key: Key,
    /// The value of the key in this version, or its absence.
    pub answer: Answer,
}

impl Lookup {
    /// The value of the key; `None` if the key is absent.
    pub const fn value(&self) -> Option<&Value> {
        self.answer.value()
    }
}

/// A key's value in one version, or its absence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// The key has this value.
    Present(Value),
    /// The key is not in the dictionary.
    Absent,
}

impl Answer {
    /// The value of the key; `None` if the key is absent.
    pub const fn value(&self) -> Option<&Value> {
        match self {
            Self::Present(value) => Some(value),
            Self::Absent => None,
        }
    }
}

/// The verified answers about several keys in one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookups {
    /// The version that the answers are about.
    pub version: Version,
    /// Each requested key with its answer, in ascending order of keys.
    pub answers: Vec<(Key, Answer)>,
}

/// The verified, complete contents of a range of keys in one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeContents {
    /// The version that the contents belong to.
    pub version: Version,
    /// The requested range of keys.
    pub range: KeyRange,
    /// All entries of the range, in ascending order of keys.
    pub entries: Vec<(Key, Value)>,
}

/// The verified answer to a question about the order of keys in one version, for example about the
/// first entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour<Q> {
    /// The version that the answer is about.
    pub version: Version,
    /// The question: [`Predecessor`](crate::question::Predecessor) or
    /// [`Successor`](crate::question::Successor) of a key, [`First`](crate::question::First) or
    /// [`Last`](crate::question::Last) entry.
    pub question: Q,
    /// The entry, or `None` if the version contains no such entry.
    pub entry: Option<(Key, Value)>,
}
