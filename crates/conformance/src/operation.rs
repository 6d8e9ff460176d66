//! What a trace consists of: puts, removals and snapshots.

use pad_core::{Dictionary, Key, Update, Value};

/// One step of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Set the value of a key.
    Put(Key, Value),
    /// Remove a key, present or not.
    Remove(Key),
    /// Publish.
    Snapshot,
}

/// Shorthand for a key; the bytes must be short enough.
pub fn key(bytes: impl AsRef<[u8]>) -> Key {
    Key::new(bytes.as_ref()).expect("a test's key fits")
}

/// Shorthand for a value; the bytes must be short enough.
pub fn value(bytes: impl AsRef<[u8]>) -> Value {
    Value::new(bytes.as_ref()).expect("a test's value fits")
}

impl Action {
    /// Does this to an author. Returns the update if it was a snapshot.
    pub fn apply<D>(&self, author: &mut D) -> Option<Update<D::Suite, D::Attachment>>
    where
        D: Dictionary,
        D::Error: core::fmt::Debug,
    {
        match self {
            Self::Put(key, value) => author.put(key.clone(), value.clone()),
            Self::Remove(key) => {
                author.remove(key);
            }
            Self::Snapshot => return Some(author.snapshot().expect("the signer signs")),
        }
        None
    }
}
