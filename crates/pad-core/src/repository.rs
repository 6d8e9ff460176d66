//! The trait [`Repository`]: a server's store of all versions, which proves answers.

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
    /// The suite that fixes hash, digest width and signature.
    type Suite: Suite;
    /// Additional data that the scheme sends in each [`Update`], next to operations and head.
    type Attachment: Attachment;
    /// The type of queries about one version.
    type Query: ?Sized;
    /// The type of the evidence for the answer to a query.
    type Proof: Proof<Query = Self::Query>;

    /// The latest version; version 0 before the first update.
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

    /// Returns the head of a version, signed by the author. Version 0 has no head.
    ///
    /// # Errors
    /// [`LookupError`] if the version is unavailable.
    fn head(&self, version: Version) -> Result<SignedHead<Self::Suite>, LookupError>;

    /// Answers a query about a version: returns a proof that contains the answer.
    ///
    /// # Errors
    /// [`LookupError`], for example if the version is unavailable or the query is invalid.
    fn prove(&self, version: Version, query: &Self::Query) -> Result<Self::Proof, LookupError>;
}
