use ark_ff::{Field, Zero};
use pad_core::SchemeId;

use super::*;
use crate::{
    accumulator::SecretKey as _,
    bilinear::{BilinearSecretKey, polynomial},
    element::AccumulatorId,
};

fn transcript() -> Transcript {
    let id = AccumulatorId::derive(SchemeId(0), &[0; 32], b"claims");
    Transcript::new(id, "tests")
}

fn coefficients_of(coefficients: &[u64]) -> Vec<Fr> {
    coefficients.iter().copied().map(Fr::from).collect()
}

/// Claims that three polynomials have these values at 5, the last two as a sum with weights.
fn claims(key: &BilinearSecretKey, values: [u64; 2]) -> Claims {
    let parameters = key.public_key().parameters();
    let workers = Workers::sequential();
    let commit = |polynomial: &[Fr]| parameters.commit(polynomial, &workers).unwrap();
    let z = Fr::from(5_u64);
    let all = [[1, 2, 3], [4, 0, 7], [0, 6, 1]].map(|coefficients| coefficients_of(&coefficients));
    let [first, second, third] = &all;
    let mut claims = Claims::new(transcript());
    let commitments = parameters.commit_each(&all, &workers).unwrap();
    assert_eq!(commitments, all.each_ref().map(|one| commit(one)));
    let [a, b, c]: [Commitment; 3] =
        core::array::from_fn(|i| claims.commitment(&commitments[i]).unwrap());
    assert_eq!(claims.commitment(&commitments[1]), Ok(b), "decoded once");

    let (quotient, value) = polynomial::divide_by_factor(first, -z);
    assert_eq!(value, polynomial::evaluate(first, z));
    let constant = -Fr::from(values[0]);
    let added = claims.add(&[(a, Fr::ONE)], constant, z, &commit(&quotient));
    added.unwrap();
    let weights = [Fr::from(2_u64), -Fr::from(3_u64)];
    let sum = second.iter().zip(third);
    let sum = sum.map(|(left, right)| weights[0] * left + weights[1] * right);
    let sum: Vec<Fr> = sum.collect();
    let (quotient, _) = polynomial::divide_by_factor(&sum, -z);
    let constant = -Fr::from(values[1]);
    let multiples = [(b, weights[0]), (c, weights[1])];
    let added = claims.add(&multiples, constant, z, &commit(&quotient));
    added.unwrap();
    claims
}

#[test]
fn commitments_in_slices_are_those_made_at_once() {
    let workers = Workers::sequential();
    let key = BilinearSecretKey::generate(4, 1, b"claims", &workers).unwrap();
    let parameters = key.public_key().parameters();
    let polynomial = coefficients_of(&[3, 1, 4, 1, 5]);
    for length in 1..=5 {
        let mut partial = PartialCommitment::default();
        for slice in polynomial.chunks(length) {
            partial.add(parameters, slice, &workers).unwrap();
        }
        let expected = parameters.commit(&polynomial, &workers).unwrap();
        assert_eq!(partial.finish(), expected);
        let refused = partial.add(parameters, &polynomial[..1], &workers);
        let expected = AccumulateError::CapacityExceeded { capacity: 4 };
        assert_eq!(refused, Err(expected));
    }
}

#[test]
fn claims_hold_together_or_not_at_all() {
    let workers = Workers::sequential();
    let key = BilinearSecretKey::generate(4, 1, b"claims", &workers).unwrap();
    let parameters = key.public_key().parameters();
    // 1 + 2 * 5 + 3 * 25 and 2 (4 + 7 * 25) - 3 (6 * 5 + 25).
    assert!(claims(&key, [86, 193]).hold(parameters));
    for values in [[87, 193], [86, 192], [85, 194], [193, 86]] {
        assert!(!claims(&key, values).hold(parameters), "{values:?}");
    }
    let nothing = Claims::new(transcript());
    assert!(nothing.hold(parameters), "nothing is claimed");
    let other = BilinearSecretKey::generate(4, 1, b"claims", &workers).unwrap();
    assert!(!claims(&key, [86, 193]).hold(other.public_key().parameters()));
    // A client that knows only [s]_2.
    let verifier = Parameters::for_claims(&parameters.secret_in_g2(), "accumulator").unwrap();
    assert_eq!(verifier.fingerprint(), parameters.fingerprint());
    assert!(claims(&key, [86, 193]).hold(&verifier));
}

#[test]
fn commitments_are_not_the_identity_and_quotients_may_be() {
    let key = BilinearSecretKey::generate(4, 1, b"claims", &Workers::sequential()).unwrap();
    let parameters = key.public_key().parameters();
    let mut identity = [0; G1_BYTES];
    identity[0] = 0xc0;
    let mut claims = Claims::new(transcript());
    let refused = claims.commitment(&identity);
    assert_eq!(refused, Err(DecodeError::PointIsIdentity));
    // A constant has the quotient 0.
    let seven = parameters.commit(&[Fr::from(7_u64)], &Workers::sequential());
    let seven = claims.commitment(&seven.unwrap()).unwrap();
    let z = Fr::from(3_u64);
    let added = claims.add(&[(seven, Fr::ONE)], -Fr::from(7_u64), z, &identity);
    added.unwrap();
    assert!(claims.hold(parameters));
}

fn squares(length: u64, added: u64) -> Vec<Fr> {
    let squares = (1..=length).map(|i| Fr::from(i * i + added));
    squares.collect()
}

#[test]
fn products_are_those_of_the_definition() {
    for (left, right) in [(1, 1), (2, 40), (33, 33), (33, 65), (65, 65), (100, 37)] {
        let (left, right) = (squares(left, 3), squares(right, 8));
        let mut expected = vec![Fr::zero(); left.len() + right.len() - 1];
        for (i, a) in left.iter().enumerate() {
            for (j, b) in right.iter().enumerate() {
                expected[i + j] += *a * b;
            }
        }
        let transform = polynomial::Transform::for_degree(expected.len() - 1);
        assert_eq!(polynomial::multiply(&left, &right, &transform), expected);
    }
}

/// A transform for products of some degree must also multiply correctly at all smaller degrees,
/// whose padded lengths may have longer branches.
#[test]
fn a_transform_serves_all_smaller_degrees() {
    for largest in [96, 128, 192, 384] {
        let transform = polynomial::Transform::for_degree(largest);
        for half in [33_u64, 48, 64, 96, 128, 192] {
            if 2 * half > u64::try_from(largest).unwrap() {
                continue;
            }
            let factor =
                |seed: u64| -> Vec<Fr> { (0..=half).map(|i| Fr::from(i * seed + 1)).collect() };
            let (left, right) = (factor(3), factor(7));
            let product = polynomial::multiply(&left, &right, &transform);
            let z = Fr::from(12_345_u64);
            let at = |polynomial: &[Fr]| polynomial::evaluate(polynomial, z);
            assert_eq!(at(&product), at(&left) * at(&right), "{largest} {half}");
        }
    }
}

#[test]
fn middle_products_are_parts_of_products() {
    for (factor, vector) in [(1, 1), (3, 9), (40, 90), (64, 128), (33, 97), (50, 60)] {
        let (factor, vector) = (squares(factor, 2), squares(vector, 7));
        let transform = polynomial::Transform::for_degree(256);
        let whole = polynomial::multiply(&factor, &vector, &transform);
        for count in [1, vector.len() - factor.len() + 1] {
            let middle = polynomial::middle_product(&factor, &vector, count, &transform);
            assert_eq!(middle, whole[factor.len() - 1..][..count]);
        }
    }
}
