//! Points of BLS12-381 as bytes: 48 in G1, 96 in G2, compressed.
//!
//! The `ZCash` protocol and the IETF drafts on pairing-friendly curves and BLS signatures define
//! the encoding. It consists of the x-coordinate in big-endian order (in G2, the coefficient of `u`
//! first). The three free bits of the first byte are flags: compressed, identity, the larger one of
//! the two y-coordinates.
//!
//! Points returned by [`decode`] are on the curve, in the subgroup of prime order, and not the
//! identity. [`decode`] accepts no other encoding of such a point.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

use ark_ec::{AffineRepr as _, short_weierstrass::Affine};
use ark_serialize::Compress;
use pad_core::{DecodeError, Workers};

use crate::curve::Curve;

/// Length of a point of G1 in bytes.
pub const G1_BYTES: usize = 48;
/// Length of a point of G2 in bytes.
pub const G2_BYTES: usize = 96;

/// Encodes a point in compressed form. `N` must be [`G1_BYTES`] or [`G2_BYTES`], depending on the
/// curve.
///
/// # Panics
/// If `N` is below the length for the curve, which is a bug of the caller.
pub fn encode<C: Curve, const N: usize>(point: &Affine<C>) -> [u8; N] {
    encode_as(point, Compress::Yes)
}

/// Decodes a point of the subgroup and rejects the identity.
///
/// Cost: one square root and one subgroup check, about half of a multiplication.
///
/// # Errors
/// [`DecodeError::PointInvalid`] unless the bytes are a canonical encoding of a point of the curve;
/// [`DecodeError::PointIsIdentity`] for the identity; [`DecodeError::PointOutsideSubgroup`] for a
/// point outside the subgroup.
pub fn decode<C: Curve, const N: usize>(bytes: &[u8; N]) -> Result<Affine<C>, DecodeError> {
    let point = decode_or_identity(bytes)?;
    if point.is_zero() {
        return Err(DecodeError::PointIsIdentity);
    }
    Ok(point)
}

/// Decodes a point of the subgroup, which may be the identity. Used for commitments to quotients,
/// which may be zero.
///
/// Cost: as for [`decode`].
///
/// # Errors
/// [`DecodeError::PointInvalid`] unless the bytes are a canonical encoding of a point of the curve;
/// [`DecodeError::PointOutsideSubgroup`] for a point outside the subgroup.
pub fn decode_or_identity<C: Curve, const N: usize>(
    bytes: &[u8; N],
) -> Result<Affine<C>, DecodeError> {
    let point = decode_on_curve(bytes)?;
    if !C::is_in_subgroup(&point) {
        return Err(DecodeError::PointOutsideSubgroup);
    }
    Ok(point)
}

/// Decodes a point of the curve, **without a subgroup check**. It may be the identity.
///
/// Cost: one square root.
///
/// # Errors
/// [`DecodeError::PointInvalid`] unless the bytes are a canonical encoding of a point of the curve.
pub fn decode_on_curve<C: Curve, const N: usize>(
    bytes: &[u8; N],
) -> Result<Affine<C>, DecodeError> {
    let point = C::read(bytes, Compress::Yes).ok_or(DecodeError::PointInvalid)?;
    if encode::<C, N>(&point) == *bytes {
        Ok(point)
    } else {
        Err(DecodeError::PointInvalid)
    }
}

/// Decodes points in parallel with [`decode`].
///
/// # Errors
/// The errors of [`decode`].
pub fn decode_all<C: Curve, const N: usize>(
    encodings: &[[u8; N]],
    workers: &Workers,
) -> Result<Vec<Affine<C>>, DecodeError> {
    let points = workers.map(encodings, decode::<C, N>);
    points.into_iter().collect()
}

/// Encodes the uncompressed coordinates of a point that is not the identity. `N` is twice the
/// compressed length.
///
/// For local storage, so that a later read needs no square root.
///
/// # Panics
/// If `N` is below the length for the curve, which is a bug of the caller.
pub fn encode_coordinates<C: Curve, const N: usize>(point: &Affine<C>) -> [u8; N] {
    encode_as(point, Compress::No)
}

fn encode_as<C: Curve, const N: usize>(point: &Affine<C>, compress: Compress) -> [u8; N] {
    let mut bytes = [0; N];
    #[expect(
        clippy::expect_used,
        reason = "writing, not reading: N is a constant of the caller"
    )]
    C::write(point, compress, &mut bytes).expect("point: N is the curve's encoded length");
    bytes
}

/// Decodes uncompressed coordinates of a point of the curve, **without a subgroup check**. For
/// locally stored points that were checked before. The point may be the identity.
///
/// Cost: a few multiplications in the field.
///
/// # Errors
/// [`DecodeError::PointInvalid`] unless the point is on the curve.
pub fn decode_coordinates<C: Curve, const N: usize>(
    bytes: &[u8; N],
) -> Result<Affine<C>, DecodeError> {
    let point = C::read(bytes, Compress::No).ok_or(DecodeError::PointInvalid)?;
    if point.is_on_curve() {
        Ok(point)
    } else {
        Err(DecodeError::PointInvalid)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use ark_bls12_381::{Fq, Fr, G1Affine, G2Affine, g1, g2};
    use ark_ec::short_weierstrass::SWCurveConfig;
    use ark_ff::{BigInteger, Field, PrimeField};
    use ark_serialize::{CanonicalDeserialize as _, Validate};

    use super::*;

    /// Returns a point of the curve outside the subgroup. All but one in 2^125 are.
    pub(crate) fn stray<C: SWCurveConfig>(bases: impl Iterator<Item = C::BaseField>) -> Affine<C> {
        bases
            .filter_map(|x| Affine::<C>::get_point_from_x_unchecked(x, false))
            .find(|point| !point.is_in_correct_subgroup_assuming_on_curve())
            .expect("points outside the subgroup exist")
    }

    #[test]
    fn good_points_come_back_and_have_the_published_encoding() {
        let generator = encode::<g1::Config, G1_BYTES>(&G1Affine::generator());
        // The generator as every implementation prints it.
        assert_eq!(
            hex::encode(generator),
            "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905\
             a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
        );
        let generator = encode::<g2::Config, G2_BYTES>(&G2Affine::generator());
        assert_eq!(
            hex::encode(generator),
            "93e02b6052719f607dacd3a088274f65596bd0d09920b61a\
             b5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e\
             024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02\
             b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"
        );
        for number in 1..20_u64 {
            let scalar = Fr::from(number).pow([77]);
            let point: G1Affine = (G1Affine::generator() * scalar).into();
            assert_eq!(decode::<g1::Config, G1_BYTES>(&encode(&point)), Ok(point));
            let point: G2Affine = (G2Affine::generator() * scalar).into();
            assert_eq!(decode::<g2::Config, G2_BYTES>(&encode(&point)), Ok(point));
        }
    }

    #[test]
    fn every_other_encoding_is_refused() {
        let generator = encode::<g1::Config, G1_BYTES>(&G1Affine::generator());
        let refused = |change: &dyn Fn(&mut [u8; G1_BYTES])| {
            let mut bytes = generator;
            change(&mut bytes);
            decode::<g1::Config, G1_BYTES>(&bytes)
        };
        let invalid = Err(DecodeError::PointInvalid);
        let result = refused(&|bytes| bytes[0] &= 0x7f);
        assert_eq!(result, invalid, "not compressed");
        let result = refused(&|bytes| bytes[0] |= 0x40);
        assert_eq!(result, invalid, "an identity with a coordinate");
        assert_eq!(refused(&|bytes| bytes.fill(0)), invalid, "zeros");
        let identity = |flags: u8| {
            refused(&|bytes| {
                bytes.fill(0);
                bytes[0] = flags;
            })
        };
        assert_eq!(identity(0xc0), Err(DecodeError::PointIsIdentity));
        assert_eq!(identity(0xe0), invalid, "an identity with a sign");
        assert_eq!(identity(0x40), invalid, "an identity, not compressed");
        // The same point with x + p: below 2^381, so it fits into the free bits.
        let larger = |flags: u8| {
            refused(&|bytes| {
                let mut modulus = Fq::MODULUS;
                modulus.add_with_carry(&ark_ff::BigInt::from(4_u64));
                bytes.copy_from_slice(&modulus.to_bytes_be());
                bytes[0] |= flags;
            })
        };
        assert!(G1Affine::get_point_from_x_unchecked(Fq::from(4_u64), false).is_some());
        assert_eq!(larger(0x80), invalid, "p or more");
        let result = refused(&|bytes| bytes[1..].fill(0xff));
        assert_eq!(result, invalid, "far above p");
        let no_point = (1_u64..100)
            .map(Fq::from)
            .find(|x| G1Affine::get_point_from_x_unchecked(*x, false).is_none())
            .expect("half of all numbers");
        let no_point = no_point.into_bigint().to_bytes_be();
        assert_eq!(
            refused(&|bytes| {
                bytes.copy_from_slice(&no_point);
                bytes[0] |= 0x80;
            }),
            invalid,
            "not on the curve"
        );
    }

    #[test]
    fn points_outside_the_subgroup_are_refused() {
        let point = stray::<g1::Config>((1_u64..100).map(Fq::from));
        let refused = decode::<g1::Config, G1_BYTES>(&encode(&point));
        assert_eq!(refused, Err(DecodeError::PointOutsideSubgroup));
        let bases = (1_u64..100).map(|x| ark_bls12_381::Fq2::new(Fq::from(x), Fq::from(1_u64)));
        let point = stray::<g2::Config>(bases);
        let refused = decode::<g2::Config, G2_BYTES>(&encode(&point));
        assert_eq!(refused, Err(DecodeError::PointOutsideSubgroup));
    }

    /// Compares how two libraries read an encoding: as which point, and whether in the subgroup.
    fn check_libraries<C: Curve, const N: usize>(bytes: &[u8; N]) {
        let read = Affine::<C>::deserialize_with_mode(&bytes[..], Compress::Yes, Validate::No);
        let canonical = read.ok().filter(|point| encode::<C, N>(point) == *bytes);
        let ours = decode_on_curve::<C, N>(bytes).ok();
        assert_eq!(ours, canonical, "{}", hex::encode(bytes));
        if let Some(point) = ours {
            let expected = point.is_in_correct_subgroup_assuming_on_curve();
            assert_eq!(
                C::is_in_subgroup(&point),
                expected,
                "{}",
                hex::encode(bytes)
            );
        }
    }

    /// Compares both libraries on a point's encoding with each bit flipped and other flags, on
    /// small and large abscissas, and on zeros. Most of the points are outside of the subgroup.
    fn check_encodings<C: Curve, const N: usize>() {
        let good = encode::<C, N>(&Affine::<C>::generator());
        for (place, bit) in (0..N).flat_map(|place| (0..8).map(move |bit| (place, bit))) {
            let mut bytes = good;
            bytes[place] ^= 1 << bit;
            check_libraries::<C, N>(&bytes);
        }
        for flags in (0..8).map(|flags: u8| flags << 5) {
            for last in 0..30 {
                let mut bytes = [0; N];
                *bytes.last_mut().unwrap() = last;
                bytes[0] = flags;
                check_libraries::<C, N>(&bytes);
                let mut modulus = [0; N];
                modulus[..G1_BYTES].copy_from_slice(&Fq::MODULUS.to_bytes_be());
                modulus[G1_BYTES - 1] = modulus[G1_BYTES - 1].wrapping_add(last).wrapping_sub(15);
                modulus[0] |= flags;
                check_libraries::<C, N>(&modulus);
            }
        }
    }

    #[test]
    fn all_libraries_read_the_same_points() {
        check_encodings::<g1::Config, G1_BYTES>();
        check_encodings::<g2::Config, G2_BYTES>();
        // The abscissa 0 is on the curve G1.
        let mut zero = [0; G1_BYTES];
        zero[0] = 0x80;
        let refused = decode::<g1::Config, G1_BYTES>(&zero);
        assert_eq!(refused, Err(DecodeError::PointOutsideSubgroup));
    }
}
