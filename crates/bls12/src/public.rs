//! Arithmetic on public values, with running times that depend on scalars and points.

use core::ops::Mul;

use ark_bls12_381::{Bls12_381, Config, Fr, G1Affine};
use ark_ec::{
    VariableBaseMSM,
    bls12::G2Prepared,
    pairing::Pairing,
    short_weierstrass::{Affine, Projective, SWCurveConfig},
};
use ark_ff::Zero;

#[cfg(feature = "std")]
use pad_core::workers::for_each_piece;

use crate::count::Counted;
#[cfg(feature = "std")]
use crate::threads::ranges;

/// Multiplies a point by a scalar, both public, and counts the operation.
pub fn multiple<'s, P: Mul<&'s Fr>>(point: P, scalar: &'s Fr) -> P::Output {
    Counted::Multiples.add(1);
    point * scalar
}

/// Computes the sum of `scalars[i] * points[i]` over the length of the shorter slice, on the
/// calling thread.
pub fn sum<C: SWCurveConfig>(points: &[Affine<C>], scalars: &[C::ScalarField]) -> Projective<C> {
    Counted::add_sums(1, points.len().min(scalars.len()));
    Projective::msm_unchecked(points, scalars)
}

/// Like [`sum`], but uses all threads of the calling thread's rayon pool, or of the global pool.
#[cfg(feature = "std")]
pub fn sum_in_pool<C: SWCurveConfig>(
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Projective<C> {
    /// Smallest number of terms that is worth another thread.
    const LEAST: usize = 128;
    let terms = points.len().min(scalars.len());
    Counted::add_sums(1, terms);
    let ranges = ranges(terms, rayon::current_num_threads(), LEAST);
    let mut sums = alloc::vec![Projective::zero(); ranges.len()];
    for_each_piece(&mut sums, 1, &|first, sums| {
        for (sum, range) in sums.iter_mut().zip(ranges.iter().skip(first)) {
            if let (Some(points), Some(scalars)) =
                (points.get(range.clone()), scalars.get(range.clone()))
            {
                *sum = Projective::msm_unchecked(points, scalars);
            }
        }
    });
    sums.into_iter().sum()
}

/// Returns whether the product of all pairings `e(left[i], right[i])` is 1.
pub fn pairs_to_one<const N: usize>(
    left: [G1Affine; N],
    right: [impl Into<G2Prepared<Config>>; N],
) -> bool {
    Counted::Pairings.add(N);
    let product = Bls12_381::multi_miller_loop(left, right);
    // The library writes this group additively: its zero is 1.
    Bls12_381::final_exponentiation(product).is_some_and(|product| product.is_zero())
}

#[cfg(test)]
mod tests {
    use ark_bls12_381::{G1Projective, G2Affine, G2Projective};
    use ark_ec::{AffineRepr, CurveGroup};

    use super::*;

    #[test]
    fn pairings_see_products_of_scalars() {
        let [two, three, six] = [2_u64, 3, 6].map(Fr::from);
        let left = [two, -six].map(|scalar| multiple(G1Affine::generator(), &scalar).into_affine());
        let right = multiple(G2Affine::generator(), &three).into_affine();
        assert!(pairs_to_one(left, [right, G2Affine::generator()]));
        assert!(!pairs_to_one(left, [right, right]));
    }

    #[test]
    fn sums_are_those_of_multiples() {
        let scalars: Vec<Fr> = (3..20_u64).map(Fr::from).collect();
        let total: Fr = scalars.iter().sum();
        let ones = vec![G1Affine::generator(); scalars.len()];
        assert_eq!(sum(&ones, &scalars), multiple(ones[0].into_group(), &total));
        let ones = vec![G2Affine::generator(); scalars.len()];
        assert_eq!(sum(&ones, &scalars), multiple(ones[0].into_group(), &total));
        assert_eq!(
            sum::<ark_bls12_381::g1::Config>(&[], &scalars),
            G1Projective::zero()
        );
        assert_ne!(sum(&ones, &scalars), G2Projective::zero());
        for terms in [0, 1, 128, 300] {
            let points = vec![G1Affine::generator(); terms];
            let scalars: Vec<Fr> = (0..300_u64).map(Fr::from).collect();
            assert_eq!(sum_in_pool(&points, &scalars), sum(&points, &scalars));
        }
    }
}
