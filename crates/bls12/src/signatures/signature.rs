//! Signatures, and their sums.

#![deny(clippy::arithmetic_side_effects)]

use core::fmt;

use ark_bls12_381::{G1Affine, G1Projective, g1};
use ark_ec::{AffineRepr, CurveGroup};
use pad_core::{DecodeError, Digest};
use serde::{Deserialize, Serialize};

use super::suite::SIGNATURE_LENGTH;
use crate::point;

/// A signature on one message, or on several: 48 bytes, checked only when it is used.
///
/// Serde: the bytes, without a length; hexadecimal text in formats for human readers.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BlsSignature(Digest<SIGNATURE_LENGTH>);

impl BlsSignature {
    /// The signature that these bytes may be.
    pub const fn from_bytes(bytes: &[u8; SIGNATURE_LENGTH]) -> Self {
        Self(Digest(*bytes))
    }

    /// The compressed point, or what was given as one.
    pub const fn to_bytes(&self) -> [u8; SIGNATURE_LENGTH] {
        self.0.0
    }

    /// The sum of signatures by one key: the signature on all of their messages.
    ///
    /// Cost: each is decoded and checked to be in the subgroup, 0.06 milliseconds.
    /// Nothing is verified.
    ///
    /// # Errors
    /// [`DecodeError::PointInvalid`], [`DecodeError::PointOutsideSubgroup`] and
    /// [`DecodeError::PointIsIdentity`] if one of them is no signature; the last one also for no
    /// signatures, and for those whose sum is the identity, which is no signature.
    ///
    /// Source: draft-irtf-cfrg-bls-signature-05, section 2.8.
    pub fn aggregate(signatures: &[Self]) -> Result<Self, DecodeError> {
        let points = signatures.iter().map(Self::point);
        let sum = points.sum::<Result<G1Projective, _>>()?.into_affine();
        if sum.is_zero() {
            return Err(DecodeError::PointIsIdentity);
        }
        Ok(Self::from_point(&sum))
    }

    /// The signature with this point.
    pub(super) fn from_point(point: &G1Affine) -> Self {
        Self(Digest(point::encode::<g1::Config, SIGNATURE_LENGTH>(point)))
    }

    /// The point: of the subgroup, not the identity.
    ///
    /// # Errors
    /// As [`point::decode`].
    pub(super) fn point(&self) -> Result<G1Affine, DecodeError> {
        point::decode::<g1::Config, SIGNATURE_LENGTH>(&self.0.0)
    }
}

impl AsRef<[u8]> for BlsSignature {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl fmt::Debug for BlsSignature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "BlsSignature({})", self.0)
    }
}
