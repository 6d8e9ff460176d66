//! Proofs of exponentiation: that `base^x = result`, for an exponent that the verifier knows, in
//! the time of one small power.
//!
//! The prover raises `base` to `x div l` for a prime challenge `l`; the verifier reduces `x` modulo
//! `l`, which is linear in its length, and checks `quotient^l * base^(x mod l) = result`.
//!
//! **Sound** if nobody can compute an `l`-th root of a group element that he chose before he saw the
//! random prime `l` (the adaptive root assumption; Wesolowski 2018, Boneh, Bünz & Fisch 2019,
//! section 3.1). It fails in `Z_N*` itself, where `-1` is its own `l`-th root for every odd `l`: a
//! prover could pass off `-result`. Hence the quotient by `{1, -1}` (see
//! [`group`](super::group)), where that is the same element. Who knows the factors of `N` can prove
//! anything.
//!
//! **Challenge.** Uniform among the primes between 2^255 and 2^256: hashes of the transcript, with
//! the highest and the lowest bit set, until one is prime. Not the next prime above one hash: that
//! is likely in proportion to the gap below it, and would let an attacker bet on the primes above
//! the largest gaps. There are more than 2^247 such primes. An attacker who has raised an element
//! to the product of `M` of them and tries `T` transcripts wins with probability `T * M / 2^247`:
//! that is why the challenge has twice as many bits as the security level. The transcript holds
//! the accumulator's id (modulus, base and rule with it), the purpose, `base`, `result` and every
//! factor of `x`.
//!
//! Source: Wesolowski 2018, section 3; Boneh, Bünz & Fisch 2019, section 3.1 and appendix D.
//! Deviation: primes of 256 bits instead of the first 2^128 primes, for the non-interactive form.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use pad_core::{VerifyError, Workers};
use rsa_group::{
    exponentiation::{multi_power, product},
    group::Residue,
};
use rug::{Complete, Integer, integer::Order};

use super::{parameters::RsaPublicKey, primality::is_prime, sieve::has_small_factor};
use crate::{error::AccumulateError, scheme::PublicKey, transcript::Transcript};

/// Candidates for one challenge. About 89 are needed on average; that these are not enough has
/// probability below 2^-1000.
const CANDIDATES: u32 = 1 << 16;

/// The statement `base^x = result`, where `x` is the product of the factors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exponentiation<'a> {
    /// The accumulator: its group, and what the challenge is bound to.
    pub(super) key: &'a RsaPublicKey,
    /// What the proof is for. A proof for one purpose is none for another.
    pub(super) purpose: &'static str,
    /// The base; any element of the group.
    pub(super) base: &'a Residue,
    /// The factors of the exponent, none of them negative. Their order matters to the proof.
    pub(super) factors: &'a [&'a Integer],
    /// The power.
    pub(super) result: &'a Residue,
}

impl Exponentiation<'_> {
    /// `x div l`: the proof is the base raised to it.
    ///
    /// * Input: a true statement. What follows from a false one does not verify.
    /// * Cost: one challenge, one product of all factors; then one power as long as that.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`] if no challenge is found; see [`CANDIDATES`].
    pub(super) fn quotient_exponent(&self) -> Result<Integer, AccumulateError> {
        let challenge = self.challenge().ok_or(AccumulateError::FaultDetected)?;
        let factors = self.factors.iter().copied();
        Ok(product(factors, &Workers::sequential()) / challenge)
    }

    /// Checks the proof.
    ///
    /// Cost: one challenge, one division per factor, and one simultaneous power with two exponents
    /// of 256 bits, whatever the length of `x`.
    ///
    /// # Errors
    /// [`VerifyError::ExponentiationProofMismatch`].
    pub(super) fn verify(&self, quotient: &Residue) -> Result<(), VerifyError> {
        let mismatch = VerifyError::ExponentiationProofMismatch;
        let group = self.key.group();
        let challenge = self.challenge().ok_or(mismatch)?;
        let remainder = product_modulo(self.factors, &challenge);
        let bases = [
            quotient.as_integer().clone(),
            self.base.as_integer().clone(),
        ];
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

/// Adds a group element in its canonical form.
pub(super) fn absorb_residue(transcript: &mut Transcript, residue: &Residue) {
    let mut bytes = Vec::with_capacity(1024);
    residue.write(&mut bytes);
    transcript.absorb(&bytes);
}

/// A number below 2^128 that the transcript determines.
pub(super) fn half_challenge(transcript: &mut Transcript) -> Integer {
    let challenge = transcript.challenge();
    let (half, _) = challenge.split_at(16);
    Integer::from_digits(half, Order::Msf)
}

/// A prime between 2^255 and 2^256, each equally likely, that the transcript determines; `None`
/// with probability below 2^-1000.
///
/// Cost: about 89 hashes, and a dozen tests of primality for those without small factors.
pub(super) fn challenge_prime(transcript: &mut Transcript) -> Option<Integer> {
    (0..CANDIDATES)
        .map(|_| candidate(&transcript.challenge()))
        .find(|candidate| !has_small_factor(candidate) && is_prime(candidate))
        .map(|prime| Integer::from_digits(&prime, Order::Lsf))
}

/// The number with these 256 bits, of which the highest and the lowest are set, in little-endian
/// limbs.
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

/// The product of all factors modulo `modulus`; 1 modulo it without factors.
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
