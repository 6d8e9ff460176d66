//! Where resources come from, and what can be wrong with them.

use super::{BundleError, ResourcePath};
use crate::tree::TreeError;

/// Wherever the resources of a log come from.
pub trait Fetch {
    /// The bytes of a resource. Whoever fetches from far away reads at most [`ResourcePath::longest`] bytes; more are
    /// refused anyway.
    ///
    /// # Errors
    /// [`FetchError::NotFound`] if there is none; [`FetchError::Failed`].
    fn fetch(&self, path: &ResourcePath) -> Result<Vec<u8>, FetchError>;
}

impl<F: Fetch + ?Sized> Fetch for &F {
    fn fetch(&self, path: &ResourcePath) -> Result<Vec<u8>, FetchError> {
        (**self).fetch(path)
    }
}

/// A resource cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// There is no such resource.
    #[error("there is no such resource")]
    NotFound,
    /// Something failed on the way.
    #[error("a resource cannot be fetched")]
    Failed(#[source] Box<dyn core::error::Error + Send + Sync>),
}

/// A log cannot be read: a resource is missing, or not what the checkpoint says.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A resource cannot be had.
    #[error("{path} cannot be fetched")]
    Fetch {
        /// Which.
        path: ResourcePath,
        /// Why.
        source: FetchError,
    },
    /// A resource has another length than it must have.
    #[error("{0} has the wrong length")]
    Length(ResourcePath),
    /// A tile does not lead to the checkpoint's root.
    #[error("{0} is not a part of the log")]
    Tile(ResourcePath),
    /// The tiles on the right edge do not lead to the checkpoint's root.
    #[error("the tiles of the log do not have the root of its checkpoint")]
    Root,
    /// A bundle cannot be read.
    #[error("{path} is not a bundle of entries")]
    Bundle {
        /// Which.
        path: ResourcePath,
        /// Why.
        source: BundleError,
    },
    /// An entry in a bundle is not the one in the tree; its index.
    #[error("entry {0} is not the one in the tree of the log")]
    Entry(u64),
    /// There is no such entry, or no such older tree, in the log.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// There is no such subtree in the log.
    #[error("there is no such subtree in the log")]
    NoSuchSubtree,
}
