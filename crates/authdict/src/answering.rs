//! The interface of repositories that are asked and checked through [`crate::dynamic`].

use std::{collections::BTreeMap, ops::ControlFlow};

use pad_core::{Key, LookupError, SnapshotHead, Untrusted, Value, Verified, Version};
use pad_tree::{Answer, Difference, KeyHistory, KeyRange, Keys};

use crate::{
    hosted::KeptRepository,
    question::{NotOffered, Question},
    repository::CheckError,
};

/// A callback that receives unproved items one by one, and returns whether to continue.
pub type Noted<'n, T> = dyn FnMut(Untrusted<T>) -> ControlFlow<()> + 'n;

/// A repository whose answers contain everything that a client needs in addition to the public key.
pub(crate) trait AnsweringRepository: KeptRepository {
    /// The answer to a question, as the message of a [`pad_core::Response`].
    ///
    /// # Errors
    /// [`AnswerError`].
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError>;

    /// The first page of a range, whose entries have about the given number of bytes. The next page
    /// begins at its end. Returns the whole range where a family has no pages.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn page(&self, _: Version, range: &KeyRange, _: usize) -> Result<KeyRange, AnswerError> {
        Ok(range.clone())
    }

    /// See [`crate::Durable::history_page`].
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
        note: &mut Noted<'_, Difference>,
    ) -> Result<(), AnswerError>;

    /// The answers of a version about each of these keys, proved, and verified as a client does.
    ///
    /// # Errors
    /// [`CheckError`] with the first problem found.
    fn checked_answers(
        &self,
        head: &Verified<SnapshotHead<Self::Suite>>,
        keys: &Keys,
    ) -> Result<Vec<(Key, Answer)>, CheckError>;

    /// The contents of a version, where proofs cannot show that none is missing. They are then
    /// compared with the contents after a replay of the author's updates. `None` where
    /// [`Self::check_contents`] shows it.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist.
    fn unproved_contents(&self, _: Version) -> Result<Option<BTreeMap<Key, Value>>, LookupError> {
        Ok(None)
    }

    /// Proves all contents of a version, and that there are no others (but see
    /// [`Self::unproved_contents`]), and verifies the proofs as a client does.
    ///
    /// # Errors
    /// [`CheckError`] with the first problem found.
    fn check_contents(&self, head: &Verified<SnapshotHead<Self::Suite>>) -> Result<(), CheckError>;
}

/// Error for a question that is not answered. The caller asks another one.
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
