//! Configuration of the cache of a log, and the cached state that is reused when the log is opened
//! again.

use core::{fmt, sync::atomic::AtomicBool};
use std::sync::{Arc, Mutex, PoisonError};

use pad_core::{StoreFault, Version};

use super::{blocks::RecentBlocks, held::PinnedBlocks};

/// The part of a stored dictionary that is kept in memory, and the limit of that memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheSize {
    /// The recently used blocks, up to about the given number of bytes, at least 64 KiB.
    OfBytes(usize),
    /// All blocks with nodes of the latest version, once they are
    /// [read](crate::StoredRepository::warm), in addition to recently used blocks of other
    /// versions. Values longer than four blocks are read from the log each time.
    Warmed {
        /// The most bytes that the latest version may take. If a later version grows beyond this
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
    /// The capacity, in bytes, for recently used blocks.
    pub(super) fn recent_bytes(self) -> usize {
        match self {
            Self::OfBytes(bytes) => bytes,
            Self::Warmed { most } => USUAL_BYTES.min(usize::try_from(most).unwrap_or(usize::MAX)),
        }
    }
}

/// The default capacity, in bytes, for recently used blocks.
const USUAL_BYTES: usize = 64 << 20;

/// A unique identity of a log. Blocks that were cached while the log was open are still valid when
/// a log with the same identity is opened.
pub type LogId = [u8; 24];

/// A cache for the nodes of one dictionary. If its log is opened again with the same cache, the
/// cached blocks are reused, provided that the log has a [`LogId`].
#[derive(Clone)]
pub struct NodeCache {
    size: CacheSize,
    progress: Option<Arc<dyn Fn(Warming) + Send + Sync>>,
    /// Whether a version was ever warmed, that is, read into memory as a whole.
    pub(super) was_warmed: Arc<AtomicBool>,
    kept: Arc<Mutex<Option<(LogId, Version, WarmState)>>>,
    /// The recently used blocks of a log, shared by all its openings that use this cache.
    shared: Arc<Mutex<Option<SharedBlocks>>>,
}

/// The identity of a log, and the recently used blocks that all openings of this log share.
type SharedBlocks = (LogId, Arc<RecentBlocks>);

/// The progress of warming, that is, of reading a whole version into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warming {
    /// The number of entries read so far.
    pub entries: u64,
    /// The number of entries of the whole version.
    pub of: u64,
    /// The number of bytes in memory so far, in blocks of the log.
    pub bytes: u64,
}

/// Error returned when a whole version cannot be read into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WarmError {
    /// A node of the version cannot be read.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// The version needs more memory than the configured limit.
    #[error("the latest version needs {needed} bytes of memory, but the limit is {most}")]
    TooLarge {
        /// The number of bytes in all blocks that contain nodes of the version.
        needed: u64,
        /// The configured limit in bytes.
        most: u64,
    },
}

/// The pinned blocks of the version that was read into memory last.
#[derive(Clone, Debug)]
pub(super) struct WarmState {
    pub(super) held: PinnedBlocks,
    /// The position in the log before which all nodes of the version are stored.
    pub(super) end: u64,
    /// The number of bytes in memory directly after the last reading of a whole version.
    pub(super) whole_bytes: u64,
}

impl WarmState {
    /// Whether most of the pinned blocks may contain only nodes of old versions, so that the whole
    /// version should be read again.
    pub(super) fn is_stale(&self) -> bool {
        self.held.bytes() > self.whole_bytes.max(LEAST_STALE).saturating_mul(2)
    }
}

/// A state with at most twice this many bytes in memory never counts as stale.
const LEAST_STALE: u64 = 16 << 20;

impl NodeCache {
    /// Creates an empty cache of the given size.
    pub fn new(size: CacheSize) -> Self {
        Self {
            size,
            progress: None,
            was_warmed: Arc::default(),
            kept: Arc::default(),
            shared: Arc::default(),
        }
    }

    /// Sets a function that receives the progress of warming (reading a version into memory) from
    /// time to time, on any thread.
    #[must_use]
    pub fn with_progress(self, note: impl Fn(Warming) + Send + Sync + 'static) -> Self {
        Self {
            progress: Some(Arc::new(note)),
            ..self
        }
    }

    /// The configured size of the cache.
    pub const fn size(&self) -> CacheSize {
        self.size
    }

    pub(super) fn note(&self, warming: Warming) {
        if let Some(note) = &self.progress {
            note(warming);
        }
    }

    /// The cache of recently used blocks that all openings of the log with identity `log` share.
    /// For `None`, a new cache that is not shared.
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

    /// Creates an empty cache of recently used blocks that is not shared.
    pub(super) fn new_blocks(&self) -> Arc<RecentBlocks> {
        Arc::new(RecentBlocks::new(self.size.recent_bytes()))
    }

    /// The pinned blocks that an earlier opening of this log left, unless they belong to a version
    /// after `latest`.
    pub(super) fn kept(&self, log: Option<LogId>, latest: Version) -> Option<WarmState> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, version, state) = kept.as_ref()?;
        (Some(*of) == log && *version <= latest).then(|| state.clone())
    }

    /// Keeps the pinned blocks of a version for later openings of this log.
    pub(super) fn keep(&self, log: LogId, version: Version, state: WarmState) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some((log, version, state));
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

/// Creates a cache of recently used blocks, of about `bytes` bytes.
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
