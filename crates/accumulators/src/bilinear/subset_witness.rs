//! Subset witnesses of the bilinear accumulator: one point that proves membership of many elements.

use alloc::vec::Vec;

use ark_bls12_381::G1Affine;
use ark_ec::CurveGroup;
use pad_core::{Proof, Verified, VerifyError, Workers};

use super::{
    Bilinear,
    element::{BilinearElement, scalars},
    polynomial,
    public_key::BilinearPublicKey,
    value::{BilinearValue, wire_as_point},
};
use crate::{snapshot::Snapshot, statement::SubsetMembership, wire};

/// Evidence that all elements of a subset are in a set: `W = [product of (e_j + s)]_1` over the
/// set's elements `e_j` outside the subset. 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BilinearSubsetWitness(pub(super) G1Affine);

impl BilinearSubsetWitness {
    /// The point `W` of G1, which is the value of the set without the subset.
    #[doc(hidden)]
    pub const fn point(&self) -> G1Affine {
        self.0
    }

    /// Returns whether this witness `W` fits the subset and the value `V` of a set:
    /// `e(W, [product of (e + s) over the subset]_2) = e(V, [1]_2)`.
    ///
    /// # Errors
    /// The subset limit of the public key, if the subset is larger.
    pub(super) fn belongs(
        &self,
        key: &BilinearPublicKey,
        value: BilinearValue,
        subset: &[BilinearElement],
    ) -> Result<bool, usize> {
        let coefficients = polynomial::product(&scalars(subset), &Workers::sequential());
        let parameters = key.parameters();
        let product = parameters.evaluate_g2(&coefficients);
        let product = product.ok_or(parameters.subset_limit())?;
        Ok(parameters.pairs_equal(self.0, product.into_affine(), value.point()))
    }
}

/// Checks `e(W, [product of (e + s) over the subset]_2) = e(V, [1]_2)` for the value `V` of the
/// set.
///
/// Cost: one multi-scalar multiplication in G2, one product of two pairings.
impl Proof for BilinearSubsetWitness {
    type Commitment = Verified<Snapshot<Bilinear>>;
    type Query = [Vec<u8>];
    type Statement = SubsetMembership;
    type Error = VerifyError;

    fn check(
        self,
        snapshot: &Verified<Snapshot<Bilinear>>,
        query: &[Vec<u8>],
    ) -> Result<SubsetMembership, VerifyError> {
        let snapshot = snapshot.get();
        let limit = snapshot.key.parameters().subset_limit();
        // Checked before the elements are hashed and multiplied.
        if query.len() > limit {
            return Err(VerifyError::TooManyElements { limit });
        }
        if query.is_empty() || !query.is_sorted_by(|left, right| left < right) {
            return Err(VerifyError::InvalidQuery);
        }
        let subset = BilinearElement::all_queried(&snapshot.key, query)?;
        let belongs = self
            .belongs(&snapshot.key, snapshot.value, &subset)
            .map_err(|limit| VerifyError::TooManyElements { limit })?;
        if !belongs {
            return Err(VerifyError::WitnessMismatch);
        }
        Ok(snapshot.subset_membership(query))
    }
}

wire_as_point!(BilinearSubsetWitness, wire::KIND_SUBSET_WITNESS);
