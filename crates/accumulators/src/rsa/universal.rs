//! Creation and update of non-membership witnesses.

mod transition;

use pad_core::Workers;
use rsa_group::{
    exponentiation::product,
    group::{ModularGroup as _, Residue},
    secret_integer::SecretInteger,
};
use rug::{Complete, Integer};

pub(super) use transition::product_of_signed_powers;
use transition::{Transition, inverse_modulo};

use super::{
    Rsa, element::RsaElement, non_membership::RsaNonMembershipWitness, parameters::RsaPublicKey,
    proof_of_exponentiation::product_modulo, secret_exponents, secret_key::RsaSecretKey,
};
use crate::{
    accumulator::{EitherKey, SecretKey as _},
    change::{Change, require_consecutive},
    dynamic::Universal,
    element::ElementDigest,
    error::AccumulateError,
    scheme::Element,
    set::ElementSet,
};

impl Universal for Rsa {
    /// Cost: one search for the representative. With the public key: the product of all
    /// representatives, and one power with an exponent as long as this product. With the secret
    /// key: two small multiplications per element, and one power.
    fn non_membership_witness(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<RsaNonMembershipWitness, AccumulateError> {
        let element = set.absent(key.public(), element)?;
        let representative = element.prime();
        let primes: Vec<&Integer> = set.elements().iter().map(RsaElement::prime).collect();
        let (remainder, cofactor) = match key.secret() {
            Some(secret) => with_secret(secret, primes, representative, workers)?,
            None => with_public_key(key.public(), primes, representative, workers)?,
        };
        let key = key.public();
        Ok(RsaNonMembershipWitness::new(key, remainder, cofactor))
    }

    /// [`AccumulateError::ElementAbsent`] and [`AccumulateError::ElementPresent`] report the
    /// contents of the list of changes. An unverified list is not evidence that the element was
    /// removed or added.
    ///
    /// Cost: two powers, with exponents as long as the product of all added representatives and the
    /// product of all removed ones. The number of changes does not matter. An element that is added
    /// and removed again costs next to nothing. The caller bounds the length of lists from
    /// untrusted sources.
    fn update_non_membership_witness(
        key: &RsaPublicKey,
        element: &RsaElement,
        witness: &RsaNonMembershipWitness,
        changes: &[Change<Self>],
    ) -> Result<RsaNonMembershipWitness, AccumulateError> {
        require_consecutive(changes)?;
        for change in changes {
            require_untouched(change, element.digest())?;
        }
        let Some(transition) = Transition::across(changes) else {
            return Ok(witness.clone());
        };
        let representative = element.prime();
        let reduced = transition.removed.modulo_ref(representative).complete();
        let unit = inverse_modulo(&transition.added, representative)?;
        let remainder = (&witness.remainder * reduced % representative * unit) % representative;
        // The values before and after are v = u^D and v' = u^A, with D = removed and A = added.
        // From g = u^(a D) B^r follows B' = u^-k B with a' A = a D + k r.
        let shift = (&remainder * &transition.added).complete()
            - (&witness.remainder * &transition.removed).complete();
        let power = transition.power(key.group(), -shift.div_exact(representative))?;
        let cofactor = key.group().multiply(&power, witness.cofactor.as_integer());
        let cofactor = key.group().canonical(cofactor);
        Ok(RsaNonMembershipWitness::new(key, remainder, cofactor))
    }
}

/// Computes the non-membership witness (`a`, `B`) of the element with this representative, which is
/// not among the `primes` of the set.
fn with_public_key(
    key: &RsaPublicKey,
    primes: Vec<&Integer>,
    representative: &Integer,
    workers: &Workers,
) -> Result<(Integer, Residue), AccumulateError> {
    let product = product(primes, workers);
    let remainder = inverse_modulo(&product, representative)?;
    let exponent = (&remainder * product - 1_u32).div_exact(representative);
    let group = key.group();
    let power = key.power(&exponent, workers);
    let cofactor = group.canonical(group.inverse(&power));
    Ok((remainder, cofactor))
}

/// Like [`with_public_key`], but faster, with the secret factors of the modulus.
fn with_secret(
    secret: &RsaSecretKey,
    primes: Vec<&Integer>,
    representative: &Integer,
    workers: &Workers,
) -> Result<(Integer, Residue), AccumulateError> {
    let reduced = product_modulo(&primes, representative);
    let remainder = inverse_modulo(&reduced, representative)?;
    let factors = secret.factors();
    let exponent = secret_exponents::product(factors, primes, workers);
    let exponent = bezout_exponent(factors.order(), &exponent, &remainder, representative)?;
    let cofactor = if exponent.is_zero() {
        // For the empty set: P = 1, a = 1, b = 0.
        let group = secret.public_key().group();
        group.canonical(group.one())
    } else {
        secret.power(exponent)?
    };
    Ok((remainder, cofactor))
}

/// Returns an error if a change removes or adds the element with this digest. A non-membership
/// witness is valid only while the element stays absent.
fn require_untouched(change: &Change<Rsa>, digest: &ElementDigest) -> Result<(), AccumulateError> {
    let names = |elements: &[RsaElement]| elements.iter().any(|other| other.digest() == digest);
    if names(&change.removed) {
        return Err(AccumulateError::ElementAbsent);
    }
    if names(&change.added) {
        return Err(AccumulateError::ElementPresent);
    }
    Ok(())
}

/// Computes `(1 - a P) / r` modulo the secret order: the exponent of the cofactor `B` of a witness.
/// `P` is `product`, `a` is `remainder` and `r` is `representative`, a short prime that does not
/// divide the order.
fn bezout_exponent(
    order: &Integer,
    product: &Integer,
    remainder: &Integer,
    representative: &Integer,
) -> Result<SecretInteger, AccumulateError> {
    let inverse = SecretInteger::new(inverse_modulo(representative, order)?);
    let difference = SecretInteger::new(1_u32 - (product * remainder).complete());
    let exponent = SecretInteger::new((&*difference * &*inverse).complete());
    Ok(SecretInteger::new(exponent.modulo_ref(order).complete()))
}

#[cfg(test)]
mod tests;
