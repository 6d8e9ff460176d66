//! Pairings and sums of the library [blst], which has assembly for x86-64 and `AArch64`.
//!
//! Both libraries represent a coordinate by six limbs of 64 bits, least significant first, of the
//! number times `2^384`. Both use Jacobian coordinates for projective points.
//!
//! [blst]: https://github.com/supranational/blst

use alloc::vec::Vec;

use ark_bls12_381::{Fq, Fq2, Fr, G1Affine, G1Projective, G2Affine, G2Projective};
use ark_ec::AffineRepr as _;
use ark_ff::{BigInt, PrimeField as _, Zero as _};
use blst::{MultiPoint as _, blst_fp, blst_fp2, blst_fp12, blst_p1_affine, blst_p2_affine};

/// A point of G2, `None` for the identity.
pub(crate) type Second = Option<blst_p2_affine>;

pub(crate) fn second(point: &G2Affine) -> Second {
    (!point.is_zero()).then(|| second_point(point))
}

/// Returns whether the product of all pairings `e(left[i], right[i])` is 1.
///
/// The library's loops do not allow for the identity. Its pairings are 1, so they are left out.
pub(crate) fn pairs_to_one<const N: usize>(left: [G1Affine; N], right: [Second; N]) -> bool {
    let pairs = left.iter().zip(right);
    let pairs = pairs.filter(|(first, _)| !first.is_zero());
    let pairs = pairs.filter_map(|(first, second)| Some((first_point(first), second?)));
    let (first, second): (Vec<_>, Vec<_>) = pairs.unzip();
    first.is_empty()
        || blst_fp12::miller_loop_n(&second, &first).final_exp() == blst_fp12::default()
}

/// Computes the sum of `scalars[i] * points[i]` over the length of the shorter slice.
pub(crate) fn sum_of_first(points: &[G1Affine], scalars: &[Fr]) -> G1Projective {
    let points: Vec<_> = points
        .iter()
        .zip(scalars)
        .map(|(it, _)| first_point(it))
        .collect();
    if points.is_empty() {
        return G1Projective::zero();
    }
    let sum = points.as_slice().mult(&bytes(scalars), SCALAR_BITS);
    G1Projective::new_unchecked(number(&sum.x), number(&sum.y), number(&sum.z))
}

/// Like [`sum_of_first`], for points of G2.
pub(crate) fn sum_of_second(points: &[G2Affine], scalars: &[Fr]) -> G2Projective {
    let points: Vec<_> = points
        .iter()
        .zip(scalars)
        .map(|(it, _)| second_point(it))
        .collect();
    if points.is_empty() {
        return G2Projective::zero();
    }
    let sum = points.as_slice().mult(&bytes(scalars), SCALAR_BITS);
    G2Projective::new_unchecked(pair(&sum.x), pair(&sum.y), pair(&sum.z))
}

/// Length of a scalar in bits.
const SCALAR_BITS: usize = 255;

/// Concatenates the scalars, 32 bytes each, little-endian.
fn bytes(scalars: &[Fr]) -> Vec<u8> {
    let limbs = scalars.iter().flat_map(|scalar| scalar.into_bigint().0);
    limbs.flat_map(u64::to_le_bytes).collect()
}

/// Converts a point. Zero coordinates stand for the identity in sums, not in pairings.
fn first_point(point: &G1Affine) -> blst_p1_affine {
    point
        .xy()
        .map_or_else(blst_p1_affine::default, |(x, y)| blst_p1_affine {
            x: element(&x),
            y: element(&y),
        })
}

fn second_point(point: &G2Affine) -> blst_p2_affine {
    point
        .xy()
        .map_or_else(blst_p2_affine::default, |(x, y)| blst_p2_affine {
            x: quadratic(&x),
            y: quadratic(&y),
        })
}

fn quadratic(pair: &Fq2) -> blst_fp2 {
    blst_fp2 {
        fp: [element(&pair.c0), element(&pair.c1)],
    }
}

const fn element(number: &Fq) -> blst_fp {
    blst_fp { l: number.0.0 }
}

const fn number(element: &blst_fp) -> Fq {
    Fq::new_unchecked(BigInt(element.l))
}

const fn pair(quadratic: &blst_fp2) -> Fq2 {
    let [c0, c1] = &quadratic.fp;
    Fq2::new(number(c0), number(c1))
}

#[cfg(test)]
mod tests {
    use ark_ec::{CurveGroup as _, VariableBaseMSM as _};
    use ark_ff::Field as _;

    use super::*;

    /// Scalars with the extremes among them, and points with the identity and repeated and negated
    /// points among them.
    fn cases(terms: usize) -> (Vec<Fr>, Vec<G1Affine>, Vec<G2Affine>) {
        let extremes = [
            Fr::from(0_u64),
            Fr::from(1_u64),
            -Fr::from(1_u64),
            Fr::from(2_u64),
        ];
        let mut scalars: Vec<Fr> = extremes.into_iter().cycle().take(terms).collect();
        for (number, scalar) in (0_u64..).zip(&mut scalars).skip(5) {
            *scalar = Fr::from(number + 7).pow([97, 5, 3]);
        }
        let exponents = (0_u64..).map(|number| match number % 11 {
            0 => Fr::from(0_u64),
            1 | 2 => Fr::from(5_u64),
            3 => -Fr::from(5_u64),
            _ => Fr::from(number),
        });
        let exponents: Vec<Fr> = exponents.take(terms).collect();
        let first = exponents
            .iter()
            .map(|it| (G1Affine::generator() * it).into_affine());
        let second = exponents
            .iter()
            .map(|it| (G2Affine::generator() * it).into_affine());
        (scalars, first.collect(), second.collect())
    }

    #[test]
    fn sums_are_those_of_the_other_library() {
        for terms in [0, 1, 2, 3, 4, 5, 11, 31, 32, 33, 64, 100, 200, 600] {
            let (scalars, first, second) = cases(terms);
            let sum = sum_of_first(&first, &scalars);
            assert_eq!(
                sum,
                G1Projective::msm_unchecked(&first, &scalars),
                "{terms}"
            );
            let sum = sum_of_second(&second, &scalars);
            assert_eq!(
                sum,
                G2Projective::msm_unchecked(&second, &scalars),
                "{terms}"
            );
        }
    }

    #[test]
    fn points_may_be_outside_of_the_subgroup() {
        let points: Vec<G1Affine> = (1_u64..)
            .filter_map(|x| G1Affine::get_point_from_x_unchecked(x.into(), false))
            .take(200)
            .collect();
        let scalars: Vec<Fr> = (2_u64..202).map(|it| Fr::from(it).pow([19])).collect();
        for terms in [1, 2, 5, 31, 32, 64, 200] {
            let (points, scalars) = (&points[..terms], &scalars[..terms]);
            assert!(!points[0].is_in_correct_subgroup_assuming_on_curve());
            let expected = points.iter().zip(scalars).map(|(point, it)| *point * it);
            assert_eq!(
                sum_of_first(points, scalars),
                expected.sum::<G1Projective>(),
                "{terms}"
            );
        }
    }

    #[test]
    fn surplus_points_and_scalars_are_ignored() {
        let (scalars, first, _) = cases(40);
        for (points, numbers) in [(40, 30), (30, 40), (0, 40), (40, 0), (1, 40)] {
            let (points, numbers) = (&first[..points], &scalars[..numbers]);
            let expected = G1Projective::msm_unchecked(points, numbers);
            assert_eq!(sum_of_first(points, numbers), expected);
        }
    }

    #[test]
    fn sums_that_cancel_are_the_identity() {
        let point = G1Affine::generator();
        let scalars = [Fr::from(9_u64), Fr::from(9_u64)];
        assert!(sum_of_first(&[point, -point], &scalars).is_zero());
        assert!(sum_of_first(&[G1Affine::identity(); 2], &scalars).is_zero());
        assert!(sum_of_first(&[point; 2], &[Fr::from(0_u64); 2]).is_zero());
    }
}
