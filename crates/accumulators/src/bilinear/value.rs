//! Values of the bilinear accumulator: points of G1.

#![deny(clippy::arithmetic_side_effects)]

use ark_bls12_381::{G1Affine, g1};
use ark_ec::short_weierstrass::SWCurveConfig;

use crate::wire;

/// The value of a set: `V = [product of (e_i + s)]_1` over its elements `e_i`, 48 bytes. Never the
/// identity.
///
/// Source: Nguyen 2005, section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BilinearValue(pub(super) G1Affine);

impl BilinearValue {
    /// `[1]_1`, the value of the empty set.
    pub(crate) const EMPTY: Self = Self(<g1::Config as SWCurveConfig>::GENERATOR);

    /// Returns the point `V` of G1.
    #[doc(hidden)]
    pub const fn point(&self) -> G1Affine {
        self.0
    }
}

/// Implements `Wire` for a type that wraps a point of G1 other than the identity. The encoding is
/// the compressed point, 48 bytes.
macro_rules! wire_as_point {
    ($type:ident, $kind:expr) => {
        /// Layout: the compressed point (48 bytes).
        impl $crate::wire::Wire for $type {
            type Context = $crate::bilinear::BilinearPublicKey;
            const KIND: u8 = $kind;
            const SCHEME: u16 = $crate::scheme::BILINEAR.0;

            fn write(&self, bytes: &mut alloc::vec::Vec<u8>) {
                bytes.extend_from_slice(&bls12::point::encode::<
                    ark_bls12_381::g1::Config,
                    { bls12::point::G1_BYTES },
                >(&self.0));
            }

            fn read(
                _: &Self::Context,
                reader: &mut $crate::wire::Reader<'_>,
            ) -> Result<Self, pad_core::DecodeError> {
                bls12::point::decode(&reader.array::<{ bls12::point::G1_BYTES }>()?).map(Self)
            }
        }
    };
}

wire_as_point!(BilinearValue, wire::KIND_VALUE);
pub(super) use wire_as_point;
