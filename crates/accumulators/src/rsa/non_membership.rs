//! Non-membership witnesses of the RSA accumulator.
//!
//! For the value `v = g^P` and a representative `r` that does not divide `P`, there are numbers `a`
//! and `b` with `a * P + b * r = 1`. Hence `v^a * B^r = g` for `B = g^b`. The witness is `(a, B)`,
//! with `a` reduced to `0 < a < r`. Then `b` is not positive, and `B` is a power of the inverse of
//! `g`.
//!
//! **Sound**, for a set that the author built from representatives. If `r` did divide `P`, then
//! `g^(1 - a * P) = B^r` with an exponent coprime to `r`. This equation would give an `r`-th root
//! of `g`, against the strong RSA assumption.
//!
//! The argument holds for every `a`, including even ones, zero and values out of range. It also
//! holds up to sign. Since `r` is odd, `-1` is its own `r`-th power, and an equation that holds for
//! `-g` holds for `g` with `-B`. In the quotient by `{1, -1}`, `B` and `-B` are one element with
//! one encoding, so the sign does not help a forger.
//!
//! **Unique**: two witnesses with different `a` would again give an `r`-th root of `g`. The `r`-th
//! roots are unique if `r` is coprime to the group's order. An updated witness therefore equals the
//! recomputed one.
//!
//! **No hint.** An element's representative is the *first* prime of its window. A later prime of
//! the window is coprime to `P` even if the element is present. A false witness for that prime
//! would satisfy the equation. The verifier therefore searches for the representative itself, and
//! this witness contains no offset.
//!
//! Source: Li, Li & Xue 2007, sections 3.2 (witnesses) and 4 (updates). Deviation: the quotient
//! group, the canonical range of `a`, and updates over many changes in one step. The paper leaves
//! the map to primes to its caller and so does not meet the problem of the second prime.

use core::cmp::Ordering;

use pad_core::{DecodeError, Proof, Verified, VerifyError};
use rsa_group::{exponentiation::multi_power, group::Residue, modulus::write_fixed};
use rug::{Integer, integer::Order};

use super::{
    Rsa,
    element::RsaElement,
    parameters::{RsaPublicKey, SCHEME},
};
use crate::{
    scheme::PublicKey,
    snapshot::Snapshot,
    statement::NonMembership,
    wire::{self, Reader, Wire},
};

/// Evidence that an element is not in the set of an accumulator value: `(a, B)` with
/// `value^a * B^r = g`. `r` is the element's prime, and `g` the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsaNonMembershipWitness {
    /// `a`: the inverse of the set's product modulo the representative. The range of a decoded
    /// number is unchecked until verification.
    pub(super) remainder: Integer,
    /// The residue `B` of the equation.
    pub(super) cofactor: Residue,
    /// Length in bytes of the encoded remainder, which is that of a prime representative.
    pub(super) length: usize,
}

impl RsaNonMembershipWitness {
    pub(super) fn new(key: &RsaPublicKey, remainder: Integer, cofactor: Residue) -> Self {
        Self {
            remainder,
            cofactor,
            length: representative_length(key),
        }
    }
}

/// Commitment: the verified value. Query: the element. Statement: the absence of the element from
/// the set.
///
/// Cost: one search for the representative, and one simultaneous power with two exponents as long
/// as the representative.
///
/// Errors:
/// * [`VerifyError::WrongAccumulator`] if `B` does not fit the group in length or range.
/// * [`VerifyError::ElementNotAllowed`] if the element's search window contains no prime.
/// * [`VerifyError::RemainderOutOfRange`] unless `0 < a < r`.
/// * [`VerifyError::WitnessMismatch`] if the equation does not hold.
impl Proof for RsaNonMembershipWitness {
    type Commitment = Verified<Snapshot<Rsa>>;
    type Query = [u8];
    type Statement = NonMembership;
    type Error = VerifyError;

    fn check(
        self,
        snapshot: &Verified<Snapshot<Rsa>>,
        element: &[u8],
    ) -> Result<NonMembership, VerifyError> {
        let snapshot = snapshot.get();
        let (key, value) = (&snapshot.key, &snapshot.value);
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
        let bases = [value.residue(), &self.cofactor].map(|base| base.as_integer().clone());
        let exponents = [self.remainder, representative.clone()];
        let power = multi_power(group, &bases, &exponents);
        if !group.same(&power, key.parameters().base().as_integer()) {
            return Err(VerifyError::WitnessMismatch);
        }
        Ok(snapshot.non_membership(element))
    }
}

/// Layout: `a` (length of a representative), `B` (length of the modulus).
impl Wire for RsaNonMembershipWitness {
    type Context = RsaPublicKey;
    const KIND: u8 = wire::KIND_NON_MEMBERSHIP_WITNESS;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        write_fixed(&self.remainder, self.length, bytes);
        self.cofactor.write(bytes);
    }

    fn read(key: &RsaPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let remainder = Integer::from_digits(reader.take(representative_length(key))?, Order::Msf);
        Ok(Self::new(key, remainder, key.read_residue(reader)?))
    }
}

/// Length of an encoded remainder in bytes, which is the length of the largest representative.
fn representative_length(key: &RsaPublicKey) -> usize {
    key.parameters().rule().byte_length()
}
