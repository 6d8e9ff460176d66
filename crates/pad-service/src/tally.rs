//! What became of requests to one witness.

use core::sync::atomic::AtomicU64;

/// What became of requests to one witness.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) cosigned: AtomicU64,
    pub(crate) failed: AtomicU64,
    /// When it has cosigned last, by its own clock.
    pub(crate) time: AtomicU64,
}
