//! Products of many powers.

use rug::{Complete, Integer};

/// The product of `base^exponent mod modulus` over the pairs, for exponents that are not negative.
///
/// Cost: for exponents of `b` bits and windows of `w` about `b / w * (n + 2^(w + 1))` products, instead
/// of about `1.2 b n` one by one.
///
/// Source: Pippenger's bucket method, as in Bernstein, Doumen, Lange & Oosterwijk 2012, section 4.
pub(super) fn product_of_powers(pairs: &[(Integer, Integer)], modulus: &Integer) -> Integer {
    let longest = pairs
        .iter()
        .map(|(_, exponent)| exponent.significant_bits());
    let bits = longest.max().unwrap_or(0);
    let window = window(bits, pairs.len());
    let mut total = Integer::from(1);
    for number in (0..bits.div_ceil(window)).rev() {
        for _ in 0..window {
            total.square_mut();
            total %= modulus;
        }
        let low = number.saturating_mul(window);
        if let Some(factor) = window_product(pairs, low, window, modulus) {
            multiply(&mut total, &factor, modulus);
        }
    }
    total % modulus
}

/// The window with the fewest products.
fn window(bits: u32, count: usize) -> u32 {
    let cost = |window: &u32| {
        let buckets = 1_usize << window.saturating_add(1);
        let windows = usize::try_from(bits.div_ceil(*window)).unwrap_or(usize::MAX);
        windows.saturating_mul(count.saturating_add(buckets))
    };
    (1..=12).min_by_key(cost).unwrap_or(1)
}

/// The product of the powers by `window` bits of each exponent. None for 1.
fn window_product(
    pairs: &[(Integer, Integer)],
    low: u32,
    window: u32,
    modulus: &Integer,
) -> Option<Integer> {
    // Bucket d - 1 is for digit d.
    let mut buckets: Vec<Option<Integer>> = vec![None; (1_usize << window).saturating_sub(1)];
    for (base, exponent) in pairs {
        let digit = digit(exponent, low, window);
        if let Some(bucket) = digit
            .checked_sub(1)
            .and_then(|index| buckets.get_mut(index))
        {
            include(bucket, base, modulus);
        }
    }
    // From the top down, each bucket is in as many partial products as its digit says.
    let (mut partial, mut total) = (None, None);
    for bucket in buckets.iter().rev() {
        if let Some(bucket) = bucket {
            include(&mut partial, bucket, modulus);
        }
        if let Some(partial) = &partial {
            include(&mut total, partial, modulus);
        }
    }
    total
}

fn include(product: &mut Option<Integer>, factor: &Integer, modulus: &Integer) {
    match product {
        Some(product) => multiply(product, factor, modulus),
        None => *product = Some((factor % modulus).complete()),
    }
}

fn multiply(product: &mut Integer, factor: &Integer, modulus: &Integer) {
    *product *= factor;
    *product %= modulus;
}

/// The bits of a number from `low` on.
fn digit(number: &Integer, low: u32, window: u32) -> usize {
    (0..window).rev().fold(0, |digit, bit| {
        digit << 1 | usize::from(number.get_bit(low.saturating_add(bit)))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn products_are_those_of_single_powers(
            pairs in prop::collection::vec(any::<(u64, u128)>(), 0..40),
            modulus in 2_u64..,
        ) {
            let modulus = Integer::from(modulus);
            let pairs: Vec<_> = pairs
                .into_iter()
                .map(|(base, exponent)| (Integer::from(base), Integer::from(exponent)))
                .collect();
            let single = pairs.iter().fold(Integer::from(1), |product, (base, exponent)| {
                product * base.clone().pow_mod(exponent, &modulus).unwrap() % &modulus
            });
            prop_assert_eq!(product_of_powers(&pairs, &modulus), single % &modulus);
        }
    }
}
