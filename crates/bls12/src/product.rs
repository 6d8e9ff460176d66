//! Products of many scalars, eight at once where the processor has vector instructions for it.
//!
//! Each product in a lane loses a factor of 16. For the product of many scalars, one power of two
//! restores them all.

use ark_bls12_381::Fr;
use ark_ff::Field;

/// Computes the product of `a + shift` over all `a` in `scalars`.
///
/// Neither times nor addresses depend on `shift`, except those of the curve library's arithmetic.
///
/// Cost: one multiplication for each scalar.
pub fn shifted_product(scalars: &[Fr], shift: &Fr) -> Fr {
    #[cfg(feature = "std")]
    let (product, rest) = lanes::shifted_product(scalars, shift);
    #[cfg(not(feature = "std"))]
    let (product, rest) = (Fr::ONE, scalars);
    product * in_chains(rest, shift)
}

/// Multiplies in four independent chains, which the processor can overlap.
fn in_chains(scalars: &[Fr], shift: &Fr) -> Fr {
    let mut chains = [Fr::ONE; 4];
    for chunk in scalars.chunks(chains.len()) {
        for (chain, scalar) in chains.iter_mut().zip(chunk) {
            *chain *= *scalar + shift;
        }
    }
    chains.iter().product()
}

/// Multiplies each of `values` by the factor at its index.
///
/// Cost: one multiplication for each value.
pub fn multiply_each(values: &mut [Fr], factors: &[Fr]) {
    #[cfg(feature = "std")]
    let (values, factors) = lanes::multiply_each(values, factors);
    for (value, factor) in values.iter_mut().zip(factors) {
        *value *= factor;
    }
}

/// Multiplies all `values` by `factor`.
///
/// Cost: one multiplication for each value.
pub fn scale(values: &mut [Fr], factor: &Fr) {
    let factors = [*factor; 64];
    for values in values.chunks_mut(factors.len()) {
        multiply_each(values, &factors);
    }
}

#[cfg(feature = "std")]
mod lanes {
    use montgomery_lanes::LANES;
    use zeroize::Zeroizing;

    use super::{Field as _, Fr};
    use crate::scalar_lanes::{LOST_BITS, field, load, store};

    /// Multiplies as many scalars as fill the lanes. Returns their product, and the other scalars.
    pub(super) fn shifted_product<'a>(scalars: &'a [Fr], shift: &Fr) -> (Fr, &'a [Fr]) {
        let Some(field) = field().filter(|_| scalars.len() >= LEAST) else {
            return (Fr::ONE, scalars);
        };
        let (groups, rest) = scalars.as_chunks::<LANES>();
        let shift = Zeroizing::new(load(field, [shift; LANES]));
        let mut product = Zeroizing::new(load(field, [&Fr::ONE; LANES]));
        for group in groups {
            let scalars = load(field, group.each_ref());
            *product = field.mul(&product, &field.add(&scalars, &shift));
        }
        let product: Fr = Zeroizing::new(store(field, &product)).iter().product();
        let steps = u64::try_from(groups.len()).unwrap_or(u64::MAX);
        let lost = Fr::from(1_u64 << (LOST_BITS * 8)).pow([steps]);
        (product * lost, rest)
    }

    /// Number of scalars from which on lanes are faster.
    const LEAST: usize = 64;

    /// Multiplies as many values as fill the lanes. Returns the other values and factors.
    pub(super) fn multiply_each<'a, 'b>(
        values: &'a mut [Fr],
        factors: &'b [Fr],
    ) -> (&'a mut [Fr], &'b [Fr]) {
        let Some(field) = field() else {
            return (values, factors);
        };
        // Both lists are split at the same place, even if their lengths differ.
        let count = values.len().min(factors.len()) / LANES * LANES;
        let (in_lanes, values) = values.split_at_mut(count);
        let (factors_in_lanes, factors) = factors.split_at(count);
        let (groups, _) = in_lanes.as_chunks_mut::<LANES>();
        let (groups_of_factors, _) = factors_in_lanes.as_chunks::<LANES>();
        for (group, factors) in groups.iter_mut().zip(groups_of_factors) {
            // 16 times a scalar is below `R`, and its product with another is below `r R`.
            let factors = field.shift_left(&load(field, factors.each_ref()), [LOST_BITS; LANES]);
            let product = field.mul(&load(field, group.each_ref()), &factors);
            *group = store(field, &product);
        }
        (values, factors)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn products_are_those_of_single_scalars() {
        let extreme = [Fr::ONE, -Fr::ONE, -Fr::from(2_u64), Fr::from(u64::MAX)];
        let scalars = (1..500_u64).map(|number| Fr::from(number).pow([99]));
        let scalars: Vec<Fr> = scalars.chain(extreme).collect();
        for count in [0, 1, 63, 64, 65, 71, 72, 500, scalars.len()] {
            let scalars = &scalars[scalars.len() - count..];
            let sum: Fr = scalars.iter().sum();
            for shift in [0_i64, 7, -3].map(Fr::from).into_iter().chain([sum]) {
                let expected: Fr = scalars.iter().map(|scalar| *scalar + shift).product();
                assert_eq!(shifted_product(scalars, &shift), expected, "{count}");
            }
        }
        let mut products = scalars.clone();
        let factors: Vec<Fr> = scalars.iter().rev().copied().collect();
        for count in [0, 7, 8, 23, scalars.len()] {
            products.copy_from_slice(&scalars);
            multiply_each(&mut products[..count], &factors[..count]);
            for (place, product) in products.iter().enumerate() {
                let factor = if place < count {
                    factors[place]
                } else {
                    Fr::ONE
                };
                assert_eq!(*product, scalars[place] * factor, "{place} of {count}");
            }
        }
        scale(&mut products, &factors[3]);
        for (place, product) in products.iter().enumerate() {
            assert_eq!(
                *product,
                scalars[place] * factors[place] * factors[3],
                "{place}"
            );
        }
        // One factor is zero.
        assert_eq!(shifted_product(&scalars, &-scalars[99]), Fr::from(0_u64));
    }
}
