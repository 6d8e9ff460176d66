//! Proofs of exponentiation: `base^x = result` for a known exponent, verified with one short power.
//!
//! The prover raises `base` to `x div l` for a prime challenge `l`. The verifier reduces `x` modulo
//! `l` in time linear in its length. It then checks `quotient^l * base^(x mod l) = result`.
//!
//! **Sound** if no attacker can compute an `l`-th root of a group element chosen before the random
//! prime `l`. This is the adaptive root assumption (Wesolowski 2018; Boneh, Bünz & Fisch 2019,
//! section 3.1).
//!
//! The assumption fails in `Z_N*` itself, where `-1` is its own `l`-th root for every odd `l`: a
//! prover could pass off `-result`. The group is therefore the quotient by `{1, -1}` (see
//! [`rsa_group::group`]), where `result` and `-result` are equal. With the factors of `N`, any
//! statement can be proved.
//!
//! **Challenge.** Uniform among the primes between 2^255 and 2^256. The transcript is hashed, with
//! the highest and the lowest bit set, until the result is prime. The next prime above a single
//! hash would not be uniform: its probability would be proportional to the gap below it. An
//! attacker could then bet on the primes above the largest gaps.
//!
//! There are more than 2^247 such primes. An attacker that has raised an element to the product of
//! `M` of them and tries `T` transcripts forges a proof with probability `T * M / 2^247`. The
//! challenge therefore has twice as many bits as the security level. The transcript contains the
//! accumulator's id (with modulus, base and rule), the purpose, `base`, `result` and every factor
//! of `x`.
//!
//! Source: Wesolowski 2018, section 3; Boneh, Bünz & Fisch 2019, section 3.1 and appendix D.
//! Deviation: primes of 256 bits instead of the first 2^128 primes, for the non-interactive form.

use pad_core::{VerifyError, Workers};
use rsa_group::{
    exponentiation::{multi_power, product},
    group::Residue,
};
use rug::{Complete, Integer, integer::Order};

use super::{parameters::RsaPublicKey, primality::is_prime, sieve::has_small_factor};
use crate::{error::AccumulateError, scheme::PublicKey, transcript::Transcript};

/// Maximum number of hashes that are tried for one prime challenge. About 89 are needed on average.
/// More than the maximum are needed with probability below 2^-1000.
const CANDIDATES: u32 = 1 << 16;

/// The statement `base^x = result` that a proof of exponentiation proves. `x` is the product of
/// `factors`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exponentiation<'a> {
    /// The key of the accumulator. It determines the group, and the challenge covers its id.
    pub(super) key: &'a RsaPublicKey,
    /// Name for the use of the proof, which the challenge covers. A proof is valid for one purpose
    /// only.
    pub(super) purpose: &'static str,
    /// The base; any element of the group.
    pub(super) base: &'a Residue,
    /// Nonnegative factors of the exponent. The challenge covers their order, so a proof is valid
    /// for one order only.
    pub(super) factors: &'a [&'a Integer],
    /// The claimed power `base^x`.
    pub(super) result: &'a Residue,
}

impl Exponentiation<'_> {
    /// Computes `x div l` for the challenge `l`. The proof is the base raised to this exponent.
    ///
    /// The statement must be true; a proof derived from a false statement does not verify. The
    /// caller raises the base to the exponent. Cost: one challenge and one product of all factors.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`] if no challenge is found; see [`CANDIDATES`].
    pub(super) fn quotient_exponent(&self) -> Result<Integer, AccumulateError> {
        let challenge = self.challenge().ok_or(AccumulateError::FaultDetected)?;
        let factors = self.factors.iter().copied();
        Ok(product(factors, &Workers::sequential()) / challenge)
    }

    /// Checks the proof `quotient`, which should be `base^(x div l)` for the challenge `l`.
    ///
    /// Cost: one challenge, one division per factor, and one simultaneous power with two exponents
    /// of 256 bits. The power does not depend on the length of `x`.
    ///
    /// # Errors
    /// [`VerifyError::ExponentiationProofMismatch`] if the equation does not hold, or no challenge
    /// is found.
    pub(super) fn verify(&self, quotient: &Residue) -> Result<(), VerifyError> {
        let mismatch = VerifyError::ExponentiationProofMismatch;
        let group = self.key.group();
        let challenge = self.challenge().ok_or(mismatch)?;
        let remainder = product_modulo(self.factors, &challenge);
        let bases = [quotient, self.base].map(|base| base.as_integer().clone());
        let power = multi_power(group, &bases, &[challenge, remainder]);
        if group.same(&power, self.result.as_integer()) {
            Ok(())
        } else {
            Err(mismatch)
        }
    }

    fn challenge(&self) -> Option<Integer> {
        let mut transcript = Transcript::new(self.key.id(), self.purpose);
        absorb_residue(&mut transcript, self.base);
        absorb_residue(&mut transcript, self.result);
        for factor in self.factors {
            transcript.absorb(&factor.to_digits::<u8>(Order::Msf));
        }
        challenge_prime(&mut transcript)
    }
}

/// Adds a group element, encoded in its canonical form, to the hashed transcript.
pub(super) fn absorb_residue(transcript: &mut Transcript, residue: &Residue) {
    let mut bytes = Vec::with_capacity(1024);
    residue.write(&mut bytes);
    transcript.absorb(&bytes);
}

/// Derives a challenge below 2^128, half of a full challenge, from the transcript.
pub(super) fn half_challenge(transcript: &mut Transcript) -> Integer {
    let challenge = transcript.challenge();
    let (half, _) = challenge.split_at(16);
    Integer::from_digits(half, Order::Msf)
}

/// Derives a uniform prime between 2^255 and 2^256 from the transcript. Returns `None` with
/// probability below 2^-1000.
///
/// Cost: about 89 hashes, and some 17 tests of primality, for the hashes without small factors.
pub(super) fn challenge_prime(transcript: &mut Transcript) -> Option<Integer> {
    (0..CANDIDATES)
        .map(|_| candidate(&transcript.challenge()))
        .find(|candidate| !has_small_factor(candidate) && is_prime(candidate))
        .map(|prime| Integer::from_digits(&prime, Order::Lsf))
}

/// Converts a hash to a candidate for a prime challenge: sets the highest and the lowest bit, and
/// returns little-endian limbs.
fn candidate(bytes: &[u8; 32]) -> [u64; 4] {
    let (limbs, _) = bytes.as_chunks::<8>();
    let mut candidate = [0; 4];
    for (limb, bytes) in candidate.iter_mut().zip(limbs) {
        *limb = u64::from_le_bytes(*bytes);
    }
    let [lowest, .., highest] = &mut candidate;
    *lowest |= 1;
    *highest |= 1 << 63;
    candidate
}

/// Computes the product of all factors modulo `modulus`; without factors, 1 modulo `modulus`.
pub(super) fn product_modulo(factors: &[&Integer], modulus: &Integer) -> Integer {
    let one = Integer::from(1) % modulus;
    factors.iter().fold(one, |product, factor| {
        (product * factor.modulo_ref(modulus).complete()).modulo(modulus)
    })
}

#[cfg(test)]
pub(super) mod fixture;
#[cfg(test)]
mod tests;
