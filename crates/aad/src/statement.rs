//! What verified proofs establish. Each statement names its log, version and question.

use alloc::vec::Vec;

use pad_core::{DictionaryId, Key, Value, Version};
use serde::{Deserialize, Serialize};

/// What was appended: a key with a value, or a member of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The key, or the member.
    pub key: Key,
    /// The value; empty for a member of a set.
    pub value: Value,
}

impl Entry {
    /// A member of a set.
    pub fn member(key: Key) -> Self {
        let value = Value::default();
        Self { key, value }
    }
}

/// The complete multiset of a key's values: these, each as often as it stands here, and no other.
///
/// In an honest log they stand in the order in which they were appended; that is not proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// Which log.
    pub dictionary: DictionaryId,
    /// The version that was asked about.
    pub version: Version,
    /// The key that was asked for.
    pub key: Key,
    /// Its values; none if it is absent.
    pub values: Vec<Value>,
}

/// A set does not hold this member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Which log.
    pub dictionary: DictionaryId,
    /// The version that was asked about.
    pub version: Version,
    /// What is not a member.
    pub member: Key,
}

/// An entry was appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// Which log.
    pub dictionary: DictionaryId,
    /// The version that was asked about.
    pub version: Version,
    /// The entry.
    pub entry: Entry,
    /// Where it stands, from 0.
    pub position: u64,
    /// How often the log says that the pair had then been appended, this time included; 0 in sets. That the earlier ones exist
    /// is not proved.
    pub occurrence: u64,
}

/// A version of a log holds everything that an older version held, in the same places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grown {
    /// Which log.
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
