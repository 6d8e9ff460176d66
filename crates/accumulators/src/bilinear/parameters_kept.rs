//! Encoding for local copies of verified parameters. Such copies load without repeated checks.

use alloc::vec::Vec;

use ark_bls12_381::{G1Affine, G2Affine, g1, g2};
use ark_ec::{AffineRepr, short_weierstrass::Affine};
use bls12::{
    curve::Curve,
    point::{self, G1_BYTES, G2_BYTES},
};
use pad_core::DecodeError;

use super::parameters::Parameters;
use crate::wire::{self, Reader};

impl Parameters {
    /// Encodes the parameters with uncompressed coordinates of all powers. The result is twice as
    /// long as the [`Wire`](wire::Wire) encoding of the parameters. Reading it needs no square
    /// roots and no check of the powers.
    ///
    /// Layout: the body of the [`Wire`](wire::Wire) encoding, but with 96 bytes for each power in
    /// G1 and 192 for each in G2.
    #[doc(hidden)]
    pub fn to_kept(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(
            2 * (G1_BYTES * self.powers_g1().len() + G2_BYTES * self.powers_g2().len()) + 80,
        );
        bytes.push(u8::try_from(self.purpose().len()).unwrap_or(u8::MAX));
        bytes.extend_from_slice(self.purpose().as_bytes());
        write_points::<g1::Config, KEPT_G1>(self.powers_g1(), &mut bytes);
        write_points::<g2::Config, KEPT_G2>(self.powers_g2(), &mut bytes);
        bytes
    }

    /// Decodes the result of [`Parameters::to_kept`] **without verification**. Neither the
    /// membership of the points in the subgroups nor the powers above the generators are checked.
    /// The bytes must have been encoded and stored by this machine itself.
    ///
    /// With false bytes, a server can only compute proofs that clients reject. An author must check
    /// [`Parameters::are_consistent`] and [`Parameters::are_in_subgroups`] before it signs values
    /// accumulated with the parameters.
    ///
    /// Time: half a microsecond for each power.
    ///
    /// # Errors
    /// [`DecodeError`] if the layout is wrong or a point is not on the curve.
    /// [`DecodeError::ParametersInvalid`] for fewer than two powers in a group, or if the first
    /// powers are not the generators.
    #[doc(hidden)]
    pub fn from_kept(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let [length] = reader.array()?;
        let purpose = reader.take(usize::from(length))?;
        let purpose = core::str::from_utf8(purpose).map_err(|_| DecodeError::Malformed)?;
        if purpose.is_empty() || purpose.len() > Self::MAX_PURPOSE {
            return Err(DecodeError::ParametersInvalid);
        }
        let powers_g1 = read_points::<g1::Config, KEPT_G1>(&mut reader)?;
        let powers_g2 = read_points::<g2::Config, KEPT_G2>(&mut reader)?;
        reader.finish()?;
        let ([first_g1, _, ..], [first_g2, s_g2, ..]) = (&*powers_g1, &*powers_g2) else {
            return Err(DecodeError::ParametersInvalid);
        };
        if *first_g1 != G1Affine::generator() || *first_g2 != G2Affine::generator() {
            return Err(DecodeError::ParametersInvalid);
        }
        let s_g2 = *s_g2;
        Ok(Self::assemble(powers_g1, powers_g2, s_g2, purpose))
    }
}

fn write_points<C: Curve, const N: usize>(points: &[Affine<C>], bytes: &mut Vec<u8>) {
    wire::write_count(points.len(), bytes);
    for power in points {
        bytes.extend_from_slice(&point::encode_coordinates::<C, N>(power));
    }
}

fn read_points<C: Curve, const N: usize>(
    reader: &mut Reader<'_>,
) -> Result<Vec<Affine<C>>, DecodeError> {
    let count = reader.count(N)?;
    let points = (0..count).map(|_| point::decode_coordinates(reader.array_ref::<N>()?));
    points.collect()
}

/// Length in bytes of an uncompressed point of G1.
const KEPT_G1: usize = 2 * G1_BYTES;
/// Length in bytes of an uncompressed point of G2.
const KEPT_G2: usize = 2 * G2_BYTES;
