//! Division with remainder, as fast as a few products.
//!
//! Source: von zur Gathen, Gerhard 2013, "Modern Computer Algebra", section 9.1 (Newton iteration).

use alloc::vec::Vec;

use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field};

use super::{Transform, multiply};

/// Quotient and remainder of the division by a polynomial whose highest coefficient is not zero. The transform is for products
/// of twice the dividend's degree.
///
/// `None` if the divisor is empty or its highest coefficient zero.
///
/// Cost: about five products of the quotient's length, and one of the dividend's.
pub fn divide(
    dividend: &[Fr],
    divisor: &[Fr],
    transform: &Transform,
) -> Option<(Vec<Fr>, Vec<Fr>)> {
    let highest = divisor.last()?.inverse()?;
    if dividend.len() < divisor.len() {
        return Some((Vec::new(), dividend.to_vec()));
    }
    let length = dividend.len() - divisor.len() + 1;
    let reversed =
        |polynomial: &[Fr]| -> Vec<Fr> { polynomial.iter().rev().take(length).copied().collect() };
    let inverse = invert(&reversed(divisor), highest, length, transform);
    let mut quotient = multiply(&reversed(dividend), &inverse, transform);
    quotient.truncate(length);
    quotient.reverse();
    let product = multiply(&quotient, divisor, transform);
    let remainder = dividend.iter().zip(&product).take(divisor.len() - 1);
    let remainder = remainder.map(|(left, right)| *left - right).collect();
    Some((quotient, remainder))
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
