//! The database of a store, and whether it is worth making its file smaller.

use core::sync::atomic::{AtomicU64, Ordering};

use disk::engine::SoleDatabase;

/// A store of so many more bytes than twice what is in use is compacted.
const SLACK: u64 = 64 << 20;

/// A store with at most so many bytes in use is compacted while it serves.
const QUICKLY_COMPACTED: u64 = 256 << 20;

/// The database, for the readers and the one writer.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) database: SoleDatabase,
    /// The bytes in use, about.
    live: AtomicU64,
    slack: AtomicU64,
}

impl Shared {
    pub(super) fn new(database: SoleDatabase) -> Self {
        Self {
            database,
            live: AtomicU64::new(u64::MAX),
            slack: AtomicU64::new(SLACK),
        }
    }

    /// Whether so much of the file is free that it is worth moving the rest together.
    pub(super) fn is_compaction_worth(&self) -> bool {
        let live = self.live.load(Ordering::Relaxed);
        let slack = self.slack.load(Ordering::Relaxed);
        let worth = live.saturating_mul(2).saturating_add(slack);
        self.database.file_bytes().is_ok_and(|bytes| bytes > worth)
    }

    /// Whether that would keep the requests waiting for a moment only.
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

    /// Whether so many bytes, and more, may not fit on the disk.
    pub(super) fn is_tight(&self, bytes: usize) -> bool {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let wanted = bytes.saturating_mul(4).saturating_add(SLACK);
        self.database.room().is_some_and(|room| room < wanted)
    }
}
