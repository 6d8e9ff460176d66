//! What a family offers to whoever chooses it by name.

use pad_core::Version;

use crate::{
    author::{AuthorError, ResumedAuthor},
    hosted::HostedRepository,
    keys::SecretKey,
    question::{Question, Refusal, Statement},
};

/// A client of any suite and scheme, who trusts a public key and nothing else.
pub trait AnyClient: Send + Sync {
    /// What an answer, the message of a [`pad_core::Response`], establishes about this version.
    ///
    /// # Errors
    /// [`Refusal`].
    fn check_at(
        &self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal>;

    /// Resumes from the message of a [`pad_core::TrustedView`]. An answer about the newest version seen is then refused
    /// unless it has that very head.
    ///
    /// # Errors
    /// [`Refusal`]; the client is unchanged.
    fn resume(&mut self, seen: &[u8]) -> Result<(), Refusal>;
}

/// A repository of a family that an author can go on with, given a key file.
pub trait OfferedRepository: HostedRepository {
    /// The author who goes on where the repository stands.
    ///
    /// # Errors
    /// [`AuthorError`] if the key is not of the repository's scheme.
    fn resume(&self, key: &SecretKey) -> Result<ResumedAuthor, AuthorError>;
}
