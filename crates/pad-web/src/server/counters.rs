//! Counters of connections, for metrics.

use core::sync::atomic::{AtomicU64, Ordering};

/// Counters of the connections of one server since its start.
#[derive(Debug, Default)]
pub struct ConnectionCounters {
    pub(super) accepted: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) closed: AtomicU64,
}

impl ConnectionCounters {
    /// Returns the number of accepted connections, open and closed.
    pub fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }

    /// Returns the number of connections that were closed at once, because the server or the peer
    /// had too many.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Returns the number of open connections.
    pub fn open(&self) -> u64 {
        // This count is read first, because connections may be accepted and closed between the two
        // reads.
        let closed = self.closed.load(Ordering::Acquire);
        self.accepted().saturating_sub(closed)
    }
}
