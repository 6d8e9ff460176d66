//! Request counters of a witness.

use core::sync::atomic::AtomicU64;

/// Counters of requests to one witness.
#[derive(Debug, Default)]
pub(crate) struct WitnessMetrics {
    pub(crate) cosigned: AtomicU64,
    pub(crate) failed: AtomicU64,
    /// Time of the latest cosignature in seconds, by the witness's clock.
    pub(crate) time: AtomicU64,
}
