//! Interface of a dictionary of any family through messages, for services, commands and clients.

use std::ops::ControlFlow;

use pad_core::{Key, KeyRange, LookupError, Untrusted, Version};
use pad_tree::KeyHistory;

use crate::{
    heads::Heads,
    question::{NotOffered, Question},
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
