//! Operation counters: a machine-independent measure of the cost of an operation.
//!
//! With the feature `count`, all threads of the process share the counters. Without the feature,
//! the counting calls compile to nothing. The search for primes is not counted, nor are the tables
//! of secret factors.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A counter of operations of modular arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Powers modulo `N`, each computed by a chain of squarings.
    Powers,
    /// Total number of bits of the exponents of all [`Counted::Powers`].
    Bits,
    /// Products and squares modulo `N`, except those inside [`Counted::Powers`].
    Products,
    /// Powers of the base that are computed with the secret factors.
    PowersByFactors,
}

impl Counted {
    /// All kinds of counted operations.
    pub const ALL: [Self; 4] = [
        Self::Powers,
        Self::Bits,
        Self::Products,
        Self::PowersByFactors,
    ];

    /// Adds `number` to this counter.
    #[inline]
    pub(crate) fn add(self, number: impl TryInto<usize>) {
        if cfg!(feature = "count") {
            let number = number.try_into().unwrap_or(usize::MAX);
            self.counter().fetch_add(number, Relaxed);
        }
    }

    /// Number of operations of this kind since the process started.
    #[cfg(feature = "count")]
    pub fn so_far(self) -> usize {
        self.counter().load(Relaxed)
    }

    fn counter(self) -> &'static AtomicUsize {
        static COUNTERS: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];
        let [powers, bits, products, powers_by_factors] = &COUNTERS;
        match self {
            Self::Powers => powers,
            Self::Bits => bits,
            Self::Products => products,
            Self::PowersByFactors => powers_by_factors,
        }
    }
}
