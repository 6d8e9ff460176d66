//! Inversion in the base field.
//!
//! The binary Euclidean algorithm halves and subtracts two numbers, some 500 times for 381 bits.
//! Here a round finds 31 halvings from approximations of 64 bits. Then it applies them to the whole
//! numbers, and to the two coefficients that become the inverse. The division of the coefficients
//! is that of Montgomery: a multiple of `p` clears their lowest bits.
//!
//! The running time depends on the value.
//!
//! Source: Pornin 2020, "Optimized Binary GCD for Modular Inversion", algorithm 2. Skipping runs of
//! zeros is from Stein 1967.

use ark_bls12_381::Fq;
use ark_ff::{BigInt, BigInteger as _, Field, PrimeField};

/// The words of a number, the lowest first.
type Words = [u64; 6];

/// Number of halvings of a round. The factors of a round have absolute values of at most
/// `2^HALVINGS`, and so have the sums of two factors.
const HALVINGS: u32 = 31;

/// Number of rounds within which two numbers of 381 bits reach zero and their common divisor. They
/// take `2 * 381 - 1` halvings at most.
const ROUNDS: usize = 25;

/// Replaces each value by `factor` divided by it, with one inversion. No value may be zero.
pub(super) fn invert_each<const COUNT: usize>(values: &mut [Fq; COUNT], factor: &Fq) {
    let mut before = [Fq::ONE; COUNT];
    let mut product = Fq::ONE;
    for (before, value) in before.iter_mut().zip(&*values) {
        *before = product;
        product *= value;
    }
    let Some(mut inverse) = inverse(&product) else {
        return;
    };
    inverse *= factor;
    for (before, value) in before.iter().zip(values).rev() {
        let next = inverse * *value;
        *value = inverse * before;
        inverse = next;
    }
}

/// Inverts a value; `None` for zero.
pub(super) fn inverse(value: &Fq) -> Option<Fq> {
    by_rounds(value).or_else(|| value.inverse())
}

/// Inverts a value, and checks the result. `None` if the check fails.
fn by_rounds(value: &Fq) -> Option<Fq> {
    // In the curve library, a number `w` represents `w / A` modulo `p`, with `A = 2^384`. So the
    // inverse is `A^2 / w`: each number is its coefficient times `w / A^2`.
    let (mut one, mut other) = (value.0.0, Fq::MODULUS.0);
    let (mut of_one, mut of_other) = (Fq::R2.0, [0; 6]);
    for _ in 0..ROUNDS {
        if BigInt(one).is_zero() {
            break;
        }
        let [row, other_row] = factors(approximations(&one, &other));
        let (next, row) = positive([&one, &other], row);
        let (next_other, other_row) = positive([&one, &other], other_row);
        (of_one, of_other) = (
            residue([&of_one, &of_other], row),
            residue([&of_one, &of_other], other_row),
        );
        (one, other) = (next, next_other);
    }
    let inverse = Fq::new_unchecked(BigInt(of_other));
    (inverse * value == Fq::ONE).then_some(inverse)
}

/// Returns numbers of 64 bits with the lowest 31 bits of the given numbers, and below them the
/// highest 33 bits, counted from the highest bit of either. Numbers of 64 bits stay as they are.
fn approximations(one: &Words, other: &Words) -> [u64; 2] {
    let low = (1 << HALVINGS) - 1;
    let [lowest, lowest_other] = [one[0], other[0]];
    for ([below, word], [other_below, other_word]) in
        one.array_windows().zip(other.array_windows()).rev()
    {
        let either = word | other_word;
        if either != 0 {
            let zeros = either.leading_zeros();
            let highest =
                |word: u64, below: u64| (word << zeros) | below.unbounded_shr(u64::BITS - zeros);
            return [
                (highest(*word, *below) & !low) | (lowest & low),
                (highest(*other_word, *other_below) & !low) | (lowest_other & low),
            ];
        }
    }
    [lowest, lowest_other]
}

/// Halves and subtracts two numbers until one was halved [`HALVINGS`] times. Returns the factors of
/// the given numbers in both results, times `2^HALVINGS`. `other` must be odd.
fn factors([mut one, mut other]: [u64; 2]) -> [[i64; 2]; 2] {
    let [mut row, mut other_row] = [[1_i64, 0], [0, 1]];
    let mut left = HALVINGS;
    loop {
        let zeros = one.trailing_zeros().min(left);
        one = one.unbounded_shr(zeros);
        other_row = other_row.map(|factor| factor << zeros);
        left -= zeros;
        if left == 0 {
            return [row, other_row];
        }
        if one < other {
            core::mem::swap(&mut one, &mut other);
            core::mem::swap(&mut row, &mut other_row);
        }
        one -= other;
        row = [row[0] - other_row[0], row[1] - other_row[1]];
    }
}

/// Computes the absolute value of [`divided`], and the factors that lead to it.
fn positive(numbers: [&Words; 2], factors: [i64; 2]) -> (Words, [i64; 2]) {
    let (words, is_negative) = divided(numbers, factors, 0);
    if !is_negative {
        return (words, factors);
    }
    let mut zero = BigInt([0; 6]);
    zero.sub_with_borrow(&BigInt(words));
    (zero.0, factors.map(|factor| -factor))
}

/// Computes `(left f + right g) / 2^HALVINGS` modulo `p`, for numbers below `p`.
fn residue(numbers: [&Words; 2], factors: [i64; 2]) -> Words {
    let [left, right] = numbers.map(|words| words[0]);
    let [f, g] = factors.map(i64::cast_unsigned);
    let lowest = left.wrapping_mul(f).wrapping_add(right.wrapping_mul(g));
    let multiple = lowest.wrapping_mul(Fq::INV) & ((1 << HALVINGS) - 1);
    let (words, is_negative) = divided(numbers, factors, multiple.cast_signed());
    // Now between `-p` and `2p`.
    let mut number = BigInt(words);
    if is_negative {
        number.add_with_carry(&Fq::MODULUS);
    } else if number >= Fq::MODULUS {
        number.sub_with_borrow(&Fq::MODULUS);
    }
    number.0
}

/// Computes `(left f + right g + p multiple) / 2^HALVINGS`, rounded down, in two's complement.
/// Returns its lowest six words, and whether it is negative.
#[inline]
fn divided([left, right]: [&Words; 2], factors: [i64; 2], multiple: i64) -> (Words, bool) {
    let [f, g] = factors.map(i128::from);
    let multiple = i128::from(multiple);
    let mut words = [0; 6];
    let mut carry = 0_i128;
    let terms = left.iter().zip(right).zip(&Fq::MODULUS.0);
    for (place, ((left, right), modulus)) in words.iter_mut().zip(terms) {
        carry += i128::from(*left) * f + i128::from(*right) * g;
        carry += i128::from(*modulus) * multiple;
        *place = lowest_word(carry);
        carry >>= u64::BITS;
    }
    let mut above = lowest_word(carry);
    for place in words.iter_mut().rev() {
        let word = *place;
        *place = (word >> HALVINGS) | (above << (u64::BITS - HALVINGS));
        above = word;
    }
    (words, carry < 0)
}

#[inline]
fn lowest_word(number: i128) -> u64 {
    u64::try_from(number & i128::from(u64::MAX)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// Extreme numbers in the library's representation and by value, and pseudorandom ones.
    fn values() -> Vec<Fq> {
        let powers = (0..6).flat_map(|word| (0..64).map(move |bit| (word, bit)));
        let powers = powers.map(|(word, bit)| {
            let mut words = [0; 6];
            words[word] = 1 << bit;
            BigInt(words)
        });
        let below = powers.filter(|power| *power < Fq::MODULUS);
        let raw = below.flat_map(|power| {
            let (mut above, mut below) = (power, Fq::MODULUS);
            above.add_with_carry(&1_u64.into());
            below.sub_with_borrow(&power);
            [power, above, below].map(Fq::new_unchecked)
        });
        let powers = (1..2_000_u64).map(|number| Fq::from(number).pow([number * number + 7]));
        let mut values: Vec<Fq> = raw.chain(powers).collect();
        let small: Vec<Fq> = (1..300_u64).map(Fq::from).collect();
        values.extend(small.iter().map(|value| -*value));
        values.extend(small);
        values
    }

    #[test]
    fn inverses_are_those_of_the_library() {
        let values = values();
        assert!(values.len() > 3_000);
        for value in values {
            // Every inversion ends within its rounds, without help of the library.
            assert_eq!(by_rounds(&value), value.inverse(), "{value}");
        }
        assert_eq!(inverse(&Fq::from(0)), None);
    }

    #[test]
    fn values_are_inverted_together() {
        let values = values();
        for values in values.as_chunks::<7>().0 {
            let mut inverses = *values;
            invert_each(&mut inverses, &Fq::from(5));
            let products = values
                .iter()
                .zip(inverses)
                .map(|(value, inverse)| *value * inverse);
            assert!(products.eq([Fq::from(5); 7]));
        }
    }
}
