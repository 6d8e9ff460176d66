//! Multiplication by a secret scalar in a fixed sequence of operations.
//!
//! The curve library's own multiplications take time and table entries that depend on the scalar.
//! Here every scalar costs 255 additions and 255 doublings, of operands chosen by masks, not by
//! branches or addresses. The scalar is taken as the one of `x + r`, `x + 2r` that has exactly 256
//! bits, `r` being the group order. What is left: field arithmetic subtracts the modulus where a
//! result needs it, and the formulas test for special cases (which no scalar of a random key
//! meets). The coordinates in which this happens are multiplied by a factor that the observer does
//! not know, so that their patterns say nothing about the point's multiples.
//!
//! Source: Joye & Yen 2002 (Montgomery's ladder); Brumley & Tuveri 2011, section 5 (fixed length);
//! Coron 1999, section 5.3 (randomised coordinates).

use core::{hint::black_box, mem};

use ark_bls12_381::{Fq, Fq2, Fr};
use ark_ec::{
    CurveGroup,
    short_weierstrass::{Affine, Projective, SWCurveConfig},
};
use ark_ff::{AdditiveGroup, Field, PrimeField, Zero};
use zeroize::Zeroizing;

/// A field element that can change places with another without a branch.
pub trait Swap {
    /// Swaps the two if the mask is all ones, not if it is zero.
    fn swap(left: &mut Self, right: &mut Self, mask: u64);
}

impl Swap for Fq {
    fn swap(left: &mut Self, right: &mut Self, mask: u64) {
        for (left, right) in left.0.0.iter_mut().zip(&mut right.0.0) {
            let difference = mask & (*left ^ *right);
            *left ^= difference;
            *right ^= difference;
        }
    }
}

impl Swap for Fq2 {
    fn swap(left: &mut Self, right: &mut Self, mask: u64) {
        Swap::swap(&mut left.c0, &mut right.c0, mask);
        Swap::swap(&mut left.c1, &mut right.c1, mask);
    }
}

/// The multiple of a point of the subgroup, not the identity, by a secret scalar, not zero.
///
/// `blinding` should be unpredictable for others.
pub(crate) fn multiply<C>(point: &Affine<C>, scalar: &Fr, blinding: Fq) -> Affine<C>
where
    C: SWCurveConfig<ScalarField = Fr>,
    C::BaseField: Swap + Field<BasePrimeField = Fq>,
{
    let digits = fixed_length(scalar);
    let bits = digits
        .iter()
        .rev()
        .flat_map(|limb| (0..64).rev().map(move |position| limb >> position & 1));

    // The difference `high - low` is always the point. The first bit is 1.
    let mut low = in_blinded_coordinates(point, blinding);
    let mut high = low.double();
    let mut swapped = 0;
    for bit in bits.skip(1) {
        swap(&mut low, &mut high, bit ^ mem::replace(&mut swapped, bit));
        high += low;
        low.double_in_place();
    }
    swap(&mut low, &mut high, swapped);
    low.into_affine()
}

/// The point in Jacobian coordinates with this `z`, or with 1 if that is zero.
fn in_blinded_coordinates<C>(point: &Affine<C>, blinding: Fq) -> Projective<C>
where
    C: SWCurveConfig,
    C::BaseField: Field<BasePrimeField = Fq>,
{
    let blinding = if blinding.is_zero() {
        Fq::ONE
    } else {
        blinding
    };
    let z = C::BaseField::from_base_prime_field(blinding);
    let square = z.square();
    Projective::new_unchecked(point.x * square, point.y * square * z, z)
}

/// Swaps the points if the bit is 1.
fn swap<C>(left: &mut Projective<C>, right: &mut Projective<C>, bit: u64)
where
    C: SWCurveConfig,
    C::BaseField: Swap,
{
    // The compiler must not see that the mask has only two values.
    let mask = black_box(0_u64.wrapping_sub(bit));
    Swap::swap(&mut left.x, &mut right.x, mask);
    Swap::swap(&mut left.y, &mut right.y, mask);
    Swap::swap(&mut left.z, &mut right.z, mask);
}

/// `x + r` or `x + 2r`, whichever has its top bit at position 255; lowest limb first.
fn fixed_length(scalar: &Fr) -> Zeroizing<[u64; 4]> {
    let order = Fr::MODULUS.0;
    let canonical = Zeroizing::new(scalar.into_bigint());
    let once = Zeroizing::new(add(&canonical.0, &order));
    let mut twice = Zeroizing::new(add(&once, &order));
    let [_, _, _, top] = *once;
    let mask = black_box(0_u64.wrapping_sub(top >> 63));
    for (limb, other) in twice.iter_mut().zip(once.iter()) {
        *limb ^= mask & (*limb ^ other);
    }
    twice
}

/// The sum modulo 2^256.
fn add(left: &[u64; 4], right: &[u64; 4]) -> [u64; 4] {
    let mut carry = false;
    let mut sum = [0; 4];
    for (limb, (left, right)) in sum.iter_mut().zip(left.iter().zip(right)) {
        let (partial, first) = left.overflowing_add(*right);
        let (total, second) = partial.overflowing_add(u64::from(carry));
        *limb = total;
        carry = first | second;
    }
    sum
}

#[cfg(test)]
mod tests {
    use ark_bls12_381::{G1Affine, G2Affine};
    use ark_ec::AffineRepr;

    use super::*;

    #[test]
    fn the_ladder_multiplies_like_the_library() {
        let mut scalars = vec![
            Fr::ONE,
            -Fr::ONE,
            Fr::from(2_u64),
            Fr::from(3_u64),
            -Fr::from(2_u64),
            // On both sides of the limit between `x + r` and `x + 2r`.
            Fr::from(2_u64).pow([255]),
            Fr::from(2_u64).pow([255]) - Fr::ONE,
            Fr::from(2_u64).pow([255]) + Fr::ONE,
        ];
        scalars.extend((1..20_u64).map(|number| Fr::from(number).pow([77])));
        let one: G1Affine = (G1Affine::generator() * Fr::from(5_u64)).into();
        let two: G2Affine = (G2Affine::generator() * Fr::from(7_u64)).into();
        for scalar in scalars {
            for blinding in [Fq::ZERO, Fq::ONE, Fq::from(3_u64).pow([99])] {
                let expected: G1Affine = (one * scalar).into();
                assert_eq!(multiply(&one, &scalar, blinding), expected);
                let expected: G2Affine = (two * scalar).into();
                assert_eq!(multiply(&two, &scalar, blinding), expected);
            }
        }
    }

    #[test]
    fn digits_have_256_bits_and_are_the_same_scalar() {
        for number in 0..50_u64 {
            let scalar = Fr::from(number + 1).pow([number * 13 + 1]);
            let digits = fixed_length(&scalar);
            assert_eq!(digits[3] >> 63, 1);
            let bytes: Vec<u8> = digits.iter().flat_map(|limb| limb.to_le_bytes()).collect();
            assert_eq!(Fr::from_le_bytes_mod_order(&bytes), scalar);
        }
    }
}
