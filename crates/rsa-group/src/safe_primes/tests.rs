use super::*;
use crate::test_key::{primes, workers};

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
    let result = pair(KeySize::Bits3072, &Workers::sequential(), &mut |_| {
        reports += 1;
        ControlFlow::Break(())
    });
    assert!(matches!(result, Err(KeyError::Cancelled)));
    assert_eq!(reports, 1);
}

#[test]
fn the_sieve_leaves_exactly_what_no_small_prime_divides() {
    let start = (Integer::from(1) << 100_u32) + 1_u32;
    let start = &start + Integer::from((11 - start.mod_u(STEP)) % STEP);
    assert_eq!(start.mod_u(STEP), 5);
    let small = odd_primes_below(SIEVE_LIMIT).split_off(1).into_iter();
    let small: Vec<u32> = small.take_while(|prime| *prime < 300).collect();
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

#[test]
fn unsuitable_pairs_are_refused() {
    let [p, q] = primes();
    let made = |p: &Integer, q: &Integer| PrimePair::new([p.clone(), q.clone()], 2048).map(drop);
    assert_eq!(made(&p, &q), Ok(()));
    assert_eq!(made(&q, &p), Ok(()));
    let unsuitable = Err(KeyError::UnsuitablePrimes);
    // Equal, of different lengths, not positive, close, and short.
    assert_eq!(made(&p, &p), unsuitable);
    assert_eq!(made(&p, &Integer::from(7)), unsuitable);
    assert_eq!(made(&p, &Integer::new()), unsuitable);
    assert_eq!(made(&(-&p).complete(), &(-&q).complete()), unsuitable);
    assert_eq!(made(&((Integer::from(1) << 900_u32) + &p), &p), unsuitable);
    let found = made(&(&p >> 1_u32).complete(), &(&q >> 1_u32).complete());
    assert_eq!(found, unsuitable);
    let not_safe = Err(KeyError::NotSafePrimes);
    assert_eq!(made(&p, &(&q + 2_u32).complete()), not_safe);
    assert_eq!(made(&p, &(&q + 1_u32).complete()), not_safe);
    assert_eq!(made(&p.clone().next_prime(), &q), not_safe);
    let pair = PrimePair::new([q.clone(), p.clone()], 2048).unwrap();
    assert_eq!(pair.primes(), [&p.clone().max(q.clone()), &p.min(q)]);
    assert_eq!(format!("{pair:?}"), "PrimePair(..)");
}

#[test]
fn fermat_in_lanes_agrees_with_single_powers() {
    let fermat = |number: &Integer| {
        let exponent = Integer::from(number - 1);
        Integer::from(2).pow_mod(&exponent, number) == Ok(Integer::from(1))
    };
    let lengths: &[u32] = if cfg!(soak) {
        &[30, 200, 1023, 1024, 1025, 1535, 1544]
    } else {
        &[30, 200, 1023, 1025, 1544]
    };
    for bits in lengths.iter().copied() {
        let mut prime: Integer = (Integer::from(1) << (bits - 1)) + 12_345_u32;
        let mut numbers = Vec::new();
        for step in 0..4_u32 {
            // Neighbouring primes are far apart: every second step takes the same one.
            if step % 2 == 0 {
                prime = prime.next_prime();
            }
            numbers.push(SecretInteger::new(prime.clone()));
            numbers.push(SecretInteger::new(Integer::from(&prime + (2 * step + 2))));
        }
        // All ones: the greatest number of this length.
        numbers[3] = SecretInteger::new((Integer::from(1) << bits) - 1);
        // A pseudoprime to base 2.
        numbers[5] = SecretInteger::new(Integer::from(341));
        for count in [1, 5, 8] {
            let numbers = &numbers[..count];
            let expected: Vec<bool> = numbers.iter().map(|number| fermat(number)).collect();
            assert!(expected[0]);
            let found = lanes::in_lanes(numbers);
            assert_eq!(found, Some(expected), "{count} of {bits} bits");
        }
    }
    let long = SecretInteger::new((Integer::from(1) << 1544) + 1);
    assert_eq!(lanes::in_lanes(&[long]), None);
    assert_eq!(lanes::in_lanes(&[]), None);
}
