//! Points as their compressed bytes, strictly.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use ark_ec::{
    AffineRepr,
    short_weierstrass::{Affine, SWCurveConfig},
};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize, Compress, Validate};
use pad_core::DecodeError;

/// The encoding of a point of a curve whose encodings have `N` bytes.
///
/// # Panics
/// If `N` does not belong to the curve: an error of this crate, seen by its first test.
pub(super) fn encode<C: SWCurveConfig, const N: usize>(point: &Affine<C>) -> [u8; N] {
    let mut bytes = [0; N];
    #[expect(
        clippy::expect_used,
        reason = "writing, not reading: N is a constant of the caller"
    )]
    point
        .serialize_compressed(bytes.as_mut_slice())
        .expect("point: N is the curve's encoded length");
    bytes
}

/// The point of the subgroup with this encoding.
///
/// # Errors
/// [`DecodeError::PointInvalid`] for what is not the canonical encoding of a point of the curve,
/// [`DecodeError::PointIsIdentity`], [`DecodeError::PointOutsideSubgroup`].
pub(super) fn decode<C: SWCurveConfig, const N: usize>(
    bytes: &[u8; N],
) -> Result<Affine<C>, DecodeError> {
    let point = decode_of_curve::<C, N>(bytes).ok_or(DecodeError::PointInvalid)?;
    if point.is_zero() {
        return Err(DecodeError::PointIsIdentity);
    }
    if !point.is_in_correct_subgroup_assuming_on_curve() {
        return Err(DecodeError::PointOutsideSubgroup);
    }
    Ok(point)
}

/// The point of the curve, of the subgroup or not, of which this is the canonical encoding.
pub(super) fn decode_of_curve<C: SWCurveConfig, const N: usize>(
    bytes: &[u8; N],
) -> Option<Affine<C>> {
    let point =
        Affine::<C>::deserialize_with_mode(bytes.as_slice(), Compress::Yes, Validate::No).ok()?;
    (encode::<C, N>(&point) == *bytes).then_some(point)
}
