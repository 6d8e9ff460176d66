//! Division with remainder, as fast as a few products.
//!
//! Source: von zur Gathen, Gerhard 2013, "Modern Computer Algebra", section 9.1 (Newton iteration); Bostan, Lecerf, Schost 2003,
//! "Tellegen's principle into practice" (transposed products).

use alloc::vec::Vec;

use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field};

use super::{SHORT, Transform, multiply, transform::padded_length};

/// A polynomial to divide by, whose highest coefficient is not zero.
#[derive(Clone, Debug)]
pub struct Divisor<'a> {
    polynomial: &'a [Fr],
    /// The inverse of the power series with the coefficients in reverse order.
    inverse: Vec<Fr>,
}

impl<'a> Divisor<'a> {
    /// Prepares for quotients of at most `length` coefficients; `None` if the polynomial is empty or its highest coefficient
    /// zero. The transform is for products of three times that length.
    ///
    /// Cost: about four products of that length.
    pub fn new(polynomial: &'a [Fr], length: usize, transform: &Transform) -> Option<Self> {
        let lowest = polynomial.last()?.inverse()?;
        let series: Vec<Fr> = polynomial.iter().rev().take(length).copied().collect();
        Some(Self {
            polynomial,
            inverse: invert(&series, lowest, length.max(1), transform),
        })
    }

    /// The first coefficients of the inverse of the power series with the divisor's coefficients in reverse order.
    pub fn inverse(&self) -> &[Fr] {
        &self.inverse
    }

    /// Quotient and remainder; `None` if the quotient has more coefficients than were prepared for. The transform is for
    /// products of the dividend's degree.
    ///
    /// Cost: two products.
    pub fn divide(&self, dividend: &[Fr], transform: &Transform) -> Option<(Vec<Fr>, Vec<Fr>)> {
        if dividend.len() < self.polynomial.len() {
            return Some((Vec::new(), dividend.to_vec()));
        }
        let length = dividend.len() - self.polynomial.len() + 1;
        let inverse = self.inverse.get(..length)?;
        let reversed: Vec<Fr> = dividend.iter().rev().take(length).copied().collect();
        let mut quotient = multiply(&reversed, inverse, transform);
        quotient.truncate(length);
        quotient.reverse();
        let product = multiply(&quotient, self.polynomial, transform);
        let remainder = dividend.iter().zip(&product);
        let remainder = remainder.take(self.polynomial.len() - 1);
        Some((
            quotient,
            remainder.map(|(left, right)| *left - right).collect(),
        ))
    }
}

/// The inverse of a power series up to a length, from the inverse of its lowest coefficient.
fn invert(series: &[Fr], lowest: Fr, length: usize, transform: &Transform) -> Vec<Fr> {
    let mut inverse = Vec::from([lowest]);
    while inverse.len() < length {
        let next = (2 * inverse.len()).min(length);
        let known = &series[..series.len().min(next)];
        let mut correction = multiply(known, &inverse, transform);
        correction.resize(next, Fr::ZERO);
        for coefficient in &mut correction {
            *coefficient = -*coefficient;
        }
        correction[0] += Fr::from(2_u64);
        inverse = multiply(&inverse, &correction, transform);
        inverse.truncate(next);
    }
    inverse
}

/// The coefficients of a product from the factor's degree on, `count` of them; the factor's degree and `count` together are at most
/// `vector.len()`. The transform is for vectors of that length.
///
/// Cost: three transforms of that length.
pub fn middle_product(
    factor: &[Fr],
    vector: &[Fr],
    count: usize,
    transform: &Transform,
) -> Vec<Fr> {
    let degree = factor.len().saturating_sub(1);
    if factor.len().min(count) <= SHORT {
        let coefficient = |place: usize| {
            let pairs = factor.iter().rev().zip(vector.iter().skip(place));
            pairs.map(|(left, right)| *left * right).sum()
        };
        return (0..count).map(coefficient).collect();
    }
    // What wraps around falls below the degree.
    let length = padded_length(vector.len());
    let values = |polynomial: &[Fr]| {
        let mut values = polynomial.to_vec();
        values.resize(length, Fr::ZERO);
        transform.forward(&mut values);
        values
    };
    let mut product = values(vector);
    for (left, right) in product.iter_mut().zip(values(factor)) {
        *left *= right;
    }
    transform.inverse(&mut product);
    product[degree..degree + count].to_vec()
}
