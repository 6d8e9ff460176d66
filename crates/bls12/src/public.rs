//! Multiples and sums of public values, with running times that depend on scalars and points.

use ark_bls12_381::Fr;
use ark_ec::short_weierstrass::{Affine, Projective};
#[cfg(feature = "std")]
use ark_ff::Zero as _;
#[cfg(feature = "std")]
use pad_core::internals::for_each_piece;

#[cfg(feature = "std")]
use crate::threads::ranges;
use crate::{count::Counted, curve::Curve};

/// Multiplies a point by a scalar, both public, and counts the operation.
pub fn multiple<C: Curve>(point: impl Into<Projective<C>>, scalar: &Fr) -> Projective<C> {
    Counted::Multiples.add(1);
    C::multiple(point.into(), scalar)
}

/// Computes the sum of `scalars[i] * points[i]` over the length of the shorter slice, on the
/// calling thread.
///
/// Points may be outside of the subgroup.
pub fn sum<C: Curve>(points: &[Affine<C>], scalars: &[Fr]) -> Projective<C> {
    Counted::add_sums(1, points.len().min(scalars.len()));
    C::sum(points, scalars)
}

/// Like [`sum`], but uses all threads of the calling thread's rayon pool, or of the global pool.
#[cfg(feature = "std")]
pub fn sum_in_pool<C: Curve>(points: &[Affine<C>], scalars: &[Fr]) -> Projective<C> {
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
                *sum = C::sum(points, scalars);
            }
        }
    });
    sums.into_iter().sum()
}

#[cfg(test)]
mod tests {
    use ark_bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective};
    use ark_ec::AffineRepr;

    use super::*;

    #[test]
    fn sums_are_those_of_multiples() {
        let scalars: Vec<Fr> = (3..20_u64).map(Fr::from).collect();
        let total: Fr = scalars.iter().sum();
        let ones = vec![G1Affine::generator(); scalars.len()];
        assert_eq!(sum(&ones, &scalars), multiple(ones[0].into_group(), &total));
        let ones = vec![G2Affine::generator(); scalars.len()];
        assert_eq!(sum(&ones, &scalars), multiple(ones[0].into_group(), &total));
        let found = sum::<ark_bls12_381::g1::Config>(&[], &scalars);
        assert_eq!(found, G1Projective::zero());
        assert_ne!(sum(&ones, &scalars), G2Projective::zero());
        for terms in [0, 1, 128, 300] {
            let points = vec![G1Affine::generator(); terms];
            let scalars: Vec<Fr> = (0..300_u64).map(Fr::from).collect();
            assert_eq!(sum_in_pool(&points, &scalars), sum(&points, &scalars));
        }
    }
}
