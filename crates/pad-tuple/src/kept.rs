//! The tuples that a server keeps in memory.

use pad_core::{Key, Suite};

use crate::{content::SharedContent, design::TupleId, tuple::Content};

/// A tuple in a server's memory, without its lower end. The lower end is the key under which the
/// index lists the tuple.
#[derive(Clone, Debug)]
pub(crate) struct TupleEntry<S: Suite> {
    pub(crate) upper: Option<Key>,
    pub(crate) content: SharedContent<S>,
}

impl<S: Suite> TupleEntry<S> {
    /// Returns the heap memory of the tuple in bytes, including a value that other tuples share.
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

/// Decodes the number of a tuple, as stored in an index; `None` unless there are four bytes.
pub(crate) fn read_number(bytes: &[u8]) -> Option<TupleId> {
    Some(TupleId(u32::from_le_bytes(bytes.try_into().ok()?)))
}
