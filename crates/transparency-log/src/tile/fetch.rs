//! Sources of a log's resources (checkpoint, tiles and bundles of entries), and read errors.

use super::{BundleError, ResourcePath};
use crate::tree::TreeError;

/// A source of the resources of a log, each identified by its [`ResourcePath`].
pub trait Fetch {
    /// Fetches a resource. A remote implementation should read at most [`ResourcePath::longest`]
    /// bytes. [`TileReader`](super::TileReader) rejects longer resources.
    ///
    /// # Errors
    /// [`FetchError::NotFound`] if the resource does not exist; [`FetchError::Failed`].
    fn fetch(&self, path: &ResourcePath) -> Result<Vec<u8>, FetchError>;
}

impl<F: Fetch + ?Sized> Fetch for &F {
    fn fetch(&self, path: &ResourcePath) -> Result<Vec<u8>, FetchError> {
        (**self).fetch(path)
    }
}

/// Error returned when a resource cannot be fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The resource does not exist.
    #[error("there is no such resource")]
    NotFound,
    /// The resource cannot be fetched for another reason, which is contained here.
    #[error("a resource cannot be fetched")]
    Failed(#[source] Box<dyn core::error::Error + Send + Sync>),
}

/// Error returned when a resource of a log is missing or does not match the checkpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The resource cannot be fetched.
    #[error("{path} cannot be fetched")]
    Fetch {
        /// The path of the resource.
        path: ResourcePath,
        /// The reason why the resource cannot be fetched.
        source: FetchError,
    },
    /// The resource at the given path has the wrong length.
    #[error("{0} has the wrong length")]
    Length(ResourcePath),
    /// The tile at the given path does not hash to the checkpoint's root.
    #[error("{0} does not match the root of the checkpoint")]
    Tile(ResourcePath),
    /// The tiles on the right edge do not hash to the checkpoint's root.
    #[error("the tiles of the log do not match the root of its checkpoint")]
    Root,
    /// A bundle is malformed.
    #[error("{path} is not a bundle of entries")]
    Bundle {
        /// The path of the resource.
        path: ResourcePath,
        /// The reason why the bundle is malformed.
        source: BundleError,
    },
    /// An entry in a bundle does not match its hash in the tree; contains the index of the entry.
    #[error("entry {0} does not match the tree of the log")]
    Entry(u64),
    /// The log has no such entry, or no such older tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The log has no such subtree.
    #[error("there is no such subtree in the log")]
    NoSuchSubtree,
}
