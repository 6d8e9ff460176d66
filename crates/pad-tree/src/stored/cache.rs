//! Cache configuration of a log, and the cached state that the next opening of the log can reuse.

use core::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
};
use std::sync::{Arc, Mutex, PoisonError};

use pad_core::{StoreFault, Version};

use super::{blocks::RecentBlocks, held::PinnedBlocks};

/// The part of a stored dictionary that is kept in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheSize {
    /// The recently used blocks, up to about the given number of bytes, at least 64 KiB.
    OfBytes(usize),
    /// All blocks with nodes of the latest version, once they are
    /// [read](crate::StoredRepository::warm), in addition to recently used blocks of other
    /// versions. Values longer than four blocks are read from the log each time.
    Warmed {
        /// The most bytes that the latest version may need. If a followed version grows beyond this
        /// limit, the excess is read from the log.
        most: u64,
    },
}

impl Default for CacheSize {
    fn default() -> Self {
        Self::OfBytes(USUAL_BYTES)
    }
}

impl CacheSize {
    /// The bytes for recently used blocks.
    pub(super) fn recent_bytes(self) -> usize {
        match self {
            Self::OfBytes(bytes) => bytes,
            Self::Warmed { most } => USUAL_BYTES.min(usize::try_from(most).unwrap_or(usize::MAX)),
        }
    }
}

/// The default size of the block cache.
const USUAL_BYTES: usize = 64 << 20;

/// A unique identity of a log. Blocks that were cached in one opening of the log are valid in the
/// next opening.
pub type LogId = [u8; 24];

/// A cache for the nodes of one dictionary. Opening its log again with the same value reuses the
/// cached blocks, if the log has an identity.
#[derive(Clone)]
pub struct NodeCache {
    size: CacheSize,
    progress: Option<Arc<dyn Fn(Warming) + Send + Sync>>,
    /// Whether a version was ever warmed.
    was_warmed: Arc<AtomicBool>,
    kept: Arc<Mutex<Option<WarmState>>>,
    /// The recently used blocks of a log.
    shared: Arc<Mutex<Option<SharedBlocks>>>,
}

/// The blocks that all openings of one log share.
type SharedBlocks = (LogId, Arc<RecentBlocks>);

/// Progress of reading a version into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warming {
    /// The number of entries read so far.
    pub entries: u64,
    /// The number of entries of the version.
    pub of: u64,
    /// The bytes of the blocks in memory.
    pub bytes: u64,
}

/// Error returned when a version cannot be read into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WarmError {
    /// A node cannot be read.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// The version needs more memory than the limit.
    #[error("the latest version needs {needed} bytes of memory, but the limit is {most}")]
    TooLarge {
        /// The bytes of the blocks with nodes of the version.
        needed: u64,
        /// The limit in bytes.
        most: u64,
    },
}

/// The result of the last warming.
#[derive(Clone, Debug)]
pub(super) struct WarmState {
    pub(super) log: LogId,
    pub(super) version: Version,
    /// An upper bound for the positions of the version's nodes.
    pub(super) end: u64,
    pub(super) held: PinnedBlocks,
    /// The number of bytes in memory when a whole version was last read.
    pub(super) whole_bytes: u64,
}

impl WarmState {
    /// Whether most of the blocks may belong only to superseded versions.
    pub(super) fn is_stale(&self) -> bool {
        self.held.bytes() > self.whole_bytes.max(LEAST_STALE).saturating_mul(2)
    }
}

/// The least size in bytes of a stale cache that is read again as a whole.
const LEAST_STALE: u64 = 16 << 20;

impl NodeCache {
    /// Creates a cache of `size`.
    pub fn new(size: CacheSize) -> Self {
        Self {
            size,
            progress: None,
            was_warmed: Arc::default(),
            kept: Arc::default(),
            shared: Arc::default(),
        }
    }

    /// Reports the progress of warming to `note` from time to time, from any thread.
    #[must_use]
    pub fn with_progress(self, note: impl Fn(Warming) + Send + Sync + 'static) -> Self {
        Self {
            progress: Some(Arc::new(note)),
            ..self
        }
    }

    /// The configured size.
    pub const fn size(&self) -> CacheSize {
        self.size
    }

    /// Whether a version was ever warmed.
    pub(super) fn was_warmed(&self) -> bool {
        self.was_warmed.load(Ordering::Relaxed)
    }

    pub(super) fn note_warmed(&self) {
        self.was_warmed.store(true, Ordering::Relaxed);
    }

    pub(super) fn note(&self, warming: Warming) {
        if let Some(note) = &self.progress {
            note(warming);
        }
    }

    /// The blocks that every opening of this log shares. If the log has no known identity, returns
    /// blocks that are not shared.
    pub(super) fn blocks_of(&self, log: Option<LogId>) -> Arc<RecentBlocks> {
        let Some(log) = log else {
            return self.new_blocks();
        };
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, blocks)) = &*shared
            && *of == log
        {
            return Arc::clone(blocks);
        }
        let blocks = self.new_blocks();
        *shared = Some((log, Arc::clone(&blocks)));
        blocks
    }

    /// An empty block cache for a single opening.
    pub(super) fn new_blocks(&self) -> Arc<RecentBlocks> {
        Arc::new(RecentBlocks::new(self.size.recent_bytes()))
    }

    /// The warmed state of this log, if its version is not later than `latest`.
    pub(super) fn kept(&self, log: Option<LogId>, latest: Version) -> Option<WarmState> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.as_ref();
        kept.filter(|kept| Some(kept.log) == log && kept.version <= latest)
            .cloned()
    }

    pub(super) fn keep(&self, kept: WarmState) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    }
}

impl Default for NodeCache {
    fn default() -> Self {
        Self::new(CacheSize::default())
    }
}

impl From<CacheSize> for NodeCache {
    fn from(size: CacheSize) -> Self {
        Self::new(size)
    }
}

/// A cache of recently used blocks, of about `bytes` bytes.
impl From<usize> for NodeCache {
    fn from(bytes: usize) -> Self {
        Self::new(CacheSize::OfBytes(bytes))
    }
}

impl fmt::Debug for NodeCache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "NodeCache({:?})", self.size)
    }
}
