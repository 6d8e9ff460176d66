//! The value of a set: one point of G1.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use ark_bls12_381::{G1Affine, g1};
use ark_ec::{AffineRepr, short_weierstrass::SWCurveConfig};
use bls12::point::{self, G1_BYTES};
use pad_core::DecodeError;

use super::{parameters::SCHEME, public_key::BilinearPublicKey};
use crate::{
    error::AccumulateError,
    wire::{self, Reader, Wire},
};

/// `V = [product of (e_i + s)]_1`, 48 bytes. Never the identity.
///
/// Source: Nguyen 2005, section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BilinearValue(G1Affine);

impl BilinearValue {
    /// `[1]_1`, the value of the empty set.
    pub(crate) const EMPTY: Self = Self(<g1::Config as SWCurveConfig>::GENERATOR);

    /// The value at this point of the subgroup.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] for the identity: an element is the negative of the
    /// secret.
    pub(crate) fn new(point: G1Affine) -> Result<Self, AccumulateError> {
        if point.is_zero() {
            Err(AccumulateError::ElementNotAllowed)
        } else {
            Ok(Self(point))
        }
    }

    /// The point.
    pub const fn point(&self) -> G1Affine {
        self.0
    }
}

/// The compressed point (48 bytes).
impl Wire for BilinearValue {
    type Context = BilinearPublicKey;
    const KIND: u8 = wire::KIND_VALUE;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&point::encode::<g1::Config, G1_BYTES>(&self.0));
    }

    fn read(_: &BilinearPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        point::decode::<g1::Config, G1_BYTES>(&reader.array()?).map(Self)
    }
}
