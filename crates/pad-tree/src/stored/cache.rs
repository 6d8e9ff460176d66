//! How much of a log is in memory, and what one opening of it leaves to the next.

use core::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
};
use std::sync::{Arc, Mutex, PoisonError};

use pad_core::{StoreFault, Version};

use super::{blocks::RecentBlocks, held::Held};

/// How much of a stored dictionary is kept in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheSize {
    /// The blocks that were used last, of about so many bytes.
    OfBytes(usize),
    /// All blocks that have nodes of the latest version, once they are [read](crate::StoredRepository::warm), and beside them those of
    /// other versions that were used last. Values longer than four blocks are read from the log each time.
    Warmed {
        /// The latest version must not need more bytes than this; a version that grows beyond it while it is followed is read
        /// from the log as far as it does not fit.
        most: u64,
    },
}

impl Default for CacheSize {
    fn default() -> Self {
        Self::OfBytes(USUAL_BYTES)
    }
}

impl CacheSize {
    /// The bytes of the blocks that are kept because they were used last.
    pub(super) fn recent_bytes(self) -> usize {
        match self {
            Self::OfBytes(bytes) => bytes,
            Self::Warmed { most } => USUAL_BYTES.min(usize::try_from(most).unwrap_or(usize::MAX)),
        }
    }
}

/// Blocks in memory of a repository that was told nothing else.
const USUAL_BYTES: usize = 64 << 20;

/// What no other log has: blocks of one opening of a log are right for the next.
pub type LogId = [u8; 24];

/// The memory for the nodes of one dictionary: who opens its log again with the same value finds what was warmed or read before, and
/// reads what is new.
#[derive(Clone)]
pub struct NodeCache {
    size: CacheSize,
    progress: Option<Arc<dyn Fn(Warming) + Send + Sync>>,
    /// Whether a version was in memory at some time.
    was_warmed: Arc<AtomicBool>,
    kept: Arc<Mutex<Option<Kept>>>,
    /// The blocks of a log that were used last.
    shared: Arc<Mutex<Option<Shared>>>,
}

/// The blocks that all openings of one log have.
type Shared = (LogId, Arc<RecentBlocks>);

/// How far the reading of a version into memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warming {
    /// The entries that were read.
    pub entries: u64,
    /// The entries of the version.
    pub of: u64,
    /// The bytes of the blocks in memory.
    pub bytes: u64,
}

/// A version is not in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WarmError {
    /// A node cannot be read.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// It would need more memory than it may take.
    #[error("the latest version needs {needed} bytes of memory, and may take {most}")]
    TooLarge {
        /// The bytes of the blocks that have its nodes.
        needed: u64,
        /// The bytes that they may take.
        most: u64,
    },
}

/// What was warmed last.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) log: LogId,
    pub(super) version: Version,
    /// All nodes of the version are before this position.
    pub(super) end: u64,
    pub(super) held: Held,
    /// The bytes when a whole version was read last.
    pub(super) whole_bytes: u64,
}

impl Kept {
    /// Whether most of it may be of versions that were followed and are not the latest any more.
    pub(super) fn is_stale(&self) -> bool {
        self.held.bytes() > self.whole_bytes.max(LEAST_STALE).saturating_mul(2)
    }
}

/// Less than this is not worth to be read again.
const LEAST_STALE: u64 = 16 << 20;

impl NodeCache {
    /// Memory of this size.
    pub fn new(size: CacheSize) -> Self {
        Self {
            size,
            progress: None,
            was_warmed: Arc::default(),
            kept: Arc::default(),
            shared: Arc::default(),
        }
    }

    /// The same, which says now and then how far the reading of a version into memory is, from any thread.
    #[must_use]
    pub fn with_progress(self, note: impl Fn(Warming) + Send + Sync + 'static) -> Self {
        Self {
            progress: Some(Arc::new(note)),
            ..self
        }
    }

    /// How much is kept.
    pub const fn size(&self) -> CacheSize {
        self.size
    }

    /// Whether a version was in memory at some time.
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

    /// The blocks that every opening of this log shares; none that anybody has, if it is not known that it is the same log.
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

    /// Room for blocks, for one opening alone.
    pub(super) fn new_blocks(&self) -> Arc<RecentBlocks> {
        Arc::new(RecentBlocks::new(self.size.recent_bytes()))
    }

    /// What was warmed of this log, up to this version.
    pub(super) fn kept(&self, log: Option<LogId>, latest: Version) -> Option<Kept> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.as_ref();
        kept.filter(|kept| Some(kept.log) == log && kept.version <= latest)
            .cloned()
    }

    pub(super) fn keep(&self, kept: Kept) {
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

/// The blocks that were used last, of about so many bytes.
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
