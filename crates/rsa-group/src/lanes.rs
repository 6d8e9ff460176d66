//! Public powers with vector instructions: of eight bases at once, or with the limbs of one number
//! in all lanes.

use core::fmt::Debug;
use std::sync::Arc;

pub(crate) use montgomery_lanes::LANES;
use pad_core::Workers;
use rug::Integer;

mod eight;
mod one;
#[cfg(test)]
mod tests;

use self::{eight::Eight, one::One};
use crate::exponentiation::{multi_power, power_of_table, powers_of_one_base};

/// Maximum number of bases that are raised one after the other. A product of eight numbers takes
/// the time of five to seven products of one.
const FEW: usize = 5;

/// Powers modulo one number. Exponents are not negative, and the results are below the modulus.
pub(crate) trait Lanes: Debug + Send + Sync {
    /// Raises each of at most eight `bases` to all exponents at its index. Returns the powers in
    /// the order of the exponents.
    ///
    /// Cost: `b` squarings and `k (b / w + 2^(w + 1))` products of eight. A base has at most `k`
    /// exponents of at most `b` bits, and windows have `w` bits. Up to five bases are raised one
    /// after the other instead, with products of one number.
    fn powers(&self, bases: &[&Integer], exponents: &[&[&Integer]]) -> Vec<Vec<Integer>>;

    /// Raises one base to one exponent.
    ///
    /// Cost: `b` squarings and `b / (w + 1) + 2^(w - 1)` products of one number, with `b` bits and
    /// windows of `w`.
    fn power(&self, base: &Integer, exponent: &Integer) -> Integer;

    /// Squares a number `count` times.
    fn square_times(&self, base: &Integer, count: u32) -> Integer;

    /// Computes the product of all `base_i^(e_i)`. See
    /// [`multi_power`](crate::exponentiation::multi_power).
    fn multi_power(&self, bases: &[Integer], exponents: &[Integer]) -> Integer;

    /// Computes a power from a table. See
    /// [`power_of_table`](crate::exponentiation::power_of_table).
    fn power_of_table(
        &self,
        entries: &[&Integer],
        stride: u32,
        exponent: &Integer,
        workers: &Workers,
    ) -> Integer;
}

/// Returns arithmetic in lanes, or `None` if the processor has no fast lanes or no supported layout
/// fits the length of the modulus.
pub(crate) fn for_modulus(modulus: &Integer) -> Option<Arc<dyn Lanes>> {
    if !montgomery_lanes::are_fast() {
        return None;
    }
    match modulus.significant_bits() {
        1985..=2048 => Some(Arc::new(Group::<40, 5>::new(modulus)?)),
        3009..=3072 => Some(Arc::new(Group::<60, 8>::new(modulus)?)),
        _ => None,
    }
}

/// Arithmetic modulo one number, in both layouts.
#[derive(Debug)]
struct Group<const LIMBS: usize, const ROWS: usize> {
    eight: Eight<LIMBS>,
    one: One<ROWS>,
}

impl<const LIMBS: usize, const ROWS: usize> Group<LIMBS, ROWS> {
    fn new(modulus: &Integer) -> Option<Self> {
        Some(Self {
            eight: Eight::new(modulus)?,
            one: One::new(modulus)?,
        })
    }
}

impl<const LIMBS: usize, const ROWS: usize> Lanes for Group<LIMBS, ROWS> {
    fn powers(&self, bases: &[&Integer], exponents: &[&[&Integer]]) -> Vec<Vec<Integer>> {
        if bases.len() > FEW {
            return self.eight.powers(bases, exponents);
        }
        let of_base = |(base, exponents): (&&Integer, &&[&Integer])| {
            let powers = powers_of_one_base(&self.one, &self.one.form(base), exponents);
            powers.iter().map(|power| self.one.integer(power)).collect()
        };
        bases.iter().zip(exponents).map(of_base).collect()
    }

    fn power(&self, base: &Integer, exponent: &Integer) -> Integer {
        let form = self.one.form(base);
        self.one.integer(&self.one.raise(&form, exponent))
    }

    fn square_times(&self, base: &Integer, count: u32) -> Integer {
        let form = self.one.form(base);
        let power = self.one.arithmetic.square_times(&form, count);
        self.one.integer(&power)
    }

    fn multi_power(&self, bases: &[Integer], exponents: &[Integer]) -> Integer {
        let forms: Vec<_> = bases.iter().map(|base| self.one.form(base)).collect();
        self.one.integer(&multi_power(&self.one, &forms, exponents))
    }

    fn power_of_table(
        &self,
        entries: &[&Integer],
        stride: u32,
        exponent: &Integer,
        workers: &Workers,
    ) -> Integer {
        let forms: Vec<_> = entries.iter().map(|entry| self.one.form(entry)).collect();
        let power = power_of_table(&self.one, &forms, stride, exponent, workers);
        self.one.integer(&power)
    }
}
