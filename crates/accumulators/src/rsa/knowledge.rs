//! Proofs of knowledge of an exponent: that a later value holds everything of an earlier one.
//!
//! If `earlier^x = later`, then a witness `W` of any element in the earlier set, `W^r = earlier`,
//! gives the witness `W^x` in the later set. So whoever knows such an `x`, the product of the
//! representatives that were added, could not have removed anything in between. An
//! [`ExtensionProof`] shows that its maker knows `x`, in constant size and constant time to verify,
//! without sending it.
//!
//! **Against whom.** It binds an author (or server) who does *not* know the factors of the modulus:
//! values over a modulus that nobody can factor. Who holds the secret key knows an exponent between
//! any two values, and this proof says nothing about him.
//!
//! **What it is not.** The exponent need not be positive, nor a product of representatives: the
//! conclusion above holds for every integer. The later value may hold more than any list of elements
//! says; the value 1 "holds" everything, and extends every value. And nothing is hidden from who can
//! guess the added elements: he computes `x` and compares. The proof tells him no more than
//! the two values do, but for `x mod l`, 256 bits of a number that he cannot guess.
//!
//! **Protocol** (`PoKE2`): the transcript of both values gives a second base `h`; the prover commits
//! to `z = h^x`; the transcript gives a prime `l` and a number `alpha`; the prover sends
//! `Q = (earlier * h^alpha)^(x div l)` and `x mod l`. The verifier checks that the remainder is
//! reduced and `Q^l * (earlier * h^alpha)^(x mod l) = later * z^alpha`.
//!
//! The plain protocol without `h` is unsound: with bases that the prover may choose, such as two
//! powers of one element with known exponents, he passes it with an exponent that is a fraction. `h`
//! stops that because it was not known when the values were: it must be hashed from *them*. One
//! `h` for all statements would be a base that the prover may build values from. It is a square, so
//! that it lies in the subgroup without small orders when `N` is a product of safe primes.
//! `alpha` has 128 bits: a false `z` passes for one `alpha` only. `l` has 256; see
//! `proof_of_exponentiation`, which also says why the group is the
//! quotient by `{1, -1}`.
//!
//! Source: Boneh, Bünz & Fisch 2019, section 3.2 (protocol `PoKE2`) and appendix D.
//! Deviation: the second base is a square from a hash of the statement; challenges as in
//! `proof_of_exponentiation`.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use pad_core::{DecodeError, Proof, Verified, VerifyError, Version, Workers};
use rug::{Integer, integer::Order};

use super::{
    Rsa,
    element::RsaElement,
    exponentiation::{multi_power, product},
    group::{ModularGroup, Residue, ResidueGroup, write_fixed},
    parameters::{RsaPublicKey, SCHEME},
    proof_of_exponentiation::{absorb_residue, challenge_prime, half_challenge},
};
use crate::{
    accumulator::PublicKey,
    element::{AccumulatorId, ElementDigest},
    error::AccumulateError,
    snapshot::Snapshot,
    transcript::Transcript,
    wire::{self, Reader, Wire},
};

/// The length of an encoded remainder in bytes: that of challenge primes.
const REMAINDER_LENGTH: usize = 32;

/// Two verified values of one accumulator.
#[derive(Clone, Debug)]
pub struct SnapshotPair {
    /// The value that must be contained.
    pub earlier: Verified<Snapshot<Rsa>>,
    /// The value that must contain it.
    pub later: Verified<Snapshot<Rsa>>,
}

/// Everything in the set of the earlier version is in the set of the later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The accumulator.
    pub accumulator: AccumulatorId,
    /// The version that is contained.
    pub earlier: Version,
    /// The version that contains it.
    pub later: Version,
}

/// Evidence that the later of two values holds everything of the earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionProof {
    /// `z`: the second base to the exponent.
    commitment: Residue,
    /// `Q`.
    quotient: Residue,
    /// `x mod l`. Not checked before `check`.
    remainder: Integer,
}

impl ExtensionProof {
    /// The proof that `later` is `earlier` with these elements added.
    ///
    /// Cost: two powers with an exponent as long as the product of the added representatives, and a
    /// verification.
    ///
    /// # Errors
    /// [`AccumulateError::WrongAccumulator`] if the two are of different accumulators;
    /// [`AccumulateError::WitnessMismatch`] if the elements do not lead from one value to the other.
    pub fn new(
        earlier: &Snapshot<Rsa>,
        later: &Snapshot<Rsa>,
        added: &[RsaElement],
    ) -> Result<Self, AccumulateError> {
        if earlier.key.id() != later.key.id() {
            return Err(AccumulateError::WrongAccumulator);
        }
        let group = earlier.key.group();
        let exponent = product(added.iter().map(RsaElement::prime), &Workers::sequential());
        let (mut transcript, second) = second_base(earlier, later);
        let commitment = group.canonical(group.power(&second, &exponent));
        let challenge =
            Challenge::draw(&mut transcript, &commitment).ok_or(AccumulateError::FaultDetected)?;
        let base = challenge.combined_base(group, earlier, &second);
        let (quotient, remainder) = exponent.div_rem(challenge.prime);
        let proof = Self {
            commitment,
            quotient: group.canonical(group.power(&base, &quotient)),
            remainder,
        };
        proof
            .verify_equation(earlier, later)
            .map_err(|_| AccumulateError::WitnessMismatch)?;
        Ok(proof)
    }

    /// Checks `Q^l * (earlier * h^alpha)^(x mod l) = later * z^alpha` and `x mod l < l`.
    fn verify_equation(
        &self,
        earlier: &Snapshot<Rsa>,
        later: &Snapshot<Rsa>,
    ) -> Result<(), VerifyError> {
        let group = earlier.key.group();
        let (mut transcript, second) = second_base(earlier, later);
        let challenge = Challenge::draw(&mut transcript, &self.commitment)
            .ok_or(VerifyError::ExponentiationProofMismatch)?;
        if self.remainder >= challenge.prime {
            return Err(VerifyError::RemainderOutOfRange);
        }
        let base = challenge.combined_base(group, earlier, &second);
        let bases = [self.quotient.as_integer().clone(), base];
        let exponents = [challenge.prime, self.remainder.clone()];
        let left = multi_power(group, &bases, &exponents);
        let right = group.power(self.commitment.as_integer(), &challenge.alpha);
        let right = group.multiply(&right, later.value.residue().as_integer());
        if group.same(&left, &right) {
            Ok(())
        } else {
            Err(VerifyError::ExponentiationProofMismatch)
        }
    }
}

/// Commitment: the two values. Query: none. Statement: that the later one extends the earlier.
///
/// Cost: one challenge, one simultaneous power with two exponents of 256 bits, two powers with 128.
///
/// Errors: [`VerifyError::WrongAccumulator`]; [`VerifyError::Rollback`] if the later version is the
/// smaller one; [`VerifyError::Fork`] for two values of one version;
/// [`VerifyError::RemainderOutOfRange`]; [`VerifyError::ExponentiationProofMismatch`].
impl Proof for ExtensionProof {
    type Commitment = SnapshotPair;
    type Query = ();
    type Statement = Extension;

    fn check(self, values: &SnapshotPair, (): &()) -> Result<Extension, VerifyError> {
        let (earlier, later) = (values.earlier.get(), values.later.get());
        let group = earlier.key.group();
        let known = group.contains(&self.commitment) && group.contains(&self.quotient);
        if earlier.key.id() != later.key.id() || !known {
            return Err(VerifyError::WrongAccumulator);
        }
        if later.version < earlier.version {
            return Err(VerifyError::Rollback {
                seen: earlier.version,
                offered: later.version,
            });
        }
        if later.version == earlier.version && later.value != earlier.value {
            return Err(VerifyError::Fork(later.version));
        }
        self.verify_equation(earlier, later)?;
        Ok(Extension {
            accumulator: earlier.key.id(),
            earlier: earlier.version,
            later: later.version,
        })
    }
}

/// `z`, `Q` (each as long as the modulus), `x mod l` (32 bytes).
impl Wire for ExtensionProof {
    type Context = RsaPublicKey;
    const KIND: u8 = wire::KIND_KNOWLEDGE_PROOF;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        self.commitment.write(bytes);
        self.quotient.write(bytes);
        write_fixed(&self.remainder, REMAINDER_LENGTH, bytes);
    }

    fn read(key: &RsaPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            commitment: key.group().read(reader)?,
            quotient: key.group().read(reader)?,
            remainder: Integer::from_digits(reader.take(REMAINDER_LENGTH)?, Order::Msf),
        })
    }
}

/// What the verifier would answer to the commitment.
struct Challenge {
    /// `l`.
    prime: Integer,
    alpha: Integer,
}

impl Challenge {
    fn draw(transcript: &mut Transcript, commitment: &Residue) -> Option<Self> {
        absorb_residue(transcript, commitment);
        Some(Self {
            alpha: half_challenge(transcript),
            prime: challenge_prime(transcript)?,
        })
    }

    /// `earlier * h^alpha`.
    fn combined_base(
        &self,
        group: &ResidueGroup,
        earlier: &Snapshot<Rsa>,
        second: &Integer,
    ) -> Integer {
        group.multiply(
            &group.power(second, &self.alpha),
            earlier.value.residue().as_integer(),
        )
    }
}

/// The transcript of the statement, and the base `h` that follows from it.
fn second_base(earlier: &Snapshot<Rsa>, later: &Snapshot<Rsa>) -> (Transcript, Integer) {
    /// 128 bits more than the largest modulus, so that the reduction is close to uniform.
    const BYTES: usize = 8192 / 8 + 16;
    let mut transcript = Transcript::new(earlier.key.id(), "rsa: extension");
    for snapshot in [earlier, later] {
        transcript.absorb(&snapshot.version.number().to_be_bytes());
        absorb_residue(&mut transcript, snapshot.value.residue());
    }
    let seed = ElementDigest::from_bytes(transcript.challenge());
    let group = earlier.key.group();
    let root = Integer::from_digits(&seed.expand::<BYTES>(), Order::Msf) % group.modulus();
    (transcript, group.square(&root))
}

#[cfg(test)]
mod tests;
