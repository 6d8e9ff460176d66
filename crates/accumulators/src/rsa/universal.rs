//! Non-membership witnesses of the RSA accumulator.
//!
//! For the value `v = g^P` and a representative `r` that does not divide `P` there are numbers
//! with `a * P + b * r = 1`, and so `v^a * B^r = g` for `B = g^b`. The witness is `(a, B)`, with `a`
//! reduced: `0 < a < r`. Then `b` is negative or zero, and so is its exponentiation one of the
//! inverse of `g`.
//!
//! **Sound**, for a set that the author built from representatives: if `r` did divide `P`, then
//! `g^(1 - a * P) = B^r` with an exponent coprime to `r`, and the two would give an `r`-th root of
//! `g`, against the strong RSA assumption. That holds for every `a`, even, zero or out of range,
//! and it holds up to sign: `r` is odd, so `-1` is its own `r`-th power, and an equation that holds
//! for `-g` holds for `g` with `-B`. In the quotient by `{1, -1}`, `B` and `-B` are one element with
//! one encoding, and so the sign gives a forger nothing.
//!
//! **Unique**: two witnesses with different `a` would give an `r`-th root of `g` again, and `r`-th
//! roots are unique where `r` is coprime to the group's order. So an updated witness equals the
//! recomputed one.
//!
//! **No hint.** An element's representative is the *first* prime of its window. A later prime of the
//! same window is coprime to `P` even if the element is present, and for it the equation can be
//! satisfied. So the verifier searches for the representative itself, and this witness carries no
//! offset.
//!
//! Source: Li, Li & Xue 2007, sections 3.2 (witnesses) and 4 (updates). Deviation: the quotient
//! group, the canonical range of `a`, and updates over many changes at once; the paper leaves the
//! map to primes to its caller and so does not meet the problem of the second prime.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

mod transition;

use core::cmp::Ordering;

use pad_core::{DecodeError, Proof, Verified, VerifyError, Workers};
use rsa_group::{
    exponentiation::{multi_power, product},
    group::{ModularGroup, Residue},
    modulus::write_fixed,
    secret_integer::SecretInteger,
};
use rug::{Complete, Integer, integer::Order};

pub(super) use transition::product_of_signed_powers;
use transition::{Transition, inverse_modulo};

use super::{
    Rsa,
    element::RsaElement,
    parameters::{RsaPublicKey, SCHEME},
    proof_of_exponentiation::product_modulo,
    secret_exponents,
    secret_key::RsaSecretKey,
};
use crate::{
    accumulator::{SecretKey, Universal},
    change::{Change, require_consecutive},
    element::ElementDigest,
    error::AccumulateError,
    scheme::{Element, PublicKey},
    set::ElementSet,
    snapshot::Snapshot,
    statement::NonMembership,
    wire::{self, Reader, Wire},
};

/// Evidence that an element is not in the set of a value: `(a, B)` with `value^a * B^r = g`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsaNonMembershipWitness {
    /// `a`: the inverse of the set's product modulo the representative. Not checked before `check`.
    remainder: Integer,
    /// `B`.
    cofactor: Residue,
    /// Of the encoded remainder, in bytes: that of representatives.
    length: usize,
}

/// Commitment: the verified value. Query: the element. Statement: its absence.
///
/// Cost: one search for the representative and one simultaneous power with two exponents of its
/// length.
///
/// Errors: [`VerifyError::WrongAccumulator`] for a witness read with the key of other parameters,
/// [`VerifyError::ElementNotAllowed`], [`VerifyError::RemainderOutOfRange`],
/// [`VerifyError::WitnessMismatch`].
impl Proof for RsaNonMembershipWitness {
    type Commitment = Verified<Snapshot<Rsa>>;
    type Query = [u8];
    type Statement = NonMembership;

    fn check(
        self,
        snapshot: &Verified<Snapshot<Rsa>>,
        element: &[u8],
    ) -> Result<NonMembership, VerifyError> {
        let Snapshot {
            key,
            version,
            value,
        } = snapshot.get();
        let group = key.group();
        if !group.contains(&self.cofactor) {
            return Err(VerifyError::WrongAccumulator);
        }
        let representative = RsaElement::search(key, &key.id().digest_of(element))
            .map_err(|_| VerifyError::ElementNotAllowed)?;
        let representative = representative.prime();
        if self.remainder.cmp0() != Ordering::Greater || self.remainder >= *representative {
            return Err(VerifyError::RemainderOutOfRange);
        }
        let bases = [
            value.residue().as_integer().clone(),
            self.cofactor.as_integer().clone(),
        ];
        let exponents = [self.remainder, representative.clone()];
        let power = multi_power(group, &bases, &exponents);
        if !group.same(&power, key.parameters().base().as_integer()) {
            return Err(VerifyError::WitnessMismatch);
        }
        Ok(NonMembership {
            accumulator: key.id(),
            version: *version,
            element: element.to_vec(),
        })
    }
}

/// `a` (as many bytes as a representative), `B` (as many as the modulus).
impl Wire for RsaNonMembershipWitness {
    type Context = RsaPublicKey;
    const KIND: u8 = wire::KIND_NON_MEMBERSHIP_WITNESS;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        write_fixed(&self.remainder, self.length, bytes);
        self.cofactor.write(bytes);
    }

    fn read(key: &RsaPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let length = representative_length(key);
        Ok(Self {
            remainder: Integer::from_digits(reader.take(length)?, Order::Msf),
            cofactor: key.read_residue(reader)?,
            length,
        })
    }
}

impl Universal for Rsa {
    type NonMembershipWitness = RsaNonMembershipWitness;

    /// Cost: one search for the representative, the product of all representatives, and one power
    /// with an exponent as long as that.
    fn non_membership_witness(
        key: &RsaPublicKey,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<RsaNonMembershipWitness, AccumulateError> {
        let representative = absent_representative(key, set, element)?;
        let product = product(set.elements().iter().map(RsaElement::prime), workers);
        let remainder = inverse_modulo(&product, &representative)?;
        let exponent = (&remainder * product - 1_u32).div_exact(&representative);
        let group = key.group();
        let power = key.power(&exponent, workers);
        Ok(RsaNonMembershipWitness {
            remainder,
            cofactor: group.canonical(group.inverse(&power)),
            length: representative_length(key),
        })
    }

    /// Cost: one search for the representative, two small multiplications per element, one power
    /// with the secret.
    fn non_membership_witness_with_secret(
        secret: &RsaSecretKey,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<RsaNonMembershipWitness, AccumulateError> {
        let key = secret.public_key();
        let representative = absent_representative(key, set, element)?;
        let primes: Vec<&Integer> = set.elements().iter().map(RsaElement::prime).collect();
        let reduced = product_modulo(&primes, &representative);
        let remainder = inverse_modulo(&reduced, &representative)?;
        let factors = secret.factors();
        let exponent = secret_exponents::product(factors, primes, workers);
        let exponent = bezout_exponent(factors.order(), &exponent, &remainder, &representative)?;
        let cofactor = if exponent.is_zero() {
            // Of the empty set: P = 1, a = 1, b = 0.
            key.group().canonical(key.group().one())
        } else {
            secret.power(exponent)?
        };
        Ok(RsaNonMembershipWitness {
            remainder,
            cofactor,
            length: representative_length(key),
        })
    }

    /// [`AccumulateError::ElementAbsent`] and [`AccumulateError::ElementPresent`] are what the log
    /// says: a log that nobody verified is no evidence that the element was removed or added.
    ///
    /// Cost: one power with an exponent as long as the product of all added representatives, one
    /// with that of all removed ones, however many changes they are spread over. An element that is
    /// added and removed again costs next to nothing. The caller bounds the length of logs from
    /// elsewhere.
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
        // v = u^D and v' = u^A: g = u^(a D) B^r, and so B' = u^-k B with a' A = a D + k r.
        let shift = (&remainder * &transition.added).complete()
            - (&witness.remainder * &transition.removed).complete();
        let power = transition.power(key.group(), -shift.div_exact(representative))?;
        let cofactor = key.group().multiply(&power, witness.cofactor.as_integer());
        Ok(RsaNonMembershipWitness {
            remainder,
            cofactor: key.group().canonical(cofactor),
            length: witness.length,
        })
    }
}

/// The representative of an element that is not in the set.
fn absent_representative(
    key: &RsaPublicKey,
    set: &ElementSet<Rsa>,
    element: &[u8],
) -> Result<Integer, AccumulateError> {
    set.require_key(key)?;
    if set.contains(element) {
        return Err(AccumulateError::ElementPresent);
    }
    let element = RsaElement::search(key, &key.id().digest_of(element))?;
    Ok(element.prime().clone())
}

/// Refuses a change that removes or adds the element: its absence begins or ends there.
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

/// `(1 - a P) / r` modulo the order, of which `r`, a short prime, is no factor.
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

/// The length of an encoded remainder: that of the largest representative.
fn representative_length(key: &RsaPublicKey) -> usize {
    key.parameters().rule().byte_length()
}

#[cfg(test)]
mod tests;
