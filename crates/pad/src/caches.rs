//! What a reader keeps of a store.

use std::path::Path;
#[cfg(feature = "object-store")]
use std::sync::Arc;

use pad_tree::{CacheSize, NodeCache};

#[cfg(feature = "object-store")]
use crate::objects::DiskCache;
use crate::store::StoreError;

/// What a reader keeps of a store: nodes in memory and, of a store in objects, pieces of them on a disk.
#[derive(Clone, Debug, Default)]
pub struct Caches {
    nodes: NodeCache,
    #[cfg(feature = "object-store")]
    disk: Option<Arc<DiskCache>>,
}

impl Caches {
    /// The same, with a cache of at most so many bytes in a folder for what is read of stores in objects. Those in files need none.
    ///
    /// # Errors
    /// [`StoreError::Io`], also if stores in objects are not built in (feature `object-store`).
    pub fn with_disk(self, folder: &Path, bytes: u64) -> Result<Self, StoreError> {
        #[cfg(feature = "object-store")]
        return Ok(self.with_disk_cache(DiskCache::open(folder, bytes)?.into()));
        #[cfg(not(feature = "object-store"))]
        {
            let _ = (folder, bytes);
            Err(StoreError::no_objects())
        }
    }

    /// The same, with this cache on a disk.
    #[cfg(feature = "object-store")]
    #[must_use]
    pub fn with_disk_cache(self, cache: Arc<DiskCache>) -> Self {
        Self {
            disk: Some(cache),
            ..self
        }
    }

    /// The memory for nodes.
    pub const fn nodes(&self) -> &NodeCache {
        &self.nodes
    }

    /// The cache on a disk.
    #[cfg(feature = "object-store")]
    pub const fn disk(&self) -> Option<&Arc<DiskCache>> {
        self.disk.as_ref()
    }
}

impl From<NodeCache> for Caches {
    fn from(nodes: NodeCache) -> Self {
        Self {
            nodes,
            #[cfg(feature = "object-store")]
            disk: None,
        }
    }
}

impl From<&NodeCache> for Caches {
    fn from(nodes: &NodeCache) -> Self {
        nodes.clone().into()
    }
}

impl From<CacheSize> for Caches {
    fn from(size: CacheSize) -> Self {
        NodeCache::from(size).into()
    }
}

impl From<&Self> for Caches {
    fn from(caches: &Self) -> Self {
        caches.clone()
    }
}
