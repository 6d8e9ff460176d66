//! The server of a dictionary of any family. Its inputs and outputs are messages (bytes).

use alloc::vec::Vec;
use core::fmt;

use crate::{
    codec,
    error::{ApplyError, DecodeError, LookupError},
    family::PublicKey,
    head_log::Heads as _,
    hosting::{Authored, Hosts, Serves},
    question::Question,
    response::Response,
    update::{Update, UpdateHead},
    version::Version,
};

/// A server of a dictionary of family `F`, which stores the versions in a repository of type `R`.
/// The server has no signing key, and clients do not trust it.
pub struct Server<F: Authored, R = <F as Authored>::Repository> {
    repository: R,
    public: PublicKey<F>,
}

impl<F: Authored, R> fmt::Debug for Server<F, R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Server")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

/// Error returned when an update is rejected. The server is then unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The bytes are not an update of this family.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The update's base version is not the latest one, the update does not verify, or it cannot be
    /// stored.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

impl<F: Authored, R: Hosts<Family = F>> Server<F, R> {
    /// Creates a server without versions, for the updates of one author and dictionary.
    pub fn new(public: &PublicKey<F>) -> Self {
        Self {
            repository: R::create(public),
            public: public.clone(),
        }
    }

    /// The repository that stores the versions.
    pub const fn repository(&self) -> &R {
        &self.repository
    }

    /// The repository that stores the versions, as a mutable reference.
    #[doc(hidden)]
    pub const fn repository_mut(&mut self) -> &mut R {
        &mut self.repository
    }

    /// The latest version; version 0 before the first update.
    pub fn latest(&self) -> Version {
        self.repository.latest()
    }

    /// Verifies an update and makes it the latest version. Returns the number of this version.
    ///
    /// `update` is a message from [`crate::Author::snapshot`]. The head is verified before memory
    /// is allocated for the operations.
    ///
    /// # Errors
    /// [`ServerError`] if the update is malformed, or the repository rejects it.
    pub fn apply(&mut self, update: &[u8]) -> Result<Version, ServerError> {
        UpdateHead::<F::Suite>::peek::<F::Attachment>(update, update.len())?
            .verify(self.public.authority())
            .map_err(ApplyError::Head)?;
        let update: Update<F::Suite, F::Attachment> = codec::decode(update, update.len())?;
        Ok(self.repository.apply(&update)?)
    }

    /// Returns the encoded head of a version, signed by the author. Version 0 has no head.
    ///
    /// # Errors
    /// [`LookupError`] if the version is unavailable.
    pub fn head(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode(&self.repository.head(version)?))
    }

    /// Proves that the head of `newer` continues the head of `older`. Returns the encoded
    /// [`ConsistencyProof`](crate::history::ConsistencyProof).
    ///
    /// # Errors
    /// [`LookupError`] unless `newer` exists, `older` is below `newer`, and the store can be read.
    pub fn consistency(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError> {
        let proof = self.repository.heads().prove_consistency(older, newer)?;
        Ok(codec::encode(&proof))
    }

    /// Proves the root of `version` under the head of `newer`. Returns the encoded
    /// [`InclusionProof`](crate::history::InclusionProof).
    ///
    /// # Errors
    /// [`LookupError`] unless `newer` exists, `version` is at least 1 and below `newer`, and the
    /// store can be read.
    pub fn inclusion(&self, version: Version, newer: Version) -> Result<Vec<u8>, LookupError> {
        let proof = self.repository.heads().prove_inclusion(version, newer)?;
        Ok(codec::encode(&proof))
    }

    /// Answers a question about a version. Returns the encoded [`Response`], which contains the
    /// proof.
    ///
    /// # Errors
    /// [`LookupError`], for example if the version is unavailable or the question is invalid.
    pub fn answer<Q: Question>(
        &self,
        version: Version,
        question: &Q,
    ) -> Result<Vec<u8>, LookupError>
    where
        R: Serves<Q>,
    {
        let proof = self.repository.prove_answer(version, question)?;
        let response = Response::new(&self.repository, version, proof)?;
        Ok(codec::encode(&response))
    }
}
