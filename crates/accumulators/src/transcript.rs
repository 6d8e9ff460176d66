//! Fiat-Shamir transcripts: challenges that depend on all previous inputs.

use alloc::vec::Vec;

#[cfg(feature = "bilinear")]
use ark_ff::PrimeField;
use pad_core::{Sha256Ed25519, Suite, internals::Domain};

use crate::element::AccumulatorId;
#[cfg(feature = "bilinear")]
use crate::element::ElementDigest;

/// Absorbs the inputs of a proof and derives challenges from them.
///
/// Every input is prefixed by its length, so different sequences of inputs give different
/// transcripts. A transcript starts with the accumulator's id and the name of the statement. The id
/// determines the scheme and its parameters: modulus, base and rule (RSA), or curve and powers
/// (bilinear maps). A challenge is the hash of all inputs so far, and becomes an input itself.
#[derive(Clone, Debug)]
pub struct Transcript {
    absorbed: Vec<u8>,
}

impl Transcript {
    /// Starts a transcript for one kind of statement, with the name `statement`, about one
    /// accumulator.
    pub fn new(accumulator: AccumulatorId, statement: &str) -> Self {
        let mut transcript = Self {
            absorbed: Vec::with_capacity(1024),
        };
        transcript.absorb(&accumulator.to_bytes());
        transcript.absorb(statement.as_bytes());
        transcript
    }

    /// Starts a transcript like [`Transcript::new`], and adds the inputs `parts`.
    pub fn of(accumulator: AccumulatorId, statement: &str, parts: &[&[u8]]) -> Self {
        let mut transcript = Self::new(accumulator, statement);
        for part in parts {
            transcript.absorb(part);
        }
        transcript
    }

    /// Adds an input. All later challenges depend on it.
    pub fn absorb(&mut self, part: &[u8]) {
        let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
        self.absorbed.extend_from_slice(&length.to_be_bytes());
        self.absorbed.extend_from_slice(part);
    }

    /// Derives a challenge of 32 bytes from all inputs and challenges so far.
    pub fn challenge(&mut self) -> [u8; 32] {
        let digest = Sha256Ed25519::hash(Domain::AccumulatorTranscript, &[&self.absorbed]);
        self.absorbed.clear();
        self.absorb(&digest.0);
        digest.0
    }

    /// Derives a challenge that is a scalar of BLS12-381: 64 bytes expanded from a challenge,
    /// modulo the group order.
    #[cfg(feature = "bilinear")]
    pub fn challenge_scalar(&mut self) -> ark_bls12_381::Fr {
        let seed = ElementDigest::from_bytes(self.challenge());
        ark_bls12_381::Fr::from_be_bytes_mod_order(&seed.expand::<64>())
    }
}

#[cfg(test)]
mod tests {
    use pad_core::SchemeId;

    use super::*;

    #[test]
    fn every_part_and_its_borders_change_the_challenge() {
        let id = AccumulatorId::derive(SchemeId(1), &[0; 32], b"one");
        let other = AccumulatorId::derive(SchemeId(1), &[0; 32], b"two");
        let challenge = |id, statement: &str, parts: &[&[u8]]| {
            let mut transcript = Transcript::of(id, statement, parts);
            (transcript.challenge(), transcript.challenge())
        };
        let all = [
            challenge(id, "s", &[b"ab", b"c"]),
            challenge(id, "s", &[b"a", b"bc"]),
            challenge(id, "s", &[b"abc"]),
            challenge(id, "t", &[b"ab", b"c"]),
            challenge(other, "s", &[b"ab", b"c"]),
            challenge(id, "s", &[b"ab", b"c", b""]),
        ];
        let distinct = all.iter().flat_map(|(first, second)| [first, second]);
        let distinct: std::collections::HashSet<_> = distinct.collect();
        assert_eq!(distinct.len(), 2 * all.len());
    }
}
