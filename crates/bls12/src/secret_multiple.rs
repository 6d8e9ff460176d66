//! Multiplication by a secret scalar in a fixed sequence of operations.
//!
//! The curve library's own multiplications take time and table entries that depend on the scalar.
//! Here every scalar costs 252 doublings and 63 additions of odd multiples of the point. All
//! multiples are read for every digit, and masks select one of them. No branch or address depends
//! on a digit.
//!
//! The odd one of `x` and `x + r` is used as the scalar, where `r` is the group order. Every digit
//! to the base 16 can then be written as an odd number from -15 to 15, and no digit is zero.
//!
//! ```text
//! x = t 16^63 + d_62 16^62 + ... + d_0    d_i = 2 b_i - 15,  b_i the bits 4 i + 1 to 4 i + 4 of x
//!                                         t = 2 b + 1,       b the bits 253 to 255
//! ```
//!
//! Remaining leakage: field arithmetic subtracts the modulus only when needed, and the formulas
//! test for special cases (which no scalar of a random key meets). The coordinates are therefore
//! multiplied by a factor unknown to the observer. The pattern of subtractions then reveals nothing
//! about the point's multiples.
//!
//! Source: Joye & Tunstall 2009, "Exponent recoding and regular exponentiation algorithms", section
//! 3.2; Coron 1999, section 5.3 (randomised coordinates).

use core::{array, hint::black_box};

use ark_bls12_381::{Fq, Fq2, Fr};
use ark_ec::{
    CurveGroup,
    short_weierstrass::{Affine, Projective, SWCurveConfig},
};
use ark_ff::{AdditiveGroup, Field, PrimeField, Zero};
use zeroize::Zeroizing;

/// Length in bits of a digit of the scalar.
const WINDOW: u32 = 4;
/// Number of odd multiples of the point that are tabulated: by 1, 3, .., 15.
const MULTIPLES: u64 = 8;
/// Number of digits of the scalar, without the highest digit `t`.
const DIGITS: u32 = 63;

/// A field element that can be overwritten without a branch.
pub trait Choose {
    /// Replaces this element by `other` if `mask` is all ones. Leaves it unchanged if `mask` is
    /// zero.
    fn assign_if(&mut self, other: &Self, mask: u64);
}

impl Choose for Fq {
    fn assign_if(&mut self, other: &Self, mask: u64) {
        for (limb, other) in self.0.0.iter_mut().zip(&other.0.0) {
            *limb ^= mask & (*limb ^ other);
        }
    }
}

impl Choose for Fq2 {
    fn assign_if(&mut self, other: &Self, mask: u64) {
        self.c0.assign_if(&other.c0, mask);
        self.c1.assign_if(&other.c1, mask);
    }
}

/// Multiplies a point of the subgroup, which must not be the identity, by a secret scalar.
///
/// `blinding`, the factor of the coordinates, should be unpredictable for observers.
pub(crate) fn multiply<C>(point: &Affine<C>, scalar: &Fr, blinding: Fq) -> Affine<C>
where
    C: SWCurveConfig<ScalarField = Fr>,
    C::BaseField: Choose + Field<BasePrimeField = Fq>,
{
    let scalar = odd(scalar);
    let multiples = odd_multiples(in_blinded_coordinates(point, blinding));
    let mut sum = choose(
        &multiples,
        bits_from(&scalar, DIGITS * WINDOW + 1) % MULTIPLES,
    );
    for position in (0..DIGITS).rev() {
        for _ in 0..WINDOW {
            sum.double_in_place();
        }
        // 0 to 7 represent -15 to -1, and 8 to 15 represent 1 to 15.
        let digit = bits_from(&scalar, position * WINDOW + 1) % (2 * MULTIPLES);
        let negative = all_ones_if(1 ^ (digit / MULTIPLES));
        let mut multiple = choose(&multiples, (digit ^ negative) % MULTIPLES);
        let negated = -multiple.y;
        multiple.y.assign_if(&negated, negative);
        sum += multiple;
    }
    sum.into_affine()
}

/// Converts the point to Jacobian coordinates with `blinding` as the coordinate `z`, or with
/// `z = 1` if `blinding` is zero.
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

/// Computes the multiples of the point by 1, 3, 5, .., 15.
fn odd_multiples<C: SWCurveConfig>(point: Projective<C>) -> [Projective<C>; 8] {
    let twice = point.double();
    let mut next = point;
    array::from_fn(|_| {
        let multiple = next;
        next += twice;
        multiple
    })
}

/// Returns `points[place]`, where `place` is secret and below 8. Reads all points, so that the
/// memory accesses do not depend on `place`.
fn choose<C>(points: &[Projective<C>; 8], place: u64) -> Projective<C>
where
    C: SWCurveConfig,
    C::BaseField: Choose,
{
    let [mut chosen, ..] = *points;
    for (other, point) in (0..MULTIPLES).zip(points) {
        // The sign bit of `difference | -difference` is clear only for zero.
        let difference = place ^ other;
        let differs = (difference | difference.wrapping_neg()) >> 63;
        let mask = all_ones_if(1 ^ differs);
        chosen.x.assign_if(&point.x, mask);
        chosen.y.assign_if(&point.y, mask);
        chosen.z.assign_if(&point.z, mask);
    }
    chosen
}

/// Returns a mask: all ones for the bit 1, zero for the bit 0. The compiler must not deduce that
/// the mask has only two values, since it might then add a branch.
fn all_ones_if(bit: u64) -> u64 {
    black_box(0_u64.wrapping_sub(bit))
}

/// Returns the odd one of `x` and `x + r`, lowest limb first. `x` is the scalar and `r` the group
/// order, which is odd.
fn odd(scalar: &Fr) -> Zeroizing<[u64; 4]> {
    let canonical = Zeroizing::new(scalar.into_bigint());
    let [lowest, ..] = canonical.0;
    let mask = all_ones_if(1 ^ (lowest & 1));
    Zeroizing::new(add(&canonical.0, &Fr::MODULUS.0.map(|limb| limb & mask)))
}

/// Adds two numbers of four limbs, lowest limb first, modulo 2^256.
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

/// Returns the lowest 64 bits of the number shifted right by `position` bits.
pub(crate) fn bits_from(limbs: &[u64; 4], position: u32) -> u64 {
    let limb = |index: u32| {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        limbs.get(index).copied().unwrap_or(0)
    };
    let (index, shift) = (position / 64, position % 64);
    // Two shifts, since one shift by 64 bits is not possible.
    (limb(index) >> shift) | (limb(index + 1) << 1 << (63 - shift))
}

#[cfg(test)]
mod tests {
    use ark_bls12_381::{G1Affine, G2Affine};
    use ark_ec::AffineRepr;

    use super::*;

    #[test]
    fn secret_multiples_are_those_of_the_library() {
        let high = Fr::from(2_u64).pow([255]);
        let mut scalars = vec![high, high - Fr::ONE, high + Fr::ONE];
        scalars.extend([0_i64, 1, -1, 2, 3, -2, -30, 30].map(Fr::from));
        scalars.extend((0..64_u64).map(Fr::from));
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
    fn digits_are_odd_and_add_up_to_the_scalar() {
        for number in 0..50_u64 {
            let scalar = Fr::from(number + 1).pow([number * 13 + 1]);
            let odd = odd(&scalar);
            assert_eq!(odd[0] & 1, 1);
            let bytes: Vec<u8> = odd.iter().flat_map(|limb| limb.to_le_bytes()).collect();
            assert_eq!(Fr::from_le_bytes_mod_order(&bytes), scalar);
            let highest = 2 * (bits_from(&odd, 253) % 8) + 1;
            let sum = (0..DIGITS).rev().fold(Fr::from(highest), |sum, position| {
                let digit = 2 * (bits_from(&odd, 4 * position + 1) % 16);
                sum * Fr::from(16_u64) + Fr::from(digit) - Fr::from(15_u64)
            });
            assert_eq!(sum, scalar);
        }
    }
}
