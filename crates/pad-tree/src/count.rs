//! Counters of reads from stores in memory: a machine-independent measure of an operation.
//!
//! With the feature `count`, all threads of the process share the counters. Without the feature,
//! the counting calls compile to nothing. Reads that a store makes by itself are not counted, for
//! example to recompute a digest of an old version.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A kind of counted reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Inner nodes whose children were read.
    Nodes,
    /// Nodes whose digests were read.
    Digests,
}

impl Counted {
    /// All kinds of counted reads.
    pub const ALL: [Self; 2] = [Self::Nodes, Self::Digests];

    /// Adds `number` to this counter.
    #[inline]
    pub(crate) fn add(self, number: usize) {
        if cfg!(feature = "count") {
            self.counter().fetch_add(number, Relaxed);
        }
    }

    /// Number of reads of this kind since the process started.
    #[cfg(feature = "count")]
    pub fn so_far(self) -> usize {
        self.counter().load(Relaxed)
    }

    fn counter(self) -> &'static AtomicUsize {
        static COUNTERS: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];
        let [nodes, digests] = &COUNTERS;
        match self {
            Self::Nodes => nodes,
            Self::Digests => digests,
        }
    }
}
