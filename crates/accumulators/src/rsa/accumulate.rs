//! Computation of the values and membership witnesses of sets, with the public or the secret key.

use pad_core::Workers;
use rsa_group::{ModularGroup as _, Residue};
use rug::Integer;

use super::{
    Rsa, all_witnesses::all_witnesses, element::RsaElement, parameters::RsaPublicKey,
    secret_exponents, secret_key::RsaSecretKey, value::RsaValue, witness::RsaWitness,
};
use crate::{
    accumulator::{Accumulator, EitherKey, SecretKey as _},
    error::AccumulateError,
    scheme::Scheme as _,
    set::ElementSet,
};

impl EitherKey<Rsa> for RsaPublicKey {
    fn public(&self) -> &Self {
        self
    }
}

impl EitherKey<Rsa> for RsaSecretKey {
    fn public(&self) -> &RsaPublicKey {
        self.public_key()
    }

    fn secret(&self) -> Option<&Self> {
        Some(self)
    }
}

impl Accumulator for Rsa {
    type SecretKey = RsaSecretKey;

    /// Cost with the public key: one power with the product of all primes as its exponent. This
    /// costs about as much as one power with a prime exponent for each element.
    fn accumulate(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<RsaValue, AccumulateError> {
        set.require_key(key.public())?;
        power_of_base(key, set.elements(), workers).map(RsaValue::new)
    }

    fn witness(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<RsaWitness, AccumulateError> {
        set.require_key(key.public())?;
        let (element, others) = set.one_and_others(element)?;
        let residue = power_of_base(key, others, workers)?;
        Ok(RsaWitness::new(residue, element.offset()))
    }

    /// Cost with the public key: `log2(n) / 2` powers for each of `n` witnesses; see
    /// `all_witnesses`. With the secret key: for each witness, two powers from tables, one modulo
    /// each factor of the modulus.
    fn witnesses(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Vec<RsaWitness>, AccumulateError> {
        let public = key.public();
        set.require_key(public)?;
        let primes: Vec<&Integer> = set.elements().iter().map(RsaElement::prime).collect();
        let residues: Vec<Residue> = if let Some(secret) = key.secret() {
            let exponents =
                secret_exponents::products_of_others(secret.factors(), &primes, workers);
            secret.powers(&exponents, workers)?
        } else {
            let group = public.group();
            let base = public.parameters().base().as_integer();
            let numbers = all_witnesses(group, base, &primes, workers).into_iter();
            numbers.map(|number| group.canonical(number)).collect()
        };
        let witnesses = residues.into_iter().zip(set.elements());
        Ok(witnesses
            .map(|(residue, element)| RsaWitness::new(residue, element.offset()))
            .collect())
    }

    /// Cost: that of the witnesses, and one short power. The value is a witness raised to its
    /// element's prime.
    fn witnesses_and_value(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<(Vec<RsaWitness>, RsaValue), AccumulateError> {
        let witnesses = Self::witnesses(key, set, workers)?;
        let public = key.public();
        let first = set.elements().first().zip(witnesses.first());
        let value = first.map_or_else(
            || Self::empty_value(public),
            |(element, witness)| {
                let residue = witness.residue().as_integer();
                let power = public.group().power(residue, element.prime());
                RsaValue::new(public.group().canonical(power))
            },
        );
        Ok((witnesses, value))
    }
}

/// Raises the base `g` to the product of the primes of the elements.
///
/// # Errors
/// [`AccumulateError::FaultDetected`] with the secret key, if a result fails its check.
pub(super) fn power_of_base<'a>(
    key: &impl EitherKey<Rsa>,
    elements: impl IntoIterator<Item = &'a RsaElement>,
    workers: &Workers,
) -> Result<Residue, AccumulateError> {
    let primes = elements.into_iter().map(RsaElement::prime);
    match key.secret() {
        Some(secret) => secret.power_of_base(primes, workers),
        None => Ok(key.public().power_of_base(primes, workers)),
    }
}
