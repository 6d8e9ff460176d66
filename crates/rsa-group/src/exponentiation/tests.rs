use proptest::prelude::*;

use rug::integer::Order;

use super::*;
use crate::{group::ResidueGroup, test_key::workers};

fn group() -> ResidueGroup {
    ResidueGroup::new((Integer::from(1) << 127_u32) - 1_u32)
}

fn integers(most: usize) -> impl Strategy<Value = Vec<Integer>> {
    let integer = prop::collection::vec(any::<u64>(), 0..6)
        .prop_map(|digits| Integer::from_digits(&digits, Order::Lsf));
    prop::collection::vec(integer, 0..most)
}

proptest! {
    #[test]
    fn products_are_products(factors in integers(20), threads in 1_usize..4) {
        let expected = factors.iter().fold(Integer::from(1), |left, right| left * right);
        prop_assert_eq!(product(&factors, &workers(threads)), expected);
    }

    #[test]
    fn powers_of_one_base_are_powers(exponents in integers(6), base in 1_u64..) {
        let (group, base) = (group(), Integer::from(base));
        let exponents: Vec<&Integer> = exponents.iter().collect();
        let expected: Vec<Integer> =
            exponents.iter().map(|exponent| group.power(&base, exponent)).collect();
        prop_assert_eq!(powers_of_one_base(&group, &base, &exponents), expected);
    }

    #[test]
    fn multi_powers_are_products_of_powers(
        exponents in integers(40),
        short in any::<bool>(),
    ) {
        let group = group();
        let exponents: Vec<Integer> = exponents
            .into_iter()
            .map(|exponent| if short { exponent.keep_bits(9) } else { exponent })
            .collect();
        let bases: Vec<Integer> = (2_u32..).take(exponents.len()).map(Integer::from).collect();
        let expected = bases.iter().zip(&exponents).fold(group.one(), |product, (base, exponent)| {
            group.multiply(&product, &group.power(base, exponent))
        });
        prop_assert_eq!(multi_power(&group, &bases, &exponents), expected);
    }

    #[test]
    fn digits_put_together_are_the_number(
        digits in prop::collection::vec(any::<u64>(), 0..4),
        window in 1_u32..20,
    ) {
        let number = Integer::from_digits(&digits, Order::Lsf);
        let read = Digits::new(&number);
        let mut sum = Integer::new();
        for index in (0..read.bits().div_ceil(window)).rev() {
            sum <<= window;
            sum += read.at(index * window, window);
        }
        prop_assert_eq!(sum, number);
    }
}

#[test]
fn many_bases_take_the_other_algorithm_and_agree() {
    let group = group();
    let bases: Vec<Integer> = (2_u32..).take(300).map(Integer::from).collect();
    let exponents = (1_u32..).take(300).map(|n| Integer::from(n) << (n % 90));
    let exponents: Vec<Integer> = exponents.collect();
    let expected = bases
        .iter()
        .zip(&exponents)
        .fold(group.one(), |product, (base, exponent)| {
            group.multiply(&product, &group.power(base, exponent))
        });
    assert_eq!(multi_power(&group, &bases, &exponents), expected);
}

/// A group that raises up to eight bases at once, one after the other.
struct WithLanes(ResidueGroup);

impl ModularGroup for WithLanes {
    type Element = Integer;

    fn one(&self) -> Integer {
        self.0.one()
    }

    fn multiply(&self, left: &Integer, right: &Integer) -> Integer {
        self.0.multiply(left, right)
    }

    fn square_times(&self, base: &Integer, count: u32) -> Integer {
        self.0.square_times(base, count)
    }

    fn power(&self, base: &Integer, exponent: &Integer) -> Integer {
        self.0.power(base, exponent)
    }

    fn inverse(&self, base: &Integer) -> Integer {
        self.0.inverse(base)
    }

    fn lanes(&self) -> usize {
        8
    }

    fn powers_at_once(
        &self,
        bases: &[&Integer],
        exponents: &[&[&Integer]],
    ) -> Option<Vec<Vec<Integer>>> {
        assert!(bases.len() <= 8 && bases.len() == exponents.len());
        let pairs = bases.iter().zip(exponents);
        let powers = pairs.map(|(base, exponents)| {
            let powers = exponents.iter();
            powers.map(|exponent| self.power(base, exponent)).collect()
        });
        Some(powers.collect())
    }
}

#[test]
fn powers_of_bases_are_powers_in_their_order() {
    let lists: Vec<Vec<Integer>> = (0..17_u32)
        .map(|base| {
            (0..base % 4)
                .map(|index| Integer::from(base * 1000 + index))
                .collect()
        })
        .collect();
    let (plain, with_lanes) = (group(), WithLanes(group()));
    for count in [0, 1, 2, 7, 8, 9, 17] {
        let bases: Vec<Integer> = (2..).take(count).map(Integer::from).collect();
        let exponents = lists.iter().take(count).map(|list| list.iter().collect());
        let exponents: Vec<Vec<&Integer>> = exponents.collect();
        let expected: Vec<Vec<Integer>> = bases
            .iter()
            .zip(&exponents)
            .map(|(base, list)| {
                list.iter()
                    .map(|exponent| plain.power(base, exponent))
                    .collect()
            })
            .collect();
        for threads in [1, 2, 3, 8] {
            let workers = workers(threads);
            let found = powers_of_bases(&plain, &bases, &exponents, &workers);
            assert_eq!(found, expected);
            let found = powers_of_bases(&with_lanes, &bases, &exponents, &workers);
            assert_eq!(found, expected);
        }
    }
}
