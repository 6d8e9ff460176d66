//! Steps of a trace, which is a list of puts, removals and snapshots to apply to a dictionary.

use pad_core::{Dictionary, Key, Update, Value};

/// One step of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Sets the value of a key.
    Put(Key, Value),
    /// Removes a key, whether it is present or not.
    Remove(Key),
    /// Publishes the changes since the last snapshot as the next version.
    Snapshot,
}

/// Makes a key. Panics if the bytes are too long.
pub fn key(bytes: impl AsRef<[u8]>) -> Key {
    Key::new(bytes.as_ref()).expect("a test's key fits")
}

/// Makes a value. Panics if the bytes are too long.
pub fn value(bytes: impl AsRef<[u8]>) -> Value {
    Value::new(bytes.as_ref()).expect("a test's value fits")
}

impl Action {
    /// Applies this step to an author. Returns the author's update if the step is a snapshot,
    /// otherwise `None`.
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
