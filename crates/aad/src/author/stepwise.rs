//! Arithmetic of polynomials and commitments, a piece of bounded work after the other; beside each, how many pieces.

use accumulators::{
    AccumulateError,
    bilinear::{
        Parameters,
        commitments::PartialCommitment,
        polynomial::{self, StepwiseProduct, Transform},
    },
};
use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field, Zero};

use super::steps::pause;
use crate::certificate::PointBytes;

/// The product of two polynomials.
pub(super) async fn multiply(left: &[Fr], right: &[Fr], transform: &Transform) -> Vec<Fr> {
    run(StepwiseProduct::new(left, right), transform).await
}

/// Steps of [`multiply`], by the numbers of coefficients.
pub(super) fn multiply_steps(left: usize, right: usize) -> usize {
    StepwiseProduct::steps(left, right)
}

/// The middle of a product: see [`polynomial::middle_product`].
pub(super) async fn middle_product(
    factor: &[Fr],
    vector: &[Fr],
    count: usize,
    transform: &Transform,
) -> Vec<Fr> {
    run(StepwiseProduct::middle(factor, vector, count), transform).await
}

/// Steps of [`middle_product`].
pub(super) fn middle_steps(factor: usize, vector: usize, count: usize) -> usize {
    StepwiseProduct::middle_steps(factor, vector, count)
}

async fn run(mut product: StepwiseProduct<'_>, transform: &Transform) -> Vec<Fr> {
    loop {
        let made = product.step(transform);
        pause().await;
        if let Some(made) = made {
            return made;
        }
    }
}

/// The commitment to a polynomial, a sum of so many terms after the other.
pub(super) async fn commit(
    parameters: &Parameters,
    polynomial: &[Fr],
    terms: usize,
) -> Result<PointBytes, AccumulateError> {
    let mut commitment = PartialCommitment::default();
    for slice in polynomial.chunks(terms) {
        commitment.add(parameters, slice)?;
        pause().await;
    }
    Ok(commitment.finish())
}

/// Steps of [`commit`].
pub(super) const fn commit_steps(coefficients: usize, terms: usize) -> usize {
    coefficients.div_ceil(terms)
}

/// The value at a point.
pub(super) async fn evaluate(polynomial: &[Fr], point: Fr) -> Fr {
    let mut value = Fr::ZERO;
    for part in polynomial.rchunks(PASS) {
        let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
        value = value * point.pow([length]) + polynomial::evaluate(part, point);
        pause().await;
    }
    value
}

/// A sum of multiples of polynomials and of a constant.
pub(super) async fn combine(multiples: &[(&[Fr], Fr)], constant: Fr) -> Vec<Fr> {
    let length = multiples.iter().map(|(polynomial, _)| polynomial.len());
    let mut sum = vec![Fr::ZERO; length.max().unwrap_or(0)];
    for (number, part) in sum.chunks_mut(PASS).enumerate() {
        for (polynomial, factor) in multiples {
            let polynomial = polynomial.iter().skip(number * PASS);
            for (sum, coefficient) in part.iter_mut().zip(polynomial) {
                *sum += *factor * coefficient;
            }
        }
        pause().await;
    }
    if let Some(lowest) = sum.first_mut() {
        *lowest += constant;
    }
    sum
}

/// The quotient by `X - root`, of a polynomial with this root.
pub(super) async fn divide_by_root(polynomial: &[Fr], root: Fr) -> Vec<Fr> {
    let mut quotient = vec![Fr::ZERO; polynomial.len()];
    let mut carry = Fr::ZERO;
    let parts = polynomial.rchunks(PASS);
    for (part, quotient) in parts.zip(quotient.rchunks_mut(PASS)) {
        // What was left over of the higher coefficients stands above these.
        let mut dividend = part.to_vec();
        dividend.push(carry);
        let (divided, remainder) = polynomial::divide_by_factor(&dividend, -root);
        quotient.copy_from_slice(&divided);
        carry = remainder;
        pause().await;
    }
    debug_assert!(carry.is_zero(), "the point is a root");
    quotient.pop();
    quotient
}

/// Steps of [`evaluate`], [`combine`] and [`divide_by_root`] for polynomials of so many coefficients.
pub(super) const fn pass_steps(coefficients: usize) -> usize {
    coefficients.div_ceil(PASS)
}

/// Coefficients of one pass.
const PASS: usize = 1 << 16;
