use super::*;
use crate::test_key::{primes, workers};

const GUARD: u64 = 0x8000_0000_0000_001d;

fn guard() -> Integer {
    let guard = Integer::from(GUARD);
    assert_ne!(guard.is_probably_prime(30), rug::integer::IsPrime::No);
    guard
}

fn exponents(prime: &Integer) -> Vec<SecretInteger> {
    let largest = (prime - 2_u32).complete();
    let mut exponents = Vec::from([1, 2, 63].map(Integer::from));
    exponents.push(largest);
    for step in 1..100_u32 {
        exponents.push(Integer::from(Integer::u_pow_u(step + 2, 300)) % prime);
    }
    exponents.into_iter().map(SecretInteger::new).collect()
}

/// Creates the powers with each kind of tables.
fn of_each_kind(base: &Integer, prime: &Integer) -> [FixedBase; 2] {
    let in_lanes = |base: &Integer, modulus: &Integer, bits: u32| {
        let found = lanes::tables(base, modulus, bits);
        let width = modulus.significant_digits::<u64>();
        assert_eq!(found.is_some(), [17, 25].contains(&width), "{width} words");
        found.unwrap_or_else(|| tables(base, modulus, bits))
    };
    [
        FixedBase::with_tables(tables, base, prime, &guard()),
        FixedBase::with_tables(in_lanes, base, prime, &guard()),
    ]
}

/// Compares with powers by GMP modulo the prime.
fn check_powers(
    powers: &FixedBase,
    (base, prime): (&Integer, &Integer),
    exponents: &[SecretInteger],
    workers: &Workers,
) {
    let found = powers.powers(exponents, workers).unwrap();
    assert_eq!(found.len(), exponents.len());
    for (power, exponent) in found.iter().zip(exponents) {
        let expected = base.pow_mod_ref(exponent, prime).map(Integer::from);
        assert_eq!(Some((&**power % prime).complete()), expected);
    }
}

#[test]
fn tables_agree_with_plain_powers() {
    let base = Integer::from(4_294_967_311_u64);
    // Prime or not: powers are compared modulo any number.
    let long = (Integer::from(3) << 1534_u32) + 1_u32;
    let all = primes().into_iter().chain([long]);
    for (first, prime, powers) in all.enumerate().flat_map(|(place, prime)| {
        let powers = of_each_kind(&base, &prime);
        powers.map(|powers| (place == 0, prime.clone(), powers))
    }) {
        // More than a block for the first prime. For the others, only the soak test has as many.
        let mut exponents = exponents(&prime);
        exponents.truncate(match (cfg!(soak), first) {
            (true, _) => 103,
            (false, true) => 67,
            (false, false) => 12,
        });
        assert!(powers.are_modulo(&(&prime * guard())));
        assert!(!powers.are_modulo(&prime));
        // Few and many powers left over after eights, on one thread.
        for count in [0, 1, 5, 6, 8, 9] {
            let few = &exponents[..count];
            check_powers(&powers, (&base, &prime), few, &Workers::sequential());
        }
        for workers in [Workers::sequential(), workers(2)] {
            check_powers(&powers, (&base, &prime), &exponents, &workers);
        }
    }
}

#[test]
fn sizes_without_tables_agree_with_plain_powers() {
    let base = Integer::from(4_294_967_311_u64);
    let prime = (Integer::from(1) << 521_u32) - 1_u32;
    let powers = FixedBase::new(&base, &prime, &guard());
    let exponents = exponents(&prime);
    check_powers(&powers, (&base, &prime), &exponents, &Workers::sequential());
}

#[test]
fn a_broken_table_is_noticed() {
    let base = Integer::from(4_294_967_311_u64);
    for prime in [primes()[0].clone(), (Integer::from(1) << 521_u32) - 1_u32] {
        for mut powers in of_each_kind(&base, &prime) {
            powers.break_tables();
            for count in [1, 8] {
                let result = powers.powers(&exponents(&prime)[..count], &Workers::sequential());
                assert!(matches!(result, Err(FaultDetected)));
            }
        }
    }
}
