//! Parameters of the bilinear accumulator: powers of a secret `s` in the groups G1 and G2 of
//! BLS12-381.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use ark_bls12_381::{Fr, G1Affine, G2Affine, G2Projective, g1, g2};
use ark_ec::{AffineRepr, short_weierstrass::Affine};
use bls12::{
    curve::Curve,
    pairing::pairs_to_one,
    point::{self, G1_BYTES, G2_BYTES},
    public,
    quotient::Quotients,
};
use pad_core::{DecodeError, Sha256Ed25519, Suite, Workers, internals::Domain};

use super::small_sum::small_sum;
use crate::{
    element::SchemeId,
    scheme,
    wire::{self, Reader, Wire},
};

/// The number that identifies the bilinear scheme in the ids of accumulators and in encoded
/// messages.
pub(crate) const SCHEME: SchemeId = scheme::BILINEAR;

/// Powers of a secret `s`, with a name for their purpose: `[s^i]_1` up to the largest set and
/// `[s^i]_2` up to the largest subset.
///
/// Parameters from messages and from ceremony files pass the same check. The powers must begin with
/// the generators and be the powers of one `s` in both groups. [`Parameters::for_claims`] and
/// [`Parameters::from_kept`] skip this check. No check proves that `s` is unknown, and a party that
/// knows `s` can forge everything. The check refuses guessable secrets: numbers up to
/// [`GUESSED`](super::GUESSED), their negatives, and roots of unity whose order is at most the
/// number of powers, or even and at most twice that number.
///
/// The fingerprint, and with it every accumulator's id, covers `[s]_2` and the purpose. These
/// determine all powers, so parameters with more or fewer powers are interchangeable. A client
/// needs only [`Parameters::for_verification`].
pub struct Parameters {
    powers_g1: Vec<G1Affine>,
    powers_g2: Vec<G2Affine>,
    quotients: Quotients,
    purpose: String,
    fingerprint: [u8; 32],
}

impl Parameters {
    /// Maximum length in bytes of [`Parameters::purpose`], the name for the use of the parameters.
    pub const MAX_PURPOSE: usize = 64;

    /// Creates parameters from powers, which must be points of the subgroups other than the
    /// identity.
    ///
    /// Cost: one multi-scalar multiplication per group, two products of two pairings.
    ///
    /// # Errors
    /// * [`DecodeError::ParametersInvalid`] for fewer than two powers in a group, or if the first
    ///   powers are not the generators. The same error is returned if the powers are not those of
    ///   one secret, or the purpose does not have 1 to 64 bytes.
    /// * [`DecodeError::SecretGuessable`] if the secret is guessable.
    pub(crate) fn new(
        powers_g1: Vec<G1Affine>,
        powers_g2: Vec<G2Affine>,
        purpose: &str,
        workers: &Workers,
    ) -> Result<Self, DecodeError> {
        let parameters = Self::unchecked(powers_g1, powers_g2, purpose)?;
        if !parameters.are_consistent(workers) {
            return Err(DecodeError::ParametersInvalid);
        }
        if parameters.is_guessable() {
            return Err(DecodeError::SecretGuessable);
        }
        Ok(parameters)
    }

    /// Creates parameters without checking the powers above the generators.
    ///
    /// # Errors
    /// [`DecodeError::ParametersInvalid`] for fewer than two powers in a group, if the first powers
    /// are not the generators, or if the purpose does not have 1 to 64 bytes.
    pub(super) fn unchecked(
        powers_g1: Vec<G1Affine>,
        powers_g2: Vec<G2Affine>,
        purpose: &str,
    ) -> Result<Self, DecodeError> {
        match (&*powers_g1, &*powers_g2) {
            ([first_g1, _, ..], [first_g2, s_g2, ..])
                if *first_g1 == G1Affine::generator()
                    && *first_g2 == G2Affine::generator()
                    && (1..=Self::MAX_PURPOSE).contains(&purpose.len()) =>
            {
                let s_g2 = *s_g2;
                Ok(Self::assemble(powers_g1, powers_g2, s_g2, purpose))
            }
            _ => Err(DecodeError::ParametersInvalid),
        }
    }

    /// Creates parameters without checking the powers. `s_g2` is `[s]_2`, which `powers_g2` may
    /// lack.
    pub(super) fn assemble(
        powers_g1: Vec<G1Affine>,
        powers_g2: Vec<G2Affine>,
        s_g2: G2Affine,
        purpose: &str,
    ) -> Self {
        Self {
            quotients: Quotients::new(s_g2),
            fingerprint: fingerprint(&s_g2, purpose),
            powers_g1,
            powers_g2,
            purpose: purpose.to_owned(),
        }
    }

    /// Returns the parameters with only the powers that verification needs. They suffice to verify
    /// witnesses and subset witnesses, and to compute over sets of at most one element.
    #[must_use]
    pub fn for_verification(&self) -> Self {
        Self {
            powers_g1: self.powers_g1.iter().take(2).copied().collect(),
            powers_g2: self.powers_g2.clone(),
            quotients: self.quotients.clone(),
            purpose: self.purpose.clone(),
            fingerprint: self.fingerprint,
        }
    }

    /// Creates parameters from a compressed `[s]_2` only. They can only check
    /// [`Claims`](super::commitments::Claims) about commitments.
    ///
    /// Neither the powers of `s` nor its guessability are checked. The caller must know `[s]_2`, or
    /// its fingerprint, from a trusted source.
    ///
    /// # Errors
    /// The errors of [`point::decode`]. [`DecodeError::ParametersInvalid`] if `s_g2` is the
    /// generator, or if the purpose does not have 1 to 64 bytes.
    #[doc(hidden)]
    pub fn for_claims(s_g2: &[u8; G2_BYTES], purpose: &str) -> Result<Self, DecodeError> {
        let s_g2: G2Affine = point::decode::<g2::Config, G2_BYTES>(s_g2)?;
        let generator = G2Affine::generator();
        if s_g2 == generator || !(1..=Self::MAX_PURPOSE).contains(&purpose.len()) {
            return Err(DecodeError::ParametersInvalid);
        }
        let powers_g1 = Vec::from([G1Affine::generator()]);
        let powers_g2 = Vec::from([generator, s_g2]);
        Ok(Self::assemble(powers_g1, powers_g2, s_g2, purpose))
    }

    /// Returns `[s]_2`, the secret times the generator of G2, as a compressed point.
    #[doc(hidden)]
    pub fn secret_in_g2(&self) -> [u8; G2_BYTES] {
        let s_g2 = self.powers_g2.get(1).copied().unwrap_or_default();
        point::encode::<g2::Config, G2_BYTES>(&s_g2)
    }

    /// Hash of `[s]_2` and the purpose. The id of every accumulator over these parameters is
    /// derived from this hash.
    pub const fn fingerprint(&self) -> [u8; 32] {
        self.fingerprint
    }

    /// Maximum number of elements in a set: the number of powers in G1 beyond the generator.
    pub fn capacity(&self) -> usize {
        self.powers_g1.len().saturating_sub(1)
    }

    /// Maximum number of elements that one subset witness covers: the number of powers in G2 beyond
    /// the generator.
    pub fn subset_limit(&self) -> usize {
        self.powers_g2.len().saturating_sub(1)
    }

    /// Name for the purpose or origin of the parameters. Parameters with different purposes have
    /// different fingerprints.
    #[doc(hidden)]
    pub fn purpose(&self) -> &str {
        &self.purpose
    }

    /// The points `[s^i]_1` for `i` from 0 to [`Parameters::capacity`].
    #[doc(hidden)]
    pub fn powers_g1(&self) -> &[G1Affine] {
        &self.powers_g1
    }

    /// The points `[s^i]_2` for `i` from 0 to [`Parameters::subset_limit`].
    #[doc(hidden)]
    pub fn powers_g2(&self) -> &[G2Affine] {
        &self.powers_g2
    }

    /// Computes `[f(s)]_2` for the polynomial with these coefficients. Returns `None` if there are
    /// more coefficients than powers in G2.
    ///
    /// Cost: one multi-scalar multiplication on the calling thread.
    pub(crate) fn evaluate_g2(&self, coefficients: &[Fr]) -> Option<G2Projective> {
        let powers = self.powers_g2.get(..coefficients.len())?;
        if powers.len() <= MOST_SMALL {
            return Some(small_sum(powers, coefficients));
        }
        Some(public::sum(powers, coefficients))
    }

    /// Returns whether `e(left, [1]_2) e(right, [s]_2) = 1`.
    pub(crate) fn pairs_to_one(&self, left: G1Affine, right: G1Affine) -> bool {
        pairs_to_one([left, right], self.quotients.points())
    }

    /// The equation `e(W, [s + e]_2) = e(V, [1]_2)`.
    pub(super) const fn quotients(&self) -> &Quotients {
        &self.quotients
    }

    /// Returns whether `e(left, point) = e(right, [1]_2)`.
    pub(crate) fn pairs_equal(&self, left: G1Affine, point: G2Affine, right: G1Affine) -> bool {
        let [one, _] = self.quotients.points();
        pairs_to_one([left, -right], [point.into(), one])
    }
}

/// Maximum number of terms of a sum in G2 that [`small_sum`] computes. Larger sums use
/// [`public::sum`].
const MOST_SMALL: usize = 65;

/// Hashes `[s]_2`, which determines all powers, and the purpose.
fn fingerprint(s_g2: &G2Affine, purpose: &str) -> [u8; 32] {
    let s_g2 = point::encode::<g2::Config, G2_BYTES>(s_g2);
    let scheme = SCHEME.0.to_be_bytes();
    let parts: [&[u8]; 4] = [&scheme, b"parameters", &s_g2, purpose.as_bytes()];
    Sha256Ed25519::hash(Domain::AccumulatorId, &parts).0
}

impl core::fmt::Debug for Parameters {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter
            .debug_struct("Parameters")
            .field("purpose", &self.purpose)
            .field("capacity", &self.capacity())
            .field("subset_limit", &self.subset_limit())
            .finish_non_exhaustive()
    }
}

/// Layout: length of the purpose (1 byte), purpose (UTF-8), number of powers in G1 (4), powers in
/// G1 (48 each). The number of powers in G2 (4) and these powers (96 each) follow. The context is
/// the workers that check the points.
impl Wire for Parameters {
    type Context = Workers;
    const KIND: u8 = wire::KIND_PARAMETERS;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        write_purpose(&self.purpose, bytes);
        write_points(&self.powers_g1, point::encode::<_, G1_BYTES>, bytes);
        write_points(&self.powers_g2, point::encode::<_, G2_BYTES>, bytes);
    }

    fn read(workers: &Workers, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let purpose = read_purpose(reader)?;
        let powers_g1 = read_points::<g1::Config, G1_BYTES>(reader, workers)?;
        let powers_g2 = read_points::<g2::Config, G2_BYTES>(reader, workers)?;
        Self::new(powers_g1, powers_g2, purpose, workers)
    }
}

pub(super) fn write_purpose(purpose: &str, bytes: &mut Vec<u8>) {
    bytes.push(u8::try_from(purpose.len()).unwrap_or(u8::MAX));
    bytes.extend_from_slice(purpose.as_bytes());
}

pub(super) fn read_purpose<'a>(reader: &mut Reader<'a>) -> Result<&'a str, DecodeError> {
    let [length] = reader.array()?;
    let purpose = reader.take(usize::from(length))?;
    core::str::from_utf8(purpose).map_err(|_| DecodeError::Malformed)
}

pub(super) fn write_points<C: Curve, const N: usize>(
    points: &[Affine<C>],
    encode: fn(&Affine<C>) -> [u8; N],
    bytes: &mut Vec<u8>,
) {
    wire::write_count(points.len(), bytes);
    for point in points {
        bytes.extend_from_slice(&encode(point));
    }
}

fn read_points<C: Curve, const N: usize>(
    reader: &mut Reader<'_>,
    workers: &Workers,
) -> Result<Vec<Affine<C>>, DecodeError> {
    let encodings: Vec<[u8; N]> = (0..reader.count(N)?)
        .map(|_| reader.array())
        .collect::<Result<_, _>>()?;
    point::decode_all(&encodings, workers)
}
