//! The database handle of a store, which readers and the writer share, and the thresholds for
//! compaction.

use core::sync::atomic::{AtomicU64, Ordering};

use pad_disk::engine::SoleDatabase;

use crate::count;

/// The number of bytes by which the file must exceed twice the bytes in use before compaction is
/// worthwhile.
const SLACK: u64 = 64 << 20;

/// Maximum number of bytes in use for a compaction while the store serves requests.
const QUICKLY_COMPACTED: u64 = 256 << 20;

/// The database of a store, shared by the readers and the one writer.
#[derive(Debug)]
pub(super) struct DatabaseHandle {
    pub(super) database: SoleDatabase,
    /// The approximate number of bytes in use by files.
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

    /// Reports whether enough of the database file is free for compaction to be worthwhile.
    pub(super) fn is_compaction_worth(&self) -> bool {
        let live = self.live.load(Ordering::Relaxed);
        let slack = self.slack.load(Ordering::Relaxed);
        let worth = live.saturating_mul(2).saturating_add(slack);
        self.database.file_bytes().is_ok_and(|bytes| bytes > worth)
    }

    /// Reports whether a compaction delays requests only for a moment, because little data is in
    /// use.
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

    /// Reports whether the free disk space is below four times `bytes` plus [`SLACK`], a margin for
    /// writing `bytes` bytes. Returns `false` if the free space is unknown.
    pub(super) fn is_tight(&self, bytes: usize) -> bool {
        let wanted = count(bytes).saturating_mul(4).saturating_add(SLACK);
        self.database.room().is_some_and(|room| room < wanted)
    }
}
