//! The server's side.

use crate::{
    error::{ApplyError, LookupError},
    head::SignedHead,
    proof::Proof,
    suite::Suite,
    update::{Attachment, Update},
    version::Version,
};

/// Every version of a dictionary, and proofs about each of them.
///
/// Laws: `apply` either commits the whole update or changes nothing. An answer about a version
/// never changes. Whatever a repository answers is worth only what its proof establishes.
///
/// Source: Crosby & Wallach 2010, section 2.
pub trait Repository {
    /// Hash, digest width and signature.
    type Suite: Suite;
    /// What updates carry beside operations and head.
    type Attachment: Attachment;
    /// What can be asked about one version.
    type Query: ?Sized;
    /// The evidence for the answer.
    type Proof: Proof<Query = Self::Query>;

    /// The latest version.
    fn latest(&self) -> Version;

    /// The oldest version that can still be asked about.
    fn oldest(&self) -> Version;

    /// Verifies an update and makes it the latest version.
    ///
    /// # Errors
    /// [`ApplyError`]; the repository is then exactly as it was.
    fn apply(
        &mut self,
        update: &Update<Self::Suite, Self::Attachment>,
    ) -> Result<Version, ApplyError>;

    /// The author's head of a version; version 0 has none.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    fn head(&self, version: Version) -> Result<SignedHead<Self::Suite>, LookupError>;

    /// Answers a query about a version.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there or the query makes no sense.
    fn prove(&self, version: Version, query: &Self::Query) -> Result<Self::Proof, LookupError>;
}
