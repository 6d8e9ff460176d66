//! Deterministic primality test that resists constructed pseudoprimes.
//!
//! A number passes if it passes all of
//!
//! 1. the strong probable-prime test to base 2, which ends the search for nearly every composite;
//! 2. the extra strong Lucas test, with the parameters of Baillie's method C. Together these two
//!    are a Baillie-PSW test. No composite is known to pass it, and none below 2^64 does;
//! 3. [`ROUNDS`] rounds of Miller-Rabin with bases from SHA-256 of the number itself. A composite
//!    passes a round for at most a quarter of the bases. An attacker must try candidates one by
//!    one, since changing the number changes the bases. Fixed bases would let an attacker construct
//!    pseudoprimes to them (Arnault 1995).
//!
//! The tested numbers are public, so the running time may depend on them.
//!
//! Deviation: Crosby & Wallach 2010, section 5.2, perform 82 rounds of Miller-Rabin. The error
//! bound for these is 2^-164 for the worst possible composite. Candidates here are outputs of a
//! hash function, for which a single round errs far more rarely (Damgård, Landrock & Pomerance
//! 1993).
//!
//! Source: Baillie & Wagstaff 1980, "Lucas pseudoprimes"; Grantham 2001, "Frobenius pseudoprimes"
//! (extra strong); Baillie, Fiori & Wagstaff 2021, "Strengthening the Baillie-PSW primality test".

#![deny(clippy::arithmetic_side_effects)]
#![allow(clippy::inline_always, reason = "a call costs as much as the work")]

use pad_core::{Sha256Ed25519, Suite, internals::Domain};
use rsa_group::montgomery::{Montgomery, mask, select};
use rug::{Integer, integer::Order};

pub(crate) mod lanes;
#[cfg(test)]
mod tests;

/// Number of Miller-Rabin rounds after the Baillie-PSW test.
const ROUNDS: u8 = 3;
/// Numbers below this bound are tested by trial division only.
const SMALL: u64 = 1 << 16;
/// The search for a Lucas parameter tests whether the number is a square when it reaches this
/// candidate. No parameter exists for a square.
const BEFORE_SQUARE_TEST: u64 = 12;
/// Upper bound of the Lucas parameters `P` that are tried. A number of at least [`SMALL`] that
/// shares a factor with a discriminant `(P - 2)(P + 2)` is therefore composite. For a number that
/// is not a square, half of all `P` are suitable.
const LUCAS_BOUND: u64 = 1 << 15;

/// Returns whether `number`, in little-endian limbs, is prime. See the module documentation for the
/// error probability.
///
/// Cost for a prime of b bits: about 2 b squarings (base 2, Lucas) and b products (Lucas). Each
/// Miller-Rabin round adds b squarings and b / 4 products. Nearly every composite costs b
/// squarings.
pub(crate) fn is_prime<const LIMBS: usize>(number: &[u64; LIMBS]) -> bool {
    if let [low, high @ ..] = number.as_slice()
        && *low < SMALL
        && high.iter().all(|limb| *limb == 0)
    {
        return is_small_prime(*low);
    }
    Candidate::new(*number)
        .is_some_and(|candidate| candidate.passes_base_two() && candidate.passes_the_rest())
}

fn is_small_prime(number: u64) -> bool {
    // 251 is the largest prime whose square is below 2^16.
    let divides = |divisor: u64| number.checked_rem(divisor) == Some(0);
    number >= 2 && !(2..=251).any(|divisor| divisor < number && divides(divisor))
}

/// An odd number whose primality is tested, with values that several tests use.
struct Candidate<const LIMBS: usize> {
    field: Montgomery<LIMBS>,
    /// Montgomery form of -1.
    minus_one: [u64; LIMBS],
}

impl<const LIMBS: usize> Candidate<LIMBS> {
    fn new(number: [u64; LIMBS]) -> Option<Self> {
        let field = Montgomery::new(number)?;
        let minus_one = field.subtract(&[0; LIMBS], field.one());
        Some(Self { field, minus_one })
    }

    /// Performs the strong probable-prime test to base 2. Returns whether the number passes.
    fn passes_base_two(&self) -> bool {
        let mut number_less_one = *self.field.modulus();
        clear_lowest_bit(&mut number_less_one);
        let (exponent, twos) = split_twos(&number_less_one);
        self.reaches_minus_one(self.power_of_two(&exponent), twos)
    }

    /// Performs the tests that follow the base-2 test. Returns whether the number passes all.
    fn passes_the_rest(&self) -> bool {
        self.passes_lucas() && (0..ROUNDS).all(|round| self.passes_round(round))
    }

    /// Computes `2^exponent` modulo the number, in Montgomery form.
    fn power_of_two(&self, exponent: &[u64; LIMBS]) -> [u64; LIMBS] {
        let mut power = *self.field.one();
        if self.field.has_room() {
            // Doublings are shifts into the spare bits, up to fifteen at a time.
            for digit in digits(exponent) {
                for _ in 0..4 {
                    power = self.field.square_loosely(&power);
                }
                power = shift_left(&power, digit);
            }
            // A product with the form of 1 reduces the shifted number below n.
            return self.field.mul(&power, self.field.one());
        }
        for bit in bits(exponent) {
            power = self.field.square(&power);
            // The bits are random: a branch would cost more than an unused doubling.
            power = select(mask(bit), &self.field.double(&power), &power);
        }
        power
    }

    /// Performs the strong probable-prime test with the base that is derived for `round`. Returns
    /// whether the number passes.
    fn passes_round(&self, round: u8) -> bool {
        let base = self
            .field
            .to_form(&hashed_words(self.field.modulus(), round));
        if base == [0; LIMBS] || base == *self.field.one() || base == self.minus_one {
            return true; // Such a base tests nothing. It occurs only in unit tests.
        }
        let mut number_less_one = *self.field.modulus();
        clear_lowest_bit(&mut number_less_one);
        let (exponent, twos) = split_twos(&number_less_one);
        self.reaches_minus_one(self.power(&base, &exponent), twos)
    }

    /// Returns whether the number passes a strong probable-prime test. It passes if `power` is 1,
    /// or if one of `power^(2^i)` with `i` below `twos` is -1.
    fn reaches_minus_one(&self, mut power: [u64; LIMBS], twos: u32) -> bool {
        if power == *self.field.one() {
            return true;
        }
        for _ in 0..twos {
            if power == self.minus_one {
                return true;
            }
            power = self.field.square(&power);
        }
        false
    }

    /// Computes `base^exponent` modulo the number, in windows of four bits of the exponent.
    fn power(&self, base: &[u64; LIMBS], exponent: &[u64; LIMBS]) -> [u64; LIMBS] {
        let mut table = [*self.field.one(); 16];
        let mut entry = *self.field.one();
        for place in table.iter_mut().skip(1) {
            entry = self.field.mul(&entry, base);
            *place = entry;
        }
        let mut power = *self.field.one();
        for digit in digits(exponent) {
            for _ in 0..4 {
                power = self.field.square(&power);
            }
            if let Some(entry) = table.get(digit).filter(|_| digit != 0) {
                power = self.field.mul(&power, entry);
            }
        }
        power
    }

    /// Performs the extra strong Lucas test with `Q = 1` and P by method C. With `n + 1 = d 2^s`, d
    /// odd, a number `n` passes if `U_d = 0` and `V_d = ±2`. It also passes if `V_(d 2^r) = 0` for
    /// some `r < s - 1`.
    fn passes_lucas(&self) -> bool {
        let Some(parameter) = lucas_parameter(self.field.modulus()) else {
            return false;
        };
        let Some(number_plus_one) = increment(self.field.modulus()) else {
            return false; // 2^(64 LIMBS) - 1 is a multiple of 3.
        };
        let (index, twos) = split_twos(&number_plus_one);
        let field = &self.field;
        let two = field.double(field.one());
        let parameter = field.to_form(&from_word(parameter));
        // V_k and V_(k + 1): V_2k = V_k^2 - 2, V_(2k + 1) = V_k V_(k + 1) - P.
        let (mut current, mut next) = (two, parameter);
        for bit in bits(&index) {
            let between = field.subtract(&field.mul(&current, &next), &parameter);
            let chosen = select(mask(bit), &next, &current);
            let doubled = field.subtract(&field.square(&chosen), &two);
            current = select(mask(bit), &between, &doubled);
            next = select(mask(bit), &doubled, &between);
        }
        // U_d (P^2 - 4) = 2 V_(d + 1) - P V_d. For V_d = ±2 it vanishes if V_(d + 1) = ±P.
        let negated = |form: &[u64; LIMBS]| field.subtract(&[0; LIMBS], form);
        if (current == two && next == parameter)
            || (current == negated(&two) && next == negated(&parameter))
        {
            return true;
        }
        for _ in 1..twos {
            if current == [0; LIMBS] {
                return true;
            }
            current = field.subtract(&field.square(&current), &two);
        }
        false
    }
}

/// Finds the parameter of the Lucas test: the least P from 3 on with Jacobi symbol
/// `(P^2 - 4 | number) = -1`. Returns `None` for squares, or if a factor of the number is found.
/// `number` must be odd and at least [`SMALL`].
fn lucas_parameter<const LIMBS: usize>(number: &[u64; LIMBS]) -> Option<u64> {
    let number = Integer::from_digits(number, Order::Lsf);
    for parameter in 3..LUCAS_BOUND {
        let discriminant = Integer::from(parameter.wrapping_mul(parameter).wrapping_sub(4));
        match discriminant.jacobi(&number) {
            -1 => return Some(parameter),
            0 => return None,
            _ if parameter == BEFORE_SQUARE_TEST && number.is_perfect_square() => return None,
            _ => {}
        }
    }
    None
}

/// Derives `LIMBS` pseudorandom words for the base of a Miller-Rabin round from SHA-256 of the
/// number.
///
/// The hashed input has an even number of bytes. It therefore differs from every input of an
/// element's expansion (33 bytes).
fn hashed_words<const LIMBS: usize>(number: &[u64; LIMBS], round: u8) -> [u64; LIMBS] {
    let bytes = number.map(u64::to_le_bytes);
    let mut words = [0; LIMBS];
    for (block, words) in (0_u8..).zip(words.chunks_mut(4)) {
        let parts: [&[u8]; 2] = [bytes.as_flattened(), &[round, block]];
        let digest = Sha256Ed25519::hash(Domain::AccumulatorExpand, &parts);
        for (word, bytes) in words.iter_mut().zip(digest.0.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
    }
    words
}

/// Iterates over the bits, from the highest set bit down.
fn bits<const LIMBS: usize>(number: &[u64; LIMBS]) -> impl Iterator<Item = bool> {
    let limbs = number.iter().rev();
    limbs
        .flat_map(|limb| (0..u64::BITS).rev().map(move |bit| (limb >> bit) & 1 == 1))
        .skip_while(|bit| !bit)
}

/// Iterates over the base-16 digits, from the highest nonzero digit down.
fn digits<const LIMBS: usize>(number: &[u64; LIMBS]) -> impl Iterator<Item = usize> {
    let bytes = number.iter().rev().flat_map(|limb| limb.to_be_bytes());
    bytes
        .flat_map(|byte| [usize::from(byte >> 4), usize::from(byte & 15)])
        .skip_while(|digit| *digit == 0)
}

/// Computes `number * 2^bits` for up to 15 bits. The number must have that many spare bits.
#[inline(always)]
fn shift_left<const LIMBS: usize>(number: &[u64; LIMBS], bits: usize) -> [u64; LIMBS] {
    let bits = u32::try_from(bits & 15).unwrap_or(0);
    let mut below = 0_u64;
    number.map(|limb| {
        let shifted = (limb << bits) | below;
        // Two shifts, since one shift by 64 bits is not possible.
        below = (limb >> 1) >> (63 ^ bits);
        shifted
    })
}

/// Clears the lowest bit, which subtracts 1 from an odd number.
fn clear_lowest_bit<const LIMBS: usize>(number: &mut [u64; LIMBS]) {
    if let Some(lowest) = number.first_mut() {
        *lowest &= !1;
    }
}

/// Computes `number + 1`, or `None` on overflow.
fn increment<const LIMBS: usize>(number: &[u64; LIMBS]) -> Option<[u64; LIMBS]> {
    let mut carry = true;
    let sum = number.map(|limb| {
        let sum;
        (sum, carry) = limb.carrying_add(0, carry);
        sum
    });
    (!carry).then_some(sum)
}

/// Splits a nonzero number into `odd * 2^twos`. Returns `odd` and `twos`.
fn split_twos<const LIMBS: usize>(number: &[u64; LIMBS]) -> ([u64; LIMBS], u32) {
    let mut odd = *number;
    let mut twos = 0_u32;
    while odd.first() == Some(&0) && odd.iter().any(|limb| *limb != 0) {
        odd.rotate_left(1);
        twos = twos.wrapping_add(u64::BITS);
    }
    let shift = odd.first().map_or(0, |limb| limb.trailing_zeros());
    let mut above = 0_u64;
    for limb in odd.iter_mut().rev() {
        // Two shifts, since one shift by 64 bits is not possible.
        let shifted_out = (*limb << 1).wrapping_shl(63 ^ shift);
        (*limb, above) = ((*limb >> shift) | above, shifted_out);
    }
    (odd, twos.wrapping_add(shift))
}

fn from_word<const LIMBS: usize>(word: u64) -> [u64; LIMBS] {
    let mut number = [0; LIMBS];
    if let Some(lowest) = number.first_mut() {
        *lowest = word;
    }
    number
}
