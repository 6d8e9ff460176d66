//! What is computed, counted: how much an operation needs does not depend on the machine.
//!
//! With the feature `count` all threads of the process count together. Without it nothing is counted, and nothing is left of the
//! calls. Decoding points and hashing to the curve do not count, nor do tables that are made once for a key or a process.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What is counted, in either group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Scalar multiples that are computed by themselves.
    Multiples,
    /// Sums of scalar multiples that are computed together.
    Sums,
    /// The terms of these sums.
    Terms,
    /// Pairings: pairs of points in products of pairings.
    Pairings,
}

impl Counted {
    /// Everything that is counted.
    pub const ALL: [Self; 4] = [Self::Multiples, Self::Sums, Self::Terms, Self::Pairings];

    /// Counts so many.
    #[inline]
    pub fn add(self, number: usize) {
        if cfg!(feature = "count") {
            self.counter().fetch_add(number, Relaxed);
        }
    }

    /// Counts sums of so many terms each.
    #[inline]
    pub fn add_sums(sums: usize, terms: usize) {
        Self::Sums.add(sums);
        Self::Terms.add(sums.saturating_mul(terms));
    }

    /// How many there were since the process began.
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
