//! Polynomial arithmetic and commitments in pieces of bounded work, with functions that return the
//! number of pieces of each operation.

use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field, Zero};
use pad_accumulators::{
    AccumulateError,
    bilinear::Parameters,
    internals::{
        commitments::PartialCommitment,
        polynomial::{self, StepwiseProduct, Transform},
    },
};
use pad_core::Workers;

use super::steps::{pause, run_to_end};
use crate::certificate::PointBytes;

/// The division of a computation: either among threads, or into steps on one thread.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    workers: Workers,
    /// Greatest number of terms of a sum in one step.
    terms: usize,
}

impl Pace {
    /// Creates a pace for [`run_to_end`] on the threads of `workers`. Multi-scalar sums are not
    /// divided into steps, which takes the fewest additions.
    pub(super) const fn at_once(workers: Workers) -> Self {
        let terms = usize::MAX;
        Self { workers, terms }
    }

    /// Creates a pace of steps on the calling thread, with at most `terms` terms of a sum in each
    /// step.
    pub(super) const fn in_steps(terms: usize) -> Self {
        let workers = Workers::sequential();
        Self { workers, terms }
    }

    /// Runs `compute` for each item, and returns the results in order. With at least as many items
    /// as threads, items run in parallel, each on one thread. With fewer items, they run one after
    /// the other, each on all threads.
    pub(super) async fn map<'a, T: Sync, R: Send, F: Future<Output = R>>(
        &self,
        items: &'a [T],
        compute: impl Fn(&'a T, Self) -> F + Send + Sync,
    ) -> Vec<R> {
        let threads = self.workers.threads();
        if threads > 1 && items.len() >= threads {
            let items: Vec<&'a T> = items.iter().collect();
            return self.workers.map(&items, |item| {
                run_to_end(compute(item, Self::at_once(Workers::sequential())))
            });
        }
        let mut results = Vec::with_capacity(items.len());
        for item in items {
            results.push(compute(item, self.clone()).await);
        }
        results
    }

    /// Computes the commitment to a polynomial, and pauses after every slice of at most `terms`
    /// coefficients.
    pub(super) async fn commit(
        &self,
        parameters: &Parameters,
        polynomial: &[Fr],
    ) -> Result<PointBytes, AccumulateError> {
        let mut commitment = PartialCommitment::default();
        for slice in polynomial.chunks(self.terms) {
            commitment.add(parameters, slice, &self.workers)?;
            pause().await;
        }
        Ok(commitment.finish())
    }
}

/// Multiplies two polynomials, with a pause after each piece of work.
pub(super) async fn multiply(left: &[Fr], right: &[Fr], transform: &Transform) -> Vec<Fr> {
    run(StepwiseProduct::new(left, right), transform).await
}

/// The number of steps of [`multiply`] for factors with these numbers of coefficients.
pub(super) fn multiply_steps(left: usize, right: usize) -> usize {
    StepwiseProduct::steps(left, right)
}

/// Computes `count` coefficients from the middle of a product, with a pause after each piece of
/// work: see [`polynomial::middle_product`].
pub(super) async fn middle_product(
    factor: &[Fr],
    vector: &[Fr],
    count: usize,
    transform: &Transform,
) -> Vec<Fr> {
    run(StepwiseProduct::middle(factor, vector, count), transform).await
}

/// The number of steps of [`middle_product`] for these numbers of coefficients of the factor, the
/// vector and the result.
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

/// The number of steps of [`Pace::commit`] with at most `terms` coefficients in each step.
pub(super) const fn commit_steps(coefficients: usize, terms: usize) -> usize {
    coefficients.div_ceil(terms)
}

/// Evaluates a polynomial at a point, with a pause after every [`PASS`] coefficients.
pub(super) async fn evaluate(polynomial: &[Fr], point: Fr) -> Fr {
    let mut value = Fr::ZERO;
    for part in polynomial.rchunks(PASS) {
        let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
        value = value * point.pow([length]) + polynomial::evaluate(part, point);
        pause().await;
    }
    value
}

/// Computes the sum of `multiples`, each a polynomial and its factor, and of `constant`. Pauses
/// after every [`PASS`] coefficients.
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

/// Divides a polynomial by `X - root`, where `root` must be a root of the polynomial. Pauses after
/// every [`PASS`] coefficients.
pub(super) async fn divide_by_root(polynomial: &[Fr], root: Fr) -> Vec<Fr> {
    let mut quotient = vec![Fr::ZERO; polynomial.len()];
    let mut carry = Fr::ZERO;
    let parts = polynomial.rchunks(PASS);
    for (part, quotient) in parts.zip(quotient.rchunks_mut(PASS)) {
        // The remainder of the higher coefficients comes above the coefficients of this part.
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

/// The number of steps of [`evaluate`], [`combine`] and [`divide_by_root`] for polynomials with
/// `coefficients` coefficients.
pub(super) const fn pass_steps(coefficients: usize) -> usize {
    coefficients.div_ceil(PASS)
}

/// Maximum number of coefficients that [`evaluate`], [`combine`] and [`divide_by_root`] process in
/// one step.
const PASS: usize = 1 << 16;
