//! Creation of subset witnesses: one proof that many elements are in the set.

use ark_bls12_381::{Fr, G1Affine};
use ark_ec::CurveGroup;
use ark_ff::{Zero, batch_inversion};
use pad_core::Workers;

use super::{
    Bilinear,
    accumulate::{point_of, require_usable},
    element::{BilinearElement, scalars},
    multi_scalar::multi_scalar_product,
    public_key::BilinearPublicKey,
    subset_witness::BilinearSubsetWitness,
    value::BilinearValue,
    witness::BilinearWitness,
};
use crate::{
    accumulator::{Batch, EitherKey},
    error::AccumulateError,
    set::ElementSet,
};

impl Batch for Bilinear {
    fn subset_witness(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        subset: &[Vec<u8>],
        workers: &Workers,
    ) -> Result<BilinearSubsetWitness, AccumulateError> {
        require_usable(key.public(), set)?;
        let [members, others] = set.split(subset)?;
        require_subset(key.public(), members.len())?;
        let point = point_of(key, &scalars(others), workers)?;
        Ok(BilinearSubsetWitness(point))
    }

    /// Computes the sum of `W_i / product of (e_j - e_i) for all other j`, where `W_i` is the
    /// witness of element `e_i`. The formula is the partial fraction decomposition of
    /// `1 / product of (e_i + s)`. The result is verified against the value before it is returned.
    ///
    /// Cost: field operations quadratic in the size of the subset, one multi-scalar product, one
    /// verification.
    fn aggregate(
        key: &BilinearPublicKey,
        value: &BilinearValue,
        witnesses: &[(BilinearElement, BilinearWitness)],
    ) -> Result<BilinearSubsetWitness, AccumulateError> {
        if witnesses.is_empty() {
            return Err(AccumulateError::EmptySubset);
        }
        require_subset(key, witnesses.len())?;
        let elements = witnesses.iter().map(|(element, _)| element.clone());
        let elements: Vec<BilinearElement> = elements.collect();
        let points = witnesses.iter().map(|(_, witness)| witness.point());
        let points: Vec<G1Affine> = points.collect();
        let mut weights: Vec<Fr> = elements.iter().map(|own| weight(own, &elements)).collect();
        if weights.iter().any(Zero::is_zero) {
            return Err(AccumulateError::DuplicateElement);
        }
        let sequential = Workers::sequential();
        batch_inversion(&mut weights);
        let point = multi_scalar_product(&points, &weights, &sequential);
        let witness = BilinearSubsetWitness(point.into_affine());
        match witness.belongs(key, *value, &elements) {
            Ok(true) => Ok(witness),
            Ok(false) => Err(AccumulateError::WitnessMismatch),
            Err(limit) => Err(AccumulateError::SubsetTooLarge { limit }),
        }
    }
}

fn require_subset(key: &BilinearPublicKey, elements: usize) -> Result<(), AccumulateError> {
    let limit = key.parameters().subset_limit();
    if elements > limit {
        return Err(AccumulateError::SubsetTooLarge { limit });
    }
    Ok(())
}

/// Computes the product of `other - own` over the scalars of all other elements. `elements`
/// includes `own`; the result is zero if `own` is listed twice.
fn weight(own: &BilinearElement, elements: &[BilinearElement]) -> Fr {
    let differences = elements.iter().map(|other| other.scalar() - own.scalar());
    // The difference to the element itself is zero and is left out. A second zero is a duplicate.
    let (own, others): (Vec<Fr>, Vec<Fr>) = differences.partition(Zero::is_zero);
    if own.len() == 1 {
        others.into_iter().product()
    } else {
        Fr::zero()
    }
}
