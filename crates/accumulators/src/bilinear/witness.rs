//! The witness of one element: one point of G1.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use ark_bls12_381::{G1Affine, g1};
use ark_ec::{AffineRepr, CurveGroup};
use bls12::point::{self, G1_BYTES};
use pad_core::{DecodeError, Proof, Verified, VerifyError};

use super::{
    Bilinear, element::BilinearElement, parameters::SCHEME, public_key::BilinearPublicKey,
};
use crate::{
    error::AccumulateError,
    scheme::PublicKey,
    snapshot::Snapshot,
    statement::Membership,
    wire::{self, Reader, Wire},
};

/// `W = [product of (e_j + s) for all j but i]_1`, 48 bytes. Never the identity.
///
/// Source: Nguyen 2005, section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BilinearWitness(G1Affine);

impl BilinearWitness {
    /// The witness at this point of the subgroup.
    ///
    /// # Errors
    /// [`AccumulateError::WitnessMismatch`] for the identity, which is nobody's witness.
    pub(crate) fn new(point: G1Affine) -> Result<Self, AccumulateError> {
        if point.is_zero() {
            Err(AccumulateError::WitnessMismatch)
        } else {
            Ok(Self(point))
        }
    }

    /// The point.
    pub const fn point(&self) -> G1Affine {
        self.0
    }
}

/// Checks `e(W, [e + s]_2) = e(V, [1]_2)` as `e(e W - V, [1]_2) e(W, [s]_2) = 1`: both points of G2
/// are then fixed, and the multiplication is in the cheaper group.
///
/// Cost: one multiplication in G1, one product of two pairings.
impl Proof for BilinearWitness {
    type Commitment = Verified<Snapshot<Bilinear>>;
    type Query = [u8];
    type Statement = Membership;

    fn check(
        self,
        snapshot: &Verified<Snapshot<Bilinear>>,
        query: &[u8],
    ) -> Result<Membership, VerifyError> {
        let snapshot = snapshot.get();
        let element = BilinearElement::queried(&snapshot.key, query)?;
        let scaled = self.0.into_group() * element.scalar() - snapshot.value.point();
        let parameters = snapshot.key.parameters();
        if !parameters.pairs_to_one(scaled.into_affine(), self.0) {
            return Err(VerifyError::WitnessMismatch);
        }
        Ok(Membership {
            accumulator: snapshot.key.id(),
            version: snapshot.version,
            element: query.to_vec(),
        })
    }
}

/// The compressed point (48 bytes).
impl Wire for BilinearWitness {
    type Context = BilinearPublicKey;
    const KIND: u8 = wire::KIND_WITNESS;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&point::encode::<g1::Config, G1_BYTES>(&self.0));
    }

    fn read(_: &BilinearPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        point::decode::<g1::Config, G1_BYTES>(&reader.array()?).map(Self)
    }
}
