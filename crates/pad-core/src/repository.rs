//! The server's side: the trait of a store of all versions that proves answers.

use crate::{
    error::{ApplyError, LookupError},
    head::SignedHead,
    proof::Proof,
    suite::Suite,
    update::{Attachment, Update},
    version::Version,
};

/// The versions of a dictionary that are not pruned, and proofs about each of them.
///
/// Laws: `apply` either commits the whole update or changes nothing. An answer about a version
/// never changes. A repository is untrusted: clients rely only on its proofs.
///
/// Source: Crosby & Wallach 2010, section 2.
pub trait Repository {
    /// Hash, digest width and signature.
    type Suite: Suite;
    /// Data in updates in addition to operations and head.
    type Attachment: Attachment;
    /// A query about one version.
    type Query: ?Sized;
    /// The evidence for the answer.
    type Proof: Proof<Query = Self::Query>;

    /// The latest version.
    fn latest(&self) -> Version;

    /// The oldest version that can still be queried.
    fn oldest(&self) -> Version;

    /// Verifies an update and makes it the latest version.
    ///
    /// # Errors
    /// [`ApplyError`]. The repository is then unchanged.
    fn apply(
        &mut self,
        update: &Update<Self::Suite, Self::Attachment>,
    ) -> Result<Version, ApplyError>;

    /// Returns the author's head of a version. Version 0 has no head.
    ///
    /// # Errors
    /// [`LookupError`] if the version is unavailable.
    fn head(&self, version: Version) -> Result<SignedHead<Self::Suite>, LookupError>;

    /// Answers a query about a version.
    ///
    /// # Errors
    /// [`LookupError`], for example if the version is unavailable or the query is invalid.
    fn prove(&self, version: Version, query: &Self::Query) -> Result<Self::Proof, LookupError>;
}
