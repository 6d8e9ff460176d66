//! Tables whose products use vector instructions: eight powers at once, or single ones.
//!
//! Both layouts (one number in each lane, or one number over all lanes) have the same Montgomery
//! forms, so they share one table. Its entries lie in the lanes: one instruction selects a limb of
//! eight entries for all lanes.

use core::array;

use montgomery_lanes::{LANES, Moduli, Modulus, Number, Numbers};
use rug::{Integer, integer::Order};
use zeroize::{Zeroize, Zeroizing};

use super::{RADIX, RADIX_BITS, Tables, boxed, words};
use crate::{
    digits::{Digits, to_usize},
    secret_integer::SecretInteger,
};

/// Maximum number of exponents in the last group that are computed one by one. A single power takes
/// a fifth of the time of eight powers at once.
const FEW: usize = 5;

/// Creates tables that fit the width of `modulus`, the product of a prime and its guard. Supports
/// the primes of RSA keys of 2048 and 3072 bits. The product has 1039 to 1088 bits for keys of
/// 2048 bits, and 1559 to 1600 bits for keys of 3072 bits.
pub(super) fn tables(base: &Integer, modulus: &Integer, bits: u32) -> Option<Box<dyn Tables>> {
    match modulus.significant_digits::<u64>() {
        17 => Rows::<21, 3>::new(base, modulus, bits).map(boxed),
        25 => Rows::<31, 4>::new(base, modulus, bits).map(boxed),
        _ => None,
    }
}

/// A table with one row of powers for each digit position.
struct Rows<const LIMBS: usize, const ROWS: usize> {
    one: Modulus<ROWS>,
    eight: Moduli<LIMBS>,
    /// Eight entries in each element.
    entries: Vec<Numbers<LIMBS>>,
}

impl<const LIMBS: usize, const ROWS: usize> Rows<LIMBS, ROWS> {
    fn new(base: &Integer, modulus: &Integer, bits: u32) -> Option<Self> {
        let base = SecretInteger::new(Integer::from(base % modulus));
        let modulus = Zeroizing::new(Number::from_words(&words(modulus))?);
        let one = Zeroizing::new(Modulus::new(&modulus)?);
        if one.limbs() != LIMBS {
            return None; // Too short for the layouts to have the same forms.
        }
        let eight = Moduli::new(&*Zeroizing::new(Numbers::splat_number(&modulus)?))?;
        let positions = to_usize(bits.div_ceil(RADIX_BITS));
        let mut entries = Vec::with_capacity(positions.saturating_mul(RADIX / LANES));
        let base = Zeroizing::new(Number::from_words(&words(&base))?);
        let mut unit = one.to_form(&base);
        for _ in 0..positions {
            let mut entry = *one.one();
            for _ in 0..RADIX / LANES {
                let mut group = Numbers::ZERO;
                for lane in 0..LANES {
                    group.set_number(lane, &entry);
                    entry = one.mul(&entry, &unit);
                }
                entries.push(group);
                group.zeroize();
            }
            unit = entry;
            entry.zeroize();
        }
        unit.zeroize();
        Some(Self {
            one: Modulus::clone(&one),
            eight,
            entries,
        })
    }

    /// Computes few powers one by one, row by row.
    fn singly(&self, digits: &[Digits]) -> Vec<SecretInteger> {
        let mut powers = vec![*self.one.one(); digits.len()];
        for (position, row) in self.rows() {
            for (power, digits) in powers.iter_mut().zip(digits) {
                let index = Zeroizing::new(digits.bits_at(position, RADIX_BITS));
                let found = Zeroizing::new(self.eight.look_up(row, [*index; LANES]));
                *power = self.one.mul(power, &Zeroizing::new(found.number(0)));
            }
        }
        let integers = powers.iter().map(|power| {
            let number = Zeroizing::new(self.one.from_form(power));
            integer(&Zeroizing::new(number.to_words::<LIMBS>()))
        });
        let integers = integers.collect();
        powers.zeroize();
        integers
    }

    /// Computes eight powers at once, row by row.
    fn in_lanes(&self, digits: &[Digits]) -> Vec<SecretInteger> {
        let groups = digits.chunks(LANES);
        let mut powers = vec![*self.eight.one(); groups.len()];
        for (position, row) in self.rows() {
            for (power, digits) in powers.iter_mut().zip(groups.clone()) {
                let indices: Zeroizing<[u64; LANES]> = Zeroizing::new(array::from_fn(|lane| {
                    let digits = digits.get(lane);
                    digits.map_or(0, |digits| digits.bits_at(position, RADIX_BITS))
                }));
                let mut factor = self.eight.look_up(row, *indices);
                *power = self.eight.mul(power, &factor);
                factor.zeroize();
            }
        }
        let mut integers = Vec::with_capacity(digits.len());
        for (power, digits) in powers.iter().zip(groups) {
            let residues = Zeroizing::new(self.eight.from_form(power));
            integers.extend((0..digits.len()).map(|lane| {
                let limbs = Zeroizing::new(residues.lane(lane));
                integer(&Zeroizing::new(Numbers::words_of::<LIMBS>(&limbs)))
            }));
        }
        powers.zeroize();
        integers
    }

    /// Iterates over the rows of the table, with the position of their digit in bits.
    fn rows(&self) -> impl Iterator<Item = (u32, &[Numbers<LIMBS>])> {
        let positions = (0..).step_by(to_usize(RADIX_BITS));
        positions.zip(self.entries.chunks(RADIX / LANES))
    }
}

fn integer<const WORDS: usize>(words: &[u64; WORDS]) -> SecretInteger {
    SecretInteger::new(Integer::from_digits(words, Order::Lsf))
}

impl<const LIMBS: usize, const ROWS: usize> Tables for Rows<LIMBS, ROWS> {
    fn are_modulo(&self, modulus: &Integer) -> bool {
        let Some(modulus) = Number::<ROWS>::from_words(&words(modulus)).map(Zeroizing::new) else {
            return false;
        };
        let copies = Numbers::splat_number(&modulus).map(Zeroizing::new);
        *self.one.modulus() == *modulus
            && copies.is_some_and(|copies| *self.eight.moduli() == *copies)
    }

    fn powers(&self, exponents: &[SecretInteger]) -> Vec<SecretInteger> {
        let digits = exponents.iter().map(|exponent| Digits::new(exponent));
        let digits: Vec<Digits> = digits.collect();
        // A short last group is computed one by one.
        let few = match digits.len() % LANES {
            rest @ 1..=FEW => rest,
            _ => 0,
        };
        let (many, few) = digits.split_at(digits.len() - few);
        let mut powers = self.in_lanes(many);
        powers.append(&mut self.singly(few));
        powers
    }

    #[cfg(test)]
    fn break_one_bit(&mut self) {
        // The digit at the first position may have any value.
        for group in self.entries.iter_mut().take(RADIX / LANES) {
            for lane in 0..LANES {
                let mut limbs = group.lane(lane);
                limbs[0] ^= 1;
                group.set(lane, &limbs);
            }
        }
    }
}

impl<const LIMBS: usize, const ROWS: usize> Drop for Rows<LIMBS, ROWS> {
    fn drop(&mut self) {
        self.entries.zeroize();
        self.one.zeroize();
        self.eight.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use core::mem::swap;

    use super::*;

    #[test]
    fn either_copy_of_the_modulus_counts() {
        let moduli = [1_u32, 3].map(|low| (Integer::from(1) << 1590_u32) + low);
        let base = Integer::from(5);
        let rows = |modulus| Rows::<31, 4>::new(&base, modulus, 60).expect("it fits");
        let [mut left, mut right] = moduli.each_ref().map(rows);
        assert!(left.are_modulo(&moduli[0]) && right.are_modulo(&moduli[1]));
        swap(&mut left.one, &mut right.one);
        for rows in [&left, &right] {
            assert!(!moduli.iter().any(|modulus| rows.are_modulo(modulus)));
        }
    }

    #[test]
    fn lengths_with_different_forms_have_no_tables() {
        for (bits, found) in [
            (1038, false),
            (1039, true),
            (1088, true),
            (1558, false),
            (1559, true),
        ] {
            let modulus = (Integer::from(1) << (bits - 1)) + 1_u32;
            let result = tables(&Integer::from(5), &modulus, 60).is_some();
            assert_eq!(result, found, "{bits} bits");
        }
    }
}
