use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, PrimeGroup};
use ark_ff::AdditiveGroup;
use pad_conformance::soak;
use rand::{SeedableRng, rngs::ChaCha20Rng};

use super::*;
use crate::{
    bilinear::{multi_scalar::multi_scalar_product, tests::random_scalars},
    testing::workers,
};
use bls12::affine::normalize;

const SEED: u64 = 0x7769_746e_6573_7365;

fn in_the_exponent(logarithms: &[Fr]) -> Vec<G1Affine> {
    let points = logarithms.iter();
    let points = points.map(|logarithm| G1Projective::generator() * logarithm);
    normalize(&points.collect::<Vec<_>>())
}

fn powers(secret: Fr, count: usize) -> Vec<G1Affine> {
    let powers = core::iter::successors(Some(Fr::ONE), |power| Some(secret * power));
    in_the_exponent(&powers.take(count).collect::<Vec<Fr>>())
}

/// Computes the witnesses by their definition.
fn expected(secret: Fr, elements: &[Fr]) -> Vec<G1Affine> {
    let logarithms: Vec<Fr> = (0..elements.len())
        .map(|skipped| {
            let others = elements.iter().enumerate();
            let others = others.filter(|(other, _)| *other != skipped);
            others.map(|(_, element)| secret + element).product()
        })
        .collect();
    in_the_exponent(&logarithms)
}

/// Computes [`all_witnesses`] as in the paper: by one division and one sum for each witness.
///
/// Cost: `n^2` field multiplications and `n` sums of `n` terms.
fn naive(powers: &[G1Affine], elements: &[Fr], workers: &Workers) -> Option<Vec<G1Affine>> {
    let powers = powers.get(..elements.len())?;
    let coefficients = product(elements, workers);
    let sequential = Workers::sequential();
    let sums = workers.map(elements, |element| {
        let (quotient, _) = divide_by_factor(&coefficients, *element);
        multi_scalar_product(powers, &quotient, &sequential)
    });
    Some(normalize(&sums))
}

#[test]
fn every_algorithm_gives_the_witnesses_of_the_secret() {
    let random = &mut ChaCha20Rng::seed_from_u64(SEED);
    let secret = random_scalars(random, 1)[0];
    let powers = powers(secret, 129);
    let pair = workers(2);
    let large = soak::size(&[65, 100][..], &[63, 64, 65, 66, 100, 129]);
    let small = (1..=40).step_by(soak::size(6, 1));
    for count in small.chain(large.iter().copied()) {
        let elements = random_scalars(random, count);
        let expected = Some(expected(secret, &elements));
        let result = direct(&powers, &elements, &pair);
        assert_eq!(result, expected, "direct {count}");
        let leaves = if count < 63 { &[4][..] } else { &[4, 16] };
        for leaf in leaves {
            let found = divide_and_conquer(&powers, &elements, *leaf, &pair);
            assert_eq!(found, expected, "leaves of {leaf} {count}");
        }
        if count < 10 || count == 100 {
            assert_eq!(naive(&powers, &elements, &pair), expected, "naive {count}");
        }
    }
}

#[test]
fn the_default_choice_gives_the_same_for_every_number_of_threads() {
    let random = &mut ChaCha20Rng::seed_from_u64(SEED);
    let secret = random_scalars(random, 1)[0];
    let powers = powers(secret, 200);
    for count in [0, 10, MOST_DIRECT, MOST_DIRECT + 1, 130] {
        let elements = random_scalars(random, count);
        let expected = Some(expected(secret, &elements));
        for threads in 1..=3 {
            let found = all_witnesses(&powers, &elements, &workers(threads));
            assert_eq!(found, expected, "{count}");
        }
    }
}

#[test]
fn an_element_may_be_a_negated_root_of_unity() {
    let secret = Fr::from(5_u64);
    let powers = powers(secret, 130);
    let mut elements: Vec<Fr> = (1..=126_u64).map(Fr::from).collect();
    elements.extend([-Fr::ONE, -Fr::from(2_u64)]);
    let transform = Transform::new(128);
    elements.extend(inverse_roots(&transform, 4)[2..].iter().map(|root| -*root));
    let found = divide_and_conquer(&powers, &elements, 4, &Workers::sequential());
    assert_eq!(found, Some(expected(secret, &elements)));
}

#[test]
fn too_few_powers_give_nothing() {
    let powers = powers(Fr::from(5_u64), 3);
    let elements: Vec<Fr> = (1..=4_u64).map(Fr::from).collect();
    let sequential = Workers::sequential();
    assert_eq!(all_witnesses(&powers, &elements, &sequential), None);
    assert_eq!(naive(&powers, &elements, &sequential), None);
    assert_eq!(divide_and_conquer(&powers, &elements, 4, &sequential), None);
    assert!(all_witnesses(&powers, &elements[1..], &sequential).is_some());
}

#[test]
fn group_transforms_are_those_of_the_scalars_in_the_exponent() {
    let random = &mut ChaCha20Rng::seed_from_u64(SEED);
    let transform = Transform::new(64);
    let sequential = Workers::sequential();
    let group = GroupTransform {
        transform: &transform,
        workers: &sequential,
    };
    for length in [1, 2, 3, 4, 6, 8, 12, 24, 32] {
        // Two vectors, one of them with an identity.
        let mut logarithms = random_scalars(random, 2 * length);
        logarithms[0] = Fr::ZERO;
        let mut points = in_the_exponent(&logarithms);
        assert!(points[0].is_zero());
        group.forward(&mut points, length);
        let mut values = logarithms.clone();
        for values in values.chunks_mut(length) {
            transform.forward(values, Roots::Even);
        }
        assert_eq!(points, in_the_exponent(&values), "forward {length}");
        let mut points = in_the_exponent(&logarithms);
        group.inverse_odd(&mut points, length);
        let mut values = logarithms;
        for values in values.chunks_mut(length) {
            transform.inverse(values, Roots::Odd);
        }
        let scaled = Fr::from(u64::try_from(length).unwrap());
        let values: Vec<Fr> = values.into_iter().map(|value| value * scaled).collect();
        assert_eq!(points, in_the_exponent(&values), "inverse {length}");
    }
}
