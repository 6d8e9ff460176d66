//! Interface of a dictionary of any family through messages, for services, commands and clients.

use std::ops::ControlFlow;

use pad_core::KeyRange;
use pad_core::{Key, LookupError, Untrusted, Version};
use pad_tree::{Difference, KeyHistory};

use crate::{
    client_view::Heads,
    question::{HeadText, NotOffered, Question},
};

/// A callback that receives unproved items one by one, and returns whether to continue.
pub(crate) type UnprovedCallback<'n, T> = dyn FnMut(Untrusted<T>) -> ControlFlow<()> + 'n;

/// A dictionary of any family and suite. Queries about its versions are answered as messages.
///
/// Its heads are those of [`Heads`], with a [`LookupError`] if a version does not exist or cannot
/// be read. Version 0 has no head, and a proof leads from a version to a later one.
///
/// The trait is object-safe: a dictionary whose scheme is chosen at run time is a `dyn Dictionary`.
/// A [`crate::Keeper`] contains a whole dictionary, a [`crate::part::AnyPart`] only some of its
/// keys.
pub trait Dictionary: Heads<Error = LookupError> {
    /// Returns the author's signed head of a version as text.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or is 0, or cannot be read.
    #[doc(hidden)]
    fn head_text(&self, version: Version) -> Result<HeadText, LookupError>;

    /// Returns the answer to a question about a version, as the message of a
    /// [`pad_core::Response`].
    ///
    /// # Errors
    /// [`AnswerError`].
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError>;

    /// Returns the first page of a range, as a range of its own. A page contains entries of about
    /// `bytes` bytes, and the next page starts at its end. Families without pages return the whole
    /// range.
    ///
    /// # Errors
    /// [`AnswerError`].
    #[doc(hidden)]
    fn page(
        &self,
        version: Version,
        range: &KeyRange,
        bytes: usize,
    ) -> Result<KeyRange, AnswerError>;

    /// Returns the lookup proof for a key, without the head, as the body of a message.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist.
    #[doc(hidden)]
    fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError>;

    /// Returns the versions up to `last` in which a key changed. The search makes about `lookups`
    /// lookups, so it may cover only the latest of these versions. The result is not proved to be
    /// complete.
    ///
    /// # Errors
    /// [`AnswerError`].
    #[doc(hidden)]
    fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError>;

    /// Calls `note` for each key that differs between two versions, in ascending order, until
    /// `note` stops. The differences are not proved.
    ///
    /// # Errors
    /// [`AnswerError`].
    #[doc(hidden)]
    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut UnprovedCallback<'_, Difference>,
    ) -> Result<(), AnswerError>;
}

/// Error returned for a question that cannot be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The version does not exist or cannot be read, or the question cannot be answered.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The dictionary's scheme does not support this kind of question.
    #[error(transparent)]
    NotOffered(#[from] NotOffered),
}
