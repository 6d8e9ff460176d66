//! Statements about a log that a client obtains by verifying proofs. Each contains its log, version
//! and query.

use alloc::vec::Vec;

use pad_core::{DictionaryId, Key, Value, Version};
use serde::{Deserialize, Serialize};

/// An appended entry: a key with a value, or a member of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The key of the value; in a set, the member.
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

/// States which values a key has in one version of a log: exactly these, and no others.
///
/// An honest log lists the values in the order in which they were appended. The proof does not
/// cover that order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Values {
    /// The dictionary id of the log that the statement is about.
    pub dictionary: DictionaryId,
    /// The version of the log that the statement is about.
    pub version: Version,
    /// The key that was looked up.
    pub key: Key,
    /// All values of the key; empty if the key is absent.
    pub values: Vec<Value>,
}

/// States that a member is absent from one version of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absent {
    /// The dictionary id of the log that the statement is about.
    pub dictionary: DictionaryId,
    /// The version of the set that the statement is about.
    pub version: Version,
    /// The absent member.
    pub member: Key,
}

/// States that one version of a log contains an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Included {
    /// The dictionary id of the log that the statement is about.
    pub dictionary: DictionaryId,
    /// The version of the log that the statement is about.
    pub version: Version,
    /// The entry that the log contains.
    pub entry: Entry,
    /// The position of the entry in the log, from 0.
    pub position: u64,
    /// Number of times that this pair of key and value was appended up to this position, inclusive,
    /// according to the log; 0 in sets. The proof does not cover the earlier occurrences.
    pub occurrence: u64,
}

/// States that a log only grew between two versions: the newer version contains all elements of the
/// older version, at the same positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grown {
    /// The dictionary id of the log that the statement is about.
    pub dictionary: DictionaryId,
    /// The number of the older version.
    pub from: Version,
    /// The number of the newer version.
    pub to: Version,
    /// The number of elements in the older version.
    pub from_size: u64,
    /// The number of elements in the newer version.
    pub to_size: u64,
}
