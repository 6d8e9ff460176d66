//! The journal, which makes versions durable, and its budget.

use super::log::Log;

/// Memory for blocks, and frequency of checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheBudget {
    /// Memory for blocks in bytes.
    ///
    /// With `step = 7`, the levels above the lowest take half a byte of it for each entry. They
    /// stay in memory. If they take more than half of the budget when the directory is opened, the
    /// second lowest level is cached on demand too. A directory that grows beyond that while open
    /// must be opened again.
    pub bytes: usize,
    /// A checkpoint is written after `log_bytes` bytes of updates in the log, or before that when
    /// changed blocks take half of `bytes`. After a crash these updates are read again.
    pub log_bytes: u64,
}

impl Default for CacheBudget {
    fn default() -> Self {
        Self::bytes(256 << 20)
    }
}

impl CacheBudget {
    /// `bytes` bytes for blocks, and a checkpoint after at most about 64 MiB of updates.
    pub const fn bytes(bytes: usize) -> Self {
        Self {
            bytes,
            log_bytes: 64 << 20,
        }
    }
}

/// The log of a directory, and its budget.
#[derive(Debug)]
pub(crate) struct Journal {
    pub(super) log: Log,
    /// The bytes of updates since the last checkpoint.
    pub(super) logged: u64,
    pub(super) budget: CacheBudget,
}
