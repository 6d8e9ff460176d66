//! Commitments to polynomials, `[P(s)]_1`, and claims about their values, checked together.
//!
//! A *claim* states that a polynomial `P` is zero at a point `z`. `C` is a commitment to `P`,
//! combined from received commitments and scalars, and `w = [P(s) / (s - z)]_1` commits to the
//! quotient `P / (X - z)`. The claim holds if `e(C + z w, [1]_2) = e(w, [s]_2)`. All claims
//! together cost two sums in G1 and one product of two pairings.
//!
//! Source: Kate, Zaverucha, Goldberg 2010, "Constant-size commitments to polynomials and their
//! applications", section 3.2; the random combination as in
//! [`BilinearWitnessBatch`](super::BilinearWitnessBatch).

use alloc::{collections::BTreeMap, vec::Vec};

#[cfg(feature = "std")]
use ark_bls12_381::G1Projective;
use ark_bls12_381::{Fr, G1Affine, g1};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::AdditiveGroup;
use bls12::point::{self, G1_BYTES};
use pad_core::{DecodeError, Workers};

use super::{
    multi_scalar::{Coefficients, PairSum, Term, multi_scalar_product},
    parameters::Parameters,
};
#[cfg(feature = "std")]
use crate::error::AccumulateError;
use crate::transcript::Transcript;
#[cfg(feature = "std")]
use bls12::affine::normalize;

/// Claims that polynomials are zero at given points. They are collected, then checked together in
/// one random combination.
///
/// Each coefficient is one of `2^128` and comes from a transcript that has absorbed all inputs of
/// the claims. False claims pass with probability `2^-128` per attempt. This bound requires points
/// of the prime-order subgroup, so all points are checked to be in it.
///
/// Space: a constant for each point and claim. Equal commitments are decoded once, and are one term
/// of the sum.
#[derive(Debug)]
pub struct Claims {
    coefficients: Coefficients,
    known: BTreeMap<[u8; G1_BYTES], Commitment>,
    /// The distinct commitments. The sum over all claims contains `points[i]` with the factor
    /// `weights[i]`.
    points: Vec<G1Affine>,
    weights: Vec<Fr>,
    /// Factor of the generator of G1 in the sum over all claims.
    constant: Fr,
    quotients: Vec<Term>,
}

/// Handle of a commitment that [`Claims::commitment`] has decoded, for use in [`Claims::add`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commitment(usize);

impl Claims {
    /// Creates an empty collection of claims. `transcript` must already have absorbed the whole
    /// message that contains the claims, and the context of the message.
    pub const fn new(transcript: Transcript) -> Self {
        Self {
            coefficients: Coefficients::new(transcript),
            known: BTreeMap::new(),
            points: Vec::new(),
            weights: Vec::new(),
            constant: Fr::ZERO,
            quotients: Vec::new(),
        }
    }

    /// Decodes a received commitment.
    ///
    /// # Errors
    /// The errors of [`point::decode`]. The identity is rejected, since it commits to the zero
    /// polynomial, which is zero at every point.
    pub fn commitment(&mut self, encoding: &[u8; G1_BYTES]) -> Result<Commitment, DecodeError> {
        if let Some(known) = self.known.get(encoding) {
            return Ok(*known);
        }
        let commitment = Commitment(self.points.len());
        self.points
            .push(point::decode::<g1::Config, G1_BYTES>(encoding)?);
        self.weights.push(Fr::ZERO);
        self.known.insert(*encoding, commitment);
        Ok(commitment)
    }

    /// Adds a claim that a polynomial is zero at `z`. The commitment to the polynomial is the sum
    /// of `multiples` and of `[constant]_1`. `quotient` encodes the claim's `w` and may be the
    /// identity.
    ///
    /// # Errors
    /// The errors of [`point::decode_or_identity`] for the quotient.
    pub fn add(
        &mut self,
        multiples: &[(Commitment, Fr)],
        constant: Fr,
        z: Fr,
        quotient: &[u8; G1_BYTES],
    ) -> Result<(), DecodeError> {
        let point = point::decode_or_identity::<g1::Config, G1_BYTES>(quotient)?;
        let coefficient = self.coefficients.draw();
        let rho = coefficient.scalar();
        for (Commitment(number), factor) in multiples {
            if let Some(weight) = self.weights.get_mut(*number) {
                *weight += rho * factor;
            }
        }
        self.constant += rho * constant;
        self.quotients.push(Term {
            point,
            coefficient,
            scalar: z,
        });
        Ok(())
    }

    /// Returns whether all claims hold for the secret of `parameters`, or true if there are no
    /// claims.
    ///
    /// Cost: two multi-scalar products on the calling thread, one product of two pairings.
    #[must_use]
    pub fn hold(mut self, parameters: &Parameters) -> bool {
        if self.quotients.is_empty() {
            return true;
        }
        self.points.push(G1Affine::generator());
        self.weights.push(self.constant);
        let workers = Workers::sequential();
        let commitments = multi_scalar_product(&self.points, &self.weights, &workers);
        let sums = PairSum::new(&self.quotients, &workers);
        let (left, right) = (commitments + sums.weighted, -sums.combination);
        parameters.pairs_to_one(left.into_affine(), right.into_affine())
    }
}

/// A commitment to a polynomial that is computed one slice of coefficients at a time, for callers
/// that interleave other work.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, Default)]
pub struct PartialCommitment {
    sum: G1Projective,
    terms: usize,
}

#[cfg(feature = "std")]
impl PartialCommitment {
    /// Adds the next coefficients of the polynomial, lowest first.
    ///
    /// Cost: a multi-scalar product of the slice.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`] if there are then more coefficients than powers in G1.
    pub fn add(
        &mut self,
        parameters: &Parameters,
        slice: &[Fr],
        workers: &Workers,
    ) -> Result<(), AccumulateError> {
        let end = self.terms.saturating_add(slice.len());
        let capacity = parameters.capacity();
        let powers = parameters.powers_g1().get(self.terms..end);
        let powers = powers.ok_or(AccumulateError::CapacityExceeded { capacity })?;
        self.sum += multi_scalar_product(powers, slice, workers);
        self.terms = end;
        Ok(())
    }

    /// Encodes the commitment to all coefficients added so far. It equals [`Parameters::commit`]
    /// for these coefficients.
    pub fn finish(&self) -> [u8; G1_BYTES] {
        point::encode::<g1::Config, G1_BYTES>(&self.sum.into_affine())
    }
}

impl Parameters {
    /// Computes and encodes `[P(s)]_1` for a polynomial given by its coefficients, lowest first.
    ///
    /// Cost: a multi-scalar product.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`] if there are more coefficients than published powers
    /// of `s` in G1.
    #[cfg(feature = "std")]
    #[doc(hidden)]
    pub fn commit(
        &self,
        polynomial: &[Fr],
        workers: &Workers,
    ) -> Result<[u8; G1_BYTES], AccumulateError> {
        let point = self.evaluate(polynomial, workers)?.into_affine();
        Ok(point::encode::<g1::Config, G1_BYTES>(&point))
    }

    /// Computes and encodes `[P(s)]_1` for each of several polynomials, given by their
    /// coefficients, lowest first.
    ///
    /// Cost: a multi-scalar product for each, and one inversion for all.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`] if a polynomial has more coefficients than there are
    /// powers in G1.
    #[cfg(feature = "std")]
    #[doc(hidden)]
    pub fn commit_each(
        &self,
        polynomials: &[Vec<Fr>],
        workers: &Workers,
    ) -> Result<Vec<[u8; G1_BYTES]>, AccumulateError> {
        let points = if polynomials.len() < workers.threads() {
            let points = polynomials.iter();
            points
                .map(|polynomial| self.evaluate(polynomial, workers))
                .collect()
        } else {
            // One thread for each sum. This balances the threads better than splitting each sum by
            // windows, even if the sums differ in length.
            let sequential = Workers::sequential();
            let points = workers.map(polynomials, |polynomial| {
                self.evaluate(polynomial, &sequential)
            });
            points.into_iter().collect::<Result<Vec<_>, _>>()
        }?;
        let points = normalize(&points);
        let encoded = points.iter().map(point::encode::<g1::Config, G1_BYTES>);
        Ok(encoded.collect())
    }
}

#[cfg(test)]
#[cfg(feature = "std")]
mod tests;
