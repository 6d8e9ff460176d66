//! Creation of proofs about a log at each of its past sizes.
//!
//! Inclusion and append-only proofs only read stored nodes. A look-up computes multi-scalar sums.
//! In counted schemes these sums range over all elements of each tree, in frontier schemes over
//! groups of prefixes.

use pad_accumulators::{AccumulateError, wire::write_count};
use pad_core::Workers;

use super::{
    entries::Entries,
    forest::{Forest, to_usize},
    node::Node,
};
use crate::{
    hash,
    proof::{
        AbsenceProof, AppendOnlyProof, DictionaryScheme, InclusionProof, LookupProof, LookupScheme,
        SetScheme,
    },
    scheme::{Completeness, Contents, Scheme},
    shape::Address,
    walk::Opening,
};

impl<S: DictionaryScheme> Entries<S> {
    /// Proves all values of a key in the log of `size` entries, which is at most [`Entries::size`].
    ///
    /// Cost in counted schemes, for each tree: one sum with a term for each element. One value of
    /// the key needs two sums, several values need three sums. A log that was loaded also computes
    /// the polynomials of its trees at the first look-up.
    ///
    /// Cost in frontier schemes: one sum of at most 1024 terms for each tree without the key. For
    /// other trees, two sums for each chunk of 512 prefixes, with about one chunk for every two
    /// values. If a tree was not a root at any call of [`Entries::build`], its frontier is computed
    /// for the proof.
    ///
    /// # Errors
    /// Never fails for a log whose trees were built with the parameters of its setup.
    pub fn prove_values(&self, size: u64, key: &[u8]) -> Result<LookupProof<S>, AccumulateError> {
        self.look_up(size, key).map(LookupProof::new)
    }
}

impl<S: SetScheme> Entries<S> {
    /// Proves that the log of `size` entries, at most [`Entries::size`], does not contain a member.
    /// Returns `None` if the log contains the member.
    ///
    /// Cost: as for [`Entries::prove_values`].
    ///
    /// # Errors
    /// Never fails for a log whose trees were built with the parameters of its setup.
    pub fn prove_absence(
        &self,
        size: u64,
        member: &[u8],
    ) -> Result<Option<AbsenceProof<S>>, AccumulateError> {
        self.prove_lookup(size, member)
    }
}

impl<S: LookupScheme> Entries<S> {
    /// Proves the answer to a look-up in the log of `size` entries, like [`Entries::prove_values`]
    /// or [`Entries::prove_absence`].
    pub(super) fn prove_lookup(
        &self,
        size: u64,
        key: &[u8],
    ) -> Result<Option<S::Lookup>, AccumulateError> {
        if S::CONTENTS == Contents::Set && !self.positions(key, size).is_empty() {
            return Ok(None);
        }
        self.look_up(size, key).map(S::lookup).map(Some)
    }
}

impl<S: Scheme> Entries<S> {
    /// Proves that the log of `size` entries contains the entry at `position`, which is below
    /// `size`. `size` is at most [`Entries::size`].
    pub fn prove_inclusion(&self, size: u64, position: u64) -> InclusionProof<S> {
        let mut body = Vec::new();
        body.extend_from_slice(&size.to_be_bytes());
        body.extend_from_slice(&position.to_be_bytes());
        if S::CONTENTS == Contents::Dictionary {
            body.extend_from_slice(&self.occurrence(position).to_be_bytes());
        }
        let forest = &self.forest;
        let shape = self.log().shape();
        let root = shape.root_holding(position, size);
        for before in shape.forest(size).take_while(|before| *before != root) {
            body.extend_from_slice(&forest.hash(before).0);
        }
        let after = shape.forest_from(root.end(), size);
        let after: Vec<_> = after.map(|after| forest.hash(after)).collect();
        if let Some(bag) = hash::bag(&after) {
            body.extend_from_slice(&bag.0);
        }
        forest.append_node(root, Opening::Holding(&[position]), &mut body);
        InclusionProof::new(body)
    }

    /// Proves that the log of `to` entries contains the log of `from` entries, unchanged. `from` is
    /// at most `to`, and `to` is at most [`Entries::size`].
    pub fn prove_append_only(&self, from: u64, to: u64) -> AppendOnlyProof<S> {
        let mut body = Vec::new();
        body.extend_from_slice(&from.to_be_bytes());
        body.extend_from_slice(&to.to_be_bytes());
        let forest = &self.forest;
        let shape = self.log().shape();
        if from == 0 || from == to {
            let roots: Vec<_> = shape.forest(to).map(|root| forest.hash(root)).collect();
            if let Some(bag) = hash::bag(&roots) {
                body.extend_from_slice(&bag.0);
            }
            return AppendOnlyProof::new(body);
        }
        let opening = Opening::Since(shape, from);
        for root in shape.forest(to) {
            if opening.is_closed(root) {
                body.extend_from_slice(&forest.hash(root).0);
            } else {
                forest.append_node(root, opening, &mut body);
            }
        }
        AppendOnlyProof::new(body)
    }

    /// Builds the body of a look-up proof: one section for each tree of the log of `size` entries,
    /// then the values of the key.
    fn look_up(&self, size: u64, key: &[u8]) -> Result<Vec<u8>, AccumulateError> {
        let positions = self.positions(key, size);
        let mut body = Vec::new();
        body.extend_from_slice(&size.to_be_bytes());
        let shape = self.log().shape();
        let roots: Vec<Address> = shape.forest(size).collect();
        let sequential = Workers::sequential();
        let workers = match S::COMPLETENESS {
            Completeness::Counted => self.forest.workers(),
            // A frontier that must be computed takes much memory.
            Completeness::Frontier => &sequential,
        };
        let sections = workers.map(&roots, |root| {
            let mut section = Vec::new();
            if shape.is_proved(*root) {
                self.append_tree(*root, (key, positions), &mut section)?;
            } else {
                self.forest
                    .append_node(*root, Opening::Holding(&[root.start()]), &mut section);
            }
            Ok::<_, AccumulateError>(section)
        });
        for section in sections {
            body.extend_from_slice(&section?);
        }
        if S::CONTENTS == Contents::Dictionary {
            write_count(positions.len(), &mut body);
            for entry in positions
                .iter()
                .filter_map(|position| self.entry(*position))
            {
                write_count(entry.value.as_bytes().len(), &mut body);
                body.extend_from_slice(entry.value.as_bytes());
            }
        }
        Ok(body)
    }

    /// Appends the section of a look-up about one tree. It contains the blocks with elements of the
    /// key, and the evidence that no other element belongs to the key.
    fn append_tree(
        &self,
        root: Address,
        (key, positions): (&[u8], &[u64]),
        body: &mut Vec<u8>,
    ) -> Result<(), AccumulateError> {
        let first = positions.partition_point(|position| *position < root.start());
        let end = positions.partition_point(|position| *position < root.end());
        let inside = &positions[first..end];
        let width = self.log().shape().block_holding(root.start()).width();
        let blocks = inside.iter();
        let mut blocks: Vec<u64> = blocks
            .map(|position| (position - root.start()) / width)
            .collect();
        blocks.dedup();
        write_count(blocks.len(), body);
        for block in &blocks {
            write_count(to_usize(*block), body);
        }
        self.forest
            .append_node(root, Opening::Holding(inside), body);
        let beginning = S::beginning(key);
        match S::COMPLETENESS {
            Completeness::Counted => {
                let count = u32::try_from(inside.len()).unwrap_or(u32::MAX);
                self.forest
                    .append_counted_evidence(root, (&beginning.0, count), body)
            }
            Completeness::Frontier => {
                self.forest
                    .append_frontier_evidence(root, (&beginning.0, inside), body)
            }
        }
    }
}

impl<S: Scheme> Forest<S> {
    /// Appends a node and the parts of the tree below it that `opening` requires.
    fn append_node(&self, node: Address, opening: Opening<'_>, body: &mut Vec<u8>) {
        let shape = self.log().shape();
        if !shape.is_sealed(node) {
            body.extend_from_slice(self.elements_of(node));
            return;
        }
        let Node {
            accumulator,
            inner,
            value,
            quotient,
        } = self.node(node);
        body.extend_from_slice(accumulator);
        if opening.is_closed(node) {
            body.extend_from_slice(&inner.0);
            return;
        }
        match node.children() {
            Some((left, right)) if node.level > shape.block_level() => {
                body.extend_from_slice(value);
                body.extend_from_slice(quotient);
                let (left_opening, right_opening) = opening.children(right);
                self.append_node(left, left_opening, body);
                self.append_node(right, right_opening, body);
            }
            _ => {
                body.extend_from_slice(self.elements_of(node));
                body.extend_from_slice(quotient);
            }
        }
    }
}
