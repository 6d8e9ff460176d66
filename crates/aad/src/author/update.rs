//! What an author sends for each version: the entries that were appended, and the signed head.

use pad_core::Attachment;
use serde::{Deserialize, Serialize};

use crate::statement::Entry;

/// What an update of a log carries: everything that was appended, in order. Its operations are empty, as one batch may give
/// a key several values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Appended {
    /// The entries; members of sets have empty values.
    pub entries: Vec<Entry>,
}

impl Attachment for Appended {
    const UPDATE_KIND: u8 = 128;
}

/// The most entries that a server takes in one update.
pub const MOST_ENTRIES: usize = 1 << 20;
