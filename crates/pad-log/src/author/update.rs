//! The message that an author sends for each version: the appended entries, and the signed head.

use core::fmt;

use pad_core::internals::Attachment;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, SeqAccess, Visitor},
};

use crate::statement::Entry;

/// The attachment of a log's [`Update`](pad_core::Update): all entries that the version appends, in
/// order. The update's list of operations is empty, because one batch may append several values for
/// a key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Appended {
    /// The entries, at most [`MOST_ENTRIES`]. In a set, an entry is a member with an empty value.
    #[serde(deserialize_with = "read_entries")]
    pub entries: Vec<Entry>,
}

impl Attachment for Appended {
    const UPDATE_KIND: u8 = 128;
}

/// The maximum number of entries in one update. Authors accept no more for one version, and a
/// message with more is malformed.
pub const MOST_ENTRIES: usize = 1 << 20;

fn read_entries<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Entry>, D::Error> {
    deserializer.deserialize_seq(AtMost)
}

/// Deserializes a list of at most [`MOST_ENTRIES`] entries. Rejects a longer list without reading
/// all of it.
struct AtMost;

impl<'de> Visitor<'de> for AtMost {
    type Value = Vec<Entry>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "at most {MOST_ENTRIES} entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Entry>, A::Error> {
        let announced = list.size_hint().unwrap_or(0);
        if announced > MOST_ENTRIES {
            return Err(A::Error::invalid_length(announced, &self));
        }
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element()? {
            if entries.len() == MOST_ENTRIES {
                return Err(A::Error::invalid_length(MOST_ENTRIES + 1, &self));
            }
            entries.push(entry);
        }
        Ok(entries)
    }
}
