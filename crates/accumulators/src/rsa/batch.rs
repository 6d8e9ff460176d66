//! Many elements at once: [one witness for a subset](RsaSubsetWitness), and
//! [many witnesses verified together](RsaWitnessBatch).
//!
//! Members' witnesses join to a subset witness without the set, by Shamir's trick: with
//! `w_1^(x_1) = value = w_2^(x_2)` and `s x_1 + t x_2 = 1`, the residue `w_1^t w_2^s` is a root of
//! the value of degree `x_1 x_2`.
//!
//! Source: Boneh, Bünz & Fisch 2019, section 4.2 (aggregation); Shamir 1983, "On the generation of
//! cryptographically strong pseudorandom sequences" (the trick).

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod subset;
mod witnesses;

use std::collections::HashSet;

use pad_core::{VerifyError, Workers};
use rsa_group::{
    exponentiation::product,
    group::{ModularGroup, ResidueGroup},
    secret_integer::SecretInteger,
};
use rug::{Complete, Integer};

pub use subset::RsaSubsetWitness;
pub use witnesses::RsaWitnessBatch;

use super::{
    Rsa, element::RsaElement, parameters::RsaPublicKey, secret_exponents, secret_key::RsaSecretKey,
    universal::product_of_signed_powers, value::RsaValue, witness::RsaWitness,
};
use crate::{
    accumulator::{Accumulator, Batch, SecretKey},
    error::AccumulateError,
    scheme::Element,
    set::ElementSet,
};

impl Batch for Rsa {
    type SubsetWitness = RsaSubsetWitness;
    type WitnessBatch = RsaWitnessBatch;

    /// Cost: one power with an exponent as long as the product of all other representatives, and
    /// two with that of the subset's.
    fn subset_witness(
        key: &RsaPublicKey,
        set: &ElementSet<Self>,
        subset: &[Vec<u8>],
        workers: &Workers,
    ) -> Result<RsaSubsetWitness, AccumulateError> {
        let parts = Parts::new(key, set, subset)?;
        let group = key.group();
        let others = product(parts.others.iter().copied().map(RsaElement::prime), workers);
        let residue = key.power(&others, workers);
        let exponent = product(
            parts.members.iter().copied().map(RsaElement::prime),
            workers,
        );
        let value = RsaValue::new(group.canonical(group.power(&residue, &exponent)));
        let canonical = group.canonical(residue.clone());
        RsaSubsetWitness::assemble(key, &value, canonical, &parts.members, |exponent| {
            Ok(group.canonical(group.power(&residue, exponent)))
        })
    }

    /// Cost: one cheap multiplication for each element of the set, and three powers with the secret.
    fn subset_witness_with_secret(
        secret: &RsaSecretKey,
        set: &ElementSet<Self>,
        subset: &[Vec<u8>],
        workers: &Workers,
    ) -> Result<RsaSubsetWitness, AccumulateError> {
        let key = secret.public_key();
        let parts = Parts::new(key, set, subset)?;
        let value = Self::accumulate_with_secret(secret, set, workers)?;
        let factors = secret.factors();
        let others = secret_exponents::product(
            factors,
            parts.others.iter().copied().map(RsaElement::prime),
            workers,
        );
        let residue = secret.power(SecretInteger::new(Integer::clone(&others)))?;
        RsaSubsetWitness::assemble(key, &value, residue, &parts.members, |exponent| {
            let product = (&*others * exponent).complete() % factors.order();
            secret.power(SecretInteger::new(product))
        })
    }

    /// Checks the result, not each witness: one whose error drops out on the way goes unnoticed.
    ///
    /// Cost: `log2(k)` simultaneous powers with two exponents that are together as long as the
    /// product of the `k` representatives, one power with that exponent, and a verification.
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
            level = level
                .chunks(2)
                .map(|pair| Root::join(group, pair))
                .collect::<Result<_, _>>()?;
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

/// A set in two parts.
struct Parts<'a> {
    /// The elements of the subset, in ascending order of their digests.
    members: Vec<&'a RsaElement>,
    /// All other elements.
    others: Vec<&'a RsaElement>,
}

impl<'a> Parts<'a> {
    fn new(
        key: &RsaPublicKey,
        set: &'a ElementSet<Rsa>,
        subset: &[Vec<u8>],
    ) -> Result<Self, AccumulateError> {
        set.require_key(key)?;
        let positions: HashSet<usize> = set.positions(subset)?.into_iter().collect();
        let (mut members, mut others) = (Vec::new(), Vec::new());
        for (position, element) in set.elements().iter().enumerate() {
            if positions.contains(&position) {
                members.push(element);
            } else {
                others.push(element);
            }
        }
        members.sort_by_key(|member| *member.digest());
        Ok(Self { members, others })
    }
}

/// A root of the value.
#[derive(Clone)]
struct Root {
    number: Integer,
    /// The exponent that leads to the value.
    degree: Integer,
}

impl Root {
    fn of_member((element, witness): &(RsaElement, RsaWitness)) -> Self {
        Self {
            number: witness.residue().as_integer().clone(),
            degree: element.prime().clone(),
        }
    }

    /// The root whose degree is the product of the degrees of one or two roots.
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

/// The elements with their primes, found by the offsets.
fn represented<'a>(
    key: &RsaPublicKey,
    elements: impl IntoIterator<Item = &'a [u8]>,
    offsets: impl IntoIterator<Item = u16>,
) -> Result<Vec<RsaElement>, VerifyError> {
    elements
        .into_iter()
        .zip(offsets)
        .map(|(element, offset)| RsaElement::verified(key, element, offset))
        .collect()
}

#[cfg(test)]
mod tests;
