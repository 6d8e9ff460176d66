//! The witnesses of all elements of a set, from the public powers of `s`.
//!
//! The witness of `e_i` is the product of `e_j + s` over all other elements, "in the exponent". Two
//! algorithms serve small and large sets:
//!
//! * [`direct`]: sums of `n` multiples, as in Crosby & Wallach. All sums use the same `n` points,
//!   so tables of multiples are computed once.
//! * [`divide_and_conquer`]: `O(n log^2 n)` scalar multiplications in total.
//!
//! # Divide and conquer
//!
//! A node of the product tree covers a set `S` of `m` elements and stores the vector
//!
//! ```text
//! G_S[k] = s^k * product of (e_j + s) over the j that are not in S,    0 <= k < m
//! ```
//!
//! in the exponent. The root's vector consists of the public powers, and the vector of a single
//! element is its witness. Let `R` be the product of `X + e_j` over the right child, of degree
//! `m_R`. The left child has `G_L[k] = sum of R_j * G_S[k + j]` over `j <= m_R`, which is the
//! product of `R(1/X)` and `G_S(X)`.
//!
//! A cyclic product of length `N >= m` is long enough. For `k < m_L` the highest index is
//! `k + j <= m_L - 1 + m_R = m - 1 < N`, so nothing wraps around into the required entries. Entries
//! from `m` on are arbitrary, because no required entry of a child uses them.
//!
//! Vectors are stored transformed (as values at the `N`-th roots of unity). A child needs only the
//! transform of length `h = N/2` of the lower half `y` of the product `z = y + X^h y'`. At the
//! roots of `X^h = 1`, `z` equals `y + y'`. At the roots of `X^h = -1`, it equals `y - y'`.
//!
//! The child's transform is therefore half the sum of two transforms. The transform of `y + y'` is
//! known. The transform of `y - y'` costs one inverse and one forward transform of length `h`. An
//! inverse transform of `z` and a forward one of `y` would cost one and a half times as much.
//!
//! At a leaf the witnesses are sums over the transformed vector itself. With `c_i` the product of
//! `X + e_j` over the leaf's other elements, the witness of `e_i` is the sum of
//! `c_i(1/w) / N * value_w` over the `N`-th roots `w`.
//!
//! Source: Crosby & Wallach 2010, section 4.3 (witnesses); Bostan, Lecerf, Schost 2003, "Tellegen's
//! principle into practice" (the transposed product tree). The halves of the transforms are
//! Bernstein's doubling, transposed.

#![allow(
    clippy::indexing_slicing,
    reason = "the prover's own vectors: no index comes from somebody else"
)]

mod group_transform;
mod shared_bases;
#[cfg(test)]
mod tests;

use ark_bls12_381::{Fr, G1Affine};
use ark_ff::{AdditiveGroup, Field};
use pad_core::Workers;

use super::polynomial::{
    ProductTree, divide_by_factor, product,
    transform::{Roots, Transform, split_halves},
};
use group_transform::GroupTransform;

/// Computes the witnesses of all elements, in the order of `elements`. Returns `None` if there are
/// fewer powers than elements.
///
/// * Input: `powers[k]` is `s^k` times the generator; elements are distinct.
/// * Cost: `O(n log^2 n)` scalar multiplications in the group.
pub(crate) fn all_witnesses(
    powers: &[G1Affine],
    elements: &[Fr],
    workers: &Workers,
) -> Option<Vec<G1Affine>> {
    if elements.len() <= MOST_DIRECT {
        direct(powers, elements, workers)
    } else {
        divide_and_conquer(powers, elements, MOST_IN_LEAF, workers)
    }
}

/// Computes all witnesses directly: each is a multi-scalar sum over `powers`.
///
/// Cost: `n^2` field multiplications and about `40 n^2` affine additions for `n` elements.
fn direct(powers: &[G1Affine], elements: &[Fr], workers: &Workers) -> Option<Vec<G1Affine>> {
    let powers = powers.get(..elements.len())?;
    let coefficients = product(elements, workers);
    let quotients: Vec<Vec<Fr>> = elements
        .iter()
        .map(|element| divide_by_factor(&coefficients, *element).0)
        .collect();
    Some(shared_bases::sums(powers, &quotients, workers))
}

/// Computes all witnesses by the product tree down to leaves of at most `leaf` elements.
fn divide_and_conquer(
    powers: &[G1Affine],
    elements: &[Fr],
    leaf: usize,
    workers: &Workers,
) -> Option<Vec<G1Affine>> {
    let mut points = powers.get(..elements.len())?.to_vec();
    let transform = Transform::new(elements.len().next_power_of_two());
    let tree = ProductTree::new(elements, leaf, &transform, workers);
    let group = GroupTransform {
        transform: &transform,
        workers,
    };
    let mut length = tree.length;
    points.resize(length, G1Affine::identity());
    group.forward(&mut points, length);
    // The root is skipped: it has no sibling, so no vector is multiplied by its product.
    for children in tree.levels.iter().rev().skip(1) {
        points = descend(&group, &points, length, children);
        length /= 2;
    }
    let leaves = tree.parts(elements).into_iter().zip(points.chunks(length));
    let leaves: Vec<(&[Fr], &[G1Affine])> = leaves.collect();
    let inverse_roots = inverse_roots(&transform, length);
    let witnesses = workers.map(&leaves, |(elements, values)| {
        shared_bases::sums(values, &leaf_rows(elements, &inverse_roots), workers)
    });
    Some(witnesses.concat())
}

/// Moves down one level of the product tree: computes the transformed vectors of all children from
/// those of their parents. A child's vector is half as long as its parent's.
fn descend(
    group: &GroupTransform<'_>,
    points: &[G1Affine],
    length: usize,
    children: &[Vec<Fr>],
) -> Vec<G1Affine> {
    let half = length / 2;
    // Each child is multiplied by its sibling.
    let siblings = children.chunks(2).flat_map(|pair| pair.iter().rev());
    let siblings: Vec<&Vec<Fr>> = siblings.collect();
    let factors = group.workers.map(&siblings, |sibling| {
        let mut values = reversed(sibling, length);
        group.transform.forward(&mut values, Roots::Even);
        split_halves(&values)
    });
    let mut even = Vec::with_capacity(half * children.len());
    let mut odd = Vec::with_capacity(half * children.len());
    for vector in points.chunks(length) {
        let (first, second) = split_halves(vector);
        for _child in [0, 1] {
            even.extend_from_slice(&first);
            odd.extend_from_slice(&second);
        }
    }
    // The sum of the two transforms is halved. `inverse_odd` does not divide by `half`, so
    // `scaling` is the inverse of `2 * half`.
    let halving = inverse_of(2);
    let scaling = inverse_of(length);
    let scaled = |values: &[Fr], factor: Fr| -> Vec<Fr> {
        values.iter().map(|value| factor * value).collect()
    };
    let even_factors = factors.iter().flat_map(|(even, _)| scaled(even, halving));
    let even_factors: Vec<Fr> = even_factors.collect();
    let odd_factors = factors.iter().flat_map(|(_, odd)| scaled(odd, scaling));
    let odd_factors: Vec<Fr> = odd_factors.collect();
    group.scale(&mut even, &even_factors);
    group.scale(&mut odd, &odd_factors);
    group.inverse_odd(&mut odd, half);
    group.forward(&mut odd, half);
    group.add(&mut even, &odd);
    even
}

/// Returns the coefficients of `R(1/X)` modulo `X^length - 1`, for the polynomial `R` with these
/// coefficients.
fn reversed(coefficients: &[Fr], length: usize) -> Vec<Fr> {
    let mut reversed = vec![Fr::ZERO; length];
    for (power, coefficient) in coefficients.iter().enumerate() {
        reversed[(length - power) % length] += coefficient;
    }
    reversed
}

/// Computes for each element of a leaf one row. The witness of the element is the sum of the leaf's
/// transformed vector, weighted with this row.
///
/// A coefficient is the product of the factors before and after the element, at one root of unity,
/// divided by the number of roots. Dividing the product of all factors by the element's own factor
/// might divide by zero.
fn leaf_rows(elements: &[Fr], inverse_roots: &[Fr]) -> Vec<Vec<Fr>> {
    let mut rows = vec![Vec::with_capacity(inverse_roots.len()); elements.len()];
    let scaling = inverse_of(inverse_roots.len());
    for root in inverse_roots {
        let mut left = scaling;
        for (row, element) in rows.iter_mut().zip(elements) {
            row.push(left);
            left *= *root + element;
        }
        let mut right = Fr::ONE;
        for (row, element) in rows.iter_mut().zip(elements).rev() {
            if let Some(factor) = row.last_mut() {
                *factor *= right;
            }
            right *= *root + element;
        }
    }
    rows
}

/// Computes the inverses of the roots of unity of order `length`, in the order in which `transform`
/// lists its values.
fn inverse_roots(transform: &Transform, length: usize) -> Vec<Fr> {
    let mut values = vec![Fr::ZERO; length];
    values[length - 1] = Fr::ONE;
    transform.forward(&mut values, Roots::Even);
    values
}

fn inverse_of(number: usize) -> Fr {
    let number = u64::try_from(number).unwrap_or(u64::MAX);
    Fr::from(number).inverse().unwrap_or(Fr::ONE)
}

/// Size of the largest set for which [`direct`] is used. At 64 elements it is faster than
/// [`divide_and_conquer`] by a third, at 96 slower by a third.
const MOST_DIRECT: usize = 64;

/// Maximum number of elements in a leaf of the product tree. With maxima from 32 to 96, the times
/// of the algorithm differ by about a tenth.
const MOST_IN_LEAF: usize = 64;
