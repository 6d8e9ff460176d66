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
//! The tree is descended level by level, so that a group with vector lanes raises the bases of
//! several nodes at once. Both powers of a node have the same base, so they share their squarings.
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
    let mut levels = products(primes, workers);
    let mut bases = vec![base.clone()];
    // A level is dropped as soon as its nodes have their bases.
    while let Some(nodes) = levels.pop() {
        bases = descend(group, bases, &nodes, workers);
    }
    bases
}

/// Spreads the primes evenly over slots. The number of slots is the least power of two that
/// suffices. The subtrees of a level then differ by at most one leaf. Of two neighbouring slots, at
/// least one has a prime.
fn leaves(primes: &[&Integer]) -> Vec<Option<Integer>> {
    let slots = primes.len().next_power_of_two();
    let mut rest = primes.iter().copied().cloned();
    let is_taken = |slot: usize| {
        let before = |slot: usize| slot.saturating_mul(primes.len()).checked_div(slots);
        before(slot) < before(slot.saturating_add(1))
    };
    (0..slots)
        .map(|slot| is_taken(slot).then(|| rest.next()).flatten())
        .collect()
}

/// Computes the products of the nodes of each level below the root, from the leaves up. A slot
/// without a leaf has no node.
fn products(primes: &[&Integer], workers: &Workers) -> Vec<Vec<Option<Integer>>> {
    let mut levels = Vec::new();
    let mut level = leaves(primes);
    while level.len() > 1 {
        let (pairs, _) = level.as_chunks();
        let above = workers.map(pairs, |pair| match pair {
            [Some(left), Some(right)] => Some((left * right).complete()),
            [one, other] => one.as_ref().or(other.as_ref()).cloned(),
        });
        levels.push(mem::replace(&mut level, above));
    }
    levels
}

/// Computes the bases of all nodes of a level, from those of the level above. A node gets its
/// parent's base, raised to the product of its sibling. A node without a sibling gets its parent's
/// base unchanged.
fn descend<G: ModularGroup>(
    group: &G,
    bases: Vec<G::Element>,
    nodes: &[Option<Integer>],
    workers: &Workers,
) -> Vec<G::Element> {
    let (pairs, _) = nodes.as_chunks();
    let (mut of_both, mut exponents) = (Vec::new(), Vec::new());
    for (base, pair) in bases.iter().zip(pairs) {
        if let [Some(left), Some(right)] = pair {
            of_both.push(base.clone());
            exponents.push(vec![right, left]);
        }
    }
    let mut powers = powers_of_bases(group, &of_both, &exponents, workers).into_iter();
    let mut below = Vec::with_capacity(nodes.len());
    for (base, pair) in bases.into_iter().zip(pairs) {
        match pair {
            [Some(_), Some(_)] => below.extend(powers.next().into_iter().flatten()),
            _ => below.push(base),
        }
    }
    below
}
