use rsa_group::{exponentiation::product, group::ResidueGroup};

use super::*;
use crate::rsa::test_key::workers;

/// Computes each witness of [`all_witnesses`] on its own.
///
/// Cost: `n (n - 1) b` squarings: the paper's baseline.
///
/// Source: Tremel 2013, section 3.2.
fn one_by_one<G: ModularGroup>(
    group: &G,
    base: &G::Element,
    primes: &[&Integer],
) -> Vec<G::Element> {
    let witness = |skipped: usize| {
        let (before, rest) = primes.split_at(skipped);
        let others = before.iter().chain(rest.iter().skip(1)).copied();
        group.power(base, &product(others, &Workers::sequential()))
    };
    (0..primes.len()).map(witness).collect()
}

#[test]
fn both_algorithms_agree_for_all_sizes_and_thread_counts() {
    let group = ResidueGroup::new((Integer::from(1) << 521_u32) - 1_u32);
    let base = Integer::from(7);
    let primes = (0_u32..100).map(|index| (Integer::from(index + 1) << 80_u32).next_prime());
    let primes: Vec<Integer> = primes.collect();
    for count in (0..10).chain([31, 32, 33, 100]) {
        let primes: Vec<&Integer> = primes.iter().take(count).collect();
        let expected = one_by_one(&group, &base, &primes);
        let all = product(primes.iter().copied(), &Workers::sequential());
        for (prime, witness) in primes.iter().zip(&expected) {
            assert_eq!(group.power(witness, prime), group.power(&base, &all));
        }
        for threads in [1, 2, 3, 8] {
            let workers = workers(threads);
            assert_eq!(all_witnesses(&group, &base, &primes, &workers), expected);
        }
    }
}

#[test]
fn subtrees_of_a_level_have_as_many_leaves_up_to_one() {
    let primes: Vec<Integer> = (0..200_u32).map(Integer::from).collect();
    for count in 1..=primes.len() {
        let primes: Vec<&Integer> = primes.iter().take(count).collect();
        let slots = leaves(&primes);
        let in_order: Vec<&Integer> = slots.iter().flatten().collect();
        assert_eq!(in_order, primes);
        let mut width = slots.len();
        while width > 1 {
            let sizes = slots.chunks(width);
            let sizes = sizes.map(|subtree| subtree.iter().flatten().count());
            let sizes: Vec<usize> = sizes.collect();
            let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            let even = *least >= 1 && most - least <= 1;
            assert!(even, "{count} leaves: {sizes:?}");
            width /= 2;
        }
    }
}
