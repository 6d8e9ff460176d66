//! Encoding for local copies of verified parameters. Such copies load without repeated checks.

use alloc::vec::Vec;

use ark_bls12_381::{g1, g2};
use ark_ec::short_weierstrass::Affine;
use bls12::{
    curve::Curve,
    point::{self, G1_BYTES, G2_BYTES},
};
use pad_core::DecodeError;

use super::parameters::{Parameters, read_purpose, write_points, write_purpose};
use crate::wire::Reader;

impl Parameters {
    /// Encodes the parameters with uncompressed coordinates of all powers. The result is twice as
    /// long as that of [`encode_body`](crate::wire::encode_body). Reading it needs no square roots
    /// and no check of the powers.
    ///
    /// Layout: that of [`encode_body`](crate::wire::encode_body), but with 96 bytes for each power
    /// in G1 and 192 for each in G2.
    #[doc(hidden)]
    pub fn to_kept(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(
            2 * (G1_BYTES * self.powers_g1().len() + G2_BYTES * self.powers_g2().len()) + 80,
        );
        write_purpose(self.purpose(), &mut bytes);
        let (in_g1, in_g2) = (self.powers_g1(), self.powers_g2());
        write_points(in_g1, point::encode_coordinates::<_, KEPT_G1>, &mut bytes);
        write_points(in_g2, point::encode_coordinates::<_, KEPT_G2>, &mut bytes);
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
        let purpose = read_purpose(&mut reader)?;
        let powers_g1 = read_points::<g1::Config, KEPT_G1>(&mut reader)?;
        let powers_g2 = read_points::<g2::Config, KEPT_G2>(&mut reader)?;
        reader.finish()?;
        Self::unchecked(powers_g1, powers_g2, purpose)
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
