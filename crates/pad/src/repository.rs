//! What a repository must offer to be stored, and what can go wrong with a stored one.

use pad_core::{Domain, Suite, Version};

mod error;
mod storable;

pub use error::{CheckError, RepositoryError, SignError};
pub use storable::{CheckpointedRepository, StorableRepository};

/// The digest of a checkpoint: version (8, big-endian) ‖ oldest (8) ‖ bytes.
pub(crate) fn integrity<S: Suite>(version: Version, oldest: Version, bytes: &[u8]) -> S::Digest {
    let (version, oldest) = (
        version.number().to_be_bytes(),
        oldest.number().to_be_bytes(),
    );
    S::hash(Domain::Checkpoint, &[&version, &oldest, bytes])
}
