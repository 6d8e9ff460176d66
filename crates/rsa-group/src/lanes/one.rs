//! Powers with the limbs of one number in all lanes.

use montgomery_lanes::{Modulus, Number};
use rug::{Complete, Integer, integer::Order};

use crate::{
    count::Counted,
    digits::{power_of_two, to_usize, window_of_least_cost},
    modular_group::ModularGroup,
};

/// Maximum number of 64-bit words of a number: eight rows of 416 bits.
const WORDS: usize = 52;

/// The group modulo one number, whose elements are values below twice the modulus in Montgomery
/// form.
#[derive(Debug)]
pub(super) struct One<const ROWS: usize> {
    pub(super) arithmetic: Modulus<ROWS>,
    modulus: Integer,
}

impl<const ROWS: usize> One<ROWS> {
    pub(super) fn new(modulus: &Integer) -> Option<Self> {
        Some(Self {
            arithmetic: Modulus::new(&number(modulus)?)?,
            modulus: modulus.clone(),
        })
    }

    /// Converts any number to the form of its residue.
    pub(super) fn form(&self, integer: &Integer) -> Number<ROWS> {
        let number = if *integer < 0 || *integer >= self.modulus {
            number(&integer.modulo_ref(&self.modulus).complete())
        } else {
            number(integer)
        };
        self.arithmetic.to_form(&number.unwrap_or(Number::ZERO))
    }

    /// Converts a form to the number below the modulus.
    pub(super) fn integer(&self, form: &Number<ROWS>) -> Integer {
        let words: [u64; WORDS] = self.arithmetic.from_form(form).to_words();
        Integer::from_digits(&words, Order::Lsf)
    }
}

impl<const ROWS: usize> ModularGroup for One<ROWS> {
    type Element = Number<ROWS>;

    fn one(&self) -> Number<ROWS> {
        *self.arithmetic.one()
    }

    fn multiply(&self, left: &Number<ROWS>, right: &Number<ROWS>) -> Number<ROWS> {
        Counted::Products.add(1);
        self.arithmetic.mul(left, right)
    }

    fn square_times(&self, base: &Number<ROWS>, count: u32) -> Number<ROWS> {
        Counted::Products.add(count);
        self.arithmetic.square_times(base, count)
    }

    fn power(&self, base: &Number<ROWS>, exponent: &Integer) -> Number<ROWS> {
        Counted::Powers.add(1);
        Counted::Bits.add(exponent.significant_bits());
        self.raise(base, exponent)
    }

    fn inverse(&self, base: &Number<ROWS>) -> Number<ROWS> {
        let inverse = self.integer(base).invert(&self.modulus);
        self.form(&inverse.unwrap_or_else(|number| number))
    }
}

impl<const ROWS: usize> One<ROWS> {
    /// Raises a form to an exponent, in sliding windows. The caller counts the operations.
    ///
    /// Source: Menezes, van Oorschot & Vanstone 1996, "Handbook of Applied Cryptography", algorithm
    /// 14.85.
    pub(super) fn raise(&self, base: &Number<ROWS>, exponent: &Integer) -> Number<ROWS> {
        debug_assert!(*exponent >= 0, "exponents are not negative");
        let bits = exponent.significant_bits();
        let window = window_of_least_cost(|window| {
            power_of_two(window - 1).saturating_add(to_usize(bits / (window + 1)))
        });
        let odd_powers = self.odd_powers(base, power_of_two(window - 1));
        let mut power = *self.arithmetic.one();
        let mut rest = bits;
        while let Some(highest) = rest.checked_sub(1) {
            if !exponent.get_bit(highest) {
                power = self.arithmetic.square_times(&power, 1);
                rest = highest;
                continue;
            }
            // The window ends with its lowest set bit, so its digit is odd.
            let end = rest.saturating_sub(window);
            let lowest = (end..rest).find(|bit| exponent.get_bit(*bit));
            let lowest = lowest.unwrap_or(highest);
            let digit = (lowest..rest).rev().fold(0_usize, |digit, bit| {
                (digit << 1) | usize::from(exponent.get_bit(bit))
            });
            if let Some(factor) = odd_powers.get(digit >> 1) {
                power = if rest == bits {
                    *factor
                } else {
                    self.arithmetic
                        .mul(&self.arithmetic.square_times(&power, rest - lowest), factor)
                };
            }
            rest = lowest;
        }
        power
    }

    /// Computes `base^1`, `base^3`, `base^5` and so on.
    fn odd_powers(&self, base: &Number<ROWS>, count: usize) -> Vec<Number<ROWS>> {
        let square = self.arithmetic.square_times(base, 1);
        let next = |power: &Number<ROWS>| Some(self.arithmetic.mul(power, &square));
        core::iter::successors(Some(*base), next)
            .take(count)
            .collect()
    }
}

/// Converts a nonnegative number, or returns `None` if it does not fit.
fn number<const ROWS: usize>(integer: &Integer) -> Option<Number<ROWS>> {
    Number::from_words(&integer.to_digits::<u64>(Order::Lsf))
}
