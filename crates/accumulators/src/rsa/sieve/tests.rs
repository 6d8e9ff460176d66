#![allow(
    clippy::arithmetic_side_effects,
    reason = "of GMP's integers, and of small numbers"
)]

use rug::{Integer, integer::Order};

use super::*;

fn limbs(value: &Integer) -> [u64; 5] {
    let mut limbs = [0; 5];
    value.write_digits(&mut limbs, Order::Lsf);
    limbs
}

fn starts() -> impl Iterator<Item = Integer> {
    [15, 16, 64, 183, 184, 247, 256, 265, 300, 319]
        .into_iter()
        .flat_map(|bits| {
            let power: Integer = Integer::from(1) << bits;
            let third: Integer = Integer::from(&power / 3_u32) * 2_u32 + 1_u32;
            [power.clone() + 1_u32, third | 1, (power * 2_u32) - 1_u32]
        })
}

#[test]
fn survivors_are_the_numbers_without_small_factors() {
    let primes = PRIMES.iter();
    let product = primes.fold(Integer::from(1), |product, prime| product * prime.prime);
    for start in starts().filter(|start| *start >= BOUND) {
        let survivors = survivors(&limbs(&start));
        for (i, survives) in (0_u32..).zip(survivors) {
            let number = Integer::from(&start + 2 * i);
            let expected = Integer::from(number.gcd_ref(&product)) == 1;
            // A prime below the bound is its own factor; `start` is never one.
            assert_eq!(survives, expected, "{start} + 2 * {i}");
        }
    }
}

#[test]
fn trial_division_finds_exactly_the_first_primes() {
    let trials = PRIMES.iter().take(TRIALS);
    let product = trials.fold(Integer::from(1), |product, prime| product * prime.prime);
    let mut found = 0;
    for start in starts().filter(|start| *start >= BOUND) {
        for i in 0..100_u32 {
            let number = Integer::from(&start + 2 * i);
            if number.significant_bits() > 320 {
                break;
            }
            let expected = Integer::from(number.gcd_ref(&product)) != 1;
            assert_eq!(has_small_factor(&limbs(&number)), expected, "{number}");
            found += u32::from(expected);
        }
    }
    assert!(found > 100);
}

#[test]
fn the_primes_are_all_odd_primes_below_the_bound() {
    let mut expected = Integer::from(2);
    for prime in PRIMES.iter() {
        expected = expected.next_prime();
        assert_eq!(expected, prime.prime);
    }
    assert!(expected < BOUND && expected.next_prime() > BOUND);
}

#[test]
fn sums_at_their_limits_are_reduced_exactly() {
    for prime in PRIMES.iter() {
        for sign in [1, -1] {
            // Digits that make every product of one sign: the largest sums that six limbs allow.
            let digits = prime
                .weights
                .map(|weight| if weight * sign > 0 { 4095 } else { 0 });
            let digit = |i: usize| Integer::from(digits[i]);
            let number: Integer = (0..DIGITS).map(|i| digit(i) << (12 * i)).sum();
            let position = u64::try_from(prime.first_multiple(&digits)).unwrap();
            assert!(position < prime.prime);
            let multiple = number + 2 * position;
            let divisor = u32::try_from(prime.prime).unwrap();
            assert!(multiple.is_divisible_u(divisor), "{divisor}");
        }
    }
}

#[test]
fn digits_hold_the_number() {
    for start in starts() {
        let digits = digits(&limbs(&start));
        assert!(digits.iter().all(|digit| (0..4096).contains(digit)));
        let parts = (0..DIGITS).map(|i| Integer::from(digits[i]) << (12 * i));
        assert_eq!(parts.sum::<Integer>(), start.keep_bits(320));
    }
}
