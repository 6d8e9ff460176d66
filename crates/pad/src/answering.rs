//! What a repository must offer to be asked and checked through [`crate::dynamic`].

use std::{collections::BTreeMap, ops::ControlFlow};

use pad_core::{Key, LookupError, SnapshotHead, Untrusted, Value, Verified, Version};
use pad_tree::{Answer, Difference, KeyHistory, KeyRange, Keys};

use crate::{
    hosted::KeptRepository,
    question::{NotOffered, Question},
    repository::CheckError,
};

/// Takes one thing after the other that nobody has proved, and says whether to go on.
pub type Noted<'n, T> = dyn FnMut(Untrusted<T>) -> ControlFlow<()> + 'n;

/// A repository that answers questions with everything a client needs beside the public key.
pub(crate) trait AnsweringRepository: KeptRepository {
    /// The answer to a question, as the message of a [`pad_core::Response`].
    ///
    /// # Errors
    /// [`AnswerError`].
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError>;

    /// The beginning of a range of a version whose proof has about so many bytes: the next page begins where it ends. The whole range where a
    /// family has no pages.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn page(&self, _: Version, range: &KeyRange, _: usize) -> Result<KeyRange, AnswerError> {
        Ok(range.clone())
    }

    /// As [`crate::Durable::history_page`].
    ///
    /// # Errors
    /// [`AnswerError`].
    fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError>;

    /// Notes the keys that differ between two versions, in ascending order, without proof, until that is told to stop.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut Noted<'_, Difference>,
    ) -> Result<(), AnswerError>;

    /// What a version says about each of these keys, proved, and verified as a client does.
    ///
    /// # Errors
    /// [`CheckError`] with the first thing that is wrong.
    fn checked_answers(
        &self,
        head: &Verified<SnapshotHead<Self::Suite>>,
        keys: &Keys,
    ) -> Result<Vec<(Key, Answer)>, CheckError>;

    /// The contents of a version, where proofs cannot show that none is missing: they are then compared
    /// with those that the author's updates lead to. `None` where [`Self::check_contents`] shows it.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    fn unproved_contents(&self, _: Version) -> Result<Option<BTreeMap<Key, Value>>, LookupError> {
        Ok(None)
    }

    /// Proves all contents of a version, and that there are no others
    /// (but see [`Self::unproved_contents`]), and verifies the proofs as a client does.
    ///
    /// # Errors
    /// [`CheckError`] with the first thing that is wrong.
    fn check_contents(&self, head: &Verified<SnapshotHead<Self::Suite>>) -> Result<(), CheckError>;
}

/// A question is not answered. The caller asks another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The version is not there, or the question makes no sense.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The scheme has no answer to such questions.
    #[error(transparent)]
    NotOffered(#[from] NotOffered),
}
