//! Database handle of a store, and the thresholds for compaction.

use core::sync::atomic::{AtomicU64, Ordering};

use pad_disk::engine::SoleDatabase;

/// Compaction is worthwhile when the file exceeds twice the bytes in use by more than this.
const SLACK: u64 = 64 << 20;

/// Maximum bytes in use of a store that is compacted while it serves.
const QUICKLY_COMPACTED: u64 = 256 << 20;

/// The database, shared by the readers and the one writer.
#[derive(Debug)]
pub(super) struct DatabaseHandle {
    pub(super) database: SoleDatabase,
    /// The approximate number of bytes in use.
    live: AtomicU64,
    slack: AtomicU64,
}

impl DatabaseHandle {
    pub(super) fn new(database: SoleDatabase) -> Self {
        Self {
            database,
            live: AtomicU64::new(u64::MAX),
            slack: AtomicU64::new(SLACK),
        }
    }

    /// Reports whether enough of the file is free for compaction to be worthwhile.
    pub(super) fn is_compaction_worth(&self) -> bool {
        let live = self.live.load(Ordering::Relaxed);
        let slack = self.slack.load(Ordering::Relaxed);
        let worth = live.saturating_mul(2).saturating_add(slack);
        self.database.file_bytes().is_ok_and(|bytes| bytes > worth)
    }

    /// Reports whether a compaction would delay requests only for a moment.
    pub(super) fn is_compaction_quick(&self) -> bool {
        self.live.load(Ordering::Relaxed) <= QUICKLY_COMPACTED
    }

    pub(super) fn set_live(&self, bytes: u64) {
        self.live.store(bytes, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(super) fn set_slack(&self, bytes: u64) {
        self.slack.store(bytes, Ordering::Relaxed);
    }

    /// Reports whether writing `bytes` bytes, with a margin, could exceed the free disk space.
    pub(super) fn is_tight(&self, bytes: usize) -> bool {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let wanted = bytes.saturating_mul(4).saturating_add(SLACK);
        self.database.room().is_some_and(|room| room < wanted)
    }
}
