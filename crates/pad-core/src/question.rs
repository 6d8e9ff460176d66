//! Questions about one version of a dictionary.
//!
//! A question and its [statement](crate::statement) have the same meaning under every family. A
//! family implements [`crate::family::Answers`] for each question that it supports.

use alloc::vec::Vec;
use core::fmt::Debug;

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

pub(crate) use crate::key_range::KeyRange;
use crate::{
    key::{Key, MAX_VALUE_LENGTH},
    statement::{Lookup, Lookups, Neighbour, RangeContents},
};

/// A question about one version of a dictionary.
pub trait Question: Clone + Debug {
    /// The statement that a verified answer establishes. It contains the question and the version.
    type Statement;

    /// The maximum number of values in an answer; `usize::MAX` if only the dictionary's contents
    /// limit it.
    fn most_values(&self) -> usize;

    /// The maximum length of the answer to this question, in bytes. Clients reject longer answers.
    /// At most 1 GiB.
    ///
    /// The maximum is [`Question::most_values`] (at least one) times the sum of the longest value
    /// and 1 MiB. The path or tuple that accompanies a value is shorter than 1 MiB.
    fn longest_answer(&self) -> usize {
        self.most_values()
            .max(1)
            .saturating_mul(MAX_VALUE_LENGTH.saturating_add(LONGEST_PATH))
            .min(LONGEST_ANSWER)
    }
}

/// The maximum length, in bytes, of an answer to any question. An answer about a range may contain
/// a whole dictionary.
const LONGEST_ANSWER: usize = 1 << 30;
/// The allowance for the path of one value, in bytes: a thousand times a path in a tree of a
/// million keys.
const LONGEST_PATH: usize = 1 << 20;

/// A question about one key: its value, or its absence.
impl Question for Key {
    type Statement = Lookup;

    fn most_values(&self) -> usize {
        1
    }
}

/// A question about several keys, answered with one proof. The keys are in strictly ascending
/// order, and there is at least one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys(#[serde(deserialize_with = "not_empty")] Vec<Key>);

/// Deserializes the keys of [`Keys`]. In messages, unlike in JSON, they must ascend, so that
/// nothing is sorted for a hostile message.
fn not_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Key>, D::Error> {
    let is_message = !deserializer.is_human_readable();
    let keys = Vec::<Key>::deserialize(deserializer)?;
    if is_message && !keys.is_sorted_by(|key, next| key < next) {
        return Err(D::Error::custom("the keys do not ascend"));
    }
    let keys = Keys::new(keys);
    let Keys(keys) = keys.ok_or_else(|| D::Error::custom("there is no key"))?;
    Ok(keys)
}

impl Keys {
    /// Creates the question for `keys`, which are sorted and deduplicated. `None` if `keys` is
    /// empty.
    pub fn new(mut keys: Vec<Key>) -> Option<Self> {
        keys.sort_unstable();
        keys.dedup();
        (!keys.is_empty()).then_some(Self(keys))
    }

    /// The keys in ascending order.
    pub fn as_slice(&self) -> &[Key] {
        &self.0
    }

    /// Whether `key` is one of the `n` keys. Time: `O(log n)`.
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

impl Question for KeyRange {
    type Statement = RangeContents;

    fn most_values(&self) -> usize {
        usize::MAX
    }
}

/// A question about the entry with the greatest key below the given key. The given key need not be
/// present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Predecessor(pub Key);

/// A question about the entry with the smallest key above the given key. The given key need not be
/// present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Successor(pub Key);

/// A question about the entry with the smallest key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct First;

/// A question about the entry with the greatest key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
