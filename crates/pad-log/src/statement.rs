//! Statements, established by verified proofs. Each contains its log, version and query.

use alloc::vec::Vec;

use pad_core::{DictionaryId, Key, Value, Version};
use serde::{Deserialize, Serialize};

/// An appended entry: a key with a value, or a member of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The key, or the member.
    pub key: Key,
    /// The value; empty for a member of a set.
    pub value: Value,
}

impl Entry {
    /// Creates an entry for a member of a set.
    pub fn member(key: Key) -> Self {
        let value = Value::default();
        Self { key, value }
    }
}

/// The complete multiset of a key's values.
///
/// An honest log lists the values in the order in which they were appended. The proof does not
/// cover that order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// The log's dictionary id.
    pub dictionary: DictionaryId,
    /// The version that was queried.
    pub version: Version,
    /// The key that was looked up.
    pub key: Key,
    /// All values of the key; empty if the key is absent.
    pub values: Vec<Value>,
}

/// Absence of a member from a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// The log's dictionary id.
    pub dictionary: DictionaryId,
    /// The version that was queried.
    pub version: Version,
    /// The absent member.
    pub member: Key,
}

/// Inclusion of an entry in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// The log's dictionary id.
    pub dictionary: DictionaryId,
    /// The version that was queried.
    pub version: Version,
    /// The entry.
    pub entry: Entry,
    /// The position in the log, from 0.
    pub position: u64,
    /// Number of times that the pair had been appended, this time included, according to the log; 0
    /// in sets. The proof does not cover the earlier occurrences.
    pub occurrence: u64,
}

/// Growth of a log: the newer version contains all elements of the older version, at the same
/// positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grown {
    /// The log's dictionary id.
    pub dictionary: DictionaryId,
    /// The older version.
    pub from: Version,
    /// The newer version.
    pub to: Version,
    /// The number of elements in the older version.
    pub from_size: u64,
    /// The number of elements in the newer version.
    pub to_size: u64,
}
