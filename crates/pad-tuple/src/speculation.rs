//! When generations are merged.

use core::num::NonZeroUsize;

/// An author's rule for merging generations. Servers and clients need not know it: every snapshot says what it
/// merges, and every tuple of the youngest generation names the epochs of the older ones.
///
/// Source: Crosby & Wallach 2010, sections 4.2 and 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Speculation {
    /// Generation `g` of `C` is merged when it holds `K^(1 - r) * n^r` tuples, `r = (g + 1) / C`, for
    /// `n` keys and a running mean of `K` updates per snapshot. With two generations that is after
    /// about `sqrt(n / K)` snapshots.
    #[default]
    Balanced,
    /// Generation 0 is merged when it holds so many tuples, generation 1 when it holds so many times
    /// as many, and so on.
    Size(NonZeroUsize),
}

impl Speculation {
    /// The generation to merge into, given each generation's tuples, the keys in all, this snapshot's
    /// operations and the mean number of operations per snapshot.
    pub(crate) fn merged(
        self,
        sizes: &[usize],
        keys: usize,
        operations: usize,
        mean: f64,
    ) -> usize {
        let oldest = sizes.len() - 1;
        let mut gathered = operations;
        for (generation, size) in sizes[..oldest].iter().enumerate() {
            // Stored sizes may be anything.
            gathered = gathered.saturating_add(*size);
            if to_float(gathered) < self.limit(generation, sizes.len(), keys, mean) {
                return generation;
            }
        }
        oldest
    }

    fn limit(self, generation: usize, generations: usize, keys: usize, mean: f64) -> f64 {
        match self {
            Self::Balanced => {
                let share = to_float(generation + 1) / to_float(generations);
                mean.max(1.0).powf(1.0 - share) * to_float(keys.max(1)).powf(share)
            }
            Self::Size(size) => {
                let exponent = i32::try_from(generation + 1).unwrap_or(i32::MAX);
                to_float(size.get()).powi(exponent)
            }
        }
    }
}

/// Sizes below 2^32 as they are; larger ones do not fit a repository.
fn to_float(size: usize) -> f64 {
    u32::try_from(size).map_or(f64::INFINITY, f64::from)
}

#[cfg(test)]
mod tests;
