//! Counters of reads from stores in memory: a machine-independent measure of an operation.
//!
//! With the feature `count`, each thread has its own counters, so that threads do not slow each
//! other down. Without the feature, the counting calls compile to nothing. Reads that a store makes
//! by itself are not counted, for example to recompute a digest of an old version.

use core::cell::Cell;

/// A kind of counted reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Inner nodes whose children were read.
    Nodes,
    /// Nodes whose digests were read.
    Digests,
}

thread_local! {
    static COUNTERS: [Cell<usize>; 2] = const { [const { Cell::new(0) }; 2] };
}

impl Counted {
    /// All kinds of counted reads.
    pub const ALL: [Self; 2] = [Self::Nodes, Self::Digests];

    /// Adds `number` to this counter of the calling thread.
    #[inline]
    pub(crate) fn add(self, number: usize) {
        if cfg!(feature = "count") {
            COUNTERS.with(|counters| self.of(counters).update(|count| count + number));
        }
    }

    /// Number of reads of this kind by the calling thread so far.
    #[cfg(feature = "count")]
    pub fn so_far(self) -> usize {
        COUNTERS.with(|counters| self.of(counters).get())
    }

    fn of(self, [nodes, digests]: &[Cell<usize>; 2]) -> &Cell<usize> {
        match self {
            Self::Nodes => nodes,
            Self::Digests => digests,
        }
    }
}
