#![allow(
    clippy::arithmetic_side_effects,
    reason = "of GMP's integers, and of small numbers"
)]

use pad_core::Workers;
use rsa_group::modulus::write_fixed;
use rug::{Complete, integer::IsPrime};

use super::*;
use crate::{rsa::primality::lanes::Candidates, testing::workers};

/// Digests from counters.
fn digests(count: u32) -> Vec<[u8; 32]> {
    let digest = |i: u32| Sha256Ed25519::hash(Domain::Value, &[&i.to_be_bytes()]).0;
    (0..count).map(digest).collect()
}

/// Computes the base by its definition, in GMP's arithmetic.
fn base(rule: RepresentativeRule, digest: &[u8; 32]) -> Integer {
    let parts: [&[u8]; 2] = [digest, &[0]];
    let bytes = Sha256Ed25519::hash(Domain::AccumulatorExpand, &parts).0;
    let leading = |bits: u32| Integer::from_digits(&bytes, Order::Msf) >> (256 - bits);
    match rule {
        RepresentativeRule::Wide => ((Integer::from(1) << 256_u32) + leading(256)) << 16_u32,
        RepresentativeRule::Compact => (Integer::from(1) << 255_u32) + leading(255),
    }
}

fn found(rule: RepresentativeRule, digest: &[u8; 32]) -> (Integer, u16) {
    search(rule, digest).expect("no window without a prime is known")
}

#[test]
fn search_finds_the_next_prime_from_the_base() {
    for rule in RepresentativeRule::ALL {
        for digest in digests(200) {
            let (prime, offset) = found(rule, &digest);
            let base = base(rule, &digest);
            assert_eq!(prime, (&base - 1_u32).complete().next_prime(), "{rule}");
            assert_eq!(prime.significant_bits(), rule.bit_length(), "{rule}");
            assert_eq!(prime - base, offset, "{rule}");
        }
    }
}

#[test]
fn the_offset_leads_to_the_representative() {
    for rule in RepresentativeRule::ALL {
        for digest in digests(50) {
            let (prime, offset) = found(rule, &digest);
            assert_eq!(at_offset(rule, &digest, offset), Ok(prime));
        }
    }
}

/// Attack of a dishonest server on non-membership with a hint: see the module.
#[test]
fn a_later_prime_is_accepted_by_its_offset_but_is_not_the_representative() {
    for rule in RepresentativeRule::ALL {
        let digest = digests(1)[0];
        let (prime, _) = found(rule, &digest);
        let later = prime.clone().next_prime();
        let offset = (&later - base(rule, &digest)).to_u16();
        let accepted = at_offset(rule, &digest, offset.unwrap()).unwrap();
        assert_eq!(accepted, later);
        assert_ne!(accepted, prime);
    }
}

#[test]
fn other_offsets_are_refused() {
    for rule in RepresentativeRule::ALL {
        for digest in digests(3) {
            let base = base(rule, &digest);
            for offset in (0..2000).chain(65_000..=u16::MAX) {
                let number = (&base + offset).complete();
                let expected = if number.is_probably_prime(25) == IsPrime::No {
                    Err(RepresentativeError::NotAPrimeRepresentative)
                } else {
                    Ok(number)
                };
                let result = at_offset(rule, &digest, offset);
                assert_eq!(result, expected, "{rule} {offset}");
            }
        }
    }
}

/// Composites without small factors reach the primality test and fail there.
#[test]
fn composites_that_survive_trial_division_are_refused() {
    let digest = digests(1)[0];
    let base = Base::new(RepresentativeRule::Wide, &digest);
    let composites = (0..2000_u16).filter(|offset| {
        let number = base.number_at(*offset).unwrap();
        number[0] & 1 == 1 && !sieve::has_small_factor(&number) && base.prime_at(*offset).is_err()
    });
    assert!(composites.count() > 100);
}

/// Tests bases at the end of the rule's range, where the window ends early. No digest with such a
/// base is known.
#[test]
fn offsets_beyond_the_last_number_are_outside_the_window() {
    let outside = Err(RepresentativeError::OffsetOutsideWindow);
    for rule in RepresentativeRule::ALL {
        let end = Integer::from(1) << rule.bit_length();
        let start = (&end - 1000_u32).complete();
        let mut limbs = [0; LIMBS];
        start.write_digits(&mut limbs, Order::Lsf);
        let base = Base { rule, limbs };
        for offset in 0..1000 {
            assert_ne!(base.prime_at(offset), outside);
        }
        for offset in [1000, 1001, 2000, u16::MAX] {
            assert_eq!(base.prime_at(offset), outside);
        }
        let next = (start - 1_u32).next_prime();
        let found = base.search(u16::MAX);
        let found = found.map(|(limbs, _)| Integer::from_digits(&limbs, Order::Lsf));
        assert_eq!(found, (next < end).then_some(next), "{rule}");
    }
}

#[test]
fn a_window_without_a_prime_has_no_representative() {
    for rule in RepresentativeRule::ALL {
        let largest: Integer = (Integer::from(1) << rule.bit_length()).prev_prime();
        let mut limbs = [0; LIMBS];
        (largest + 1_u32).write_digits(&mut limbs, Order::Lsf);
        assert_eq!(Base { rule, limbs }.search(u16::MAX), None);
    }
}

/// A search must find a prime at the last offset of its window, and none beyond. Covers both
/// parities of the base, and windows that end next to stretches of the sieve.
#[test]
fn the_search_ends_with_the_window() {
    for rule in RepresentativeRule::ALL {
        for digest in digests(40) {
            for lowered in 0..2 {
                let mut base = Base::new(rule, &digest);
                base.limbs[0] ^= lowered;
                let (limbs, offset) = base.search(u16::MAX).unwrap();
                assert_eq!(base.search(offset), Some((limbs, offset)));
                let found = offset.checked_sub(1).and_then(|last| base.search(last));
                assert_eq!(found, None);
            }
        }
    }
}

#[test]
fn representatives_are_those_of_the_vectors() {
    // The digests are 00..00, ff..ff and 00 01 .. 1f.
    let digests = [
        [0; 32],
        [0xff; 32],
        core::array::from_fn(|i| u8::try_from(i).unwrap()),
    ];
    let mut vectors = OFFSETS.into_iter().zip(PRIMES);
    for rule in RepresentativeRule::ALL {
        for digest in &digests {
            let expected = vectors.next().expect("a vector for each");
            let (prime, offset) = found(rule, digest);
            let mut bytes = Vec::new();
            write_fixed(&prime, rule.byte_length(), &mut bytes);
            let bytes = hex::encode(bytes);
            assert_eq!((offset, bytes.as_str()), expected, "{rule}");
        }
    }
}

/// Offsets and primes, computed from the definition by a separate program (Python's integers and
/// `hashlib`).
const OFFSETS: [u16; 6] = [127, 523, 129, 33, 20, 46];
const PRIMES: [&str; 6] = [
    "01c5c694495e21b87f463e94d589df24743ef1bb316f29790646b4621074d32929007f",
    "0159cbac3c35de51944c61d6002ab746a4e791221e46f269314043a5fb340f29f3020b",
    "01ce0172573300cb85c33d9c06e971797c1df561201643c2e5a0a74e36048cb58b0081",
    "e2e34a24af10dc3fa31f4a6ac4ef923a1f78dd98b794bc83235a31083a6994b5",
    "ace5d61e1aef28ca2630eb00155ba35273c8910f23793498a021d2fd9a07950d",
    "e700b92b998065c2e19ece0374b8bcbe0efab0900b21e172d053a71b02465af3",
];

#[test]
fn bytes_are_the_integer_in_the_width_of_the_rule() {
    for rule in RepresentativeRule::ALL {
        let length = rule.bit_length().div_ceil(8);
        assert_eq!(u32::try_from(rule.byte_length()), Ok(length));
        for digest in digests(20) {
            let (prime, _) = found(rule, &digest);
            let mut bytes = Vec::new();
            write_fixed(&prime, rule.byte_length(), &mut bytes);
            assert_eq!(bytes.len(), rule.byte_length());
            assert_eq!(Integer::from_digits(&bytes, Order::Msf), prime);
        }
    }
}

#[test]
fn rules_are_named_and_numbered_apart() {
    assert_eq!(RepresentativeRule::default(), RepresentativeRule::Wide);
    assert_eq!(RepresentativeRule::ALL.map(RepresentativeRule::id), [1, 2]);
    let names = ["wide-273", "compact-256"];
    assert_eq!(RepresentativeRule::ALL.map(RepresentativeRule::name), names);
    for id in 0..=u8::MAX {
        let mut rules = RepresentativeRule::ALL.into_iter();
        let rule = rules.find(|rule| rule.id() == id);
        assert_eq!(RepresentativeRule::from_id(id), rule);
    }
    assert_eq!(RepresentativeRule::Wide.to_string(), "wide-273");
}

#[test]
fn batches_agree_for_every_number_of_threads() {
    let digests = digests(100);
    for rule in RepresentativeRule::ALL {
        let search = |digest: &[u8; 32]| search(rule, digest);
        let expected: Vec<_> = digests.iter().map(search).collect();
        assert!(expected.iter().all(Option::is_some));
        assert_eq!(Workers::sequential().map(&digests, search), expected);
        for threads in [2, 3, 8] {
            let found = workers(threads).map(&digests, search);
            assert_eq!(found, expected, "{threads} threads");
        }
        assert_eq!(Workers::sequential().map(&[], search), []);
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let texts = [
        RepresentativeError::OffsetOutsideWindow,
        RepresentativeError::NotAPrimeRepresentative,
    ]
    .map(|error| error.to_string());
    assert!(texts[0].contains("window") && texts[1].contains("prime"));
}

/// Searches for one digest at a time, for the first prime that passes.
fn first_prime(
    rule: RepresentativeRule,
    digest: &[u8; 32],
    last: u16,
    passes: fn(&Integer) -> bool,
) -> Option<(Integer, u16)> {
    let base = base(rule, digest);
    let numbers = (0..=last).map(|offset| (Integer::from(&base + offset), offset));
    let mut primes = numbers.filter(|(number, _)| number.is_probably_prime(30) != IsPrime::No);
    primes.find(|(number, _)| passes(number))
}

#[test]
fn searches_in_lanes_find_the_same() {
    for rule in RepresentativeRule::ALL {
        for count in [0, 1, 2, 3, 7, 8, 9, 40] {
            let digests = digests(count);
            let found = batch::search_in_lanes(rule, &digests, LAST_OFFSET, |candidates| {
                candidates.pass_the_rest()
            });
            let singly = |digest| first_prime(rule, digest, LAST_OFFSET, |_| true);
            let expected: Vec<_> = digests.iter().map(singly).collect();
            assert_eq!(found, expected, "{count} digests of {rule}");
            let result = search_all(rule, &digests);
            assert_eq!(result, expected, "{count} digests of {rule}");
        }
    }
}

#[test]
fn searches_in_lanes_end_with_the_window() {
    let digests = digests(20);
    // Windows with and without a prime, and some that end before the first stretch does.
    for last in [0, 40, 200, 1100] {
        let found =
            batch::search_in_lanes(RepresentativeRule::Wide, &digests, last, |candidates| {
                candidates.pass_the_rest()
            });
        let first = |digest| first_prime(RepresentativeRule::Wide, digest, last, |_| true);
        let expected: Vec<_> = digests.iter().map(first).collect();
        assert_eq!(found, expected, "up to {last}");
    }
}

#[test]
fn searches_in_lanes_go_on_behind_a_candidate_that_fails_late() {
    // Fails every candidate that is 1 modulo 4.
    let pass_some = |candidates: &Candidates<'_>| {
        let numbers = candidates.numbers().iter().enumerate();
        numbers.fold(0, |mask, (lane, [lowest, ..])| {
            mask | (u8::from(lowest & 2 != 0) << lane)
        })
    };
    for count in [1, 3, 20] {
        let digests = digests(count);
        let rule = RepresentativeRule::Compact;
        let found = batch::search_in_lanes(rule, &digests, LAST_OFFSET, pass_some);
        let passes = |number: &Integer| number.mod_u(4) == 3;
        let first = |digest| first_prime(rule, digest, LAST_OFFSET, passes);
        let expected: Vec<_> = digests.iter().map(first).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn offsets_in_lanes_are_judged_alike() {
    for rule in RepresentativeRule::ALL {
        let pairs = digests(20).into_iter();
        let pairs = pairs.map(|digest| (digest, found(rule, &digest).1));
        let pairs: Vec<([u8; 32], u16)> = pairs.collect();
        for count in [1, 7, 8, 9, 20] {
            let pairs = &pairs[..count];
            let expected = pairs.iter().map(|(digest, _)| found(rule, digest).0);
            let expected: Vec<Integer> = expected.collect();
            let result = batch::at_offsets_in_lanes(rule, pairs);
            assert_eq!(result, Ok(expected.clone()));
            assert_eq!(all_at_offsets(rule, pairs), Ok(expected));
            for wrong in 0..count {
                // An even number, a composite with small factors or without, and a later prime.
                for step in 1..200 {
                    let mut pairs = pairs.to_vec();
                    let (digest, offset) = &mut pairs[wrong];
                    *offset += step * 97;
                    let single = at_offset(rule, digest, *offset);
                    let all = batch::at_offsets_in_lanes(rule, &pairs);
                    assert_eq!(all.err(), single.err(), "{count} {wrong} {step}");
                    if count > 8 && step > 20 {
                        break;
                    }
                }
            }
        }
    }
}
