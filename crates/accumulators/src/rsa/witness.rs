//! Membership witnesses of the RSA accumulator.

#![deny(clippy::arithmetic_side_effects)]

use pad_core::{DecodeError, Proof, Verified, VerifyError};

use super::{
    Rsa,
    element::RsaElement,
    parameters::{RsaPublicKey, SCHEME},
};
use crate::{
    snapshot::Snapshot,
    statement::Membership,
    wire::{self, Reader, Wire},
};
use rsa_group::group::{ModularGroup, Residue};

/// Evidence that an element is in a set: the accumulator value of the set without that element. A
/// hint, the offset of the element's prime, is included.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RsaWitness {
    residue: Residue,
    offset: u16,
}

impl RsaWitness {
    /// Creates the witness of an element. `offset` is the offset of the element's prime in its
    /// search window.
    pub(crate) const fn new(residue: Residue, offset: u16) -> Self {
        Self { residue, offset }
    }

    /// Returns the residue: the base `g`, raised to the product of the primes of all other
    /// elements.
    #[doc(hidden)]
    pub const fn residue(&self) -> &Residue {
        &self.residue
    }

    /// Returns the offset of the element's prime in its search window, which spares the verifier a
    /// search.
    #[doc(hidden)]
    pub const fn offset(&self) -> u16 {
        self.offset
    }
}

/// Commitment: a verified snapshot. Query: the element. Statement: its membership.
///
/// The verifier does not check that the prime is the first of its window. The value's exponent
/// contains only the first primes of the set's elements. Under the default rule, every prime of
/// this element's window belongs to this element, so a later prime has no witness. See
/// `representative`, also for rules whose windows overlap. Non-membership witnesses must use the
/// first prime, since any later one would pass.
///
/// Cost: one primality test and one power with a short exponent.
///
/// Source: Crosby & Wallach 2010, section 4.3; Tremel 2013, equation 4.
impl Proof for RsaWitness {
    type Commitment = Verified<Snapshot<Rsa>>;
    type Query = [u8];
    type Statement = Membership;
    type Error = VerifyError;

    fn check(
        self,
        commitment: &Verified<Snapshot<Rsa>>,
        element: &[u8],
    ) -> Result<Membership, VerifyError> {
        let snapshot = commitment.get();
        let group = snapshot.key.group();
        if !group.contains(&self.residue) {
            return Err(VerifyError::WrongAccumulator);
        }
        let represented = RsaElement::verified(&snapshot.key, element, self.offset)?;
        let power = group.power(self.residue.as_integer(), represented.prime());
        if !group.same(&power, snapshot.value.residue().as_integer()) {
            return Err(VerifyError::WitnessMismatch);
        }
        Ok(snapshot.membership(element))
    }
}

/// Layout: the residue, which is not 1 (big-endian, as long as the modulus), offset (2 bytes).
impl Wire for RsaWitness {
    type Context = RsaPublicKey;
    const KIND: u8 = wire::KIND_WITNESS;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        self.residue.write(bytes);
        bytes.extend_from_slice(&self.offset.to_be_bytes());
    }

    fn read(key: &RsaPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            residue: key.read_but_one(reader)?,
            offset: reader.u16()?,
        })
    }
}
