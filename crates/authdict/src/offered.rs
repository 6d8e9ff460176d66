//! The interface of a family to code that chooses it by name.

use pad_core::Version;

use crate::{
    author::{AuthorError, ResumedAuthor},
    hosted::HostedRepository,
    keys::SecretKey,
    question::{Question, Refusal, Statement},
};

/// A client of any suite and scheme, which trusts a public key only.
pub trait AnyClient: Send + Sync {
    /// Verifies an answer, the message of a [`pad_core::Response`], and returns what it establishes
    /// about this version.
    ///
    /// # Errors
    /// [`Refusal`].
    fn check_at(
        &self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal>;

    /// Resumes from the message of a [`pad_core::TrustedView`]. An answer about the newest version
    /// seen is then refused unless it has that very head.
    ///
    /// # Errors
    /// [`Refusal`]; the client is unchanged.
    fn resume(&mut self, seen: &[u8]) -> Result<(), Refusal>;
}

/// A repository from which an author can continue, given a key file.
pub trait OfferedRepository: HostedRepository {
    /// The author that continues from the repository's latest version.
    ///
    /// # Errors
    /// [`AuthorError`] if the scheme's own key or its parameters do not fit. Trees check nothing.
    fn resume(&self, key: &SecretKey) -> Result<ResumedAuthor, AuthorError>;
}
