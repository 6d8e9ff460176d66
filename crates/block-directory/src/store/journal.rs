//! The journal of a directory on disk, which makes versions durable, and the directory's budget.

use super::log::Log;

/// The memory for a directory's blocks, and the frequency of its checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheBudget {
    /// Maximum memory for blocks in bytes.
    ///
    /// The lowest level is cached on demand. The levels above it stay in memory, and take half a
    /// byte for each entry with `step = 7`. If they take more than half of the budget when the
    /// directory is opened, the lowest of them are cached on demand too. A directory that grows
    /// beyond that while open must be opened again.
    pub bytes: usize,
    /// A checkpoint is written after `log_bytes` bytes of updates in the log, or before that when
    /// changed blocks take half of `bytes`. After a crash the updates since the last checkpoint are
    /// read and applied again.
    pub log_bytes: u64,
}

impl Default for CacheBudget {
    fn default() -> Self {
        Self::bytes(256 << 20)
    }
}

impl CacheBudget {
    /// Creates a budget with `bytes` bytes for blocks, and a checkpoint after at most about 64 MiB
    /// of updates.
    pub const fn bytes(bytes: usize) -> Self {
        Self {
            bytes,
            log_bytes: 64 << 20,
        }
    }
}

/// The log of a directory, with the number of bytes since the last checkpoint, and the directory's
/// budget.
#[derive(Debug)]
pub(crate) struct Journal {
    pub(super) log: Log,
    /// The number of bytes of updates in the log since the last checkpoint.
    pub(super) logged: u64,
    pub(super) budget: CacheBudget,
}
