//! A dictionary behind messages: the interface for services, commands and clients.

use std::ops::ControlFlow;

use pad_core::{Key, LookupError, Untrusted, Version};
use pad_tree::{Difference, KeyHistory, KeyRange};

use crate::question::{HeadText, NotOffered, Question};

/// A callback that receives unproved items one by one, and returns whether to continue.
pub type UnprovedCallback<'n, T> = dyn FnMut(Untrusted<T>) -> ControlFlow<()> + 'n;

/// A dictionary of any family and suite that answers questions about its versions, in messages.
///
/// Object-safe: a dictionary whose scheme is chosen at run time is a `dyn Dictionary`. A
/// [`crate::Keeper`] holds a whole dictionary, a [`crate::part::AnyPart`] some of its keys.
pub trait Dictionary {
    /// The author's head of a version as text.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or is 0, or cannot be read.
    fn head_text(&self, version: Version) -> Result<HeadText, LookupError>;

    /// The author's head of a version as a message, a [`pad_core::SignedHead`].
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or is 0, or cannot be read.
    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError>;

    /// The proof that a newer head continues an older head, as a message.
    ///
    /// # Errors
    /// [`LookupError`] unless `older` is before `newer` and `newer` exists.
    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError>;

    /// The proof that a newer version contains all entries of an older version, as a message;
    /// `None` where entries can be removed.
    ///
    /// # Errors
    /// [`LookupError`] if entries cannot be removed, unless `older` is at most `newer` and `newer`
    /// exists.
    fn append_only_message(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<Option<Vec<u8>>, LookupError>;

    /// The statements of a newer version's head about an older version, each as the body of a
    /// [`pad_core::contradiction::Past`]: for [`crate::client_view::StoredView::accuse`].
    ///
    /// # Errors
    /// [`LookupError`] unless `older` is at least 1 and before `newer`, and `newer` exists.
    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, LookupError>;

    /// The answer to a question, as the message of a [`pad_core::Response`].
    ///
    /// # Errors
    /// [`AnswerError`].
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError>;

    /// The first page of a range, with entries of about the given number of bytes. The next page
    /// begins at the end of this page. Families without pages return the whole range.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn page(
        &self,
        version: Version,
        range: &KeyRange,
        bytes: usize,
    ) -> Result<KeyRange, AnswerError>;

    /// The proof in the answer to a lookup, without the head, as the body of a message.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist.
    fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError>;

    /// The versions up to `last` in which a key changed, from `last` backwards, within about
    /// `lookups` lookups. Completeness is not proved.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError>;

    /// Passes the keys that differ between two versions to `note`, in ascending order and without
    /// proof, until `note` stops.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut UnprovedCallback<'_, Difference>,
    ) -> Result<(), AnswerError>;
}

/// Error for a question that is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The version does not exist or cannot be read, or the question cannot be answered.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The scheme does not answer such questions.
    #[error(transparent)]
    NotOffered(#[from] NotOffered),
}
