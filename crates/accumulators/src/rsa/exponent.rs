//! The secret exponent of an author's set: the product of its primes modulo the order of `g`.

use pad_core::Workers;
use rsa_group::SecretInteger;
use rug::Integer;

use super::{
    Rsa, element::RsaElement, secret_exponents, secret_key::RsaSecretKey,
    update_data::RsaUpdateData, value::RsaValue, witness::RsaWitness,
};
use crate::{
    error::AccumulateError,
    exponent::{Difference, Exponents},
    plan::Plan,
};

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
        difference: &Difference<'_, Self>,
        workers: &Workers,
    ) -> Result<Exponent, AccumulateError> {
        let factors = secret.factors();
        let Exponent(divisor) = Self::exponent(secret, difference.removed, workers)?;
        let Exponent(factor) = Self::exponent(secret, difference.added, workers)?;
        let inverse = divisor.invert_ref(factors.order()).map(Integer::from);
        let inverse = SecretInteger::new(inverse.ok_or(AccumulateError::FaultDetected)?);
        let product = secret_exponents::multiply(factors, exponent, &factor);
        Ok(Exponent(secret_exponents::multiply(
            factors, &product, &inverse,
        )))
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

    fn published(
        secret: &RsaSecretKey,
        [_, after]: [&Exponent; 2],
        _: &Plan<'_, Self>,
        _: &RsaValue,
        _: &Workers,
    ) -> Result<(RsaValue, RsaUpdateData), AccumulateError> {
        Ok((Self::value_of(secret, after)?, RsaUpdateData))
    }
}
