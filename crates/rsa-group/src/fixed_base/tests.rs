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
    let mut exponents = vec![
        Integer::from(1),
        Integer::from(2),
        Integer::from(63),
        largest,
    ];
    for step in 1..100_u32 {
        exponents.push(Integer::from(Integer::u_pow_u(step + 2, 300)) % prime);
    }
    exponents.into_iter().map(SecretInteger::new).collect()
}

#[test]
fn tables_agree_with_plain_powers() {
    let base = Integer::from(4_294_967_311_u64);
    for prime in primes() {
        let powers = FixedBase::new(&base, &prime, &guard());
        let exponents = exponents(&prime);
        for workers in [Workers::sequential(), workers(2)] {
            let found = powers.powers(&exponents, &workers).unwrap();
            for (power, exponent) in found.iter().zip(&exponents) {
                let expected = base.pow_mod_ref(exponent, &prime).map(Integer::from);
                assert_eq!(Some((&**power % &prime).complete()), expected);
            }
        }
    }
}

#[test]
fn sizes_without_tables_agree_with_plain_powers() {
    let base = Integer::from(4_294_967_311_u64);
    let prime = (Integer::from(1) << 521_u32) - 1_u32;
    let powers = FixedBase::new(&base, &prime, &guard());
    let exponents = exponents(&prime);
    let found = powers.powers(&exponents, &Workers::sequential()).unwrap();
    for (power, exponent) in found.iter().zip(&exponents) {
        let expected = base.pow_mod_ref(exponent, &prime).map(Integer::from);
        assert_eq!(Some((&**power % &prime).complete()), expected);
    }
}

#[test]
fn a_broken_table_is_noticed() {
    let base = Integer::from(4_294_967_311_u64);
    for prime in [primes()[0].clone(), (Integer::from(1) << 521_u32) - 1_u32] {
        let mut powers = FixedBase::new(&base, &prime, &guard());
        powers.break_tables();
        let result = powers.powers(&exponents(&prime)[..1], &Workers::sequential());
        assert!(matches!(result, Err(FaultDetected)));
    }
}
