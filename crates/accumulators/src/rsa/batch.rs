//! Creation of subset witnesses: one proof that many elements are in the set.
//!
//! Shamir's trick combines the witnesses of single elements into a subset witness without the set.
//! With `w_1^(x_1) = value = w_2^(x_2)` and `s x_1 + t x_2 = 1`, the residue `w_1^t w_2^s` is a
//! root of the value of degree `x_1 x_2`.
//!
//! Source: Boneh, Bünz & Fisch 2019, section 4.2 (aggregation); Shamir 1983, "On the generation of
//! cryptographically strong pseudorandom sequences" (the trick).

use pad_core::Workers;
use rsa_group::{
    exponentiation::product,
    group::{ModularGroup as _, ResidueGroup},
    secret_integer::SecretInteger,
};
use rug::{Complete, Integer};

use super::{
    Rsa, element::RsaElement, parameters::RsaPublicKey, secret_exponents,
    subset_witness::RsaSubsetWitness, universal::product_of_signed_powers, value::RsaValue,
    witness::RsaWitness,
};
use crate::{
    accumulator::{Accumulator as _, Batch, EitherKey},
    error::AccumulateError,
    scheme::Element,
    set::ElementSet,
};

impl Batch for Rsa {
    /// Cost with the public key: three powers. One exponent is as long as the product of the
    /// representatives outside the subset. Two are as long as the product of those in the subset.
    /// Cost with the secret key: at most two cheap multiplications for each element of the set, and
    /// three powers.
    fn subset_witness(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        subset: &[Vec<u8>],
        workers: &Workers,
    ) -> Result<RsaSubsetWitness, AccumulateError> {
        set.require_key(key.public())?;
        let [mut members, others] = set.split(subset)?;
        members.sort_by_key(|member| *member.digest());
        let others = others.into_iter().map(RsaElement::prime);
        let public = key.public();
        let Some(secret) = key.secret() else {
            let group = public.group();
            let residue = public.power(&product(others, workers), workers);
            let exponent = product(members.iter().map(|member| member.prime()), workers);
            let value = RsaValue::new(group.canonical(group.power(&residue, &exponent)));
            let canonical = group.canonical(residue.clone());
            return RsaSubsetWitness::assemble(public, &value, canonical, &members, |exponent| {
                Ok(group.canonical(group.power(&residue, exponent)))
            });
        };
        let value = Self::accumulate(secret, set, workers)?;
        let factors = secret.factors();
        let others = secret_exponents::product(factors, others, workers);
        let residue = secret.power(SecretInteger::new(Integer::clone(&others)))?;
        RsaSubsetWitness::assemble(public, &value, residue, &members, |exponent| {
            let product = (&*others * exponent).complete() % factors.order();
            secret.power(SecretInteger::new(product))
        })
    }

    /// Verifies the resulting subset witness, not each given witness. Errors that cancel each other
    /// remain unnoticed.
    ///
    /// Cost: `log2(k)` levels of simultaneous powers, one power and a verification. The exponents
    /// of each level together have the length of the product of the `k` representatives. The last
    /// power has an exponent of that length.
    fn aggregate(
        key: &RsaPublicKey,
        value: &RsaValue,
        witnesses: &[(RsaElement, RsaWitness)],
    ) -> Result<RsaSubsetWitness, AccumulateError> {
        let group = key.group();
        let mut sorted: Vec<&(RsaElement, RsaWitness)> = witnesses.iter().collect();
        sorted.sort_by_key(|(element, _)| *element.digest());
        if !sorted.is_sorted_by(|(left, _), (right, _)| left.digest() < right.digest()) {
            return Err(AccumulateError::DuplicateElement);
        }
        let mut level: Vec<Root> = sorted.iter().copied().map(Root::of_member).collect();
        while level.len() > 1 {
            let parents = level.chunks(2).map(|pair| Root::join(group, pair));
            level = parents.collect::<Result<_, _>>()?;
        }
        let number = level.pop().ok_or(AccumulateError::EmptySubset)?.number;
        let members: Vec<&RsaElement> = sorted.iter().map(|(element, _)| element).collect();
        let residue = group.canonical(number.clone());
        let witness = RsaSubsetWitness::assemble(key, value, residue, &members, |exponent| {
            Ok(group.canonical(group.power(&number, exponent)))
        })?;
        let primes: Vec<&Integer> = members.into_iter().map(RsaElement::prime).collect();
        witness
            .verify_equation(key, value, &primes)
            .map_err(|_| AccumulateError::WitnessMismatch)?;
        Ok(witness)
    }
}

/// A residue that is a root of the accumulator value, with its degree.
#[derive(Clone)]
struct Root {
    number: Integer,
    /// Degree of the root: `number^degree` is the accumulator value.
    degree: Integer,
}

impl Root {
    fn of_member((element, witness): &(RsaElement, RsaWitness)) -> Self {
        Self {
            number: witness.residue().as_integer().clone(),
            degree: element.prime().clone(),
        }
    }

    /// Joins one or two roots into a root whose degree is the product of their degrees.
    fn join(group: &ResidueGroup, pair: &[Self]) -> Result<Self, AccumulateError> {
        let (left, right) = match pair {
            [left, right] => (left, right),
            [single] => return Ok(single.clone()),
            _ => return Err(AccumulateError::EmptySubset),
        };
        let (common, s, t) = left.degree.extended_gcd_ref(&right.degree).complete();
        if common != 1 {
            return Err(AccumulateError::DuplicateElement);
        }
        Ok(Self {
            number: product_of_signed_powers(group, [(&left.number, t), (&right.number, s)]),
            degree: Integer::from(&left.degree * &right.degree),
        })
    }
}

#[cfg(test)]
mod tests;
