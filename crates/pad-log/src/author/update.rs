//! The message that an author sends for each version: the appended entries, and the signed head.

use pad_core::internals::{Attachment, sequence};
use serde::{Deserialize, Serialize};

use crate::statement::Entry;

/// The attachment of a log's [`Update`](pad_core::Update): all entries that the version appends, in
/// order. The update's list of operations is empty, because one batch may append several values for
/// a key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Appended {
    /// The entries, at most [`MOST_ENTRIES`]. In a set, an entry is a member with an empty value.
    #[serde(deserialize_with = "sequence::<_, _, MOST_ENTRIES>")]
    pub entries: Vec<Entry>,
}

impl Attachment for Appended {
    const UPDATE_KIND: u8 = 128;
}

/// The maximum number of entries in one update. Authors accept no more for one version, and a
/// message with more is malformed.
pub const MOST_ENTRIES: usize = 1 << 20;
