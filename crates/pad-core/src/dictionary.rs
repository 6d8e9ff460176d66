//! The author's side: the trait of a dictionary that its author changes and signs.

use crate::{
    head::{Authority, SignedHead},
    key::{Key, Value},
    suite::Suite,
    update::{Attachment, Update},
    version::Version,
};

/// A dictionary whose author changes it and publishes signed snapshots.
///
/// Laws:
///
/// * `put` and `remove` take effect for `get` immediately, and for servers and clients with the
///   next snapshot.
/// * `snapshot` raises the version by exactly one, even without changes.
/// * An author never signs two different heads for one version.
///
/// Source: Crosby & Wallach 2010, section 2.
pub trait Dictionary {
    /// Hash, digest width and signature.
    type Suite: Suite;
    /// Data of the scheme in updates, in addition to operations and head.
    type Attachment: Attachment;
    /// Error returned when a snapshot cannot be taken: the signer or the store failed.
    type Error;

    /// The author's key, dictionary id and scheme, with which clients verify heads.
    fn authority(&self) -> Authority;

    /// The latest signed head, or `None` before the first snapshot.
    fn head(&self) -> Option<&SignedHead<Self::Suite>>;

    /// The latest version.
    fn version(&self) -> Version {
        self.head()
            .map_or(Version::EMPTY, |signed| signed.head.version)
    }

    /// The number of entries, pending changes included.
    fn len(&self) -> usize;

    /// Whether there are no entries, pending changes included.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key, pending changes included.
    fn get(&self, key: &[u8]) -> Option<&[u8]>;

    /// Sets the value of a key in the next snapshot.
    fn put(&mut self, key: Key, value: Value);

    /// Removes a key in the next snapshot. Returns whether it was present.
    fn remove(&mut self, key: &Key) -> bool;

    /// Seals and signs the pending changes as the next version.
    ///
    /// # Errors
    /// [`Dictionary::Error`] if the signer or the store failed. The changes are then still pending.
    fn snapshot(&mut self) -> Result<Update<Self::Suite, Self::Attachment>, Self::Error>;
}
