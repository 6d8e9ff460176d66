//! A light author's request to a server for the witness of changes, and the server's answer.

use pad_core::{DecodeError, Suite, Untrusted, VerifyError, Version, codec};
use thiserror::Error;

use super::{changes::Changes, light::LightAuthor};
use crate::{
    message::{AnswerFormError, DirectoryAnswer, EntryRequest, Evidence, ExpectedForms, News},
    proof::EntryProof,
};

/// Error returned when a server's answer contains no witness for a light author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WitnessAnswerError {
    /// The answer is not a well-formed message, or is too long.
    #[error("the answer cannot be decoded: {0}")]
    Decode(#[from] DecodeError),
    /// The answer does not contain a proof of entries in the author's latest version.
    #[error("the answer does not contain the requested proof")]
    NoWitness,
    /// The server has a head that the author signed and that the state lacks. The state is an old
    /// copy. With it, the author would sign a second head for a version.
    #[error(
        "the author's state is an old copy: it is at version {stored}, and lacks a head of version \
         {signed} that the author signed"
    )]
    OldState {
        /// The version of the state.
        stored: Version,
        /// The version of the head that the state lacks.
        signed: Version,
    },
}

impl From<AnswerFormError> for WitnessAnswerError {
    fn from(error: AnswerFormError) -> Self {
        match error {
            AnswerFormError::Decode(error) => Self::Decode(error),
            AnswerFormError::Form => Self::NoWitness,
        }
    }
}

impl<S: Suite> LightAuthor<S> {
    /// Returns the request to a server for the witness of `changes`, as a message of kind 165.
    /// Returns `None` if `changes` contains only new entries, which need no witness.
    ///
    /// The server must have the author's latest version.
    ///
    /// # Errors
    /// [`VerifyError::InvalidQuery`] for more than 1 000 changing entries.
    pub fn request(&self, changes: &Changes<S>) -> Result<Option<Vec<u8>>, VerifyError> {
        let Some(query) = changes.question()? else {
            return Ok(None);
        };
        let request = EntryRequest::<S>::new(self.version(), query, None)?;
        Ok(Some(codec::encode(&request)))
    }

    /// Decodes the witness in a server's answer to [`LightAuthor::request`] for the same changes.
    /// [`LightAuthor::publish`] verifies it.
    ///
    /// # Errors
    /// [`WitnessAnswerError`]. After [`WitnessAnswerError::OldState`], sign nothing with this
    /// state.
    pub fn witness(
        &self,
        changes: &Changes<S>,
        answer: &[u8],
    ) -> Result<Untrusted<EntryProof<S>>, WitnessAnswerError> {
        let query = changes.question().ok().flatten();
        let query = query.ok_or(WitnessAnswerError::NoWitness)?;
        let expected = ExpectedForms::entries(&query, false);
        let (news, body) = expected.begin::<S>(answer)?;
        if let Some(news) = news {
            return Err(self.refused_news(&news));
        }
        let answer: DirectoryAnswer<S> = codec::decode_message(body)?;
        match answer.evidence {
            Evidence::Entries(witness) => Ok(Untrusted::new(witness)),
            Evidence::Short(_) | Evidence::Range(_) => Err(WitnessAnswerError::NoWitness),
        }
    }

    /// Returns the error for an answer with a head. A server sends a head only if the author's
    /// latest version is not the server's.
    fn refused_news(&self, news: &News<S>) -> WitnessAnswerError {
        let (head, known) = (news.head, self.state().head());
        let (stored, signed) = (self.version(), head.head.version);
        let verified = Untrusted::new(head).verify(self.authority(), &signed);
        let is_known = known.is_some_and(|known| known.head == head.head);
        if verified.is_ok() && signed >= stored && !is_known {
            WitnessAnswerError::OldState { stored, signed }
        } else {
            WitnessAnswerError::NoWitness
        }
    }
}
