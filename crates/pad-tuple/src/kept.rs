//! What a server keeps of a tuple, in memory.

use pad_core::{Key, Suite};

use crate::{content::Content, design::TupleId};

/// A tuple as a server keeps it; its lower end is in the index.
#[derive(Clone, Debug)]
pub(crate) struct KeptTuple<S: Suite> {
    pub(crate) upper: Option<Key>,
    pub(crate) content: Content<S>,
}

impl<S: Suite> KeptTuple<S> {
    /// The bytes that it takes beside itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        let upper = self.upper.as_ref();
        let upper = upper.map_or(0, |upper| upper.as_bytes().len());
        let value = match &self.content {
            Content::Value(value) => value.value.as_bytes().len() + size_of::<S::Digest>(),
            Content::Nothing | Content::Removed => 0,
        };
        upper + value
    }
}

/// A lower end from an index as a key; it was one unless somebody else wrote the index.
pub(crate) fn lower_end(lower: &[u8]) -> Option<Key> {
    Key::new(lower).ok()
}

/// The number of a tuple from an index.
pub(crate) fn read_number(bytes: &[u8]) -> Option<TupleId> {
    Some(TupleId(u32::from_le_bytes(bytes.try_into().ok()?)))
}
