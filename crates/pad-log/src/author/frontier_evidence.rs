//! The prover's side of frontier evidence, which proves that a tree contains no further element of
//! a key: see [`crate::frontier`].

use ark_bls12_381::Fr;
use ark_ff::Zero;
use pad_accumulators::{AccumulateError, internals::polynomial};

use super::{
    forest::{Forest, to_usize},
    frontier_tree::{FrontierTree, whole},
};
use crate::{
    element::HALF,
    frontier::{CHUNK, Frontier, FrontierString, common_bits, evidence::chunk_challenge},
    prefix::scalar_of_prefix,
    scheme::Scheme,
    shape::Address,
};

impl<S: Scheme> Forest<S> {
    /// Appends the evidence that the elements of a tree that begin with `beginning` are exactly the
    /// elements at `positions`.
    ///
    /// Cost: one sum of at most 1024 terms if there are no such elements, otherwise two sums for
    /// each chunk. In addition a pass over the tree's elements, without hashing. A frontier that is
    /// not stored is computed.
    ///
    /// # Errors
    /// Never fails for a tree whose accumulator has been computed.
    pub(crate) fn append_frontier_evidence(
        &self,
        tree: Address,
        (beginning, positions): (&[u8; HALF], &[u64]),
        bytes: &mut Vec<u8>,
    ) -> Result<(), AccumulateError> {
        let made = self.frontier(tree)?;
        let elements = made.sorted::<S>(self.elements_of(tree));
        let frontier = whole::<S>(&elements);
        bytes.extend_from_slice(made.disjoint());
        if positions.is_empty() {
            return self.append_absence((&made, frontier), (&elements, beginning), bytes);
        }
        let width = S::element_bytes();
        let element = |position: &u64| {
            let start = to_usize(position - tree.start()) * width;
            &self.elements_of(tree)[start..start + width]
        };
        let mut shown: Vec<&[u8]> = positions.iter().map(element).collect();
        shown.sort_unstable();
        let below = Frontier::new(&shown, S::KEY_BITS, S::ELEMENT_BITS);
        let strings: Vec<FrontierString> = below.iter().collect();
        for chunk in strings.chunks(CHUNK) {
            self.append_chunk((&made, frontier), (below, chunk), bytes)?;
        }
        Ok(())
    }

    /// Appends the evidence that no element of a tree begins with the key half `beginning`.
    ///
    /// One prefix of `beginning` is in the frontier. The evidence contains the length of this
    /// prefix, the path to its group, and a proof that the group contains it.
    fn append_absence(
        &self,
        (made, frontier): (&FrontierTree, Frontier<'_>),
        (elements, beginning): (&[&[u8]], &[u8; HALF]),
        bytes: &mut Vec<u8>,
    ) -> Result<(), AccumulateError> {
        let place = elements.partition_point(|element| *element < beginning.as_slice());
        let neighbours = elements[place.saturating_sub(1)..].iter().take(2);
        let common = neighbours.map(|element| common_bits(element, beginning));
        let common = common.max();
        let length = common.unwrap_or(0) + 1;
        bytes.extend_from_slice(&length.to_be_bytes());
        let group = made.group_of(frontier, beginning);
        made.append_path(group, bytes);
        let strings = made.strings(frontier, group);
        let negated: Vec<Fr> = strings.map(|string| -frontier.scalar(string)).collect();
        let polynomial = polynomial::product(&negated, self.workers());
        let root = scalar_of_prefix(beginning, length);
        let (quotient, value) = polynomial::divide_by_factor(&polynomial, -root);
        debug_assert!(value.is_zero(), "the prefix is in its group");
        bytes.extend_from_slice(&self.commit(&quotient)?);
        Ok(())
    }

    /// Appends the evidence that the strings of a chunk are in the frontier. It contains the path
    /// to the group with the chunk, a commitment to the group's polynomial divided by the chunk's,
    /// and a proof that the division is exact.
    fn append_chunk(
        &self,
        (made, frontier): (&FrontierTree, Frontier<'_>),
        (below, chunk): (Frontier<'_>, &[FrontierString]),
        bytes: &mut Vec<u8>,
    ) -> Result<(), AccumulateError> {
        let Some(first) = chunk.first() else {
            return Ok(());
        };
        let group = made.group_of(frontier, &below.bytes(*first).0);
        let accumulator = made.append_path(group, bytes);
        let scalars: Vec<Fr> = chunk.iter().map(|string| below.scalar(*string)).collect();
        let strings = made.strings(frontier, group);
        let negated: Vec<Fr> = strings.map(|string| -frontier.scalar(string)).collect();
        let others = negated.iter().copied();
        let others: Vec<Fr> = others.filter(|one| !scalars.contains(&-*one)).collect();
        let polynomial = polynomial::product(&negated, self.workers());
        let rest = polynomial::product(&others, self.workers());
        let committed = self.commit(&rest)?;
        let z = chunk_challenge(self.id(), &accumulator, &committed, &scalars);
        let value: Fr = scalars.iter().map(|scalar| z - scalar).product();
        bytes.extend_from_slice(&committed);
        bytes.extend_from_slice(&self.commit_division(polynomial, (&rest, value), z)?);
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests;
