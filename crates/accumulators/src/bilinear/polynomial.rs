//! Polynomials over the scalar field, and the product of `X + e` for the elements `e` of a set.
//!
//! The coefficients of this product turn the public powers of `s` into accumulator values and
//! witnesses. A polynomial is the list of its coefficients, lowest first.
//!
//! Products are computed in a binary tree. Leaves are multiplied out. A node of capacity `d` (at
//! most `d` factors) above them retains the values at the roots of `X^d = 1` from its own
//! multiplication. An inverse transform of length `d` gives its coefficients. One more transform of
//! length `d` gives its values at the roots of `X^d = -1`.
//!
//! The parent multiplies the values of its two children at both sets of roots. This costs a third
//! less than transforming each child at length `2d` and the product back. The product of two full
//! children is monic of degree `2d`, and only its known highest coefficient wraps around.
//!
//! The witness of a subset needs no division: it is the product over all other elements.
//!
//! Source: von zur Gathen, Gerhard 2013, "Modern Computer Algebra", section 10.1 (product trees);
//! Bernstein 2004, "Scaled remainder trees" (doubling of transforms).

#![allow(
    clippy::indexing_slicing,
    reason = "vectors whose lengths follow from the number of elements: \
              no index comes from a message"
)]

#[cfg(feature = "std")]
mod stepwise;
#[cfg(test)]
mod tests;
pub(crate) mod transform;

use alloc::vec::Vec;

use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field};
use pad_core::Workers;

#[cfg(feature = "std")]
pub use stepwise::{StepwiseProduct, middle_product, multiply};
pub use transform::Transform;

use transform::{Roots, padded_length};

/// Computes the coefficients, lowest first, of the product of `X + e` over the `n` elements `e`.
/// There are `n + 1` coefficients, of which the last is 1.
///
/// Cost: `O(n log^2 n)` field multiplications.
pub fn product(elements: &[Fr], workers: &Workers) -> Vec<Fr> {
    let transform = Transform::new(padded_length(elements.len()));
    let mut tree = ProductTree::new(elements, LEAF, &transform, workers);
    tree.levels.pop().unwrap_or_default().concat()
}

/// Divides a polynomial by `X + element`. Returns the coefficients of the quotient, and the
/// remainder.
///
/// Cost: one multiplication for each coefficient (Horner's rule; the remainder is the value at
/// `-element`).
#[cfg(feature = "std")]
pub fn divide_by_factor(coefficients: &[Fr], element: Fr) -> (Vec<Fr>, Fr) {
    let mut carry = Fr::ZERO;
    let mut quotient: Vec<Fr> = coefficients
        .iter()
        .rev()
        .map(|coefficient| {
            let next = *coefficient - element * carry;
            core::mem::replace(&mut carry, next)
        })
        .collect();
    // The first coefficient collected is the initial carry, zero.
    quotient.reverse();
    quotient.pop();
    (quotient, carry)
}

/// Evaluates a polynomial at `point`.
///
/// Cost: one multiplication for each coefficient (Horner's rule).
pub fn evaluate(coefficients: &[Fr], point: Fr) -> Fr {
    coefficients
        .iter()
        .rev()
        .fold(Fr::ZERO, |value, coefficient| value * point + coefficient)
}

/// A binary tree over the elements of a set. Each node stores the product of `X + e` over its
/// elements `e`.
#[derive(Debug)]
pub(crate) struct ProductTree {
    /// For each level, from the leaves to the root, the coefficients of each node's product.
    pub(crate) levels: Vec<Vec<Vec<Fr>>>,
    /// Maximum number of factors in the root: the smallest `2^a` or `3 * 2^a` that fits the set.
    pub(crate) length: usize,
    /// Number of leaves, a power of two.
    pub(crate) leaves: usize,
    elements: usize,
}

impl ProductTree {
    /// Builds the tree and computes all products. `leaf`, the maximum number of factors in a leaf,
    /// must be at least 3.
    pub(crate) fn new(
        elements: &[Fr],
        leaf: usize,
        transform: &Transform,
        workers: &Workers,
    ) -> Self {
        let mut tree = Self::shape(elements.len(), leaf);
        let mut nodes = leaves(elements, &tree, workers);
        while nodes.len() > 1 {
            let next = parents(&nodes, transform, workers);
            tree.levels.push(coefficients(nodes));
            nodes = next;
        }
        tree.levels.push(coefficients(nodes));
        tree
    }

    /// Computes the sizes of a tree for `elements` elements. Its list of products is empty.
    fn shape(elements: usize, leaf: usize) -> Self {
        let length = padded_length(elements);
        let mut leaves = 1;
        while length / leaves > leaf && (length / leaves).is_multiple_of(2) {
            leaves *= 2;
        }
        Self {
            levels: Vec::new(),
            length,
            leaves,
            elements,
        }
    }

    /// Splits the elements into one part per leaf. Part sizes differ by at most one.
    pub(crate) fn parts<'a>(&self, elements: &'a [Fr]) -> Vec<&'a [Fr]> {
        let bound = |leaf: usize| self.elements * leaf / self.leaves;
        (0..self.leaves)
            .map(|leaf| &elements[bound(leaf)..bound(leaf + 1)])
            .collect()
    }
}

/// A node of the tree while it is built.
struct Node {
    /// Coefficients of the product of the node's factors `X + e`.
    coefficients: Vec<Fr>,
    /// Values of this product at the roots of unity whose order is the capacity of the node.
    values: Vec<Fr>,
}

fn coefficients(nodes: Vec<Node>) -> Vec<Vec<Fr>> {
    nodes.into_iter().map(|node| node.coefficients).collect()
}

fn leaves(elements: &[Fr], tree: &ProductTree, workers: &Workers) -> Vec<Node> {
    let transform = Transform::new(tree.length / tree.leaves);
    workers.map(&tree.parts(elements), |part| {
        let coefficients = multiply_out(part);
        let mut values = wrapped(&coefficients, tree.length / tree.leaves, Fr::ONE);
        if tree.leaves > 1 {
            transform.forward(&mut values, Roots::Even);
        }
        Node {
            coefficients,
            values,
        }
    })
}

/// Builds the next level: each pair of neighbours becomes one node.
fn parents(nodes: &[Node], transform: &Transform, workers: &Workers) -> Vec<Node> {
    let extended = workers.map(nodes, |node| {
        let odd = wrapped(&node.coefficients, node.values.len(), -Fr::ONE);
        transform.extended(&node.values, odd)
    });
    let pairs: Vec<(&[Node], &[Vec<Fr>])> = nodes.chunks(2).zip(extended.chunks(2)).collect();
    workers.map(&pairs, |(nodes, values)| {
        let degree = nodes.iter().map(|node| node.coefficients.len() - 1).sum();
        let values: Vec<Fr> = match values {
            [left, right] => {
                let mut values = left.clone();
                bls12::product::multiply_each(&mut values, right);
                values
            }
            _ => values.concat(),
        };
        let mut coefficients = values.clone();
        transform.inverse(&mut coefficients, Roots::Even);
        if degree == coefficients.len() {
            // X^degree has wrapped around to 1.
            coefficients[0] -= Fr::ONE;
        }
        coefficients.resize(degree, Fr::ZERO);
        coefficients.push(Fr::ONE);
        Node {
            coefficients,
            values,
        }
    })
}

/// Reduces a polynomial of degree up to `length` modulo `X^length - sign`.
fn wrapped(coefficients: &[Fr], length: usize, sign: Fr) -> Vec<Fr> {
    let mut wrapped = coefficients.to_vec();
    if let Some(highest) = coefficients.get(length) {
        wrapped[0] += sign * highest;
    }
    wrapped.resize(length, Fr::ZERO);
    wrapped
}

/// Computes the product of `X + e` over the `n` elements one factor at a time, with `n^2 / 2`
/// multiplications.
fn multiply_out(elements: &[Fr]) -> Vec<Fr> {
    let mut coefficients = Vec::with_capacity(elements.len() + 1);
    coefficients.push(Fr::ONE);
    for element in elements {
        multiply_by_factor(&mut coefficients, *element);
    }
    coefficients
}

/// Multiplies a polynomial by `X + element`.
///
/// Cost: one multiplication for each coefficient.
pub fn multiply_by_factor(coefficients: &mut Vec<Fr>, element: Fr) {
    let mut lower = Fr::ZERO;
    for coefficient in coefficients.iter_mut() {
        let product = *coefficient * element + lower;
        lower = core::mem::replace(coefficient, product);
    }
    coefficients.push(lower);
}

/// Maximum number of factors that a leaf multiplies one at a time. Chosen by a count of
/// multiplications, not tuned.
const LEAF: usize = 64;
