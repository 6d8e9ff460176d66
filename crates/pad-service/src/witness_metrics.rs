//! Request counters of a witness.

use core::sync::atomic::AtomicU64;

/// Counters of requests to one witness.
#[derive(Debug, Default)]
pub(crate) struct WitnessMetrics {
    pub(crate) cosigned: AtomicU64,
    pub(crate) failed: AtomicU64,
    /// Time of the latest cosignature by the witness's clock, in seconds since 1970.
    pub(crate) time: AtomicU64,
}
