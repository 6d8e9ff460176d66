//! The secret exponent of an author's set: the product of its primes modulo the order of `g`.

use pad_core::Workers;
use rsa_group::SecretInteger;
use rug::Integer;

use super::{
    Rsa, element::RsaElement, secret_exponents, secret_key::RsaSecretKey,
    update_data::RsaUpdateData, value::RsaValue, witness::RsaWitness,
};
use crate::{error::AccumulateError, exponent::Exponents, plan::Plan};

/// The product of a set's primes modulo the order of `g`.
#[derive(Clone)]
#[expect(
    missing_debug_implementations,
    reason = "a secret has no business in a log"
)]
pub struct Exponent(SecretInteger);

impl PartialEq for Exponent {
    fn eq(&self, other: &Self) -> bool {
        *self.0 == *other.0
    }
}

impl Eq for Exponent {}

impl Exponents for Rsa {
    type Exponent = Exponent;

    fn empty_exponent() -> Exponent {
        Exponent(SecretInteger::new(Integer::from(1)))
    }

    fn exponent(
        secret: &RsaSecretKey,
        elements: &[RsaElement],
        workers: &Workers,
    ) -> Result<Exponent, AccumulateError> {
        let primes = elements.iter().map(RsaElement::prime);
        let product = secret_exponents::product(secret.factors(), primes, workers);
        Ok(Exponent(product))
    }

    fn changed_exponent(
        secret: &RsaSecretKey,
        Exponent(exponent): &Exponent,
        removed: &[RsaElement],
        added: &[RsaElement],
        workers: &Workers,
    ) -> Result<Exponent, AccumulateError> {
        let factors = secret.factors();
        let product = |elements| {
            Self::exponent(secret, core::hint::black_box(elements), workers)
                .map(|Exponent(product)| product)
        };
        let multiply =
            |left: &Integer, right: &Integer| secret_exponents::multiply(factors, left, right);
        let divisor = product(removed)?;
        let divisor = divisor.invert_ref(factors.order()).map(Integer::from);
        let divisor = SecretInteger::new(divisor.ok_or(AccumulateError::FaultDetected)?);
        let changed = multiply(&multiply(exponent, &*product(added)?), &divisor);
        let before = multiply(exponent, &*product(added)?);
        if *multiply(&changed, &*product(removed)?) == *before {
            Ok(Exponent(changed))
        } else {
            Err(AccumulateError::FaultDetected)
        }
    }

    fn value_of(
        secret: &RsaSecretKey,
        Exponent(exponent): &Exponent,
    ) -> Result<RsaValue, AccumulateError> {
        secret.power(exponent.clone()).map(RsaValue::new)
    }

    fn witness_of(
        secret: &RsaSecretKey,
        Exponent(others): &Exponent,
        element: &RsaElement,
    ) -> Result<RsaWitness, AccumulateError> {
        let residue = secret.power(others.clone())?;
        Ok(RsaWitness::new(residue, element.offset()))
    }

    fn transition_from(
        secret: &RsaSecretKey,
        exponent: &Exponent,
        plan: &Plan<'_, Self>,
        _: &RsaValue,
        workers: &Workers,
    ) -> Result<(RsaValue, RsaUpdateData, Exponent), AccumulateError> {
        let (removed, added) = (plan.removed(), plan.added());
        let changed = Self::changed_exponent(secret, exponent, removed, added, workers)?;
        let after = Self::value_of(secret, &changed)?;
        Ok((after, RsaUpdateData, changed))
    }
}
