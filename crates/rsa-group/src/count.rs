//! What is computed, counted: how much an operation needs does not depend on the machine.
//!
//! With the feature `count` all threads of the process count together. Without it nothing is counted, and nothing is left of the
//! calls. The search for primes does not count, nor do tables that are made once for a key.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Powers modulo `N`, by GMP: a chain of squarings each.
    Powers,
    /// The bits of their exponents.
    Bits,
    /// Products and squares modulo `N`, without those of GMP's powers.
    Products,
    /// Powers of the base by the holder of the factors.
    PowersByFactors,
}

impl Counted {
    /// Everything that is counted.
    pub const ALL: [Self; 4] = [
        Self::Powers,
        Self::Bits,
        Self::Products,
        Self::PowersByFactors,
    ];

    /// Counts so many.
    #[inline]
    pub(crate) fn add(self, number: impl TryInto<usize>) {
        if cfg!(feature = "count") {
            let number = number.try_into().unwrap_or(usize::MAX);
            self.counter().fetch_add(number, Relaxed);
        }
    }

    /// How many there were since the process began.
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
