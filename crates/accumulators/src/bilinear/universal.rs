//! Creation and update of non-membership witnesses.

use ark_bls12_381::{Fr, G1Affine};
use ark_ec::CurveGroup;
use ark_ff::{Field, Zero};
use bls12::product::shifted_product;
use pad_core::Workers;

use super::{
    Bilinear,
    accumulate::require_usable,
    dynamic::{Kind, Steps},
    element::{BilinearElement, scalars},
    non_membership::BilinearNonMembershipWitness,
    polynomial::{self, divide_by_factor},
    public_key::BilinearPublicKey,
    secret_key::BilinearSecretKey,
};
use crate::{
    accumulator::EitherKey, change::Change, dynamic::Universal, error::AccumulateError,
    set::ElementSet,
};

impl Universal for Bilinear {
    /// Cost with the secret key: two field multiplications per element of the set, and one
    /// multiplication of the generator.
    fn non_membership_witness(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<BilinearNonMembershipWitness, AccumulateError> {
        require_usable(key.public(), set)?;
        let element = set.absent(key.public(), element)?.scalar();
        let members = scalars(set.elements());
        let (quotient, remainder) = match key.secret() {
            Some(secret) => with_secret(secret, &members, element, workers)?,
            None => with_powers(key.public(), &members, element, workers)?,
        };
        Ok(BilinearNonMembershipWitness {
            quotient,
            remainder,
        })
    }

    fn update_non_membership_witness(
        _: &BilinearPublicKey,
        element: &BilinearElement,
        witness: &BilinearNonMembershipWitness,
        changes: &[Change<Self>],
    ) -> Result<BilinearNonMembershipWitness, AccumulateError> {
        let steps = Steps::new(changes)?;
        let followed = steps.follow(element.scalar());
        let followed = followed.map_err(|kind| match kind {
            Kind::Removed => AccumulateError::ElementAbsent,
            Kind::Added => AccumulateError::ElementPresent,
        })?;
        Ok(BilinearNonMembershipWitness {
            quotient: steps.apply(witness.quotient, &followed).into_affine(),
            remainder: witness.remainder * followed.factor,
        })
    }
}

/// Computes the witness (`W`, `v`) that an element is not in the set, from the published powers.
fn with_powers(
    key: &BilinearPublicKey,
    members: &[Fr],
    element: Fr,
    workers: &Workers,
) -> Result<(G1Affine, Fr), AccumulateError> {
    let coefficients = polynomial::product(members, workers);
    let (quotient, remainder) = divide_by_factor(&coefficients, element);
    if remainder.is_zero() {
        return Err(AccumulateError::ElementPresent);
    }
    let quotient = key.parameters().evaluate(&quotient, workers)?;
    Ok((quotient.into_affine(), remainder))
}

/// Computes the witness (`W`, `v`) that an element is not in the set, with the secret key.
fn with_secret(
    secret: &BilinearSecretKey,
    members: &[Fr],
    element: Fr,
    workers: &Workers,
) -> Result<(G1Affine, Fr), AccumulateError> {
    let remainder = shifted_product(members, &-element);
    if remainder.is_zero() {
        return Err(AccumulateError::ElementPresent);
    }
    let divisor = (element + secret.scalar()).inverse();
    let divisor = divisor.ok_or(AccumulateError::ElementNotAllowed)?;
    let product = secret.product(members, workers)?;
    let quotient = secret.multiply((product - remainder) * divisor);
    Ok((quotient, remainder))
}
