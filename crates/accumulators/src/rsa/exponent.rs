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

impl Exponents for Rsa {
    type Exponent = SecretInteger;

    fn empty_exponent() -> SecretInteger {
        SecretInteger::new(Integer::from(1))
    }

    fn exponent(
        secret: &RsaSecretKey,
        elements: &[RsaElement],
        workers: &Workers,
    ) -> Result<SecretInteger, AccumulateError> {
        let primes = elements.iter().map(RsaElement::prime);
        Ok(secret_exponents::product(secret.factors(), primes, workers))
    }

    fn changed_exponent(
        secret: &RsaSecretKey,
        exponent: &SecretInteger,
        difference: &Difference<'_, Self>,
        workers: &Workers,
    ) -> Result<SecretInteger, AccumulateError> {
        let factors = secret.factors();
        let divisor = Self::exponent(secret, difference.removed, workers)?;
        let factor = Self::exponent(secret, difference.added, workers)?;
        let inverse = divisor.invert_ref(factors.order()).map(Integer::from);
        let inverse = SecretInteger::new(inverse.ok_or(AccumulateError::FaultDetected)?);
        let product = secret_exponents::multiply(factors, exponent, &factor);
        Ok(secret_exponents::multiply(factors, &product, &inverse))
    }

    fn value_of(
        secret: &RsaSecretKey,
        exponent: &SecretInteger,
    ) -> Result<RsaValue, AccumulateError> {
        secret.power(exponent.clone()).map(RsaValue::new)
    }

    fn witness_of(
        secret: &RsaSecretKey,
        others: &SecretInteger,
        element: &RsaElement,
    ) -> Result<RsaWitness, AccumulateError> {
        let residue = secret.power(others.clone())?;
        Ok(RsaWitness::new(residue, element.offset()))
    }

    fn published(
        secret: &RsaSecretKey,
        [_, after]: [&SecretInteger; 2],
        _: &Plan<'_, Self>,
        _: &RsaValue,
        _: &Workers,
    ) -> Result<(RsaValue, RsaUpdateData), AccumulateError> {
        Ok((Self::value_of(secret, after)?, RsaUpdateData))
    }
}
