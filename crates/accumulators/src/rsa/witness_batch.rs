//! Batch verification of membership witnesses.
//!
//! A witness `w_i` of the element with the prime `r_i` satisfies `w_i^(r_i) = value`. Instead of
//! these equations, one is checked. Its 128-bit coefficients `c_i` are hashes of all inputs:
//!
//! ```text
//! product of w_i^(c_i r_i) = value^(sum of c_i)
//! ```
//!
//! **Guarantee.** Let `e_i = w_i^(r_i) / value`; the equation states `product of e_i^(c_i) = 1`. An
//! `e_i` of small order `d` passes with probability `1/d`. A witness that is wrong by a square root
//! of 1 would pass every second time. In the quotient by `{1, -1}`, `-1` is equal to 1, and any
//! other square root of 1 gives the factors of `N`. An imported modulus may have other small
//! orders, but the guarantee needs no assumption about them.
//!
//! Suppose that for some choice of the other coefficients two values `c, c'` of `c_j` pass. Then
//! `e_j^(c - c') = 1`, which is `w_j^(r_j d) = value^d` with `0 < d < 2^128`. A representative is a
//! prime above 2^128, hence coprime to `d`. With `s r_j + t d = 1`,
//!
//! ```text
//! value = value^(s r_j + t d) = (value^s * w_j^(t d))^(r_j)
//! ```
//!
//! and the expression in brackets is a valid witness, computed from the witness that was sent. A
//! prover that passes with probability above 2^-128 therefore knows a witness of every element.
//! *Membership* is established without any assumption on small orders. (Coefficients wider than
//! representatives would lose this.)
//!
//! **Not guaranteed**: that each witness of an accepted batch verifies on its own. A prover that
//! knows an element of small order and the right witness can send a witness that is wrong by that
//! element. Do not forward a witness because its batch was accepted.
//!
//! Each coefficient is a separate hash of the transcript and its position. The argument varies one
//! coefficient and fixes the others, so it concerns single outputs of the hash.
//!
//! Source: Bellare, Garay & Rabin 1998, "Fast batch verification for modular exponentiation and
//! digital signatures" (small exponents). Boyd & Pavlovski 2000, "Attacking and repairing batch
//! verification schemes" (the problem of small orders). The repair is ours.

use pad_core::{Proof, Verified, VerifyError};
use rsa_group::{exponentiation::multi_power, group::ModularGroup as _};
use rug::Integer;

use super::{
    Rsa,
    element::RsaElement,
    proof_of_exponentiation::{absorb_residue, half_challenge},
    witness::RsaWitness,
};
use crate::{
    scheme::{Element as _, PublicKey as _},
    snapshot::Snapshot,
    statement::SubsetMembership,
    transcript::Transcript,
};

/// One membership witness for each element of a list, verified together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsaWitnessBatch(Vec<RsaWitness>);

impl From<Vec<RsaWitness>> for RsaWitnessBatch {
    fn from(witnesses: Vec<RsaWitness>) -> Self {
        Self(witnesses)
    }
}

/// Commitment: a verified snapshot. Query: the elements, in the order of the witnesses. Statement:
/// the membership of all these elements, in that order. A query may repeat an element, so the
/// length of the statement is not a number of members.
///
/// Cost per witness of a large batch: one primality test, one hash, and a fifth of the power that
/// verifies a single witness.
///
/// Errors:
/// * [`VerifyError::InvalidQuery`] if the query is empty.
/// * [`VerifyError::CountMismatch`] unless there is one witness for each element.
/// * [`VerifyError::WrongAccumulator`] if a residue does not fit the group in length or range.
/// * [`VerifyError::OffsetOutsideWindow`] or [`VerifyError::NotAPrimeRepresentative`] if the number
///   at an offset has too many bits for the rule or is not a prime.
/// * [`VerifyError::WitnessMismatch`] if any witness is wrong. The error does not name its
///   position.
impl Proof for RsaWitnessBatch {
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
        if elements.is_empty() {
            return Err(VerifyError::InvalidQuery);
        }
        if self.0.len() != elements.len() {
            return Err(VerifyError::CountMismatch);
        }
        let group = snapshot.key.group();
        let mut residues = self.0.iter().map(RsaWitness::residue);
        if !residues.all(|residue| group.contains(residue)) {
            return Err(VerifyError::WrongAccumulator);
        }
        let offsets = self.0.iter().map(RsaWitness::offset);
        let names = elements.iter().map(Vec::as_slice);
        let members = RsaElement::all_verified(&snapshot.key, names, offsets)?;
        if !self.holds_for(snapshot, &members) {
            return Err(VerifyError::WitnessMismatch);
        }
        Ok(snapshot.subset_membership(elements))
    }
}

impl RsaWitnessBatch {
    /// Returns whether the product of `w_i^(c_i r_i)` is the value raised to the sum of the `c_i`.
    /// Here `w_i` are the witnesses, `r_i` their primes, and `c_i` random coefficients.
    fn holds_for(&self, snapshot: &Snapshot<Rsa>, members: &[RsaElement]) -> bool {
        let group = snapshot.key.group();
        let value = snapshot.value.residue().as_integer();
        let coefficients = self.coefficients(snapshot, members);
        let exponents = members.iter().zip(&coefficients);
        let exponents = exponents.map(|(member, by)| Integer::from(member.prime() * by));
        let exponents: Vec<Integer> = exponents.collect();
        let bases = self.0.iter().map(|witness| witness.residue().as_integer());
        let bases: Vec<Integer> = bases.cloned().collect();
        let left = multi_power(group, &bases, &exponents);
        let right = group.power(value, &coefficients.iter().sum());
        group.same(&left, &right)
    }

    /// Derives a coefficient of 128 bits for each witness, as a hash of all inputs of the equation.
    fn coefficients(&self, snapshot: &Snapshot<Rsa>, members: &[RsaElement]) -> Vec<Integer> {
        let id = snapshot.key.id();
        let mut transcript = Transcript::new(id, "rsa: witness batch");
        transcript.absorb(&snapshot.version.number().to_be_bytes());
        absorb_residue(&mut transcript, snapshot.value.residue());
        for (member, witness) in members.iter().zip(&self.0) {
            transcript.absorb(member.digest().as_bytes());
            transcript.absorb(&member.offset().to_be_bytes());
            absorb_residue(&mut transcript, witness.residue());
        }
        let seed = transcript.challenge();
        (0_u64..)
            .zip(members)
            .map(|(position, _)| {
                let parts: [&[u8]; 2] = [&seed, &position.to_be_bytes()];
                let statement = "rsa: witness batch, coefficient";
                half_challenge(&mut Transcript::of(id, statement, &parts))
            })
            .collect()
    }
}
