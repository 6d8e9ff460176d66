//! Batch verification of membership witnesses.

use alloc::vec::Vec;

use ark_bls12_381::Fr;
use ark_ec::{AffineRepr, CurveGroup};
use bls12::public::multiple;
use pad_core::{Proof, Verified, VerifyError, Workers};

use crate::{
    bilinear::{
        Bilinear, BilinearElement, BilinearWitness,
        multi_scalar::{Coefficients, PairSum, Term},
    },
    scheme::{Element, PublicKey},
    snapshot::Snapshot,
    statement::SubsetMembership,
    transcript::Transcript,
    wire,
};

/// One membership witness for each element of a list, verified together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BilinearWitnessBatch(Vec<BilinearWitness>);

impl From<Vec<BilinearWitness>> for BilinearWitnessBatch {
    fn from(witnesses: Vec<BilinearWitness>) -> Self {
        Self(witnesses)
    }
}

/// Checks the equations of all witnesses in a random combination:
/// `e(sum of rho_i e_i W_i - (sum of rho_i) V, [1]_2) e(sum of rho_i W_i, [s]_2) = 1`.
///
/// Each coefficient is one of `2^128` and is a hash over accumulator, version, value, elements and
/// witnesses. False witnesses pass with probability `2^-128` per attempt. This requires all
/// witnesses to be points of the subgroup, which decoding ensures.
///
/// Cost: two multi-scalar products, one product of two pairings.
impl Proof for BilinearWitnessBatch {
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
        if query.is_empty() {
            return Err(VerifyError::InvalidQuery);
        }
        if query.len() != self.0.len() {
            return Err(VerifyError::CountMismatch);
        }
        let elements = BilinearElement::all_queried(&snapshot.key, query)?;
        let terms = self.terms(snapshot, &elements);
        let total: Fr = terms.iter().map(|term| term.coefficient.scalar()).sum();
        let sums = PairSum::new(&terms, &Workers::sequential());
        let left = sums.weighted - multiple(snapshot.value.point().into_group(), &total);
        let parameters = snapshot.key.parameters();
        if !parameters.pairs_to_one(left.into_affine(), sums.combination.into_affine()) {
            return Err(VerifyError::WitnessMismatch);
        }
        Ok(snapshot.subset_membership(query))
    }
}

impl BilinearWitnessBatch {
    /// Returns a [`Term`] for each witness: the point, the scalar of its element, and a random
    /// coefficient.
    fn terms(&self, snapshot: &Snapshot<Bilinear>, elements: &[BilinearElement]) -> Vec<Term> {
        let mut transcript = Transcript::new(snapshot.key.id(), "witness-batch");
        transcript.absorb(&snapshot.version.number().to_be_bytes());
        transcript.absorb(&wire::encode_body(&snapshot.value));
        for (element, witness) in elements.iter().zip(&self.0) {
            transcript.absorb(element.digest().as_bytes());
            transcript.absorb(&wire::encode_body(witness));
        }
        let mut coefficients = Coefficients::new(transcript);
        elements
            .iter()
            .zip(&self.0)
            .map(|(element, witness)| Term {
                point: witness.point(),
                coefficient: coefficients.draw(),
                scalar: element.scalar(),
            })
            .collect()
    }
}
