use ark_ff::Zero;
use pad_conformance::soak;
use proptest::prelude::*;
use rand::{SeedableRng, rngs::ChaCha20Rng};

use super::{
    transform::{branch_length, join_halves, split_halves},
    *,
};
use crate::{bilinear::tests::random_scalars, testing::workers};

const SEED: u64 = 0x706f_6c79_6e6f_6d69;

/// Computes the product of `X + e` over the elements, by one factor after the other.
fn naive(elements: &[Fr]) -> Vec<Fr> {
    let mut product = vec![Fr::ONE];
    for element in elements {
        let mut next = product.clone();
        next.push(Fr::ZERO);
        for (next, coefficient) in next[1..].iter_mut().zip(&product) {
            *next += *coefficient * element;
        }
        product = next;
    }
    product.reverse();
    product
}

#[test]
fn product_equals_multiplication_factor_by_factor() {
    let random = &mut ChaCha20Rng::seed_from_u64(SEED);
    let near = [
        127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384, 385, 511, 512, 513, 1000,
    ];
    let counts = (0..=70).chain(near).chain([1023, 1024, 1025, 1536, 1537]);
    for count in counts {
        let elements = random_scalars(random, count);
        let expected = naive(&elements);
        for workers in (1..=3).map(workers) {
            assert_eq!(product(&elements, &workers), expected, "{count}");
        }
    }
}

#[test]
fn product_vanishes_at_the_negated_elements_and_nowhere_else() {
    let random = &mut ChaCha20Rng::seed_from_u64(SEED);
    let elements = random_scalars(random, 300);
    let coefficients = product(&elements, &Workers::sequential());
    let vanishes = |element: &Fr| evaluate(&coefficients, -*element).is_zero();
    assert!(elements.iter().all(vanishes));
    let point = random_scalars(random, 1)[0];
    let expected: Fr = elements.iter().map(|element| point + element).product();
    assert_eq!(evaluate(&coefficients, point), expected);
    assert!(!expected.is_zero());
}

#[test]
fn every_node_of_a_tree_is_the_product_of_its_parts() {
    let random = &mut ChaCha20Rng::seed_from_u64(SEED);
    for count in [0, 1, 2, 3, 5, 47, 48, 49, 100, 129] {
        let elements = random_scalars(random, count);
        let workers = Workers::sequential();
        let tree = ProductTree::new(&elements, 4, &Transform::new(256), &workers);
        let parts = tree.parts(&elements);
        assert_eq!(parts.concat(), elements);
        for (height, level) in tree.levels.iter().enumerate() {
            assert_eq!(level.len() << height, parts.len());
            for (node, parts) in level.iter().zip(parts.chunks(1 << height)) {
                assert_eq!(*node, naive(&parts.concat()));
            }
        }
    }
}

#[test]
fn transforms_are_values_at_the_roots_and_invert() {
    let random = &mut ChaCha20Rng::seed_from_u64(SEED);
    let transform = Transform::new(256);
    for length in [1, 2, 3, 4, 6, 8, 12, 48, 64, 96, 192] {
        let coefficients = random_scalars(random, length);
        for (kind, power) in [(Roots::Even, Fr::ONE), (Roots::Odd, -Fr::ONE)] {
            let mut roots = vec![Fr::ZERO; length];
            // X itself; modulo X - 1 it is 1, modulo X + 1 it is -1.
            roots[1 % length] = if length == 1 { power } else { Fr::ONE };
            transform.forward(&mut roots, kind);
            let mut values = coefficients.clone();
            transform.forward(&mut values, kind);
            for (root, value) in roots.iter().zip(&values) {
                assert_eq!(root.pow([u64::try_from(length).unwrap()]), power);
                assert_eq!(evaluate(&coefficients, *root), *value);
            }
            transform.inverse(&mut values, kind);
            assert_eq!(values, coefficients);
        }
        let mut longer = coefficients.clone();
        longer.resize(2 * length, Fr::ZERO);
        transform.forward(&mut longer, Roots::Even);
        let mut even = coefficients.clone();
        transform.forward(&mut even, Roots::Even);
        assert_eq!(transform.extended(&even, coefficients), longer);
        let (first, second) = split_halves(&longer);
        assert_eq!(first, even);
        assert_eq!(join_halves(&first, &second), longer);
        assert!(branch_length(length).is_power_of_two());
    }
}

/// Covers transforms of more than `2^16` values, where each upper level is a part of its own.
#[test]
fn products_are_made_in_so_many_steps() {
    let random = &mut ChaCha20Rng::seed_from_u64(SEED);
    let transform = Transform::for_degree(soak::size(1 << 17, 1 << 18));
    let point = random_scalars(random, 1)[0];
    let lengths = [(1, 1), (40, 9000), (2049, 2049), (3000, 3100)];
    let long = soak::size(
        &[(40_000, 30_000)][..],
        &[(1 << 16, (1 << 16) + 2), (100_000, 60_000)],
    );
    for (left, right) in lengths.iter().chain(long).copied() {
        let (left, right) = (random_scalars(random, left), random_scalars(random, right));
        let mut product = StepwiseProduct::new(&left, &right);
        for _ in 1..StepwiseProduct::steps(left.len(), right.len()) {
            assert_eq!(product.step(&transform), None);
        }
        let made = product.step(&transform).unwrap();
        assert_eq!(product.step(&transform), None);
        let values = [&left, &right, &made].map(|one| evaluate(one, point));
        assert_eq!(values[0] * values[1], values[2]);
        assert_eq!(made, multiply(&left, &right, &transform));

        let [factor, vector] = if left.len() < right.len() {
            [&left, &right]
        } else {
            [&right, &left]
        };
        let count = vector.len() - factor.len() + 1;
        let mut product = StepwiseProduct::middle(factor, vector, count);
        for _ in 1..StepwiseProduct::middle_steps(factor.len(), vector.len(), count) {
            assert_eq!(product.step(&transform), None);
        }
        let middle = &made[factor.len() - 1..][..count];
        assert_eq!(product.step(&transform).as_deref(), Some(middle));
    }
}

#[test]
fn lengths_are_padded_to_the_next_of_both_kinds() {
    let lengths = [0, 1, 2, 3, 4, 5, 6, 7, 9, 13, 17, 25, 65, 97];
    let padded = [1, 1, 2, 3, 4, 6, 6, 8, 12, 16, 24, 32, 96, 128];
    assert_eq!(lengths.map(padded_length), padded);
}

proptest! {
    #[test]
    fn division_by_a_factor_undoes_multiplication(
        elements in prop::collection::vec(1_u64.., 1..40),
        other in 1_u64..,
    ) {
        let elements: Vec<Fr> = elements.into_iter().map(Fr::from).collect();
        let coefficients = naive(&elements);
        let (quotient, remainder) = divide_by_factor(&coefficients, elements[0]);
        prop_assert_eq!(quotient, naive(&elements[1..]));
        prop_assert_eq!(remainder, Fr::ZERO);
        let other = Fr::from(other);
        let (_, remainder) = divide_by_factor(&coefficients, other);
        prop_assert_eq!(remainder, evaluate(&coefficients, -other));
    }
}
