//! What a repository must offer to be asked and checked through [`crate::dynamic`].

use core::fmt;

use pad_core::{Key, LookupError, SchemeId, SnapshotHead, Untrusted, Verified, Version};
use pad_tree::{Answer, Change, KeyHistory, Keys};

use crate::{
    check::CheckError, question::Question, repository::StorableRepository, selection::SchemeName,
};

/// A repository that answers questions with everything a client needs beside the public key.
pub trait AnsweringRepository: StorableRepository + 'static {
    /// The answer to a question, as the message of a [`crate::Bundle`].
    ///
    /// # Errors
    /// [`AnswerError`].
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError>;

    /// The kept versions in which a key was put or removed, without proof.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, AnswerError>;

    /// The keys that differ between two versions, in ascending order, without proof.
    ///
    /// # Errors
    /// [`AnswerError`].
    fn diff(&self, before: Version, after: Version) -> Result<Untrusted<Vec<Change>>, AnswerError>;

    /// What a version says about each of these keys, proved, and verified as a client does.
    ///
    /// # Errors
    /// [`CheckError`] with the first thing that is wrong.
    fn checked_answers(
        &self,
        head: &Verified<SnapshotHead<Self::Suite>>,
        keys: &Keys,
    ) -> Result<Vec<(Key, Answer)>, CheckError>;

    /// Proves all contents of a version, and that there are no others, and verifies the proofs as
    /// a client does.
    ///
    /// # Errors
    /// [`CheckError`] with the first thing that is wrong.
    fn check_contents(&self, head: &Verified<SnapshotHead<Self::Suite>>) -> Result<(), CheckError>;
}

/// A scheme has no answer to this kind of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotOffered {
    /// What is not offered, in the plural: `range questions`.
    pub what: &'static str,
    /// The scheme.
    pub scheme: SchemeId,
}

impl fmt::Display for NotOffered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, scheme } = self;
        match SchemeName::from_id(*scheme) {
            Some(name) => write!(formatter, "{what} are not offered by scheme {name}"),
            None => write!(formatter, "{what} are not offered by scheme {}", scheme.0),
        }
    }
}

impl core::error::Error for NotOffered {}

/// A question is not answered. The caller asks another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerError {
    /// The version is not there, or the question makes no sense.
    Lookup(LookupError),
    /// The scheme has no answer to such questions.
    NotOffered(NotOffered),
}

impl fmt::Display for AnswerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lookup(error) => error.fmt(formatter),
            Self::NotOffered(error) => error.fmt(formatter),
        }
    }
}

impl core::error::Error for AnswerError {}

impl From<LookupError> for AnswerError {
    fn from(error: LookupError) -> Self {
        Self::Lookup(error)
    }
}

impl From<NotOffered> for AnswerError {
    fn from(error: NotOffered) -> Self {
        Self::NotOffered(error)
    }
}
