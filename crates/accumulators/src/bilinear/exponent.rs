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

/// `f(s)` for the polynomial `f` of a set.
#[expect(
    missing_debug_implementations,
    reason = "a secret has no business in a log"
)]
pub struct Exponent(SecretScalar);

impl Exponent {
    fn scalar(&self) -> &Fr {
        self.0.expose()
    }
}

impl From<Fr> for Exponent {
    fn from(scalar: Fr) -> Self {
        Self(SecretScalar::new(Zeroizing::new(scalar)))
    }
}

impl Clone for Exponent {
    fn clone(&self) -> Self {
        Self::from(*self.scalar())
    }
}

impl PartialEq for Exponent {
    fn eq(&self, other: &Self) -> bool {
        self.scalar() == other.scalar()
    }
}

impl Eq for Exponent {}

impl Exponents for Bilinear {
    type Exponent = Exponent;

    fn empty_exponent() -> Exponent {
        Fr::ONE.into()
    }

    fn exponent(
        secret: &BilinearSecretKey,
        elements: &[BilinearElement],
        workers: &Workers,
    ) -> Result<Exponent, AccumulateError> {
        Ok(secret.product(&scalars(elements), workers)?.into())
    }

    fn changed_exponent(
        secret: &BilinearSecretKey,
        exponent: &Exponent,
        difference: &Difference<'_, Self>,
        workers: &Workers,
    ) -> Result<Exponent, AccumulateError> {
        let product = |elements| {
            secret
                .product(&scalars(elements), workers)
                .map(Zeroizing::new)
        };
        let (divisor, factor) = (product(difference.removed)?, product(difference.added)?);
        let inverse = Zeroizing::new(divisor.inverse().ok_or(AccumulateError::FaultDetected)?);
        Ok(Exponent::from(*exponent.scalar() * *factor * *inverse))
    }

    fn value_of(
        secret: &BilinearSecretKey,
        exponent: &Exponent,
    ) -> Result<BilinearValue, AccumulateError> {
        BilinearValue::new(secret.multiply(*exponent.scalar()))
    }

    fn witness_of(
        secret: &BilinearSecretKey,
        others: &Exponent,
        _: &BilinearElement,
    ) -> Result<BilinearWitness, AccumulateError> {
        BilinearWitness::new(secret.multiply(*others.scalar()))
    }

    /// A change removes and adds one element after the other. Each step publishes a value.
    fn published(
        secret: &BilinearSecretKey,
        [before, after]: [&Exponent; 2],
        plan: &Plan<'_, Self>,
        value: &BilinearValue,
        workers: &Workers,
    ) -> Result<(BilinearValue, BilinearUpdateData), AccumulateError> {
        let steps = after_each_step(secret, before, plan)?;
        if steps.last().unwrap_or(before.scalar()) != after.scalar() {
            return Err(AccumulateError::FaultDetected);
        }
        values_of(&secret.multiply_each(&steps, workers), value)
    }
}

/// Computes the exponent after each step of a change. A step removes or adds one element.
fn after_each_step(
    secret: &BilinearSecretKey,
    before: &Exponent,
    plan: &Plan<'_, Bilinear>,
) -> Result<Zeroizing<Vec<Fr>>, AccumulateError> {
    let not_allowed = AccumulateError::ElementNotAllowed;
    let (removed, added) = (plan.removed(), plan.added());
    // Allocated in advance: a vector that grows leaves an unwiped copy behind.
    let steps = removed.len().saturating_add(added.len());
    let mut exponents = Zeroizing::new(Vec::with_capacity(steps));
    let mut exponent = Zeroizing::new(*before.scalar());
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
