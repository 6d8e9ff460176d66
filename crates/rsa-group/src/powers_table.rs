//! Powers of a public base from a published table, without squarings of the base.
//!
//! The table of a base `g` contains `g^(2^(24 i))` for `i = 0, 1, ...`. An exponent is read in
//! digits. Each digit at bit `24 i + j` multiplies entry `i` into a bucket, and the buckets are
//! combined into the power:
//!
//! ```text
//! entry            0         1         2           one per 24 bits of exponent
//! exponent   |....|....|....|....|....|....|...    digits of `window` bits
//! position j   0    1    2    0    1    2          one set of buckets for each j
//! ```
//!
//! Source: Brickell, Gordon, `McCurley` & Wilson 1992, "Fast exponentiation with precomputation".

use std::sync::Arc;

use pad_core::Workers;
use rug::Integer;

use crate::{
    digits::to_usize,
    exponentiation::multi_power,
    group::{ModularGroup, Residue, ResidueGroup},
};

/// Number of exponent bits between two entries of a table: an entry is the previous one raised to
/// `2^STRIDE`.
pub const STRIDE: u32 = 24;

/// A table of `g^(2^(24 i))` for `i = 0, 1, 2, ...` and a base `g`. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowersTable {
    entries: Arc<[Residue]>,
}

impl PowersTable {
    /// Computes the table of `base` for exponents of up to `bits` bits.
    ///
    /// Cost: one squaring per bit, on one thread.
    pub fn compute(group: &ResidueGroup, base: &Residue, bits: usize) -> Self {
        let mut number = base.as_integer().clone();
        let mut entries = vec![base.clone()];
        for _ in 1..bits.div_ceil(to_usize(STRIDE)) {
            number = group.square_times(&number, STRIDE);
            entries.push(group.canonical(number.clone()));
        }
        Self {
            entries: entries.into(),
        }
    }

    /// Creates a table from its entries, which are not checked. See [`Self::is_consistent`].
    pub fn from_entries(entries: Vec<Residue>) -> Self {
        Self {
            entries: entries.into(),
        }
    }

    /// The entries `g^(2^(24 i))`, in ascending order of `i`.
    pub fn entries(&self) -> &[Residue] {
        &self.entries
    }

    /// Maximum length in bits of an exponent for [`Self::power`].
    pub fn bits(&self) -> usize {
        self.entries.len().saturating_mul(to_usize(STRIDE))
    }

    /// Returns whether the first entry is `base`. The other entries are not checked.
    pub fn starts_with(&self, base: &Residue) -> bool {
        self.entries.first() == Some(base)
    }

    /// Computes `g^exponent`, or returns `None` if the exponent has more than [`Self::bits`] bits.
    ///
    /// Cost: a product for each digit, and two for each bucket.
    pub fn power(
        &self,
        group: &ResidueGroup,
        exponent: &Integer,
        workers: &Workers,
    ) -> Option<Integer> {
        let entries = to_usize(exponent.significant_bits().div_ceil(STRIDE));
        let entries = self.entries.get(..entries)?;
        let entries: Vec<&Integer> = entries.iter().map(Residue::as_integer).collect();
        Some(group.power_of_table(&entries, STRIDE, exponent, workers))
    }

    /// Returns whether every entry is the previous one raised to `2^24`. There must be one
    /// coefficient fewer than entries. The coefficients must be random numbers that were
    /// unpredictable before the entries were fixed.
    ///
    /// The product of the `entry_(i+1)^(c_i)` must equal the product of the `entry_i^(c_i)`,
    /// squared 24 times. With coefficients of 128 bits, a false table passes with probability
    /// `2^-128`, unless its errors have a known small order. No such element of the group can be
    /// found without the factors.
    ///
    /// Source: Bellare, Garay & Rabin 1998, "Fast batch verification for modular exponentiation and
    /// digital signatures" (small exponents); Boneh, Bünz & Fisch 2019 (groups of unknown order).
    pub fn is_consistent(&self, group: &ResidueGroup, coefficients: &[Integer]) -> bool {
        let numbers = self.entries.iter().map(Residue::as_integer);
        let numbers: Vec<Integer> = numbers.cloned().collect();
        let (Some((_, later)), Some((_, earlier))) = (numbers.split_first(), numbers.split_last())
        else {
            return false;
        };
        let squared = multi_power(group, earlier, coefficients);
        let squared = group.square_times(&squared, STRIDE);
        group.same(&squared, &multi_power(group, later, coefficients))
    }
}
