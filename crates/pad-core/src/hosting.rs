//! Dictionary families as authors and servers see them: authors, repositories, and proofs of
//! answers.
//!
//! Verifiers need only [`crate::family`] and link nothing of this module.

use crate::{
    dictionary::Dictionary,
    error::LookupError,
    family::{Answers, Family, PublicKey},
    head::Authority,
    head_log::Heads,
    question::Question,
    repository::Repository,
    signature::HeadSigner,
    update::Attachment,
    version::Version,
};

/// A family with an author and a server implementation, in addition to the verifier.
pub trait Authored: Family {
    /// Additional data that the family sends in each update, next to operations and head.
    type Attachment: Attachment;
    /// The author's secret of the family, in addition to the signing key: `()` for trees.
    type Secret;
    /// Error returned when generating a secret or taking a snapshot fails.
    type AuthorError: core::error::Error + Send + Sync + 'static;
    /// The author type of the family.
    type Author: Dictionary<Suite = Self::Suite, Attachment = Self::Attachment, Error = Self::AuthorError>;
    /// The repository type that servers use by default.
    type Repository: Hosts<Family = Self>;

    /// Generates a secret from the system's randomness.
    ///
    /// # Errors
    /// [`Authored::AuthorError`] if the system provides no randomness.
    fn generate_secret() -> Result<Self::Secret, Self::AuthorError>;

    /// The public half of a secret, which clients need to verify answers.
    fn key(secret: &Self::Secret) -> Self::Key;

    /// Creates the author of a new, empty dictionary.
    ///
    /// `authority` contains the public key of `signer` and the scheme of the family.
    fn author(authority: Authority, signer: HeadSigner, secret: Self::Secret) -> Self::Author;
}

/// A repository that applies updates and answers questions of one family.
///
/// A family can have several types of repositories. The same clients verify answers of all of them.
pub trait Hosts:
    Repository<
        Suite = <Self::Family as Family>::Suite,
        Attachment = <Self::Family as Authored>::Attachment,
    >
{
    /// The family whose updates the repository applies and whose questions it answers.
    type Family: Authored;

    /// Creates an empty repository that accepts the updates of one author and dictionary.
    fn create(public: &PublicKey<Self::Family>) -> Self;

    /// Resumes an author from this repository's latest version.
    ///
    /// The author trusts the repository: use only its own backup.
    ///
    /// # Errors
    /// The family's error if the secret does not match the repository, or the contents cannot be
    /// read. Some families also reject a signer with another key.
    /// [`Author::resume`](crate::Author::resume) rejects such a signer for every family.
    fn resume(
        &self,
        signer: HeadSigner,
        secret: <Self::Family as Authored>::Secret,
    ) -> Result<<Self::Family as Authored>::Author, <Self::Family as Authored>::AuthorError>;

    /// The signed heads of all versions, with proofs that they continue each other.
    fn heads(&self) -> impl Heads<Self::Suite>;
}

/// A repository that proves answers to questions of type `Q`.
pub trait Serves<Q: Question>: Hosts<Family: Answers<Q>> {
    /// Proves the answer to a question about a version.
    ///
    /// # Errors
    /// [`LookupError`], for example if the version is unavailable or the question is invalid.
    fn prove_answer(&self, version: Version, question: &Q)
    -> Result<ProofOf<Self, Q>, LookupError>;
}

/// The type of proof with which repository `R` answers questions of type `Q`.
pub type ProofOf<R, Q> = <<R as Hosts>::Family as Answers<Q>>::Proof;
