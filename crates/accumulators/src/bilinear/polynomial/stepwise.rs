//! Products in steps of bounded work, for who has to do something else in between.

use alloc::vec::Vec;

use ark_bls12_381::Fr;
use ark_ff::AdditiveGroup;

use super::{SHORT, Transform, middle_product, multiply, transform::padded_length, unwrapped};

/// A product of two polynomials that is made step by step: the same as [`multiply`] or [`middle_product`] make at once.
///
/// A step is a part of a transform of at most `2^16` values, one level of a longer one, or one pass over all values: about
/// 10 ms up to degrees of `2^20`. Products below a degree of `2^12` are one step.
#[derive(Debug)]
pub struct StepwiseProduct<'a> {
    factors: [&'a [Fr]; 2],
    /// For a middle product: how many coefficients.
    middle: Option<usize>,
    /// The values of the factors at roots of unity; empty for products of one step.
    values: [Vec<Fr>; 2],
    next: usize,
}

impl<'a> StepwiseProduct<'a> {
    /// The product of two polynomials, see [`multiply`].
    pub fn new(left: &'a [Fr], right: &'a [Fr]) -> Self {
        Self::begin([left, right], None)
    }

    /// The coefficients of a product from the factor's degree on, see [`middle_product`].
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

    /// The number of steps of a product of polynomials with these numbers of coefficients.
    pub fn steps(left: usize, right: usize) -> usize {
        let is_short = left.min(right) <= SHORT;
        steps(is_short, left.saturating_add(right).saturating_sub(2))
    }

    /// The number of steps of a middle product.
    pub fn middle_steps(factor: usize, vector: usize, count: usize) -> usize {
        steps(factor.min(count) <= SHORT, vector)
    }

    fn own_steps(&self) -> usize {
        let [left, right] = self.factors;
        match self.middle {
            None => Self::steps(left.len(), right.len()),
            Some(count) => Self::middle_steps(left.len(), right.len(), count),
        }
    }

    /// Makes the next step; the product, after the last one. The transform is that for the whole product.
    pub fn step(&mut self, transform: &Transform) -> Option<Vec<Fr>> {
        let steps = self.own_steps();
        if self.next >= steps {
            return None;
        }
        let [left, right] = self.factors;
        if steps == 1 {
            self.next = 1;
            return Some(match self.middle {
                None => multiply(left, right, transform),
                Some(count) => middle_product(left, right, count, transform),
            });
        }
        self.part(transform);
        self.next += 1;
        (self.next == steps).then(|| {
            let product = core::mem::take(&mut self.values[0]);
            match self.middle {
                None => unwrapped(product, self.factors),
                Some(count) => product[left.len() - 1..left.len() - 1 + count].to_vec(),
            }
        })
    }

    /// One part of a transform, or the product of all values.
    fn part(&mut self, transform: &Transform) {
        let length = padded_length(match (self.middle, self.factors) {
            (None, [left, right]) => left.len() + right.len() - 2,
            (Some(_), [_, vector]) => vector.len(),
        });
        let parts = Transform::parts(length);
        if let Some(part) = self.next.checked_sub(2 * parts + 1) {
            transform.inverse_part(&mut self.values[0], part);
        } else if self.next == 2 * parts {
            let right = core::mem::take(&mut self.values[1]);
            for (left, right) in self.values[0].iter_mut().zip(right) {
                *left *= right;
            }
        } else {
            let (factor, part) = (self.next / parts, self.next % parts);
            let values = &mut self.values[factor];
            if part == 0 {
                values.extend_from_slice(self.factors[factor]);
                values.resize(length, Fr::ZERO);
            }
            transform.forward_part(values, part);
        }
    }
}

/// Two transforms, the product of values, and the inverse, which has one part more.
fn steps(is_short: bool, degree: usize) -> usize {
    let length = padded_length(degree);
    if is_short || length < SMALL {
        return 1;
    }
    3 * Transform::parts(length) + 2
}

/// Products of at most this degree are made in one step.
const SMALL: usize = 1 << 12;
