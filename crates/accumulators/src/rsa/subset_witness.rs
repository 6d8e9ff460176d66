//! Subset witnesses: one residue and one proof of exponentiation for many elements.
//!
//! `W` is `g`, raised to the product of the representatives outside the subset. So `W^x = value`
//! for the product `x` of the subset's representatives. Raising `W` to `x` costs as much as
//! verifying all elements one by one. A [proof of
//! exponentiation](crate::rsa::proof_of_exponentiation) replaces it with one short power. A subset
//! of one element needs no such proof: its subset witness is a membership witness.
//!
//! Suppose a prover presents `W^x = value` for an `x` with a prime factor `r` that was not
//! accumulated. The prover then has an `r`-th root of a power of `g` with an exponent coprime to
//! `r`. This gives an `r`-th root of `g`, against the strong RSA assumption.
//!
//! Source: Boneh, Bünz & Fisch 2019, sections 3.1 and 4.2.

use pad_core::{DecodeError, Proof, Verified, VerifyError};
use rsa_group::group::{ModularGroup as _, Residue};
use rug::Integer;

use super::{
    Rsa,
    element::RsaElement,
    parameters::{RsaPublicKey, SCHEME},
    proof_of_exponentiation::Exponentiation,
    value::RsaValue,
};
use crate::{
    error::AccumulateError,
    scheme::PublicKey as _,
    snapshot::Snapshot,
    statement::SubsetMembership,
    wire::{self, Reader, Wire},
};

/// Purpose in the proofs of exponentiation that belong to subset witnesses. No other proof has this
/// purpose.
const SUBSET: &str = "rsa: subset witness";

/// Evidence that all elements of a list are in a set. It contains the accumulator value of the set
/// without these elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsaSubsetWitness {
    /// The residue `W`: the value of the set without the elements of the list.
    pub(super) residue: Residue,
    /// Offsets of the elements' primes, in ascending order of the elements' digests.
    pub(super) offsets: Vec<u16>,
    /// The proof of exponentiation, unless there is only one element.
    pub(super) quotient: Option<Residue>,
}

impl RsaSubsetWitness {
    /// Creates a witness from its residue `W` for the elements `members`. For several elements,
    /// this includes the proof of exponentiation. `power_of_residue` raises `W` to a nonnegative
    /// exponent.
    pub(super) fn assemble(
        key: &RsaPublicKey,
        value: &RsaValue,
        residue: Residue,
        members: &[&RsaElement],
        power_of_residue: impl FnOnce(&Integer) -> Result<Residue, AccumulateError>,
    ) -> Result<Self, AccumulateError> {
        let factors: Vec<&Integer> = members.iter().map(|member| member.prime()).collect();
        let quotient = if factors.len() == 1 {
            None
        } else {
            let statement = Exponentiation {
                key,
                purpose: SUBSET,
                base: &residue,
                factors: &factors,
                result: value.residue(),
            };
            Some(power_of_residue(&statement.quotient_exponent()?)?)
        };
        Ok(Self {
            residue,
            offsets: members.iter().map(|member| member.offset()).collect(),
            quotient,
        })
    }

    /// Checks that `W`, raised to the product of the elements' primes, is `value`.
    pub(super) fn verify_equation(
        &self,
        key: &RsaPublicKey,
        value: &RsaValue,
        primes: &[&Integer],
    ) -> Result<(), VerifyError> {
        let group = key.group();
        let value = value.residue();
        match (primes, &self.quotient) {
            ([prime], None) => {
                let power = group.power(self.residue.as_integer(), prime);
                if group.same(&power, value.as_integer()) {
                    Ok(())
                } else {
                    Err(VerifyError::WitnessMismatch)
                }
            }
            ([_, _, ..], Some(quotient)) => Exponentiation {
                key,
                purpose: SUBSET,
                base: &self.residue,
                factors: primes,
                result: value,
            }
            .verify(quotient),
            _ => Err(VerifyError::CountMismatch),
        }
    }
}

/// Commitment: a verified snapshot. Query: the elements, strictly ascending. Statement: the
/// membership of all these elements.
///
/// Cost: one primality test for each element, one challenge, and one simultaneous power with two
/// exponents of 256 bits.
///
/// Errors:
/// * [`VerifyError::InvalidQuery`] if the query is empty, out of order, or contains a duplicate.
/// * [`VerifyError::CountMismatch`] unless there is one offset for each element.
/// * [`VerifyError::WrongAccumulator`] if a residue does not fit the group in length or range.
/// * [`VerifyError::OffsetOutsideWindow`] or [`VerifyError::NotAPrimeRepresentative`] if the number
///   at an offset has too many bits for the rule or is not a prime.
/// * If the equation does not hold: [`VerifyError::WitnessMismatch`] for one element,
///   [`VerifyError::ExponentiationProofMismatch`] for several.
impl Proof for RsaSubsetWitness {
    type Commitment = Verified<Snapshot<Rsa>>;
    type Query = [Vec<u8>];
    type Statement = SubsetMembership;
    type Error = VerifyError;

    fn check(
        self,
        commitment: &Verified<Snapshot<Rsa>>,
        elements: &[Vec<u8>],
    ) -> Result<SubsetMembership, VerifyError> {
        let snapshot = commitment.get();
        if elements.is_empty() || !elements.is_sorted_by(|left, right| left < right) {
            return Err(VerifyError::InvalidQuery);
        }
        if self.offsets.len() != elements.len() {
            return Err(VerifyError::CountMismatch);
        }
        let group = snapshot.key.group();
        let mut residues = [&self.residue].into_iter().chain(&self.quotient);
        if !residues.all(|residue| group.contains(residue)) {
            return Err(VerifyError::WrongAccumulator);
        }
        let id = snapshot.key.id();
        let mut by_digest: Vec<&[u8]> = elements.iter().map(Vec::as_slice).collect();
        by_digest.sort_by_cached_key(|element| id.digest_of(element));
        let offsets = self.offsets.iter().copied();
        let members = RsaElement::all_verified(&snapshot.key, by_digest, offsets)?;
        let primes: Vec<&Integer> = members.iter().map(RsaElement::prime).collect();
        self.verify_equation(&snapshot.key, &snapshot.value, &primes)?;
        Ok(snapshot.subset_membership(elements))
    }
}

/// Layout:
/// * number of elements (4 bytes, not 0);
/// * offset of each element (2), in ascending order of the elements' digests;
/// * `W`, not 1;
/// * the proof of exponentiation, if there are at least two elements.
impl Wire for RsaSubsetWitness {
    type Context = RsaPublicKey;
    const KIND: u8 = wire::KIND_SUBSET_WITNESS;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        wire::write_count(self.offsets.len(), bytes);
        for offset in &self.offsets {
            bytes.extend_from_slice(&offset.to_be_bytes());
        }
        self.residue.write(bytes);
        if let Some(quotient) = &self.quotient {
            quotient.write(bytes);
        }
    }

    fn read(key: &RsaPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = reader.count(2)?;
        if count == 0 {
            return Err(DecodeError::Malformed);
        }
        let offsets = (0..count).map(|_| reader.u16()).collect::<Result<_, _>>()?;
        let residue = key.read_but_one(reader)?;
        let quotient = if count == 1 {
            None
        } else {
            Some(key.read_residue(reader)?)
        };
        Ok(Self {
            residue,
            offsets,
            quotient,
        })
    }
}
