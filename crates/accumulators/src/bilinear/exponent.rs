//! `f(s)` of an author's set: the secret exponent of its value.

use ark_bls12_381::Fr;
use ark_ff::{Field, Zero};
use bls12::SecretScalar;
use pad_core::Workers;
use zeroize::Zeroizing;

use super::{
    Bilinear,
    dynamic::values_of,
    element::{BilinearElement, scalars},
    secret_key::BilinearSecretKey,
    update_data::BilinearUpdateData,
    value::BilinearValue,
    witness::BilinearWitness,
};
use crate::{
    error::AccumulateError,
    exponent::{Difference, Exponents},
    plan::Plan,
};

impl Exponents for Bilinear {
    type Exponent = SecretScalar;

    fn empty_exponent() -> SecretScalar {
        SecretScalar::new(Zeroizing::new(Fr::ONE))
    }

    fn exponent(
        secret: &BilinearSecretKey,
        elements: &[BilinearElement],
        workers: &Workers,
    ) -> Result<SecretScalar, AccumulateError> {
        let product = secret.product(&scalars(elements), workers)?;
        Ok(SecretScalar::new(Zeroizing::new(product)))
    }

    fn changed_exponent(
        secret: &BilinearSecretKey,
        exponent: &SecretScalar,
        difference: &Difference<'_, Self>,
        workers: &Workers,
    ) -> Result<SecretScalar, AccumulateError> {
        let product = |elements| {
            secret
                .product(&scalars(elements), workers)
                .map(Zeroizing::new)
        };
        let (divisor, factor) = (product(difference.removed)?, product(difference.added)?);
        let inverse = Zeroizing::new(divisor.inverse().ok_or(AccumulateError::FaultDetected)?);
        let changed = *exponent.expose() * *factor * *inverse;
        Ok(SecretScalar::new(Zeroizing::new(changed)))
    }

    fn value_of(
        secret: &BilinearSecretKey,
        exponent: &SecretScalar,
    ) -> Result<BilinearValue, AccumulateError> {
        BilinearValue::new(secret.multiply(*exponent.expose()))
    }

    fn witness_of(
        secret: &BilinearSecretKey,
        others: &SecretScalar,
        _: &BilinearElement,
    ) -> Result<BilinearWitness, AccumulateError> {
        BilinearWitness::new(secret.multiply(*others.expose()))
    }

    /// A change removes and adds one element after the other. Each step publishes a value.
    fn published(
        secret: &BilinearSecretKey,
        [before, after]: [&SecretScalar; 2],
        plan: &Plan<'_, Self>,
        value: &BilinearValue,
        workers: &Workers,
    ) -> Result<(BilinearValue, BilinearUpdateData), AccumulateError> {
        let steps = after_each_step(secret, before, plan)?;
        if steps.last().unwrap_or(before.expose()) != after.expose() {
            return Err(AccumulateError::FaultDetected);
        }
        values_of(&secret.multiply_each(&steps, workers), value)
    }
}

/// Computes the exponent after each step of a change. A step removes or adds one element.
fn after_each_step(
    secret: &BilinearSecretKey,
    before: &SecretScalar,
    plan: &Plan<'_, Bilinear>,
) -> Result<Zeroizing<Vec<Fr>>, AccumulateError> {
    let not_allowed = AccumulateError::ElementNotAllowed;
    let (removed, added) = (plan.removed(), plan.added());
    // Allocated in advance: a vector that grows leaves an unwiped copy behind.
    let steps = removed.len().saturating_add(added.len());
    let mut exponents = Zeroizing::new(Vec::with_capacity(steps));
    let mut exponent = Zeroizing::new(*before.expose());
    for element in removed {
        let divisor = Zeroizing::new(element.scalar() + secret.scalar());
        *exponent *= *Zeroizing::new(divisor.inverse().ok_or(not_allowed)?);
        exponents.push(*exponent);
    }
    for element in added {
        let factor = Zeroizing::new(element.scalar() + secret.scalar());
        if factor.is_zero() {
            return Err(not_allowed);
        }
        *exponent *= *factor;
        exponents.push(*exponent);
    }
    Ok(exponents)
}
