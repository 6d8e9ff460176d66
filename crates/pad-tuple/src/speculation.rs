//! Rules that decide when an author merges generations.

use core::num::NonZeroUsize;

/// An author's rule for merging generations. Servers and clients need not know the rule. Every
/// snapshot names the generations that it merges. Every tuple of the youngest generation names the
/// epochs of the older generations.
///
/// Source: Crosby & Wallach 2010, sections 4.2 and 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Speculation {
    /// Merges generation `g` (of `C` generations) into an older one when it is full. It is full
    /// when the number of its tuples, the tuples of all younger generations and the new operations
    /// is at least `K^(1 - r) * n^r`. Here `r = (g + 1) / C`, `n` is the number of keys, and `K`
    /// the running mean of operations per snapshot. With two generations, a merge happens after
    /// about `sqrt(n / K)` snapshots.
    #[default]
    Balanced,
    /// Merges generation 0 when it reaches the given number `m` of tuples, generation 1 at `m^2`,
    /// and so on. Tuples are counted as in [`Speculation::Balanced`].
    Size(NonZeroUsize),
}

impl Speculation {
    /// Returns the generation into which a snapshot merges all younger generations. `sizes`
    /// contains the number of tuples of each generation, youngest first. `keys` is the total number
    /// of keys, and `operations` the number of operations of this snapshot. `mean` is the mean
    /// number of operations per snapshot.
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
            // Stored sizes may have any value.
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

/// Converts a number of tuples to a float, exactly below 2^32. Larger numbers, which no repository
/// contains, become infinity.
fn to_float(size: usize) -> f64 {
    u32::try_from(size).map_or(f64::INFINITY, f64::from)
}

#[cfg(test)]
mod tests;
