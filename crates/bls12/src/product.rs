//! The product of many scalars, eight at once where the processor has vector instructions for it.
//!
//! The curve library keeps a scalar `a` as `a A mod r` with `A = 2^256`. The lanes divide each
//! product by `R = 2^260` instead. So each step of a lane loses the factor `R / A = 16`, and one
//! power of two restores them all.

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

#[cfg(feature = "std")]
mod lanes {
    use std::sync::LazyLock;

    use ark_ff::{BigInt, PrimeField as _};
    use montgomery_lanes::{LANES, Moduli, Numbers, are_fast};
    use zeroize::Zeroizing;

    use super::{Field as _, Fr};

    /// Multiplies as many scalars as fill the lanes. Returns their product, and the other scalars.
    pub(super) fn shifted_product<'a>(scalars: &'a [Fr], shift: &Fr) -> (Fr, &'a [Fr]) {
        static FIELD: LazyLock<Option<Moduli<5>>> = LazyLock::new(|| {
            let modulus = Numbers::<5>::limbs_of(&Fr::MODULUS.0)?;
            Moduli::new(&Numbers::splat(&modulus)).filter(|_| are_fast())
        });
        let Some(field) = FIELD.as_ref().filter(|_| scalars.len() >= LEAST) else {
            return (Fr::ONE, scalars);
        };
        let (groups, rest) = scalars.as_chunks::<LANES>();
        let all = |scalar: &Fr| Zeroizing::new(field.split(&[&scalar.0.0; LANES]));
        let shift = all(shift);
        let mut product = all(&Fr::ONE);
        for group in groups {
            let scalars = field.split(&group.each_ref().map(|scalar| &scalar.0.0));
            *product = field.mul(&product, &field.add(&scalars, &shift));
        }
        let lanes = Zeroizing::new(field.join::<4>(&field.reduced(&product)));
        let product: Fr = lanes
            .map(|words| Fr::new_unchecked(BigInt(words)))
            .iter()
            .product();
        let steps = u64::try_from(groups.len()).unwrap_or(u64::MAX);
        // Eight lanes lose a factor of 2^4 in each step.
        let lost = Fr::from(1_u64 << 32).pow([steps]);
        (product * lost, rest)
    }

    /// Number of scalars from which on lanes are faster.
    const LEAST: usize = 64;
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
        // One factor is zero.
        assert_eq!(shifted_product(&scalars, &-scalars[99]), Fr::from(0_u64));
    }
}
