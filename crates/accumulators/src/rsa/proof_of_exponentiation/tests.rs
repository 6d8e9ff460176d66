use std::collections::HashSet;

use rsa_group::group::ModularGroup as _;
use rug::Complete;

use super::{
    fixture::{public, residue, root_of_one, times},
    *,
};
use crate::rsa::RsaPublicKey;

const PURPOSE: &str = "test";
const MISMATCH: Result<(), VerifyError> = Err(VerifyError::ExponentiationProofMismatch);

/// Proves the statement `base^(product of factors) = result`, which may be false. Returns the
/// verifier's result and the proof.
fn proved(
    key: &RsaPublicKey,
    base: &Residue,
    factors: &[&Integer],
    result: &Residue,
) -> (Result<(), VerifyError>, Residue) {
    let statement = Exponentiation {
        key,
        purpose: PURPOSE,
        base,
        factors,
        result,
    };
    let group = key.group();
    let exponent = statement.quotient_exponent().unwrap();
    let quotient = group.canonical(group.power(base.as_integer(), &exponent));
    (statement.verify(&quotient), quotient)
}

fn power(base: &Residue, factors: &[&Integer]) -> Residue {
    let key = public();
    let exponent = product(factors.iter().copied(), &Workers::sequential());
    key.group()
        .canonical(key.group().power(base.as_integer(), &exponent))
}

fn number(bits: u32) -> Integer {
    (Integer::from(1) << bits) - 12345_u32
}

#[test]
fn true_statements_are_proved_for_every_length_of_exponent() {
    let key = public();
    let base = residue(5);
    let (short, long) = (number(250), number(3000));
    let (zero, one, two) = (Integer::ZERO, Integer::from(1), Integer::from(2));
    let lists: [&[&Integer]; 9] = [
        &[],
        &[&zero],
        &[&one],
        &[&two],
        &[&short],
        &[&long],
        &[&long, &short, &one],
        &[&long, &zero],
        &[&short, &long, &long],
    ];
    for factors in lists {
        let result = power(&base, factors);
        let found = proved(&key, &base, factors, &result).0;
        assert_eq!(found, Ok(()), "{factors:?}");
        // A statement with another result has no such proof.
        let wrong = times(&result, &Integer::from(7));
        let refused = proved(&key, &base, factors, &wrong).0;
        assert_eq!(refused, MISMATCH, "{factors:?}");
    }
}

#[test]
fn the_neutral_element_needs_no_exception() {
    let key = public();
    let one = residue(1);
    let factor = number(300);
    assert_eq!(proved(&key, &one, &[&factor], &one).0, Ok(()));
    let wrong = proved(&key, &one, &[&factor], &residue(2)).0;
    assert_eq!(wrong, MISMATCH);
}

#[test]
fn a_multiple_of_the_challenge_leaves_no_remainder() {
    // The challenge depends on the exponent, so this is the case that a prover cannot hit.
    let factors = [number(300), number(256)];
    let refs: Vec<&Integer> = factors.iter().collect();
    assert_eq!(product_modulo(&refs, &factors[1]), 0);
    assert_eq!(product_modulo(&[], &factors[1]), 1);
    assert_eq!(product_modulo(&[], &Integer::from(1)), 0);
    let expected = (&factors[0] * &factors[1]).complete() % 1_000_003_u32;
    assert_eq!(product_modulo(&refs, &Integer::from(1_000_003)), expected);
}

#[test]
fn every_input_is_bound() {
    let key = public();
    let base = residue(5);
    let (first, second) = (number(600), number(700));
    let factors = [&first, &second];
    let result = power(&base, &factors);
    let quotient = proved(&key, &base, &factors, &result).1;
    let honest = Exponentiation {
        key: &key,
        purpose: PURPOSE,
        base: &base,
        factors: &factors,
        result: &result,
    };
    assert_eq!(honest.verify(&quotient), Ok(()));

    let relabelled = PublicKey::with_label(&key, b"another");
    let joined = (&first * &second).complete();
    let next = (&second + 2_u32).complete();
    let (other_base, other_result) = (residue(6), times(&result, &Integer::from(2)));
    // The first two are equal products with other factors.
    let lists: [&[&Integer]; 4] = [&[&second, &first], &[&joined], &[&first, &next], &[&first]];
    let mut altered = [honest; 8];
    altered[0].key = &relabelled;
    altered[1].purpose = "another";
    altered[2].base = &other_base;
    altered[3].result = &other_result;
    for (statement, factors) in altered[4..].iter_mut().zip(lists) {
        statement.factors = factors;
    }
    for (index, statement) in altered.iter().enumerate() {
        assert_eq!(statement.verify(&quotient), MISMATCH, "{index}");
    }
    for factor in [Integer::from(2), root_of_one()] {
        assert_eq!(honest.verify(&times(&quotient, &factor)), MISMATCH);
    }
}

#[test]
fn signs_are_no_elements_of_order_two() {
    // In Z_N* the pair (-result, -Q) would satisfy the equation for the false statement.
    let key = public();
    let group = key.group();
    let base = residue(5);
    let factor = number(900);
    let result = power(&base, &[&factor]);
    let minus = (group.modulus() - result.as_integer()).complete();
    let found = group.canonical(minus);
    assert_eq!(found, result, "-result is the same element");
    let quotient = proved(&key, &base, &[&factor], &result).1;
    let minus = (group.modulus() - quotient.as_integer()).complete();
    assert_eq!(group.canonical(minus), quotient, "-Q is the same element");
}

#[test]
fn who_knows_the_factors_can_prove_what_is_false() {
    // The reason for the assumption: an element of order two, adjusted for on both sides.
    let key = public();
    let base = residue(5);
    let factor = number(900);
    let root = root_of_one();
    let wrong = times(&power(&base, &[&factor]), &root);
    let statement = Exponentiation {
        key: &key,
        purpose: PURPOSE,
        base: &base,
        factors: &[&factor],
        result: &wrong,
    };
    let exponent = statement.quotient_exponent().unwrap();
    let honest = power(&base, &[&exponent]);
    assert_eq!(statement.verify(&honest), MISMATCH);
    assert_eq!(statement.verify(&times(&honest, &root)), Ok(()));
}

#[test]
fn challenges_are_distinct_primes_of_256_bits() {
    let mut transcript = Transcript::new(public().id(), "challenges");
    let mut seen = HashSet::new();
    let mut ends = HashSet::new();
    for _ in 0..200 {
        let prime = challenge_prime(&mut transcript).unwrap();
        assert_eq!(prime.significant_bits(), 256);
        assert_ne!(prime.is_probably_prime(30), rug::integer::IsPrime::No);
        ends.insert(prime.mod_u(32));
        seen.insert(prime);
    }
    assert_eq!(seen.len(), 200);
    assert_eq!(ends.len(), 16, "every odd ending occurs");
}

#[test]
fn candidates_are_what_the_hash_says_but_for_two_bits() {
    let bytes: [u8; 32] = core::array::from_fn(|index| u8::try_from(index * 5 + 2).unwrap());
    let mut expected = Integer::from_digits(&bytes, Order::Lsf);
    expected.set_bit(0, true);
    expected.set_bit(255, true);
    let found = Integer::from_digits(&candidate(&bytes), Order::Lsf);
    assert_eq!(found, expected);
}
