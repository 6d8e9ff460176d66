//! What makes versions durable, and how much may wait.

use super::log::Log;

/// How much of a directory is kept in memory, and how often what is there is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheBudget {
    /// The bytes of memory for blocks. Of these, the levels above the lowest take half a byte for each entry, and stay, unless that was
    /// more than half of the budget when the directory was opened: then the second lowest comes and goes too. One that grows
    /// beyond that has to be opened again.
    pub bytes: usize,
    /// After so many bytes of updates in the log there is a checkpoint. What a crash costs is reading these again.
    pub log_bytes: u64,
}

impl Default for CacheBudget {
    fn default() -> Self {
        Self::bytes(256 << 20)
    }
}

impl CacheBudget {
    /// So many bytes for blocks, and a checkpoint after 64 MiB of updates.
    pub const fn bytes(bytes: usize) -> Self {
        Self {
            bytes,
            log_bytes: 64 << 20,
        }
    }
}

/// What makes versions durable.
#[derive(Debug)]
pub(crate) struct Journal {
    pub(super) log: Log,
    /// The bytes of updates since the last checkpoint.
    pub(super) logged: u64,
    pub(super) budget: CacheBudget,
}
