//! The witnesses of all elements without the secret key, by divide and conquer.
//!
//! The witness of an element is the base raised to the primes of all other elements. A node of a
//! binary tree over the elements computes the base raised to all primes outside of the node:
//!
//! ```text
//!              g                     all elements, nothing outside
//!          /       \
//!      g^right    g^left             each half gets the product of the other one
//!       /   \      /   \
//!     ...   ...  ...   ...           each leaf ends up with its witness
//! ```
//!
//! The tree is descended level by level, so that a group with lanes raises the bases of several
//! nodes at once. Both powers of a node have one base, so they share their squarings.
//!
//! Source: Sander, Ta-Shma & Yung 2000 (the tree); Yao 1976 (the sharing). Deviation: Tremel 2013
//! computes each witness on its own, in quadratic time.

use core::mem;

use pad_core::Workers;
use rsa_group::{exponentiation::powers_of_bases, group::ModularGroup};
use rug::{Complete, Integer};

#[cfg(test)]
mod tests;

/// Computes for each prime `base` raised to all other primes, in the order of the primes.
///
/// Cost: with `n` primes of `b` bits, `n b log2(n) / 2` squarings and some `n b log2(n) / 7`
/// products, spread over the workers and over the lanes of the group.
pub(crate) fn all_witnesses<G: ModularGroup>(
    group: &G,
    base: &G::Element,
    primes: &[&Integer],
    workers: &Workers,
) -> Vec<G::Element> {
    if primes.is_empty() {
        return Vec::new();
    }
    let products = products(primes, workers);
    let mut bases = vec![base.clone()];
    for nodes in products.iter().rev() {
        bases = descend(group, bases, nodes, workers);
    }
    bases
}

/// Computes the products of the nodes of each level below the root, from the leaves up.
fn products(primes: &[&Integer], workers: &Workers) -> Vec<Vec<Integer>> {
    let mut levels = Vec::new();
    let mut level: Vec<Integer> = primes.iter().copied().cloned().collect();
    while level.len() > 1 {
        let pairs: Vec<&[Integer]> = level.chunks(2).collect();
        let above = workers.map(&pairs, |pair| match pair {
            [left, right] => (left * right).complete(),
            // The last node of a level of odd length is a node of the level above too.
            rest => rest.first().cloned().unwrap_or_default(),
        });
        levels.push(mem::replace(&mut level, above));
    }
    levels
}

/// Computes the bases of all nodes of a level, from those of the level above. A node gets the base
/// of its parent, raised to the product of the other child.
fn descend<G: ModularGroup>(
    group: &G,
    bases: Vec<G::Element>,
    nodes: &[Integer],
    workers: &Workers,
) -> Vec<G::Element> {
    let (pairs, rest) = nodes.as_chunks();
    let exponents: Vec<Vec<&Integer>> = pairs
        .iter()
        .map(|[left, right]| vec![right, left])
        .collect();
    let mut below = Vec::with_capacity(nodes.len());
    let of_pairs = bases.get(..pairs.len()).unwrap_or_default();
    below.extend(
        powers_of_bases(group, of_pairs, &exponents, workers)
            .into_iter()
            .flatten(),
    );
    below.extend(bases.into_iter().skip(pairs.len()).take(rest.len()));
    below
}
