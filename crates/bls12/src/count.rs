//! Operation counters: a machine-independent measure of the cost of an operation.
//!
//! With the feature `count`, all threads of the process share the counters. Without the feature,
//! the counting calls compile to nothing. Decoding points and hashing to the curve are not counted,
//! nor are tables that are computed once for a key or a process.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A kind of counted operation on points of G1 or G2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Multiplications of a single point by a scalar.
    Multiples,
    /// Multi-scalar sums: sums of multiples of several points, computed together.
    Sums,
    /// Terms of the sums that [`Counted::Sums`] counts.
    Terms,
    /// Pairings. A product of pairings counts each pair of points.
    Pairings,
}

impl Counted {
    /// All kinds of counted operations.
    pub const ALL: [Self; 4] = [Self::Multiples, Self::Sums, Self::Terms, Self::Pairings];

    /// Adds `number` to this counter.
    #[inline]
    pub fn add(self, number: usize) {
        if cfg!(feature = "count") {
            self.counter().fetch_add(number, Relaxed);
        }
    }

    /// Adds `sums` to [`Counted::Sums`], and `terms` for each sum to [`Counted::Terms`].
    #[inline]
    pub fn add_sums(sums: usize, terms: usize) {
        Self::Sums.add(sums);
        Self::Terms.add(sums.saturating_mul(terms));
    }

    /// Number of operations of this kind since the process started.
    #[cfg(feature = "count")]
    pub fn so_far(self) -> usize {
        self.counter().load(Relaxed)
    }

    fn counter(self) -> &'static AtomicUsize {
        static COUNTERS: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];
        let [multiples, sums, terms, pairings] = &COUNTERS;
        match self {
            Self::Multiples => multiples,
            Self::Sums => sums,
            Self::Terms => terms,
            Self::Pairings => pairings,
        }
    }
}
