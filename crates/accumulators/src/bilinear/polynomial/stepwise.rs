//! Polynomial products by Fourier transforms, in one call or in steps of bounded work.
//!
//! Source: Bostan, Lecerf, Schost 2003, "Tellegen's principle into practice" (middle products).

use alloc::vec::Vec;

use ark_bls12_381::Fr;
use ark_ff::AdditiveGroup;

use super::{Transform, transform::padded_length};

/// Returns the coefficients, lowest first, of the product of two nonempty polynomials. `transform`
/// must support the degree of the product; see [`Transform::for_degree`].
///
/// Cost: three transforms of the product's degree, or `n m` multiplications for factors with `n`
/// and `m` coefficients if `n` or `m` is at most 32.
pub fn multiply(left: &[Fr], right: &[Fr], transform: &Transform) -> Vec<Fr> {
    StepwiseProduct::new(left, right).finish(transform)
}

/// Computes `count` coefficients of the product of `factor` and `vector`, from the degree of
/// `factor` on. The degree of `factor` plus `count` must be at most `vector.len()`. `transform`
/// must support vectors of that length.
///
/// Cost: three transforms of length `vector.len()`, or `factor.len() * count` multiplications if
/// either of these numbers is at most 32.
pub fn middle_product(
    factor: &[Fr],
    vector: &[Fr],
    count: usize,
    transform: &Transform,
) -> Vec<Fr> {
    StepwiseProduct::middle(factor, vector, count).finish(transform)
}

/// A product of two polynomials that is computed step by step: see [`multiply`] and
/// [`middle_product`].
///
/// A step transforms a block of at most `2^16` values, computes one level of a longer transform, or
/// makes one pass over all values. It takes about 10 ms up to degrees of `2^20`. Products up to a
/// degree of `3 * 2^10` are one step.
#[derive(Debug)]
pub struct StepwiseProduct<'a> {
    factors: [&'a [Fr]; 2],
    /// Number of coefficients to compute of a middle product, or `None` for a full product.
    middle: Option<usize>,
    /// Values of the factors at roots of unity; empty for short products.
    values: [Vec<Fr>; 2],
    next: usize,
}

impl<'a> StepwiseProduct<'a> {
    /// Starts the product of two polynomials, see [`multiply`].
    pub fn new(left: &'a [Fr], right: &'a [Fr]) -> Self {
        Self::begin([left, right], None)
    }

    /// Starts a middle product, see [`middle_product`].
    pub fn middle(factor: &'a [Fr], vector: &'a [Fr], count: usize) -> Self {
        Self::begin([factor, vector], Some(count))
    }

    fn begin(factors: [&'a [Fr]; 2], middle: Option<usize>) -> Self {
        Self {
            factors,
            middle,
            values: [Vec::new(), Vec::new()],
            next: 0,
        }
    }

    /// Returns the number of steps of a product of polynomials with `left` and `right`
    /// coefficients.
    pub fn steps(left: usize, right: usize) -> usize {
        let length = padded_length(left.saturating_add(right).saturating_sub(2));
        steps(left.min(right) <= SHORT, length)
    }

    /// Returns the number of steps of a [`middle_product`] with these numbers of coefficients in
    /// the factor, the vector and the result.
    pub fn middle_steps(factor: usize, vector: usize, count: usize) -> usize {
        steps(factor.min(count) <= SHORT, padded_length(vector))
    }

    /// Performs the next step. Returns the product in the last step, and `None` in all others.
    /// `transform` must be the same in all steps, and fit the whole product.
    pub fn step(&mut self, transform: &Transform) -> Option<Vec<Fr>> {
        let length = self.length();
        if steps(self.is_short(), length) == 1 {
            self.run(transform)
        } else {
            self.part(length, transform)
        }
    }

    /// Performs all remaining steps and returns the product.
    fn finish(mut self, transform: &Transform) -> Vec<Fr> {
        self.run(transform).unwrap_or_default()
    }

    fn run(&mut self, transform: &Transform) -> Option<Vec<Fr>> {
        if self.is_short() {
            self.next += 1;
            return (self.next == 1).then(|| self.short());
        }
        let length = self.length();
        (0..parts(length)).find_map(|_| self.part(length, transform))
    }

    fn is_short(&self) -> bool {
        let [left, right] = self.factors.map(<[Fr]>::len);
        left.min(self.middle.unwrap_or(right)) <= SHORT
    }

    /// Returns the length of the transforms that compute this product. In a middle product, the
    /// coefficients that are not required wrap around to positions below the factor's degree.
    fn length(&self) -> usize {
        let [left, right] = self.factors.map(<[Fr]>::len);
        padded_length(match self.middle {
            None => (left + right).saturating_sub(2),
            Some(_) => right,
        })
    }

    /// Computes the product by the schoolbook method, without transforms.
    fn short(&self) -> Vec<Fr> {
        let [left, right] = self.factors;
        if let Some(count) = self.middle {
            let coefficient = |place: usize| {
                let pairs = left.iter().rev().zip(right.iter().skip(place));
                pairs.map(|(left, right)| *left * right).sum()
            };
            return (0..count).map(coefficient).collect();
        }
        let mut product = alloc::vec![Fr::ZERO; left.len() + right.len() - 1];
        for (place, left) in left.iter().enumerate() {
            for (sum, right) in product[place..].iter_mut().zip(right) {
                *sum += *left * right;
            }
        }
        product
    }

    /// Performs the next part of a product by transforms of `length`: one part of a transform, or
    /// the multiplication of the values. Returns the product after the last part.
    fn part(&mut self, length: usize, transform: &Transform) -> Option<Vec<Fr>> {
        if self.next >= parts(length) {
            return None;
        }
        let parts_of_one = Transform::parts(length);
        if let Some(part) = self.next.checked_sub(2 * parts_of_one + 1) {
            transform.inverse_part(&mut self.values[0], part);
        } else if self.next == 2 * parts_of_one {
            let right = core::mem::take(&mut self.values[1]);
            bls12::product::multiply_each(&mut self.values[0], &right);
        } else {
            let (factor, part) = (self.next / parts_of_one, self.next % parts_of_one);
            let values = &mut self.values[factor];
            if part == 0 {
                values.extend_from_slice(self.factors[factor]);
                values.resize(length, Fr::ZERO);
            }
            transform.forward_part(values, part);
        }
        self.next += 1;
        (self.next == parts(length)).then(|| self.unwrapped())
    }

    /// Recovers the product from its residue modulo `X^n - 1`, where `n` is the length of the
    /// transforms.
    fn unwrapped(&mut self) -> Vec<Fr> {
        let mut product = core::mem::take(&mut self.values[0]);
        let [left, right] = self.factors;
        if let Some(count) = self.middle {
            return product[left.len() - 1..left.len() - 1 + count].to_vec();
        }
        let degree = left.len() + right.len() - 2;
        let highest = left[left.len() - 1] * right[right.len() - 1];
        if degree == product.len() {
            // X^degree has wrapped around to 1.
            product[0] -= highest;
        }
        product.resize(degree, Fr::ZERO);
        product.push(highest);
        product
    }
}

fn steps(is_short: bool, length: usize) -> usize {
    if is_short || length < SMALL {
        return 1;
    }
    parts(length)
}

/// Number of parts of a product by transforms of `length`. The parts are two transforms, the
/// product of their values, and the inverse transform, which has one part more than the others.
fn parts(length: usize) -> usize {
    3 * Transform::parts(length) + 2
}

/// Smallest length of transforms for which a product is split into several steps.
const SMALL: usize = 1 << 12;

/// Maximum number of coefficients of a factor for products without transforms.
const SHORT: usize = 32;
