//! The other half of a family: who makes the contents, who keeps them, and who proves answers.
//!
//! Apart from [`crate::family`], so that a verifier links none of it.

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

/// A family that has authors and servers.
pub trait Authored: Family {
    /// What updates carry beside operations and head.
    type Attachment: Attachment;
    /// What an author holds beside its signer: `()` for trees.
    type Secret;
    /// Why there is no secret, or no snapshot.
    type AuthorError: core::error::Error + Send + Sync + 'static;
    /// The author.
    type Author: Dictionary<Suite = Self::Suite, Attachment = Self::Attachment, Error = Self::AuthorError>;
    /// The repository of servers that name no other one.
    type Repository: Hosts<Family = Self>;

    /// A new secret, from the system's randomness.
    ///
    /// # Errors
    /// There is no randomness.
    fn generate_secret() -> Result<Self::Secret, Self::AuthorError>;

    /// The public half of a secret.
    fn key(secret: &Self::Secret) -> Self::Key;

    /// The author of a new, empty dictionary. The authority's key is the signer's, its scheme the family's.
    fn author(authority: Authority, signer: HeadSigner, secret: Self::Secret) -> Self::Author;
}

/// A repository of a family. It names the family and not the other way round, so that several kinds of
/// repositories serve the same clients.
pub trait Hosts:
    Repository<
        Suite = <Self::Family as Family>::Suite,
        Attachment = <Self::Family as Authored>::Attachment,
    >
{
    /// Whose updates it takes, and whose questions it answers.
    type Family: Authored;

    /// An empty repository that accepts the updates of one author and dictionary.
    fn create(public: &PublicKey<Self::Family>) -> Self;

    /// The author that goes on where this repository stands, which it trusts: its own backup.
    ///
    /// # Errors
    /// The signer or the secret is not that of the repository.
    fn resume(
        &self,
        signer: HeadSigner,
        secret: <Self::Family as Authored>::Secret,
    ) -> Result<<Self::Family as Authored>::Author, <Self::Family as Authored>::AuthorError>;

    /// The heads of all versions, which prove how they continue each other.
    fn heads(&self) -> impl Heads<Self::Suite>;
}

/// A repository that proves answers to questions of type `Q`.
pub trait Serves<Q: Question>: Hosts<Family: Answers<Q>> {
    /// The evidence for the answer to a question about a version.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there or the question makes no sense.
    fn prove_answer(&self, version: Version, question: &Q)
    -> Result<ProofOf<Self, Q>, LookupError>;
}

/// The evidence that a repository gives for the answer to a `Q`.
pub type ProofOf<R, Q> = <<R as Hosts>::Family as Answers<Q>>::Proof;
