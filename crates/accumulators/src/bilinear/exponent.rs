//! `f(s)` of an author's set: the secret exponent of its value.

use ark_bls12_381::Fr;
use ark_ff::{Field, Zero, batch_inversion};
use bls12::{SecretScalar, threads::run};
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
use crate::{error::AccumulateError, exponent::Exponents, plan::Plan};

/// `f(s)` for the polynomial `f` of a set.
#[expect(
    missing_debug_implementations,
    reason = "a secret has no business in a log"
)]
pub struct Exponent(SecretScalar);

impl Exponent {
    const fn new(scalar: SecretScalar) -> Self {
        Self(scalar)
    }

    fn scalar(&self) -> &Fr {
        self.0.expose()
    }
}

impl From<Fr> for Exponent {
    fn from(scalar: Fr) -> Self {
        Self::new(SecretScalar::new(Zeroizing::new(scalar)))
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
        removed: &[BilinearElement],
        added: &[BilinearElement],
        workers: &Workers,
    ) -> Result<Exponent, AccumulateError> {
        let product = |elements| {
            let product = secret.product(&scalars(core::hint::black_box(elements)), workers);
            product.map(Zeroizing::new)
        };
        let divisor = product(removed)?.inverse();
        let divisor = Zeroizing::new(divisor.ok_or(AccumulateError::FaultDetected)?);
        let changed = Exponent::from(*exponent.scalar() * *product(added)? * *divisor);
        if *changed.scalar() * *product(removed)? == *exponent.scalar() * *product(added)? {
            Ok(changed)
        } else {
            Err(AccumulateError::FaultDetected)
        }
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
    fn transition_from(
        secret: &BilinearSecretKey,
        exponent: &Exponent,
        plan: &Plan<'_, Self>,
        value: &BilinearValue,
        workers: &Workers,
    ) -> Result<(BilinearValue, BilinearUpdateData, Exponent), AccumulateError> {
        let (removed, added) = (plan.removed(), plan.added());
        let changed = Self::changed_exponent(secret, exponent, removed, added, workers)?;
        let steps = after_each_step(secret, exponent, plan, workers)?;
        if steps.last().unwrap_or(exponent.scalar()) != changed.scalar() {
            return Err(AccumulateError::FaultDetected);
        }
        let (after, update_data) = values_of(&secret.multiply_each(&steps, workers), value)?;
        Ok((after, update_data, changed))
    }
}

/// Computes the exponent after each step of a change. A step removes or adds one element.
fn after_each_step(
    secret: &BilinearSecretKey,
    before: &Exponent,
    plan: &Plan<'_, Bilinear>,
    workers: &Workers,
) -> Result<Zeroizing<Vec<Fr>>, AccumulateError> {
    let steps = plan.removed().iter().chain(plan.added());
    let shifted = steps.map(|element| element.scalar() + secret.scalar());
    let mut exponents: Zeroizing<Vec<Fr>> = Zeroizing::new(shifted.collect());
    if exponents.iter().any(Zero::is_zero) {
        return Err(AccumulateError::ElementNotAllowed);
    }
    if let Some(divisors) = exponents.get_mut(..plan.removed().len()) {
        run(workers, || batch_inversion(divisors));
    }
    let mut exponent = Zeroizing::new(*before.scalar());
    for factor in exponents.iter_mut() {
        *exponent *= &*factor;
        *factor = *exponent;
    }
    Ok(exponents)
}
