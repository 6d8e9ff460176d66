//! The trait [`Dictionary`]: the author's copy of the contents, which the author changes and signs.

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
    /// The suite that fixes hash, digest width and signature.
    type Suite: Suite;
    /// Additional data that the scheme sends in each [`Update`], next to operations and head.
    type Attachment: Attachment;
    /// Error returned when a snapshot cannot be taken: the signer or the store failed.
    type Error;

    /// The author's key, dictionary id and scheme, with which clients verify heads.
    fn authority(&self) -> Authority;

    /// The latest signed head, or `None` before the first snapshot.
    fn head(&self) -> Option<&SignedHead<Self::Suite>>;

    /// The version of the latest snapshot; version 0 before the first snapshot.
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

    /// The value of a key, pending changes included; `None` if the key is absent.
    fn get(&self, key: &[u8]) -> Option<&[u8]>;

    /// Sets the value of a key; servers see the change with the next snapshot.
    fn put(&mut self, key: Key, value: Value);

    /// Removes a key; servers see the change with the next snapshot. Returns whether the key was
    /// present.
    fn remove(&mut self, key: &Key) -> bool;

    /// Seals and signs the pending changes as the next version. Returns the update for servers.
    ///
    /// # Errors
    /// [`Dictionary::Error`] if the signer or the store failed. The changes are then still pending.
    fn snapshot(&mut self) -> Result<Update<Self::Suite, Self::Attachment>, Self::Error>;
}
