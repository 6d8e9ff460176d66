//! The RSA accumulator: the value of a set is `g^(product of its prime representatives) mod N`.
//!
//! The witness of an element is the same power without the element's own prime `r`, so it verifies
//! by one power: `witness^r = value`. The author of an own modulus knows its factors and works on
//! exponents ([`RsaSecretKey`]); everybody else works on residues, by product trees and shared
//! squarings. Both reach the same values.
//!
//! ```
//! use std::sync::Arc;
//!
//! use accumulators::{
//!     Accumulator, ElementSet,
//!     rsa::{Parameters, RepresentativeRule, Rsa, RsaPublicKey},
//! };
//! use pad_core::Workers;
//!
//! // A modulus whose factors nobody here knows.
//! let parameters = Parameters::rsa_2048(RepresentativeRule::Wide)?;
//! let key = RsaPublicKey::new(Arc::new(parameters), b"guests");
//! let workers = Workers::sequential();
//! let guests = ElementSet::<Rsa>::from_elements(&key, &["ada", "grace"], &workers)?;
//! let value = Rsa::accumulate(&key, &guests, &workers)?;
//! let witness = Rsa::witness(&key, &guests, b"ada", &workers)?;
//! assert_ne!(value.residue(), witness.residue());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is secret and what runs in constant time is said in [`secret_key`].
//!
//! Source: Barić & Pfitzmann 1997; Crosby & Wallach 2010, section 4.3; Tremel 2013, section 2.1.

mod all_witnesses;
mod batch;
mod dynamic;
mod element;
mod key_file;
pub mod parameters;
mod powers_of_base;
mod primality;
mod proof_of_exponentiation;
pub mod representative;
mod secret_exponents;
pub mod secret_key;
mod sieve;
#[cfg(test)]
mod test_key;
#[cfg(test)]
mod tests;
mod universal;
mod value;
mod witness;

use pad_core::{SchemeId, Workers};
use rsa_group::ModularGroup as _;
use rug::Integer;

pub use batch::{RsaSubsetWitness, RsaWitnessBatch};
pub use dynamic::RsaUpdateData;
pub use element::RsaElement;
pub use parameters::{Parameters, RsaPublicKey};
pub use powers_of_base::PowersOfBase;
pub use representative::RepresentativeRule;
pub use rsa_group::{KeySize, Progress, Residue};
pub use secret_key::{KeyError, RsaSecretKey};
pub use universal::RsaNonMembershipWitness;
pub use value::RsaValue;
pub use witness::RsaWitness;

use crate::{
    accumulator::{Accumulator, SecretKey as _},
    element::ElementDigest,
    error::AccumulateError,
    scheme::Scheme,
    set::ElementSet,
};

/// The RSA accumulator, as a type that the traits of this crate are implemented for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rsa;

impl Scheme for Rsa {
    const SCHEME: SchemeId = parameters::SCHEME;
    const NAME: &'static str = "rsa";

    type PublicKey = RsaPublicKey;
    type Element = RsaElement;
    type Value = RsaValue;
    type UpdateData = RsaUpdateData;

    fn element(key: &RsaPublicKey, digest: &ElementDigest) -> Result<RsaElement, AccumulateError> {
        RsaElement::search(key, digest)
    }

    fn empty_value(key: &RsaPublicKey) -> RsaValue {
        RsaValue::new(key.parameters().base().clone())
    }
}

impl Accumulator for Rsa {
    type SecretKey = RsaSecretKey;
    type Witness = RsaWitness;

    /// Cost: one power with the product of all primes: for each about one power of its own length.
    fn accumulate(
        key: &RsaPublicKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<RsaValue, AccumulateError> {
        set.require_key(key)?;
        let primes = set.elements().iter().map(RsaElement::prime);
        Ok(RsaValue::new(key.power_of_base(primes, workers)))
    }

    fn accumulate_with_secret(
        secret: &RsaSecretKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<RsaValue, AccumulateError> {
        set.require_key(secret.public_key())?;
        let primes = set.elements().iter().map(RsaElement::prime);
        secret.power_of_base(primes, workers).map(RsaValue::new)
    }

    fn witness(
        key: &RsaPublicKey,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<RsaWitness, AccumulateError> {
        set.require_key(key)?;
        let (offset, others) = one_and_others(set, element)?;
        Ok(RsaWitness::new(key.power_of_base(others, workers), offset))
    }

    fn witness_with_secret(
        secret: &RsaSecretKey,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<RsaWitness, AccumulateError> {
        set.require_key(secret.public_key())?;
        let (offset, others) = one_and_others(set, element)?;
        let residue = secret.power_of_base(others, workers)?;
        Ok(RsaWitness::new(residue, offset))
    }

    /// Cost: half of `log2(n)` powers each; see `all_witnesses`.
    fn witnesses(
        key: &RsaPublicKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Vec<RsaWitness>, AccumulateError> {
        set.require_key(key)?;
        let base = key.parameters().base().as_integer();
        let numbers = all_witnesses::all_witnesses(key.group(), base, &primes(set), workers);
        Ok(assemble(
            set,
            numbers
                .into_iter()
                .map(|number| key.group().canonical(number)),
        ))
    }

    /// Cost: one short power beyond the witnesses, `value = witness^prime`.
    fn witnesses_and_value(
        key: &RsaPublicKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<(Vec<RsaWitness>, RsaValue), AccumulateError> {
        let witnesses = Self::witnesses(key, set, workers)?;
        let first = set.elements().first().zip(witnesses.first());
        let value = first.map_or_else(
            || Self::empty_value(key),
            |(element, witness)| {
                let residue = witness.residue().as_integer();
                let power = key.group().power(residue, element.prime());
                RsaValue::new(key.group().canonical(power))
            },
        );
        Ok((witnesses, value))
    }

    /// Cost: two powers by tables of half the length each.
    fn witnesses_with_secret(
        secret: &RsaSecretKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Vec<RsaWitness>, AccumulateError> {
        set.require_key(secret.public_key())?;
        let primes: Vec<Integer> = primes(set).into_iter().cloned().collect();
        let exponents = secret_exponents::products_of_others(secret.factors(), &primes, workers);
        Ok(assemble(set, secret.powers(&exponents, workers)?))
    }
}

fn primes(set: &ElementSet<Rsa>) -> Vec<&Integer> {
    set.elements().iter().map(RsaElement::prime).collect()
}

/// The offset of an element's prime, and the primes of all other elements.
fn one_and_others<'a>(
    set: &'a ElementSet<Rsa>,
    element: &[u8],
) -> Result<(u16, impl Iterator<Item = &'a Integer>), AccumulateError> {
    let position = set.position(element)?;
    let (before, rest) = set.elements().split_at(position);
    let (represented, after) = rest.split_first().ok_or(AccumulateError::ElementAbsent)?;
    Ok((
        represented.offset(),
        before.iter().chain(after).map(RsaElement::prime),
    ))
}

/// The residues with their elements' offsets.
fn assemble(set: &ElementSet<Rsa>, residues: impl IntoIterator<Item = Residue>) -> Vec<RsaWitness> {
    let offsets = set.elements().iter().map(RsaElement::offset);
    residues
        .into_iter()
        .zip(offsets)
        .map(|(residue, offset)| RsaWitness::new(residue, offset))
        .collect()
}
