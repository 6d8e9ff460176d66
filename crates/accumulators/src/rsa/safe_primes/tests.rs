use super::*;
use crate::rsa::{RepresentativeRule, RsaSecretKey, test_key::workers};

#[test]
fn pairs_are_distinct_safe_primes_of_the_length_asked_for() {
    for workers in [Workers::sequential(), workers(2)] {
        let mut reports = Vec::new();
        let (first, second) = pair_of_bits(192, &workers, &mut |progress| {
            reports.push(progress);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_ne!(first, second);
        assert_eq!((&first * &second).complete().significant_bits(), 384);
        for prime in [first, second] {
            assert_eq!(prime.significant_bits(), 192);
            assert_ne!(prime.is_probably_prime(30), IsPrime::No);
            assert_ne!((prime >> 1_u32).is_probably_prime(30), IsPrime::No);
        }
        assert_eq!(reports.last().map(|progress| progress.found), Some(2));
        assert!(reports.is_sorted_by_key(|progress| (progress.tested, progress.found)));
    }
}

#[test]
fn a_search_can_be_cancelled() {
    let mut reports = 0;
    let result = RsaSecretKey::generate(
        KeySize::Bits3072,
        RepresentativeRule::Wide,
        b"cancelled",
        &Workers::sequential(),
        &mut |_| {
            reports += 1;
            ControlFlow::Break(())
        },
    );
    assert!(matches!(result, Err(KeyError::Cancelled)));
    assert_eq!(reports, 1);
}

#[test]
fn the_sieve_leaves_exactly_what_no_small_prime_divides() {
    let start = (Integer::from(1) << 100_u32) + 1_u32;
    let start = &start + Integer::from((11 - start.mod_u(STEP)) % STEP);
    assert_eq!(start.mod_u(STEP), 5);
    let small: Vec<u32> = small_primes()
        .into_iter()
        .take_while(|prime| *prime < 300)
        .collect();
    assert_eq!(small.first(), Some(&5));
    let survivors = sieve(&start, &small, 100);
    let expected: Vec<u32> = (0..3000_u32)
        .filter(|index| {
            let half = Integer::from(*index) * STEP + &start;
            let prime = (&half << 1_u32).complete() + 1_u32;
            small
                .iter()
                .all(|small| !half.is_divisible_u(*small) && !prime.is_divisible_u(*small))
        })
        .collect();
    assert!(!expected.is_empty());
    assert_eq!(survivors[..expected.len()], expected);
}
