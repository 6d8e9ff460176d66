//! Signed heads of a dictionary, from any source.

use pad_core::Version;

/// A source of a dictionary's signed heads: a store, a server in this process, or a remote server.
pub trait Heads {
    /// The error that the source returns if it cannot supply a head or a proof.
    type Error;

    /// Returns the latest version that the source offers.
    ///
    /// # Errors
    /// [`Self::Error`].
    fn offered(&self) -> Result<Version, Self::Error>;

    /// Returns the signed head of a version, as a message.
    ///
    /// # Errors
    /// [`Self::Error`].
    fn head_message(&self, version: Version) -> Result<Vec<u8>, Self::Error>;

    /// Returns the proof that a newer head continues the history of an older head, as a message.
    ///
    /// # Errors
    /// [`Self::Error`].
    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, Self::Error>;

    /// Returns the proof that a newer version contains all entries of an older version, as a
    /// message. Returns `None` for families whose entries can be removed.
    ///
    /// # Errors
    /// [`Self::Error`].
    fn append_only_message(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<Option<Vec<u8>>, Self::Error>;

    /// Returns two statements to which the head of version `newer` commits: the root of version
    /// `older`, and its history. Each is the body of a [`pad_core::Past`], as
    /// [`crate::StoredView::accuse`] takes it.
    ///
    /// # Errors
    /// [`Self::Error`].
    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, Self::Error>;
}
