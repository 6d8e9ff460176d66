//! Multi-scalar sums of few terms in G2, on the calling thread.
//!
//! For few terms this is faster than a sum by buckets.
//!
//! The running time depends on the scalars, which must not be secret.
//!
//! Source: Straus 1964 (one chain of doublings for all terms), with non-adjacent forms of width 5.

use alloc::vec::Vec;

use ark_bls12_381::{Fr, G2Affine, G2Projective};
use ark_ff::{AdditiveGroup, BigInteger, PrimeField, Zero};
use bls12::{affine::normalize, count::Counted};

/// One term: the odd multiples of its point up to 15, and the digits of its scalar, lowest first.
struct Term {
    multiples: Vec<G2Affine>,
    digits: Vec<i64>,
}

/// Computes the sum of `scalars[i] * points[i]` over the length of the shorter slice.
///
/// Cost: 50 additions for each point, and 256 doublings.
pub(crate) fn small_sum(points: &[G2Affine], scalars: &[Fr]) -> G2Projective {
    Counted::add_sums(1, points.len().min(scalars.len()));
    let odd: Vec<G2Projective> = points.iter().flat_map(odd_multiples).collect();
    let odd = normalize(&odd);
    let terms: Vec<Term> = odd
        .chunks(ODD_MULTIPLES)
        .zip(scalars)
        .map(|(multiples, scalar)| Term {
            multiples: multiples.to_vec(),
            digits: scalar.into_bigint().find_wnaf(WIDTH).unwrap_or_default(),
        })
        .collect();
    let length = terms.iter().map(|term| term.digits.len()).max();
    let mut sum = G2Projective::zero();
    for position in (0..length.unwrap_or(0)).rev() {
        sum.double_in_place();
        for term in &terms {
            let digit = term.digits.get(position).copied().unwrap_or(0);
            let place = usize::try_from(digit.unsigned_abs() / 2).ok();
            match place.and_then(|place| term.multiples.get(place)) {
                Some(multiple) if digit > 0 => sum += multiple,
                Some(multiple) if digit < 0 => sum -= multiple,
                _ => {}
            }
        }
    }
    sum
}

/// Computes the multiples of a point by 1, 3, ..., 15.
fn odd_multiples(point: &G2Affine) -> impl Iterator<Item = G2Projective> + use<> {
    let point = G2Projective::from(*point);
    let twice = point.double();
    core::iter::successors(Some(point), move |multiple| Some(*multiple + twice)).take(ODD_MULTIPLES)
}

const WIDTH: usize = 5;

/// Number of odd multiples of a point that digits of `WIDTH` bits need: `2^(WIDTH - 2)`.
const ODD_MULTIPLES: usize = 8;

#[cfg(test)]
mod tests {
    use ark_ec::{CurveGroup, PrimeGroup};
    use ark_ff::Field;

    use super::*;

    #[test]
    fn sums_equal_those_of_the_library() {
        let seed = Fr::from(0x0073_756d_u64).pow([0x1234_5678_9abc]);
        let multiples = core::iter::successors(Some(seed), |scalar| Some(*scalar * seed));
        let multiples: Vec<Fr> = multiples.take(20).collect();
        let generator = G2Projective::generator();
        let points = multiples.iter();
        let points = points.map(|scalar| (generator * scalar).into_affine());
        let points: Vec<G2Affine> = points.collect();
        let mut scalars: Vec<Fr> = multiples.iter().map(Field::square).collect();
        scalars.extend([0_i64, 1, -1, 31, 32].map(Fr::from));
        for count in 0..=points.len() {
            for scalars in [&scalars[..20], &scalars[5..], &scalars[20..]] {
                let terms = points.iter().take(count).zip(scalars);
                let expected: G2Projective = terms.map(|(point, scalar)| *point * scalar).sum();
                assert_eq!(small_sum(&points[..count], scalars), expected);
            }
        }
        // The identity is neutral, and opposite points cancel.
        let cancelling = [G2Affine::identity(), points[0], -points[0]];
        let same = [scalars[3]; 3];
        assert!(small_sum(&cancelling, &same).is_zero());
    }
}
